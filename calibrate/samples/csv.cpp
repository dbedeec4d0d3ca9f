#include "calibrate/samples/csv.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace shardsim::calibrate {
namespace {

/// Takes one record off `text` and counts the lines it spans; false at the end.
bool take_record(std::string_view& text, int& line, CsvRow& row) {
  if (text.empty()) return false;
  row = {line, {""}};
  bool quoted = false;
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\n') ++line;
    if (quoted) {
      if (c != '"') {
        row.fields.back() += c;
      } else if (at + 1 < text.size() && text[at + 1] == '"') {
        row.fields.back() += text[++at];
      } else {
        quoted = false;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',') {
      row.fields.emplace_back();
    } else if (c == '\n') {
      ++at;
      break;
    } else if (c != '\r') {
      row.fields.back() += c;
    }
  }
  text.remove_prefix(at);
  return true;
}

bool is_blank(const CsvRow& row) { return row.fields.size() == 1 && row.fields.front().empty(); }

}  // namespace

CsvTable parse_csv(std::string_view text, const std::string& file, Problems& problems) {
  CsvTable table{file, {}, {}};
  int line = 1;
  CsvRow row;
  if (take_record(text, line, row)) table.columns = std::move(row.fields);
  while (take_record(text, line, row)) {
    if (is_blank(row)) continue;
    if (row.fields.size() == table.columns.size()) {
      table.rows.push_back(std::move(row));
      continue;
    }
    problems.add(
        {table.origin(row), "", "",
         std::to_string(row.fields.size()) + " fields, but the header names " + std::to_string(table.columns.size())});
  }
  return table;
}

std::string read_maybe_compressed(const std::string& path, Problems& problems) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file{gzopen(path.c_str(), "rb"), gzclose};
  std::string text;
  if (!file) {
    problems.add({{path, 0, ""}, "", "", "cannot be read"});
    return text;
  }
  std::array<char, 1U << 16U> buffer{};
  int read = 0;
  while ((read = gzread(file.get(), buffer.data(), static_cast<unsigned>(buffer.size()))) > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(read));
  }
  int error = Z_OK;
  const char* reason = gzerror(file.get(), &error);
  if (read < 0 || error != Z_OK) {
    problems.add({{path, 0, ""}, "", "", std::string("is damaged: ") + reason});
  }
  return text;
}

CsvTable read_csv(const std::string& path, Problems& problems) {
  return parse_csv(read_maybe_compressed(path, problems), path, problems);
}

std::vector<std::size_t> find_columns(const CsvTable& table, const std::vector<std::string>& names,
                                      Problems& problems) {
  std::vector<std::size_t> columns;
  for (const std::string& name : names) {
    const auto found = std::find(table.columns.begin(), table.columns.end(), name);
    if (found == table.columns.end()) {
      problems.add({{table.file, 1, ""}, name, "", "the table has no such column"});
    } else {
      columns.push_back(static_cast<std::size_t>(found - table.columns.begin()));
    }
  }
  if (columns.size() != names.size()) columns.clear();
  return columns;
}

}  // namespace shardsim::calibrate
