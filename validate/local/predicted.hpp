// What a profile says of a job before it runs.
#pragma once

#include <string>
#include <vector>

#include "sim/engine/prediction.hpp"
#include "sim/model/scenario.hpp"
#include "validate/evaluate.hpp"
#include "validate/local/jobs.hpp"
#include "validate/local/operator_times.hpp"

namespace shardsim::validate::local {

/// Settings of a profile file: the sections [cluster], [device] and, where it has them, [stack]. Throws InputError.
[[nodiscard]] input::Settings read_profile(const std::string& path);

/// A job on the profile's cluster, trained by this project's own trainer in fp32. Nothing of the cluster is assumed:
/// throws InputError for every value of the profile that is missing or impossible.
[[nodiscard]] model::Scenario scenario_of(const Job& job, const input::Settings& profile);

struct Predicted {
  /// `measured` is not set.
  Pair step;
  Pair allocated;
  Pair resident;
  /// Of the stage that computes longest.
  OperatorTimes operators;
  /// Communication that nothing hides.
  double exposed_communication = 0.0;
  /// Seconds of the probe, by the same profile.
  double probe = 0.0;
};

[[nodiscard]] Predicted predict(const model::Scenario& scenario, Engine engine);

}  // namespace shardsim::validate::local
