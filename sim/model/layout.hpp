// Which stage and chunk holds which layers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/model/scenario.hpp"

namespace shardsim::model {

/// One contiguous piece of the model on one rank.
struct Chunk {
  std::int64_t layers = 0;
  bool embedding = false;
  bool head = false;

  bool operator==(const Chunk&) const = default;
};

/// The chunks of one pipeline stage, in model order (chunk c of stage i is piece c·p + i of the model).
struct Stage {
  std::vector<Chunk> chunks;
  [[nodiscard]] std::int64_t layers() const;
  [[nodiscard]] bool has_embedding() const;
  [[nodiscard]] bool has_head() const;

  bool operator==(const Stage&) const = default;
};

/// Why a split is impossible; empty = possible.
[[nodiscard]] std::string layout_problem(const Model& model, const Parallelism& parallelism, const Stack& stack);

/// Stages in pipeline order. Precondition: layout_problem() is empty.
[[nodiscard]] std::vector<Stage> layout(const Model& model, const Parallelism& parallelism, const Stack& stack);

}  // namespace shardsim::model
