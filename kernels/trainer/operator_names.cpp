#include "kernels/trainer/operator_names.hpp"

namespace shardsim::kernels {

std::string_view name_of(model::OperatorKind kind) {
  using model::OperatorKind;
  switch (kind) {
    case OperatorKind::gemm:
      return "gemm";
    case OperatorKind::batched_gemm:
      return "batched_gemm";
    case OperatorKind::attention:
      return "attention";
    case OperatorKind::normalization:
      return "normalization";
    case OperatorKind::softmax:
      return "softmax";
    case OperatorKind::elementwise:
      return "elementwise";
    case OperatorKind::embedding:
      return "embedding";
    case OperatorKind::cross_entropy:
      return "cross_entropy";
    case OperatorKind::optimizer:
      return "optimizer";
    case OperatorKind::all_reduce:
      return "all_reduce";
    case OperatorKind::reduce_scatter:
      return "reduce_scatter";
    case OperatorKind::all_gather:
      return "all_gather";
    case OperatorKind::all_to_all:
      return "all_to_all";
    case OperatorKind::send_recv:
      return "send_recv";
  }
  return "";
}

std::string_view name_of(model::Pass pass) {
  using model::Pass;
  switch (pass) {
    case Pass::forward:
      return "forward";
    case Pass::recompute:
      return "recompute";
    case Pass::backward:
      return "backward";
    case Pass::input_gradient:
      return "input_gradient";
    case Pass::weight_gradient:
      return "weight_gradient";
    case Pass::step:
      return "step";
  }
  return "";
}

std::string_view name_of(model::Group group) {
  using model::Group;
  switch (group) {
    case Group::none:
      return "none";
    case Group::tensor:
      return "tensor";
    case Group::context:
      return "context";
    case Group::pipeline:
      return "pipeline";
    case Group::data:
      return "data";
    case Group::embedding:
      return "embedding";
    case Group::model:
      return "model";
  }
  return "";
}

}  // namespace shardsim::kernels
