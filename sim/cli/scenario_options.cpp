#include "sim/cli/scenario_options.hpp"

#include <vector>

namespace shardsim::cli {
namespace {

namespace po = boost::program_options;

[[noreturn]] void unknown_option(const po::options_description& known, const std::string& option,
                                 std::string_view command) {
  std::vector<std::string> names;
  for (const auto& described : known.options()) names.push_back("--" + described->long_name());
  usage_error(command, "unknown option " + option + suggestion(option, names));
}

}  // namespace

void describe_scenario(po::options_description& described, ScenarioOptions& options) {
  const auto text = [](std::string& target, const char* shown) {
    return po::value<std::string>(&target)->value_name(shown);
  };
  described.add_options()("megatron", text(options.megatron, "FILE"),
                          "Megatron-LM flags: a launch script, an `arguments` dump, a line of flags, or a JSON or YAML "
                          "map; - reads standard input");
  described.add_options()("hf-config", text(options.hf_config, "FILE"), "Hugging Face config.json (gpt2, bert, llama)");
  described.add_options()("deepspeed-config", text(options.deepspeed_config, "FILE"), "DeepSpeed JSON");
  described.add_options()("model", text(options.model, "NAME"), "a model of `shardsim list models`");
  described.add_options()("cluster", text(options.cluster, "NAME"),
                          "a cluster of `shardsim list clusters`, or a profile FILE.toml");
  described.add_options()("stack", text(options.stack, "NAME"), "a software stack of `shardsim list stacks`");
  described.add_options()("device", text(options.device, "NAME"), "a device of `shardsim list devices`");
  described.add_options()("gpus", text(options.gpus, "N"), "number of GPUs");
  described.add_options()("set", po::value(&options.set)->composing()->value_name("SECTION.KEY=VALUE"),
                          "overrides one value; x2 is twice what it was; may be repeated");
}

Format parse_format(const std::string& name, std::string_view command) {
  if (name == "table") return Format::table;
  if (name == "json") return Format::json;
  if (name == "csv") return Format::csv;
  usage_error(command, "--format " + name + ": the formats are table, json, csv");
}

po::variables_map parse(const Arguments& arguments, const po::options_description& shown, ScenarioOptions& options) {
  po::options_description all;
  all.add(shown).add_options()("scenario", po::value(&options.scenario));
  po::positional_options_description positional;
  positional.add("scenario", 1);
  // Abbreviated names would change their meaning when options are added.
  const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
  po::variables_map given;
  try {
    po::store(po::command_line_parser(arguments).options(all).positional(positional).style(style).run(), given);
    po::notify(given);
  } catch (const po::unknown_option& error) {
    unknown_option(shown, error.get_option_name(), options.command);
  } catch (const po::too_many_positional_options_error&) {
    usage_error(options.command, "one scenario file or run name at most is expected");
  } catch (const po::error& error) {
    usage_error(options.command, error.what());
  }
  return given;
}

}  // namespace shardsim::cli
