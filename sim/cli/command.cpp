#include "sim/cli/command.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "sim/base/problems.hpp"
#include "sim/cli/help.hpp"
#include "sim/cli/list.hpp"
#include "sim/cli/predict.hpp"
#include "sim/cli/sibling.hpp"

namespace shardsim::cli {
namespace {

/// Edit distance of Levenshtein (1966): insertions, deletions and replacements.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

const std::vector<Command>& commands() {
  static const std::vector<Command> all = {
      {"predict", "memory per pipeline stage and time per iteration of one training run", run_predict},
      {"list", "the models, clusters, devices, stacks and runs that come with the program", run_list},
      {"train", "train a model with the operators that the predictions are made of", run_sibling<Sibling::train>},
      {"calibrate", "measure this machine and fit its profile", run_sibling<Sibling::calibrate>},
      {"validate", "compare predictions with measured runs", run_sibling<Sibling::validate>},
      {"help", "this text, or the help of one command", run_help},
  };
  return all;
}

const Command& find_command(std::string_view name) {
  std::vector<std::string> names;
  for (const Command& command : commands()) {
    if (command.name == name) return command;
    names.emplace_back(command.name);
  }
  throw InputError({Problem{{},
                            "",
                            "",
                            "unknown command `" + std::string(name) + "`" + suggestion(name, names) +
                                "; `shardsim help` lists all commands"}});
}

void usage_error(std::string_view command, const std::string& message) {
  throw InputError({Problem{{}, "", "", message + "; see `shardsim " + std::string(command) + " --help`"}});
}

std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
  const auto nearer = [&](const std::string& a, const std::string& b) {
    return edit_distance(word, a) < edit_distance(word, b);
  };
  const auto nearest = std::min_element(known.begin(), known.end(), nearer);
  if (nearest == known.end() || edit_distance(word, *nearest) > std::max<std::size_t>(2, word.size() / 3)) return "";
  return " (did you mean `" + *nearest + "`?)";
}

}  // namespace shardsim::cli
