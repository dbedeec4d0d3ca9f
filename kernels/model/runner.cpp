#include "kernels/model/runner.hpp"

namespace shardsim::kernels {
namespace {

std::int64_t element_size(DType dtype) { return storage_size(dtype).value(); }

model::Operator product_operator(Label label, const Operand& a, const MatrixBatch& c, std::int64_t writes) {
  const std::int64_t k = a.transposed ? a.matrix.rows : a.matrix.columns;
  return model::matrix_product(label.name, label.pass, a.matrix.dtype, {c.first.rows, c.first.columns, k, c.count},
                               element_size(a.matrix.dtype), writes * element_size(c.first.dtype));
}

model::Operator collective(model::OperatorKind kind, Label label, const Matrix& whole) {
  model::Operator op = model::communicate(kind, label.name, label.pass, model::Group::tensor, whole.bytes());
  op.dtype = whole.dtype;
  return op;
}

}  // namespace

Runner::Runner(const RankContext& context) : context_{context}, sizes_{*context.scenario} {}

std::int64_t Runner::first_residual_row() const {
  return sizes_.sequence_parallel ? context_.groups->tensor->rank() * sizes_.residual_tokens : 0;
}

Tensor Runner::tensor(Component component, std::int64_t rows, std::int64_t columns) {
  return Tensor{memory(), component, precision(), rows, columns};
}

Tensor Runner::temporary(std::int64_t rows, std::int64_t columns) {
  return tensor(Component::temporaries, rows, columns);
}

Tensor Runner::fp32(Component component, std::int64_t rows, std::int64_t columns) {
  return Tensor{memory(), component, DType::fp32, rows, columns};
}

void Runner::product(Label label, const Operand& a, const Operand& b, const Matrix& c, const Matrix& bias) {
  operations().run(product_operator(label, a, {c, 1, 0}, 1), [&](Backend& backend) {
    backend.gemm(a, b, c, false);
    if (bias.data != nullptr) backend.add_bias(c, bias);
  });
}

void Runner::accumulate_product(std::string_view name, const Operand& a, const Operand& b, const Matrix& c) {
  operations().run(product_operator({name, model::Pass::weight_gradient}, a, {c, 1, 0}, 2),
                   [&](Backend& backend) { backend.gemm(a, b, c, true); });
}

void Runner::batched_product(Label label, const OperandBatch& a, const OperandBatch& b, const MatrixBatch& c) {
  operations().run(product_operator(label, {a.batch.first, a.transposed}, c, 1),
                   [&](Backend& backend) { backend.batched_gemm(a, b, c, 1.0); });
}

void Runner::bias_gradient(std::string_view name, const Matrix& dy, const Matrix& dbias) {
  memory_bound(model::OperatorKind::elementwise, {name, model::Pass::weight_gradient}, dy, dy.bytes(),
               [&](Backend& backend) { backend.bias_gradient(dy, dbias); });
}

void Runner::add_residual_gradient(const Matrix& from, const Matrix& to) {
  memory_bound(model::OperatorKind::elementwise, {"residual_gradient", model::Pass::backward}, to,
               from.bytes() + 2 * to.bytes(), [&](Backend& backend) { backend.add(from, to); });
}

void Runner::all_reduce(Label label, const Matrix& matrix, Reduction reduction) {
  if (sizes_.tp == 1) return;
  operations().run(collective(model::OperatorKind::all_reduce, label, matrix),
                   [&](Backend&) { tensor_group().all_reduce(matrix, reduction); });
}

Tensor Runner::all_gather(Label label, const Matrix& part) {
  Tensor whole = temporary(part.rows * sizes_.tp, part.columns);
  operations().run(collective(model::OperatorKind::all_gather, label, whole),
                   [&](Backend&) { tensor_group().all_gather(part, whole); });
  return whole;
}

void Runner::reduce_scatter(Label label, const Matrix& whole, const Matrix& part) {
  operations().run(collective(model::OperatorKind::reduce_scatter, label, whole),
                   [&](Backend&) { tensor_group().reduce_scatter(whole, part); });
}

Tensor Runner::reduce(Label label, Tensor partial, Component component) {
  if (!sizes_.sequence_parallel) {
    all_reduce(label, partial);
    return partial;
  }
  Tensor part = tensor(component, sizes_.residual_tokens, partial.view().columns);
  reduce_scatter(label, partial, part);
  return part;
}

Component Runner::partial_component(Component component) const {
  return sizes_.sequence_parallel ? Component::temporaries : component;
}

}  // namespace shardsim::kernels
