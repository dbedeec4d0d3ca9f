// Which ranks form which group: Megatron's rank order over the communicator's ranks.
#pragma once

#include <memory>

#include "kernels/communicator/communicator.hpp"
#include "sim/model/operators.hpp"
#include "sim/model/parallelism.hpp"

namespace shardsim::kernels {

/// A rank's place along each axis of the parallelism.
struct RankCoordinates {
  int tensor = 0;
  int context = 0;
  int data = 0;
  int pipeline = 0;
};

/// Of global rank `rank`; tensor neighbours are consecutive, then context, then by parallelism.rank_order.
[[nodiscard]] RankCoordinates rank_coordinates(const model::Parallelism& parallelism, int rank);

/// Equal for exactly the ranks of one group (Group::data: those that share gradients, dp · cp); −1 where a rank is in
/// no such group (a middle stage and Group::embedding, Group::none).
[[nodiscard]] int group_color(const model::Parallelism& parallelism, model::Group group, int rank);

/// Divides `world` into this rank's groups. Collective. Throws CommunicatorError when its size is not tp · cp · pp ·
/// dp.
[[nodiscard]] Groups make_groups(const model::Parallelism& parallelism, std::unique_ptr<Communicator> world);

}  // namespace shardsim::kernels
