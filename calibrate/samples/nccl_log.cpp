#include "calibrate/samples/nccl_log.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <regex>
#include <set>
#include <sstream>

#include "calibrate/samples/csv.hpp"
#include "sim/input/units.hpp"

namespace shardsim::calibrate {
namespace {

constexpr auto kNames =
    std::to_array<std::string_view>({"all_reduce", "all_gather", "reduce_scatter", "alltoall", "sendrecv", "broadcast",
                                     "reduce", "gather", "scatter", "hypercube"});

/// What the log says before its rows.
struct Head {
  std::string collective;
  std::set<std::string> ranks;
  std::set<std::string> hosts;
  bool columns = false;
};

void read_comment(const std::string& line, Head& head) {
  static const std::regex kRank{R"(#\s*Rank\s+(\d+)\s.*\bon\s+(\S+)\s+device)"};
  std::smatch match;
  if (std::regex_search(line, match, kRank)) {
    head.ranks.insert(match[1]);
    head.hosts.insert(match[2]);
  }
  if (line.find("algbw") != std::string::npos && line.find("busbw") != std::string::npos) head.columns = true;
}

/// "all_reduce_perf" anywhere: in the command line that a log begins with, or in the line that newer versions print.
void read_name(const std::string& line, Head& head) {
  if (!head.collective.empty()) return;
  for (const std::string_view name : kNames) {
    // Longer names come before those that they end with.
    if (head.collective.empty() && line.find(std::string(name) + "_perf") != std::string::npos) head.collective = name;
  }
}

/// Bus over algorithm bandwidth is 2(n − 1)/n for an all-reduce, (n − 1)/n for its halves (nccl-tests, PERFORMANCE.md),
/// of which only the reduce-scatter has an operation.
std::string implied(double ratio, bool reduces, double ranks) {
  const double half = (ranks - 1.0) / ranks;
  if (reduces && std::abs(ratio - 2.0 * half) < 0.02) return "all_reduce";
  if (std::abs(ratio - half) < 0.02 && half > 0.6) return reduces ? "reduce_scatter" : "all_gather";
  return {};
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in{line};
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

bool is_row(const std::vector<std::string>& words) {
  return words.size() >= 8 && input::parse_integer(words[0]).value && input::parse_integer(words[1]).value;
}

class RowReader {
 public:
  RowReader(Head& head, const Origin& origin, Problems& problems) : head_{head}, origin_{origin}, problems_{problems} {}

  /// size count type redop root time algbw busbw wrong …
  std::optional<CollectiveSample> read(const std::vector<std::string>& words) {
    const auto bytes = input::parse_integer(words[0]).value.value_or(0);
    const auto time = input::parse_number(words[5]).value.value_or(0.0);
    const auto algorithm = input::parse_number(words[6]).value.value_or(0.0);
    const auto bus = input::parse_number(words[7]).value.value_or(0.0);
    if (bytes <= 0) return {};
    if (time <= 0.0) return reject("time", words[5], "must be more than 0");
    const std::string wrong = words.size() > 8 ? words[8] : "N/A";
    if (wrong != "N/A" && input::parse_number(wrong).value.value_or(1.0) != 0.0) {
      return reject("#wrong", wrong, "the collective gave wrong results, its time means nothing");
    }
    if (head_.collective.empty() && algorithm > 0.0) {
      head_.collective = implied(bus / algorithm, words[3] != "none", static_cast<double>(head_.ranks.size()));
    }
    CollectiveSample sample;
    sample.origin = origin_;
    sample.collective = head_.collective;
    sample.ranks = static_cast<std::int64_t>(head_.ranks.size());
    sample.nodes = static_cast<std::int64_t>(head_.hosts.size());
    sample.bytes = Bytes{bytes};
    sample.time = Seconds{time * 1e-6};
    return sample;
  }

 private:
  std::optional<CollectiveSample> reject(const char* key, const std::string& value, const char* message) {
    problems_.add({origin_, key, value, message});
    return {};
  }

  Head& head_;
  const Origin& origin_;
  Problems& problems_;
};

void check_log(const Head& head, const std::vector<CollectiveSample>& samples, const std::string& file,
               Problems& problems) {
  const auto refuse = [&](const std::string& why) { problems.add({{file, 0, ""}, "", "", why}); };
  if (!head.columns) return refuse("is no log of nccl-tests: it has no line with the columns algbw and busbw");
  if (head.ranks.empty()) return refuse("does not list its ranks (lines \"#  Rank 0 … on HOST device …\")");
  if (head.ranks.size() < 2) return refuse("has one rank: nothing was communicated");
  if (samples.empty()) return refuse("ends before its first row");
  if (head.collective.empty())
    refuse("does not tell which collective it is: neither a …_perf in it nor its bandwidths");
}

}  // namespace

std::vector<CollectiveSample> parse_nccl_log(std::string_view text, const std::string& file, Problems& problems) {
  static const std::regex kPrefix{R"(^\s*\[[0-9]+,[0-9]+\](<std(out|err)>)?:\s?)"};
  std::istringstream in{std::string(text)};
  Head head;
  Problems found;
  std::vector<CollectiveSample> samples;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    line = std::regex_replace(line, kPrefix, "");
    read_name(line, head);
    if (line.find('#') == line.find_first_not_of(" \t") && !line.empty()) {
      read_comment(line, head);
      continue;
    }
    const std::vector<std::string> words = words_of(line);
    if (!head.columns || !is_row(words)) continue;
    if (auto sample = RowReader{head, {file, number, ""}, found}.read(words)) samples.push_back(std::move(*sample));
  }
  for (CollectiveSample& sample : samples) sample.collective = head.collective;
  if (found.empty()) check_log(head, samples, file, found);
  for (const Problem& problem : found.all()) problems.add(problem);
  return samples;
}

std::vector<GemmSample> parse_gemm_csv(std::string_view text, const std::string& file, Problems& problems) {
  const CsvTable table = parse_csv(text, file, problems);
  const std::vector<std::size_t> columns = find_columns(table, {"m", "n", "k", "time_us"}, problems);
  std::vector<GemmSample> samples;
  if (columns.empty()) return samples;
  const auto optional = [&](const char* name, const CsvRow& row, const char* otherwise) {
    const auto found = std::find(table.columns.begin(), table.columns.end(), name);
    return found == table.columns.end() ? std::string(otherwise)
                                        : row.fields[static_cast<std::size_t>(found - table.columns.begin())];
  };
  for (const CsvRow& row : table.rows) {
    GemmSample sample;
    sample.origin = table.origin(row);
    sample.dtype = optional("dtype", row, "bf16");
    sample.layout = optional("layout", row, "TN");
    std::array<std::int64_t*, 3> sizes{&sample.m, &sample.n, &sample.k};
    bool good = true;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const auto size = input::parse_integer(row.fields[columns[i]]);
      good = size.value && *size.value > 0;
      if (!good) {
        problems.add(
            {sample.origin, table.columns[columns[i]], row.fields[columns[i]], "must be a whole number from 1"});
        break;
      }
      *sizes[i] = *size.value;
    }
    const auto time = input::parse_number(row.fields[columns[3]]);
    if (!time.value || *time.value <= 0.0) {
      problems.add({sample.origin, "time_us", row.fields[columns[3]], "must be a number more than 0"});
    } else if (good) {
      sample.time = Seconds{*time.value * 1e-6};
      samples.push_back(std::move(sample));
    }
  }
  return samples;
}

}  // namespace shardsim::calibrate
