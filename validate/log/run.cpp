#include "validate/log/run.hpp"

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <sstream>

#include "sim/input/text_file.hpp"
#include "validate/log/log_options.hpp"
#include "validate/log/log_report.hpp"
#include "validate/log/profile.hpp"
#include "validate/write_file.hpp"

namespace shardsim::validate::log {
namespace {

namespace fs = std::filesystem;

bool is_log_name(const fs::path& path) {
  const std::string extension = path.extension();
  return extension == ".log" || extension == ".out" || extension == ".txt";
}

/// Folders become their logs, in the order of their names.
std::vector<std::string> files_of(const std::vector<std::string>& logs, Problems& problems) {
  std::vector<std::string> files;
  for (const std::string& log : logs) {
    std::error_code error;
    if (!fs::is_directory(log, error)) {
      files.push_back(log);
      continue;
    }
    std::vector<std::string> inside;
    for (fs::directory_iterator entry{log, error}; !error && entry != fs::directory_iterator{};
         entry.increment(error)) {
      if (entry->is_regular_file() && is_log_name(entry->path())) inside.push_back(entry->path());
    }
    if (inside.empty()) problems.add({{log, 0, ""}, "", "", "the folder holds no *.log, *.out or *.txt"});
    std::sort(inside.begin(), inside.end());
    files.insert(files.end(), inside.begin(), inside.end());
  }
  return files;
}

/// A launch script or scenario beside the log and of its name stands for what was not given.
cli::ScenarioOptions options_for(const std::string& file, cli::ScenarioOptions options) {
  if (file == "-" || !options.megatron.empty() || !options.scenario.empty()) return options;
  std::error_code error;
  const auto beside = [&](const char* extension) {
    const fs::path path = fs::path{file}.replace_extension(extension);
    return path != file && fs::is_regular_file(path, error) ? path.string() : "";
  };
  options.megatron = beside(".sh");
  options.scenario = beside(".toml");
  return options;
}

LogReport report_of(const std::string& text, const std::string& file, const cli::ScenarioOptions& options) {
  const std::string name = file == "-" ? "standard input" : file;
  LogReport report{compare(read_training_log(text, name), options_for(file, options)), {}, {}};
  const Comparison& comparison = report.comparison;
  if (comparison.time) report.suspicion = suspicion(comparison.scenario, Seconds{comparison.time->measured});
  if (!comparison.log.out_of_memory.empty()) report.out_of_memory = explain(comparison);
  return report;
}

std::vector<LogReport> reports_of(const LogOptions& options) {
  Problems problems;
  std::vector<LogReport> reports;
  for (const std::string& file : files_of(options.logs, problems)) {
    const std::string text = input::read_text_file(file, problems);
    if (text.empty()) continue;
    try {
      reports.push_back(report_of(text, file, options.scenario));
    } catch (const InputError& error) {
      for (const Problem& problem : error.problems()) problems.add(problem);
    }
  }
  problems.throw_if_any();
  return reports;
}

FitRun fit_run(const Comparison& comparison) {
  FitRun run{comparison.log.file, comparison.scenario, {}, {}, {}};
  if (comparison.time) run.iteration = Seconds{comparison.time->measured};
  for (const MemoryPair& pair : comparison.memory) {
    (pair.kind == "allocated" ? run.allocated : run.reserved) = rounded_bytes(pair.bytes.measured);
  }
  return run;
}

/// One profile is of one cluster, device and stack.
void refuse_mixtures(const std::vector<LogReport>& reports) {
  const auto parts = [](const LogReport& report) {
    const model::Scenario& scenario = report.comparison.scenario;
    return scenario.cluster.name + ", " + scenario.cluster.device.name + ", " + scenario.stack.name;
  };
  Problems problems;
  for (const LogReport& report : reports) {
    if (parts(report) == parts(reports.front())) continue;
    problems.add({{report.comparison.log.file, 0, ""},
                  "",
                  "",
                  "is of " + parts(report) + ", the first log of " + parts(reports.front()) +
                      "; --fit takes runs of one cluster, device and stack"});
  }
  problems.throw_if_any();
}

FitReport fit_reports(const std::vector<LogReport>& reports, const std::string& file) {
  refuse_mixtures(reports);
  std::vector<FitRun> runs;
  for (const LogReport& report : reports) runs.push_back(fit_run(report.comparison));
  const bool measured =
      std::any_of(runs.begin(), runs.end(), [](const FitRun& run) { return run.iteration || run.allocated; });
  if (!measured) throw InputError({Problem{{}, "", "", "--fit: no log holds a time per iteration or a memory line"}});
  FitReport report{fit(runs), file};
  write_file(file, profile_toml(runs.front().scenario, report.fit));
  return report;
}

}  // namespace

void run(const std::vector<std::string>& arguments, std::ostream& out) {
  const LogOptions options = parse_log_options(arguments);
  if (options.help) {
    out << log_help();
    return;
  }
  const std::vector<LogReport> reports = reports_of(options);
  std::optional<FitReport> fitted;
  if (!options.fit.empty()) fitted = fit_reports(reports, options.fit);
  std::ostringstream text;
  if (options.json) {
    write_json(text, reports, fitted);
  } else {
    for (const LogReport& report : reports) {
      if (&report != &reports.front()) text << '\n';
      write_table(text, report);
    }
    if (fitted) write_table(text << '\n', *fitted);
  }
  out << text.str();
}

}  // namespace shardsim::validate::log
