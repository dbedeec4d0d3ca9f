#include "kernels/trainer/train_flags.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

namespace shardsim::kernels {
namespace {

using Options = TrainOptions;

void reject(const GivenFlag& given, Problems& problems, const std::string& message) {
  problems.add({given.origin, "", given.value, message});
}

/// What a number must satisfy.
struct Range {
  double least;
  double most;
  std::string_view text;
};
constexpr double kLargest = std::numeric_limits<double>::max();
constexpr Range kPositive{std::numeric_limits<double>::min(), kLargest, "a number above 0"};
constexpr Range kNotNegative{0.0, kLargest, "a number of at least 0"};
constexpr Range kBelowOne{0.0, std::nextafter(1.0, 0.0), "a number of at least 0 and below 1"};
constexpr Range kAtLeastOne{1.0, kLargest, "a number of at least 1"};
constexpr double kLargestCount = 9e15;
constexpr Range kCount{1.0, kLargestCount, "a whole number of at least 1"};
constexpr Range kCountOrNone{0.0, kLargestCount, "a whole number of at least 0"};

template <class Number>
void read(const GivenFlag& given, const Range& range, Number& target, Problems& problems) {
  char* end = nullptr;
  const double number = std::strtod(given.value.c_str(), &end);
  const bool whole = !std::is_integral_v<Number> || number == std::floor(number);
  if (given.value.empty() || *end != '\0' || !whole || !(number >= range.least && number <= range.most)) {
    return reject(given, problems, "must be " + std::string(range.text));
  }
  target = static_cast<Number>(number);
}

void read_text(const GivenFlag& given, std::string& target, Problems& problems) {
  if (given.value.empty()) return reject(given, problems, "the value is missing");
  target = given.value;
}

void read_decay(Options& options, const GivenFlag& given, Problems& problems) {
  constexpr std::array<std::pair<std::string_view, LearningRateDecay>, 4> kStyles{
      {{"constant", LearningRateDecay::constant},
       {"linear", LearningRateDecay::linear},
       {"cosine", LearningRateDecay::cosine},
       {"inverse-square-root", LearningRateDecay::inverse_square_root}}};
  for (const auto& [name, style] : kStyles) {
    if (given.value == name) {
      options.learning_rate.decay = style;
      return;
    }
  }
  reject(given, problems, "must be constant, linear, cosine or inverse-square-root");
}

void read_backend(Options& options, const GivenFlag& given, Problems& problems) {
  if (given.value == "auto") {
    options.backend = BackendKind::automatic;
  } else if (given.value == "cpu") {
    options.backend = BackendKind::cpu;
  } else if (given.value == "gpu") {
    options.backend = BackendKind::gpu;
  } else {
    reject(given, problems, "must be auto, cpu or gpu");
  }
}

void read_initial_scale(Options& options, const GivenFlag& given, Problems& problems) {
  read(given, kAtLeastOne, options.loss_scale.initial, problems);
  options.loss_scale.dynamic = true;
}

using Given = const GivenFlag&;
using Found = Problems&;

}  // namespace

const std::vector<TrainFlag>& train_flags() {
  static const std::vector<TrainFlag> flags{
      {"train-iters", "N", "iterations (10)", true,
       [](Options& o, Given g, Found p) { read(g, kCount, o.train_iters, p); }},
      {"train-samples", "N", "sequences, instead of iterations", true,
       [](Options& o, Given g, Found p) { read(g, kCount, o.train_samples, p); }},
      {"lr", "X", "largest learning rate (1.5e-4)", true,
       [](Options& o, Given g, Found p) { read(g, kPositive, o.learning_rate.maximum, p); }},
      {"min-lr", "X", "smallest learning rate (0)", true,
       [](Options& o, Given g, Found p) { read(g, kNotNegative, o.learning_rate.minimum, p); }},
      {"lr-decay-style", "NAME", "constant, linear (default), cosine, inverse-square-root", true, read_decay},
      {"lr-decay-iters", "N", "iterations until the smallest learning rate (all)", true,
       [](Options& o, Given g, Found p) { read(g, kCount, o.lr_decay_iters, p); }},
      {"lr-warmup-iters", "N", "iterations until the largest learning rate (0)", true,
       [](Options& o, Given g, Found p) { read(g, kCountOrNone, o.learning_rate.warmup_iterations, p); }},
      {"lr-warmup-fraction", "X", "the same as a share of the decay", true,
       [](Options& o, Given g, Found p) { read(g, kBelowOne, o.lr_warmup_fraction, p); }},
      {"weight-decay", "X", "decoupled, of matrices (0.01)", true,
       [](Options& o, Given g, Found p) { read(g, kNotNegative, o.adam.weight_decay, p); }},
      {"adam-beta1", "X", "(0.9)", true, [](Options& o, Given g, Found p) { read(g, kBelowOne, o.adam.beta1, p); }},
      {"adam-beta2", "X", "(0.999)", true, [](Options& o, Given g, Found p) { read(g, kBelowOne, o.adam.beta2, p); }},
      {"adam-eps", "X", "(1e-8)", true, [](Options& o, Given g, Found p) { read(g, kPositive, o.adam.epsilon, p); }},
      {"clip-grad", "X", "largest norm of the gradient; 0 = any (1)", true,
       [](Options& o, Given g, Found p) { read(g, kNotNegative, o.adam.clip_grad, p); }},
      {"loss-scale", "X", "constant loss scale", true,
       [](Options& o, Given g, Found p) { read(g, kAtLeastOne, o.loss_scale.constant, p); }},
      {"initial-loss-scale", "X", "first dynamic loss scale (2^32 for fp16)", true, read_initial_scale},
      {"min-loss-scale", "X", "smallest dynamic loss scale (1)", true,
       [](Options& o, Given g, Found p) { read(g, kAtLeastOne, o.loss_scale.minimum, p); }},
      {"loss-scale-window", "N", "good iterations until it doubles (1000)", true,
       [](Options& o, Given g, Found p) { read(g, kCount, o.loss_scale.window, p); }},
      {"hysteresis", "N", "overflows until it halves (2)", true,
       [](Options& o, Given g, Found p) { read(g, kCount, o.loss_scale.hysteresis, p); }},
      {"seed", "N", "of weights, dropout and data, the same for every layout (1234)", true,
       [](Options& o, Given g, Found p) { read(g, kCountOrNone, o.seed, p); }},
      {"data-path", "FILE", "a text to train on; synthetic tokens without it", true,
       [](Options& o, Given g, Found p) { read_text(g, o.data.path, p); }},
      {"vocab-file", "FILE", "GPT-2's vocab.json or BERT's vocab.txt; bytes without it", true,
       [](Options& o, Given g, Found p) { read_text(g, o.data.vocab_file, p); }},
      {"merge-file", "FILE", "GPT-2's merges.txt", true,
       [](Options& o, Given g, Found p) { read_text(g, o.data.merge_file, p); }},
      {"tokenizer-type", "NAME", "GPT2BPETokenizer, BertWordPieceLowerCase or BertWordPieceCase; by the files", true,
       [](Options& o, Given g, Found p) { read_text(g, o.data.tokenizer_type, p); }},
      {"save", "FOLDER", "where checkpoints are written", true,
       [](Options& o, Given g, Found p) { read_text(g, o.save, p); }},
      {"load", "FOLDER", "where a checkpoint of any layout is read, or Hugging Face's model.safetensors", true,
       [](Options& o, Given g, Found p) { read_text(g, o.load, p); }},
      {"save-interval", "N", "iterations between checkpoints (only at the end)", true,
       [](Options& o, Given g, Found p) { read(g, kCount, o.save_interval, p); }},
      {"log-interval", "N", "iterations between lines of the log (1)", true,
       [](Options& o, Given g, Found p) { read(g, kCount, o.log_interval, p); }},
      {"backend", "NAME", "cpu, gpu, or auto: a GPU where there is one (auto)", false, read_backend},
      {"export-weights", "FILE", "write all weights at the end, as safetensors with Hugging Face's names", false,
       [](Options& o, Given g, Found p) { read_text(g, o.export_weights, p); }},
      {"record", "FILE", "write every executed operator and collective of every rank, a JSON object a line", false,
       [](Options& o, Given g, Found p) { read_text(g, o.record, p); }},
      {"trace", "FILE", "write the last iteration as a trace for Perfetto or chrome://tracing", false,
       [](Options& o, Given g, Found p) { read_text(g, o.trace, p); }},
      {"pin", "", "bind each rank to a core of its own, where there are enough", false,
       [](Options& o, Given, Found) { o.pin = true; }},
      {"check-collectives", "", "compare kind, size and number of every collective over its group", false,
       [](Options& o, Given, Found) { o.check_collectives = true; }},
      {"timeout", "SECONDS", "how long a rank waits for others before it ends the job", false,
       [](Options& o, Given g, Found p) { read(g, kPositive, o.timeout, p); }},
  };
  return flags;
}

const TrainFlag* find_train_flag(std::string_view name) {
  const auto& flags = train_flags();
  const auto found = std::find_if(flags.begin(), flags.end(), [&](const TrainFlag& flag) { return flag.name == name; });
  return found == flags.end() ? nullptr : &*found;
}

}  // namespace shardsim::kernels
