#include "sim/cli/predict_options.hpp"

#include <boost/program_options.hpp>
#include <locale>
#include <optional>
#include <sstream>
#include <type_traits>

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
    "  shardsim predict megatron-gpt2-8.3b-512-v100 --engine event --trace trace.json\n"
    "  shardsim predict gpt3-175b-512-a100 --engine event --straggler rank=17,slow=1.15 --jitter 0.03 --seed 7\n"
    "\nStrength: presets, then the input files, then --model --cluster --stack --device --gpus, then --set.\n"
    "Exit codes: 0 the run fits, 2 bad input, 3 the run does not fit into memory, 130 interrupted.\n";

po::options_description described(PredictOptions& options) {
  po::options_description described("Options", kLineLength);
  const auto text = [](std::string& target, const char* shown) {
    return po::value<std::string>(&target)->value_name(shown);
  };
  described.add_options()("megatron", text(options.megatron, "FILE"),
                          "Megatron-LM flags: a launch script, an `arguments` dump, a line of flags, or a JSON or YAML "
                          "map; - reads standard input");
  described.add_options()("hf-config", text(options.hf_config, "FILE"), "Hugging Face config.json (gpt2, bert, llama)");
  described.add_options()("deepspeed-config", text(options.deepspeed_config, "FILE"), "DeepSpeed JSON");
  described.add_options()("model", text(options.model, "NAME"), "a model of `shardsim list models`");
  described.add_options()("cluster", text(options.cluster, "NAME"), "a cluster of `shardsim list clusters`");
  described.add_options()("stack", text(options.stack, "NAME"), "a software stack of `shardsim list stacks`");
  described.add_options()("device", text(options.device, "NAME"), "a device of `shardsim list devices`");
  described.add_options()("gpus", text(options.gpus, "N"), "number of GPUs");
  described.add_options()("set", po::value(&options.set)->composing()->value_name("SECTION.KEY=VALUE"),
                          "overrides one value; may be repeated");
  described.add_options()("format", po::value<std::string>()->value_name("table|json|csv"), "table by default");
  described.add_options()("engine", po::value<std::string>()->value_name("closed_form|event"),
                          "how time is computed: in closed form (the default), or by playing the iteration");
  described.add_options()("trace", text(options.play.trace, "FILE.json"),
                          "event engine: writes a trace for Perfetto (ui.perfetto.dev) or Chrome");
  described.add_options()("trace-ranks", po::value<std::string>()->value_name("LIST"),
                          "event engine: ranks of the trace, as 0,8,16-23; one data-parallel replica by default");
  described.add_options()("timeline", po::bool_switch(&options.play.timeline),
                          "event engine: draws the pipeline below the table");
  described.add_options()("straggler", po::value<std::vector<std::string>>()->composing()->value_name("rank=R,slow=X"),
                          "event engine: compute of rank R takes X times as long; may be repeated");
  described.add_options()("jitter", po::value<std::string>()->value_name("SIGMA"),
                          "event engine: log-normal spread of each rank's speed and of each layer's pass, as 0.03");
  described.add_options()("seed", po::value<std::string>()->value_name("N"),
                          "event engine: of the jitter; 0 by default");
  described.add_options()("help,h", po::bool_switch(&options.help), "this text");
  return described;
}

Format parse_format(const std::string& name) {
  if (name == "table") return Format::table;
  if (name == "json") return Format::json;
  if (name == "csv") return Format::csv;
  usage_error("predict", "--format " + name + ": the formats are table, json, csv");
}

Engine parse_engine(const std::string& name) {
  if (name == "closed_form") return Engine::closed_form;
  if (name == "event") return Engine::event;
  usage_error("predict", "--engine " + name + ": the engines are closed_form, event");
}

/// The whole text as a number, or nothing.
template <class Number>
std::optional<Number> number(const std::string& text) {
  std::istringstream stream{text};
  Number value{};
  if (text.empty() || text.front() == ' ' || (std::is_unsigned_v<Number> && text.front() == '-')) return std::nullopt;
  stream.imbue(std::locale::classic());
  stream >> value;
  return !stream.fail() && stream.eof() ? std::optional<Number>{value} : std::nullopt;
}

engine::event::Straggler parse_straggler(const std::string& text) {
  const std::size_t comma = text.find(',');
  const bool named = text.rfind("rank=", 0) == 0 && comma != std::string::npos && text.rfind(",slow=", comma) == comma;
  const auto rank = named ? number<std::int64_t>(text.substr(5, comma - 5)) : std::nullopt;
  const auto slow = named ? number<double>(text.substr(comma + 6)) : std::nullopt;
  if (!rank || !slow || *rank < 0 || !(*slow > 0.01 && *slow <= 1000.0)) {
    usage_error("predict",
                "--straggler " + text + ": expected rank=R,slow=X, X between 0.01 and 1000, as rank=17,slow=1.15");
  }
  return {*rank, *slow};
}

std::vector<std::pair<std::int64_t, std::int64_t>> parse_ranks(const std::string& text) {
  std::vector<std::pair<std::int64_t, std::int64_t>> ranges;
  std::istringstream list{text};
  for (std::string item; std::getline(list, item, ',');) {
    const std::size_t dash = item.find('-');
    const auto first = number<std::int64_t>(item.substr(0, dash));
    const auto last = dash == std::string::npos ? first : number<std::int64_t>(item.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first) {
      usage_error("predict", "--trace-ranks " + text + ": expected ranks and ranges, as 0,8,16-23");
    }
    ranges.emplace_back(*first, *last);
  }
  return ranges;
}

void parse_play_options(const po::variables_map& given, PredictOptions& options) {
  PlayOptions& play = options.play;
  const auto given_text = [&given](const char* name) { return given[name].as<std::string>(); };
  if (options.engine != Engine::event) {
    for (const char* name : {"trace", "trace-ranks", "straggler", "jitter", "seed"}) {
      if (given.count(name) > 0) usage_error("predict", "--" + std::string(name) + " needs --engine event");
    }
    if (play.timeline) usage_error("predict", "--timeline needs --engine event");
    return;
  }
  if (play.timeline && options.format != Format::table) usage_error("predict", "--timeline needs --format table");
  if (given.count("trace-ranks") > 0) {
    if (play.trace.empty()) usage_error("predict", "--trace-ranks needs --trace");
    play.trace_ranks = parse_ranks(given_text("trace-ranks"));
  }
  if (given.count("straggler") > 0) {
    for (const std::string& text : given["straggler"].as<std::vector<std::string>>()) {
      play.variation.stragglers.push_back(parse_straggler(text));
    }
  }
  if (given.count("jitter") > 0) {
    const auto jitter = number<double>(given_text("jitter"));
    if (!jitter || !(*jitter >= 0.0 && *jitter <= 1.0)) {
      usage_error("predict", "--jitter " + given_text("jitter") + ": expected a number between 0 and 1, as 0.03");
    }
    play.variation.jitter = *jitter;
  }
  if (given.count("seed") > 0) {
    const auto seed = number<std::uint64_t>(given_text("seed"));
    if (!seed) usage_error("predict", "--seed " + given_text("seed") + ": expected a whole number");
    if (play.variation.jitter == 0.0) usage_error("predict", "--seed needs --jitter");
    play.variation.seed = *seed;
  }
}

[[noreturn]] void unknown_option(const po::options_description& known, const std::string& option) {
  std::vector<std::string> names;
  for (const auto& described : known.options()) names.push_back("--" + described->long_name());
  usage_error("predict", "unknown option " + option + suggestion(option, names));
}

}  // namespace

PredictOptions parse_predict_options(const Arguments& arguments) {
  PredictOptions options;
  const po::options_description shown = described(options);
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
    if (given.count("format") > 0) options.format = parse_format(given["format"].as<std::string>());
    if (given.count("engine") > 0) options.engine = parse_engine(given["engine"].as<std::string>());
    parse_play_options(given, options);
  } catch (const po::unknown_option& error) {
    unknown_option(shown, error.get_option_name());
  } catch (const po::too_many_positional_options_error&) {
    usage_error("predict", "one scenario file or run name at most is expected");
  } catch (const po::error& error) {
    usage_error("predict", error.what());
  }
  return options;
}

std::string predict_help() {
  PredictOptions unused;
  std::ostringstream text;
  text << kIntroduction << described(unused) << kExamples;
  return text.str();
}

}  // namespace shardsim::cli
