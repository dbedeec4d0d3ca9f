#include "calibrate/measure/local_samples.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <sstream>

#include "calibrate/samples/csv.hpp"
#include "sim/hardware/kernels.hpp"
#include "sim/input/units.hpp"

namespace shardsim::calibrate {
namespace {

/// Two passes that differ more than this tell of a mistake, not of a disturbance; below a millisecond one interruption
/// may do that.
constexpr double kContradiction = 4.0;
constexpr Seconds kLongEnough{1e-3};
constexpr Seconds kNever{std::numeric_limits<double>::infinity()};

constexpr auto kFamilyNames = std::to_array<std::string_view>(
    {"product", "batched_product", "kernel", "collective", "host", "lone_product", "lone_kernel"});
constexpr std::string_view kSign = "# shardsim calibrate";
constexpr auto kColumns =
    std::to_array<std::string_view>({"family", "name", "m", "n", "k", "batch", "ranks", "nodes", "bytes", "flops",
                                     "median_us", "p10_us", "p90_us", "samples"});

std::string text(double value) { return input::to_text(value); }

/// Numbers of one row, with its problems.
class Row {
 public:
  Row(const CsvTable& table, const CsvRow& row, Problems& problems) : table_{table}, row_{row}, problems_{problems} {}

  [[nodiscard]] const std::string& field(std::size_t column) const { return row_.fields[column]; }
  [[nodiscard]] double number(std::size_t column, double smallest) {
    const auto parsed = input::parse_number(field(column));
    if (parsed.value && *parsed.value >= smallest) return *parsed.value;
    reject(column, parsed.value ? "must be at least " + text(smallest) : parsed.error);
    return smallest;
  }
  [[nodiscard]] std::int64_t integer(std::size_t column, std::int64_t smallest) {
    const auto parsed = input::parse_integer(field(column));
    if (parsed.value && *parsed.value >= smallest) return *parsed.value;
    reject(column, parsed.value ? "must be at least " + std::to_string(smallest) : parsed.error);
    return smallest;
  }
  [[nodiscard]] Seconds microseconds(std::size_t column) {
    const double value = number(column, 0.0);
    if (value == 0.0) reject(column, "must be more than 0");
    return Seconds{value * 1e-6};
  }
  void reject(std::size_t column, const std::string& message) {
    problems_.add({table_.origin(row_), std::string(kColumns[column]), field(column), message});
  }

 private:
  const CsvTable& table_;
  const CsvRow& row_;
  Problems& problems_;
};

LocalSample read_row(const CsvTable& table, const CsvRow& fields, Problems& problems) {
  Row row{table, fields, problems};
  LocalSample sample;
  sample.origin = table.origin(fields);
  Subject& subject = sample.subject;
  const auto* family = std::find(kFamilyNames.begin(), kFamilyNames.end(), row.field(0));
  if (family == kFamilyNames.end()) row.reject(0, "is no kind of measurement");
  subject.family =
      static_cast<Family>((family - kFamilyNames.begin()) % static_cast<std::ptrdiff_t>(kFamilyNames.size()));
  subject.name = row.field(1);
  subject.m = row.integer(2, 0);
  subject.n = row.integer(3, 0);
  subject.k = row.integer(4, 0);
  subject.batch = row.integer(5, 1);
  subject.ranks = row.integer(6, 1);
  subject.nodes = row.integer(7, 1);
  subject.bytes = Bytes{row.integer(8, 0)};
  subject.flops = Flops{row.number(9, 0.0)};
  sample.timing = {row.microseconds(10), row.microseconds(11), row.microseconds(12),
                   static_cast<int>(row.integer(13, 1))};
  if (sample.timing.p10 > sample.timing.median || sample.timing.median > sample.timing.p90) {
    row.reject(10, "must lie between p10_us and p90_us");
  }
  return sample;
}

/// "# key: value" lines before the table.
void read_head(std::string_view line, Machine& machine) {
  const std::size_t colon = line.find(": ");
  if (line.size() < 2 || colon == std::string_view::npos) return;
  const std::string_view key = line.substr(2, colon - 2);
  const std::string value(line.substr(colon + 2));
  if (key == "host") machine.host = value;
  if (key == "processor") machine.processor = value;
  if (key == "ranks") machine.ranks = input::parse_integer(value).value.value_or(1);
  if (key == "ranks per node") machine.ranks_per_node = input::parse_integer(value).value.value_or(1);
  if (key == "memory") machine.memory = input::parse_bytes(value).value.value_or(Bytes{0});
  if (key == "resident") machine.resident = input::parse_bytes(value).value.value_or(Bytes{0});
  if (key == "date") machine.date = value;
  if (key == "versions") machine.versions = value;
}

}  // namespace

const LocalSample* LocalSamples::find(const Subject& subject) const {
  const auto found = std::find_if(samples.begin(), samples.end(),
                                  [&](const LocalSample& sample) { return sample.subject == subject; });
  return found == samples.end() ? nullptr : &*found;
}

std::int64_t LocalSamples::count(const Subject& subject) const {
  return std::count_if(samples.begin(), samples.end(),
                       [&](const LocalSample& sample) { return sample.subject == subject; });
}

LocalSamples undisturbed(const LocalSamples& samples) {
  LocalSamples result;
  result.machine = samples.machine;
  // Of each: the second fastest pass, which has to confirm the fastest.
  std::vector<Seconds> second;
  for (const LocalSample& sample : samples.samples) {
    const auto same = [&](const LocalSample& other) { return other.subject == sample.subject; };
    const auto known = std::find_if(result.samples.begin(), result.samples.end(), same);
    if (known == result.samples.end()) {
      result.samples.push_back(sample);
      second.push_back(kNever);
      continue;
    }
    Timing& timing = known->timing;
    Seconds& confirming = second[static_cast<std::size_t>(known - result.samples.begin())];
    confirming = std::min(confirming, std::max(timing.median, sample.timing.median));
    const int runs = timing.samples + sample.timing.samples;
    if (sample.timing.median < timing.median) timing = sample.timing;
    timing.samples = runs;
  }
  Problems problems;
  for (std::size_t i = 0; i < second.size(); ++i) {
    const LocalSample& fastest = result.samples[i];
    if (fastest.subject.flops.value() == 0.0 || second[i] == kNever || second[i] < kLongEnough) continue;
    if (second[i] / fastest.timing.median <= kContradiction) continue;
    problems.add({fastest.origin, to_string(fastest.subject), "",
                  "its passes contradict one another: " + input::to_text(fastest.timing.median) + " and " +
                      input::to_text(second[i]) + " at best"});
  }
  problems.throw_if_any();
  return result;
}

Subject together(Subject lone) {
  if (lone.family == Family::lone_product) lone.family = Family::product;
  if (lone.family == Family::lone_kernel) lone.family = Family::kernel;
  return lone;
}

std::string to_string(const Subject& subject) {
  std::ostringstream out;
  out << subject.name;
  if (subject.family == Family::collective) {
    out << ' ' << subject.ranks << " ranks, " << subject.nodes << (subject.nodes == 1 ? " node" : " nodes");
  } else if (subject.k > 0) {
    if (subject.batch > 1) out << ' ' << subject.batch << " x";
    out << ' ' << subject.m << " x " << subject.n << " x " << subject.k;
  } else if (subject.m > 0) {
    out << ' ' << subject.m << " x " << subject.n;
  }
  const bool lone = subject.family == Family::lone_product || subject.family == Family::lone_kernel;
  return out.str() + (lone ? " alone" : "");
}

std::string table_head(const Machine& machine) {
  std::string head =
      std::string(kSign) + "\n# host: " + machine.host + "\n# processor: " + machine.processor +
      "\n# ranks: " + std::to_string(machine.ranks) + "\n# ranks per node: " + std::to_string(machine.ranks_per_node) +
      "\n# memory: " + input::to_text(machine.memory) + "\n# resident: " + input::to_text(machine.resident) +
      "\n# date: " + machine.date + "\n# versions: " + machine.versions + "\n";
  for (std::size_t i = 0; i < kColumns.size(); ++i) head += (i == 0 ? "" : ",") + std::string(kColumns[i]);
  return head + "\n";
}

std::string table_line(const LocalSample& sample) {
  const Subject& s = sample.subject;
  std::array<char, 96> times{};
  std::snprintf(times.data(), times.size(), "%.3f,%.3f,%.3f,%d", sample.timing.median.value() * 1e6,
                sample.timing.p10.value() * 1e6, sample.timing.p90.value() * 1e6, sample.timing.samples);
  std::string line(kFamilyNames[static_cast<std::size_t>(s.family)]);
  line += "," + s.name;
  for (const std::int64_t number : {s.m, s.n, s.k, s.batch, s.ranks, s.nodes, s.bytes.value()}) {
    line += "," + std::to_string(number);
  }
  return line + "," + text(s.flops.value()) + "," + times.data() + "\n";
}

LocalSamples parse_local_samples(std::string_view text, const std::string& file, Problems& problems) {
  LocalSamples result;
  const auto refuse = [&](const std::string& why) {
    problems.add({{file, 1, ""}, "", "", why});
    return result;
  };
  if (text.substr(0, kSign.size()) != kSign) {
    return refuse("is no table of `shardsim calibrate` (its first line is \"" + std::string(kSign) + "\")");
  }
  // Comments become empty lines, which the table passes over, so that lines keep their numbers.
  text = text.substr(0, text.rfind('\n') + 1);
  std::string table_text;
  std::string blank;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.substr(0, 1) == "#") {
      read_head(line, result.machine);
      blank += "\n";
    } else {
      table_text += std::string(line) + "\n";
    }
  }
  CsvTable table = parse_csv(table_text, file, problems);
  for (CsvRow& row : table.rows) row.line += static_cast<int>(blank.size());
  if (!std::equal(table.columns.begin(), table.columns.end(), kColumns.begin(), kColumns.end())) {
    return refuse("has other columns than this version of `shardsim calibrate` writes");
  }
  for (const CsvRow& row : table.rows) result.samples.push_back(read_row(table, row, problems));
  return result;
}

}  // namespace shardsim::calibrate
