// shardsim validate: predictions against measured runs.
#include <boost/program_options.hpp>
#include <fstream>
#include <iostream>
#include <iterator>
#include <regex>
#include <sstream>

#include "sim/base/check.hpp"
#include "sim/base/problems.hpp"
#include "validate/report.hpp"

namespace {

namespace po = boost::program_options;
using namespace shardsim;
using namespace shardsim::validate;

constexpr int kBadInput = 2;
constexpr int kBug = 70;

po::options_description option_list() {
  po::options_description options{"Options"};
  options.add_options()("help", "this text")("quality", po::value<std::string>(),
                                             "only rows of these qualities, such as A or AB, and rows without one")(
      "source", po::value<std::string>(), "only rows whose source matches this regular expression")(
      "include-suspect", "score suspect rows with the others")("rows", po::value<std::string>(),
                                                               "write one line per row to this CSV file")(
      "format", po::value<std::string>()->default_value("table"), "table or json")(
      "set", po::value<std::vector<std::string>>(), "section.key=value for every row (repeatable)")(
      "engine", po::value<std::string>()->default_value("closed_form"), "closed_form")(
      "file", po::value<std::vector<std::string>>(), "rows of measured runs (JSON lines or CSV)");
  return options;
}

[[noreturn]] void refuse(const std::string& key, const std::string& value, const std::string& message) {
  throw InputError({Problem{{}, key, value, message}});
}

std::string read_text(const std::string& file) {
  std::ifstream in{file, std::ios::binary};
  if (!in) refuse("", "", file + ": cannot be read");
  return {std::istreambuf_iterator<char>{in}, {}};
}

bool selected(const Record& record, const po::variables_map& given) {
  if (given.count("quality") != 0 && !record.quality.empty() &&
      given["quality"].as<std::string>().find(record.quality) == std::string::npos) {
    return false;
  }
  return given.count("source") == 0 ||
         std::regex_search(record.source, std::regex{given["source"].as<std::string>()});
}

/// "section.key=value" replaces what the rows and presets say.
void apply_overrides(const po::variables_map& given, Record& record) {
  if (given.count("set") == 0) return;
  for (const std::string& text : given["set"].as<std::vector<std::string>>()) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) refuse("--set", text, "section.key=value is expected");
    record.settings.set({text.substr(0, equals), text.substr(equals + 1), {"", 0, "--set"}, ""});
  }
}

std::vector<Record> read_selected(const po::variables_map& given) {
  Problems problems;
  std::vector<Record> records;
  for (const std::string& file : given["file"].as<std::vector<std::string>>()) {
    for (Record& record : read_records(read_text(file), file, problems)) {
      if (given.count("include-suspect") != 0) record.suspect.clear();
      apply_overrides(given, record);
      if (selected(record, given)) records.push_back(std::move(record));
    }
  }
  problems.throw_if_any();
  return records;
}

void run(const po::variables_map& given) {
  if (given.count("file") == 0) refuse("", "", "no file of measured runs given; try: shardsim validate --help");
  const std::string format = given["format"].as<std::string>();
  if (format != "table" && format != "json") refuse("--format", format, "table or json is expected");
  const std::string engine = given["engine"].as<std::string>();
  if (engine != "closed_form") refuse("--engine", engine, "closed_form is expected");
  std::vector<Result> results;
  for (const Record& record : read_selected(given)) results.push_back(evaluate(record));
  const Evaluation evaluation = summarise(results);
  if (given.count("rows") != 0) {
    std::ofstream rows{given["rows"].as<std::string>()};
    write_rows(rows, results);
    if (!rows.flush()) refuse("--rows", given["rows"].as<std::string>(), "cannot be written");
  }
  format == "json" ? write_json(std::cout, evaluation) : write_table(std::cout, evaluation);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    po::positional_options_description files;
    files.add("file", -1);
    po::variables_map given;
    po::store(po::command_line_parser(argc, argv).options(option_list()).positional(files).run(), given);
    if (given.count("help") != 0) {
      std::cout << "Usage: shardsim validate FILE… [options]\n\nCompares predictions with measured runs.\n\n"
                << option_list() << "\nExample:\n  shardsim validate validate/published/published_runs.jsonl --quality A\n";
      return 0;
    }
    run(given);
    return 0;
  } catch (const InputError& error) {
    std::cerr << error.what() << '\n';
    return kBadInput;
  } catch (const po::error& error) {
    std::cerr << "shardsim validate: " << error.what() << '\n';
    return kBadInput;
  } catch (const std::regex_error& error) {
    std::cerr << "--source: not a regular expression: " << error.what() << '\n';
    return kBadInput;
  } catch (const Bug& bug) {
    std::cerr << "a bug of shardsim, not of the input: " << bug.what() << '\n';
    return kBug;
  }
}
