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
  settings.set("cluster.preset", std::string{"h100-dgx"});
  settings.set("training.precision", std::string{"bf16"});
}

}  // namespace

std::vector<Record> read_gpt2_runs(std::string_view text, const std::string& file, Problems& problems) {
  std::istringstream lines{std::string{text}};
  std::string line;
  std::getline(lines, line);
  const std::vector<std::string> header = split(line);
  std::vector<Record> records;
  for (int number = 2; std::getline(lines, line); ++number) {
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
    Record record;
    record.id = row["table"] + " " + row["row"];
    record.source = "GPT-2 on H100 (" + row["table"] + ")";
    SettingWriter settings{record.settings, file, number};
    configuration(row, settings);
    record.outcome = row["outcome"] == "oom" ? Outcome::out_of_memory : Outcome::fits;
    if (row["outcome"] != "oom" && row["outcome"] != "fits") record.unmodelled = "outcome: " + row["outcome"];
    if (!row["step_ms"].empty()) record.iteration = Seconds{std::stod(row["step_ms"]) * 1e-3};
    if (!row["memory_gb"].empty()) record.memory = rounded_bytes(std::stod(row["memory_gb"]) * 1e9);
    record.memory_kind = MemoryKind::device;
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace shardsim::validate
