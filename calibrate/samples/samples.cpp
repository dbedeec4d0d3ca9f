#include "calibrate/samples/samples.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <utility>

#include "calibrate/samples/csv.hpp"
#include "sim/input/units.hpp"

namespace shardsim::calibrate {
namespace {

/// The fields of one row by position in the list of wanted columns; what is malformed becomes a problem.
class RowReader {
 public:
  RowReader(const CsvTable& table, const std::vector<std::string>& names, Problems& problems)
      : table_{table}, names_{names}, columns_{find_columns(table, names, problems)}, problems_{problems} {}

  [[nodiscard]] bool ready() const { return !columns_.empty(); }
  void at(const CsvRow& row) { row_ = &row; }
  [[nodiscard]] Origin origin() const { return table_.origin(*row_); }
  [[nodiscard]] const std::string& text(std::size_t i) const { return row_->fields[columns_[i]]; }

  /// A positive number; nothing for an empty field and for a malformed one, which is a problem.
  [[nodiscard]] std::optional<double> positive(std::size_t i) const {
    if (text(i).empty()) return {};
    const auto number = input::parse_number(text(i));
    if (number.value && *number.value > 0.0) return number.value;
    problems_.add({origin(), names_[i], text(i), "must be a number above 0"});
    return {};
  }

  [[nodiscard]] std::optional<std::int64_t> size(std::size_t i) const {
    const auto number = positive(i);
    if (!number) return {};
    const auto whole = static_cast<std::int64_t>(*number);
    if (*number < 1e18 && static_cast<double>(whole) == *number) return whole;
    problems_.add({origin(), names_[i], text(i), "must be a whole number"});
    return {};
  }

 private:
  const CsvTable& table_;
  const std::vector<std::string>& names_;
  std::vector<std::size_t> columns_;
  Problems& problems_;
  const CsvRow* row_ = nullptr;
};

template <class Sample>
std::vector<Sample> parse(const std::string& text, const std::string& file, Problems& problems,
                          const std::vector<std::string>& columns,
                          const std::function<std::optional<Sample>(const RowReader&)>& read) {
  const CsvTable table = parse_csv(text, file, problems);
  RowReader reader{table, columns, problems};
  std::vector<Sample> samples;
  if (!reader.ready()) return samples;
  for (const CsvRow& row : table.rows) {
    reader.at(row);
    if (auto sample = read(reader)) samples.push_back(std::move(*sample));
  }
  return samples;
}

/// The time that is stated, or the one that work and rate give.
std::optional<Seconds> time_of(std::optional<double> microseconds, double work, std::optional<double> rate) {
  if (microseconds) return Seconds{*microseconds * 1e-6};
  if (rate) return Seconds{work / *rate};
  return {};
}

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

/// SimuMax's attention rows stand among the products and count the whole square under a causal mask.
bool is_attention(const std::string& layout) { return contains(layout, "attn_fwd") || contains(layout, "attn_bwd"); }

AttentionPass pass_of(const std::string& layout) {
  if (contains(layout, "fwd+bwd")) return AttentionPass::both;
  return contains(layout, "bwd") ? AttentionPass::backward : AttentionPass::forward;
}

std::string source_name(const std::string& source);

const std::vector<std::string>& matrix_columns() {
  static const std::vector<std::string> columns{"gpu",     "dtype",  "m",        "n",      "k",     "batch",
                                                "time_us", "tflops", "software", "layout", "source"};
  return columns;
}

std::optional<AttentionSample> read_attention_row(const RowReader& row) {
  const auto m = row.size(2);
  const auto n = row.size(3);
  const auto k = row.size(4);
  const auto batch = row.size(5);
  const auto microseconds = row.positive(6);
  const auto teraflops = row.positive(7);
  const std::string& layout = row.text(9);
  if (!m || !n || !k || !batch) return {};
  const bool causal = is_attention(layout) || (contains(layout, "causal") && !contains(layout, "noncausal"));
  AttentionSample sample{row.origin(), row.text(0), row.text(8), pass_of(layout),          causal, *m, *n,
                         *k,           *batch,      {},          source_name(row.text(10))};
  const double counted = sample.work().value() * (is_attention(layout) ? 2.0 : 1.0);
  const auto time = time_of(microseconds, counted, teraflops ? std::optional<double>(*teraflops * 1e12) : std::nullopt);
  if (!time) return {};
  sample.time = *time;
  return sample;
}

/// "github:owner/repository@commit" or the first words of another description.
std::string source_name(const std::string& source) {
  return source.substr(0, source.find_first_of(contains(source.substr(0, 7), "github:") ? " " : ";("));
}

std::string find_table(const std::string& folder, const std::string& name) {
  const std::string plain = folder + "/" + name + ".csv";
  return std::filesystem::exists(plain) ? plain : plain + ".gz";
}

}  // namespace

Flops AttentionSample::work() const {
  const double forward = 4.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k * batch);
  const double passes = pass == AttentionPass::forward ? 1.0 : pass == AttentionPass::backward ? 2.5 : 3.5;
  return Flops{forward * passes * (causal ? 0.5 : 1.0)};
}

std::vector<GemmSample> parse_gemm(const std::string& text, const std::string& file, Problems& problems) {
  return parse<GemmSample>(text, file, problems, matrix_columns(), [](const RowReader& row) {
    std::optional<GemmSample> sample;
    if (is_attention(row.text(9))) return sample;
    const auto m = row.size(2);
    const auto n = row.size(3);
    const auto k = row.size(4);
    const auto microseconds = row.positive(6);
    if (m && n && k && microseconds) {
      sample = {row.origin(),
                row.text(0),
                row.text(1),
                row.text(9),
                row.text(8),
                *m,
                *n,
                *k,
                Seconds{*microseconds * 1e-6},
                source_name(row.text(10))};
      // DeepBench's products are by columns: its n are the tokens.
      if (contains(sample->source, "DeepBench")) std::swap(sample->m, sample->n);
    }
    return sample;
  });
}

std::vector<AttentionSample> parse_attention(const std::string& text, const std::string& file, Problems& problems) {
  return parse<AttentionSample>(text, file, problems, matrix_columns(), read_attention_row);
}

std::vector<MemorySample> parse_memory(const std::string& text, const std::string& file, Problems& problems) {
  static const std::vector<std::string> columns{"gpu", "kernel", "time_us", "GBps", "source"};
  return parse<MemorySample>(text, file, problems, columns, [](const RowReader& row) {
    std::optional<MemorySample> sample;
    const auto microseconds = row.positive(2);
    const auto gigabytes = row.positive(3);
    if (gigabytes) {
      sample = {row.origin(),
                row.text(0),
                row.text(1),
                BytesPerSecond{*gigabytes * 1e9},
                Seconds{microseconds.value_or(0.0) * 1e-6},
                source_name(row.text(4))};
    }
    return sample;
  });
}

std::vector<CollectiveSample> parse_collectives(const std::string& text, const std::string& file, Problems& problems) {
  static const std::vector<std::string> columns{"gpu",        "node_type", "nodes",   "gpus",  "interconnect",
                                                "collective", "bytes",     "time_us", "source"};
  return parse<CollectiveSample>(text, file, problems, columns, [](const RowReader& row) {
    std::optional<CollectiveSample> sample;
    const auto nodes = row.size(2);
    const auto ranks = row.size(3);
    const auto bytes = row.size(6);
    const auto microseconds = row.positive(7);
    if (nodes && ranks && bytes && microseconds) {
      sample = {row.origin(),
                row.text(0),
                row.text(1),
                row.text(4),
                row.text(5),
                row.text(8),
                *nodes,
                *ranks,
                Bytes{*bytes},
                Seconds{*microseconds * 1e-6},
                source_name(row.text(8))};
    }
    return sample;
  });
}

Samples read_samples(const std::string& folder, Problems& problems) {
  Samples samples;
  const auto read = [&folder, &problems](const char* name, auto parse_table) {
    const std::string path = find_table(folder, name);
    return parse_table(read_maybe_compressed(path, problems), path, problems);
  };
  samples.gemm = read("gemm", parse_gemm);
  samples.attention = read("attention", parse_attention);
  samples.memory = read("memory_bandwidth", parse_memory);
  samples.collectives = read("collectives", parse_collectives);
  // The attention rows among the products.
  const std::string path = find_table(folder, "gemm");
  Problems reported_already;
  for (AttentionSample& sample :
       parse_attention(read_maybe_compressed(path, reported_already), path, reported_already)) {
    if (contains(sample.software, "test_fa")) samples.attention.push_back(std::move(sample));
  }
  return samples;
}

}  // namespace shardsim::calibrate
