#include "validate/local/measured.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>

#include "sim/base/problems.hpp"
#include "validate/local/record.hpp"
#include "validate/statistics.hpp"

namespace shardsim::validate::local {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kFirstTimed = 2;

/// The number that follows `label`, from `from` on; `from` moves behind it, or to npos.
double number_after(const std::string& text, std::string_view label, std::size_t& from) {
  from = text.find(label, from);
  if (from == std::string::npos) return 0.0;
  from += label.size();
  return std::strtod(text.c_str() + from, nullptr);
}

void require_mpirun() {
  const char* path = std::getenv("PATH");
  std::istringstream folders{path == nullptr ? "" : path};
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (access((folder + "/mpirun").c_str(), X_OK) == 0) return;
  }
  throw InputError({Problem{{"mpirun", 0, ""}, "", "", "is not found: install openmpi-bin, which starts the runs"}});
}

}  // namespace

std::string sibling_program(const std::string& name) {
  const fs::path program = fs::read_symlink("/proc/self/exe").parent_path() / ("shardsim-" + name);
  if (access(program.c_str(), X_OK) == 0) return program;
  throw InputError({Problem{{program, 0, ""}, "", "", "is not built; `./run " + name + " --help` builds it"}});
}

std::vector<double> step_seconds(const std::string& log) {
  std::vector<double> seconds;
  for (std::size_t from = 0;;) {
    const double milliseconds = number_after(log, "elapsed time per iteration (ms):", from);
    if (from == std::string::npos) return seconds;
    seconds.push_back(milliseconds / 1e3);
  }
}

double peak_allocated(const std::string& log) {
  constexpr double kMiB = 1024.0 * 1024.0;
  std::size_t from = 0;
  return kMiB * number_after(log, "peak allocated:", from);
}

Trainer::Trainer() : program_{sibling_program("train")} {
  require_mpirun();
  std::string pattern = fs::temp_directory_path() / "shardsim-validate-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) {
    throw InputError({Problem{{pattern, 0, ""}, "", "", "cannot be made: records of the runs need a folder"}});
  }
  folder_ = pattern;
}

Trainer::~Trainer() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

std::vector<std::string> Trainer::command(const Job& job, std::int64_t iterations) const {
  std::vector<std::string> words{program_,
                                 "-n",
                                 std::to_string(job.ranks),
                                 "--pin",
                                 "--train-iters",
                                 std::to_string(iterations),
                                 "--record",
                                 folder_ + "/record"};
  for (const input::Setting& setting : job.settings.all()) {
    words.emplace_back("--set");
    words.push_back(setting.key + '=' + setting.value);
  }
  return words;
}

RunOutcome Trainer::run(const Job& job, std::int64_t timed, Seconds limit) const {
  const Finished finished = run_program(command(job, timed + 1), limit);
  RunOutcome outcome;
  outcome.interrupted = finished.how == Finished::How::interrupted;
  if (!finished.succeeded()) {
    outcome.failure = describe_failure(finished);
    return outcome;
  }
  Run& run = outcome.run;
  run.steps = step_seconds(finished.out);
  run.allocated = peak_allocated(finished.out);
  run.others = finished.others;
  run.resident = finished.peak_resident.as_double();
  if (run.steps.size() != static_cast<std::size_t>(timed + 1) || run.allocated == 0.0) {
    outcome.failure = "its log does not have the expected lines";
    return outcome;
  }
  run.steps.erase(run.steps.begin());
  try {
    run.operators = longest_rank(read_record(folder_ + "/record"), kFirstTimed);
  } catch (const InputError& error) {
    outcome.failure = error.what();
    return outcome;
  }
  run.operators.by_class[index_of(Class::rest)] = quantile(run.steps, kUndisturbed) - run.operators.total();
  return outcome;
}

}  // namespace shardsim::validate::local
