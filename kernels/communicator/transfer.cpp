#include "kernels/communicator/transfer.hpp"

#include <array>
#include <string_view>

#include "sim/model/enum_text.hpp"

namespace shardsim::kernels {
namespace {

constexpr std::array<std::string_view, 9> kKindNames = {"split",      "barrier",    "broadcast",
                                                        "all_reduce", "all_gather", "reduce_scatter",
                                                        "send",       "receive",    "all_reduce_value"};

std::string_view peer_role(TransferKind kind) {
  switch (kind) {
    case TransferKind::send:
      return " to rank ";
    case TransferKind::receive:
      return " from rank ";
    default:
      return " from root rank ";
  }
}

bool has_elements(TransferKind kind) {
  return kind != TransferKind::split && kind != TransferKind::barrier && kind != TransferKind::all_reduce_value;
}

bool reduces(TransferKind kind) { return kind == TransferKind::all_reduce || kind == TransferKind::all_reduce_value; }

}  // namespace

std::string to_string(const Transfer& transfer, const Members& members) {
  std::string text{kKindNames[static_cast<std::size_t>(transfer.kind)]};
  if (has_elements(transfer.kind)) {
    text += " of " + std::to_string(transfer.elements) + " ";
    text += model::choice_text(transfer.dtype);
    text += " elements";
  }
  if (reduces(transfer.kind)) text += transfer.reduction == Reduction::sum ? " (sum)" : " (maximum)";
  if (transfer.peer >= 0) {
    text += peer_role(transfer.kind);
    const auto peer = static_cast<std::size_t>(transfer.peer);
    text += std::to_string(peer < members.size() ? members[peer] : transfer.peer);
  }
  return text;
}

std::string to_string(const Members& members) {
  constexpr std::size_t kShown = 8;
  std::string text = members.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (i > 0) text += ", ";
    if (members.size() > kShown && i == kShown - 1) {
      return text + "…, " + std::to_string(members.back());
    }
    text += std::to_string(members[i]);
  }
  return text;
}

}  // namespace shardsim::kernels
