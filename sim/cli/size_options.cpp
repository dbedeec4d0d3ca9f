#include "sim/cli/size_options.hpp"

#include <sstream>

#include "sim/base/problems.hpp"
#include "sim/cli/quantities.hpp"
#include "sim/cli/scenario_options.hpp"
#include "sim/input/units.hpp"

namespace shardsim::cli {
namespace {

namespace po = boost::program_options;

constexpr std::string_view kCommand = "size";

constexpr const char* kIntroduction =
    "Finds the smallest and the cheapest cluster that trains a model in time, with checkpoints and failures; or the\n"
    "largest model, micro batch or sequence that fits a cluster. The layout is searched at every size.\n\n"
    "Usage: shardsim size [FILE.toml | RUN] [options] --tokens N --deadline TIME [--budget USD]\n"
    "       shardsim size [FILE.toml | RUN] [options] --gpus N --largest hidden|layers|micro_batch_size|seq_length\n\n";

constexpr const char* kExamples =
    "\nExamples:\n"
    "  shardsim size --model gpt3-13b --tokens 300B --deadline 30d\n"
    "  shardsim size --model llama2-70b --tokens 2T --deadline 60d --budget 5M --cluster h100-dgx,h200-hgx\n"
    "  shardsim size --model gpt3-13b --tokens 300B --deadline 30d --price 1.2..2.1 --cluster a100-dgx --format json\n"
    "  shardsim size --model gpt3-13b --cluster a100-dgx --gpus 64 --largest layers\n"
    "\nPrices are list prices with their dates (scenarios/prices.toml); a range of prices is taken as 80 % interval.\n"
    "Exit codes: 0 some cluster meets it, 2 bad input, 3 none does (the nearest is shown), 130 interrupted.\n";

/// As given; empty = not given.
struct GivenSize {
  std::string tokens;
  std::string deadline;
  std::string budget;
  std::string most_gpus;
  std::string gpu_hours_per_failure;
  std::string restart;
  std::string checkpoint_interval;
  std::string checkpoint_bandwidth;
  std::string format = "table";
};

po::options_description described(SizeOptions& options, GivenSize& given) {
  po::options_description described("Options", kLineLength);
  const auto add = [&](const char* name, std::string& target, const char* shown, const char* help) {
    described.add_options()(name, po::value(&target)->value_name(shown), help);
  };
  describe_scenario(described, options);
  add("tokens", given.tokens, "N", "tokens to train on, as 300B");
  add("deadline", given.deadline, "TIME", "as 30d or 12h");
  add("budget", given.budget, "USD", "as 2.5M; without one only the deadline counts");
  add("global-batch-size", options.global_batch_size, "N", "sequences of one iteration; 4 Mi tokens by default");
  add("largest", options.largest_name, "WHAT", "hidden, layers, micro_batch_size or seq_length: the largest that fits");
  add("max-gpus", given.most_gpus, "N", "the largest cluster to try; 131072 by default");
  add("price", options.pricing.price, "USD", "per GPU and hour, as 2.5 or 1.9..4.1; from the price list by default");
  add("terms", options.pricing.terms, "on-demand|reserved", "which prices of the list; on-demand by default");
  add("pue", options.pricing.pue, "X", "energy of the data centre over that of its computers; 1.58 by default");
  add("gpu-hours-per-failure", given.gpu_hours_per_failure, "N",
      "GPU hours between interruptions; 50,677 by default (Llama 3: 419 of 16,384 GPUs in 54 days)");
  add("restart", given.restart, "TIME", "from an interruption to the next iteration; 10min by default");
  add("checkpoint-interval", given.checkpoint_interval, "TIME", "the best by Daly (2006) by default");
  add("checkpoint-bandwidth", given.checkpoint_bandwidth, "RATE",
      "of storage, per GPU, as \"122 MB/s\", which is the default (Llama 3: 2 TB/s for 16,384)");
  add("format", given.format, "table|json|csv", "table by default");
  described.add_options()("help,h", po::bool_switch(&options.help), "this text");
  return described;
}

[[noreturn]] void refuse(const char* option, const std::string& value, const std::string& message) {
  throw InputError({Problem{{"command line", 0, option}, "", value, message}});
}

/// The value of an option by `parse`, which must not fail.
template <class Parse>
auto value_of(const char* option, const std::string& text, Parse parse) {
  auto parsed = parse(text);
  if (!parsed.value) refuse(option, text, parsed.error);
  return *parsed.value;
}

void read_reliability(const GivenSize& given, plan::Reliability& reliability) {
  if (!given.gpu_hours_per_failure.empty()) {
    const auto hours = value_of("--gpu-hours-per-failure", given.gpu_hours_per_failure, parse_count);
    // A rate that is given is taken as exact: as if from very many failures.
    constexpr double kMany = 1e9;
    reliability.failures = kMany;
    reliability.gpu_hours = kMany * hours;
  }
  if (!given.restart.empty()) reliability.restart = value_of("--restart", given.restart, parse_duration);
  if (!given.checkpoint_interval.empty()) {
    reliability.checkpoint_interval = value_of("--checkpoint-interval", given.checkpoint_interval, parse_duration);
  }
  if (!given.checkpoint_bandwidth.empty()) {
    reliability.checkpoint_bandwidth_per_gpu =
        value_of("--checkpoint-bandwidth", given.checkpoint_bandwidth, input::parse_bytes_per_second);
    if (reliability.checkpoint_bandwidth_per_gpu.value() <= 0.0) {
      refuse("--checkpoint-bandwidth", given.checkpoint_bandwidth, "must be more than 0");
    }
  }
}

plan::Dimension parse_dimension(const std::string& name) {
  static const std::vector<std::string> names = {"hidden", "layers", "micro_batch_size", "seq_length"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<plan::Dimension>(i);
  }
  refuse("--largest", name, "must be one of hidden, layers, micro_batch_size, seq_length" + suggestion(name, names));
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> words;
  std::istringstream stream(list);
  for (std::string word; std::getline(stream, word, ',');) {
    if (word.empty()) refuse("--cluster", list, "holds an empty name");
    words.push_back(word);
  }
  return words;
}

/// What belongs to the other use of the command.
void check_use(const SizeOptions& options, const GivenSize& given) {
  const bool largest = !options.largest_name.empty();
  const bool goal = !given.tokens.empty() || !given.deadline.empty() || !given.budget.empty();
  if (largest && goal) usage_error(kCommand, "--largest does not go with --tokens, --deadline and --budget");
  if (largest && options.clusters.size() > 1) usage_error(kCommand, "--largest needs one --cluster");
  if (largest) return;
  if (given.tokens.empty()) usage_error(kCommand, "--tokens is missing: how much is to be trained, as 300B");
  if (given.deadline.empty()) usage_error(kCommand, "--deadline is missing: when it is to be done, as 30d");
  if (!options.gpus.empty()) usage_error(kCommand, "--gpus is what size looks for; --max-gpus limits it");
}

}  // namespace

SizeOptions parse_size_options(const Arguments& arguments) {
  SizeOptions options;
  options.command = kCommand;
  GivenSize given;
  parse(arguments, described(options, given), options);
  if (options.help) return options;
  options.format = parse_format(given.format, kCommand);
  options.clusters = split(options.cluster);
  check_use(options, given);
  if (!given.tokens.empty()) options.goal.tokens = value_of("--tokens", given.tokens, parse_count);
  if (!given.deadline.empty()) options.goal.deadline = value_of("--deadline", given.deadline, parse_duration);
  if (!given.budget.empty()) options.goal.budget = value_of("--budget", given.budget, parse_usd);
  if (!options.largest_name.empty()) options.largest = parse_dimension(options.largest_name);
  if (!given.most_gpus.empty()) {
    options.most_gpus = value_of("--max-gpus", given.most_gpus, input::parse_integer);
    if (options.most_gpus < 1 || options.most_gpus > std::int64_t{1} << 22) {
      refuse("--max-gpus", given.most_gpus, "must be within 1 … 4194304");
    }
  }
  read_reliability(given, options.reliability);
  return options;
}

std::string size_help() {
  SizeOptions unused;
  GivenSize unused_given;
  std::ostringstream text;
  text << kIntroduction << described(unused, unused_given) << kExamples;
  return text.str();
}

}  // namespace shardsim::cli
