// How many GPUs a launch starts.
#include <gtest/gtest.h>

#include <string>

#include "support.hpp"

namespace shardsim::input {
namespace {

struct Launch {
  const char* name;
  std::string text;
  const char* gpus;
};

class LaunchSize : public testing::TestWithParam<Launch> {};

TEST_P(LaunchSize, IsNodesTimesProcesses) {
  const Reading reading = read(GetParam().text + " pretrain_gpt.py --num-layers 2 --bf16\n");
  EXPECT_EQ(reading.problem_text(), "");
  EXPECT_EQ(reading.value("cluster.gpus"), GetParam().gpus);
}

INSTANTIATE_TEST_SUITE_P(
    Launchers, LaunchSize,
    testing::Values(Launch{"Torchrun", "torchrun --nproc_per_node=8 --nnodes=4", "32"},
                    Launch{"TorchrunOneNode", "torchrun --nproc-per-node 8", "8"},
                    Launch{"ModuleLaunch", "python -m torch.distributed.launch --nproc_per_node 4 --nnodes 2", "8"},
                    Launch{"UnknownNodes", "torchrun --nproc_per_node 8 --nnodes $NNODES", "(none)"},
                    Launch{"NodesOfSlurm", "#SBATCH -N 16\ntorchrun --nproc_per_node 8 --nnodes $SLURM_NNODES", "128"},
                    Launch{"DeepSpeed", "deepspeed --num_nodes 2 --num_gpus 8", "16"},
                    Launch{"Mpirun", "mpirun -np 24 -x PATH python", "24"},
                    Launch{"SrunTasks", "#SBATCH --nodes=3 --ntasks-per-node=4\nsrun python", "12"},
                    Launch{"SrunGres", "#SBATCH --nodes=2\n#SBATCH --gres=gpu:a100:4\nsrun python", "8"},
                    Launch{"SrunOwn", "srun -N2 --ntasks-per-node=8 python", "16"},
                    Launch{"WorldSize", "WORLD_SIZE=$((4 * 8))\npython", "32"},
                    Launch{"PlainPython", "python", "(none)"}),
    [](const auto& named) { return std::string(named.param.name); });

TEST(LaunchSizes, AreAssumedSoThatTheCommandLineWins) {
  const Reading reading = read("torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 2\n");
  ASSERT_NE(reading.settings.find("cluster.gpus"), nullptr);
  EXPECT_EQ(reading.settings.find("cluster.gpus")->assumed_because, "nodes x processes per node of the launch script");
}

TEST(LaunchSizes, UnknownOnesAreAWarning) {
  EXPECT_TRUE(read("torchrun --nproc_per_node 8 --nnodes $NNODES pretrain_gpt.py --num-layers 2\n")
                  .warns_of("the number of GPUs is not known: $NNODES"));
}

}  // namespace
}  // namespace shardsim::input
