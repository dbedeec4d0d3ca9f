#include <algorithm>
#include <cctype>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "sim/input/megatron/launch_size.hpp"
#include "sim/input/megatron/shapes.hpp"
#include "sim/input/megatron/shell_script.hpp"

namespace shardsim::input::megatron {
namespace {

/// One candidate: launcher words, Python file, flags.
struct Launch {
  std::vector<Word> launcher;
  std::string program;
  std::vector<Word> flags;
  int line = 0;
};

std::string file_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

bool is_separator(const std::string& text) {
  return text == "|" || text == "||" || text == "&&" || text == "&" || text == ";" || text == "2>&1" || text == ">";
}

/// Variables that this shell left to an inner one.
bool holds_variables(const Text& text) {
  return std::any_of(text.begin(), text.end(), [](const Cell& cell) { return cell.c == '$' && cell.unresolved < 0; });
}

/// 2: pretrain_*.py; 1: another training script; 0: anything else.
int rank_of(const std::string& program) {
  if (program.compare(0, 8, "pretrain") == 0) return 2;
  return program.find("train") != std::string::npos || program.find("finetune") != std::string::npos ? 1 : 0;
}

/// The first word that names a Python program: x.py, or the module of `-m x` where x trains.
std::size_t program_at(const std::vector<Word>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool module = i > 0 && words[i - 1].text == "-m" && rank_of(file_name(words[i].text)) > 0;
    if ((ends_with(words[i].text, ".py") || module) && words[i].text.compare(0, 2, "--") != 0) return i;
  }
  return words.size();
}

Launch launch_of(const std::vector<Word>& words, std::size_t at) {
  Launch launch;
  launch.launcher.assign(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(at));
  launch.program = file_name(words[at].text);
  launch.line = words[at].line;
  for (std::size_t i = at + 1; i < words.size() && !is_separator(words[i].text); ++i) launch.flags.push_back(words[i]);
  return launch;
}

class LaunchFinder {
 public:
  explicit LaunchFinder(ShellScript& script) : script_{script} {}

  std::vector<Launch> find() {
    // A copy: reading an inner shell's text may set variables.
    const std::vector<Command> commands = script_.commands;
    for (const Command& command : commands) look_at(command, 0);
    return std::move(launches_);
  }

 private:
  static constexpr int kDeepestShell = 3;

  /// Words of a command; a text for `bash -c` that is already put together is cut at blanks.
  [[nodiscard]] std::vector<Word> words_of(const Command& command) const {
    std::vector<Word> words;
    for (std::size_t i = 0; i < command.words.size(); ++i) {
      if (i == 0 || plain(command.words[i - 1]) != "-c" || holds_variables(command.words[i])) {
        words.push_back(script_.variables.word(command.words[i]));
        continue;
      }
      Text part;
      for (const Cell& cell : command.words[i]) {
        const bool blank = cell.c == ' ' || cell.c == '\t' || cell.c == '\n';
        if (!blank) part.push_back(cell);
        if (blank && !part.empty()) {
          words.push_back(script_.variables.word(part));
          part.clear();
        }
      }
      if (!part.empty()) words.push_back(script_.variables.word(part));
    }
    return words;
  }

  void look_at(const Command& command, int depth) {
    const std::vector<Word> words = words_of(command);
    if (words.empty() || words[0].text == "echo" || words[0].text == "printf") return;
    const std::size_t at = program_at(words);
    if (at < words.size()) {
      launches_.push_back(launch_of(words, at));
      return;
    }
    // bash -c '… $LAUNCHER $ARGS …': the inner shell puts the variables in.
    for (std::size_t i = 1; i < command.words.size() && depth < kDeepestShell; ++i) {
      if (plain(command.words[i - 1]) != "-c" || command.words[i].empty()) continue;
      const int line = command.words[i].front().line;
      for (Command& inner : read_shell_commands(plain(command.words[i]), line, script_)) {
        Command whole;
        whole.words.assign(command.words.begin(), command.words.begin() + static_cast<std::ptrdiff_t>(i) - 1);
        whole.words.insert(whole.words.end(), inner.words.begin(), inner.words.end());
        look_at(whole, depth + 1);
      }
    }
  }

  ShellScript& script_;
  std::vector<Launch> launches_;
};

/// Text without a launch: commands that begin with a flag, else every variable that holds flags.
std::vector<Word> loose_flags(const ShellScript& script, Given& given) {
  std::vector<Word> words;
  for (const Command& command : script.commands) {
    const bool begins = looks_like_flag(plain(command.words[0]));
    for (const Text& text : command.words) {
      if (begins || !words.empty()) words.push_back(script.variables.word(text));
    }
  }
  if (!words.empty()) return words;
  for (const std::string& name : script.assigned) {
    Command command;
    for (const Text& element : script.variables.all().at(name)) {
      Text part;
      for (const Cell& cell : element) {
        if (std::isspace(static_cast<unsigned char>(cell.c)) == 0) {
          part.push_back(cell);
        } else if (!part.empty()) {
          command.words.push_back(std::move(part));
          part.clear();
        }
      }
      if (!part.empty()) command.words.push_back(std::move(part));
    }
    if (command.words.empty() || !looks_like_flag(plain(command.words[0]))) continue;
    for (const Text& text : command.words) words.push_back(script.variables.word(text));
  }
  if (!words.empty()) given.warnings.emplace_back("no launch command found: every variable that holds flags was read");
  return words;
}

/// The first of the best-ranked launches.
const Launch& best(const std::vector<Launch>& launches, Given& given) {
  const auto worse = [](const Launch& a, const Launch& b) { return rank_of(a.program) < rank_of(b.program); };
  const Launch& chosen = *std::max_element(launches.begin(), launches.end(), worse);
  const auto equal = [&](const Launch& launch) { return rank_of(launch.program) == rank_of(chosen.program); };
  const auto rivals = std::count_if(launches.begin(), launches.end(), equal);
  if (rivals > 1) {
    given.warnings.push_back("the script holds " + std::to_string(rivals) + " launches: the first is read (line " +
                             std::to_string(chosen.line) + ", " + chosen.program + ")");
  }
  return chosen;
}

/// Flags behind a comment that cuts a continued command are commands of their own to the shell.
void warn_of_lost_flags(const ShellScript& script, Given& given) {
  for (const Command& command : script.commands) {
    const Word first = script.variables.word(command.words[0]);
    if (!looks_like_flag(first.text)) continue;
    given.warnings.push_back(
        at_line(first.line) + first.text +
        " stands outside the launch command (a comment or an empty line ends a continued command): not read");
  }
}

/// What Slurm sets from the #SBATCH lines.
std::map<std::string, std::string> batch_variables(const BatchRequest& request) {
  std::map<std::string, std::string> variables;
  const auto set = [&](const char* name, std::optional<long long> value) {
    if (value) variables[name] = std::to_string(*value);
  };
  set("SLURM_NNODES", request.nodes);
  set("SLURM_JOB_NUM_NODES", request.nodes);
  set("SLURM_GPUS_ON_NODE", request.gpus_per_node);
  set("SLURM_GPUS_PER_NODE", request.gpus_per_node);
  set("SLURM_NTASKS_PER_NODE", request.tasks_per_node);
  set("SLURM_NTASKS", request.tasks);
  return variables;
}

}  // namespace

Given read_launch(std::string_view text, const std::string& file, Problems& problems) {
  Given given;
  const BatchRequest request = read_batch_request(text);
  ShellScript script = read_shell_script(text, batch_variables(request));
  script.commands.erase(std::remove_if(script.commands.begin(), script.commands.end(),
                                       [](const Command& c) { return c.words.empty() || c.words[0].empty(); }),
                        script.commands.end());
  if (script.open_quote_line > 0) {
    problems.add({{file, script.open_quote_line, ""}, "", "", "a quote or bracket opened on this line never closes"});
  }
  for (const auto& [name, value] : script.variables.all()) {
    if (value.size() == 1) given.environment[name] = plain(value.front());
  }
  const std::vector<Launch> launches = LaunchFinder(script).find();
  if (launches.empty()) {
    given.flags = group_words(loose_flags(script, given));
  } else {
    const Launch& launch = best(launches, given);
    given.program = launch.program;
    given.flags = group_words(launch.flags);
    std::string why_not;
    given.size = launch_size(launch.launcher, request, script.variables, why_not);
    if (!given.size && !why_not.empty()) {
      given.warnings.push_back("the number of GPUs is not known: " + why_not + " of the launch is not in the text");
    }
    warn_of_lost_flags(script, given);
  }
  given.warnings.insert(given.warnings.end(), script.warnings.begin(), script.warnings.end());
  if (script.variables.overflowed()) {
    problems.add({{file, 0, ""}, "", "", "the variables of this script expand to more than 2 MiB of text"});
  }
  return given;
}

}  // namespace shardsim::input::megatron
