// Makers of single operators: shape in, FLOPs and bytes filled in.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/model/operators.hpp"
#include "sim/model/rank_sizes.hpp"

namespace shardsim::model {

/// One matrix product batch × (m×k · k×n); `element` bytes per operand element, `output_element` per result element.
[[nodiscard]] Operator matrix_product(std::string_view name, Pass pass, DType dtype, Shape shape, std::int64_t element,
                                      std::int64_t output_element);

/// A memory-bound operator over rows × columns that moves `bytes`.
[[nodiscard]] Operator memory_bound(OperatorKind kind, std::string_view name, Pass pass, DType dtype, std::int64_t rows,
                                    std::int64_t columns, Bytes bytes);

/// A collective or send of `bytes` (the full tensor) over a group.
[[nodiscard]] Operator communicate(OperatorKind kind, std::string_view name, Pass pass, Group group, Bytes bytes);

/// What a column-parallel or row-parallel linear layer runs, forward and backward (Shoeybi et al. 2019, section 3).
class Linear {
 public:
  enum class Split { columns, rows };

  /// `in` and `out`: widths on this rank.
  Linear(const Scenario& scenario, const RankSizes& sizes, std::string_view name, Split split, std::int64_t in,
         std::int64_t out);

  /// Columns: [all-gather] product. Rows: product [all-reduce or reduce-scatter]. `saved`: input bytes kept.
  void forward(std::vector<Operator>& list, Bytes saved) const;
  /// Columns: [all-gather of the saved input] input gradient [all-reduce or reduce-scatter] weight gradient.
  /// Rows: [all-gather of the output gradient] input gradient, weight gradient.
  void backward(std::vector<Operator>& list) const;

 private:
  /// fp8 products take their operands quantised, and transposed for the weight gradient: 2 bytes read and 1 + 1 written
  /// per element (Transformer Engine's cast-transpose). Nothing for other formats.
  void quantise(std::vector<Operator>& list, Pass pass, std::int64_t width) const;
  [[nodiscard]] Operator collective(OperatorKind kind, Pass pass) const;

  const Scenario& scenario_;
  const RankSizes& sizes_;
  std::string_view name_;
  Split split_;
  std::int64_t in_;
  std::int64_t out_;
};

}  // namespace shardsim::model
