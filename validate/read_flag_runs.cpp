#include "sim/input/megatron.hpp"
#include "validate/readers.hpp"

namespace shardsim::validate {

Record read_flag_row(const Json& row, const std::string& line_text, const std::string& file, int line) {
  Record record;
  record.id = text(row, {"id"});
  record.source = "Megatron-LM functional tests, flag sets";
  record.where = text(row, {"source"});
  Problems of_row;
  record.settings = input::read_megatron(line_text, file, of_row);
  if (!of_row.empty()) record.unmodelled = of_row.all().front().message;
  SettingWriter settings{record.settings, file, line};
  settings.set("cluster.preset", std::string{"a100-dgx"});
  if (const auto bytes = number(row, {"mem_max_allocated_bytes_max"})) record.memory = rounded_bytes(*bytes);
  record.memory_kind = MemoryKind::allocated_last;
  record.outcome = Outcome::fits;
  return record;
}

}  // namespace shardsim::validate
