#include "sim/plan/packed.hpp"

#include <string>

#include "sim/base/check.hpp"
#include "sim/engine/closed_form.hpp"

namespace shardsim::plan {
namespace {

void pack(std::vector<std::int64_t>& numbers, const std::vector<Candidate>& candidates) {
  numbers.push_back(static_cast<std::int64_t>(candidates.size()));
  for (const Candidate& candidate : candidates) {
    const Degrees& d = candidate.degrees;
    for (const std::int64_t number :
         {candidate.place, d.tensor_model_parallel_size, d.pipeline_model_parallel_size,
          d.virtual_pipeline_model_parallel_size, d.context_parallel_size, d.micro_batch_size,
          static_cast<std::int64_t>(d.recompute_granularity), static_cast<std::int64_t>(d.sequence_parallel),
          static_cast<std::int64_t>(d.zero_stage), static_cast<std::int64_t>(d.schedule)}) {
      numbers.push_back(number);
    }
  }
}

class Reader {
 public:
  explicit Reader(const std::vector<std::int64_t>& numbers) : numbers_{numbers} {}

  std::int64_t next() {
    SHARDSIM_CHECK(at_ < numbers_.size(), "a packed answer that ends early");
    return numbers_[at_++];
  }

  std::vector<Candidate> candidates(const model::Scenario& base) {
    std::vector<Candidate> all;
    for (std::int64_t left = next(); left > 0; --left) {
      const std::int64_t place = next();
      Degrees d;
      d.tensor_model_parallel_size = next();
      d.pipeline_model_parallel_size = next();
      d.virtual_pipeline_model_parallel_size = next();
      d.context_parallel_size = next();
      d.micro_batch_size = next();
      d.recompute_granularity = static_cast<model::RecomputeGranularity>(next());
      d.sequence_parallel = next() != 0;
      d.zero_stage = static_cast<int>(next());
      d.schedule = static_cast<model::Schedule>(next());
      model::Scenario scenario = with_degrees(base, d);
      engine::Prediction prediction = engine::predict(scenario);
      all.push_back({d, std::move(scenario), std::move(prediction), place});
    }
    return all;
  }

 private:
  const std::vector<std::int64_t>& numbers_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<std::int64_t> packed(const SearchResult& result) {
  std::vector<std::int64_t> numbers{result.considered, result.out_of_memory, result.interrupted ? 1 : 0};
  for (std::size_t i = 0; i < kReasons; ++i) {
    const auto found = result.impossible.find(std::string(reason_text(static_cast<Reason>(i))));
    numbers.push_back(found == result.impossible.end() ? 0 : found->second);
  }
  pack(numbers, result.candidates);
  pack(numbers, result.nearest);
  return numbers;
}

SearchResult unpacked(const model::Scenario& base, const std::vector<std::int64_t>& numbers) {
  Reader reader{numbers};
  SearchResult result;
  result.considered = reader.next();
  result.out_of_memory = reader.next();
  result.interrupted = reader.next() != 0;
  for (std::size_t i = 0; i < kReasons; ++i) {
    const std::int64_t count = reader.next();
    if (count > 0) result.impossible[std::string(reason_text(static_cast<Reason>(i)))] = count;
  }
  result.candidates = reader.candidates(base);
  result.nearest = reader.candidates(base);
  return result;
}

}  // namespace shardsim::plan
