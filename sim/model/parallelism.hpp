// How one training job is divided over GPUs.
#pragma once

#include <cstdint>
#include <vector>

namespace shardsim::model {

/// breadth_first: every micro batch through a chunk before the next chunk's turn ("looped", Lamy-Poirier 2022).
enum class Schedule {
  gpipe,
  one_f_one_b,
  interleaved_one_f_one_b,
  zero_bubble_h1,
  zero_bubble_1p,
  zero_bubble_2p,
  breadth_first
};
/// How keys and values (or heads) travel in context parallelism (Megatron's --cp-comm-type).
enum class ContextParallelComm { p2p, all_gather, a2a, a2a_p2p };
/// Order in which consecutive global ranks fill the groups, fastest first.
enum class RankOrder { tp_cp_dp_pp, tp_cp_pp_dp };
/// Which communication runs beside compute instead of after it.
struct Overlap {
  bool grad_reduce = false;
  bool param_gather = false;
  bool tensor_parallel = false;
  bool pipeline = false;
};

/// Degrees and rules. tp · cp · pp · dp = GPUs. Names are Megatron's.
struct Parallelism {
  std::int64_t tensor_model_parallel_size = 1;
  std::int64_t pipeline_model_parallel_size = 1;
  /// Model chunks per pipeline stage (interleaving when > 1).
  std::int64_t virtual_pipeline_model_parallel_size = 1;
  std::int64_t context_parallel_size = 1;
  std::int64_t data_parallel_size = 1;
  bool sequence_parallel = false;
  ContextParallelComm cp_comm_type = ContextParallelComm::p2p;
  RankOrder rank_order = RankOrder::tp_cp_dp_pp;
  Schedule schedule = Schedule::one_f_one_b;
  /// Micro batches that go round one chunk before the next (interleaving); default: pipeline size.
  std::int64_t microbatch_group_size_per_virtual_pipeline_stage = 0;
  /// Layers of the first/last stage where they differ from the rest; -1 = as the rest.
  std::int64_t decoder_first_pipeline_num_layers = -1;
  std::int64_t decoder_last_pipeline_num_layers = -1;
  /// The embedding / the loss count as one layer when layers are dealt to stages.
  bool account_for_embedding_in_pipeline_split = false;
  bool account_for_loss_in_pipeline_split = false;
  /// 0: everything replicated; 1: optimizer state sharded; 2: + gradients; 3: + parameters (Rajbhandari 2020).
  int zero_stage = 0;
  /// Replicas of the sharded state: Megatron's --num-distributed-optimizer-instances, FSDP's hybrid shard.
  std::int64_t num_distributed_optimizer_instances = 1;
  Overlap overlap;
};

}  // namespace shardsim::model
