#include "validate/accuracy_files.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "sim/base/problems.hpp"
#include "sim/input/text_file.hpp"
#include "validate/accuracy_figure.hpp"
#include "validate/accuracy_record.hpp"
#include "validate/accuracy_table.hpp"
#include "validate/selection.hpp"
#include "validate/transfer.hpp"
#include "validate/write_file.hpp"

namespace shardsim::validate {
namespace {

namespace fs = std::filesystem;

constexpr double kVisible = 0.0005;

std::vector<std::string> published_files(const std::string& folder) {
  const fs::path published = fs::path{folder} / "validate" / "published";
  std::error_code error;
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator{published, error}) {
    const fs::path extension = entry.path().extension();
    if (extension == ".jsonl" || extension == ".csv") files.push_back(entry.path().string());
  }
  if (files.empty()) {
    throw InputError({Problem{{published.string(), 0, ""},
                              "",
                              "",
                              "holds no measured runs; --record takes the "
                              "folder of the repository"}});
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string read(const fs::path& path) {
  Problems problems;
  std::string text = input::read_text_file(path.string(), problems);
  problems.throw_if_any();
  return text;
}

/// Runs that ended in a usable time and are scored with the others.
std::vector<FigureSource> figure_sources(const std::vector<Result>& results) {
  std::vector<FigureSource> sources;
  for (const Result& result : results) {
    const bool shown = result.skipped.empty() && result.suspect.empty() && result.time &&
                       (result.quality.empty() || result.quality == "A");
    if (!shown) continue;
    const auto same = [&](const FigureSource& source) { return source.name == result.source; };
    auto source = std::find_if(sources.begin(), sources.end(), same);
    if (source == sources.end()) source = sources.insert(sources.end(), {result.source, {}});
    source->points.push_back({result.time->measured, result.time->predicted});
  }
  return sources;
}

}  // namespace

std::vector<Result> evaluate_published(const std::string& folder) {
  return evaluate(read_files(published_files(folder)));
}

AccuracyChange record_accuracy(const std::string& folder, bool accept_worse) {
  const std::vector<Record> records = read_files(published_files(folder));
  const std::vector<Result> results = evaluate(records);
  AccuracyRecord accuracy = accuracy_of(results);
  for (auto& [source, transfer] : leave_one_source_out(records)) {
    accuracy.quality_a.by_source[source].transfer = std::move(transfer);
  }
  const std::string record_text = to_text(accuracy);
  // What is shown elsewhere is what the file says, rounded as there.
  const AccuracyRecord record = read_accuracy_record(record_text, kRecordFile);
  const fs::path record_file = fs::path{folder} / kRecordFile;
  const fs::path figure_file = fs::path{folder} / kFigureFile;
  const fs::path readme_file = fs::path{folder} / kReadmeFile;
  const std::string readme = with_accuracy_table(read(readme_file), readme_file.string(), record);

  AccuracyChange change;
  if (fs::exists(record_file)) {
    change.worse = worse_than_recorded(read_accuracy_record(read(record_file), record_file.string()), record, kVisible);
  }
  if (!change.worse.empty() && !accept_worse) return change;
  write_file(record_file.string(), record_text);
  write_file(figure_file.string(), accuracy_figure(figure_sources(results)));
  write_file(readme_file.string(), readme);
  change.files = {record_file.string(), figure_file.string(), readme_file.string()};
  change.written = true;
  return change;
}

}  // namespace shardsim::validate
