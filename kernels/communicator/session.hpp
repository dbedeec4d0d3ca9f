// The life of one rank: joins the ranks that the launcher started, and ends all of them when one fails.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "kernels/communicator/communicator.hpp"
#include "kernels/communicator/watchdog.hpp"

namespace shardsim::kernels {

class Session {
 public:
  virtual ~Session() = default;
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  /// All ranks, on host memory; may be asked for several times, by all ranks at once. Must not outlive the session.
  [[nodiscard]] virtual std::unique_ptr<Communicator> world() = 0;
  /// Ends the job when this rank waits longer than its timeout (kDefaultTimeout) for others.
  [[nodiscard]] virtual Watchdog& watchdog() = 0;

  /// world() with every collective checked across its group first (--check-collectives).
  [[nodiscard]] std::unique_ptr<Communicator> checked_world();
};

inline constexpr Seconds kDefaultTimeout{60.0};

/// Name and version of what carries messages, one line.
[[nodiscard]] std::string communication_library();

/// Runs `body` as one rank of the job and returns its exit code: under mpirun or srun one of many, started directly the
/// only one. An exception is printed to standard error with the rank and ends the whole job: exit code 2 for
/// InputError, 70 for anything else. Built without MPI, it refuses to be one of many (exit code 2).
[[nodiscard]] int run_session(const std::function<int(Session&)>& body);

}  // namespace shardsim::kernels
