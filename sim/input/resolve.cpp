#include "sim/input/resolve.hpp"

#include "sim/input/resolve_steps.hpp"

namespace shardsim::input {

model::Scenario resolve(const Settings& settings, const std::vector<Preset>& known) {
  Draft draft = with_presets(settings, known);
  draft.read_settings();
  require_values(draft);
  derive_architecture(draft);
  assume_model(draft);
  derive_sizes(draft);
  assume_training(draft);
  assume_parallelism(draft);
  check_shapes(draft);
  check_batch_and_pipeline(draft);
  check_hardware(draft);
  draft.warn_of_values_left_open();
  draft.problems().throw_if_any();
  return std::move(draft.scenario);
}

}  // namespace shardsim::input
