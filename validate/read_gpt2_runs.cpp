#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <sstream>

#include "validate/readers.hpp"

namespace shardsim::validate {
namespace {

/// Fields of one CSV line; quoted fields may hold commas and doubled quotes.
std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"') {
      const bool doubled = quoted && i + 1 < line.size() && line[i + 1] == '"';
      if (doubled) fields.back() += line[++i];
      if (!doubled) quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

using Fields = std::map<std::string, std::string>;

/// "full uniform 1" -> recompute settings; empty = none.
void recompute(const std::string& written, SettingWriter& settings) {
  std::istringstream words{written};
  std::string granularity;
  std::string method;
  std::string layers;
  words >> granularity >> method >> layers;
  if (granularity.empty()) return;
  settings.set("training.recompute.granularity", granularity);
  if (!method.empty()) settings.set("training.recompute.method", method);
  if (!layers.empty()) settings.set("training.recompute.num_layers", layers);
}

void configuration(const Fields& row, SettingWriter& settings) {
  const auto copy = [&](const char* key, const char* column) {
    const auto field = row.find(column);
    if (field != row.end() && !field->second.empty()) settings.set(key, field->second);
  };
  copy("model.num_layers", "num_layers");
  copy("model.hidden_size", "hidden");
  copy("model.num_attention_heads", "heads");
  copy("model.seq_length", "seq");
  copy("parallelism.tensor_model_parallel_size", "tp");
  copy("parallelism.pipeline_model_parallel_size", "pp");
  copy("parallelism.num_layers_per_virtual_pipeline_stage", "num_layers_per_virtual_pipeline_stage_flag");
  copy("parallelism.context_parallel_size", "cp");
  copy("parallelism.data_parallel_size", "dp");
  copy("training.micro_batch_size", "mbs");
  copy("training.global_batch_size", "gbs");
  settings.set("parallelism.use_distributed_optimizer",
               std::optional<bool>{row.at("use_distributed_optimizer") == "1"});
  settings.set("parallelism.sequence_parallel", std::optional<bool>{row.at("sp") == "1"});
  recompute(row.at("recompute"), settings);

  const std::string& note = row.at("note");
  for (const char* kind : {"all_gather", "a2a"}) {
    if (note.find(std::string{"--cp-comm-type "} + kind) != std::string::npos) {
      settings.set("parallelism.cp_comm_type", std::string{kind});
    }
  }
  settings.set("model.family", std::string{"gpt"});
  settings.set("stack.preset", std::string{"megatron-core-te"});
  if (note.find("--attention-backend flash") != std::string::npos) {
    settings.assume("stack.flash_attention_2", "true", "the flash backend is the flash-attn package, not cuDNN");
  }
  settings.set("cluster.preset", std::string{"h100-dgx"});
  settings.set("training.precision", std::string{"bf16"});
}

/// The header's columns that the reader asks for by name; others may be missing.
constexpr std::array<const char*, 8> kColumns{
    "table", "row", "use_distributed_optimizer", "sp", "recompute", "note", "outcome", "step_ms"};

/// nullopt for an empty field; a problem when it is no positive number.
std::optional<double> positive(const Fields& row, const char* column, const Origin& origin, Problems& problems) {
  const auto field = row.find(column);
  if (field == row.end() || field->second.empty()) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(field->second.c_str(), &end);
  if (*end == '\0' && value > 0.0 && std::isfinite(value)) return value;
  problems.add({origin, column, field->second, "a positive number is expected"});
  return std::nullopt;
}

Record record_of(const Fields& row, const Origin& origin, Problems& problems) {
  Record record;
  record.id = row.at("table") + " " + row.at("row");
  record.source = "GPT-2 on H100 (Megatron-Core 0.14, nvidia-smi)";
  record.where = row.at("table") + " " + row.at("row");
  SettingWriter settings{record.settings, origin.file, origin.line};
  configuration(row, settings);
  const std::string& outcome = row.at("outcome");
  record.outcome = outcome == "oom" ? Outcome::out_of_memory : Outcome::fits;
  if (outcome != "oom" && outcome != "fits") record.unmodelled = "outcome: " + outcome;
  if (const auto step = positive(row, "step_ms", origin, problems)) record.iteration = Seconds{*step * 1e-3};
  if (const auto memory = positive(row, "memory_gb", origin, problems)) record.memory = rounded_bytes(*memory * 1e9);
  record.memory_kind = MemoryKind::device;
  return record;
}

/// False, with a problem, when columns are missing.
bool check_header(const std::vector<std::string>& header, const std::string& file, Problems& problems) {
  std::string missing;
  for (const char* column : kColumns) {
    if (std::find(header.begin(), header.end(), column) == header.end()) missing += std::string{" "} + column;
  }
  if (!missing.empty()) problems.add({{file, 1, ""}, "", "", "columns are missing:" + missing});
  return missing.empty();
}

}  // namespace

std::vector<Record> read_gpt2_runs(std::string_view text, const std::string& file, Problems& problems) {
  std::istringstream lines{std::string{text}};
  std::string line;
  const auto next = [&] {
    const bool more = static_cast<bool>(std::getline(lines, line));
    if (!line.empty() && line.back() == '\r') line.pop_back();
    return more;
  };
  next();
  const std::vector<std::string> header = split(line);
  std::vector<Record> records;
  if (!check_header(header, file, problems)) return records;
  for (int number = 2; next(); ++number) {
    if (line.empty()) continue;
    const std::vector<std::string> values = split(line);
    if (values.size() != header.size()) {
      problems.add({{file, number, ""},
                    "",
                    "",
                    std::to_string(values.size()) + " fields where the header names " + std::to_string(header.size())});
      continue;
    }
    Fields row;
    for (std::size_t i = 0; i < header.size(); ++i) row[header[i]] = values[i];
    records.push_back(record_of(row, {file, number, ""}, problems));
  }
  return records;
}

}  // namespace shardsim::validate
