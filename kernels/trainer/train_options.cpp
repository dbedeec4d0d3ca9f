#include "kernels/trainer/train_options.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>
#include <string_view>
#include <vector>

#include "kernels/trainer/train_flags.hpp"
#include "sim/cli/command.hpp"
#include "sim/input/megatron.hpp"
#include "sim/input/megatron/flag_table.hpp"
#include "sim/input/text_file.hpp"

namespace shardsim::kernels {
namespace {

using input::megatron::FlagUse;

constexpr std::string_view kCommand = "train";
constexpr const char* kCommandLine = "command line";

constexpr const char* kIntroduction =
    "Trains a GPT or BERT model with the operators that the predictions of the stack `shardsim` are made of.\n\n"
    "Usage: shardsim train [-n RANKS] [FILE.toml | RUN] [options] [Megatron-LM flags]\n"
    "       mpirun … shardsim train …   (or srun)\n\n"
    "-n RANKS, as first option, starts that many ranks on this machine with mpirun.\n"
    "The scenario comes from the same inputs as that of `predict`: --megatron FILE, --hf-config FILE,\n"
    "--deepspeed-config FILE, --model NAME, --set SECTION.KEY=VALUE. Megatron-LM's flags may also stand on the "
    "command\n"
    "line. One rank is one GPU of the scenario. On CPUs everything is computed in fp32.\n\nTraining:\n";

constexpr const char* kExamples =
    "\nExamples:\n"
    "  shardsim train --model gpt2-tiny\n"
    "  shardsim train -n 2 --model gpt2-tiny --tensor-model-parallel-size 2 --sequence-parallel\n"
    "  shardsim train -n 4 --megatron pretrain_gpt.sh --data-path corpus.txt --save checkpoints\n"
    "\nExit codes: 0 trained, 2 bad input, 3 the run does not fit into memory, 70 a rank failed.\n";

/// The words of the command line by who reads them.
struct Words {
  cli::Arguments scenario;
  cli::Arguments own;
  cli::Arguments megatron;
};

std::string option_name(const std::string& word) { return word.substr(2, word.find('=') - 2); }
bool is_option(const std::string& word) { return word.size() > 2 && word[0] == '-' && word[1] == '-'; }

Words divide(const cli::Arguments& arguments) {
  const std::vector<std::string> known = cli::scenario_option_names();
  Words words;
  // A scenario's file or name stands first.
  cli::Arguments* reader = &words.scenario;
  bool takes_value = false;
  for (const std::string& word : arguments) {
    if (is_option(word)) {
      const std::string name = option_name(word);
      const TrainFlag* flag = find_train_flag(name);
      const bool scenario = std::find(known.begin(), known.end(), name) != known.end();
      const bool own = flag != nullptr && !flag->megatron;
      if (name == "stack" || name == "format") {
        cli::usage_error(kCommand, "--" + name + " belongs to `predict`" +
                                       (name == "stack" ? "; training always runs the stack `shardsim`" : ""));
      }
      reader = scenario ? &words.scenario : own ? &words.own : &words.megatron;
      takes_value = (scenario || (own && !flag->value.empty())) && word.find('=') == std::string::npos;
      reader->push_back(word);
      continue;
    }
    if (reader != &words.megatron && !takes_value && !(reader == &words.scenario && words.scenario.empty())) {
      cli::usage_error(kCommand, "\"" + word + "\" belongs to no option; a scenario stands before the options");
    }
    reader->push_back(word);
    takes_value = false;
  }
  return words;
}

/// In single quotes, so that the reader of launch scripts takes every word as it is.
std::string quoted(const cli::Arguments& words) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "'" : " '");
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    text += '\'';
  }
  return text;
}

void refuse_unknown(const std::vector<FlagUse>& uses) {
  for (const FlagUse& use : uses) {
    const std::string name = input::megatron::normalized_name(use.written);
    if (find_train_flag(name) != nullptr || input::megatron::find_flag(name) != nullptr) continue;
    if (input::megatron::find_abbreviated(name) != nullptr) continue;
    std::vector<std::string> names;
    for (const TrainFlag& flag : train_flags()) names.push_back("--" + std::string(flag.name));
    for (const std::string& option : cli::scenario_option_names()) names.push_back("--" + option);
    for (const auto& flag : input::megatron::known_flags()) names.push_back("--" + std::string(flag.name));
    cli::usage_error(kCommand, "unknown option " + use.written + cli::suggestion("--" + name, names));
  }
}

void apply(TrainOptions& options, const std::vector<FlagUse>& uses, const std::string& file, Problems& problems) {
  for (const FlagUse& use : uses) {
    const TrainFlag* flag = find_train_flag(input::megatron::normalized_name(use.written));
    if (flag == nullptr) continue;
    GivenFlag given{{file, use.line, use.written}, ""};
    std::string unresolved;
    for (const auto& word : use.values) {
      given.value += (given.value.empty() ? "" : " ") + word.text;
      if (!word.unresolved.empty()) unresolved = word.unresolved.front();
    }
    if (!unresolved.empty()) {
      problems.add({given.origin, "", given.value, unresolved + " has no value in this text; assign it above"});
    } else {
      flag->apply(options, given, problems);
    }
  }
}

void apply_own(TrainOptions& options, const cli::Arguments& words, Problems& problems) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string name = option_name(words[i]);
    const TrainFlag* flag = find_train_flag(name);
    GivenFlag given{{kCommandLine, 0, "--" + name}, ""};
    const std::size_t equals = words[i].find('=');
    if (equals != std::string::npos) given.value = words[i].substr(equals + 1);
    const bool next = equals == std::string::npos && i + 1 < words.size() && !is_option(words[i + 1]);
    if (next) given.value = words[++i];
    flag->apply(options, given, problems);
  }
}

}  // namespace

TrainOptions parse_train_options(const cli::Arguments& arguments, Problems& problems) {
  TrainOptions options;
  for (const std::string& word : arguments) options.help = options.help || word == "--help" || word == "-h";
  if (options.help) return options;
  const Words words = divide(arguments);
  options.scenario = cli::parse_predict_options(words.scenario, kCommand);
  options.scenario.stack = "shardsim";
  options.scenario.flags = quoted(words.megatron);
  for (const std::string* file : {&options.scenario.scenario, &options.scenario.megatron, &options.scenario.hf_config,
                                  &options.scenario.deepspeed_config}) {
    if (*file == "-") cli::usage_error(kCommand, "standard input (-) reaches one rank only: give a file");
  }
  if (!options.scenario.megatron.empty()) {
    // A file that cannot be read is told of where the scenario is collected.
    Problems unreadable;
    const std::string text = input::read_text_file(options.scenario.megatron, unreadable);
    apply(options, input::read_megatron_flags(text, options.scenario.megatron), options.scenario.megatron, problems);
  }
  if (!words.megatron.empty()) {
    std::vector<FlagUse> uses = input::read_megatron_flags(options.scenario.flags, kCommandLine);
    for (FlagUse& use : uses) use.line = 0;
    refuse_unknown(uses);
    apply(options, uses, kCommandLine, problems);
  }
  apply_own(options, words.own, problems);
  return options;
}

std::string train_help() {
  constexpr int kNameWidth = 32;
  std::ostringstream text;
  text << kIntroduction;
  for (const TrainFlag& flag : train_flags()) {
    const std::string name =
        "  --" + std::string(flag.name) + (flag.value.empty() ? "" : " ") + std::string(flag.value);
    text << std::left << std::setw(kNameWidth) << name << ' ' << flag.help << '\n';
  }
  text << kExamples;
  return text.str();
}

}  // namespace shardsim::kernels
