// Values of shell variables and the expansion of raw words, as far as the text alone tells them.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/input/megatron/given.hpp"

namespace shardsim::input::megatron {

/// A character with the line of the file that it stands on, kept through variables.
struct Cell {
  char c = '\0';
  int line = 0;
  /// Index into the names of unresolved variables; -1 = the character is known.
  int unresolved = -1;
};
using Text = std::vector<Cell>;

class ShellVariables {
 public:
  void assign(const std::string& name, std::vector<Text> elements, bool append);
  void unset(const std::string& name) { values_.erase(name); }
  /// nullptr when the script does not set it. A plain variable has one element.
  [[nodiscard]] const std::vector<Text>* find(const std::string& name) const;
  [[nodiscard]] const std::map<std::string, std::vector<Text>>& all() const { return values_; }

  /// $1, $2 … and $@ inside a function; all unknown outside of one.
  void set_arguments(std::vector<Text> arguments);
  void shift_arguments();
  [[nodiscard]] const std::vector<Text>& arguments() const { return arguments_; }

  /// One raw word as the shell's words: quotes removed, variables put in, unquoted values cut at blanks.
  [[nodiscard]] std::vector<Text> expand(std::string_view raw, int line);
  /// The same without cutting, as in an assignment.
  [[nodiscard]] Text expand_whole(std::string_view raw, int line);
  [[nodiscard]] Word word(const Text& text) const;
  /// The script expands to more text than is read; what is beyond is missing.
  [[nodiscard]] bool overflowed() const { return expanded_ > kMostCharacters; }

  /// Characters that all expansions together may make.
  static constexpr std::size_t kMostCharacters = std::size_t{1} << 21;

 private:
  friend class Expansion;
  int unresolved_index(const std::string& name);
  [[nodiscard]] const std::string& unresolved_name(int index) const {
    return unresolved_names_[static_cast<std::size_t>(index)];
  }

  std::map<std::string, std::vector<Text>> values_;
  std::vector<Text> arguments_;
  std::vector<std::string> unresolved_names_;
  std::size_t expanded_ = 0;
};

/// Whole-number shell arithmetic: + - * / % ** << >> comparisons, && ||, brackets, names. Nothing when a value is
/// not known, or the result does not exist or does not fit 64 bits.
[[nodiscard]] std::optional<long long> shell_arithmetic(std::string_view expression, const ShellVariables& variables);

/// The text of cells.
[[nodiscard]] std::string plain(const Text& text);

}  // namespace shardsim::input::megatron
