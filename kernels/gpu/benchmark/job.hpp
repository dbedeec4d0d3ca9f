// Training jobs on one rank made in code, without scenario files: GPT-2 shapes and random tokens.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/communicator/single_communicator.hpp"
#include "kernels/data/data_source.hpp"
#include "kernels/trainer/trainer.hpp"

namespace shardsim::kernels::gpu {

/// A GPT-2 of these sizes on one rank, Adam, dropout 0.1, no recomputation.
struct GptShape {
  std::string name;
  std::int64_t layers = 0;
  std::int64_t hidden = 0;
  std::int64_t heads = 0;
  std::int64_t sequence = 1024;
  std::int64_t vocabulary = 50257;
  std::int64_t micro_batch = 8;
};

[[nodiscard]] Job make_gpt_job(const GptShape& shape, DType precision);

/// Tokens by a hash of seed, sample and position.
class RandomTokens final : public DataSource {
 public:
  explicit RandomTokens(const GptShape& shape) : shape_{shape} {}
  [[nodiscard]] Sample sample(std::int64_t index) const override;
  [[nodiscard]] std::string description() const override { return "random tokens"; }

 private:
  GptShape shape_;
};

/// Every group has one rank.
[[nodiscard]] Groups single_rank_groups();

}  // namespace shardsim::kernels::gpu
