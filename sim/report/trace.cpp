#include "sim/report/trace.hpp"

#include <algorithm>
#include <charconv>
#include <ostream>
#include <string>

#include "sim/report/trace_arrows.hpp"

namespace shardsim::report {
namespace {

using model::Picoseconds;

constexpr Picoseconds kPicosecondsPerMicrosecond = 1'000'000;
constexpr double kMebibyte = 1024.0 * 1024.0;

/// One line of the trace, built up and written at once.
class Line {
 public:
  explicit Line(std::ostream& out) : out_(out) {}

  Line& text(std::string_view piece) {
    line_ += piece;
    return *this;
  }
  Line& number(std::int64_t value) {
    std::array<char, 24> digits{};
    const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    line_.append(digits.data(), result.ptr);
    return *this;
  }
  /// Microseconds with six digits.
  Line& time(Picoseconds value) {
    if (value < 0) line_ += '-';
    const Picoseconds size = value < 0 ? -value : value;
    number(size / kPicosecondsPerMicrosecond);
    std::string fraction = std::to_string(size % kPicosecondsPerMicrosecond);
    line_ += '.';
    line_.append(6 - fraction.size(), '0');
    line_ += fraction;
    return *this;
  }
  /// With three digits.
  Line& mebibytes(Bytes value) {
    const auto thousandths = static_cast<std::int64_t>(value.as_double() / kMebibyte * 1000.0);
    number(thousandths / 1000).text(".");
    for (std::int64_t digit = 100; digit > 0; digit /= 10) number(thousandths / digit % 10);
    return *this;
  }
  /// In quotes.
  Line& quoted(std::string_view piece) {
    line_ += '"';
    for (const char c : piece) {
      if (c == '"' || c == '\\') line_ += '\\';
      line_ += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
    line_ += '"';
    return *this;
  }
  void end() {
    out_ << (first_ ? "\n" : ",\n") << line_;
    first_ = false;
    line_.clear();
  }

 private:
  std::ostream& out_;
  std::string line_;
  bool first_ = true;
};

double microseconds(Picoseconds time) {
  return static_cast<double>(time) / static_cast<double>(kPicosecondsPerMicrosecond);
}

/// Cut, by a picosecond as a rule, where a viewer that adds start and length as doubles would end behind `end`, which
/// makes the next span a child of this one.
Picoseconds length_of(Picoseconds start, Picoseconds end) {
  Picoseconds length = end - start;
  while (length > 0 && microseconds(start) + microseconds(length) > microseconds(end)) --length;
  return length;
}

enum class EventKind : std::uint8_t { span, memory, arrow_start, arrow_end };

/// In order of time; at one time a span comes before the arrows that it holds.
struct Event {
  Picoseconds time;
  EventKind kind;
  /// In the timeline's spans or memory samples, or among the arrows.
  std::size_t index;
};

class Writer {
 public:
  Writer(std::ostream& out, const model::Timeline& timeline, const std::vector<NamedRank>& ranks)
      : line_(out),
        timeline_(timeline),
        ranks_(ranks),
        rows_(timeline, ranks),
        arrows_(message_arrows(timeline, rows_)) {}

  void write() {
    for (std::size_t place = 0; place < ranks_.size(); ++place) name_process(static_cast<std::ptrdiff_t>(place));
    for (const Event& event : events()) {
      switch (event.kind) {
        case EventKind::span:
          write_span(timeline_.spans[event.index]);
          break;
        case EventKind::memory:
          write_memory(timeline_.memory[event.index]);
          break;
        case EventKind::arrow_start:
          write_arrow("s", event.index, arrows_[event.index].from);
          break;
        case EventKind::arrow_end:
          write_arrow("f", event.index, arrows_[event.index].to);
          break;
      }
    }
  }

 private:
  [[nodiscard]] std::vector<Event> events() const {
    std::vector<Event> events;
    events.reserve(timeline_.spans.size() + timeline_.memory.size() + 2 * arrows_.size());
    for (std::size_t i = 0; i < timeline_.spans.size(); ++i) {
      if (rows_.find(timeline_.spans[i].rank) >= 0) events.push_back({timeline_.spans[i].start, EventKind::span, i});
    }
    for (std::size_t i = 0; i < timeline_.memory.size(); ++i) {
      if (rows_.find(timeline_.memory[i].rank) >= 0) events.push_back({timeline_.memory[i].time, EventKind::memory, i});
    }
    for (std::size_t i = 0; i < arrows_.size(); ++i) {
      events.push_back({arrows_[i].from.time, EventKind::arrow_start, i});
      events.push_back({arrows_[i].to.time, EventKind::arrow_end, i});
    }
    std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
      if (a.time != b.time) return a.time < b.time;
      return a.kind != b.kind ? a.kind < b.kind : a.index < b.index;
    });
    return events;
  }

  Line& begin(std::string_view phase, std::int64_t rank) {
    return line_.text(R"({"ph":")").text(phase).text(R"(","pid":)").number(rank + 1);
  }
  Line& begin(std::string_view phase, const model::Span& span, Picoseconds time) {
    return begin(phase, span.rank)
        .text(R"(,"tid":)")
        .number(static_cast<std::int64_t>(index_of(span.lane)) + 1)
        .text(R"(,"ts":)")
        .time(time);
  }

  void name_process(std::ptrdiff_t place) {
    const NamedRank& rank = ranks_[static_cast<std::size_t>(place)];
    begin("M", rank.rank).text(R"(,"name":"process_name","args":{"name":)").quoted(rank.name).text("}}").end();
    begin("M", rank.rank).text(R"(,"name":"process_sort_index","args":{"sort_index":)").number(place).text("}}").end();
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      if (rows_.row(place, static_cast<model::Lane>(lane)).empty()) continue;
      const auto thread = static_cast<std::int64_t>(lane + 1);
      begin("M", rank.rank).text(R"(,"tid":)").number(thread).text(R"(,"name":"thread_name","args":{"name":)");
      line_.quoted(kLaneNames[lane]).text("}}").end();
      begin("M", rank.rank).text(R"(,"tid":)").number(thread).text(R"(,"name":"thread_sort_index","args":{)");
      line_.text(R"("sort_index":)").number(thread).text("}}").end();
    }
  }

  void write_span(const model::Span& span) {
    begin("X", span, span.start).text(R"(,"dur":)").time(length_of(span.start, span.end)).text(R"(,"name":)");
    line_.quoted(span.name);
    line_.text(R"(,"cat":")").text(name_of(span.lane)).text(R"(","args":{"pass":")").text(name_of(span.pass));
    line_.text("\"");
    if (span.micro_batch >= 0) {
      line_.text(R"(,"micro batch":)").number(span.micro_batch).text(R"(,"chunk":)").number(span.chunk);
    }
    if (span.bytes > Bytes{0}) line_.text(R"(,"bytes":)").number(span.bytes.value());
    line_.text("}}").end();
  }

  void write_memory(const model::MemorySample& sample) {
    begin("C", sample.rank).text(R"(,"ts":)").time(sample.time).text(R"(,"name":"memory MiB","args":{"allocated":)");
    line_.mebibytes(sample.allocated);
    if (sample.reserved > Bytes{0}) line_.text(R"(,"reserved":)").mebibytes(sample.reserved);
    line_.text("}}").end();
  }

  void write_arrow(std::string_view phase, std::size_t index, const ArrowEnd& end) {
    begin(phase, *end.span, end.time).text(R"(,"id":)").number(static_cast<std::int64_t>(index) + 1);
    if (phase == "f") line_.text(R"(,"bp":"e")");
    line_.text(R"(,"name":"message","cat":"message"})").end();
  }

  Line line_;
  const model::Timeline& timeline_;
  const std::vector<NamedRank>& ranks_;
  TimelineRows rows_;
  std::vector<Arrow> arrows_;
};

}  // namespace

void write_trace(std::ostream& out, const model::Timeline& timeline, const std::vector<NamedRank>& ranks) {
  out << R"({"displayTimeUnit":"ns","traceEvents":[)";
  Writer(out, timeline, ranks).write();
  out << "\n]}\n";
}

}  // namespace shardsim::report
