#include "kernels/communicator/launch_environment.hpp"

#include <charconv>
#include <string_view>

#include "sim/base/problems.hpp"

namespace shardsim::kernels {
namespace {

constexpr int kSlurmPort = 29500;  // torchrun's default, for jobs that set none

[[noreturn]] void refuse(const std::string& name, const std::string& value, const std::string& message) {
  throw InputError({Problem{{"environment", 0, ""}, name, value, message}});
}

int number(const ReadVariable& read, const char* name, int smallest) {
  const char* value = read(name);
  if (value == nullptr) refuse(name, "", "is not set, though the launcher's other variables are");
  const std::string_view text{value};
  int result = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), result);
  if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size() || result < smallest) {
    refuse(name, value, "is not a number from " + std::to_string(smallest) + " up");
  }
  return result;
}

std::string address(const ReadVariable& read, const char* fallback) {
  const char* host = read("MASTER_ADDR");
  if (host == nullptr && fallback != nullptr) host = read(fallback);
  if (host == nullptr) refuse("MASTER_ADDR", "", "is not set: the host of rank 0 is unknown");
  const int port = read("MASTER_PORT") == nullptr ? kSlurmPort : number(read, "MASTER_PORT", 1);
  return std::string(host) + ":" + std::to_string(port + 1);
}

}  // namespace

LaunchEnvironment launch_environment(const ReadVariable& read) {
  LaunchEnvironment job;
  const char* host = nullptr;
  if (read("WORLD_SIZE") != nullptr) {
    job.size = number(read, "WORLD_SIZE", 1);
    job.rank = number(read, "RANK", 0);
    job.local_rank = number(read, "LOCAL_RANK", 0);
  } else if (read("SLURM_PROCID") != nullptr) {
    job.size = number(read, "SLURM_NTASKS", 1);
    job.rank = number(read, "SLURM_PROCID", 0);
    job.local_rank = number(read, "SLURM_LOCALID", 0);
    host = "SLURM_LAUNCH_NODE_IPADDR";
  }
  if (job.rank >= job.size) {
    refuse("rank", std::to_string(job.rank), "is not below the number of ranks, " + std::to_string(job.size));
  }
  if (job.size > 1) job.address = address(read, host);
  return job;
}

}  // namespace shardsim::kernels
