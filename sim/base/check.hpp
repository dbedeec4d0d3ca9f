// Checks that stay on in Release: a failed one is a bug of shardsim, never a user's mistake.
#pragma once

#include <stdexcept>
#include <string>

namespace shardsim {

/// A broken invariant of the program itself (exit code 70).
class Bug : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] inline void report_bug(const char* condition, const char* file, int line, const std::string& detail) {
  throw Bug(std::string(file) + ":" + std::to_string(line) + ": broken invariant `" + condition + "`: " + detail);
}

}  // namespace shardsim

// A macro, because the text of the condition and the place belong in the message.
#define SHARDSIM_CHECK(condition, detail)                                               \
  do {                                                                                  \
    if (!(condition)) ::shardsim::report_bug(#condition, __FILE__, __LINE__, (detail)); \
  } while (false)
