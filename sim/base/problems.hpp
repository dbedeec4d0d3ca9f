// What is wrong with a user's input. All problems of one input are collected and reported together.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace shardsim {

/// Where a value came from: the user's own file, line (1-based; 0 = none) and the name that they wrote.
struct Origin {
  std::string file;
  int line = 0;
  std::string name;
};

/// One mistake: where, which key, which value, and what would be right.
struct Problem {
  Origin origin;
  std::string key;
  std::string value;
  std::string message;
};

/// "file:line: key = value: message", leaving out what is not known.
[[nodiscard]] std::string to_string(const Problem& problem);

/// Bad input (exit code 2): every problem found, not only the first.
class InputError : public std::runtime_error {
 public:
  explicit InputError(std::vector<Problem> problems);
  [[nodiscard]] const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::vector<Problem> problems_;
};

/// Collects problems and warnings while an input is read.
class Problems {
 public:
  void add(Problem problem) { problems_.push_back(std::move(problem)); }
  [[nodiscard]] bool empty() const { return problems_.empty(); }
  [[nodiscard]] const std::vector<Problem>& all() const { return problems_; }
  /// Throws InputError with everything collected; returns when there is nothing.
  void throw_if_any() const;

 private:
  std::vector<Problem> problems_;
};

}  // namespace shardsim
