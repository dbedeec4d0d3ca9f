#include "validate/options.hpp"

#include <algorithm>
#include <boost/program_options.hpp>
#include <sstream>

#include "sim/base/suggest.hpp"
#include "sim/input/schema.hpp"

namespace shardsim::validate {
namespace {

namespace po = boost::program_options;

constexpr unsigned kLineLength = 120;

constexpr const char* kIntroduction =
    "Predicts measured runs from their configuration and compares.\n\n"
    "Usage: shardsim validate FILE... [options]\n"
    "       shardsim validate --record FOLDER\n"
    "       shardsim validate --log FILE... [--fit PROFILE.toml] [options]   (your own training log: --log --help)\n\n"
    "A FILE holds published runs or Megatron-LM flag runs (JSON, one run a line) or GPT-2 runs (CSV); - is standard\n"
    "input. What a run leaves open is resolved by rules of its framework and year.\n\n";

constexpr const char* kExamples =
    "\nExamples:\n"
    "  shardsim validate validate/published/*.jsonl validate/published/*.csv --quality A\n"
    "  shardsim validate validate/published/published_runs.jsonl --source nanotron --rows rows.csv\n"
    "  shardsim validate validate/published/published_runs.jsonl --set stack.host.per_launch='20 us' --format json\n"
    "  shardsim validate validate/published/published_runs*.jsonl --ranking\n"
    "  shardsim validate --record .\n"
    "  shardsim validate --log train.log --megatron pretrain_gpt.sh --cluster a100-dgx\n"
    "\nExit codes: 0 predicted and compared, 1 not recorded because the accuracy became worse, 2 bad input.\n";

[[noreturn]] void refuse(const std::string& name, const std::string& value, const std::string& message) {
  throw InputError({Problem{{"command line", 0, name}, "", value, message}});
}

[[noreturn]] void refuse(const std::string& message) { refuse("", "", message + "; see shardsim validate --help"); }

struct Written {
  std::string source;
  std::string format = "table";
  std::string engine = "closed_form";
  std::vector<std::string> overrides;
};

po::options_description described(Options& options, Written& written) {
  po::options_description described("Options", kLineLength);
  const auto text = [](std::string& target, const char* shown) {
    return po::value<std::string>(&target)->value_name(shown);
  };
  const auto add = [&](const char* name, const po::value_semantic* value, const char* help) {
    described.add_options()(name, value, help);
  };
  add("quality", text(options.quality, "A|AB|ABC"), "only rows of these qualities, and rows without one");
  add("source", text(written.source, "REGEX"), "only rows whose source it matches");
  add("include-suspect", po::bool_switch(&options.include_suspect), "score suspect rows with the others, not apart");
  add("set", po::value(&written.overrides)->composing()->value_name("SECTION.KEY=VALUE"),
      "overrides one value of every row; may be repeated");
  add("engine", text(written.engine, "closed_form|event"), "what predicts; the closed form by default");
  add("ranking", po::bool_switch(&options.ranking),
      "among measured layouts of one job: is the choice of `shardsim plan` the fastest, and what does it cost?");
  add("rows", text(options.rows, "FILE.csv"), "also write one line per row");
  add("format", text(written.format, "table|json"), "table by default");
  add("record", text(options.record, "FOLDER"),
      "predict FOLDER/validate/published and write the repository's recorded accuracy, README table and figure");
  add("accept-worse", po::bool_switch(&options.accept_worse), "with --record: also where a source became worse");
  add("help,h", po::bool_switch(&options.help), "this text");
  return described;
}

[[noreturn]] void unknown_option(const po::options_description& known, const std::string& option) {
  std::vector<std::string> names;
  for (const auto& one : known.options()) names.push_back("--" + one->long_name());
  const auto near = nearest(option, {names.begin(), names.end()});
  refuse("unknown option " + option + (near ? " (did you mean " + std::string{*near} + "?)" : ""));
}

void check_quality(const std::string& quality) {
  if (quality.find_first_not_of("ABC") != std::string::npos)
    refuse("--quality", quality, "letters of A, B, C expected");
}

Format format_of(const std::string& name) {
  if (name != "table" && name != "json") refuse("--format", name, "table or json is expected");
  return name == "json" ? Format::json : Format::table;
}

Engine engine_of(const std::string& name) {
  if (name != "closed_form" && name != "event") refuse("--engine", name, "closed_form or event is expected");
  return name == "event" ? Engine::event : Engine::closed_form;
}

/// A wrong key or value would be the same mistake in every row.
input::Setting override_of(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos || equals + 1 == text.size()) {
    refuse("--set", text, "expected section.key=value, as stack.memory_bound_slowdown=1.2");
  }
  input::Setting setting{text.substr(0, equals), text.substr(equals + 1), {"command line", 0, "--set"}, ""};
  const input::SchemaKey* field = input::find_key(setting.key);
  const auto& derived = input::derived_keys();
  const bool is_derived =
      std::any_of(derived.begin(), derived.end(), [&](const auto& d) { return d.name == setting.key; });
  if (field == nullptr && !is_derived) {
    const std::string near = input::nearest_key(setting.key);
    refuse("--set", text, "no known key" + (near.empty() ? near : "; did you mean " + near + "?"));
  }
  model::Scenario scratch;
  const std::string expected = field == nullptr ? "" : field->read(scratch, setting.value);
  if (!expected.empty()) refuse("--set", text, expected + " is expected");
  return setting;
}

void check_together(const Options& options, const Written& written) {
  if (options.record.empty()) {
    if (options.accept_worse) refuse("--accept-worse belongs to --record");
    if (options.files.empty()) refuse("no file of measured runs is given");
    return;
  }
  const bool chosen = !options.files.empty() || !options.quality.empty() || !written.source.empty() ||
                      !options.rows.empty() || !options.overrides.empty() || options.include_suspect ||
                      options.ranking || options.engine != Engine::closed_form;
  if (chosen) refuse("--record takes all of validate/published as it is: neither files nor a choice of rows or engine");
}

void interpret(const Written& written, Options& options) {
  check_quality(options.quality);
  options.engine = engine_of(written.engine);
  options.format = format_of(written.format);
  try {
    if (!written.source.empty()) options.source = std::regex{written.source};
  } catch (const std::regex_error&) {
    refuse("--source", written.source, "no regular expression");
  }
  for (const std::string& text : written.overrides) options.overrides.push_back(override_of(text));
  check_together(options, written);
}

}  // namespace

Options parse_options(const std::vector<std::string>& arguments) {
  Options options;
  Written written;
  const po::options_description shown = described(options, written);
  po::options_description all;
  all.add(shown).add_options()("file", po::value(&options.files));
  po::positional_options_description positional;
  positional.add("file", -1);
  // Abbreviated names would change their meaning when options are added.
  const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
  try {
    po::variables_map given;
    po::store(po::command_line_parser(arguments).options(all).positional(positional).style(style).run(), given);
    po::notify(given);
  } catch (const po::unknown_option& error) {
    unknown_option(shown, error.get_option_name());
  } catch (const po::error& error) {
    refuse(error.what());
  }
  if (!options.help) interpret(written, options);
  return options;
}

std::string help_text() {
  Options options;
  Written written;
  std::ostringstream text;
  text << kIntroduction << described(options, written) << kExamples;
  return text.str();
}

}  // namespace shardsim::validate
