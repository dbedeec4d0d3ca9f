#include "validate/local/run.hpp"

#include <sched.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>

#include "sim/base/problems.hpp"
#include "validate/local/machine_load.hpp"
#include "validate/local/options.hpp"
#include "validate/local/profiles.hpp"
#include "validate/local/readme.hpp"
#include "validate/local/report.hpp"
#include "validate/local/rounds.hpp"
#include "validate/write_file.hpp"

namespace shardsim::validate::local {
namespace {

enum ExitCode : int { kSuccess = 0, kSomeFailed = 1, kNothingDone = 2, kInterrupted = 130 };

std::int64_t usable_cores() {
  cpu_set_t usable;
  return sched_getaffinity(0, sizeof usable, &usable) == 0 ? CPU_COUNT(&usable) : 1;
}

void predict_all(Comparison& comparison, const input::Settings& profile, Engine engine) {
  for (Row& row : comparison.rows) row.predicted = predict(scenario_of(row.job, profile), engine);
}

/// False where it was interrupted.
bool run_all(Comparison& comparison, Profiles& profiles, const LocalOptions& options, std::int64_t cores) {
  Rounds rounds{comparison, options.repeats, cores};
  for (std::int64_t round = 0; round < options.repeats; ++round) {
    if (round == 0 || profiles.calibrates()) {
      const auto profile = profiles.next();
      if (!profile) return false;
      predict_all(comparison, *profile, options.engine);
    }
    if (!rounds.run()) return false;
  }
  return true;
}

/// Minutes of runs must not end at a file that cannot be written.
void require_writable_folders(const LocalOptions& options) {
  Problems problems;
  for (const std::string& file : {options.csv, options.operators, options.figure}) {
    if (file.empty()) continue;
    const auto folder = std::filesystem::absolute(file).parent_path();
    if (access(folder.c_str(), W_OK) != 0) {
      problems.add({{file, 0, ""}, "", "", "cannot be written: its folder is missing or closed"});
    }
  }
  const std::string readme = options.record + "/" + kReadmeFile;
  if (!options.record.empty() && access(readme.c_str(), W_OK) != 0) {
    problems.add({{readme, 0, ""}, "", "", "cannot be written; --record takes the folder of the repository"});
  }
  problems.throw_if_any();
}

void write_results(const LocalOptions& options, const Comparison& comparison) {
  if (!options.csv.empty()) write_file(options.csv, rows_csv(comparison.rows));
  if (!options.operators.empty()) write_file(options.operators, operators_csv(comparison.rows));
  if (!options.figure.empty()) write_file(options.figure, figure(comparison.rows));
  if (options.record.empty()) return;
  for (const std::string& file : record(options.record, comparison)) std::cerr << "written: " << file << '\n';
}

}  // namespace

int run(const std::vector<std::string>& arguments) {
  const LocalOptions options = parse_local_options(arguments);
  if (options.help) {
    std::cout << local_help_text();
    return kSuccess;
  }
  require_writable_folders(options);
  const InterruptNoted interrupts;
  const std::int64_t cores = usable_cores();
  Profiles profiles{options};
  Comparison comparison;
  comparison.profile = profiles.description();
  comparison.machine = std::to_string(cores) + " cores of " + processor_name();
  for (Job& job : jobs(options.extent, cores)) comparison.rows.push_back({std::move(job), {}, {}, ""});
  const bool whole = run_all(comparison, profiles, options, cores);
  if (options.format == Format::json) {
    std::cout << to_json(comparison).dump(2) << '\n';
  } else {
    write_table(std::cout, comparison);
  }
  if (!whole) return kInterrupted;
  const LocalSummary summary = summarise(comparison.rows);
  if (summary.scored == 0) return kNothingDone;
  write_results(options, comparison);
  return summary.scored == summary.rows ? kSuccess : kSomeFailed;
}

}  // namespace shardsim::validate::local
