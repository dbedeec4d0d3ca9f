#include "sim/input/megatron/shell_variables.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

namespace shardsim::input::megatron {
namespace {

bool is_name_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n'; }

/// Position just behind the bracket that closes the one at `open`; npos when it never closes.
std::size_t behind_closing(std::string_view text, std::size_t open) {
  const char opening = text[open];
  const char closing = opening == '(' ? ')' : '}';
  int level = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == opening) {
      ++level;
    } else if (text[i] == closing && --level == 0) {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

}  // namespace

std::string plain(const Text& text) {
  std::string result;
  result.reserve(text.size());
  for (const Cell& cell : text) result += cell.c;
  return result;
}

/// Expands one raw word into fields.
class Expansion {
 public:
  Expansion(ShellVariables& variables, std::string_view raw, int line, bool split, int depth)
      : variables_{variables}, raw_{raw}, line_{line}, split_{split}, depth_{depth} {}

  std::vector<Text> run() {
    while (pos_ < raw_.size()) step(false);
    end_field();
    return std::move(fields_);
  }

 private:
  static constexpr int kDeepest = 20;

  void put(Cell cell) {
    if (++variables_.expanded_ > ShellVariables::kMostCharacters) return;
    field_.push_back(cell);
    started_ = true;
  }
  void end_field() {
    if (started_) fields_.push_back(std::move(field_));
    field_.clear();
    started_ = false;
  }
  char take() {
    const char c = raw_[pos_++];
    if (c == '\n') ++line_;
    return c;
  }
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return pos_ + ahead < raw_.size() ? raw_[pos_ + ahead] : '\0';
  }

  void step(bool quoted) {
    const char c = peek();
    if (c == '\\') {
      take_escape(quoted);
    } else if (c == '$') {
      take_dollar(quoted);
    } else if (c == '`') {
      const std::size_t end = raw_.find('`', pos_ + 1);
      put_unresolved(raw_.substr(pos_, end == std::string_view::npos ? end : end + 1 - pos_), "`command`");
    } else if (c == '\'' && !quoted) {
      take_single_quoted();
    } else if (c == '"' && !quoted) {
      started_ = true;
      take();
      while (pos_ < raw_.size() && peek() != '"') step(true);
      if (pos_ < raw_.size()) take();
    } else {
      const int line = line_;
      put({take(), line});
    }
  }

  void take_escape(bool quoted) {
    const int line = line_;
    take();
    if (pos_ >= raw_.size()) return;
    const char c = take();
    if (c == '\n') return;
    if (quoted && std::string_view("$`\"\\").find(c) == std::string_view::npos) put({'\\', line});
    put({c, line});
  }

  void take_single_quoted() {
    started_ = true;
    take();
    while (pos_ < raw_.size() && peek() != '\'') {
      const int line = line_;
      put({take(), line});
    }
    if (pos_ < raw_.size()) take();
  }

  /// Keeps the text as written, marked with the name of what is not known.
  void put_unresolved(std::string_view text, const std::string& name) {
    const int index = variables_.unresolved_index(name);
    const int line = line_;
    for (const char c : text) put({is_space(c) ? '_' : c, line, index});
    line_ += static_cast<int>(std::count(text.begin(), text.end(), '\n'));
    pos_ += text.size();
  }

  void put_value(const Text& value, bool quoted) {
    for (const Cell& cell : value) {
      if (!quoted && split_ && is_space(cell.c)) {
        end_field();
      } else {
        put(cell);
      }
    }
  }

  void put_elements(const std::vector<Text>& elements, bool quoted, bool apart) {
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (i > 0 && apart && split_) end_field();
      if (i > 0 && !(apart && split_)) put({' ', line_});
      put_value(elements[i], quoted);
    }
  }

  void take_dollar(bool quoted) {
    const std::string_view rest = raw_.substr(pos_);
    const char next = peek(1);
    if (rest.substr(0, 3) == "$((") {
      take_arithmetic();
    } else if (next == '(') {
      const std::size_t end = behind_closing(raw_, pos_ + 1);
      put_unresolved(end == std::string_view::npos ? rest : raw_.substr(pos_, end - pos_), "$(command)");
    } else if (next == '{') {
      const std::size_t end = behind_closing(raw_, pos_ + 1);
      if (end == std::string_view::npos) return put_unresolved(rest, std::string(rest));
      take_braced(raw_.substr(pos_, end - pos_), quoted);
    } else if (is_name_start(next)) {
      std::size_t size = 1;
      while (is_name(peek(size))) ++size;
      take_variable(rest.substr(0, size), std::string(rest.substr(1, size - 1)), quoted);
    } else if (std::isdigit(static_cast<unsigned char>(next)) != 0) {
      take_variable(rest.substr(0, 2), std::string(rest.substr(1, 1)), quoted);
    } else if ((next == '@' || next == '*') && !variables_.arguments().empty()) {
      pos_ += 2;
      put_elements(variables_.arguments(), quoted, next == '@' || !quoted);
    } else if ((next != '\0' && std::string_view("@*#?$!-").find(next) != std::string_view::npos)) {
      put_unresolved(rest.substr(0, 2), std::string(rest.substr(0, 2)));
    } else {
      put({take(), line_});
    }
  }

  void take_arithmetic() {
    const std::string_view rest = raw_.substr(pos_);
    const std::size_t end = behind_closing(raw_, pos_ + 1);
    if (end == std::string_view::npos || end - pos_ < 5) return put_unresolved(rest, std::string(rest));
    const std::string_view whole = raw_.substr(pos_, end - pos_);
    const std::string_view inside = whole.substr(3, whole.size() - 5);
    if (depth_ < kDeepest) {
      const std::vector<Text> expanded = Expansion(variables_, inside, line_, false, depth_ + 1).run();
      const Text text = expanded.empty() ? Text{} : expanded.front();
      if (const auto value = shell_arithmetic(plain(text), variables_)) {
        for (const char c : std::to_string(*value)) put({c, line_});
        pos_ += whole.size();
        return;
      }
      return put_unresolved(whole, unknown_in(text));
    }
    put_unresolved(whole, std::string(whole));
  }

  /// The first variable of an expression that has no value; the expression itself when it fails otherwise.
  [[nodiscard]] std::string unknown_in(const Text& expression) const {
    for (std::size_t i = 0; i < expression.size(); ++i) {
      if (expression[i].unresolved >= 0) return variables_.unresolved_name(expression[i].unresolved);
      if (!is_name_start(expression[i].c)) continue;
      std::string name;
      for (; i < expression.size() && is_name(expression[i].c); ++i) name += expression[i].c;
      const std::vector<Text>* const value = variables_.find(name);
      if (value == nullptr) return "$" + name;
      for (const Text& element : *value) {
        for (const Cell& cell : element) {
          if (cell.unresolved >= 0) return variables_.unresolved_name(cell.unresolved);
        }
      }
    }
    return "$((" + plain(expression) + "))";
  }

  void take_variable(std::string_view written, const std::string& name, bool quoted) {
    const std::vector<Text>* value = variables_.find(name);
    if (value == nullptr) return put_unresolved(written, "$" + name);
    pos_ += written.size();
    if (!value->empty()) put_value(Text(value->front()), quoted);
  }

  /// ${NAME}, ${NAME[@]}, ${NAME:-word} and its relatives.
  void take_braced(std::string_view written, bool quoted) {
    const std::string_view inside = written.substr(2, written.size() - 3);
    std::size_t size = 0;
    while (size < inside.size() && is_name(inside[size])) ++size;
    const std::string name(inside.substr(0, size));
    std::string_view rest = inside.substr(size);
    const bool all = rest.substr(0, 3) == "[@]" || rest.substr(0, 3) == "[*]";
    if (all) rest.remove_prefix(3);
    const std::vector<Text>* known = name.empty() ? nullptr : variables_.find(name);
    const bool colon = rest.size() > 1 && rest[0] == ':';
    const char operation = rest.size() > (colon ? 1U : 0U) ? rest[colon ? 1 : 0] : '\0';
    if (name.empty() || (operation != '\0' && std::string_view("-=+?").find(operation) == std::string_view::npos)) {
      return put_unresolved(written, "$" + (name.empty() ? std::string(written.substr(1)) : name));
    }
    const bool missing = known == nullptr || (colon && (known->empty() || known->front().empty()));
    const std::string_view word = operation == '\0' ? rest : rest.substr(colon ? 2 : 1);
    const bool takes_word = (operation == '+') != missing;
    if (operation != '\0' && operation != '?' && takes_word)
      return take_default(written, name, word, operation, quoted);
    if (operation == '+') {
      pos_ += written.size();
    } else if (known == nullptr) {
      put_unresolved(written, "$" + name);
    } else {
      pos_ += written.size();
      const std::vector<Text> elements =
          all ? *known : std::vector<Text>(known->begin(), known->begin() + (known->empty() ? 0 : 1));
      put_elements(elements, quoted, all);
    }
  }

  void take_default(std::string_view written, const std::string& name, std::string_view word, char operation,
                    bool quoted) {
    if (depth_ >= kDeepest) return put_unresolved(written, "$" + name);
    const std::vector<Text> values = Expansion(variables_, word, line_, split_ && !quoted, depth_ + 1).run();
    if (operation == '=') variables_.assign(name, values, false);
    put_elements(values, quoted, !quoted);
    line_ += static_cast<int>(std::count(written.begin(), written.end(), '\n'));
    pos_ += written.size();
  }

  ShellVariables& variables_;
  std::string_view raw_;
  std::size_t pos_ = 0;
  int line_;
  bool split_;
  int depth_;
  Text field_;
  bool started_ = false;
  std::vector<Text> fields_;
};

void ShellVariables::assign(const std::string& name, std::vector<Text> elements, bool append) {
  std::vector<Text>& value = values_[name];
  if (!append) {
    value = std::move(elements);
  } else {
    value.insert(value.end(), elements.begin(), elements.end());
  }
}

void ShellVariables::set_arguments(std::vector<Text> arguments) {
  for (std::size_t i = 1; i <= arguments_.size(); ++i) unset(std::to_string(i));
  arguments_ = std::move(arguments);
  for (std::size_t i = 1; i <= arguments_.size(); ++i) assign(std::to_string(i), {arguments_[i - 1]}, false);
}

void ShellVariables::shift_arguments() {
  if (arguments_.empty()) return;
  set_arguments({arguments_.begin() + 1, arguments_.end()});
}

const std::vector<Text>* ShellVariables::find(const std::string& name) const {
  const auto known = values_.find(name);
  return known == values_.end() ? nullptr : &known->second;
}

std::vector<Text> ShellVariables::expand(std::string_view raw, int line) {
  return Expansion(*this, raw, line, true, 0).run();
}

Text ShellVariables::expand_whole(std::string_view raw, int line) {
  const std::vector<Text> fields = Expansion(*this, raw, line, false, 0).run();
  return fields.empty() ? Text{} : fields.front();
}

Word ShellVariables::word(const Text& text) const {
  Word word;
  word.text = plain(text);
  word.line = text.empty() ? 0 : text.front().line;
  for (const Cell& cell : text) {
    if (cell.unresolved < 0) continue;
    const std::string& name = unresolved_name(cell.unresolved);
    if (std::find(word.unresolved.begin(), word.unresolved.end(), name) == word.unresolved.end()) {
      word.unresolved.push_back(name);
    }
  }
  return word;
}

int ShellVariables::unresolved_index(const std::string& name) {
  const auto known = std::find(unresolved_names_.begin(), unresolved_names_.end(), name);
  if (known == unresolved_names_.end()) {
    unresolved_names_.push_back(name);
    return static_cast<int>(unresolved_names_.size()) - 1;
  }
  return static_cast<int>(known - unresolved_names_.begin());
}

}  // namespace shardsim::input::megatron
