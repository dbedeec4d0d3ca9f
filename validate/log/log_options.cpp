#include "validate/log/log_options.hpp"

#include <algorithm>
#include <optional>

#include "sim/cli/command.hpp"

namespace shardsim::validate::log {
namespace {

constexpr std::string_view kCommand = "validate --log";

constexpr const char* kHelp =
    "Compares a training log with the prediction of its job.\n\n"
    "Usage: shardsim validate --log FILE [--megatron launch.sh | the other inputs of `predict`] [--format table|json]\n"
    "       shardsim validate --log FILE... --fit PROFILE.toml [the same]\n\n"
    "FILE is a log of Megatron-LM, Megatron-DeepSpeed, NeMo, nanotron or torchtitan, or PyTorch's out-of-memory\n"
    "message alone; a folder stands for its *.log, *.out and *.txt; - is standard input. Colours, prefixes of srun "
    "and\n"
    "torchrun and Windows line ends do no harm. What the log says of the job (arguments dump, batch sizes) need not "
    "be\n"
    "given again; otherwise FILE.sh or FILE.toml beside FILE.log is read, or what --megatron and the other inputs of\n"
    "`predict` name. The cluster is never in the log: --cluster NAME.\n\n"
    "Compared is the median of the steady last part: warm-up, checkpoints, evaluations, what ran before a restart and\n"
    "other batch sizes are left out, and counted. Where time is off, the parts of the profile that alone would "
    "explain\n"
    "it are listed, least surprise first, with what would tell them apart.\n\n"
    "Options:\n"
    "  --log FILE                 a log; may be repeated\n"
    "  --fit PROFILE.toml         refine the profile (sustained clock, host, network between nodes, memory overhead)\n"
    "                             with the runs of one cluster, and write it: predict --cluster PROFILE.toml takes it\n"
    "  --format table|json        table by default\n"
    "  and those of `shardsim predict` that say what is predicted\n"
    "\nExamples:\n"
    "  shardsim validate --log train.log --cluster a100-dgx\n"
    "  shardsim validate --log slurm-1234.out --megatron pretrain_gpt.sh --cluster h100-dgx --format json\n"
    "  shardsim validate --log - --megatron pretrain_gpt.sh < out-of-memory.txt\n"
    "  shardsim validate --log logs/ --cluster a100-dgx --fit our-cluster.toml\n"
    "\nExit codes: 0 compared, 2 bad input.\n";

/// The value of "--name value" or "--name=value" at `i`, which moves behind it; nothing where it is another word.
std::optional<std::string> take(const cli::Arguments& words, std::size_t& i, const std::string& name) {
  if (words[i].rfind(name + "=", 0) == 0) {
    const std::string value = words[i].substr(name.size() + 1);
    if (value.empty()) cli::usage_error(kCommand, name + " needs a value");
    return value;
  }
  if (words[i] != name) return std::nullopt;
  const bool missing = i + 1 == words.size() || words[i + 1].rfind("--", 0) == 0;
  if (missing) cli::usage_error(kCommand, name + " needs a value");
  return words[++i];
}

/// A scenario ends in .toml.
bool may_be_log(const std::string& word) {
  const std::string end = ".toml";
  return word.rfind("--", 0) != 0 && (word.size() < end.size() || word.substr(word.size() - end.size()) != end);
}

void refuse_options_of_rows(const cli::Arguments& words) {
  for (const std::string& word : words) {
    for (const char* name :
         {"--quality", "--source", "--include-suspect", "--rows", "--record", "--accept-worse", "--ranking"}) {
      if (word == name || word.rfind(std::string{name} + "=", 0) == 0) {
        cli::usage_error(kCommand, std::string{name} + " belongs to files of measured runs, not to --log");
      }
    }
  }
}

}  // namespace

bool asks_for_log(const std::vector<std::string>& arguments) {
  return std::any_of(arguments.begin(), arguments.end(), [](const std::string& word) {
    return word == "--log" || word == "--fit" || word.rfind("--log=", 0) == 0 || word.rfind("--fit=", 0) == 0;
  });
}

LogOptions parse_log_options(const std::vector<std::string>& arguments) {
  LogOptions options;
  options.help = std::any_of(arguments.begin(), arguments.end(),
                             [](const std::string& word) { return word == "--help" || word == "-h"; });
  if (options.help) return options;
  refuse_options_of_rows(arguments);
  cli::Arguments others;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (auto log = take(arguments, i, "--log")) {
      options.logs.push_back(std::move(*log));
      // A shell writes the other files of a pattern behind the first one.
      while (i + 1 < arguments.size() && may_be_log(arguments[i + 1])) options.logs.push_back(arguments[++i]);
    } else if (auto profile = take(arguments, i, "--fit")) {
      if (!options.fit.empty()) cli::usage_error(kCommand, "--fit is given twice");
      options.fit = std::move(*profile);
    } else {
      others.push_back(arguments[i]);
    }
  }
  const cli::PredictOptions parsed = cli::parse_predict_options(others, kCommand);
  options.scenario = parsed;
  options.json = parsed.format == cli::Format::json;
  if (parsed.format == cli::Format::csv) cli::usage_error(kCommand, "--format csv: the formats are table, json");
  if (parsed.play.engine == cli::Engine::event) {
    cli::usage_error(kCommand, "--engine event: logs are compared with the closed form");
  }
  if (options.logs.empty()) cli::usage_error(kCommand, "--fit needs logs: --log FILE");
  const auto standard = std::count(options.logs.begin(), options.logs.end(), "-");
  const auto& scenario = options.scenario;
  const bool also_input = scenario.megatron == "-" || scenario.scenario == "-" || scenario.hf_config == "-" ||
                          scenario.deepspeed_config == "-";
  if (standard > 1 || (standard == 1 && also_input)) {
    cli::usage_error(kCommand, "standard input (-) can be only one of the inputs");
  }
  if (std::find(options.logs.begin(), options.logs.end(), options.fit) != options.logs.end()) {
    cli::usage_error(kCommand, "--fit " + options.fit + " would overwrite a log");
  }
  return options;
}

std::string log_help() { return kHelp; }

}  // namespace shardsim::validate::log
