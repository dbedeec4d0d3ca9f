// Hand-made rows of measured runs.
#pragma once

#include <string>

#include "validate/readers.hpp"
#include "validate/record.hpp"

namespace shardsim::validate {

/// A complete row of a GPT on 16 A100: 2 TP x 4 PP x 2 DP.
inline Json gpt_row() {
  return Json::parse(R"({
    "id": "r1", "source": "paper", "source_where": "table 1", "framework": "Megatron-LM", "year": 2021,
    "quality": "A", "suspect": null, "precision_class": "fp16",
    "model": {"family": "gpt", "layers": 24, "hidden": 2304, "heads": 24, "kv_heads": 24, "ffn": 9216,
              "vocab": 51200, "seq": 2048},
    "hardware": {"device": "a100-80gb", "gpus": 16, "cluster": "a100-dgx"},
    "parallel": {"tp": 2, "pp": 4, "vpp": 1, "dp": 2, "cp": null, "recompute": "full", "schedule": "1F1B"},
    "batch": {"micro": 4, "global": 64},
    "measured": {"iteration_s": 2.5, "memory_gb": 20.0, "memory_kind": "torch_peak_allocated"}})");
}

inline Record read(const Json& row) { return read_published_row(row, "rows.jsonl", 7); }

/// The row with one value changed: `pointer` as in "/parallel/tp".
inline Json with(Json row, const std::string& pointer, const Json& value) {
  row[Json::json_pointer{pointer}] = value;
  return row;
}

/// "" where the key is not set.
inline std::string value_of(const Record& record, std::string_view key) {
  const input::Setting* setting = record.settings.find(key);
  return setting == nullptr ? "" : setting->value;
}

/// Whether the key is set by a rule, not by the row.
inline bool is_assumed(const Record& record, std::string_view key) {
  const input::Setting* setting = record.settings.find(key);
  return setting != nullptr && !setting->assumed_because.empty();
}

}  // namespace shardsim::validate
