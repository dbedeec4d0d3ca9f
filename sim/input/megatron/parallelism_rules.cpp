#include <cstdlib>

#include "sim/input/megatron/rules.hpp"

namespace shardsim::input::megatron {
namespace {

constexpr const char* kSchedule = "parallelism.schedule";

/// ZB-1p keeps p micro batches in flight, ZB-2p up to 2p - 1 (Qi et al. 2023, section 3).
void translate_zero_bubble(const FlagSet& flags, Output& output) {
  const FlagSet::Entry* const limit = flags.find("zero-bubble-max-pending-backward");
  const long long stages = std::strtoll(flags.value("pipeline-model-parallel-size").c_str(), nullptr, 10);
  const long long pending = std::strtoll(flags.value("zero-bubble-max-pending-backward").c_str(), nullptr, 10);
  if (limit == nullptr || pending <= 0) {
    output.assume(kSchedule, "zero_bubble_2p", "the memory limit of the zero-bubble schedule is not given as a number");
    return;
  }
  const bool two = pending >= 2 * stages;
  output.give(kSchedule, two ? "zero_bubble_2p" : "zero_bubble_1p", *limit);
  if (pending != stages && pending != 2 * stages) {
    output.warn(*limit, "is neither p nor 2p: taken as " + std::string(two ? "2p" : "p"));
  }
}

void translate_schedule(const FlagSet& flags, Output& output) {
  if (flags.on("zero-bubble-v-schedule")) {
    const FlagSet::Entry* const v = flags.find("zero-bubble-v-schedule");
    output.give(kSchedule, "zero_bubble_1p", *v);
    output.warn(*v, "the V schedule is not modelled: taken as ZB-1p, which holds as many activations");
  } else if (flags.on("enable-zero-bubble")) {
    translate_zero_bubble(flags, output);
  } else if (flags.on("enable-zbh1-pipeline")) {
    output.give(kSchedule, "zero_bubble_h1", *flags.find("enable-zbh1-pipeline"));
  }
}

void translate_sharding(const FlagSet& flags, const Given& given, Output& output) {
  constexpr const char* kKey = "parallelism.zero_stage";
  const FlagSet::Entry* const strategy = flags.find("data-parallel-sharding-strategy");
  if (flags.on("use-torch-fsdp2")) {
    const bool keeps = flags.on("torch-fsdp2-no-reshard-after-forward");
    output.give(kKey, keeps ? "2" : "3", *flags.find("use-torch-fsdp2"));
  } else if (flags.on("use-megatron-fsdp") && strategy != nullptr) {
    const std::string value = output.choice(*strategy, flags.value("data-parallel-sharding-strategy"));
    if (!value.empty()) output.give(kKey, value, *strategy);
  } else if (strategy != nullptr && !given.complete) {
    output.warn(*strategy, "has no effect without --use-megatron-fsdp");
  }
}

}  // namespace

void translate_parallelism(const FlagSet& flags, const Given& given, Output& output) {
  translate_schedule(flags, output);
  translate_sharding(flags, given, output);
}

}  // namespace shardsim::input::megatron
