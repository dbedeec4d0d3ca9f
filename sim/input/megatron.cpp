#include "sim/input/megatron.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "sim/input/megatron/flag_set.hpp"
#include "sim/input/megatron/rules.hpp"
#include "sim/input/megatron/shapes.hpp"

namespace shardsim::input {
namespace {

using megatron::Given;
using megatron::Shape;

/// Line ends of Windows and the mark that some editors put first.
std::string cleaned(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark) text.remove_prefix(kByteOrderMark.size());
  std::string result(text);
  result.erase(std::remove(result.begin(), result.end(), '\r'), result.end());
  return result;
}

Given read_shape(Shape shape, std::string_view text, const std::string& file, Problems& problems) {
  switch (shape) {
    case Shape::dump:
      return megatron::read_dump(text);
    case Shape::json:
      return megatron::read_json(text, file, problems);
    case Shape::yaml:
      return megatron::read_yaml(text, file, problems);
    case Shape::shell:
      return megatron::read_launch(text, file, problems);
    case Shape::empty:
    case Shape::binary:
      break;
  }
  return {};
}

}  // namespace

Settings read_megatron(std::string_view raw, const std::string& file, Problems& problems) {
  Settings settings;
  const std::string text = cleaned(raw);
  const Shape shape = megatron::shape_of(text);
  if (shape == Shape::empty || shape == Shape::binary) {
    problems.add({{file, 0, ""},
                  "",
                  "",
                  shape == Shape::empty
                      ? "the file is empty: a launch script, flags, an arguments dump, JSON or YAML is needed"
                      : "this is binary data, not a launch script or a list of flags"});
    return settings;
  }
  const std::size_t before = problems.all().size();
  const Given given = read_shape(shape, text, file, problems);
  for (const std::string& warning : given.warnings) settings.warn(warning);
  if (given.flags.empty()) {
    if (problems.all().size() == before) {
      problems.add({{file, 0, ""},
                    "",
                    "",
                    "no Megatron-LM flags found: looked for a line that runs a .py file with flags, "
                    "variables of flags, bare flags, an arguments dump, JSON and YAML"});
    }
    return settings;
  }
  const megatron::FlagSet flags(given, file, settings, problems);
  megatron::Output output(settings, problems, file);
  megatron::translate_plain_flags(flags, output);
  megatron::translate_model(flags, given, output);
  megatron::translate_training(flags, given, output);
  megatron::translate_parallelism(flags, given, output);
  megatron::translate_generation(flags, output);
  megatron::translate_surroundings(flags, given, output);
  return settings;
}

std::vector<megatron::FlagUse> read_megatron_flags(std::string_view raw, const std::string& file) {
  const std::string text = cleaned(raw);
  Problems problems;
  Given given = read_shape(megatron::shape_of(text), text, file, problems);
  return problems.empty() ? std::move(given.flags) : std::vector<megatron::FlagUse>{};
}

}  // namespace shardsim::input
