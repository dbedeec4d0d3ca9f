#include "validate/local/jobs.hpp"

#include <array>
#include <string_view>

namespace shardsim::validate::local {
namespace {

enum class Recompute { none, selective, full };
enum class Optimizer { whole, sharded };
enum class Residual { whole, sequence_parallel };
enum class Schedule { one_f_one_b, gpipe };

struct Layout {
  std::int64_t tp = 1;
  std::int64_t pp = 1;
  std::int64_t dp = 1;
  std::int64_t chunks = 1;
  Optimizer optimizer = Optimizer::whole;
  Residual residual = Residual::whole;
  Schedule schedule = Schedule::one_f_one_b;
  Recompute recompute = Recompute::none;
};

struct Row {
  bool quick = false;
  std::string_view family;
  std::int64_t hidden = 0;
  std::int64_t layers = 0;
  std::int64_t sequence = 0;
  std::int64_t micro_batch = 1;
  /// Of each pipeline.
  std::int64_t micro_batches = 1;
  Layout layout;
};

constexpr auto kSharded = Optimizer::sharded;
constexpr auto kSequenceParallel = Residual::sequence_parallel;
constexpr auto kGpipe = Schedule::gpipe;
constexpr auto kSelective = Recompute::selective;
constexpr auto kFull = Recompute::full;

// A tenth to half a second a step on cores of 50 GFLOP/s.
constexpr std::array kRows{
    Row{true, "gpt", 256, 2, 224, 2, 1, {}},
    Row{false, "gpt", 384, 2, 160, 3, 1, {}},
    Row{true, "gpt", 512, 2, 288, 1, 1, {}},
    Row{false, "gpt", 640, 2, 96, 1, 2, {}},
    Row{false, "gpt", 768, 2, 160, 1, 1, {.recompute = kFull}},
    Row{false, "gpt", 1024, 1, 136, 1, 1, {}},
    Row{false, "bert", 256, 4, 136, 4, 1, {}},
    Row{true, "bert", 512, 2, 384, 1, 1, {.recompute = kSelective}},
    Row{false, "bert", 768, 1, 288, 1, 1, {}},

    Row{false, "gpt", 256, 4, 480, 1, 1, {.tp = 2}},
    Row{true, "gpt", 512, 2, 224, 2, 1, {.tp = 2, .residual = kSequenceParallel}},
    Row{false, "gpt", 768, 2, 224, 1, 1, {.tp = 2}},
    Row{false, "gpt", 1024, 2, 160, 1, 1, {.tp = 2, .residual = kSequenceParallel}},
    Row{false, "bert", 384, 2, 288, 2, 1, {.tp = 2}},
    Row{false, "bert", 640, 2, 136, 2, 1, {.tp = 2, .residual = kSequenceParallel, .recompute = kFull}},
    Row{true, "bert", 1024, 1, 112, 2, 1, {.tp = 2}},

    Row{false, "gpt", 256, 4, 224, 1, 4, {.pp = 2}},
    Row{true, "gpt", 512, 2, 112, 1, 4, {.pp = 2}},
    Row{false, "gpt", 768, 2, 96, 1, 3, {.pp = 2, .recompute = kFull}},
    Row{false, "bert", 384, 4, 136, 1, 4, {.pp = 2, .schedule = kGpipe}},
    Row{false, "gpt", 384, 4, 112, 1, 4, {.pp = 2, .chunks = 2}},
    Row{false, "bert", 640, 2, 160, 1, 2, {.pp = 2}},

    Row{false, "gpt", 256, 2, 384, 2, 1, {.dp = 2}},
    Row{true, "gpt", 512, 2, 192, 2, 1, {.dp = 2}},
    Row{false, "gpt", 1024, 1, 192, 1, 1, {.dp = 2, .optimizer = kSharded}},
    Row{true, "bert", 512, 2, 136, 1, 2, {.dp = 2, .optimizer = kSharded}},
    Row{false, "bert", 768, 2, 136, 1, 1, {.dp = 2}},
    Row{false, "gpt", 640, 2, 224, 1, 1, {.dp = 2, .optimizer = kSharded, .recompute = kSelective}},

    Row{false, "gpt", 512, 2, 224, 2, 1, {.tp = 4}},
    Row{true, "gpt", 640, 4, 136, 1, 4, {.tp = 2, .pp = 2, .residual = kSequenceParallel}},
    Row{false, "bert", 512, 2, 160, 2, 1, {.tp = 2, .dp = 2, .optimizer = kSharded}},
    Row{false, "gpt", 384, 4, 136, 1, 4, {.pp = 2, .dp = 2}},
    Row{false, "gpt", 768, 2, 192, 1, 1, {.dp = 4, .optimizer = kSharded}},
    Row{false, "bert", 640, 4, 112, 1, 6, {.pp = 4}},

    Row{true, "gpt", 768, 2, 192, 1, 4, {.tp = 2, .pp = 2, .dp = 2, .optimizer = kSharded}},
    Row{false, "gpt", 1024, 2, 224, 1, 1, {.tp = 8, .residual = kSequenceParallel}},
    Row{false, "bert", 512, 2, 192, 2, 1, {.dp = 8}},
};

std::int64_t ranks(const Layout& layout) { return layout.tp * layout.pp * layout.dp; }

std::string layout_text(const Layout& layout) {
  std::string text;
  const auto add = [&](const std::string& word) { text += (text.empty() ? "" : " ") + word; };
  if (layout.tp > 1) add("tp" + std::to_string(layout.tp));
  if (layout.pp > 1) add("pp" + std::to_string(layout.pp));
  if (layout.dp > 1) add("dp" + std::to_string(layout.dp));
  return text.empty() ? "1 rank" : text;
}

std::string name_of(const Row& row) {
  const Layout& layout = row.layout;
  std::string name = std::string(row.family) + " h" + std::to_string(row.hidden) + " L" + std::to_string(row.layers) +
                     " s" + std::to_string(row.sequence) + " " + std::to_string(row.micro_batch) + "x" +
                     std::to_string(row.micro_batches);
  if (ranks(layout) > 1) name += " " + layout_text(layout);
  if (layout.residual == Residual::sequence_parallel) name += " sp";
  if (layout.optimizer == Optimizer::sharded) name += " zero1";
  if (layout.chunks > 1) name += " v" + std::to_string(layout.chunks);
  if (layout.schedule == Schedule::gpipe) name += " gpipe";
  if (layout.recompute == Recompute::selective) name += " selective";
  if (layout.recompute == Recompute::full) name += " full";
  return name;
}

Job job_of(const Row& row) {
  constexpr std::int64_t kHeadSize = 64;
  const Layout& layout = row.layout;
  Job job;
  job.name = name_of(row);
  job.group = std::string(row.family) + ", " + layout_text(layout);
  job.ranks = ranks(layout);
  const auto set = [&](const char* key, const std::string& value) {
    job.settings.set({key, value, {"job", 0, job.name}, ""});
  };
  const auto number = [&](const char* key, std::int64_t value) { set(key, std::to_string(value)); };
  set("model.family", std::string(row.family));
  number("model.num_layers", row.layers);
  number("model.hidden_size", row.hidden);
  number("model.num_attention_heads", row.hidden / kHeadSize);
  number("model.seq_length", row.sequence);
  number("model.max_position_embeddings", 512);
  number("model.vocab_size", row.family == "gpt" ? 4000 : 6000);
  number("training.micro_batch_size", row.micro_batch);
  number("training.global_batch_size", row.micro_batch * row.micro_batches * layout.dp);
  number("parallelism.tensor_model_parallel_size", layout.tp);
  number("parallelism.pipeline_model_parallel_size", layout.pp);
  if (layout.chunks > 1) number("parallelism.virtual_pipeline_model_parallel_size", layout.chunks);
  if (layout.schedule == Schedule::gpipe) set("parallelism.schedule", "gpipe");
  if (layout.residual == Residual::sequence_parallel) set("parallelism.sequence_parallel", "true");
  if (layout.optimizer == Optimizer::sharded) set("parallelism.use_distributed_optimizer", "true");
  if (layout.recompute == Recompute::selective) set("training.recompute.granularity", "selective");
  if (layout.recompute == Recompute::full) set("training.recompute.granularity", "full");
  return job;
}

}  // namespace

std::vector<Job> jobs(Extent extent, std::int64_t cores) {
  std::vector<Job> chosen;
  for (const Row& row : kRows) {
    if ((extent == Extent::full || row.quick) && ranks(row.layout) <= cores) chosen.push_back(job_of(row));
  }
  return chosen;
}

}  // namespace shardsim::validate::local
