#include "tests/report/trace_check.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

namespace shardsim::tests {
namespace {

using Json = nlohmann::json;
using Thread = std::pair<std::int64_t, std::int64_t>;

std::int64_t picoseconds(const Json& microseconds) { return std::llround(microseconds.get<double>() * 1e6); }

std::int64_t nanoseconds(const Json& microseconds) { return picoseconds(microseconds) / 1000; }

enum class Type { text, number, integer, object };

bool is(const Json& value, Type type) {
  switch (type) {
    case Type::text:
      return value.is_string() && !value.get_ref<const std::string&>().empty();
    case Type::number:
      return value.is_number();
    case Type::integer:
      return value.is_number_integer();
    default:
      return value.is_object() && !value.empty();
  }
}

using Keys = std::vector<std::pair<const char*, Type>>;

/// Keys that an event of the phase must have, beside "ph" and "pid".
const Keys* required_keys(const std::string& phase) {
  static const std::map<std::string, Keys> keys{
      {"M", {{"name", Type::text}, {"args", Type::object}}},
      {"X",
       {{"name", Type::text},
        {"cat", Type::text},
        {"tid", Type::integer},
        {"ts", Type::number},
        {"dur", Type::number},
        {"args", Type::object}}},
      {"C", {{"name", Type::text}, {"ts", Type::number}, {"args", Type::object}}},
      {"s",
       {{"name", Type::text},
        {"cat", Type::text},
        {"tid", Type::integer},
        {"ts", Type::number},
        {"id", Type::integer}}},
      {"f",
       {{"name", Type::text},
        {"cat", Type::text},
        {"tid", Type::integer},
        {"ts", Type::number},
        {"id", Type::integer},
        {"bp", Type::text}}}};
  const auto found = keys.find(phase);
  return found == keys.end() ? nullptr : &found->second;
}

/// Looks at the events one after another.
class Check {
 public:
  void event(const Json& event) {
    event_ = &event;
    if (!has_keys()) return;
    const std::string phase = event["ph"];
    if (phase == "M") return metadata();
    if (processes_.count(process()) == 0) complain("its process has no name");
    if (event.contains("tid") && threads_.count(thread()) == 0) complain("its thread has no name");
    const std::int64_t time = picoseconds(event["ts"]);
    if (time < last_time_) complain("earlier than the event before");
    last_time_ = time;
    if (phase == "X") return span();
    if (phase == "C") return counter();
    arrow_end(phase);
  }

  std::vector<std::string> finish() {
    for (const auto& [id, ends] : arrows_) {
      if (ends != "sf") problems_.push_back("arrow " + std::to_string(id) + " has the ends '" + ends + "'");
    }
    return std::move(problems_);
  }

 private:
  void complain(const std::string& what) { problems_.push_back(what + ": " + event_->dump()); }

  [[nodiscard]] std::int64_t process() const { return (*event_)["pid"]; }
  [[nodiscard]] Thread thread() const { return {(*event_)["pid"], (*event_)["tid"]}; }

  bool has_keys() {
    const Json& event = *event_;
    if (!event.is_object() || !event.contains("ph") || !event["ph"].is_string()) return complain("no phase"), false;
    if (!event.contains("pid") || !is(event["pid"], Type::integer) || event["pid"] <= 0) return complain("pid"), false;
    const Keys* keys = required_keys(event["ph"]);
    if (keys == nullptr) return complain("unknown phase"), false;
    for (const auto& [key, type] : *keys) {
      if (!event.contains(key) || !is(event[key], type)) return complain(std::string("lacks ") + key), false;
    }
    return true;
  }

  void metadata() {
    const std::string name = (*event_)["name"];
    const Json& args = (*event_)["args"];
    const bool of_thread = name.rfind("thread_", 0) == 0;
    if (of_thread && !event_->contains("tid")) return complain("lacks tid");
    if (name == "process_name" || name == "thread_name") {
      if (!args.contains("name") || !is(args["name"], Type::text)) return complain("lacks args.name");
      const bool fresh = of_thread ? threads_.insert(thread()).second : processes_.insert(process()).second;
      if (!fresh) complain("named twice");
    } else if (name == "process_sort_index" || name == "thread_sort_index") {
      if (!args.contains("sort_index") || !is(args["sort_index"], Type::integer)) complain("lacks args.sort_index");
    } else {
      complain("unknown metadata");
    }
  }

  void span() {
    const Json& event = *event_;
    const std::int64_t start = picoseconds(event["ts"]);
    const std::int64_t length = picoseconds(event["dur"]);
    if (length < 0) return complain("negative duration");
    Row& row = rows_[thread()];
    if (start < row.end) complain("overlaps the span before");
    if (event["ts"].get<double>() < row.end_in_doubles) complain("overlaps the span before where doubles are added");
    row.end_in_doubles = event["ts"].get<double>() + event["dur"].get<double>();
    row.end = start + length;
    row.first_nanosecond = nanoseconds(event["ts"]);
    row.end_nanosecond = row.first_nanosecond + nanoseconds(event["dur"]);
  }

  void counter() {
    for (const auto& [series, value] : (*event_)["args"].items()) {
      if (!value.is_number()) complain("no number: " + series);
    }
  }

  /// The thread's latest span must hold it: events come in order of time.
  void arrow_end(const std::string& phase) {
    if (phase == "f" && (*event_)["bp"] != "e") complain("bp is not e");
    arrows_[(*event_)["id"]] += phase;
    const auto row = rows_.find(thread());
    const std::int64_t time = nanoseconds((*event_)["ts"]);
    const bool inside = row != rows_.end() && time >= row->second.first_nanosecond &&
                        (time < row->second.end_nanosecond || time == row->second.first_nanosecond);
    if (!inside) complain("in no span");
  }

  struct Row {
    std::int64_t end = INT64_MIN;
    /// As speedscope adds start and length.
    double end_in_doubles = std::numeric_limits<double>::lowest();
    std::int64_t first_nanosecond = 0;
    std::int64_t end_nanosecond = 0;
  };

  const Json* event_ = nullptr;
  std::vector<std::string> problems_;
  std::set<std::int64_t> processes_;
  std::set<Thread> threads_;
  std::map<Thread, Row> rows_;
  std::map<std::int64_t, std::string> arrows_;
  std::int64_t last_time_ = INT64_MIN;
};

}  // namespace

std::vector<std::string> trace_problems(std::string_view trace) {
  const Json json = Json::parse(trace, nullptr, false);
  if (json.is_discarded()) return {"no JSON"};
  if (!json.is_object() || !json.contains("traceEvents") || !json["traceEvents"].is_array()) return {"no traceEvents"};
  Check check;
  for (const Json& event : json["traceEvents"]) check.event(event);
  return check.finish();
}

}  // namespace shardsim::tests
