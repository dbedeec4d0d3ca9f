#include <cctype>
#include <cstdlib>
#include <limits>
#include <string>

#include "sim/input/megatron/shell_variables.hpp"

namespace shardsim::input::megatron {
namespace {

using Number = std::optional<long long>;

Number power(long long base, long long exponent) {
  if (exponent < 0 || exponent > 64) return std::nullopt;
  long long result = 1;
  for (; exponent > 0; --exponent) {
    if (__builtin_mul_overflow(result, base, &result)) return std::nullopt;
  }
  return result;
}

Number apply(std::string_view op, long long a, long long b) {
  long long result = 0;
  if (op == "+") return __builtin_add_overflow(a, b, &result) ? Number{} : Number{result};
  if (op == "-") return __builtin_sub_overflow(a, b, &result) ? Number{} : Number{result};
  if (op == "*") return __builtin_mul_overflow(a, b, &result) ? Number{} : Number{result};
  if (op == "**") return power(a, b);
  if (op == "/" || op == "%") {
    if (b == 0 || (b == -1 && a == std::numeric_limits<long long>::min())) return std::nullopt;
    return op == "/" ? a / b : a % b;
  }
  if (op == "<<" || op == ">>") {
    if (b < 0 || b > 62) return std::nullopt;
    return op == "<<" ? apply("*", a, 1LL << b) : Number{a >> b};
  }
  if (op == "==") return a == b;
  if (op == "!=") return a != b;
  if (op == "<=") return a <= b;
  if (op == ">=") return a >= b;
  if (op == "<") return a < b;
  if (op == ">") return a > b;
  if (op == "&&") return a != 0 && b != 0;
  if (op == "||") return a != 0 || b != 0;
  return std::nullopt;
}

int precedence(std::string_view op) {
  if (op == "**") return 8;
  if (op == "*" || op == "/" || op == "%") return 7;
  if (op == "+" || op == "-") return 6;
  if (op == "<<" || op == ">>") return 5;
  if (op == "<" || op == ">" || op == "<=" || op == ">=") return 4;
  if (op == "==" || op == "!=") return 3;
  if (op == "&&") return 2;
  if (op == "||") return 1;
  return 0;
}

class Parser {
 public:
  Parser(std::string_view text, const ShellVariables& variables, int depth)
      : text_{text}, variables_{variables}, depth_{depth} {}

  Number run() {
    const Number value = binary(1);
    skip();
    return pos_ == text_.size() ? value : std::nullopt;
  }

 private:
  static constexpr int kDeepest = 60;

  void skip() {
    while (pos_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[pos_])) != 0) ++pos_;
  }
  [[nodiscard]] std::string_view next_operator() {
    skip();
    for (const std::size_t size : {std::size_t{2}, std::size_t{1}}) {
      const std::string_view op = text_.substr(pos_, size);
      if (op.size() == size && precedence(op) > 0) return op;
    }
    return {};
  }

  Number binary(int weakest) {
    Number left = unary();
    while (left) {
      const std::string_view op = next_operator();
      const int strength = precedence(op);
      if (op.empty() || strength < weakest) break;
      pos_ += op.size();
      if (++depth_ > kDeepest) return std::nullopt;
      const Number right = binary(op == "**" ? strength : strength + 1);
      --depth_;
      left = right ? apply(op, *left, *right) : std::nullopt;
    }
    return left;
  }

  Number unary() {
    skip();
    if (pos_ >= text_.size() || ++depth_ > kDeepest) return std::nullopt;
    Number value;
    const char c = text_[pos_];
    if (c == '-' || c == '+' || c == '!') {
      ++pos_;
      value = unary();
      if (value && c == '-') value = apply("-", 0, *value);
      if (value && c == '!') value = *value == 0;
    } else if (c == '(') {
      ++pos_;
      value = binary(1);
      skip();
      if (pos_ >= text_.size() || text_[pos_] != ')') return std::nullopt;
      ++pos_;
    } else {
      value = operand();
    }
    --depth_;
    return value;
  }

  Number operand() {
    std::size_t end = pos_;
    while (end < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[end])) != 0 || text_[end] == '_'))
      ++end;
    const std::string name(text_.substr(pos_, end - pos_));
    pos_ = end;
    if (name.empty()) return std::nullopt;
    if (std::isdigit(static_cast<unsigned char>(name[0])) != 0) {
      char* rest = nullptr;
      const long long value = std::strtoll(name.c_str(), &rest, 0);
      return *rest == '\0' && value != std::numeric_limits<long long>::max() ? Number{value} : std::nullopt;
    }
    const std::vector<Text>* known = variables_.find(name);
    if (known == nullptr || known->size() != 1) return std::nullopt;
    if (depth_ > kDeepest) return std::nullopt;
    const std::string value = plain(known->front());
    return Parser(value, variables_, depth_ + 30).run();
  }

  std::string_view text_;
  const ShellVariables& variables_;
  std::size_t pos_ = 0;
  int depth_;
};

}  // namespace

std::optional<long long> shell_arithmetic(std::string_view expression, const ShellVariables& variables) {
  return Parser(expression, variables, 0).run();
}

}  // namespace shardsim::input::megatron
