#include "sim/cli/command.hpp"

#include "sim/base/problems.hpp"
#include "sim/base/suggest.hpp"
#include "sim/cli/help.hpp"
#include "sim/cli/list.hpp"
#include "sim/cli/plan.hpp"
#include "sim/cli/predict.hpp"
#include "sim/cli/sibling.hpp"
#include "sim/cli/size.hpp"
#include "sim/cli/sweep.hpp"

namespace shardsim::cli {
const std::vector<Command>& commands() {
  static const std::vector<Command> all = {
      {"predict", "memory per pipeline stage and time per iteration of one training run", run_predict},
      {"plan", "the fastest ways to divide a job over its GPUs", run_plan},
      {"sweep", "a prediction, or a plan, at every point of one or two ranges", run_sweep},
      {"size", "the smallest and the cheapest cluster for a deadline; the largest model that fits one", run_size},
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
  const auto near = nearest(word, {known.begin(), known.end()});
  return near ? " (did you mean `" + std::string(*near) + "`?)" : "";
}

}  // namespace shardsim::cli
