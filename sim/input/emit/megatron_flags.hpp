// The flags of one generation of Megatron-LM for one scenario.
#pragma once

#include <string>
#include <vector>

#include "sim/input/emit/generation.hpp"
#include "sim/model/scenario.hpp"

namespace shardsim::input::emitting {

/// "--name value" by subject.
struct Flag {
  Subject subject = Subject::shape;
  std::string text;
};

/// Everything that the generation's flags can say of the scenario, but for kTakingAway and what runs it (data, steps).
[[nodiscard]] std::vector<Flag> megatron_flags(const model::Scenario& scenario, Generations generation);

/// The flag of kTakingAway that gives `key` the scenario's value; empty text = the generation has none.
[[nodiscard]] Flag taking_away(const model::Scenario& scenario, std::string_view key, Generations generation);

/// Whether a flag of this generation can give this setting (alone or with others).
[[nodiscard]] bool has_flag_for(std::string_view key, Generations generation);

}  // namespace shardsim::input::emitting
