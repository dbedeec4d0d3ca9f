#include "sim/report/text_timeline.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "sim/report/format.hpp"

namespace shardsim::report {
namespace {

using model::Pass;
using model::Picoseconds;

enum Kind : std::size_t { kForward, kBackward, kInputGradient, kWeightGradient, kStep, kKinds };

/// How a kind looks: its name in the legend, what fills its slots, its ANSI colours (black on ...).
struct Look {
  std::string_view name;
  char fill;
  std::string_view colour;
};
constexpr std::array<Look, kKinds> kLooks{{{"forward", '-', "\x1b[30;46m"},
                                           {"backward", '=', "\x1b[30;42m"},
                                           {"input gradient", '<', "\x1b[30;42m"},
                                           {"weight gradient", '~', "\x1b[30;43m"},
                                           {"step", '#', "\x1b[30;47m"}}};
constexpr std::string_view kPlain = "\x1b[0m";
constexpr char kIdle = '.';

struct Slot {
  Kind kind = kForward;
  std::int32_t micro_batch = -1;
  std::int32_t chunk = 0;
  Picoseconds start = 0;
  Picoseconds end = 0;
};
using Slots = std::vector<Slot>;

Kind kind_of(Pass pass) {
  switch (pass) {
    case Pass::forward:
      return kForward;
    case Pass::recompute:
    case Pass::backward:
      return kBackward;
    case Pass::input_gradient:
      return kInputGradient;
    case Pass::weight_gradient:
      return kWeightGradient;
    case Pass::step:
      return kStep;
  }
  return kForward;
}

bool same_pass(const Slot& a, const Slot& b) { return a.micro_batch == b.micro_batch && a.chunk == b.chunk; }

bool is_gradient(Kind kind) { return kind == kBackward || kind == kInputGradient || kind == kWeightGradient; }

/// Gradients of one micro batch that follow one another are one backward pass when they alternate layer by layer, and
/// two passes when all input gradients come before all weight gradients.
Slots join_gradients(const Slots& runs) {
  Slots slots;
  for (std::size_t i = 0; i < runs.size();) {
    std::size_t next = i + 1;
    while (next < runs.size() && is_gradient(runs[i].kind) && is_gradient(runs[next].kind) &&
           same_pass(runs[i], runs[next])) {
      ++next;
    }
    const bool split = next - i == 2 && runs[i].kind == kInputGradient && runs[i + 1].kind == kWeightGradient;
    if (next - i == 1 || split) {
      slots.insert(slots.end(), runs.begin() + static_cast<std::ptrdiff_t>(i),
                   runs.begin() + static_cast<std::ptrdiff_t>(next));
    } else {
      slots.push_back({kBackward, runs[i].micro_batch, runs[i].chunk, runs[i].start, runs[next - 1].end});
    }
    i = next;
  }
  return slots;
}

std::map<std::int64_t, Slots> slots_by_rank(const model::Timeline& timeline) {
  std::map<std::int64_t, Slots> ranks;
  for (const model::Span& span : timeline.spans) {
    if (span.lane != model::Lane::compute) continue;
    Slots& runs = ranks[span.rank];
    const Slot slot{kind_of(span.pass), span.micro_batch, span.chunk, span.start, span.end};
    const bool goes_on = !runs.empty() && runs.back().kind == slot.kind && same_pass(runs.back(), slot);
    if (goes_on) {
      runs.back().end = slot.end;
    } else {
      runs.push_back(slot);
    }
  }
  for (auto& [rank, runs] : ranks) runs = join_gradients(runs);
  return ranks;
}

class Chart {
 public:
  Chart(Picoseconds end, std::size_t width, bool letters, Colour colour)
      : end_{end}, width_{width}, letters_{letters}, colour_{colour} {}

  [[nodiscard]] std::string row(const Slots& slots) const {
    std::string row;
    std::size_t at = 0;
    for (const Slot& slot : slots) {
      const std::size_t from = std::max(at, column(slot.start));
      const std::size_t to = std::max(from, column(slot.end));
      row.append(from - at, kIdle);
      row += painted(slot.kind, text(slot, to - from));
      at = to;
    }
    return row.append(width_ - at, kIdle);
  }

  [[nodiscard]] std::string painted(Kind kind, const std::string& text) const {
    if (colour_ == Colour::none || text.empty()) return text;
    return std::string{kLooks[kind].colour} + text + std::string{kPlain};
  }

  /// "|0 s    |100 ms    |200 ms": marks at round times, as many as stand apart.
  [[nodiscard]] std::string axis() const {
    const double seconds = static_cast<double>(end_) * 1e-12;
    constexpr double kColumnsPerMark = 14.0;
    const double least = seconds * kColumnsPerMark / static_cast<double>(width_);
    const double power = std::pow(10.0, std::floor(std::log10(least)));
    double step = 10.0 * power;
    for (const double factor : {5.0, 2.0, 1.0}) {
      if (factor * power >= least) step = factor * power;
    }
    std::string axis;
    for (double mark = 0.0; seconds > 0.0 && mark <= seconds; mark += step) {
      const auto at = static_cast<std::size_t>(mark / seconds * static_cast<double>(width_));
      const std::string label = "|" + (mark == 0.0 ? "0 s" : duration(Seconds{mark}));
      if (at + label.size() > width_) break;
      axis.resize(at, ' ');
      axis += label;
    }
    return axis;
  }

 private:
  [[nodiscard]] std::size_t column(Picoseconds time) const {
    const double share = static_cast<double>(time) / static_cast<double>(end_);
    return std::min(width_, static_cast<std::size_t>(share * static_cast<double>(width_)));
  }

  [[nodiscard]] std::string text(const Slot& slot, std::size_t width) const {
    std::string text;
    if (slot.micro_batch >= 0) text = std::to_string(slot.micro_batch);
    if (text.size() >= width) text.clear();
    if (letters_ && !text.empty() && text.size() + 1 < width) text += static_cast<char>('a' + slot.chunk % 26);
    text.resize(width, kLooks[slot.kind].fill);
    return text;
  }

  Picoseconds end_;
  std::size_t width_;
  bool letters_;
  Colour colour_;
};

std::string idle_share(const Slots& slots, Picoseconds end) {
  Picoseconds busy = 0;
  for (const Slot& slot : slots) busy += slot.end - slot.start;
  return "  idle " + percent(static_cast<double>(end - busy) / static_cast<double>(end));
}

std::string legend(const std::map<std::int64_t, Slots>& ranks, const Chart& chart) {
  std::array<bool, kKinds> seen{};
  for (const auto& [rank, slots] : ranks) {
    for (const Slot& slot : slots) seen[slot.kind] = true;
  }
  std::string line;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    if (!seen[kind]) continue;
    const std::string sample(2, kLooks[kind].fill);
    line += chart.painted(static_cast<Kind>(kind), sample) + " " + std::string{kLooks[kind].name} + "  ";
  }
  return line + kIdle + kIdle + " idle";
}

}  // namespace

void write_text_timeline(std::ostream& out, const model::Timeline& timeline, const TextTimelineStyle& style) {
  const std::map<std::int64_t, Slots> ranks = slots_by_rank(timeline);
  if (ranks.empty() || timeline.end <= 0) {
    out << "No rank computes.\n";
    return;
  }
  const bool letters =
      std::any_of(timeline.spans.begin(), timeline.spans.end(), [](const model::Span& span) { return span.chunk > 0; });
  const std::size_t rows = std::min(ranks.size(), style.most_rows);
  const std::size_t digits = std::to_string(ranks.rbegin()->first).size();
  const std::string margin(std::string_view{"rank   |"}.size() + digits - 1, ' ');
  constexpr std::string_view kTail = "|  idle 100.0 %";
  const std::size_t width = std::max(style.columns, kLeastTimelineColumns) - margin.size() - 1 - kTail.size();
  const Chart chart{timeline.end, width, letters, style.colour};
  out << legend(ranks, chart) << '\n' << margin << ' ' << chart.axis() << '\n';
  std::size_t drawn = 0;
  for (const auto& [rank, slots] : ranks) {
    if (drawn++ == rows) break;
    out << "rank " << right(std::to_string(rank), digits) << "  |" << chart.row(slots) << '|'
        << idle_share(slots, timeline.end) << '\n';
  }
  if (ranks.size() > rows)
    out << "... and " << grouped(static_cast<std::int64_t>(ranks.size() - rows)) << " more ranks\n";
}

}  // namespace shardsim::report
