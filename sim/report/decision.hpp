// A planner's decision in words and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sim/plan/decision.hpp"

namespace shardsim::report {

/// Terms of a comparison that are told; the rest is one line.
inline constexpr std::size_t kMostReasons = 6;

/// For people, at most kTableColumns wide:
///   Why        the runner-up takes 2.350 s, 250.0 ms (11.9 %) more
///     pipeline_bubble            120.0 ms less   (5.1 %)  pipeline stages 2 instead of 4
///     memory                     12.30 GiB to spare instead of 8.10 GiB
///   How sure   …
[[nodiscard]] std::vector<std::string> decision_lines(const plan::Decision& decision);

/// The members why[], confidence{} and, with several objectives, pareto[]:
///   why[{against, winner_s, other_s, saved_s, saved_share, winner_margin_bytes, other_margin_bytes,
///     terms[{term, winner_s, other_s, saved_s, saved_share, cause}]}]
///                            against: runner_up, given; shares of the other plan's iteration
///   confidence{probability_best, flips[{constant, title, factor}], within_factor}
///   pareto[{tensor_model_parallel_size, …, time, memory, cost, gpus}]
///                            of the objectives asked for, in s, bytes, GPU s
void add_decision(nlohmann::ordered_json& json, const plan::Decision& decision);

}  // namespace shardsim::report
