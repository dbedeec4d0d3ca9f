#include <sstream>

#include "validate/readers.hpp"

namespace shardsim::validate {
namespace {

/// Of one file: more of them say nothing new.
constexpr std::size_t kManyProblems = 20;

bool is_csv_of_gpt2_runs(std::string_view text) { return text.substr(0, 10) == "table,row,"; }

}  // namespace

std::vector<Record> read_records(std::string_view text, const std::string& file, Problems& problems) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    problems.add({{file, 0, ""}, "", "", "the file is empty; rows of measured runs (JSON lines or CSV) are expected"});
    return {};
  }
  if (is_csv_of_gpt2_runs(text)) return read_gpt2_runs(text, file, problems);

  std::vector<Record> records;
  const std::size_t before = problems.all().size();
  std::istringstream lines{std::string{text}};
  std::string line;
  for (int number = 1; std::getline(lines, line) && problems.all().size() < before + kManyProblems; ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const Json row = Json::parse(line, nullptr, false);
    if (!row.is_object()) {
      problems.add({{file, number, ""}, "", "", "not a JSON object; one measured run a line is expected"});
      continue;
    }
    if (row.contains("model_args")) {
      records.push_back(read_flag_row(row, line, file, number));
    } else if (row.contains("model") || row.contains("hardware") || row.contains("measured")) {
      records.push_back(read_published_row(row, file, number));
    } else {
      problems.add(
          {{file, number, ""},
           "",
           "",
           "neither a published run (model, hardware, parallel, batch, measured) nor a flag run (model_args)"});
    }
  }
  return records;
}

}  // namespace shardsim::validate
