#include "kernels/data/gpt_samples.hpp"

#include <utility>

#include "kernels/data/random_stream.hpp"
#include "sim/base/check.hpp"

namespace shardsim::kernels {
namespace {

class GptSamples final : public DataSource {
 public:
  GptSamples(Tokens tokens, std::int64_t seq_length, std::uint64_t seed, std::string description)
      : tokens_{std::move(tokens)},
        seq_length_{seq_length},
        pieces_{(static_cast<std::int64_t>(tokens_.size()) - 1) / seq_length},
        seed_{seed},
        description_{std::move(description)} {
    SHARDSIM_CHECK(pieces_ > 0, "a text of at least one sample");
  }

  [[nodiscard]] Sample sample(std::int64_t index) const override {
    const std::int64_t epoch = index / pieces_;
    const std::int64_t piece = permuted(index % pieces_, pieces_, combine(seed_, static_cast<std::uint64_t>(epoch)));
    const auto first = tokens_.begin() + piece * seq_length_;
    Sample sample;
    sample.tokens.assign(first, first + seq_length_);
    sample.targets.assign(first + 1, first + 1 + seq_length_);
    sample.loss_mask.assign(static_cast<std::size_t>(seq_length_), 1.0F);
    sample.valid_length = static_cast<std::int32_t>(seq_length_);
    return sample;
  }
  [[nodiscard]] std::string description() const override { return description_; }

 private:
  Tokens tokens_;
  std::int64_t seq_length_;
  std::int64_t pieces_;
  std::uint64_t seed_;
  std::string description_;
};

}  // namespace

std::unique_ptr<DataSource> make_gpt_samples(Tokens tokens, std::int64_t seq_length, std::uint64_t seed,
                                             std::string description) {
  return std::make_unique<GptSamples>(std::move(tokens), seq_length, seed, std::move(description));
}

}  // namespace shardsim::kernels
