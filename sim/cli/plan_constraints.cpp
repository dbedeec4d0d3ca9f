#include "sim/cli/plan_constraints.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string_view>

#include "sim/base/problems.hpp"
#include "sim/base/suggest.hpp"
#include "sim/cli/command.hpp"
#include "sim/input/scenario_file.hpp"
#include "sim/input/schema.hpp"
#include "sim/input/units.hpp"
#include "sim/model/enum_text.hpp"

namespace shardsim::cli {
namespace {

using plan::Space;

/// One of the choices of a layout: how it is called, and its values as whole numbers.
struct Dimension {
  std::string_view name;
  /// As a scenario file knows it.
  std::string_view key;
  std::function<std::vector<std::int64_t>(const Space&)> get;
  std::function<void(Space&, const std::vector<std::int64_t>&)> set;
  std::function<std::int64_t(const model::Scenario&)> field;
};

template <class Member, class Field>
Dimension dimension(std::string_view name, std::string_view key, Member member, Field field) {
  const auto get = [member](const Space& space) {
    std::vector<std::int64_t> values;
    for (const auto value : space.*member) values.push_back(static_cast<std::int64_t>(value));
    return values;
  };
  const auto set = [member](Space& space, const std::vector<std::int64_t>& values) {
    auto& target = space.*member;
    using Value = typename std::decay_t<decltype(target)>::value_type;
    target.clear();
    for (const std::int64_t value : values) target.push_back(static_cast<Value>(value));
  };
  const auto read = [field](const model::Scenario& scenario) { return static_cast<std::int64_t>(field(scenario)); };
  return {name, key, get, set, read};
}

const std::vector<Dimension>& dimensions() {
  using model::Scenario;
  static const std::vector<Dimension> all{
      dimension("tensor_model_parallel_size", "parallelism.tensor_model_parallel_size",
                &Space::tensor_model_parallel_size,
                [](const Scenario& s) { return s.parallelism.tensor_model_parallel_size; }),
      dimension("pipeline_model_parallel_size", "parallelism.pipeline_model_parallel_size",
                &Space::pipeline_model_parallel_size,
                [](const Scenario& s) { return s.parallelism.pipeline_model_parallel_size; }),
      dimension("virtual_pipeline_model_parallel_size", "parallelism.virtual_pipeline_model_parallel_size",
                &Space::virtual_pipeline_model_parallel_size,
                [](const Scenario& s) { return s.parallelism.virtual_pipeline_model_parallel_size; }),
      dimension("context_parallel_size", "parallelism.context_parallel_size", &Space::context_parallel_size,
                [](const Scenario& s) { return s.parallelism.context_parallel_size; }),
      dimension("data_parallel_size", "parallelism.data_parallel_size", &Space::data_parallel_size,
                [](const Scenario& s) { return s.parallelism.data_parallel_size; }),
      dimension("micro_batch_size", "training.micro_batch_size", &Space::micro_batch_size,
                [](const Scenario& s) { return s.training.micro_batch_size; }),
      dimension("recompute_granularity", "training.recompute.granularity", &Space::recompute_granularity,
                [](const Scenario& s) { return s.training.recompute.granularity; }),
      dimension("sequence_parallel", "parallelism.sequence_parallel", &Space::sequence_parallel,
                [](const Scenario& s) { return s.parallelism.sequence_parallel; }),
      dimension("zero_stage", "parallelism.zero_stage", &Space::zero_stage,
                [](const Scenario& s) { return s.parallelism.zero_stage; }),
      dimension("schedule", "parallelism.schedule", &Space::schedule,
                [](const Scenario& s) { return s.parallelism.schedule; })};
  return all;
}

/// One --fixed or --forbid, read.
struct Constraint {
  std::string option;
  std::string text;
  const Dimension* dimension = nullptr;
  std::vector<std::int64_t> values;
  [[nodiscard]] bool fixes() const { return option == "--fixed"; }
};

const Dimension* find_dimension(std::string_view name) {
  for (const Dimension& dimension : dimensions()) {
    if (dimension.name == name || dimension.key == name) return &dimension;
  }
  return nullptr;
}

/// Whole of "a,b": the words between the commas.
std::vector<std::string> words(std::string_view list) {
  std::vector<std::string> found;
  while (true) {
    const std::size_t comma = list.find(',');
    found.emplace_back(list.substr(0, comma));
    if (comma == std::string_view::npos) return found;
    list.remove_prefix(comma + 1);
  }
}

[[noreturn]] void refuse(const std::string& option, const std::string& text, const std::string& message) {
  throw InputError({Problem{{"command line", 0, option}, "", text, message}});
}

[[noreturn]] void unknown_key(const Constraint& constraint, const std::string& name) {
  std::vector<std::string> known{"use_distributed_optimizer"};
  for (const Dimension& dimension : dimensions()) known.emplace_back(dimension.name);
  std::string message = name + " is nothing that a plan chooses" + suggestion(name, known);
  if (input::find_key(name) != nullptr) message += "; --set " + constraint.text + " gives it";
  refuse(constraint.option, constraint.text, message);
}

std::vector<std::int64_t> read_values(const Constraint& constraint, std::string_view list) {
  std::vector<std::int64_t> values;
  for (const std::string& word : words(list)) {
    model::Scenario scenario;
    const std::string error = input::find_key(constraint.dimension->key)->read(scenario, word);
    if (!error.empty()) refuse(constraint.option, constraint.text, "`" + word + "` " + error);
    values.push_back(constraint.dimension->field(scenario));
  }
  return values;
}

/// Every ZeRO stage above 0 that the stack has, or ZeRO-1 where it has none.
std::vector<std::int64_t> sharded_stages(const model::Scenario& base) {
  std::vector<std::int64_t> stages{1};
  for (int stage = 2; stage <= base.stack.abilities.largest_zero_stage; ++stage) stages.push_back(stage);
  return stages;
}

Constraint read_constraint(const std::string& option, const std::string& text, const model::Scenario& base) {
  Constraint constraint{option, text, nullptr, {}};
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos || equals + 1 == text.size()) {
    refuse(option, text, "expected key=value, as tensor_model_parallel_size=8");
  }
  const std::string name = text.substr(0, equals);
  const std::string_view list = std::string_view(text).substr(equals + 1);
  if (name == "use_distributed_optimizer" || name == "parallelism.use_distributed_optimizer") {
    const auto flag = input::parse_bool(list);
    if (!flag.value) refuse(option, text, flag.error);
    constraint.dimension = find_dimension("zero_stage");
    constraint.values = *flag.value ? sharded_stages(base) : std::vector<std::int64_t>{0};
    return constraint;
  }
  constraint.dimension = find_dimension(name);
  if (constraint.dimension == nullptr) unknown_key(constraint, name);
  constraint.values = read_values(constraint, list);
  return constraint;
}

std::vector<Constraint> read_all(const Constraints& constraints, const model::Scenario& base) {
  std::vector<Constraint> all;
  for (const std::string& text : constraints.fixed) all.push_back(read_constraint("--fixed", text, base));
  for (const std::string& text : constraints.forbidden) all.push_back(read_constraint("--forbid", text, base));
  return all;
}

bool contains(const std::vector<std::int64_t>& values, std::int64_t value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

/// Divisors of the GPUs, which an empty list of data-parallel sizes stands for.
std::vector<std::int64_t> all_sizes(std::int64_t gpus) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = 1; size <= gpus; ++size) {
    if (gpus % size == 0) sizes.push_back(size);
  }
  return sizes;
}

/// The first --fixed of a choice may name values that the search would not try; each further constraint takes away.
/// False: nothing is left of some choice, named in `emptied`.
bool apply(Space& space, const model::Scenario& base, const std::vector<Constraint>& constraints,
           std::string& emptied) {
  std::map<std::string_view, bool> fixed;
  for (const Constraint& constraint : constraints) {
    std::vector<std::int64_t> values = constraint.dimension->get(space);
    if (values.empty()) values = all_sizes(base.gpus);
    const bool first = constraint.fixes() && !fixed[constraint.dimension->name];
    if (first) {
      values = constraint.values;
      fixed[constraint.dimension->name] = true;
    } else {
      const auto goes = [&](std::int64_t value) { return contains(constraint.values, value) != constraint.fixes(); };
      values.erase(std::remove_if(values.begin(), values.end(), goes), values.end());
    }
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    constraint.dimension->set(space, values);
    if (!values.empty()) continue;
    emptied = constraint.dimension->name;
    return false;
  }
  return true;
}

std::string listed(const std::vector<Constraint>& constraints, std::string_view name) {
  std::string text;
  for (const Constraint& constraint : constraints) {
    if (!name.empty() && constraint.dimension->name != name) continue;
    text += (text.empty() ? "" : ", ") + constraint.option + " " + constraint.text;
  }
  return text;
}

/// The most frequent reasons why nothing can run.
std::string reasons(const plan::SearchResult& found) {
  std::vector<std::pair<std::int64_t, std::string>> all;
  for (const auto& [reason, count] : found.impossible) all.emplace_back(count, reason);
  std::sort(all.rbegin(), all.rend());
  constexpr std::size_t kShown = 3;
  std::string text;
  for (std::size_t i = 0; i < all.size() && i < kShown; ++i) {
    text += (i == 0 ? "" : "; ") + all[i].second + " (" + std::to_string(all[i].first) + ")";
  }
  return text;
}

}  // namespace

Space constrained(Space space, const model::Scenario& base, const Constraints& constraints) {
  const std::vector<Constraint> all = read_all(constraints, base);
  std::string emptied;
  if (apply(space, base, all, emptied)) return space;
  throw InputError(
      {Problem{{"command line", 0, ""},
               "",
               "",
               "nothing is left of " + emptied + ": " + listed(all, emptied) + " contradict one another"}});
}

void explain_empty(const model::Scenario& base, const Constraints& constraints, const plan::SearchResult& found) {
  const std::vector<Constraint> all = read_all(constraints, base);
  std::string guilty;
  for (std::size_t without = 0; without < all.size(); ++without) {
    std::vector<Constraint> others = all;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(without));
    Space space = plan::whole_space(base);
    std::string unused;
    if (apply(space, base, others, unused) && plan::has_possible(base, space)) {
      guilty += (guilty.empty() ? "" : " or ") + all[without].option + " " + all[without].text;
    }
  }
  std::string message = "no layout can run";
  if (!guilty.empty()) {
    message += "; some could without " + guilty;
  } else if (!all.empty() && plan::has_possible(base, plan::whole_space(base))) {
    message += " under " + listed(all, "") + " together";
  }
  throw InputError({Problem{{}, "", "", message + ": " + reasons(found)}});
}

}  // namespace shardsim::cli
