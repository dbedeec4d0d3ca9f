#include "kernels/communicator/single_communicator.hpp"

#include <cstring>

#include "sim/base/check.hpp"

namespace shardsim::kernels {
namespace {

class Done final : public Request {
 public:
  void wait() override {}
};

void copy(const Matrix& from, const Matrix& to) {
  SHARDSIM_CHECK(from.bytes() == to.bytes(), "a group of one rank gathers or reduces as much as it gives");
  if (from.data != to.data) std::memcpy(to.data, from.data, static_cast<std::size_t>(from.bytes().value()));
}

class SingleCommunicator final : public Communicator {
 public:
  [[nodiscard]] int rank() const override { return 0; }
  [[nodiscard]] int size() const override { return 1; }
  [[nodiscard]] std::unique_ptr<Communicator> split(int color, int /*key*/) override {
    return color < 0 ? nullptr : make_single_communicator();
  }
  void barrier() override {}
  void broadcast(const Matrix& /*buffer*/, int /*root*/) override {}
  void all_reduce(const Matrix& /*buffer*/, Reduction /*reduction*/) override {}
  void all_gather(const Matrix& part, const Matrix& whole) override { copy(part, whole); }
  void reduce_scatter(const Matrix& whole, const Matrix& part) override { copy(whole, part); }
  [[nodiscard]] std::unique_ptr<Request> start_all_reduce(const Matrix& /*buffer*/, Reduction /*reduction*/) override {
    return std::make_unique<Done>();
  }
  [[nodiscard]] std::unique_ptr<Request> start_all_gather(const Matrix& part, const Matrix& whole) override {
    copy(part, whole);
    return std::make_unique<Done>();
  }
  [[nodiscard]] std::unique_ptr<Request> start_reduce_scatter(const Matrix& whole, const Matrix& part) override {
    copy(whole, part);
    return std::make_unique<Done>();
  }
  [[nodiscard]] std::unique_ptr<Request> start_send(const Matrix& /*buffer*/, int to) override { return no_peer(to); }
  [[nodiscard]] std::unique_ptr<Request> start_receive(const Matrix& /*buffer*/, int from) override {
    return no_peer(from);
  }
  [[nodiscard]] double all_reduce_value(double value, Reduction /*reduction*/) override { return value; }

 private:
  [[noreturn]] static std::unique_ptr<Request> no_peer(int peer) {
    throw CommunicatorError("rank 0 has no rank " + std::to_string(peer) + " to talk to: it is alone");
  }
};

}  // namespace

std::unique_ptr<Communicator> make_single_communicator() { return std::make_unique<SingleCommunicator>(); }

}  // namespace shardsim::kernels
