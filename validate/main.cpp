// shardsim validate: predictions against measured runs.
#include <exception>
#include <iostream>

#include "sim/base/problems.hpp"
#include "validate/accuracy_files.hpp"
#include "validate/accuracy_record.hpp"
#include "validate/fitted_constants.hpp"
#include "validate/log/log_options.hpp"
#include "validate/log/run.hpp"
#include "validate/options.hpp"
#include "validate/ranking_report.hpp"
#include "validate/report.hpp"
#include "validate/selection.hpp"
#include "validate/write_file.hpp"
#ifdef SHARDSIM_VALIDATES_LOCALLY
#include "validate/local/options.hpp"
#include "validate/local/run.hpp"
#endif

namespace {

using namespace shardsim;
using namespace shardsim::validate;

enum ExitCode : int { kSuccess = 0, kNotDone = 1, kBadInput = 2, kBug = 70 };

void compare(const Options& options) {
  const std::vector<Record> records = select(read_files(options.files), options);
  const std::vector<Result> results = evaluate(records, options.engine);
  if (!options.rows.empty()) write_file(options.rows, rows_csv(results));
  if (options.ranking) {
    const std::vector<RankedGroup> groups = ranked_groups(records, results);
    return options.format == Format::json ? write_json(std::cout, groups) : write_table(std::cout, groups);
  }
  Evaluation evaluation = summarise(results);
  evaluation.fitted_constants = fitted_constants();
  for (const auto& [source, summary] : recorded_accuracy().quality_a.by_source) {
    const auto found = evaluation.by_source.find(source);
    if (found != evaluation.by_source.end()) found->second.transfer = summary.transfer;
  }
  options.format == Format::json ? write_json(std::cout, evaluation) : write_table(std::cout, evaluation);
}

/// False where the accuracy became worse and was not recorded.
bool record(const Options& options) {
  const AccuracyChange change = record_accuracy(options.record, options.accept_worse);
  for (const std::string& line : change.worse) std::cout << "worse than recorded: " << line << '\n';
  if (!change.written) {
    std::cout << "nothing is written; --accept-worse records it all the same\n";
    return false;
  }
  for (const std::string& file : change.files) std::cout << "written: " << file << '\n';
  return true;
}

int run(const std::vector<std::string>& arguments) {
  if (log::asks_for_log(arguments)) {
    log::run(arguments, std::cout);
    return kSuccess;
  }
#ifdef SHARDSIM_VALIDATES_LOCALLY
  if (local::asks_for_local(arguments)) return local::run(arguments);
#endif
  const Options options = parse_options(arguments);
  if (options.help) {
    std::cout << help_text();
  } else if (options.record.empty()) {
    compare(options);
  } else if (!record(options)) {
    return kNotDone;
  }
  return kSuccess;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const int code = run({argv + 1, argv + argc});
    if (std::cout.flush().good()) return code;
    std::cerr << "shardsim validate: the result could not be written to standard output\n";
    return kNotDone;
  } catch (const InputError& error) {
    for (const Problem& problem : error.problems()) std::cerr << "error: " << to_string(problem) << '\n';
    return kBadInput;
  } catch (const std::exception& error) {
    std::cerr << "shardsim validate: internal error, please report it: " << error.what() << '\n';
    return kBug;
  }
}
