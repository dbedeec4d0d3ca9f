#include "kernels/trainer/launch.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <thread>

#include "sim/base/problems.hpp"

namespace shardsim::kernels {
namespace {

constexpr long kMostRanks = 100'000;
/// Per rank, and of one message in it.
constexpr std::uintmax_t kSharedMemory = std::uintmax_t{64} << 20;
constexpr std::uintmax_t kLargestEagerMessage = std::uintmax_t{4} << 20;

long ranks_of(const cli::Arguments& words) {
  char* end = nullptr;
  const long ranks = words.size() > 1 ? std::strtol(words[1].c_str(), &end, 10) : 0;
  if (ranks >= 1 && ranks <= kMostRanks && *end == '\0') return ranks;
  cli::usage_error("train", "-n expects the number of ranks, as in `shardsim train -n 2 --model gpt2-tiny`");
}

/// Open MPI reads these; other implementations do not look at them. What the user has set stays.
void prepare_open_mpi(long ranks) {
  const auto set = [](const char* name, const char* value) { setenv(name, value, 0); };
  if (geteuid() == 0) {
    set("OMPI_ALLOW_RUN_AS_ROOT", "1");
    set("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
  }
  // A rank that waits gives its core to whoever works: other ranks, or the owner of the laptop.
  set("OMPI_MCA_mpi_yield_when_idle", "1");
  // Containers forbid one process to read another's memory.
  set("OMPI_MCA_btl_vader_single_copy_mechanism", "none");
  // A send between pipeline stages is handed over at once, where shared memory holds it: a larger message than the
  // limit waits until the sender is next inside MPI, and the stages would run one after the other.
  std::error_code error;
  const auto room = std::filesystem::space("/dev/shm", error).available;
  if (error || room / static_cast<std::uintmax_t>(2 * ranks) < kSharedMemory) return;
  set("OMPI_MCA_btl_vader_eager_limit", std::to_string(kLargestEagerMessage).c_str());
  set("OMPI_MCA_btl_vader_segment_size", std::to_string(kSharedMemory).c_str());
}

/// As the command line asks for; of several the last, as everywhere.
std::string backend_of(const cli::Arguments& words) {
  const std::string name = "--backend";
  std::string backend = "auto";
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == name && i + 1 < words.size()) backend = words[i + 1];
    if (words[i].rfind(name + "=", 0) == 0) backend = words[i].substr(name.size() + 1);
  }
  return backend;
}

/// On Linux, or on Windows' Linux.
bool has_gpu_driver() { return access("/dev/nvidiactl", F_OK) == 0 || access("/dev/dxg", F_OK) == 0; }

std::filesystem::path own_path() { return std::filesystem::read_symlink("/proc/self/exe"); }

}  // namespace

void become_gpu_program(const cli::Arguments& words) {
  const std::string backend = backend_of(words);
  if (backend != "gpu" && !(backend == "auto" && has_gpu_driver())) return;
  std::string program = own_path().string() + "-gpu";
  cli::Arguments command = words;
  std::vector<char*> argv{program.data()};
  for (std::string& word : command) argv.push_back(word.data());
  argv.push_back(nullptr);
  execv(program.c_str(), argv.data());
}

bool asks_for_ranks(const cli::Arguments& words) { return !words.empty() && words.front() == "-n"; }

bool under_launcher() {
  const char* slurm_step = std::getenv("SLURM_STEP_ID");
  return std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr || std::getenv("PMI_SIZE") != nullptr ||
         (slurm_step != nullptr && std::getenv("SLURM_PROCID") != nullptr);
}

void become_ranks(long ranks, const cli::Arguments& words) {
  const bool crowded = ranks > static_cast<long>(std::max(1U, std::thread::hardware_concurrency()));
  prepare_open_mpi(ranks);
  cli::Arguments command{"mpirun", "-n", std::to_string(ranks), "--bind-to", "none"};
  if (crowded) command.emplace_back("--oversubscribe");
  command.push_back(own_path());
  command.insert(command.end(), words.begin(), words.end());
  std::vector<char*> argv;
  for (std::string& word : command) argv.push_back(word.data());
  argv.push_back(nullptr);
  execvp("mpirun", argv.data());
  throw InputError({Problem{{"mpirun", 0, ""},
                            "",
                            "",
                            "cannot be started (" + std::generic_category().message(errno) +
                                "): install openmpi-bin, or start the ranks with your own launcher"}});
}

void become_launcher(const cli::Arguments& words) { become_ranks(ranks_of(words), {words.begin() + 2, words.end()}); }

}  // namespace shardsim::kernels
