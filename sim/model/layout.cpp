#include "sim/model/layout.hpp"

#include <algorithm>
#include <numeric>

#include "sim/base/check.hpp"

namespace shardsim::model {
namespace {

/// Layers of every piece of the model in model order (piece c·p + i is chunk c of stage i), or why there is no split.
struct Pieces {
  std::vector<std::int64_t> layers;
  std::string problem;
};

Pieces impossible(std::string problem) { return {{}, std::move(problem)}; }

std::string count(std::int64_t number, const char* what) { return std::to_string(number) + " " + what; }

/// As even as possible; the first pieces take the remainder.
std::vector<std::int64_t> deal(std::int64_t items, std::int64_t pieces) {
  std::vector<std::int64_t> dealt(static_cast<std::size_t>(pieces), items / pieces);
  for (std::int64_t i = 0; i < items % pieces; ++i) ++dealt[static_cast<std::size_t>(i)];
  return dealt;
}

/// Equal pieces, after adding what counts as a layer at the start and the end and taking it off again.
Pieces equal_pieces(const Model& model, const Parallelism& parallelism, std::int64_t at_start, std::int64_t at_end) {
  const std::int64_t pieces =
      parallelism.pipeline_model_parallel_size * parallelism.virtual_pipeline_model_parallel_size;
  const std::int64_t items = model.num_layers + at_start + at_end;
  if (items % pieces != 0 || items / pieces < at_start || items / pieces < at_end) {
    std::string what = count(model.num_layers, "layers");
    if (at_start + at_end > 0) what += " (+ " + std::to_string(at_start + at_end) + " for embedding and loss)";
    return impossible(what + " do not divide into " +
                      count(parallelism.pipeline_model_parallel_size, "pipeline stages x ") +
                      count(parallelism.virtual_pipeline_model_parallel_size, "virtual stages") + "; a multiple of " +
                      std::to_string(pieces) + " would be right");
  }
  Pieces result{std::vector<std::int64_t>(static_cast<std::size_t>(pieces), items / pieces), {}};
  result.layers.front() -= at_start;
  result.layers.back() -= at_end;
  return result;
}

/// Megatron-Core's --decoder-first/last-pipeline-num-layers: the other stages share the rest equally.
Pieces first_and_last_given(const Model& model, const Parallelism& parallelism) {
  const std::int64_t stages = parallelism.pipeline_model_parallel_size;
  const std::int64_t chunks = parallelism.virtual_pipeline_model_parallel_size;
  std::int64_t rest = model.num_layers;
  std::int64_t others = stages;
  for (const std::int64_t given :
       {parallelism.decoder_first_pipeline_num_layers, parallelism.decoder_last_pipeline_num_layers}) {
    if (given < 0) continue;
    if (given % chunks != 0) {
      return impossible(count(given, "layers on the first or last stage do not divide into ") +
                        count(chunks, "virtual stages"));
    }
    rest -= given;
    --others;
  }
  const bool leftover = others <= 0 ? rest != 0 : (rest < 0 || rest % (others * chunks) != 0);
  if (leftover) {
    return impossible(count(rest, "layers are left for ") + count(others, "other pipeline stages x ") +
                      count(chunks, "virtual stages") + "; they must divide equally");
  }
  Pieces result;
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
    for (std::int64_t stage = 0; stage < stages; ++stage) {
      std::int64_t layers = others > 0 ? rest / others : 0;
      if (stage == 0 && parallelism.decoder_first_pipeline_num_layers >= 0) {
        layers = parallelism.decoder_first_pipeline_num_layers;
      } else if (stage == stages - 1 && parallelism.decoder_last_pipeline_num_layers >= 0) {
        layers = parallelism.decoder_last_pipeline_num_layers;
      }
      result.layers.push_back(layers / chunks);
    }
  }
  return result;
}

Pieces megatron(const Model& model, const Parallelism& parallelism) {
  if (parallelism.decoder_first_pipeline_num_layers >= 0 || parallelism.decoder_last_pipeline_num_layers >= 0) {
    return first_and_last_given(model, parallelism);
  }
  return equal_pieces(model, parallelism, parallelism.account_for_embedding_in_pipeline_split ? 1 : 0,
                      parallelism.account_for_loss_in_pipeline_split ? 1 : 0);
}

/// Embedding and head are dealt as one block each, beside the layers.
Pieces balanced_blocks(const Model& model, std::int64_t pieces) {
  Pieces result{deal(model.num_layers + 2, pieces), {}};
  --result.layers.front();
  --result.layers.back();
  return result;
}

/// Blocks in model order go to the open piece, which closes after the block that takes the running cost to its equal
/// share of the total; costs are the weights' multiply-accumulates per token. nanotron's source closes it past that
/// share only, but times and memory of its runs of a model whose head weighs four layers exactly say otherwise.
Pieces balanced_cost(const Model& model, std::int64_t pieces) {
  const std::int64_t head = model.vocab_size * model.hidden_size;
  const std::int64_t layer = 4 * model.num_attention_heads * model.kv_channels * model.hidden_size +
                             3 * model.ffn_hidden_size * model.hidden_size;
  const std::int64_t total = model.num_layers * layer + head;
  Pieces result{std::vector<std::int64_t>(static_cast<std::size_t>(pieces), 0), {}};
  std::int64_t open = 0;
  for (std::int64_t placed = 1; placed <= model.num_layers; ++placed) {
    ++result.layers[static_cast<std::size_t>(open)];
    if (placed * layer * pieces >= total * (open + 1)) open = std::min(open + 1, pieces - 1);
  }
  return result;
}

Pieces split(const Model& model, const Parallelism& parallelism, const Stack& stack) {
  const std::int64_t pieces =
      parallelism.pipeline_model_parallel_size * parallelism.virtual_pipeline_model_parallel_size;
  if (pieces > model.num_layers + 2) {
    return impossible(count(model.num_layers, "layers are fewer than ") + count(pieces, "pipeline pieces"));
  }
  if (pieces == 1) return {{model.num_layers}, {}};
  switch (stack.layer_split) {
    case LayerSplit::megatron:
      return megatron(model, parallelism);
    case LayerSplit::even_remainder_first:
      return {deal(model.num_layers, pieces), {}};
    case LayerSplit::balanced_blocks:
      return balanced_blocks(model, pieces);
    case LayerSplit::balanced_cost:
      return balanced_cost(model, pieces);
    case LayerSplit::lighter_ends:
      return equal_pieces(model, parallelism, 1, 1);
  }
  return impossible("unknown layer split rule");
}

}  // namespace

std::int64_t Stage::layers() const {
  return std::accumulate(chunks.begin(), chunks.end(), std::int64_t{0},
                         [](std::int64_t sum, const Chunk& chunk) { return sum + chunk.layers; });
}
bool Stage::has_embedding() const { return chunks.front().embedding; }
bool Stage::has_head() const { return chunks.back().head; }

std::string layout_problem(const Model& model, const Parallelism& parallelism, const Stack& stack) {
  return split(model, parallelism, stack).problem;
}

std::vector<Stage> layout(const Model& model, const Parallelism& parallelism, const Stack& stack) {
  const Pieces pieces = split(model, parallelism, stack);
  SHARDSIM_CHECK(pieces.problem.empty(), pieces.problem);
  const auto stages = static_cast<std::size_t>(parallelism.pipeline_model_parallel_size);
  std::vector<Stage> result(stages);
  for (std::size_t piece = 0; piece < pieces.layers.size(); ++piece) {
    result[piece % stages].chunks.push_back({pieces.layers[piece], piece == 0, piece + 1 == pieces.layers.size()});
  }
  return result;
}

}  // namespace shardsim::model
