// What each operator means: as naive as its equation, in double precision. Shapes as in kernels/operators/backend.hpp.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/operators/backend.hpp"
#include "kernels/reference/values.hpp"

namespace shardsim::kernels::reference {

[[nodiscard]] Values transposed(const Values& x);
[[nodiscard]] Values product(const Values& a, const Values& b);
[[nodiscard]] Values sum(const Values& x, const Values& y);
[[nodiscard]] Values column_sums(const Values& x);

struct LayerNorm {
  Values y;
  Values statistics;
};
/// y = (x − mean) / √(variance + ε) · weight + bias over each row. Ba, Kiros, Hinton 2016, eq. 4.
[[nodiscard]] LayerNorm layer_norm(const Values& x, const Values& weight, const Values& bias, double epsilon);
struct LayerNormGradients {
  Values dx;
  Values dweight;
  Values dbias;
};
/// With x̂ = (x − mean)/σ and g = dy · weight: dx = (g − mean(g) − x̂ · mean(g · x̂)) / σ.
[[nodiscard]] LayerNormGradients layer_norm_backward(const Values& dy, const Values& x, const Values& weight,
                                                     const Values& statistics);

/// 0.5 x (1 + tanh(√(2/π) (x + 0.044715 x³))). Hendrycks & Gimpel 2016.
[[nodiscard]] double gelu(double x);
[[nodiscard]] double gelu_slope(double x);
/// `bias` may be empty.
[[nodiscard]] Values bias_gelu(const Values& x, const Values& bias);
[[nodiscard]] Values bias_gelu_backward(const Values& dy, const Values& x, const Values& bias);
[[nodiscard]] Values bias_tanh(const Values& x, const Values& bias);
[[nodiscard]] Values tanh_backward(const Values& dy, const Values& y);

/// 1 = kept; one entry an element.
using Mask = std::vector<std::uint8_t>;
[[nodiscard]] Mask activation_mask(const DropoutSite& site, std::int64_t rows, std::int64_t columns);
[[nodiscard]] Mask attention_mask(const DropoutSite& site, const AttentionShape& shape);
/// x · mask / (1 − p), forward and backward alike. Srivastava et al. 2014, section 10 ("inverted").
[[nodiscard]] Values dropped(const Values& x, const Mask& mask, double probability);

/// softmax(scale · scores) over the visible keys, 0 elsewhere. Vaswani et al. 2017, eq. 1.
[[nodiscard]] Values masked_softmax(const Values& scores, const AttentionShape& shape, double scale);
/// scale · p · (dp − Σ dp · p).
[[nodiscard]] Values masked_softmax_backward(const Values& dprobabilities, const Values& probabilities, double scale);

/// The table's row of each id; ids outside of the shard give 0.
[[nodiscard]] Values embedding(const std::int32_t* ids, std::int64_t count, const Values& table, std::int64_t first_id);
/// Rows of the table's gradient: Σ dy of its tokens.
[[nodiscard]] Values embedding_backward(const std::int32_t* ids, const Values& dy, std::int64_t rows,
                                        std::int64_t first_id);

[[nodiscard]] Values row_maximum(const Values& logits);
struct Exponentials {
  Values exponentials;
  Values sum;
  Values target;
};
/// exp(logits − maximum), their row sums, and the shifted logit of the target where the shard holds it, else 0.
[[nodiscard]] Exponentials exponentiate(const Values& logits, const Values& maximum, const std::int32_t* targets,
                                        std::int64_t first_id);
/// log Σ exp(logits) − logit of the target, both shifted by the maximum: negative log likelihood.
[[nodiscard]] Values token_losses(const Values& sum, const Values& target);
/// (softmax − [target]) · weight of the token.
[[nodiscard]] Values cross_entropy_backward(const Values& exponentials, const Values& sum, const std::int32_t* targets,
                                            std::int64_t first_id, const Values& weights);

struct AdamState {
  Values weights;
  Values first_moment;
  Values second_moment;
};
/// Loshchilov & Hutter 2019, algorithm 2 (AdamW), the decay multiplied by the learning rate as in PyTorch and Apex.
void adam(const Values& gradient, const AdamStep& step, AdamState& state);

}  // namespace shardsim::kernels::reference
