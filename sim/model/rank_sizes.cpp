#include "sim/model/rank_sizes.hpp"

namespace shardsim::model {

RankSizes::RankSizes(const Scenario& scenario)
    : tp{scenario.parallelism.tensor_model_parallel_size},
      cp{scenario.parallelism.context_parallel_size},
      sequence_parallel{scenario.parallelism.sequence_parallel && tp > 1},
      keeps_gathered_inputs{scenario.stack.keeps_gathered_inputs},
      tokens{scenario.model.seq_length / cp * scenario.training.micro_batch_size},
      residual_tokens{sequence_parallel ? tokens / tp : tokens},
      hidden{scenario.model.hidden_size},
      query_width{scenario.model.num_attention_heads * scenario.model.kv_channels / tp},
      key_value_width{2 * scenario.model.num_query_groups * scenario.model.kv_channels / tp},
      ffn{scenario.model.ffn_hidden_size / tp},
      fc1_width{scenario.model.activation == Activation::swiglu ? 2 * ffn : ffn},
      heads{scenario.model.num_attention_heads / tp},
      head_size{scenario.model.kv_channels},
      sequences{scenario.training.micro_batch_size},
      queries{scenario.model.seq_length / cp},
      keys{scenario.model.seq_length},
      vocab{padded_vocab_size(scenario.model, scenario.parallelism) / tp},
      loss_vocab{scenario.stack.gathers_logits ? vocab * tp : vocab},
      element{storage_size(scenario.training.precision).value()} {}

}  // namespace shardsim::model
