// Training state saved by one layout and loaded by others, by real ranks.
#include "kernels/checkpoint/checkpoint.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <optional>

#include "kernels/communicator/groups.hpp"
#include "sim/base/problems.hpp"
#include "tests/kernels/checkpoint/numbered_model.hpp"
#include "tests/kernels/checkpoint/small_disk.hpp"
#include "tests/support/mpi_test.hpp"

namespace shardsim::kernels {
namespace {

namespace fs = std::filesystem;
using test::number_of;
using test::RankParameters;

/// One folder for all ranks, removed by the first.
class SharedFolder {
 public:
  explicit SharedFolder(Communicator& world) : world_{world} {
    const double number = world.all_reduce_value(world.rank() == 0 ? getpid() : 0.0, Reduction::maximum);
    path_ = fs::path(::testing::TempDir()) / ("shardsim-checkpoint-" + std::to_string(static_cast<long>(number)));
    if (world.rank() == 0) fs::create_directories(path_);
    world.barrier();
  }
  ~SharedFolder() {
    world_.barrier();
    std::error_code ignored;
    if (world_.rank() == 0) fs::remove_all(path_, ignored);
    world_.barrier();
  }
  SharedFolder(const SharedFolder&) = delete;
  SharedFolder& operator=(const SharedFolder&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  Communicator& world_;
  fs::path path_;
};

/// A rank's weights, and its share of the moments: all of them, or one of dp ranges with ZeRO-1.
class RankState {
 public:
  RankState(const model::Scenario& scenario, const RankCoordinates& at)
      : first_data_rank_{at.data == 0},
        weights_{scenario, at.pipeline, at.tensor, 1},
        moments_{scenario, at.pipeline, at.tensor, 1} {
    const std::int64_t elements = weights_.flat().elements();
    const std::int64_t shards = scenario.parallelism.zero_stage == 1 ? scenario.parallelism.data_parallel_size : 1;
    const std::int64_t share = (elements + shards - 1) / shards;
    first_ = shards == 1 ? 0 : at.data * share;
    count_ = std::min(share, elements - first_);
  }

  void fill() {
    fill(weights_, "weight");
    fill(moments_, "first_moment");
  }
  [[nodiscard]] std::vector<StateSlice> moments() {
    return state_slices("first_moment", moments_.buffers(), first_, range());
  }
  [[nodiscard]] std::vector<StateSlice> all() {
    std::vector<StateSlice> slices = state_slices("weight", weights_.buffers(), 0, weights_.flat());
    for (const StateSlice& slice : moments()) slices.push_back(slice);
    return slices;
  }
  /// What this rank stores: weights once, moments as they are shared out.
  [[nodiscard]] std::vector<StateSlice> stored(bool zero) {
    if (first_data_rank_) return all();
    return zero ? moments() : std::vector<StateSlice>{};
  }
  void expect_filled(const model::Model& model) {
    for (const StateSlice& slice : all()) {
      for (const RowRun& run : rows_of(slice)) {
        for (std::int64_t i = 0; i < run.count; ++i) {
          if (test::is_padding(model, slice.parameter, run.row, run.column + i)) continue;
          ASSERT_EQ(slice.data.as<float>()[run.position + i],
                    number_of(slice.kind, slice.parameter, run.row, run.column + i))
              << slice.kind << " " << slice.parameter;
        }
      }
    }
  }

 private:
  static void fill(RankParameters& rank, const std::string& kind) {
    rank.for_each([&](Parameter& parameter, std::int64_t i, std::int64_t row, std::int64_t column) {
      parameter.value.as<float>()[i] = number_of(kind, parameter.name, row, column);
    });
  }
  [[nodiscard]] Matrix range() const { return {moments_.flat().as<float>() + first_, DType::fp32, 1, count_, count_}; }

  bool first_data_rank_;
  RankParameters weights_;
  RankParameters moments_;
  std::int64_t first_ = 0;
  std::int64_t count_ = 0;
};

std::vector<model::Scenario> layouts(model::Family family, std::int64_t ranks) {
  std::vector<model::Scenario> all;
  for (const std::int64_t tp : {1, 2, 4}) {
    for (const std::int64_t pp : {1, 2}) {
      if (ranks % (tp * pp) != 0) continue;
      for (const int zero : {0, 1}) {
        all.push_back(test::small_scenario(family, tp, pp, ranks / (tp * pp)));
        all.back().parallelism.zero_stage = zero;
      }
    }
  }
  return all;
}

TEST(Checkpoint, EveryLayoutReadsEveryOther) {
  const auto world = test::session().world();
  for (const model::Family family : {model::Family::gpt, model::Family::bert}) {
    const auto all = layouts(family, world->size());
    for (std::size_t writer = 0; writer < all.size(); ++writer) {
      const SharedFolder folder{*world};
      RankState state{all[writer], rank_coordinates(all[writer].parallelism, world->rank())};
      state.fill();
      CheckpointIndex index = make_index(all[writer], world->size());
      index.iteration = 7;
      save_checkpoint(folder.path(), index, state.stored(all[writer].parallelism.zero_stage == 1), *world);
      const fs::path checkpoint = latest_checkpoint(folder.path());
      ASSERT_EQ(checkpoint, folder.path() / "iter_0000007");
      const CheckpointIndex stored = read_index(checkpoint);
      for (const model::Scenario& reader : all) {
        RankState back{reader, rank_coordinates(reader.parallelism, world->rank())};
        check_index(checkpoint, stored, reader);
        load_checkpoint(checkpoint, stored, back.all());
        back.expect_filled(reader.model);
      }
    }
  }
}

// The same layout gets back every bit, padding included.
TEST(Checkpoint, TheSameLayoutGetsEveryBit) {
  const auto world = test::session().world();
  const model::Scenario scenario = layouts(model::Family::gpt, world->size()).back();
  const SharedFolder folder{*world};
  const RankCoordinates at = rank_coordinates(scenario.parallelism, world->rank());
  RankState state{scenario, at};
  state.fill();
  const CheckpointIndex index = make_index(scenario, world->size());
  save_checkpoint(folder.path(), index, state.stored(true), *world);
  // Once more: the older one of the same name is replaced.
  save_checkpoint(folder.path(), index, state.stored(true), *world);
  RankState back{scenario, at};
  load_checkpoint(latest_checkpoint(folder.path()), index, back.all());
  const std::vector<StateSlice> before = state.all();
  const std::vector<StateSlice> after = back.all();
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(
        std::memcmp(before[i].data.data, after[i].data.data, static_cast<std::size_t>(before[i].data.bytes().value())),
        0)
        << before[i].parameter;
  }
}

// One rank's disk is full: it says so, everybody stops, and the older checkpoint is still the latest.
TEST(Checkpoint, FullDiskOfOneRankLeavesTheOldOne) {
  const auto world = test::session().world();
  const model::Scenario scenario = layouts(model::Family::gpt, world->size()).front();
  const SharedFolder folder{*world};
  RankState state{scenario, rank_coordinates(scenario.parallelism, world->rank())};
  state.fill();
  CheckpointIndex index = make_index(scenario, world->size());
  index.iteration = 1;
  save_checkpoint(folder.path(), index, state.stored(false), *world);
  index.iteration = 2;
  std::string why;
  {
    std::optional<test::SmallDisk> disk;
    if (world->rank() == 0) disk.emplace(20'000);
    try {
      save_checkpoint(folder.path(), index, state.stored(false), *world);
    } catch (const InputError& error) {
      why = error.what();
    } catch (const CommunicatorError& error) {
      why = error.what();
    }
  }
  const std::string expected =
      world->rank() == 0 ? "rank_00000.safetensors: cannot be written: File too large" : "another rank failed to write";
  EXPECT_NE(why.find(expected), std::string::npos) << why;
  world->barrier();
  EXPECT_EQ(latest_checkpoint(folder.path()), folder.path() / "iter_0000001");
  EXPECT_FALSE(fs::exists(folder.path() / "iter_0000002"));
  EXPECT_FALSE(fs::exists(folder.path() / "iter_0000002.unfinished"));
}

TEST(Checkpoint, TellsWhatIsMissing) {
  const auto world = test::session().world();
  const model::Scenario scenario = layouts(model::Family::gpt, world->size()).front();
  const SharedFolder folder{*world};
  RankState state{scenario, rank_coordinates(scenario.parallelism, world->rank())};
  state.fill();
  const CheckpointIndex index = make_index(scenario, world->size());
  save_checkpoint(folder.path(), index, state.stored(false), *world);
  const fs::path checkpoint = latest_checkpoint(folder.path());
  std::vector<StateSlice> wanted = state.all();
  wanted[0].kind = "second_moment";
  const auto refusal = [&] {
    try {
      load_checkpoint(checkpoint, index, wanted);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_NE(refusal().find("second_moment/" + wanted[0].parameter + ": is in none of the ranks' files"),
            std::string::npos)
      << refusal();
  world->barrier();
  if (world->rank() == 0) fs::resize_file(checkpoint / rank_file(0), 2000);
  world->barrier();
  EXPECT_NE(refusal().find("rank_00000.safetensors: "), std::string::npos) << refusal();
}

}  // namespace
}  // namespace shardsim::kernels
