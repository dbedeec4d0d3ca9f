#include "kernels/communicator/nccl_communicator.hpp"

#include <nccl.h>

#include <cstdlib>
#include <exception>
#include <string>
#include <thread>
#include <utility>

#include "kernels/communicator/nccl_resources.hpp"
#include "sim/base/check.hpp"

namespace shardsim::kernels {

nccl::Handle::~Handle() {
  if (std::uncaught_exceptions() > 0) {
    ncclCommAbort(handle_);
  } else {
    ncclCommDestroy(handle_);
  }
}

namespace {

using nccl::check;

ncclDataType_t type_of(DType dtype) {
  switch (dtype) {
    case DType::fp32:
    case DType::tf32:
      return ncclFloat32;
    case DType::fp16:
      return ncclFloat16;
    case DType::bf16:
    case DType::fp8:
      return ncclBfloat16;
  }
  return ncclFloat32;
}

ncclRedOp_t operation(Reduction reduction) { return reduction == Reduction::sum ? ncclSum : ncclMax; }

std::size_t count_of(const Matrix& matrix) {
  SHARDSIM_CHECK(matrix.contiguous(), "communicated matrices are contiguous");
  return static_cast<std::size_t>(matrix.elements());
}

/// A stream's work up to now, which the compute stream will wait for.
class StreamRequest final : public Request {
 public:
  StreamRequest(cudaStream_t stream, cudaStream_t compute) : compute_{compute} { finished_.record(stream); }
  StreamRequest(const StreamRequest&) = delete;
  StreamRequest& operator=(const StreamRequest&) = delete;
  ~StreamRequest() override {
    if (std::uncaught_exceptions() == 0) wait();
  }
  void wait() override {
    if (!std::exchange(done_, true)) finished_.hold(compute_);
  }

 private:
  nccl::Event finished_;
  cudaStream_t compute_;
  bool done_ = false;
};

/// Messages from one rank of a ring to its neighbour: two ranks, one direction, one stream.
struct Channel {
  explicit Channel(ncclComm_t communicator) : handle{communicator} { ncclCommUserRank(communicator, &rank); }
  [[nodiscard]] int peer() const { return 1 - rank; }
  nccl::Handle handle;
  nccl::Stream stream;
  int rank = 0;
};

/// The channels of one rank.
struct Ring {
  std::unique_ptr<Channel> to_next;
  std::unique_ptr<Channel> from_next;
  std::unique_ptr<Channel> to_previous;
  std::unique_ptr<Channel> from_previous;
};

class NcclCommunicator final : public Communicator {
 public:
  NcclCommunicator(ncclComm_t handle, cudaStream_t compute, Watchdog& watchdog)
      : handle_{handle}, compute_{compute}, watchdog_{&watchdog} {
    check(ncclCommUserRank(handle, &rank_), "ncclCommUserRank");
    check(ncclCommCount(handle, &size_), "ncclCommCount");
  }

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }

  [[nodiscard]] std::unique_ptr<Communicator> split(int color, int key) override {
    ncclComm_t part = split_handle(color, key);
    return part == nullptr ? nullptr : std::make_unique<NcclCommunicator>(part, compute_, *watchdog_);
  }

  void barrier() override { (void)all_reduce_value(0.0, Reduction::sum); }

  void broadcast(const Matrix& buffer, int root) override {
    check(
        ncclBroadcast(buffer.data, buffer.data, count_of(buffer), type_of(buffer.dtype), root, handle_.get(), compute_),
        "broadcast");
  }
  void all_reduce(const Matrix& buffer, Reduction reduction) override {
    enqueue_all_reduce(buffer, reduction, compute_);
  }
  void all_gather(const Matrix& part, const Matrix& whole) override { enqueue_all_gather(part, whole, compute_); }
  void reduce_scatter(const Matrix& whole, const Matrix& part) override {
    enqueue_reduce_scatter(whole, part, compute_);
  }

  [[nodiscard]] std::unique_ptr<Request> start_all_reduce(const Matrix& buffer, Reduction reduction) override {
    return start(beside_.get(), [&](cudaStream_t stream) { enqueue_all_reduce(buffer, reduction, stream); });
  }
  [[nodiscard]] std::unique_ptr<Request> start_all_gather(const Matrix& part, const Matrix& whole) override {
    return start(beside_.get(), [&](cudaStream_t stream) { enqueue_all_gather(part, whole, stream); });
  }
  [[nodiscard]] std::unique_ptr<Request> start_reduce_scatter(const Matrix& whole, const Matrix& part) override {
    return start(beside_.get(), [&](cudaStream_t stream) { enqueue_reduce_scatter(whole, part, stream); });
  }

  [[nodiscard]] std::unique_ptr<Request> start_send(const Matrix& buffer, int to) override {
    Channel& channel = channel_of(to, ring().to_next, ring().to_previous);
    return start(channel.stream.get(), [&](cudaStream_t stream) {
      check(
          ncclSend(buffer.data, count_of(buffer), type_of(buffer.dtype), channel.peer(), channel.handle.get(), stream),
          "send");
    });
  }
  [[nodiscard]] std::unique_ptr<Request> start_receive(const Matrix& buffer, int from) override {
    Channel& channel = channel_of(from, ring().from_next, ring().from_previous);
    return start(channel.stream.get(), [&](cudaStream_t stream) {
      check(
          ncclRecv(buffer.data, count_of(buffer), type_of(buffer.dtype), channel.peer(), channel.handle.get(), stream),
          "receive");
    });
  }

  [[nodiscard]] double all_reduce_value(double value, Reduction reduction) override {
    check(cudaMemcpyAsync(value_.get(), &value, sizeof value, cudaMemcpyHostToDevice, compute_), "cudaMemcpyAsync");
    check(ncclAllReduce(value_.get(), value_.get(), 1, ncclFloat64, operation(reduction), handle_.get(), compute_),
          "all_reduce_value");
    check(cudaMemcpyAsync(&value, value_.get(), sizeof value, cudaMemcpyDeviceToHost, compute_), "cudaMemcpyAsync");
    finish_compute();
    return value;
  }

 private:
  [[nodiscard]] int next() const { return (rank_ + 1) % size_; }
  [[nodiscard]] int previous() const { return (rank_ + size_ - 1) % size_; }

  /// In a ring of two the other rank is next and previous at once: the one that begins the pair has it as next.
  [[nodiscard]] Channel& channel_of(int peer, const std::unique_ptr<Channel>& with_next,
                                    const std::unique_ptr<Channel>& with_previous) const {
    if (peer == next() && with_next != nullptr) return *with_next;
    SHARDSIM_CHECK(peer == previous() && with_previous != nullptr, "messages go to the neighbours in the group's ring");
    return *with_previous;
  }

  void enqueue_all_reduce(const Matrix& buffer, Reduction reduction, cudaStream_t stream) const {
    check(ncclAllReduce(buffer.data, buffer.data, count_of(buffer), type_of(buffer.dtype), operation(reduction),
                        handle_.get(), stream),
          "all_reduce");
  }
  void enqueue_all_gather(const Matrix& part, const Matrix& whole, cudaStream_t stream) const {
    check_part(part, whole);
    check(ncclAllGather(part.data, whole.data, count_of(part), type_of(part.dtype), handle_.get(), stream),
          "all_gather");
  }
  void enqueue_reduce_scatter(const Matrix& whole, const Matrix& part, cudaStream_t stream) const {
    check_part(part, whole);
    check(ncclReduceScatter(whole.data, part.data, count_of(part), type_of(part.dtype), ncclSum, handle_.get(), stream),
          "reduce_scatter");
  }
  void check_part(const Matrix& part, const Matrix& whole) const {
    SHARDSIM_CHECK(whole.contiguous() && whole.dtype == part.dtype && whole.elements() == part.elements() * size_,
                   "the whole is as large as the parts of all ranks");
  }

  /// Work on `stream` after what the compute stream holds now.
  template <class Work>
  [[nodiscard]] std::unique_ptr<Request> start(cudaStream_t stream, Work&& work) const {
    const nccl::Event before;
    before.record(compute_);
    before.hold(stream);
    work(stream);
    return std::make_unique<StreamRequest>(stream, compute_);
  }

  [[nodiscard]] ncclComm_t split_handle(int color, int key) const {
    const Watchdog::Wait wait{*watchdog_, [this] { return "in split of " + std::to_string(size_) + " GPUs"; }};
    ncclComm_t part = nullptr;
    check(ncclCommSplit(handle_.get(), color < 0 ? NCCL_SPLIT_NOCOLOR : color, key, &part, nullptr), "split");
    return part;
  }

  /// Of the pair that rank `first` begins; null for a rank that is in no pair now. Collective over the group.
  [[nodiscard]] std::unique_ptr<Channel> make_channel(int first, bool takes_part) const {
    const ncclComm_t pair = split_handle(takes_part ? first : -1, rank_ == first ? 0 : 1);
    return pair == nullptr ? nullptr : std::make_unique<Channel>(pair);
  }

  /// Pairs (r, r + 1) of a ring that have no rank in common can be made at once: the even r, the odd r, and the last r
  /// of an odd ring by itself.
  [[nodiscard]] Ring& ring() {
    if (ring_ != nullptr) return *ring_;
    SHARDSIM_CHECK(size_ > 1, "a rank alone has nobody to talk to");
    ring_ = std::make_unique<Ring>();
    const int rounds = size_ == 2 ? 1 : 2 + size_ % 2;
    const auto round_of = [&](int r) { return size_ % 2 == 1 && r == size_ - 1 ? 2 : r % 2; };
    for (int round = 0; round < rounds; ++round) {
      const bool first = round_of(rank_) == round;
      const bool second = round_of(previous()) == round;
      const int color = first ? rank_ : previous();
      auto forward = make_channel(color, first || second);
      auto backward = make_channel(color, first || second);
      if (first) {
        ring_->to_next = std::move(forward);
        ring_->from_next = std::move(backward);
      } else if (second) {
        ring_->from_previous = std::move(forward);
        ring_->to_previous = std::move(backward);
      }
    }
    return *ring_;
  }

  /// Waits on the host, and sees what NCCL reports meanwhile.
  void finish_compute() const {
    const Watchdog::Wait wait{*watchdog_, [this] {
                                return "for rank " + std::to_string(rank_) + " of a group of " + std::to_string(size_) +
                                       " GPUs to finish its work";
                              }};
    cudaError_t status = cudaErrorNotReady;
    while ((status = cudaStreamQuery(compute_)) == cudaErrorNotReady) {
      ncclResult_t error = ncclSuccess;
      check(ncclCommGetAsyncError(handle_.get(), &error), "ncclCommGetAsyncError");
      check(error, "a collective under way");
      std::this_thread::yield();
    }
    check(status, "the GPU's work");
  }

  nccl::Handle handle_;
  cudaStream_t compute_;
  Watchdog* watchdog_;
  int rank_ = 0;
  int size_ = 1;
  nccl::Stream beside_;
  nccl::DeviceValue value_;
  std::unique_ptr<Ring> ring_;
};

std::unique_ptr<Communicator> join(const ncclUniqueId& id, int size, int rank, cudaStream_t compute,
                                   Watchdog& watchdog) {
  const Watchdog::Wait wait{watchdog, [size] { return "for " + std::to_string(size) + " GPUs to meet"; }};
  ncclComm_t handle = nullptr;
  check(ncclCommInitRank(&handle, size, id, rank), "ncclCommInitRank");
  return std::make_unique<NcclCommunicator>(handle, compute, watchdog);
}

}  // namespace

std::unique_ptr<Communicator> make_nccl_communicator(Communicator& host, cudaStream_t compute, Watchdog& watchdog) {
  ncclUniqueId id{};
  if (host.rank() == 0) check(ncclGetUniqueId(&id), "ncclGetUniqueId");
  constexpr std::int64_t kWords = sizeof id / sizeof(float);
  static_assert(kWords * sizeof(float) == sizeof id);
  host.broadcast({&id, DType::fp32, 1, kWords, kWords}, 0);
  return join(id, host.size(), host.rank(), compute, watchdog);
}

std::unique_ptr<Communicator> make_nccl_communicator(const LaunchEnvironment& job, cudaStream_t compute,
                                                     Watchdog& watchdog) {
  // With this variable the id names the address, and rank 0 listens there: no rank needs to tell it to the others.
  if (job.size > 1) setenv("NCCL_COMM_ID", job.address.c_str(), 1);
  ncclUniqueId id{};
  check(ncclGetUniqueId(&id), "ncclGetUniqueId");
  return join(id, job.size, job.rank, compute, watchdog);
}

}  // namespace shardsim::kernels
