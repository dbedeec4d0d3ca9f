#include "validate/local/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <sstream>

#include "sim/base/problems.hpp"
#include "validate/local/machine_load.hpp"

namespace shardsim::validate::local {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPollMilliseconds = 50;
/// Between asking a program to end and killing it.
constexpr Seconds kGrace{3.0};
constexpr int kNotStarted = 127;

volatile std::sig_atomic_t interrupt_noted = 0;

Seconds since(Clock::time_point start) { return Seconds{std::chrono::duration<double>(Clock::now() - start).count()}; }

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0) {
      throw InputError({Problem{{"pipe", 0, ""}, "", "", std::strerror(errno)}});
    }
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  [[nodiscard]] int end(std::size_t which) const { return ends_[which]; }
  void close_end(std::size_t which) {
    if (ends_[which] >= 0) close(ends_[which]);
    ends_[which] = -1;
  }
  /// Appends what is there; closes at the end of the stream.
  void read_into(std::string& text) {
    std::array<char, 65536> buffer{};
    const ssize_t count = read(ends_[0], buffer.data(), buffer.size());
    if (count > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(count));
    } else if (count == 0 || errno != EINTR) {
      close_end(0);
    }
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

[[noreturn]] void become(const std::vector<std::string>& command, const Pipe& out, const Pipe& err) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  dup2(out.end(1), STDOUT_FILENO);
  dup2(err.end(1), STDERR_FILENO);
  execvp(argv[0], argv.data());
  const std::string why = command.front() + ": " + std::strerror(errno) + "\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, why.data(), why.size());
  _exit(kNotStarted);
}

/// Reads both streams until they end, and ends the program early where it must.
class Watch {
 public:
  Watch(pid_t child, Seconds limit) : child_{child}, limit_{limit} {}

  Finished::How follow(Pipe& out, Pipe& err, Finished& finished) {
    while (out.end(0) >= 0 || err.end(0) >= 0) {
      std::array<pollfd, 2> ready{pollfd{out.end(0), POLLIN, 0}, pollfd{err.end(0), POLLIN, 0}};
      poll(ready.data(), ready.size(), kPollMilliseconds);
      if (ready[0].revents != 0) out.read_into(finished.out);
      if (ready[1].revents != 0) err.read_into(finished.err);
      end_if_due();
    }
    return how_;
  }

 private:
  void end_if_due() {
    if (how_ == Finished::How::exited) {
      if (InterruptNoted::interrupted()) how_ = Finished::How::interrupted;
      if (since(start_) > limit_) how_ = Finished::How::took_too_long;
      if (how_ == Finished::How::exited) return;
      asked_ = Clock::now();
      kill(-child_, SIGTERM);
    } else if (since(asked_) > kGrace) {
      kill(-child_, SIGKILL);
    }
  }

  pid_t child_;
  Seconds limit_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point asked_;
  Finished::How how_ = Finished::How::exited;
};

/// The line of standard error that names the cause: the first that speaks of an error or a signal, else the last one
/// with words.
std::string cause(const std::string& text) {
  std::istringstream lines{text};
  std::string last;
  for (std::string line; std::getline(lines, line);) {
    const bool has_words = std::any_of(line.begin(), line.end(), [](unsigned char c) { return std::isalpha(c) != 0; });
    if (!has_words) continue;
    last = line;
    if (line.find("error") != std::string::npos || line.find("on signal") != std::string::npos) break;
  }
  return last;
}

}  // namespace

InterruptNoted::InterruptNoted() {
  interrupt_noted = 0;
  struct sigaction note {};
  note.sa_handler = [](int) { interrupt_noted = 1; };
  sigaction(SIGINT, &note, &on_interrupt_);
  sigaction(SIGTERM, &note, &on_termination_);
}

InterruptNoted::~InterruptNoted() {
  sigaction(SIGINT, &on_interrupt_, nullptr);
  sigaction(SIGTERM, &on_termination_, nullptr);
  interrupt_noted = 0;
}

bool InterruptNoted::interrupted() { return interrupt_noted != 0; }

Finished run_program(const std::vector<std::string>& command, Seconds limit) {
  Pipe out;
  Pipe err;
  const Clock::time_point start = Clock::now();
  const MachineLoad load;
  const pid_t child = fork();
  if (child < 0) throw InputError({Problem{{command.front(), 0, ""}, "", "", std::strerror(errno)}});
  if (child == 0) become(command, out, err);
  setpgid(child, child);
  out.close_end(1);
  err.close_end(1);
  Finished finished;
  finished.how = Watch{child, limit}.follow(out, err, finished);
  int status = 0;
  rusage usage{};
  while (wait4(child, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  finished.wall = since(start);
  const double own = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
  finished.others = load.others(own, finished.wall.value());
  finished.peak_resident = Bytes{std::int64_t{usage.ru_maxrss} * 1024};
  finished.code = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
  if (finished.how == Finished::How::exited && WIFSIGNALED(status)) finished.how = Finished::How::killed;
  return finished;
}

std::string describe_failure(const Finished& finished) {
  std::string text;
  switch (finished.how) {
    case Finished::How::exited:
      text = "exit code " + std::to_string(finished.code);
      break;
    case Finished::How::killed:
      text = "killed by signal " + std::to_string(finished.code);
      break;
    case Finished::How::took_too_long:
      text = "ended after " + std::to_string(static_cast<int>(finished.wall.value())) + " s without a result";
      break;
    case Finished::How::interrupted:
      return "interrupted";
  }
  const std::string why = cause(finished.err);
  return why.empty() ? text : text + ": " + why;
}

}  // namespace shardsim::validate::local
