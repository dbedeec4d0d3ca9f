#include "sim/input/megatron/shell_syntax.hpp"

#include <algorithm>
#include <cctype>

namespace shardsim::input::megatron {
namespace {

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool is_token(const std::vector<Token>& tokens, std::size_t at, TokenKind kind, const char* text) {
  return at < tokens.size() && tokens[at].kind == kind && tokens[at].text == text;
}

}  // namespace

std::size_t assignment_at(const std::string& word) {
  std::size_t i = 0;
  while (i < word.size() && is_name(word[i])) ++i;
  if (i == 0 || std::isdigit(static_cast<unsigned char>(word[0])) != 0) return std::string::npos;
  if (i < word.size() && word[i] == '+') ++i;
  return i < word.size() && word[i] == '=' ? i : std::string::npos;
}

std::optional<FunctionDefinition> function_at(const std::vector<Token>& tokens, std::size_t at) {
  const auto control = [&](std::size_t i, const char* text) { return is_token(tokens, i, TokenKind::control, text); };
  const auto word = [&](std::size_t i, const char* text) { return is_token(tokens, i, TokenKind::word, text); };
  const bool named_so = word(at, "function");
  const std::size_t name = named_so ? at + 1 : at;
  std::size_t next = name + 1;
  const bool brackets = control(next, "(") && control(next + 1, ")");
  if (brackets) next += 2;
  if (!named_so && !brackets) return {};
  while (control(next, "newline")) ++next;
  if (!word(next, "{")) return {};
  std::size_t end = ++next;
  for (int level = 1; end < tokens.size(); ++end) {
    if (word(end, "{")) ++level;
    if (word(end, "}") && --level == 0) break;
  }
  const auto token = [&](std::size_t i) { return tokens.begin() + static_cast<std::ptrdiff_t>(i); };
  return FunctionDefinition{tokens[name].text, {token(next), token(end)}, std::min(end + 1, tokens.size())};
}

ArithmeticCommand arithmetic_parts(const std::string& word) {
  constexpr const char* kBlanks = " \t\n";
  const std::string inside = word.substr(2, word.size() - 4);
  const std::size_t from = std::min(inside.find_first_not_of(kBlanks), inside.size());
  std::size_t end = from;
  while (end < inside.size() && is_name(inside[end])) ++end;
  const std::size_t sign = std::min(inside.find_first_not_of(kBlanks, end), inside.size());
  const bool assigns = end > from && inside.substr(sign, 1) == "=" && inside.substr(sign, 2) != "==";
  if (!assigns) return {{}, inside};
  return {inside.substr(from, end - from), inside.substr(sign + 1)};
}

}  // namespace shardsim::input::megatron
