#include "validate/local/record.hpp"

#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "sim/base/problems.hpp"
#include "sim/input/text_file.hpp"
#include "validate/statistics.hpp"

namespace shardsim::validate::local {
namespace {

OperatorTimes undisturbed(const std::map<std::int64_t, OperatorTimes>& iterations, std::int64_t first) {
  std::array<std::vector<double>, kClasses> by_class;
  std::map<std::string, std::vector<double>> by_operator;
  OperatorTimes result;
  for (auto iteration = iterations.lower_bound(first); iteration != iterations.end(); ++iteration) {
    for (std::size_t i = 0; i < kClasses; ++i) by_class[i].push_back(iteration->second.by_class[i]);
    for (const auto& [name, time] : iteration->second.by_operator) {
      by_operator[name].push_back(time.seconds);
      result.by_operator[name].count = time.count;
    }
  }
  for (std::size_t i = 0; i < kClasses; ++i) result.by_class[i] = quantile(by_class[i], kUndisturbed);
  for (const auto& [name, seconds] : by_operator) result.by_operator[name].seconds = quantile(seconds, kUndisturbed);
  return result;
}

}  // namespace

Record read_record(const std::string& path) {
  Problems problems;
  std::istringstream lines{input::read_text_file(path, problems)};
  problems.throw_if_any();
  Record record;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    try {
      const auto op = nlohmann::json::parse(line);
      const double seconds = op.at("end").get<double>() - op.at("start").get<double>();
      record[op.at("rank")][op.at("iteration")].add(op.at("name").get<std::string>(), op.at("kind").get<std::string>(),
                                                    op.at("pass").get<std::string>(), seconds, 1);
    } catch (const nlohmann::json::exception& error) {
      throw InputError(
          {Problem{{path, number, ""}, "", "", std::string("is no record of an operator: ") + error.what()}});
    }
  }
  return record;
}

OperatorTimes longest_rank(const Record& record, std::int64_t first) {
  OperatorTimes longest;
  for (const auto& [rank, iterations] : record) {
    OperatorTimes times = undisturbed(iterations, first);
    if (compute(times.by_class) > compute(longest.by_class)) longest = std::move(times);
  }
  return longest;
}

}  // namespace shardsim::validate::local
