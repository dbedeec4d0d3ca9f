#include "validate/log/training_log.hpp"

#include <algorithm>
#include <cmath>

#include "sim/input/megatron.hpp"
#include "validate/log/fields.hpp"
#include "validate/log/reader.hpp"

namespace shardsim::validate::log {
namespace {

struct Line {
  std::string text;
  int number = 0;
};

/// Progress bars end their lines with a carriage return; the number counts what editors count.
std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  int number = 1;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find_first_of("\r\n", begin), text.size());
    if (end > begin) lines.push_back({plain(text.substr(begin, end - begin)), number});
    if (end < text.size() && text[end] == '\n') ++number;
    begin = end + 1;
  }
  return lines;
}

/// "------------------------ arguments ------------------------", in 2019 "arguments:".
bool opens_dump(std::string_view line) {
  if (contains(line, "end of arguments")) return false;
  const std::size_t at = line.find("arguments");
  if (at == std::string_view::npos) return false;
  const std::string_view rest = line.substr(at + std::string_view{"arguments"}.size());
  return contains(line, "--- arguments ---") ||
         (rest == ":" && line.find_last_of("abcdefghijklmnopqrstuvwxyz", at - 1) == std::string_view::npos);
}

/// The last dump (a restart may have other arguments), on the lines where the log has it.
void read_dump(const std::vector<Line>& lines, TrainingLog& log) {
  std::size_t begin = lines.size();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (opens_dump(lines[i].text)) begin = i;
  }
  if (begin == lines.size()) return;
  std::string dump;
  int at = 1;
  for (std::size_t i = begin; i < lines.size(); ++i) {
    if (contains(lines[i].text, "end of arguments") || contains(lines[i].text, "elapsed time per iteration")) break;
    dump.append(static_cast<std::size_t>(std::max(0, lines[i].number - at)), '\n');
    at = std::max(at, lines[i].number);
    dump += lines[i].text;
  }
  Problems problems;
  const input::Settings read = input::read_megatron(dump, log.file, problems);
  problems.throw_if_any();
  log.settings.merge(read);
}

void read_messages(const std::vector<Line>& lines, TrainingLog& log) {
  constexpr std::string_view kMark = "out of memory. Tried to allocate";
  constexpr std::size_t kLinesBefore = 40;
  constexpr std::size_t kLinesOfMessage = 12;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    // The mark itself may be wrapped.
    std::string two = lines[i].text;
    if (i + 1 < lines.size()) two += ' ' + lines[i + 1].text;
    const std::size_t at = two.find(kMark);
    if (at == std::string::npos || at >= lines[i].text.size() || lines[i].text.empty()) continue;
    std::string message = lines[i].text.substr(std::min(at, lines[i].text.size()));
    for (std::size_t j = i + 1; j < std::min(lines.size(), i + kLinesOfMessage); ++j) message += ' ' + lines[j].text;
    auto found = read_out_of_memory(message);
    if (!found) {
      log.impossible.push_back({{log.file, lines[i].number, ""}, "", "", "an out-of-memory message without a size"});
      continue;
    }
    found->line = lines[i].number;
    for (std::size_t j = i > kLinesBefore ? i - kLinesBefore : 0; j < i; ++j) found->traceback += lines[j].text + '\n';
    log.out_of_memory.push_back(std::move(*found));
  }
}

/// Every program reads all lines; the one with the most iterations is the log's.
TrainingLog read_lines(const std::vector<Line>& lines, const std::string& file) {
  TrainingLog best;
  best.file = file;
  for (const Program& program : kPrograms) {
    TrainingLog log;
    log.file = file;
    for (const Line& line : lines) program.read(line.text, line.number, log);
    const bool more = log.iterations.size() > best.iterations.size();
    if (!more && log.impossible.size() <= best.impossible.size()) continue;
    if (!more && !best.iterations.empty()) continue;
    if (!log.iterations.empty()) log.framework = program.name;
    if (!log.iterations.empty() && !program.stack.empty()) {
      log.settings.set({"stack.preset",
                        std::string{program.stack},
                        {file, log.iterations.front().line, ""},
                        "the log's lines are those of " + log.framework});
    }
    best = std::move(log);
  }
  return best;
}

[[noreturn]] void refuse_foreign(const std::vector<Line>& lines, const TrainingLog& log) {
  if (!log.impossible.empty()) throw InputError(log.impossible);
  std::string programs;
  for (const Program& program : kPrograms) programs += (programs.empty() ? "" : ", ") + std::string{program.name};
  constexpr std::size_t kShown = 60;
  std::string first = lines.empty() ? "" : lines.front().text.substr(0, kShown);
  throw InputError({Problem{{log.file, 0, ""},
                            "",
                            "",
                            "holds no iteration line of " + programs +
                                ", and no out-of-memory message of PyTorch; it starts with \"" + first + "\""}});
}

bool possible(double value, double most) { return std::isfinite(value) && value > 0.0 && value <= most; }

}  // namespace

void add_iteration(Iteration iteration, TrainingLog& log) {
  constexpr double kMostSeconds = 1e6;
  constexpr double kMostTflops = 1e5;
  constexpr double kMostTokens = 1e9;
  constexpr double kMostBatch = 1e8;
  const auto refuse = [&](const char* what) {
    log.impossible.push_back({{log.file, iteration.line, ""}, "", "", std::string(what) + " cannot be"});
  };
  if (iteration.number < 0 || iteration.number > (std::int64_t{1} << 40)) return refuse("this iteration number");
  if (iteration.seconds && !possible(*iteration.seconds, kMostSeconds)) return refuse("this time per iteration");
  if (iteration.tokens_per_s_per_gpu && !possible(*iteration.tokens_per_s_per_gpu, kMostTokens)) {
    return refuse("this rate of tokens");
  }
  if (iteration.global_batch_size && !possible(static_cast<double>(*iteration.global_batch_size), kMostBatch)) {
    return refuse("this global batch size");
  }
  // The rate is beside the point where the time is good.
  if (iteration.tflops_per_gpu && !possible(*iteration.tflops_per_gpu, kMostTflops)) iteration.tflops_per_gpu.reset();
  if (iteration.seq_length && *iteration.seq_length <= 0) iteration.seq_length.reset();
  log.iterations.push_back(iteration);
}

void add_memory(const MemoryPeak& peak, TrainingLog& log) {
  if (peak.allocated || peak.reserved) log.memory.push_back(peak);
}

void add_setting(std::string_view key, std::string value, int line, TrainingLog& log) {
  log.settings.set({std::string{key}, std::move(value), {log.file, line, ""}, ""});
}

TrainingLog read_training_log(std::string_view text, const std::string& file) {
  const std::vector<Line> lines = lines_of(text);
  TrainingLog log = read_lines(lines, file);
  read_messages(lines, log);
  if (log.iterations.empty() && log.out_of_memory.empty()) refuse_foreign(lines, log);
  read_dump(lines, log);
  return log;
}

}  // namespace shardsim::validate::log
