#include "sim/input/megatron/shell_script.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "sim/input/megatron/shell_condition.hpp"
#include "sim/input/megatron/shell_syntax.hpp"

namespace shardsim::input::megatron {
namespace {

bool is_one_of(const std::string& word, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(), [&](const char* name) { return word == name; });
}

class Reader {
 public:
  Reader(const std::vector<Token>& tokens, ShellScript& script, int depth = 0)
      : tokens_{tokens}, script_{script}, depth_{depth} {}

  std::vector<Command> run() {
    while (pos_ < tokens_.size()) statement();
    return std::move(commands_);
  }

 private:
  static constexpr int kDeepestCall = 8;
  static constexpr int kMostCalls = 1000;

  /// One open if or case.
  struct Block {
    bool is_case = false;
    int line = 0;
    /// Between `if` and `then`.
    bool condition_open = false;
    std::optional<bool> condition;
    std::string joined_by;
    bool expects_pattern = false;
    Word subject;
    /// A branch was chosen; no later one is.
    bool taken = false;
    bool active = false;
  };

  /// The list a && b || c that is being read; commands other than tests are taken to succeed.
  struct List {
    std::string joined_by;
    std::optional<bool> value;
  };
  [[nodiscard]] bool runs_in_list() const {
    return list_.joined_by.empty() || (list_.value && *list_.value == (list_.joined_by == "&&"));
  }

  [[nodiscard]] bool active() const {
    return std::all_of(blocks_.begin(), blocks_.end(), [](const Block& b) { return b.active || b.condition_open; });
  }
  [[nodiscard]] bool at_control(const char* text) const {
    return pos_ < tokens_.size() && tokens_[pos_].kind == TokenKind::control && tokens_[pos_].text == text;
  }
  [[nodiscard]] Word expanded_word(const Token& token) {
    Word word = script_.variables.word(script_.variables.expand_whole(token.text, token.line));
    word.line = token.line;
    return word;
  }

  void statement() {
    const Token& token = tokens_[pos_];
    if (!blocks_.empty() && blocks_.back().expects_pattern && token.text != "esac") return case_pattern();
    if (token.kind == TokenKind::control) return control();
    if (token.kind == TokenKind::word && keyword(token)) {
      list_.joined_by.clear();
      return;
    }
    if (!define_function()) simple_command();
  }

  void control() {
    const Token& token = tokens_[pos_++];
    const bool joins = token.text == "&&" || token.text == "||";
    if (joins) {
      list_.joined_by = token.text;
    } else if (token.text != "newline") {
      list_.joined_by.clear();
    }
    if (blocks_.empty()) return;
    if (token.text == ";;" && blocks_.back().is_case) {
      blocks_.back().active = false;
      blocks_.back().expects_pattern = true;
    }
    if (joins) blocks_.back().joined_by = token.text;
  }

  /// Control words; true when `token` was one and is done with.
  bool keyword(const Token& token) {
    const std::string& text = token.text;
    if (text == "if") {
      Block block;
      block.line = token.line;
      block.condition_open = true;
      blocks_.push_back(block);
    } else if (text == "elif" && in_if()) {
      blocks_.back().active = false;
      blocks_.back().condition_open = !blocks_.back().taken;
      blocks_.back().condition.reset();
      blocks_.back().joined_by.clear();
    } else if (text == "then" && in_if()) {
      choose_branch(blocks_.back());
    } else if (text == "else" && in_if()) {
      blocks_.back().active = !blocks_.back().taken;
    } else if ((text == "fi" && in_if()) || (text == "esac" && !blocks_.empty() && blocks_.back().is_case)) {
      blocks_.pop_back();
    } else if (text == "case") {
      begin_case(token);
      return true;
    } else if (text == "for" || text == "select") {
      begin_for(token);
      return true;
    } else if (!is_one_of(text, {"do", "done", "{", "}", "time", "while", "until", "then", "else", "fi", "esac"})) {
      return false;
    }
    ++pos_;
    return true;
  }

  [[nodiscard]] bool in_if() const { return !blocks_.empty() && !blocks_.back().is_case; }

  void choose_branch(Block& block) {
    const bool asked = block.condition_open;
    block.condition_open = false;
    if (block.taken) return;
    block.active = asked && block.condition.value_or(false);
    block.taken = block.active;
    if (asked && !block.condition && active_outside()) {
      script_.warnings.push_back(at_line(block.line) +
                                 "the condition cannot be decided from the text: branch not read");
    }
  }
  [[nodiscard]] bool active_outside() const {
    return std::all_of(blocks_.begin(), blocks_.end() - 1, [](const Block& b) { return b.active; });
  }

  void begin_case(const Token& token) {
    Block block;
    block.is_case = true;
    block.line = token.line;
    block.expects_pattern = true;
    ++pos_;
    if (pos_ < tokens_.size() && tokens_[pos_].kind == TokenKind::word) block.subject = expanded_word(tokens_[pos_++]);
    while (at_control("newline")) ++pos_;
    if (pos_ < tokens_.size() && tokens_[pos_].text == "in") ++pos_;
    blocks_.push_back(block);
  }

  void case_pattern() {
    Block& block = blocks_.back();
    while (at_control("newline") || at_control("(")) ++pos_;
    if (pos_ >= tokens_.size() || tokens_[pos_].text == "esac") {
      block.expects_pattern = false;
      return;
    }
    bool matched = false;
    bool known = true;
    for (; pos_ < tokens_.size() && !at_control(")") && !at_control("newline"); ++pos_) {
      if (tokens_[pos_].kind != TokenKind::word) continue;
      const std::optional<bool> match = matches_pattern(block.subject, expanded_word(tokens_[pos_]));
      matched = matched || match.value_or(false);
      known = known && match.has_value();
    }
    if (pos_ < tokens_.size()) ++pos_;
    block.expects_pattern = false;
    block.active = matched && !block.taken;
    block.taken = block.taken || matched;
    if (!known && !matched && !block.taken && active_outside()) {
      script_.warnings.push_back(at_line(block.line) + "case of an unknown value: branch not read");
      block.taken = true;
    }
  }

  /// for NAME in a b c: the first value stands for all.
  void begin_for(const Token& token) {
    ++pos_;
    std::vector<Token> words;
    while (pos_ < tokens_.size() && tokens_[pos_].kind == TokenKind::word && tokens_[pos_].text != "do") {
      words.push_back(tokens_[pos_++]);
    }
    if (!active() || words.size() < 3 || words[1].text != "in") return;
    const std::vector<Text> values = script_.variables.expand(words[2].text, words[2].line);
    if (words.size() > 3 || values.size() > 1) {
      script_.warnings.push_back(at_line(token.line) + "of the loop over " + words[0].text +
                                 " only the first value is read");
    }
    if (!values.empty()) assign(words[0].text, {values.front()}, false);
  }

  void assign(const std::string& name, std::vector<Text> elements, bool append) {
    script_.variables.assign(name, std::move(elements), append);
    script_.assigned.erase(std::remove(script_.assigned.begin(), script_.assigned.end(), name), script_.assigned.end());
    script_.assigned.push_back(name);
  }

  void assign_word(const Token& token, std::size_t equals) {
    const bool append = token.text[equals - 1] == '+';
    const std::string name = token.text.substr(0, append ? equals - 1 : equals);
    Text value;
    if (append) {
      if (const auto* known = script_.variables.find(name); known != nullptr && !known->empty()) value = known->front();
    }
    const Text added = script_.variables.expand_whole(std::string_view(token.text).substr(equals + 1), token.line);
    value.insert(value.end(), added.begin(), added.end());
    assign(name, {value}, false);
  }

  void assign_array(const Token& token, bool reading) {
    std::vector<Text> elements;
    for (; pos_ < tokens_.size() && !at_control(")"); ++pos_) {
      if (!reading || tokens_[pos_].kind != TokenKind::word) continue;
      for (Text& text : script_.variables.expand(tokens_[pos_].text, tokens_[pos_].line)) {
        elements.push_back(std::move(text));
      }
    }
    if (pos_ < tokens_.size()) ++pos_;
    const bool append = token.text.back() == '+';
    const std::string name = append ? token.text.substr(0, token.text.size() - 1) : token.text;
    if (reading) assign(name, std::move(elements), append);
  }

  bool define_function() {
    std::optional<FunctionDefinition> definition = function_at(tokens_, pos_);
    if (!definition) return false;
    pos_ = definition->end;
    if (active()) script_.functions[definition->name] = {std::move(definition->body), false};
    return true;
  }

  /// True when the command calls a function of the script, whose body is read with the arguments.
  bool call_function(const Command& command) {
    const auto function = script_.functions.find(plain(command.words[0]));
    if (function == script_.functions.end() || depth_ >= kDeepestCall || ++script_.calls > kMostCalls) return false;
    function->second.called = true;
    const std::vector<Token> body = function->second.body;
    const std::vector<Text> outer = script_.variables.arguments();
    script_.variables.set_arguments({command.words.begin() + 1, command.words.end()});
    for (Command& inner : Reader(body, script_, depth_ + 1).run()) commands_.push_back(std::move(inner));
    script_.variables.set_arguments(outer);
    return true;
  }

  /// A command that a list leaves out without its condition being known.
  void warn_of_skipped(int line) {
    script_.warnings.push_back(at_line(line) + "the condition cannot be decided from the text: assignment not read");
  }

  /// ((NAME = expression)), else a condition.
  std::optional<bool> arithmetic_command(const Token& token) {
    const ArithmeticCommand parts = arithmetic_parts(token.text);
    const Text value = script_.variables.expand_whole("$((" + parts.expression + "))", token.line);
    if (!parts.assigned.empty()) assign(parts.assigned, {value}, false);
    if (!script_.variables.word(value).unresolved.empty()) return std::nullopt;
    return plain(value) != "0";
  }

  void simple_command() {
    const bool condition = active() && !blocks_.empty() && blocks_.back().condition_open;
    const bool runs = condition || runs_in_list();
    const bool reading = active() && runs;
    const int line = tokens_[pos_].line;
    list_.joined_by.clear();
    if (reading && tokens_[pos_].text.substr(0, 2) == "((") {
      const std::optional<bool> value = arithmetic_command(tokens_[pos_++]);
      if (condition) return add_condition(value);
      list_.value = value;
      return;
    }
    const bool test = reading && is_one_of(tokens_[pos_].text, {"[", "[[", "test", "!", "false"});
    bool skips_values = false;
    Command command;
    std::vector<Word> tested;
    bool declares = false;
    bool before_name = true;
    for (; pos_ < tokens_.size() && tokens_[pos_].kind != TokenKind::control;) {
      const Token& token = tokens_[pos_++];
      if (token.kind == TokenKind::array_begin) {
        assign_array(token, reading);
        skips_values = true;
        continue;
      }
      if (!reading) {
        skips_values = skips_values || assignment_at(token.text) != std::string::npos;
        continue;
      }
      if (condition || test) {
        tested.push_back(expanded_word(token));
        continue;
      }
      const std::size_t equals = before_name || declares ? assignment_at(token.text) : std::string::npos;
      if (equals != std::string::npos) {
        assign_word(token, equals);
        continue;
      }
      if (before_name) declares = is_one_of(token.text, {"export", "declare", "local", "readonly", "typeset", "env"});
      before_name = before_name && token.text == "env";
      for (Text& text : script_.variables.expand(token.text, token.line)) command.words.push_back(std::move(text));
    }
    if (condition) return add_condition(decide_test(std::move(tested)));
    if (!runs) {
      if (active() && !list_.value && skips_values) warn_of_skipped(line);
      return;
    }
    list_.value = test ? decide_test(std::move(tested)) : true;
    if (command.words.empty() || call_function(command)) return;
    if (plain(command.words[0]) == "shift") script_.variables.shift_arguments();
    if (plain(command.words[0]) == "unset") {
      for (const Text& name : command.words) script_.variables.unset(plain(name));
    }
    commands_.push_back(std::move(command));
  }

  void add_condition(std::optional<bool> value) {
    Block& block = blocks_.back();
    if (block.joined_by.empty()) {
      block.condition = value;
    } else if (block.joined_by == "&&") {
      const bool no = !block.condition.value_or(true) || !value.value_or(true);
      block.condition = no ? std::optional<bool>{false} : (block.condition && value ? value : std::nullopt);
    } else {
      const bool yes = block.condition.value_or(false) || value.value_or(false);
      block.condition = yes ? std::optional<bool>{true} : (block.condition && value ? value : std::nullopt);
    }
  }

  const std::vector<Token>& tokens_;
  ShellScript& script_;
  std::size_t pos_ = 0;
  int depth_;
  List list_;
  std::vector<Block> blocks_;
  std::vector<Command> commands_;
};

}  // namespace

std::vector<Command> read_shell_commands(const std::string& text, int line, ShellScript& script) {
  const ShellTokens tokens = shell_tokens(text, line);
  return Reader(tokens.tokens, script).run();
}

ShellScript read_shell_script(std::string_view text, const std::map<std::string, std::string>& preset) {
  ShellScript script;
  for (const auto& [name, value] : preset) {
    Text cells;
    for (const char c : value) cells.push_back({c, 0});
    script.variables.assign(name, {cells}, false);
  }
  const ShellTokens tokens = shell_tokens(text);
  script.open_quote_line = tokens.open_quote_line;
  script.commands = Reader(tokens.tokens, script).run();
  // Functions that only something outside of the text calls.
  const std::map<std::string, ShellFunction> functions = script.functions;
  for (const auto& [name, function] : functions) {
    if (script.functions[name].called) continue;
    for (Command& command : Reader(function.body, script).run()) script.commands.push_back(std::move(command));
  }
  return script;
}

}  // namespace shardsim::input::megatron
