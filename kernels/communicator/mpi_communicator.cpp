#include "kernels/communicator/mpi_communicator.hpp"

#include <array>
#include <cstddef>
#include <cstring>
#include <exception>
#include <functional>
#include <limits>
#include <string>
#include <utility>

#include "kernels/communicator/mpi_reduction.hpp"
#include "sim/base/check.hpp"

namespace shardsim::kernels {
namespace {

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

/// What all communicators of a job have in common.
struct Shared {
  MpiReductions reductions;
};

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

void check(int code, const char* what, int rank) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw CommunicatorError("rank " + std::to_string(rank) + ": " + what + ": " + text.data());
}

class MpiRequest final : public Request {
 public:
  MpiRequest(MPI_Request request, const char* what, int rank, std::function<void()> finish = {})
      : request_{request}, what_{what}, rank_{rank}, finish_{std::move(finish)} {}
  MpiRequest(const MpiRequest&) = delete;
  MpiRequest& operator=(const MpiRequest&) = delete;
  /// Waits, unless an exception is on its way: then the job ends, and peers may never answer.
  ~MpiRequest() override {
    if (std::uncaught_exceptions() == 0) wait();
  }
  void wait() override {
    if (done_) return;
    done_ = true;
    check(MPI_Wait(&request_, MPI_STATUS_IGNORE), what_, rank_);
    if (finish_) finish_();
  }

 private:
  MPI_Request request_;
  const char* what_;
  int rank_;
  bool done_ = false;
  std::function<void()> finish_;
};

class MpiCommunicator final : public Communicator {
 public:
  MpiCommunicator(MPI_Comm handle, std::shared_ptr<const Shared> shared) : handle_{handle}, shared_{std::move(shared)} {
    MPI_Comm_rank(handle, &rank_);
    MPI_Comm_size(handle, &size_);
  }

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }

  [[nodiscard]] std::unique_ptr<Communicator> split(int color, int key) override {
    MPI_Comm part = MPI_COMM_NULL;
    check(MPI_Comm_split(handle_.get(), color < 0 ? MPI_UNDEFINED : color, key, &part), "split");
    return part == MPI_COMM_NULL ? nullptr : std::make_unique<MpiCommunicator>(part, shared_);
  }

  void barrier() override { check(MPI_Barrier(handle_.get()), "barrier"); }

  void broadcast(const Matrix& buffer, int root) override {
    check(MPI_Bcast(buffer.data, count_of(buffer), mpi_type(buffer.dtype), root, handle_.get()), "broadcast");
  }

  void all_reduce(const Matrix& buffer, Reduction reduction) override {
    check(MPI_Allreduce(MPI_IN_PLACE, buffer.data, count_of(buffer), mpi_type(buffer.dtype),
                        operation(buffer, reduction), handle_.get()),
          "all_reduce");
  }

  void all_gather(const Matrix& part, const Matrix& whole) override {
    const int count = count_of_part(part, whole);
    const MPI_Datatype type = mpi_type(part.dtype);
    check(MPI_Allgather(gathered_from(part, whole), count, type, whole.data, count, type, handle_.get()), "all_gather");
  }

  void reduce_scatter(const Matrix& whole, const Matrix& part) override {
    const int count = count_of_part(part, whole);
    const Destination to{part, whole};
    check(MPI_Reduce_scatter_block(whole.data, to.data(), count, mpi_type(part.dtype), operation(part, Reduction::sum),
                                   handle_.get()),
          "reduce_scatter");
    to.finish();
  }

  [[nodiscard]] std::unique_ptr<Request> start_all_reduce(const Matrix& buffer, Reduction reduction) override {
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Iallreduce(MPI_IN_PLACE, buffer.data, count_of(buffer), mpi_type(buffer.dtype),
                         operation(buffer, reduction), handle_.get(), &request),
          "all_reduce");
    return started(request, "all_reduce");
  }

  [[nodiscard]] std::unique_ptr<Request> start_all_gather(const Matrix& part, const Matrix& whole) override {
    const int count = count_of_part(part, whole);
    const MPI_Datatype type = mpi_type(part.dtype);
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Iallgather(gathered_from(part, whole), count, type, whole.data, count, type, handle_.get(), &request),
          "all_gather");
    return started(request, "all_gather");
  }

  [[nodiscard]] std::unique_ptr<Request> start_reduce_scatter(const Matrix& whole, const Matrix& part) override {
    const int count = count_of_part(part, whole);
    const auto to = std::make_shared<const Destination>(part, whole);
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Ireduce_scatter_block(whole.data, to->data(), count, mpi_type(part.dtype),
                                    operation(part, Reduction::sum), handle_.get(), &request),
          "reduce_scatter");
    return started(request, "reduce_scatter", [to] { to->finish(); });
  }

  [[nodiscard]] std::unique_ptr<Request> start_send(const Matrix& buffer, int to) override {
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Isend(buffer.data, count_of(buffer), mpi_type(buffer.dtype), to, 0, handle_.get(), &request), "send");
    return started(request, "send");
  }

  [[nodiscard]] std::unique_ptr<Request> start_receive(const Matrix& buffer, int from) override {
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Irecv(buffer.data, count_of(buffer), mpi_type(buffer.dtype), from, 0, handle_.get(), &request),
          "receive");
    return started(request, "receive");
  }

  [[nodiscard]] double all_reduce_value(double value, Reduction reduction) override {
    const MPI_Op op = reduction == Reduction::sum ? MPI_SUM : MPI_MAX;
    check(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, op, handle_.get()), "all_reduce_value");
    return value;
  }

 private:
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

  void check(int code, const char* what) const { kernels::check(code, what, rank_); }

  [[nodiscard]] MPI_Op operation(const Matrix& buffer, Reduction reduction) const {
    return shared_->reductions.operation(buffer.dtype, reduction);
  }

  [[nodiscard]] int count_of_part(const Matrix& part, const Matrix& whole) const {
    SHARDSIM_CHECK(whole.contiguous() && whole.dtype == part.dtype && whole.elements() == part.elements() * size_,
                   "the whole is as large as the parts of all ranks");
    return count_of(part);
  }

  [[nodiscard]] const void* gathered_from(const Matrix& part, const Matrix& whole) const {
    if (!overlaps(part, whole)) return part.data;
    SHARDSIM_CHECK(part.as<std::byte>() == whole.as<std::byte>() + rank_ * part.bytes().value(),
                   "a part inside the whole lies at its own place");
    return MPI_IN_PLACE;
  }

  [[nodiscard]] std::unique_ptr<Request> started(MPI_Request request, const char* what,
                                                 std::function<void()> finish = {}) const {
    return std::make_unique<MpiRequest>(request, what, rank_, std::move(finish));
  }

  Handle handle_;
  std::shared_ptr<const Shared> shared_;
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace

std::unique_ptr<Communicator> make_mpi_communicator(MPI_Comm handle) {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(handle, &copy);
  return std::make_unique<MpiCommunicator>(copy, std::make_shared<const Shared>());
}

}  // namespace shardsim::kernels
