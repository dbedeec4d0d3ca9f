#include "validate/selection.hpp"

#include <algorithm>
#include <iterator>

#include "sim/input/text_file.hpp"

namespace shardsim::validate {
namespace {

bool chosen(const Record& record, const Options& options) {
  const bool quality =
      options.quality.empty() || record.quality.empty() || options.quality.find(record.quality) != std::string::npos;
  return quality && (!options.source || std::regex_search(record.source, *options.source));
}

}  // namespace

std::vector<Record> read_files(const std::vector<std::string>& files) {
  Problems problems;
  std::vector<Record> all;
  for (const std::string& file : files) {
    const std::string text = input::read_text_file(file, problems);
    if (text.empty()) continue;
    std::vector<Record> records = read_records(text, file == "-" ? "standard input" : file, problems);
    std::move(records.begin(), records.end(), std::back_inserter(all));
  }
  problems.throw_if_any();
  return all;
}

std::vector<Record> select(std::vector<Record> records, const Options& options) {
  std::vector<Record> kept;
  for (Record& record : records) {
    if (!chosen(record, options)) continue;
    if (options.include_suspect) record.suspect.clear();
    for (const input::Setting& setting : options.overrides) record.settings.set(setting);
    kept.push_back(std::move(record));
  }
  return kept;
}

}  // namespace shardsim::validate
