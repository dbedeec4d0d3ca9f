// Built with MPI: one of the ranks that mpirun or srun started, or the only one.
#include <mpi.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "kernels/communicator/failure.hpp"
#include "kernels/communicator/mpi_communicator.hpp"
#include "kernels/communicator/session.hpp"

namespace shardsim::kernels {
namespace {

/// MPI from initialisation to the regular end; an exception leaves it to MPI_Abort.
class MpiSession final : public Session {
 public:
  MpiSession() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }
  [[nodiscard]] std::unique_ptr<Communicator> world() override {
    return make_mpi_communicator(MPI_COMM_WORLD, watchdog_);
  }
  [[nodiscard]] Watchdog& watchdog() override { return watchdog_; }

  void finish() {
    const Watchdog::Wait wait{watchdog_, [] { return std::string("for the other ranks to end"); }};
    MPI_Finalize();
  }

  /// Ends all ranks. A mistake in the input is usually seen by every rank at once: the first one gets the time to tell
  /// it alone.
  [[noreturn]] void fail(const Failure& failure) const {
    if (rank_ > 0) std::this_thread::sleep_for(std::chrono::milliseconds(300));
    print_failure(failure, rank_, size_);
    // Nobody else is to be ended, which MPI would tell of in seven lines.
    if (size_ == 1) MPI_Finalize();
    if (size_ > 1) MPI_Abort(MPI_COMM_WORLD, failure.exit_code);
    std::_Exit(failure.exit_code);
  }

 private:
  /// The watched thread may be inside MPI, which only it may call: this one leaves without a word to MPI, and the
  /// launcher ends the rest of the job.
  [[noreturn]] void expire(const std::string& what) const {
    print_failure({what + ": a rank died, hangs, or waits for something else", kFailureExitCode}, rank_, size_);
    std::_Exit(kFailureExitCode);
  }

  int rank_ = 0;
  int size_ = 1;
  Watchdog watchdog_{kDefaultTimeout, [this](const std::string& what) { expire(what); }};
};

}  // namespace

std::string communication_library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  const std::string whole(text.data(), static_cast<std::size_t>(length));
  return whole.substr(0, whole.find_first_of(",\n"));
}

int run_session(const std::function<int(Session&)>& body) {
  MpiSession session;
  try {
    const int exit_code = body(session);
    session.finish();
    return exit_code;
  } catch (...) {
    session.fail(current_failure());
  }
}

}  // namespace shardsim::kernels
