#include "sim/cli/predict_options.hpp"

#include <boost/program_options.hpp>
#include <sstream>

namespace shardsim::cli {
namespace {

namespace po = boost::program_options;

constexpr unsigned kLineLength = 120;

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
    described.add_options()(name, po::value<std::string>(&target)->value_name(shown), help);
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

void describe_scenario(po::options_description& described, ScenarioOptions& options) {
  const auto text = [](std::string& target, const char* shown) {
    return po::value<std::string>(&target)->value_name(shown);
  };
  described.add_options()("megatron", text(options.megatron, "FILE"),
                          "Megatron-LM flags: a launch script, an `arguments` dump, a line of flags, or a JSON or YAML "
                          "map; - reads standard input");
  described.add_options()("hf-config", text(options.hf_config, "FILE"), "Hugging Face config.json (gpt2, bert, llama)");
  described.add_options()("deepspeed-config", text(options.deepspeed_config, "FILE"), "DeepSpeed JSON");
  described.add_options()("model", text(options.model, "NAME"), "a model of `shardsim list models`");
  described.add_options()("cluster", text(options.cluster, "NAME"), "a cluster of `shardsim list clusters`, or a profile FILE.toml");
  described.add_options()("stack", text(options.stack, "NAME"), "a software stack of `shardsim list stacks`");
  described.add_options()("device", text(options.device, "NAME"), "a device of `shardsim list devices`");
  described.add_options()("gpus", text(options.gpus, "N"), "number of GPUs");
  described.add_options()("set", po::value(&options.set)->composing()->value_name("SECTION.KEY=VALUE"),
                          "overrides one value; may be repeated");
}

po::options_description described(PredictOptions& options, GivenPlay& play) {
  po::options_description described("Options", kLineLength);
  describe_scenario(described, options);
  described.add_options()("format", po::value<std::string>()->value_name("table|json|csv"), "table by default");
  describe_play(described, play);
  described.add_options()("help,h", po::bool_switch(&options.help), "this text");
  return described;
}

Format parse_format(const std::string& name, std::string_view command) {
  if (name == "table") return Format::table;
  if (name == "json") return Format::json;
  if (name == "csv") return Format::csv;
  usage_error(command, "--format " + name + ": the formats are table, json, csv");
}

[[noreturn]] void unknown_option(const po::options_description& known, const std::string& option,
                                 std::string_view command) {
  std::vector<std::string> names;
  for (const auto& described : known.options()) names.push_back("--" + described->long_name());
  usage_error(command, "unknown option " + option + suggestion(option, names));
}

}  // namespace

PredictOptions parse_predict_options(const Arguments& arguments, std::string_view command) {
  PredictOptions options;
  options.command = command;
  GivenPlay play;
  const po::options_description shown = described(options, play);
  po::options_description all;
  all.add(shown).add_options()("scenario", po::value(&options.scenario));
  po::positional_options_description positional;
  positional.add("scenario", 1);
  // Abbreviated names would change their meaning when options are added.
  const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
  try {
    po::variables_map given;
    po::store(po::command_line_parser(arguments).options(all).positional(positional).style(style).run(), given);
    po::notify(given);
    if (given.count("format") > 0) options.format = parse_format(given["format"].as<std::string>(), command);
    options.play = interpret(play, command);
    if (options.play.timeline && options.format != Format::table) {
      usage_error(command, "--timeline needs --format table");
    }
  } catch (const po::unknown_option& error) {
    unknown_option(shown, error.get_option_name(), command);
  } catch (const po::too_many_positional_options_error&) {
    usage_error(command, "one scenario file or run name at most is expected");
  } catch (const po::error& error) {
    usage_error(command, error.what());
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
