#include "sim/model/operator_builders.hpp"

namespace shardsim::model {

Operator matrix_product(std::string_view name, Pass pass, DType dtype, Shape shape, std::int64_t element,
                        std::int64_t output_element) {
  Operator product;
  product.name = name;
  product.kind = shape.batch > 1 ? OperatorKind::batched_gemm : OperatorKind::gemm;
  product.pass = pass;
  product.dtype = dtype;
  product.shape = shape;
  product.flops = Flops{2.0 * static_cast<double>(shape.m) * static_cast<double>(shape.n) *
                        static_cast<double>(shape.k) * static_cast<double>(shape.batch)};
  product.bytes = Bytes{shape.batch * ((shape.m + shape.n) * shape.k * element + shape.m * shape.n * output_element)};
  return product;
}

Operator memory_bound(OperatorKind kind, std::string_view name, Pass pass, DType dtype, std::int64_t rows,
                      std::int64_t columns, Bytes bytes) {
  Operator op;
  op.name = name;
  op.kind = kind;
  op.pass = pass;
  op.dtype = dtype;
  op.shape = {rows, columns, 0, 1};
  op.bytes = bytes;
  return op;
}

Operator communicate(OperatorKind kind, std::string_view name, Pass pass, Group group, Bytes bytes) {
  Operator op;
  op.name = name;
  op.kind = kind;
  op.pass = pass;
  op.group = group;
  op.bytes = bytes;
  return op;
}

Linear::Linear(const Scenario& scenario, const RankSizes& sizes, std::string_view name, Split split, std::int64_t in,
               std::int64_t out)
    : scenario_{scenario}, sizes_{sizes}, name_{name}, split_{split}, in_{in}, out_{out} {}

Operator Linear::collective(OperatorKind kind, Pass pass) const {
  const bool in_fp8 = scenario_.stack.gathers_fp8 && scenario_.training.precision == DType::fp8 &&
                      split_ == Split::columns && kind == OperatorKind::all_gather;
  Operator op =
      communicate(kind, name_, pass, Group::tensor, in_fp8 ? Bytes{sizes_.tokens * in_} : sizes_.gathered_residual());
  op.dtype = scenario_.training.precision;
  op.overlapped = scenario_.parallelism.overlap.tensor_parallel && sizes_.sequence_parallel;
  return op;
}

void Linear::quantise(std::vector<Operator>& list, Pass pass, std::int64_t width) const {
  if (scenario_.training.precision != DType::fp8) return;
  list.push_back(memory_bound(OperatorKind::elementwise, "fp8_cast_transpose", pass, DType::fp8, sizes_.tokens, width,
                              Bytes{sizes_.tokens * width * 4}));
}

void Linear::forward(std::vector<Operator>& list, Bytes saved) const {
  if (split_ == Split::columns && sizes_.sequence_parallel) {
    list.push_back(collective(OperatorKind::all_gather, Pass::forward));
  }
  quantise(list, Pass::forward, in_);
  list.push_back(matrix_product(name_, Pass::forward, scenario_.training.precision, {sizes_.tokens, out_, in_, 1},
                                sizes_.element, sizes_.element));
  list.back().saved = saved;
  if (split_ == Split::rows && sizes_.tp > 1) {
    list.push_back(
        collective(sizes_.sequence_parallel ? OperatorKind::reduce_scatter : OperatorKind::all_reduce, Pass::forward));
  }
}

void Linear::backward(std::vector<Operator>& list) const {
  const bool columns = split_ == Split::columns;
  const bool kept = columns && scenario_.stack.keeps_gathered_inputs;
  if (sizes_.sequence_parallel && !kept) {
    // Columns: the saved input is gathered again, beside the input gradient. Rows: the output gradient is gathered.
    list.push_back(collective(OperatorKind::all_gather, Pass::backward));
    if (columns) list.back().overlapped = true;
  }
  const DType dtype = scenario_.training.precision;
  quantise(list, Pass::backward, out_);
  list.push_back(matrix_product(name_, Pass::input_gradient, dtype, {sizes_.tokens, in_, out_, 1}, sizes_.element,
                                sizes_.element));
  if (columns && sizes_.tp > 1) {
    list.push_back(
        collective(sizes_.sequence_parallel ? OperatorKind::reduce_scatter : OperatorKind::all_reduce, Pass::backward));
    // Megatron issues it before the weight gradient, which hides it
    // (linear_with_grad_accumulation_and_async_allreduce).
    list.back().overlapped = scenario_.stack.overlaps_input_gradient_reduction;
  }
  // Accumulated into the gradient buffer: read and written.
  list.push_back(matrix_product(name_, Pass::weight_gradient, dtype, {out_, in_, sizes_.tokens, 1}, sizes_.element,
                                2 * storage_size(scenario_.training.gradient_dtype).value()));
}

}  // namespace shardsim::model
