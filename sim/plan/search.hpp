// All ways to run one job on a number of GPUs, best first.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sim/engine/prediction.hpp"
#include "sim/plan/degrees.hpp"

namespace shardsim::plan {

/// What a search tries: every combination. An empty `data_parallel_size` admits any.
struct Space {
  std::vector<std::int64_t> tensor_model_parallel_size;
  std::vector<std::int64_t> pipeline_model_parallel_size;
  std::vector<std::int64_t> virtual_pipeline_model_parallel_size;
  std::vector<std::int64_t> context_parallel_size;
  std::vector<std::int64_t> data_parallel_size;
  std::vector<std::int64_t> micro_batch_size;
  std::vector<model::RecomputeGranularity> recompute_granularity;
  std::vector<bool> sequence_parallel;
  std::vector<int> zero_stage;
  std::vector<model::Schedule> schedule;
};

/// Everything that the job, its cluster and its stack could run on base.gpus GPUs: divisors within limits that physics
/// sets (tensor parallelism inside a node, context parallelism for long sequences).
[[nodiscard]] Space whole_space(const model::Scenario& base);

struct SearchOptions {
  /// How many candidates are kept; at least one.
  std::size_t best = 10;
  /// Device memory that a candidate may use; 0 = what the device offers.
  Bytes max_memory{0};
  int threads = 1;
  /// One of `parts` equal shares of the space is searched; merged() makes one answer of them.
  int part = 0;
  int parts = 1;
  /// Layouts whose compute alone takes longer than the best known are not timed to the end; the answer is the same.
  bool prunes = true;
  /// Called now and then with the share done; returns false to stop the search, which then gives the best so far.
  std::function<bool(double)> progress;
};

struct Candidate {
  Degrees degrees;
  model::Scenario scenario;
  engine::Prediction prediction;
  /// In the order of the space.
  std::int64_t place = 0;
};

[[nodiscard]] double out_of_memory_probability(const model::Scenario& scenario, Bytes used);

/// Whether a device that uses `used` bytes stays within its memory and within max_memory (0 = no such limit).
[[nodiscard]] bool fits(const model::Scenario& scenario, Bytes used, Bytes max_memory);

struct SearchResult {
  /// Those that fit, fastest first; equal times in the order of the space.
  std::vector<Candidate> candidates;
  /// Combinations looked at; of these impossible (by reason), and not fitting.
  std::int64_t considered = 0;
  std::map<std::string, std::int64_t> impossible;
  std::int64_t out_of_memory = 0;
  /// Where nothing fits: the candidate that exceeds its device by the least.
  std::vector<Candidate> nearest;
  bool interrupted = false;
};

/// The answers of all parts as the whole search gives it.
[[nodiscard]] SearchResult merged(std::vector<SearchResult> parts, std::size_t best);

/// Some combination can run, whether or not it fits.
[[nodiscard]] bool has_possible(const model::Scenario& base, const Space& space);

/// The same answer with any number of threads.
[[nodiscard]] SearchResult search(const model::Scenario& base, const Space& space, const SearchOptions& options);

}  // namespace shardsim::plan
