#include "kernels/communicator/mpi_communicator.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <exception>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "kernels/communicator/mpi_reduction.hpp"
#include "kernels/communicator/transfer.hpp"
#include "sim/base/check.hpp"

namespace shardsim::kernels {
namespace {

/// Of large reductions: MPI's temporary copies stay small, and in the cache.
constexpr std::int64_t kPieceBytes = std::int64_t{512} << 10;

/// `move` of every piece of a contiguous matrix, and its first element's place in it.
template <class Move>
void in_pieces(const Matrix& matrix, Move&& move) {
  SHARDSIM_CHECK(matrix.contiguous(), "communicated matrices are contiguous");
  const Matrix row = matrix.reshaped(1, matrix.elements());
  const std::int64_t most = kPieceBytes / storage_size(matrix.dtype).value();
  for (std::int64_t first = 0; first < row.columns; first += most) {
    move(row.column_range(first, std::min(most, row.columns - first)), first);
  }
}

/// MPI counts elements in an int.
int count_of(const Matrix& matrix) {
  SHARDSIM_CHECK(matrix.contiguous(), "communicated matrices are contiguous");
  if (matrix.elements() > std::numeric_limits<int>::max()) {
    throw CommunicatorError("MPI moves at most 2,147,483,647 elements at once, not " +
                            std::to_string(matrix.elements()));
  }
  return static_cast<int>(matrix.elements());
}

bool overlaps(const Matrix& part, const Matrix& whole) {
  const auto* first = whole.as<std::byte>();
  const auto* place = part.as<std::byte>();
  return place >= first && place < first + whole.bytes().value();
}

/// The handle of a group, freed with its last user.
class Handle {
 public:
  explicit Handle(MPI_Comm handle) : handle_{handle} {
    // Errors come back as codes, to be thrown with their cause.
    MPI_Comm_set_errhandler(handle_, MPI_ERRORS_RETURN);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    // Freeing is collective: a rank that fails must not wait for the others.
    if (std::uncaught_exceptions() == 0) MPI_Comm_free(&handle_);
  }
  [[nodiscard]] MPI_Comm get() const { return handle_; }

 private:
  MPI_Comm handle_;
};

/// The members' ranks in the whole job.
Members members_of(MPI_Comm handle) {
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Group world = MPI_GROUP_NULL;
  int size = 0;
  MPI_Comm_size(handle, &size);
  MPI_Comm_group(handle, &group);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  Members own(static_cast<std::size_t>(size));
  std::iota(own.begin(), own.end(), 0);
  Members members(own.size());
  MPI_Group_translate_ranks(group, size, own.data(), world, members.data());
  MPI_Group_free(&group);
  MPI_Group_free(&world);
  return members;
}

/// A group, shared by its communicator and the requests under way.
struct Context {
  Context(MPI_Comm of_handle, std::shared_ptr<const MpiReductions> shared_reductions, Watchdog& of_watchdog)
      : handle{of_handle},
        reductions{std::move(shared_reductions)},
        watchdog{&of_watchdog},
        members{members_of(of_handle)} {
    MPI_Comm_rank(of_handle, &rank);
  }
  [[nodiscard]] std::string describe(const Transfer& transfer) const {
    std::string text = to_string(transfer, members);
    if (transfer.kind != TransferKind::send && transfer.kind != TransferKind::receive) {
      text += " among " + to_string(members);
    }
    return text;
  }
  [[nodiscard]] MPI_Op operation(const Transfer& transfer) const {
    return reductions->operation(transfer.dtype, transfer.reduction);
  }

  Handle handle;
  std::shared_ptr<const MpiReductions> reductions;
  Watchdog* watchdog;
  Members members;
  int rank = 0;
};

/// Calls MPI while the watchdog watches; throws what MPI refuses.
template <class Call>
void run(const Context& context, const Transfer& transfer, Call&& call) {
  const Watchdog::Wait wait{*context.watchdog, [&] { return "in " + context.describe(transfer); }};
  const int code = call();
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw CommunicatorError(context.describe(transfer) + ": " + text.data());
}

class MpiRequest final : public Request {
 public:
  MpiRequest(std::shared_ptr<const Context> context, const Transfer& transfer, MPI_Request request,
             std::function<void()> finish)
      : context_{std::move(context)}, transfer_{transfer}, request_{request}, finish_{std::move(finish)} {}
  MpiRequest(const MpiRequest&) = delete;
  MpiRequest& operator=(const MpiRequest&) = delete;
  /// Waits, unless an exception is on its way: then the job ends, and peers may never answer.
  ~MpiRequest() override {
    if (std::uncaught_exceptions() == 0) wait();
  }
  void wait() override {
    if (done_) return;
    done_ = true;
    run(*context_, transfer_, [this] { return MPI_Wait(&request_, MPI_STATUS_IGNORE); });
    if (finish_) finish_();
  }
  void advance() override {
    int complete = 0;
    run(*context_, transfer_, [&] { return MPI_Test(&request_, &complete, MPI_STATUS_IGNORE); });
  }

 private:
  std::shared_ptr<const Context> context_;
  Transfer transfer_;
  MPI_Request request_;
  bool done_ = false;
  std::function<void()> finish_;
};

/// Where a reduced part is received: MPI forbids that it lies inside the matrix that is reduced.
class Destination {
 public:
  Destination(const Matrix& part, const Matrix& whole)
      : part_{part}, scratch_{overlaps(part, whole) ? new std::byte[size()] : nullptr} {}
  [[nodiscard]] void* data() const { return scratch_ ? scratch_.get() : part_.data; }
  void finish() const {
    if (scratch_) std::memcpy(part_.data, scratch_.get(), size());
  }

 private:
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(part_.bytes().value()); }
  Matrix part_;
  std::unique_ptr<std::byte[]> scratch_;
};

class MpiCommunicator final : public Communicator {
 public:
  explicit MpiCommunicator(std::shared_ptr<const Context> context)
      : context_{std::move(context)},
        handle_{context_->handle.get()},
        size_{static_cast<int>(context_->members.size())} {}

  [[nodiscard]] int rank() const override { return context_->rank; }
  [[nodiscard]] int size() const override { return size_; }

  [[nodiscard]] std::unique_ptr<Communicator> split(int color, int key) override {
    MPI_Comm part = MPI_COMM_NULL;
    run(*context_, {TransferKind::split},
        [&] { return MPI_Comm_split(handle_, color < 0 ? MPI_UNDEFINED : color, key, &part); });
    if (part == MPI_COMM_NULL) return nullptr;
    return std::make_unique<MpiCommunicator>(
        std::make_shared<const Context>(part, context_->reductions, *context_->watchdog));
  }

  void barrier() override {
    run(*context_, {TransferKind::barrier}, [&] { return MPI_Barrier(handle_); });
  }

  void broadcast(const Matrix& buffer, int root) override {
    const Transfer transfer = transfer_of(TransferKind::broadcast, buffer, root);
    run(*context_, transfer,
        [&] { return MPI_Bcast(buffer.data, count_of(buffer), mpi_type(buffer.dtype), root, handle_); });
  }

  void all_reduce(const Matrix& buffer, Reduction reduction) override {
    const Transfer transfer = reducing(buffer, reduction);
    in_pieces(buffer, [&](const Matrix& piece, std::int64_t) {
      run(*context_, transfer, [&] {
        return MPI_Allreduce(MPI_IN_PLACE, piece.data, count_of(piece), mpi_type(piece.dtype),
                             context_->operation(transfer), handle_);
      });
    });
  }

  void all_gather(const Matrix& part, const Matrix& whole) override {
    const int count = count_of_part(part, whole);
    const MPI_Datatype type = mpi_type(part.dtype);
    run(*context_, transfer_of(TransferKind::all_gather, part),
        [&] { return MPI_Allgather(gathered_from(part, whole), count, type, whole.data, count, type, handle_); });
  }

  void reduce_scatter(const Matrix& whole, const Matrix& part) override {
    check_part(part, whole);
    if (!overlaps(part, whole)) {
      std::memcpy(part.data, share_of(whole, rank()).data, static_cast<std::size_t>(part.bytes().value()));
    }
    for (int distance = 1; distance < size_; ++distance) {
      add_share_from((rank() - distance + size_) % size_, (rank() + distance) % size_, whole, part);
    }
  }

  [[nodiscard]] std::unique_ptr<Request> start_all_reduce(const Matrix& buffer, Reduction reduction) override {
    const Transfer transfer = reducing(buffer, reduction);
    return start(transfer, [&](MPI_Request* request) {
      return MPI_Iallreduce(MPI_IN_PLACE, buffer.data, count_of(buffer), mpi_type(buffer.dtype),
                            context_->operation(transfer), handle_, request);
    });
  }

  [[nodiscard]] std::unique_ptr<Request> start_all_gather(const Matrix& part, const Matrix& whole) override {
    const int count = count_of_part(part, whole);
    const MPI_Datatype type = mpi_type(part.dtype);
    return start(transfer_of(TransferKind::all_gather, part), [&](MPI_Request* request) {
      return MPI_Iallgather(gathered_from(part, whole), count, type, whole.data, count, type, handle_, request);
    });
  }

  [[nodiscard]] std::unique_ptr<Request> start_reduce_scatter(const Matrix& whole, const Matrix& part) override {
    const int count = count_of_part(part, whole);
    const Transfer transfer = transfer_of(TransferKind::reduce_scatter, part);
    const auto to = std::make_shared<const Destination>(part, whole);
    const auto call = [&](MPI_Request* request) {
      return MPI_Ireduce_scatter_block(whole.data, to->data(), count, mpi_type(part.dtype),
                                       context_->operation(transfer), handle_, request);
    };
    return start(transfer, call, [to] { to->finish(); });
  }

  [[nodiscard]] std::unique_ptr<Request> start_send(const Matrix& buffer, int to) override {
    return start(transfer_of(TransferKind::send, buffer, to), [&](MPI_Request* request) {
      return MPI_Isend(buffer.data, count_of(buffer), mpi_type(buffer.dtype), to, 0, handle_, request);
    });
  }

  [[nodiscard]] std::unique_ptr<Request> start_receive(const Matrix& buffer, int from) override {
    return start(transfer_of(TransferKind::receive, buffer, from), [&](MPI_Request* request) {
      return MPI_Irecv(buffer.data, count_of(buffer), mpi_type(buffer.dtype), from, 0, handle_, request);
    });
  }

  [[nodiscard]] double all_reduce_value(double value, Reduction reduction) override {
    const MPI_Op op = reduction == Reduction::sum ? MPI_SUM : MPI_MAX;
    run(*context_, {TransferKind::all_reduce_value, 1, DType::fp32, reduction},
        [&] { return MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, op, handle_); });
    return value;
  }

 private:
  void check_part(const Matrix& part, const Matrix& whole) const {
    SHARDSIM_CHECK(whole.contiguous() && whole.dtype == part.dtype && whole.elements() == part.elements() * size_,
                   "the whole is as large as the parts of all ranks");
  }
  [[nodiscard]] int count_of_part(const Matrix& part, const Matrix& whole) const {
    check_part(part, whole);
    return count_of(part);
  }
  /// One rank's part of a matrix of all ranks.
  [[nodiscard]] Matrix share_of(const Matrix& whole, int rank) const {
    const std::int64_t share = whole.elements() / size_;
    return whole.reshaped(1, whole.elements()).column_range(rank * share, share);
  }

  /// One step of the pairwise exchange (Thakur et al. 2005, section 4.2): `from`'s values of this rank's share are
  /// added to `part`, and `to` gets this rank's values of its share.
  void add_share_from(int from, int to, const Matrix& whole, const Matrix& part) const {
    const Transfer transfer = transfer_of(TransferKind::reduce_scatter, part);
    const MPI_Datatype type = mpi_type(part.dtype);
    const Matrix sent = share_of(whole, to);
    std::vector<std::byte> received(static_cast<std::size_t>(std::min(kPieceBytes, part.bytes().value())));
    in_pieces(part, [&](const Matrix& piece, std::int64_t first) {
      const int count = count_of(piece);
      run(*context_, transfer, [&] {
        return MPI_Sendrecv(sent.column_range(first, count).data, count, type, to, 0, received.data(), count, type,
                            from, 0, handle_, MPI_STATUS_IGNORE);
      });
      run(*context_, transfer,
          [&] { return MPI_Reduce_local(received.data(), piece.data, count, type, context_->operation(transfer)); });
    });
  }

  [[nodiscard]] const void* gathered_from(const Matrix& part, const Matrix& whole) const {
    if (!overlaps(part, whole)) return part.data;
    SHARDSIM_CHECK(part.as<std::byte>() == whole.as<std::byte>() + rank() * part.bytes().value(),
                   "a part inside the whole lies at its own place");
    return MPI_IN_PLACE;
  }

  template <class Call>
  [[nodiscard]] std::unique_ptr<Request> start(const Transfer& transfer, Call&& call,
                                               std::function<void()> finish = {}) const {
    MPI_Request request = MPI_REQUEST_NULL;
    run(*context_, transfer, [&] { return call(&request); });
    return std::make_unique<MpiRequest>(context_, transfer, request, std::move(finish));
  }

  std::shared_ptr<const Context> context_;
  MPI_Comm handle_;
  int size_;
};

}  // namespace

std::unique_ptr<Communicator> make_mpi_communicator(MPI_Comm handle, Watchdog& watchdog) {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(handle, &copy);
  return std::make_unique<MpiCommunicator>(
      std::make_shared<const Context>(copy, std::make_shared<const MpiReductions>(), watchdog));
}

}  // namespace shardsim::kernels
