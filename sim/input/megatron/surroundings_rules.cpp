// What is known beside the flags: how many GPUs the launch starts, and what a row of test runs leaves out.
#include <string>

#include "sim/input/megatron/rules.hpp"

namespace shardsim::input::megatron {
namespace {

constexpr const char* kVocabulary = "vocabulary of Megatron-LM's functional tests";

void translate_row(const RunRow& row, const FlagSet& flags, Output& output) {
  const auto named = [&](const char* part) { return row.case_name.find(part) != std::string::npos; };
  if (!row.case_name.empty()) output.assume("name", row.case_name, "the case of the row");
  // Only used when the flags give none: a given value is stronger.
  const bool large = named("gpt3_15b");
  output.assume("model.vocab_size", row.family == "bert" ? "29056" : large ? "256000" : "50257", kVocabulary);
  if (named("account_for_embedding")) {
    output.assume("parallelism.account_for_embedding_in_pipeline_split", "true", "the case is named so");
  }
  if (named("account_for_loss") || named("embedding_loss_in_pipeline_split")) {
    output.assume("parallelism.account_for_loss_in_pipeline_split", "true", "the case is named so");
  }
  const bool automatic = flags.find("attention-backend") == nullptr || flags.value("attention-backend") == "auto";
  if (row.platform.compare(0, 20, "lts_dgxa100_dracooci") == 0 && automatic && flags.names("deterministic-mode")) {
    output.assume("training.attention_kernel", "unfused", "the deterministic image of this platform chooses it");
  }
}

}  // namespace

void translate_surroundings(const FlagSet& flags, const Given& given, Output& output) {
  if (given.row) translate_row(*given.row, flags, output);
  if (const FlagSet::Entry* const world = flags.find("world-size")) {
    output.give("cluster.gpus", flags.value("world-size"), *world);
  } else if (given.size) {
    output.assume("cluster.gpus", std::to_string(given.size->gpus), given.size->from);
  } else if (given.row) {
    output.assume("cluster.gpus", "8", "the row gives no world size; the test machines have 8 GPUs");
  }
}

}  // namespace shardsim::input::megatron
