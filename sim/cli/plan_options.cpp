#include "sim/cli/plan_options.hpp"

#include <sstream>

#include "sim/base/problems.hpp"
#include "sim/cli/scenario_options.hpp"
#include "sim/input/text.hpp"
#include "sim/input/units.hpp"

namespace shardsim::cli {
namespace {

namespace po = boost::program_options;

constexpr std::int64_t kMostShown = 1000;
constexpr std::int64_t kMostThreads = 1024;

constexpr const char* kIntroduction =
    "Chooses how a job is divided over its GPUs: tries every layout, leaves out those that cannot run or do not fit,\n"
    "and shows the fastest.\n\n"
    "Usage: shardsim plan [FILE.toml | RUN] [options]\n\n"
    "The model, the cluster, the stack, the GPUs and the global batch are given, by files or by options. A layout "
    "that\n"
    "they name (tensor-parallel size, micro batch, recomputation ...) binds nothing; it is shown beside the plan.\n\n";

constexpr const char* kExamples =
    "\nKeys of --fixed and --forbid: tensor_model_parallel_size, pipeline_model_parallel_size,\n"
    "virtual_pipeline_model_parallel_size, context_parallel_size, data_parallel_size, micro_batch_size,\n"
    "recompute_granularity, sequence_parallel, zero_stage, use_distributed_optimizer, schedule.\n"
    "\nExamples:\n"
    "  shardsim plan --model gpt3-175b --cluster a100-dgx --gpus 1024 --global-batch-size 1536\n"
    "  shardsim plan --megatron pretrain_gpt.sh --cluster h100-dgx --gpus 64 --format json\n"
    "  shardsim plan gpt3-175b-512-a100 --max-memory \"75 GiB\" --forbid recompute_granularity=full\n"
    "  shardsim plan gpt3-175b-512-a100 --fixed tensor_model_parallel_size=8 --fixed micro_batch_size=1,2\n"
    "  shardsim plan gpt3-175b-512-a100 --emit megatron > pretrain.sh\n"
    "  mpirun -np 16 shardsim plan --model mt-nlg-530b --cluster a100-dgx --gpus 8192 --global-batch-size 1920\n"
    "\nExit codes: 0 a plan was found, 2 bad input or constraints that exclude every layout, 3 nothing fits into "
    "memory,\n"
    "130 interrupted (the best so far are shown).\n";

/// As given.
struct Given {
  std::string format;
  std::string best;
  std::string max_memory;
  std::string threads;
  std::string objectives;
  std::string emit;
};

po::options_description described(PlanOptions& options, Given& given) {
  po::options_description described("Options", kLineLength);
  describe_scenario(described, options);
  const auto add = [&described](const char* name, std::string& target, const char* shown, const char* help) {
    described.add_options()(name, po::value<std::string>(&target)->value_name(shown), help);
  };
  const auto add_list = [&described](const char* name, std::vector<std::string>& target, const char* help) {
    described.add_options()(name, po::value(&target)->composing()->value_name("KEY=VALUE[,VALUE]"), help);
  };
  add("global-batch-size", options.global_batch_size, "N", "sequences of one iteration");
  add_list("fixed", options.fixed, "only layouts with this value (one of these); may be repeated");
  add_list("forbid", options.forbidden, "no layout with this value (any of these); may be repeated");
  add("max-memory", given.max_memory, "SIZE", "device memory that a layout may use, as \"75 GiB\"");
  add("best", given.best, "K", "how many are shown; 10 by default");
  add("threads", given.threads, "N", "as many as there are cores by default; the answer is the same");
  add("objective", given.objectives, "LIST",
      "time, memory, cost, gpus, as time,memory: of the 1,000 fastest, those that none beats in all of them");
  add("emit", given.emit, "FRAMEWORK",
      "prints only what runs the fastest layout: megatron, megatron-deepspeed, nemo, torchtitan");
  add("format", given.format, "table|json|csv", "table by default");
  described.add_options()("help,h", po::bool_switch(&options.help), "this text");
  return described;
}

std::int64_t whole_number(const std::string& option, const std::string& text, std::int64_t most) {
  const auto parsed = input::parse_integer(text);
  if (parsed.value && *parsed.value >= 1 && *parsed.value <= most) return *parsed.value;
  usage_error("plan", option + " " + text + ": a whole number 1 ... " + std::to_string(most) + " is expected");
}

Bytes memory(const std::string& text) {
  const auto parsed = input::parse_bytes(text);
  if (!parsed.value) usage_error("plan", "--max-memory " + text + ": " + parsed.error);
  if (*parsed.value <= Bytes{0}) usage_error("plan", "--max-memory " + text + ": must be more than 0");
  return *parsed.value;
}

std::vector<plan::Objective> objectives(std::string_view list) {
  std::vector<plan::Objective> all;
  for (std::string_view word = input::take_word(list); !word.empty(); word = input::take_word(list)) {
    const auto objective = plan::objective_of(word);
    if (!objective) {
      usage_error("plan", "--objective " + std::string(word) + ": the objectives are time, memory, cost, gpus");
    }
    if (std::find(all.begin(), all.end(), *objective) == all.end()) all.push_back(*objective);
  }
  return all;
}

input::Framework framework(const std::string& name) {
  const auto known = input::framework_of(name);
  if (known) return *known;
  usage_error("plan", "--emit " + name + ": is no framework that can be written" +
                          suggestion(name, input::framework_names()) +
                          "; known: megatron, megatron-deepspeed, nemo, torchtitan");
}

}  // namespace

PlanOptions parse_plan_options(const Arguments& arguments) {
  PlanOptions options;
  options.command = "plan";
  Given given;
  static_cast<void>(parse(arguments, described(options, given), options));
  if (!given.format.empty()) options.format = parse_format(given.format, "plan");
  if (!given.best.empty()) options.best = static_cast<std::size_t>(whole_number("--best", given.best, kMostShown));
  options.objectives = objectives(given.objectives);
  if (!given.emit.empty()) options.emit = framework(given.emit);
  if (!given.max_memory.empty()) options.max_memory = memory(given.max_memory);
  if (!given.threads.empty()) {
    options.threads = static_cast<int>(whole_number("--threads", given.threads, kMostThreads));
  }
  return options;
}

std::string plan_help() {
  PlanOptions unused;
  Given unused_given;
  std::ostringstream text;
  text << kIntroduction << described(unused, unused_given) << kExamples;
  return text.str();
}

}  // namespace shardsim::cli
