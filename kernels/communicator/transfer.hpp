// What a rank asks its group to do, in words and in numbers that the group can compare.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/communicator/communicator.hpp"

namespace shardsim::kernels {

enum class TransferKind {
  split,
  barrier,
  broadcast,
  all_reduce,
  all_gather,
  reduce_scatter,
  send,
  receive,
  all_reduce_value
};

struct Transfer {
  TransferKind kind = TransferKind::barrier;
  /// Of this rank's argument: the part of all_gather and reduce_scatter.
  std::int64_t elements = 0;
  DType dtype = DType::fp32;
  Reduction reduction = Reduction::sum;
  /// broadcast: root; send, receive: the other rank; in the group's numbering.
  int peer = -1;

  friend bool operator==(const Transfer& a, const Transfer& b) {
    return a.kind == b.kind && a.elements == b.elements && a.dtype == b.dtype && a.reduction == b.reduction &&
           a.peer == b.peer;
  }
};

[[nodiscard]] inline Transfer transfer_of(TransferKind kind, const Matrix& buffer, int peer = -1) {
  return {kind, buffer.elements(), buffer.dtype, Reduction::sum, peer};
}
[[nodiscard]] inline Transfer reducing(const Matrix& buffer, Reduction reduction) {
  return {TransferKind::all_reduce, buffer.elements(), buffer.dtype, reduction};
}

/// A group's members by their rank in the whole job.
using Members = std::vector<int>;

/// "all_reduce of 4096 fp32 elements (sum)"; peers are named by their rank in the job.
[[nodiscard]] std::string to_string(const Transfer& transfer, const Members& members);
/// "rank 3", "ranks 0, 1, 2", "ranks 0, 2, 4, …, 126".
[[nodiscard]] std::string to_string(const Members& members);

}  // namespace shardsim::kernels
