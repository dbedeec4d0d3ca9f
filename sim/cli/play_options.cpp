#include "sim/cli/play_options.hpp"

#include <locale>
#include <optional>
#include <sstream>
#include <type_traits>

#include "sim/cli/command.hpp"

namespace shardsim::cli {
namespace {

Engine parse_engine(const std::string& name, std::string_view command) {
  if (name.empty() || name == "closed_form") return Engine::closed_form;
  if (name == "event") return Engine::event;
  usage_error(command, "--engine " + name + ": the engines are closed_form, event");
}

/// The whole text as a number, or nothing.
template <class Number>
std::optional<Number> number(const std::string& text) {
  std::istringstream stream{text};
  Number value{};
  if (text.empty() || text.front() == ' ' || (std::is_unsigned_v<Number> && text.front() == '-')) return std::nullopt;
  stream.imbue(std::locale::classic());
  stream >> value;
  return !stream.fail() && stream.eof() ? std::optional<Number>{value} : std::nullopt;
}

engine::event::Straggler parse_straggler(const std::string& text, std::string_view command) {
  const std::size_t comma = text.find(',');
  const bool named = text.rfind("rank=", 0) == 0 && comma != std::string::npos && text.rfind(",slow=", comma) == comma;
  const auto rank = named ? number<std::int64_t>(text.substr(5, comma - 5)) : std::nullopt;
  const auto slow = named ? number<double>(text.substr(comma + 6)) : std::nullopt;
  if (!rank || !slow || *rank < 0 || !(*slow > 0.01 && *slow <= 1000.0)) {
    usage_error(command,
                "--straggler " + text + ": expected rank=R,slow=X, X between 0.01 and 1000, as rank=17,slow=1.15");
  }
  return {*rank, *slow};
}

std::vector<RankRange> parse_ranks(const std::string& text, std::string_view command) {
  std::vector<RankRange> ranges;
  std::istringstream list{text};
  for (std::string item; std::getline(list, item, ',');) {
    const std::size_t dash = item.find('-');
    const auto first = number<std::int64_t>(item.substr(0, dash));
    const auto last = dash == std::string::npos ? first : number<std::int64_t>(item.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first) {
      usage_error(command, "--trace-ranks " + text + ": expected ranks and ranges, as 0,8,16-23");
    }
    ranges.emplace_back(*first, *last);
  }
  return ranges;
}

void refuse_without_event_engine(const GivenPlay& given, std::string_view command) {
  const std::vector<std::pair<const char*, bool>> options = {
      {"--trace", !given.trace.empty()},   {"--trace-ranks", !given.trace_ranks.empty()},
      {"--timeline", given.timeline},      {"--straggler", !given.stragglers.empty()},
      {"--jitter", !given.jitter.empty()}, {"--seed", !given.seed.empty()}};
  for (const auto& [name, is_given] : options) {
    if (is_given) usage_error(command, std::string(name) + " needs --engine event");
  }
}

engine::event::Variation parse_variation(const GivenPlay& given, std::string_view command) {
  engine::event::Variation variation;
  for (const std::string& text : given.stragglers) variation.stragglers.push_back(parse_straggler(text, command));
  if (!given.jitter.empty()) {
    const auto jitter = number<double>(given.jitter);
    if (!jitter || !(*jitter >= 0.0 && *jitter <= 1.0)) {
      usage_error(command, "--jitter " + given.jitter + ": expected a number between 0 and 1, as 0.03");
    }
    variation.jitter = *jitter;
  }
  if (!given.seed.empty()) {
    const auto seed = number<std::uint64_t>(given.seed);
    if (!seed) usage_error(command, "--seed " + given.seed + ": expected a whole number");
    if (given.jitter.empty()) usage_error(command, "--seed needs --jitter");
    variation.seed = *seed;
  }
  return variation;
}

}  // namespace

PlayOptions interpret(const GivenPlay& given, std::string_view command) {
  PlayOptions options;
  options.engine = parse_engine(given.engine, command);
  if (options.engine != Engine::event) {
    refuse_without_event_engine(given, command);
    return options;
  }
  options.variation = parse_variation(given, command);
  options.trace = given.trace;
  options.timeline = given.timeline;
  if (!given.trace_ranks.empty()) {
    if (given.trace.empty()) usage_error(command, "--trace-ranks needs --trace");
    options.trace_ranks = parse_ranks(given.trace_ranks, command);
  }
  return options;
}

}  // namespace shardsim::cli
