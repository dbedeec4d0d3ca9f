#include "kernels/communicator/checked_communicator.hpp"

#include <array>
#include <bit>
#include <exception>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kernels/communicator/transfer.hpp"
#include "sim/model/enum_text.hpp"

namespace shardsim::kernels {
namespace {

/// A transfer and its place in the group's sequence, as words to send.
using Signature = std::array<std::int32_t, 8>;

struct Numbered {
  std::int64_t sequence = 0;
  Transfer transfer;
};

Signature pack(const Numbered& wish) {
  const auto sequence = std::bit_cast<std::array<std::int32_t, 2>>(wish.sequence);
  const auto elements = std::bit_cast<std::array<std::int32_t, 2>>(wish.transfer.elements);
  return {sequence[0],
          sequence[1],
          elements[0],
          elements[1],
          static_cast<std::int32_t>(wish.transfer.kind),
          static_cast<std::int32_t>(wish.transfer.dtype),
          static_cast<std::int32_t>(wish.transfer.reduction),
          wish.transfer.peer};
}

Numbered unpack(const Signature& words) {
  return {std::bit_cast<std::int64_t>(std::array{words[0], words[1]}),
          {static_cast<TransferKind>(words[4]), std::bit_cast<std::int64_t>(std::array{words[2], words[3]}),
           static_cast<DType>(words[5]), static_cast<Reduction>(words[6]), words[7]}};
}

/// Words are moved, never added, so that their bits may pass as floats.
template <class Words>
Matrix as_matrix(Words& words) {
  const auto count = static_cast<std::int64_t>(words.size());
  return {words.data(), DType::fp32, 1, count, count};
}

std::string numbered_text(const Numbered& wish, const Members& members) {
  return "operation " + std::to_string(wish.sequence) + ", " + to_string(wish.transfer, members);
}

/// A message with its size and format ahead of it.
class CheckedMessage final : public Request {
 public:
  CheckedMessage(std::shared_ptr<const Members> members, const Transfer& own)
      : members_{std::move(members)}, own_{own} {}
  ~CheckedMessage() override {
    if (std::uncaught_exceptions() == 0) wait();
  }
  CheckedMessage(const CheckedMessage&) = delete;
  CheckedMessage& operator=(const CheckedMessage&) = delete;

  void start(Communicator& control, Communicator& data, const Matrix& buffer) {
    if (own_.kind == TransferKind::send) {
      words_ = pack({0, own_});
      announcement_ = control.start_send(as_matrix(words_), own_.peer);
      message_ = data.start_send(buffer, own_.peer);
    } else {
      announcement_ = control.start_receive(as_matrix(words_), own_.peer);
      message_ = data.start_receive(buffer, own_.peer);
    }
  }

  void wait() override {
    if (done_) return;
    done_ = true;
    announcement_->wait();
    const Transfer announced = unpack(words_).transfer;
    if (announced.elements != own_.elements || announced.dtype != own_.dtype) {
      throw CommunicatorError("mismatched message: " + to_string(own_, *members_) + ", which sends " +
                              std::to_string(announced.elements) + " " +
                              std::string(model::choice_text(announced.dtype)) + " elements");
    }
    message_->wait();
  }

 private:
  std::shared_ptr<const Members> members_;
  Transfer own_;
  Signature words_{};
  bool done_ = false;
  std::unique_ptr<Request> announcement_;
  std::unique_ptr<Request> message_;
};

class CheckedCommunicator final : public Communicator {
 public:
  CheckedCommunicator(std::unique_ptr<Communicator> data, std::unique_ptr<Communicator> control, Watchdog& watchdog,
                      int job_rank)
      : data_{std::move(data)},
        control_{std::move(control)},
        messages_{control_->split(0, control_->rank())},
        watchdog_{&watchdog},
        job_rank_{job_rank} {
    Members members(static_cast<std::size_t>(control_->size()));
    std::array<std::int32_t, 1> own = {job_rank};
    control_->all_gather(as_matrix(own), as_matrix(members));
    members_ = std::make_shared<const Members>(std::move(members));
  }

  [[nodiscard]] int rank() const override { return data_->rank(); }
  [[nodiscard]] int size() const override { return data_->size(); }

  [[nodiscard]] std::unique_ptr<Communicator> split(int color, int key) override {
    agree({TransferKind::split});
    std::unique_ptr<Communicator> data = data_->split(color, key);
    std::unique_ptr<Communicator> control = control_->split(color, key);
    if (data == nullptr) return nullptr;
    return make_checked_communicator(std::move(data), std::move(control), *watchdog_, job_rank_);
  }

  void barrier() override {
    agree({TransferKind::barrier});
    data_->barrier();
  }
  void broadcast(const Matrix& buffer, int root) override {
    agree(transfer_of(TransferKind::broadcast, buffer, root));
    data_->broadcast(buffer, root);
  }
  void all_reduce(const Matrix& buffer, Reduction reduction) override {
    agree(reducing(buffer, reduction));
    data_->all_reduce(buffer, reduction);
  }
  void all_gather(const Matrix& part, const Matrix& whole) override {
    agree(transfer_of(TransferKind::all_gather, part));
    data_->all_gather(part, whole);
  }
  void reduce_scatter(const Matrix& whole, const Matrix& part) override {
    agree(transfer_of(TransferKind::reduce_scatter, part));
    data_->reduce_scatter(whole, part);
  }
  [[nodiscard]] std::unique_ptr<Request> start_all_reduce(const Matrix& buffer, Reduction reduction) override {
    agree(reducing(buffer, reduction));
    return data_->start_all_reduce(buffer, reduction);
  }
  [[nodiscard]] std::unique_ptr<Request> start_all_gather(const Matrix& part, const Matrix& whole) override {
    agree(transfer_of(TransferKind::all_gather, part));
    return data_->start_all_gather(part, whole);
  }
  [[nodiscard]] std::unique_ptr<Request> start_reduce_scatter(const Matrix& whole, const Matrix& part) override {
    agree(transfer_of(TransferKind::reduce_scatter, part));
    return data_->start_reduce_scatter(whole, part);
  }
  [[nodiscard]] std::unique_ptr<Request> start_send(const Matrix& buffer, int to) override {
    return start_message(transfer_of(TransferKind::send, buffer, to), buffer);
  }
  [[nodiscard]] std::unique_ptr<Request> start_receive(const Matrix& buffer, int from) override {
    return start_message(transfer_of(TransferKind::receive, buffer, from), buffer);
  }
  [[nodiscard]] double all_reduce_value(double value, Reduction reduction) override {
    agree({TransferKind::all_reduce_value, 1, DType::fp32, reduction});
    return data_->all_reduce_value(value, reduction);
  }

 private:
  [[nodiscard]] std::unique_ptr<Request> start_message(const Transfer& transfer, const Matrix& buffer) {
    auto message = std::make_unique<CheckedMessage>(members_, transfer);
    message->start(*messages_, *data_, buffer);
    return message;
  }

  /// Each rank hears every other one itself, so that whoever waits knows for whom.
  void agree(const Transfer& transfer) {
    const Numbered own{++sequence_, transfer};
    const auto ranks = static_cast<std::size_t>(size());
    std::vector<Signature> wishes(ranks, pack(own));
    Signature mine = pack(own);
    std::vector<std::unique_ptr<Request>> receives(ranks);
    std::vector<std::unique_ptr<Request>> sends;
    for (int peer = 0; peer < size(); ++peer) {
      if (peer == rank()) continue;
      receives[static_cast<std::size_t>(peer)] =
          control_->start_receive(as_matrix(wishes[static_cast<std::size_t>(peer)]), peer);
      sends.push_back(control_->start_send(as_matrix(mine), peer));
    }
    for (std::size_t peer = 0; peer < ranks; ++peer) {
      if (receives[peer] == nullptr) continue;
      const Watchdog::Wait wait{*watchdog_, [&] {
                                  return "for rank " + std::to_string((*members_)[peer]) + " to join " +
                                         numbered_text(own, *members_) + " among " + to_string(*members_);
                                }};
      receives[peer]->wait();
    }
    for (const auto& send : sends) send->wait();
    compare(wishes);
  }

  void compare(const std::vector<Signature>& wishes) const {
    std::map<Signature, Members> ranks_by_wish;
    for (std::size_t i = 0; i < wishes.size(); ++i) ranks_by_wish[wishes[i]].push_back((*members_)[i]);
    if (ranks_by_wish.size() == 1) return;
    std::string text = "mismatched collective among " + to_string(*members_) + ": ";
    bool first = true;
    for (const auto& [words, ranks] : ranks_by_wish) {
      if (!first) text += "; ";
      first = false;
      text += numbered_text(unpack(words), *members_) + " on " + to_string(ranks);
    }
    throw CommunicatorError(text);
  }

  std::unique_ptr<Communicator> data_;
  std::unique_ptr<Communicator> control_;
  /// For what precedes messages: they and collectives need not come in one order.
  std::unique_ptr<Communicator> messages_;
  Watchdog* watchdog_;
  int job_rank_;
  std::shared_ptr<const Members> members_;
  std::int64_t sequence_ = 0;
};

}  // namespace

std::unique_ptr<Communicator> make_checked_communicator(std::unique_ptr<Communicator> data,
                                                        std::unique_ptr<Communicator> control, Watchdog& watchdog,
                                                        int job_rank) {
  return std::make_unique<CheckedCommunicator>(std::move(data), std::move(control), watchdog, job_rank);
}

}  // namespace shardsim::kernels
