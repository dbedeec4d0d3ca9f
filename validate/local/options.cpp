#include "validate/local/options.hpp"

#include <algorithm>
#include <boost/program_options.hpp>
#include <sstream>

#include "sim/base/problems.hpp"
#include "sim/base/suggest.hpp"

namespace shardsim::validate::local {
namespace {

namespace po = boost::program_options;

constexpr unsigned kLineLength = 120;
constexpr std::int64_t kMostRepeats = 100;

constexpr const char* kIntroduction =
    "Trains GPT and BERT models on this machine, predicts the same jobs from its profile, and compares.\n\n"
    "Usage: shardsim validate --local [options]\n\n"
    "The jobs: hidden sizes of 256 to 1024, tensor, pipeline and data parallelism, ZeRO-1, sequence parallelism and\n"
    "recomputation, with as many ranks as there are cores. Each is trained some iterations, several times over.\n\n";

constexpr const char* kExamples =
    "\nExamples:\n"
    "  shardsim validate --local --quick\n"
    "  shardsim calibrate --output here.toml && shardsim validate --local --profile here.toml\n"
    "  shardsim validate --local --profile here.toml --csv jobs.csv --operators operators.csv --figure jobs.svg\n"
    "\nExit codes: 0 compared, 1 some runs failed, 2 bad input or no run succeeded, 130 interrupted (what is done is\n"
    "printed).\n";

[[noreturn]] void refuse(const std::string& name, const std::string& value, const std::string& message) {
  throw InputError({Problem{{"command line", 0, name}, "", value, message}});
}

struct Written {
  bool local = false;
  bool quick = false;
  std::string engine = "closed_form";
  std::string format = "table";
};

po::options_description described(LocalOptions& options, Written& written) {
  po::options_description described("Options", kLineLength);
  const auto text = [](std::string& target, const char* shown) {
    return po::value<std::string>(&target)->value_name(shown);
  };
  const auto add = [&](const char* name, const po::value_semantic* value, const char* help) {
    described.add_options()(name, value, help);
  };
  add("local", po::bool_switch(&written.local), "compare with runs on this machine");
  add("profile", text(options.profile, "FILE.toml"),
      "what `shardsim calibrate` wrote here; else it calibrates briefly");
  add("quick", po::bool_switch(&written.quick), "few jobs, once each: under a minute");
  add("repeat", po::value(&options.repeats)->value_name("N"), "runs of each job (2; 1 with --quick)");
  add("engine", text(written.engine, "closed_form|event"), "what predicts; the closed form by default");
  add("format", text(written.format, "table|json"), "table by default");
  add("csv", text(options.csv, "FILE.csv"), "also write one line per job");
  add("operators", text(options.operators, "FILE.csv"), "also write one line per job and operator");
  add("figure", text(options.figure, "FILE.svg"), "also draw predicted against measured steps");
  add("record", text(options.record, "FOLDER"), "write the repository's recorded result, README table and figure anew");
  add("help,h", po::bool_switch(&options.help), "this text");
  return described;
}

[[noreturn]] void unknown_option(const po::options_description& known, const std::string& option) {
  std::vector<std::string> names;
  for (const auto& one : known.options()) names.push_back("--" + one->long_name());
  const auto near = nearest(option, {names.begin(), names.end()});
  refuse(option, "", "is no option of validate --local" + (near ? "; did you mean " + std::string{*near} + "?" : ""));
}

/// One of two words.
bool second_of(const char* name, const std::string& value, const std::string& first, const std::string& second) {
  if (value != first && value != second) refuse(name, value, first + " or " + second + " is expected");
  return value == second;
}

}  // namespace

bool asks_for_local(const std::vector<std::string>& arguments) {
  return std::find(arguments.begin(), arguments.end(), "--local") != arguments.end();
}

LocalOptions parse_local_options(const std::vector<std::string>& arguments) {
  LocalOptions options;
  Written written;
  const po::options_description known = described(options, written);
  const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
  po::variables_map given;
  try {
    po::store(po::command_line_parser(arguments).options(known).positional({}).style(style).run(), given);
    po::notify(given);
  } catch (const po::unknown_option& error) {
    unknown_option(known, error.get_option_name());
  } catch (const po::too_many_positional_options_error&) {
    refuse("--local", "", "takes no files: it trains jobs of its own; --profile FILE names the machine's profile");
  } catch (const po::error& error) {
    refuse("", "", std::string(error.what()) + "; see shardsim validate --local --help");
  }
  options.extent = written.quick ? Extent::quick : Extent::full;
  options.engine = second_of("--engine", written.engine, "closed_form", "event") ? Engine::event : Engine::closed_form;
  options.format = second_of("--format", written.format, "table", "json") ? Format::json : Format::table;
  if (given.count("repeat") == 0) options.repeats = written.quick ? 1 : 2;
  if (options.repeats < 1 || options.repeats > kMostRepeats) {
    refuse("--repeat", std::to_string(options.repeats), "must be within 1 … " + std::to_string(kMostRepeats));
  }
  return options;
}

std::string local_help_text() {
  LocalOptions options;
  Written written;
  std::ostringstream text;
  text << kIntroduction << described(options, written) << kExamples;
  return text.str();
}

}  // namespace shardsim::validate::local
