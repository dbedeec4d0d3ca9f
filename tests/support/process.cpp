#include "tests/support/process.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <stdexcept>

#include "tests/support/files.hpp"

namespace shardsim::test {
namespace {

/// A file that is gone when the object is.
class TemporaryFile {
 public:
  TemporaryFile() : descriptor_{mkstemp(path_.data())} {
    if (descriptor_ < 0) throw std::runtime_error("no temporary file");
  }
  ~TemporaryFile() {
    close(descriptor_);
    unlink(path_.data());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] std::string path() const { return path_.data(); }

 private:
  std::array<char, 32> path_{"/tmp/shardsim-test-XXXXXX"};
  int descriptor_;
};

[[noreturn]] void become_shell(const std::string& command, int in, int out, int err) {
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  if (chdir(SHARDSIM_SOURCE_DIR) != 0) _exit(126);
  execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
  _exit(127);
}

}  // namespace

Outcome run_shell(const std::string& command, const std::string& input) {
  const TemporaryFile in;
  const TemporaryFile out;
  const TemporaryFile err;
  write_file(in.path(), input);
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) become_shell(command, in.descriptor(), out.descriptor(), err.descriptor());
  int status = 0;
  rusage usage{};
  if (child < 0 || wait4(child, &status, 0, &usage) != child) throw std::runtime_error("cannot run " + command);
  Outcome outcome;
  outcome.wall = std::chrono::steady_clock::now() - start;
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.out = read_source(out.path());
  outcome.err = read_source(err.path());
  outcome.resident = std::int64_t{usage.ru_maxrss} * 1024;
  return outcome;
}

std::string shardsim_path() { return SHARDSIM_PROGRAM; }

Outcome run_shardsim(const std::string& arguments, const std::string& input) {
  return run_shell("exec '" + shardsim_path() + "' " + arguments, input);
}

}  // namespace shardsim::test
