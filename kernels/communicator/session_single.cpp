// Built without MPI: one process.
#include <cstdlib>
#include <string>

#include "kernels/communicator/failure.hpp"
#include "kernels/communicator/session.hpp"
#include "kernels/communicator/single_communicator.hpp"
#include "sim/base/problems.hpp"

namespace shardsim::kernels {
namespace {

class SingleSession final : public Session {
 public:
  [[nodiscard]] int rank() const override { return 0; }
  [[nodiscard]] int size() const override { return 1; }
  [[nodiscard]] std::unique_ptr<Communicator> world() override { return make_single_communicator(); }
  [[nodiscard]] Watchdog& watchdog() override { return watchdog_; }

 private:
  // There is nobody to wait for.
  Watchdog watchdog_{Seconds{0.0}, [](const std::string&) {}};
};

/// What Open MPI, MPICH and Slurm tell a process that is one of many.
void refuse_company() {
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    const char* value = std::getenv(variable);
    if (value == nullptr || std::string(value) == "1") continue;
    throw InputError({Problem{
        {"environment", 0, ""}, variable, value, "this program was built without MPI and runs as one process only"}});
  }
}

}  // namespace

std::string communication_library() { return "one process without MPI"; }

int run_session(const std::function<int(Session&)>& body) {
  try {
    refuse_company();
    SingleSession session;
    return body(session);
  } catch (...) {
    const Failure failure = current_failure();
    print_failure(failure, 0, 1);
    return failure.exit_code;
  }
}

}  // namespace shardsim::kernels
