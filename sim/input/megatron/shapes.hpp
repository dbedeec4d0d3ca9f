// The shapes in which Megatron flags are pasted, each read into the same form.
#pragma once

#include <string>
#include <string_view>

#include "sim/base/problems.hpp"
#include "sim/input/megatron/given.hpp"

namespace shardsim::input::megatron {

enum class Shape { empty, binary, dump, json, yaml, shell };

[[nodiscard]] Shape shape_of(std::string_view text);

/// A launch script or a bare line of flags.
[[nodiscard]] Given read_launch(std::string_view text, const std::string& file, Problems& problems);

/// The `arguments` dump that Megatron prints at start ("  hidden_size ..... 1280"), log prefixes and all.
[[nodiscard]] Given read_dump(std::string_view text);

/// A JSON map of flags to values, bare, or a row with "model_args"; of several rows the first.
[[nodiscard]] Given read_json(std::string_view text, const std::string& file, Problems& problems);

/// A YAML map of flags to values, bare, in sections, or under MODEL_ARGS with ENV_VARS.
[[nodiscard]] Given read_yaml(std::string_view text, const std::string& file, Problems& problems);

}  // namespace shardsim::input::megatron
