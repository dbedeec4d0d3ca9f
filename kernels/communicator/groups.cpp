#include "kernels/communicator/groups.hpp"

#include <string>
#include <utility>

#include "sim/base/check.hpp"

namespace shardsim::kernels {
namespace {

struct Sizes {
  int tensor;
  int context;
  int data;
  int pipeline;
  [[nodiscard]] int ranks() const { return tensor * context * data * pipeline; }
};

Sizes sizes(const model::Parallelism& parallelism) {
  return {static_cast<int>(parallelism.tensor_model_parallel_size), static_cast<int>(parallelism.context_parallel_size),
          static_cast<int>(parallelism.data_parallel_size), static_cast<int>(parallelism.pipeline_model_parallel_size)};
}

}  // namespace

RankCoordinates rank_coordinates(const model::Parallelism& parallelism, int rank) {
  const Sizes size = sizes(parallelism);
  RankCoordinates place;
  const auto next = [&rank](int count) {
    const int coordinate = rank % count;
    rank /= count;
    return coordinate;
  };
  place.tensor = next(size.tensor);
  place.context = next(size.context);
  const bool pipeline_first = parallelism.rank_order == model::RankOrder::tp_cp_pp_dp;
  if (pipeline_first) place.pipeline = next(size.pipeline);
  place.data = next(size.data);
  if (!pipeline_first) place.pipeline = next(size.pipeline);
  return place;
}

int group_color(const model::Parallelism& parallelism, model::Group group, int rank) {
  const Sizes size = sizes(parallelism);
  const RankCoordinates at = rank_coordinates(parallelism, rank);
  // A group is named by the coordinates that its ranks have in common.
  switch (group) {
    case model::Group::none:
      return -1;
    case model::Group::tensor:
      return (at.pipeline * size.data + at.data) * size.context + at.context;
    case model::Group::context:
      return (at.pipeline * size.data + at.data) * size.tensor + at.tensor;
    case model::Group::pipeline:
      return (at.data * size.context + at.context) * size.tensor + at.tensor;
    case model::Group::data:
      return at.pipeline * size.tensor + at.tensor;
    case model::Group::embedding: {
      const bool end = at.pipeline == 0 || at.pipeline == size.pipeline - 1;
      return size.pipeline > 1 && end ? (at.data * size.context + at.context) * size.tensor + at.tensor : -1;
    }
    case model::Group::model:
      return at.data * size.context + at.context;
  }
  SHARDSIM_CHECK(false, "unknown group");
  return -1;
}

Groups make_groups(const model::Parallelism& parallelism, std::unique_ptr<Communicator> world) {
  const int wanted = sizes(parallelism).ranks();
  if (world->size() != wanted) {
    throw CommunicatorError("the layout needs " + std::to_string(wanted) +
                            " ranks (tensor × context × pipeline × data "
                            "parallel sizes), but " +
                            std::to_string(world->size()) + " were started");
  }
  const int rank = world->rank();
  const auto group = [&](model::Group kind) { return world->split(group_color(parallelism, kind, rank), rank); };
  Groups groups;
  groups.tensor = group(model::Group::tensor);
  groups.pipeline = group(model::Group::pipeline);
  groups.data = group(model::Group::data);
  groups.embedding = group(model::Group::embedding);
  groups.model = group(model::Group::model);
  groups.world = std::move(world);
  return groups;
}

}  // namespace shardsim::kernels
