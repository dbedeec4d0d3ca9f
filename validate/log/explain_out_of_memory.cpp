#include "validate/log/explain_out_of_memory.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "sim/base/check.hpp"
#include "validate/log/fields.hpp"

namespace shardsim::validate::log {
namespace {

constexpr std::size_t kMostMatches = 3;
constexpr double kNear = 0.05;

/// What the innermost frames of a traceback speak for; several may.
bool speaks_for(const std::string& traceback, Part part) {
  constexpr std::array<std::pair<std::string_view, Part>, 17> kWords{{
      {"cross_entropy", Part::loss},
      {"logits", Part::loss},
      {"loss_func", Part::loss},
      {"optimizer", Part::optimizer},
      {"exp_avg", Part::optimizer},
      {"fused_adam", Part::optimizer},
      {"param_and_grad_buffer", Part::gradients},
      {"grad_data", Part::gradients},
      {"distributed_data_parallel", Part::gradients},
      {"contiguous_grad", Part::gradients},
      {"model_provider", Part::parameters},
      {"_initialize_affine_weight", Part::parameters},
      {"all_gather", Part::communication},
      {"gather_along", Part::communication},
      {"autograd", Part::backward},
      {".backward(", Part::backward},
      {"forward_step", Part::forward},
  }};
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](const auto& word) { return word.second == part && contains(traceback, word.first); });
}

double distance(Bytes block, Bytes tried) { return std::abs((block - tried).as_double()); }

void find_matches(const Comparison& comparison, OutOfMemoryExplained& result) {
  const OutOfMemory& message = result.message;
  result.last_straw = message.tried <= 20_MiB;
  if (result.last_straw) return;
  std::vector<Allocation> all = allocations(comparison.scenario);
  const auto keep = [&](double within) {
    std::vector<Allocation> kept;
    std::copy_if(all.begin(), all.end(), std::back_inserter(kept),
                 [&](const Allocation& one) { return distance(block_size(one.bytes), message.tried) <= within; });
    return kept;
  };
  // What is printed is rounded, and the buffers of some programs are padded to their next block.
  std::vector<Allocation> matches = keep(message.rounding.as_double() + 1.0);
  result.exact = !matches.empty();
  if (!result.exact) matches = keep(kNear * message.tried.as_double());
  std::stable_sort(matches.begin(), matches.end(), [&](const Allocation& a, const Allocation& b) {
    const bool first = speaks_for(message.traceback, a.part);
    const bool second = speaks_for(message.traceback, b.part);
    if (first != second) return first;
    return distance(block_size(a.bytes), message.tried) < distance(block_size(b.bytes), message.tried);
  });
  if (matches.size() > kMostMatches) matches.resize(kMostMatches);
  result.matches = std::move(matches);
}

void account(OutOfMemoryExplained& result) {
  const OutOfMemory& message = result.message;
  if (message.capacity && message.free) result.need = *message.capacity - *message.free + message.tried;
  if (!message.reserved) return;
  if (message.allocated) result.unallocated = *message.reserved - *message.allocated;
  if (message.capacity && message.free) {
    const Bytes outside = *message.capacity - *message.free - *message.reserved;
    if (outside > Bytes{0}) result.outside = outside;
  }
  result.fragmented = result.unallocated && *result.unallocated >= message.tried;
}

/// A device so small that the unchanged job fails on it as it did.
model::Scenario on_the_device(const Comparison& comparison, const OutOfMemoryExplained& result) {
  model::Scenario scenario = comparison.scenario;
  Bytes& capacity = scenario.cluster.device.memory_capacity;
  if (result.message.capacity) capacity = *result.message.capacity;
  const Bytes predicted = comparison.prediction.memory.worst().device_used;
  if (result.need && *result.need > predicted) {
    capacity = rounded_bytes(capacity.as_double() * (predicted / *result.need));
  }
  return scenario;
}

}  // namespace

OutOfMemoryExplained explain(const Comparison& comparison) {
  const std::vector<OutOfMemory>& messages = comparison.log.out_of_memory;
  SHARDSIM_CHECK(!messages.empty(), "a log without an out-of-memory message is explained");
  OutOfMemoryExplained result;
  result.message = messages.front();
  result.messages = messages.size();
  find_matches(comparison, result);
  account(result);
  result.changes = plan::changes_that_fit(on_the_device(comparison, result));
  return result;
}

}  // namespace shardsim::validate::log
