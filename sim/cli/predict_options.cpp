#include "sim/cli/predict_options.hpp"

#include <sstream>

#include "sim/cli/scenario_options.hpp"

namespace shardsim::cli {
namespace {

namespace po = boost::program_options;

constexpr const char* kIntroduction =
    "Predicts memory per pipeline stage and time per iteration of one training run.\n\n"
    "Usage: shardsim predict [FILE.toml | RUN] [options]\n\n"
    "Whatever the inputs do not give is assumed, and listed as assumed.\n\n";

constexpr const char* kExamples =
    "\nExamples:\n"
    "  shardsim predict scenarios/runs/megatron-gpt2-8.3b-512-v100.toml\n"
    "  shardsim predict --megatron pretrain_gpt.sh --cluster a100-dgx --gpus 64\n"
    "  grep -v '^#' pretrain_gpt.sh | shardsim predict --megatron - --format json\n"
    "  shardsim predict --hf-config config.json --set training.micro_batch_size=1 --gpus 8\n"
    "  shardsim predict megatron-gpt2-8.3b-512-v100 --set parallelism.tensor_model_parallel_size=4\n"
    "  shardsim predict megatron-gpt2-8.3b-512-v100 --engine event --trace trace.json\n"
    "  shardsim predict gpt3-175b-512-a100 --engine event --straggler rank=17,slow=1.15 --jitter 0.03 --seed 7\n"
    "\nStrength: presets, then the input files, then --model --cluster --stack --device --gpus, then --set.\n"
    "Exit codes: 0 the run fits, 2 bad input, 3 the run does not fit into memory, 130 interrupted.\n";

void describe_play(po::options_description& described, GivenPlay& given) {
  const auto add = [&described](const char* name, std::string& target, const char* shown, const char* help) {
    const auto refuse_nothing = [name](const std::string& value) {
      if (value.empty()) throw po::error("--" + std::string(name) + " \"\": expected a value");
    };
    described.add_options()(name, po::value<std::string>(&target)->value_name(shown)->notifier(refuse_nothing), help);
  };
  add("engine", given.engine, "closed_form|event",
      "how time is computed: in closed form (the default), or by playing the iteration");
  add("trace", given.trace, "FILE.json", "event engine: writes a trace for Perfetto (ui.perfetto.dev) or Chrome");
  add("trace-ranks", given.trace_ranks, "LIST",
      "event engine: ranks of the trace, as 0,8,16-23; one data-parallel replica by default");
  described.add_options()("timeline", po::bool_switch(&given.timeline),
                          "event engine: draws the pipeline below the table");
  described.add_options()("straggler", po::value(&given.stragglers)->composing()->value_name("rank=R,slow=X"),
                          "event engine: compute of rank R takes X times as long; may be repeated");
  add("jitter", given.jitter, "SIGMA",
      "event engine: log-normal spread of each rank's speed and of each layer's pass, as 0.03");
  add("seed", given.seed, "N", "event engine: of the jitter; 0 by default");
}

po::options_description described(PredictOptions& options, GivenPlay& play) {
  po::options_description described("Options", kLineLength);
  describe_scenario(described, options);
  described.add_options()("format", po::value<std::string>()->value_name("table|json|csv"), "table by default");
  describe_play(described, play);
  described.add_options()("help,h", po::bool_switch(&options.help), "this text");
  return described;
}

}  // namespace

PredictOptions parse_predict_options(const Arguments& arguments, std::string_view command) {
  PredictOptions options;
  options.command = command;
  GivenPlay play;
  const po::options_description shown = described(options, play);
  const po::variables_map given = parse(arguments, shown, options);
  if (given.count("format") > 0) options.format = parse_format(given["format"].as<std::string>(), command);
  options.play = interpret(play, command);
  if (options.play.timeline && options.format != Format::table) {
    usage_error(command, "--timeline needs --format table");
  }
  return options;
}

std::vector<std::string> scenario_option_names() {
  ScenarioOptions unused;
  po::options_description described;
  describe_scenario(described, unused);
  std::vector<std::string> names;
  for (const auto& option : described.options()) names.push_back(option->long_name());
  return names;
}

std::string predict_help() {
  PredictOptions unused;
  GivenPlay unused_play;
  std::ostringstream text;
  text << kIntroduction << described(unused, unused_play) << kExamples;
  return text.str();
}

}  // namespace shardsim::cli
