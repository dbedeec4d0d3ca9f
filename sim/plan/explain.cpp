#include "sim/plan/explain.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/base/check.hpp"
#include "sim/engine/time_terms.hpp"
#include "sim/model/enum_text.hpp"

namespace shardsim::plan {
namespace {

using engine::Term;

/// Something that a planner chooses, as a person names it.
struct Choice {
  std::string_view name;
  std::string (*value)(const model::Scenario&);
  /// Terms that it bears on.
  std::vector<Term> terms;
};

std::string number(std::int64_t value) { return std::to_string(value); }

const std::vector<Choice>& choices() {
  using model::Scenario;
  static const std::vector<Choice> all = {
      {"tensor parallel",
       [](const Scenario& s) { return number(s.parallelism.tensor_model_parallel_size); },
       {Term::tensor_parallel_exposed, Term::matrix_multiply, Term::attention, Term::memory_bound, Term::host_wait,
        Term::optimizer, Term::data_parallel_exposed}},
      {"sequence parallel",
       [](const Scenario& s) { return std::string(s.parallelism.sequence_parallel ? "on" : "off"); },
       {Term::memory_bound, Term::tensor_parallel_exposed}},
      {"pipeline stages",
       [](const Scenario& s) { return number(s.parallelism.pipeline_model_parallel_size); },
       {Term::pipeline_bubble, Term::pipeline_exposed, Term::matrix_multiply, Term::attention, Term::memory_bound,
        Term::optimizer, Term::data_parallel_exposed, Term::host_wait}},
      {"virtual stages",
       [](const Scenario& s) { return number(s.parallelism.virtual_pipeline_model_parallel_size); },
       {Term::pipeline_bubble, Term::pipeline_exposed}},
      {"schedule",
       [](const Scenario& s) { return std::string(model::choice_text(s.parallelism.schedule)); },
       {Term::pipeline_bubble}},
      {"context parallel",
       [](const Scenario& s) { return number(s.parallelism.context_parallel_size); },
       {Term::context_parallel_exposed, Term::attention, Term::matrix_multiply}},
      {"data parallel",
       [](const Scenario& s) { return number(s.parallelism.data_parallel_size); },
       {Term::data_parallel_exposed, Term::optimizer}},
      {"ZeRO stage",
       [](const Scenario& s) { return number(s.parallelism.zero_stage); },
       {Term::data_parallel_exposed, Term::optimizer, Term::allocator_retries}},
      {"micro batch",
       [](const Scenario& s) { return number(s.training.micro_batch_size); },
       {Term::matrix_multiply, Term::attention, Term::host_wait, Term::memory_bound, Term::tensor_parallel_exposed,
        Term::allocator_retries}},
      {"micro batches per iteration",
       [](const Scenario& s) { return number(model::micro_batches(s)); },
       {Term::pipeline_bubble, Term::host_wait, Term::pipeline_exposed, Term::tensor_parallel_exposed}},
      {"recomputation",
       [](const Scenario& s) { return std::string(model::choice_text(s.training.recompute.granularity)); },
       {Term::recompute, Term::tensor_parallel_exposed, Term::host_wait, Term::allocator_retries}},
      {"GPUs", [](const Scenario& s) { return number(s.gpus); }, {Term::data_parallel_exposed}},
  };
  return all;
}

std::string cause(Term term, const model::Scenario& winner, const model::Scenario& other) {
  std::string text;
  for (const Choice& choice : choices()) {
    if (std::find(choice.terms.begin(), choice.terms.end(), term) == choice.terms.end()) continue;
    const std::string here = choice.value(winner);
    const std::string there = choice.value(other);
    if (here == there) continue;
    text += (text.empty() ? "" : ", ") + std::string(choice.name) + " " + here + " instead of " + there;
  }
  return text;
}

}  // namespace

Comparison compare(const Candidate& winner, const Candidate& other) {
  const engine::Prediction& here = winner.prediction;
  const engine::Prediction& there = other.prediction;
  SHARDSIM_CHECK(here.time.size() == engine::kTerms && there.time.size() == engine::kTerms, "every term once");
  Comparison comparison{here.iteration, there.iteration, {}, here.memory.margin(), there.memory.margin()};
  for (std::size_t i = 0; i < engine::kTerms; ++i) {
    if (here.time[i].time == there.time[i].time) continue;
    comparison.terms.push_back({here.time[i].name, here.time[i].time, there.time[i].time,
                                cause(static_cast<Term>(i), winner.scenario, other.scenario)});
  }
  std::stable_sort(comparison.terms.begin(), comparison.terms.end(),
                   [](const TermDifference& a, const TermDifference& b) {
                     return std::abs(a.saved().value()) > std::abs(b.saved().value());
                   });
  return comparison;
}

}  // namespace shardsim::plan
