// All layouts of a number of ranks.
#pragma once

#include <vector>

#include "sim/model/parallelism.hpp"

namespace shardsim::test {

/// Every (tp, cp, dp, pp) with this product, in both rank orders.
[[nodiscard]] inline std::vector<model::Parallelism> layouts(std::int64_t ranks) {
  std::vector<model::Parallelism> all;
  for (std::int64_t tp = 1; tp <= ranks; ++tp) {
    for (std::int64_t cp = 1; tp * cp <= ranks; ++cp) {
      for (std::int64_t dp = 1; tp * cp * dp <= ranks; ++dp) {
        if (ranks % (tp * cp * dp) != 0) continue;
        for (const model::RankOrder order : {model::RankOrder::tp_cp_dp_pp, model::RankOrder::tp_cp_pp_dp}) {
          model::Parallelism parallelism;
          parallelism.tensor_model_parallel_size = tp;
          parallelism.context_parallel_size = cp;
          parallelism.data_parallel_size = dp;
          parallelism.pipeline_model_parallel_size = ranks / (tp * cp * dp);
          parallelism.rank_order = order;
          all.push_back(parallelism);
        }
      }
    }
  }
  return all;
}

}  // namespace shardsim::test
