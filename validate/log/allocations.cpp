#include "validate/log/allocations.hpp"

#include <algorithm>
#include <utility>

#include "sim/memory/model_state.hpp"
#include "sim/model/end_operators.hpp"
#include "sim/model/layout.hpp"
#include "sim/model/operators.hpp"
#include "sim/model/parameters.hpp"
#include "sim/model/rank_sizes.hpp"

namespace shardsim::validate::log {
namespace {

using model::Operator;
using model::OperatorKind;

constexpr std::int64_t kFloat = 4;

class List {
 public:
  void add(std::string name, std::int64_t bytes, Part part) {
    const auto same = [&](const Allocation& known) { return known.name == name; };
    if (bytes <= 0 || std::any_of(all.begin(), all.end(), same)) return;
    all.push_back({std::move(name), Bytes{bytes}, part});
  }
  std::vector<Allocation> all;
};

/// Contiguous buffers that Megatron-LM and ZeRO keep for all of a rank's parameters.
void add_state(const model::Scenario& scenario, const model::Stage& stage, std::size_t index, List& list) {
  const std::int64_t parameters = model::rank_parameters(scenario, stage);
  const memory::Shards shards = memory::shards(scenario.parallelism);
  const std::int64_t stored = storage_size(scenario.training.precision).value();
  const std::int64_t gradient = storage_size(scenario.training.gradient_dtype).value();
  const auto chunks = static_cast<std::int64_t>(stage.chunks.size());
  const std::string of = " of stage " + std::to_string(index);
  const auto share = [&](std::int64_t bytes, std::int64_t parts) { return parameters * bytes / parts; };
  list.add("gradient buffer" + of, share(gradient, shards.gradients * chunks), Part::gradients);
  list.add("parameter buffer" + of, share(stored, shards.parameters * chunks), Part::parameters);
  list.add("fp32 master weights or one moment of the optimizer" + of, share(kFloat, shards.optimizer), Part::optimizer);
  list.add("fp32 copy of the gradients" + of, share(kFloat, 1), Part::optimizer);
}

void add_weights(const model::Scenario& scenario, const model::RankSizes& sizes, List& list) {
  const auto add = [&](const std::string& name, std::int64_t elements) {
    list.add(name + ", weight", elements * sizes.element, Part::parameters);
    list.add(name + ", fp32 gradient, master weight or moment", elements * kFloat, Part::optimizer);
  };
  add("word embedding", model::word_embedding_per_rank(scenario));
  add("linear_qkv", sizes.hidden * (sizes.query_width + sizes.key_value_width));
  add("linear_fc1", sizes.hidden * sizes.fc1_width);
  add("linear_fc2", sizes.hidden * sizes.ffn);
  list.add("gathered parameters of one layer", model::layer_parameters_per_rank(scenario) * sizes.element,
           Part::communication);
  list.add("gradient bucket", scenario.stack.gradient_bucket.value(), Part::gradients);
}

void add_loss(const model::Scenario& scenario, const model::RankSizes& sizes, List& list) {
  const model::RankSizes head = model::head_sizes(scenario, sizes);
  const std::int64_t logits = head.tokens * head.loss_vocab;
  list.add("logits in fp32 (cross entropy)", logits * kFloat, Part::loss);
  list.add("logits", logits * sizes.element, Part::loss);
}

std::int64_t output_elements(const Operator& op) {
  const std::int64_t columns = op.kind == OperatorKind::attention ? op.shape.k : op.shape.n;
  return op.shape.batch * op.shape.m * columns;
}

void add_outputs(const std::vector<Operator>& operators, Part part, List& list) {
  const std::string pass = part == Part::forward ? ", output" : ", gradient";
  for (const Operator& op : operators) {
    const std::string name{op.name};
    if (is_communication(op.kind)) {
      list.add(name + ", gathered or reduced tensor", op.bytes.value(), Part::communication);
    } else if (op.kind != OperatorKind::cross_entropy && op.kind != OperatorKind::optimizer) {
      const std::int64_t elements = output_elements(op);
      list.add(name + pass, elements * storage_size(op.dtype).value(), part);
      if (op.kind == OperatorKind::softmax) list.add(name + pass + " in fp32", elements * kFloat, part);
    }
  }
}

}  // namespace

std::vector<Allocation> allocations(const model::Scenario& scenario) {
  List list;
  const model::RankSizes sizes{scenario};
  const std::vector<model::Stage> stages = model::layout(scenario.model, scenario.parallelism, scenario.stack);
  add_loss(scenario, sizes, list);
  for (std::size_t i = 0; i < stages.size(); ++i) add_state(scenario, stages[i], i, list);
  const model::OperatorList operators = model::list_operators(scenario);
  for (const model::Block* block : {&operators.layer, &operators.embedding, &operators.head}) {
    add_outputs(block->forward, Part::forward, list);
    add_outputs(block->backward, Part::backward, list);
  }
  add_weights(scenario, sizes, list);
  return std::move(list.all);
}

Bytes block_size(Bytes bytes) {
  if (bytes <= 1_MiB) return 2_MiB;
  if (bytes < 10_MiB) return 20_MiB;
  constexpr std::int64_t kRound = std::int64_t{2} << 20;
  return Bytes{(bytes.value() + kRound - 1) / kRound * kRound};
}

}  // namespace shardsim::validate::log
