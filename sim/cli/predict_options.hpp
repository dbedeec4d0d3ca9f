// The options of `shardsim predict`.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sim/cli/command.hpp"
#include "sim/engine/event/variation.hpp"

namespace shardsim::cli {

enum class Format { table, json, csv };
enum class Engine { closed_form, event };

/// What the event engine is asked for beyond the prediction.
struct PlayOptions {
  engine::event::Variation variation;
  /// File of the trace.
  std::string trace;
  /// First and last rank of each range; empty = one data-parallel replica.
  std::vector<std::pair<std::int64_t, std::int64_t>> trace_ranks;
  bool timeline = false;
};

/// As given; empty = not given. Files may be "-" (standard input).
struct PredictOptions {
  bool help = false;
  /// A TOML file or the name of a run preset.
  std::string scenario;
  std::string megatron;
  std::string hf_config;
  std::string deepspeed_config;
  std::string model;
  std::string cluster;
  std::string stack;
  std::string device;
  std::string gpus;
  /// "section.key=value" each.
  std::vector<std::string> set;
  Format format = Format::table;
  Engine engine = Engine::closed_form;
  /// Of the event engine.
  PlayOptions play;
};

/// Throws InputError for unknown or malformed options.
[[nodiscard]] PredictOptions parse_predict_options(const Arguments& arguments);

[[nodiscard]] std::string predict_help();

}  // namespace shardsim::cli
