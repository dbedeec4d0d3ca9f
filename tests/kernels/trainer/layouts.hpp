// Layouts that tests train in, by number of ranks.
#pragma once

#include <string>
#include <vector>

namespace shardsim::test {

struct TrainingLayout {
  int ranks;
  std::string flags;
};

inline const std::vector<TrainingLayout>& training_layouts() {
  static const std::string tp2 = " --tensor-model-parallel-size 2";
  static const std::string pp2 = " --pipeline-model-parallel-size 2";
  static const std::string sp = " --sequence-parallel";
  static const std::string zero = " --use-distributed-optimizer";
  static const std::string interleaved = " --num-layers-per-virtual-pipeline-stage 1";
  static const std::string gpipe = " --set parallelism.schedule=gpipe";
  static const std::string selective = " --recompute-granularity selective";
  static const std::string full = " --recompute-granularity full --recompute-method uniform --recompute-num-layers 1";
  static const std::string overlap = " --overlap-grad-reduce --set stack.gradient_bucket=8KiB";
  static const std::vector<TrainingLayout> layouts{
      {1, ""},
      {1, selective},
      {1, full},
      {1, " --micro-batch-size 4"},
      {2, ""},
      {2, zero},
      {2, tp2},
      {2, tp2 + sp},
      {2, tp2 + sp + selective},
      {2, tp2 + full},
      {2, pp2},
      {2, pp2 + gpipe},
      {2, pp2 + interleaved},
      {2, overlap},
      {2, overlap + zero + " --overlap-param-gather"},
      {4, " --tensor-model-parallel-size 4" + sp},
      {4, " --pipeline-model-parallel-size 4"},
      {4, " --pipeline-model-parallel-size 4" + gpipe + full},
      {4, pp2 + zero},
      {4, tp2 + zero + sp},
      {4, tp2 + pp2 + sp + interleaved},
      {4, pp2 + interleaved + overlap},
      {8, tp2 + pp2 + sp + zero},
      {8, tp2 + pp2 + sp + zero + overlap + " --overlap-param-gather"},
      {8, tp2 + pp2 + interleaved + selective},
      {8, " --pipeline-model-parallel-size 4 --micro-batch-size 2" + zero},
  };
  return layouts;
}

}  // namespace shardsim::test
