#include "validate/log/steady.hpp"

#include <algorithm>
#include <cmath>

namespace shardsim::validate::log {
namespace {

/// A slow iteration is this far above the median, and this many times the usual scatter.
constexpr double kSlow = 1.1;
constexpr double kScatters = 5.0;

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  const double at = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (at - static_cast<double>(below)) * (values[above] - values[below]);
}

/// Above this an iteration is no steady one: median + max(10 %, five standard deviations from the median deviation).
double slow_limit(const std::vector<double>& seconds) {
  const double median = quantile(seconds, 0.5);
  std::vector<double> deviations;
  for (const double value : seconds) deviations.push_back(std::abs(value - median));
  // 1.4826 · median deviation is the standard deviation of a normal distribution.
  const double scatter = 1.4826 * quantile(deviations, 0.5);
  return std::max(kSlow * median, median + kScatters * scatter);
}

bool same_job(const Iteration& a, const Iteration& b) {
  const auto equal = [](const auto& x, const auto& y) { return !x || !y || *x == *y; };
  return equal(a.global_batch_size, b.global_batch_size) && equal(a.seq_length, b.seq_length);
}

/// Why an iteration between two lines may be slow.
std::string reason_between(const TrainingLog& log, int from, int to) {
  for (const PauseMark& mark : log.pauses) {
    if (mark.line >= from && mark.line <= to) {
      return mark.pause == Pause::checkpoint ? "beside a checkpoint" : "beside an evaluation";
    }
  }
  return "slow";
}

class Tally {
 public:
  void add(const std::string& reason, std::size_t count = 1) {
    if (count == 0) return;
    const auto same = [&](const LeftOut& known) { return known.reason == reason; };
    const auto found = std::find_if(list.begin(), list.end(), same);
    found == list.end() ? list.push_back({reason, count}) : void(found->count += count);
  }
  std::vector<LeftOut> list;
};

std::string why_other_segment(const Segment& other, const Segment& chosen, bool earlier) {
  if (!same_job(other.iterations.back(), chosen.iterations.front())) return "of another batch size or sequence length";
  return earlier ? "before a restart" : "after the last restart, too few to tell";
}

/// The iteration's time, where there is one.
std::optional<double> seconds_of(const Iteration& iteration, double tokens_per_gpu) {
  if (iteration.seconds) return iteration.seconds;
  if (!iteration.tokens_per_s_per_gpu || tokens_per_gpu <= 0.0) return std::nullopt;
  return tokens_per_gpu / *iteration.tokens_per_s_per_gpu;
}

/// The first iteration after a start compiles, loads and fills caches; those behind it while they are slow.
std::size_t warm_up(const Segment& segment, const std::vector<double>& seconds) {
  if (!segment.after_start || seconds.size() < kFewest) return 0;
  const double limit = slow_limit({seconds.begin() + 1, seconds.end()});
  std::size_t count = 1;
  while (count + kFewest <= seconds.size() && seconds[count] > limit) ++count;
  return count;
}

}  // namespace

std::vector<Segment> segments(const TrainingLog& log) {
  std::vector<Segment> all;
  for (const Iteration& iteration : log.iterations) {
    if (all.empty()) {
      all.push_back({{iteration}, true});
      continue;
    }
    std::vector<Iteration>& current = all.back().iterations;
    if (iteration.number == current.back().number) {
      const bool slower = iteration.seconds.value_or(0.0) > current.back().seconds.value_or(0.0);
      if (slower) current.back() = iteration;
      continue;
    }
    const bool restarted = iteration.number < current.back().number;
    if (restarted || !same_job(current.back(), iteration)) {
      all.push_back({{iteration}, restarted});
    } else {
      current.push_back(iteration);
    }
  }
  return all;
}

std::size_t steady_segment(const std::vector<Segment>& segments) {
  std::size_t longest = 0;
  for (std::size_t i = segments.size(); i-- > 0;) {
    if (segments[i].iterations.size() >= kFewest) return i;
    if (segments[i].iterations.size() >= segments[longest].iterations.size()) longest = i;
  }
  return longest;
}

Steady steady(const TrainingLog& log, double tokens_per_gpu) {
  const std::vector<Segment> all = segments(log);
  if (all.empty()) throw InputError({Problem{{log.file, 0, ""}, "", "", "holds no iteration"}});
  const std::size_t chosen = steady_segment(all);
  const Segment& segment = all[chosen];
  Tally left_out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i != chosen) left_out.add(why_other_segment(all[i], segment, i < chosen), all[i].iterations.size());
  }
  std::vector<double> seconds;
  std::vector<const Iteration*> timed;
  for (const Iteration& iteration : segment.iterations) {
    const auto time = seconds_of(iteration, tokens_per_gpu);
    if (!time) continue;
    seconds.push_back(*time);
    timed.push_back(&iteration);
  }
  if (timed.empty()) {
    throw InputError({Problem{{log.file, segment.iterations.front().line, ""}, "", "", "the iterations have no time"}});
  }
  const std::size_t warm = warm_up(segment, seconds);
  left_out.add("warm-up", warm);
  const double limit = slow_limit({seconds.begin() + static_cast<std::ptrdiff_t>(warm), seconds.end()});

  Steady result;
  std::vector<double> used;
  std::vector<double> rates;
  for (std::size_t i = warm; i < timed.size(); ++i) {
    if (seconds[i] > limit) {
      left_out.add(reason_between(log, i > 0 ? timed[i - 1]->line : 0, timed[i]->line));
      continue;
    }
    if (used.empty()) result.first_line = timed[i]->line;
    if (used.empty()) result.first_iteration = timed[i]->number;
    result.last_line = timed[i]->line;
    result.last_iteration = timed[i]->number;
    used.push_back(seconds[i]);
    if (timed[i]->tflops_per_gpu) rates.push_back(*timed[i]->tflops_per_gpu);
  }
  result.median_s = quantile(used, 0.5);
  result.p10_s = quantile(used, 0.1);
  result.p90_s = quantile(used, 0.9);
  result.used = used.size();
  if (!rates.empty()) result.tflops_per_gpu = quantile(rates, 0.5);
  result.global_batch_size = segment.iterations.back().global_batch_size;
  result.seq_length = segment.iterations.back().seq_length;
  result.left_out = left_out.list;
  return result;
}

}  // namespace shardsim::validate::log
