#include <algorithm>
#include <cstdlib>

#include "sim/input/megatron/rules.hpp"

namespace shardsim::input::megatron {
namespace {

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

void translate_family(const FlagSet& flags, const Given& given, Output& output) {
  for (const char* const other :
       {"t5", "vit", "vision", "ict", "retro", "mamba", "vlm", "dino", "realm", "biencoder"}) {
    if (contains(given.program, "_" + std::string(other))) {
      output.problem(given.program + " trains a kind of model that is not predicted: GPT, BERT and LLaMA types are");
    }
  }
  const bool bert_tokenizer = flags.value("tokenizer-type").compare(0, 13, "BertWordPiece") == 0;
  const bool bert_row = given.row && given.row->family == "bert";
  if (contains(given.program, "bert")) {
    output.assume("model.family", "bert", "the launch script runs " + given.program);
  } else if (bert_row) {
    output.assume("model.family", "bert", "the family of the row");
  } else if (given.program.empty() && flags.on("bert-no-binary-head") && !given.complete) {
    output.assume("model.family", "bert", "--bert-no-binary-head is BERT's flag");
  } else if (given.program.empty() && bert_tokenizer) {
    output.assume("model.family", "bert", "the tokenizer is BERT's");
  } else if (contains(given.program, "pretrain")) {
    output.assume("model.family", "gpt", "the launch script runs " + given.program);
  }
  if (const auto* head = flags.find("bert-no-binary-head"); head != nullptr && flags.on("bert-no-binary-head")) {
    output.give("model.output_head", "masked_lm", *head);
  }
  const bool is_bert = contains(given.program, "bert") || bert_tokenizer;
  if (const auto* head = flags.find("bert-binary-head"); head != nullptr && flags.off("bert-binary-head") && is_bert) {
    output.give("model.output_head", "masked_lm", *head);
  }
}

void translate_vocabulary(const FlagSet& flags, Output& output) {
  const FlagSet::Entry* const padded = flags.find("padded-vocab-size");
  if (padded == nullptr) return;
  output.give("model.vocab_size", flags.value("padded-vocab-size"), *padded);
  output.give("model.make_vocab_size_divisible_by", "1", *padded);
}

void translate_heads(const FlagSet& flags, const Given& given, Output& output) {
  const FlagSet::Entry* const groups = flags.find("num-query-groups");
  const FlagSet::Entry* const grouped = flags.find("group-query-attention");
  if (flags.on("group-query-attention")) {
    // Megatron's own default is one group.
    output.give("model.num_query_groups", groups == nullptr ? "1" : flags.value("num-query-groups"),
                groups == nullptr ? *grouped : *groups);
  } else if (groups != nullptr && !given.complete) {
    output.warn(*groups, "has no effect without --group-query-attention");
  }
}

void translate_positions(const FlagSet& flags, Output& output) {
  const FlagSet::Entry* const type = flags.find("position-embedding-type");
  const FlagSet::Entry* const rotary = flags.find("use-rotary-position-embeddings");
  const FlagSet::Entry* const removed = flags.on("no-position-embedding")     ? flags.find("no-position-embedding")
                                        : flags.off("add-position-embedding") ? flags.find("add-position-embedding")
                                                                              : nullptr;
  if (rotary != nullptr && flags.on("use-rotary-position-embeddings")) {
    output.give("model.position_embedding", "rotary", *rotary);
  } else if (type != nullptr) {
    const std::string text = flags.value("position-embedding-type");
    const std::string value = output.choice(*type, text);
    if (text == "relative") output.warn(*type, "relative positions are not modelled: left out");
    if (!value.empty()) output.give("model.position_embedding", value, *type);
  } else if (removed != nullptr) {
    output.give("model.position_embedding", "none", *removed);
  }
}

void translate_experts(const FlagSet& flags, Output& output) {
  const FlagSet::Entry* const experts = flags.find("num-experts");
  if (experts == nullptr) return;
  long long most = 0;
  for (const Word& word : experts->use.values) most = std::max(most, std::strtoll(word.text.c_str(), nullptr, 10));
  if (most > 1) output.give("model.num_experts", std::to_string(most), *experts);
}

}  // namespace

void translate_model(const FlagSet& flags, const Given& given, Output& output) {
  translate_family(flags, given, output);
  const auto stand_in = [&](const char* instead, const char* usual, const char* key) {
    const FlagSet::Entry* const entry = flags.find(instead);
    if (entry != nullptr && flags.find(usual) == nullptr) output.give(key, flags.value(instead), *entry);
  };
  stand_in("encoder-num-layers", "num-layers", "model.num_layers");
  stand_in("encoder-seq-length", "seq-length", "model.seq_length");
  translate_vocabulary(flags, output);
  translate_heads(flags, given, output);
  translate_positions(flags, output);
  translate_experts(flags, output);
}

}  // namespace shardsim::input::megatron
