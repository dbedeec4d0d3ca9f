#include "validate/transfer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "sim/input/resolve.hpp"
#include "validate/evaluate.hpp"
#include "validate/fit_constants.hpp"

namespace shardsim::validate {
namespace {

using Quantity = std::optional<Pair> Result::*;
using Kin = std::pair<std::string_view, std::string_view>;

constexpr std::array<Kin, 15> kStackKin{{{"megatron-lm-2019", "megatron-lm-2021"},
                                         {"megatron-lm-2021", "megatron-lm-2022"},
                                         {"megatron-lm-2022", "megatron-lm-2021"},
                                         {"megatron-zero-bubble", "megatron-lm-2022"},
                                         {"megatron-deepspeed", "megatron-lm-2021"},
                                         {"aleph-alpha-scaling", "megatron-deepspeed"},
                                         {"megatron-core-te", "nemo"},
                                         {"megatron-core-local", "megatron-core-te"},
                                         {"nemo", "megatron-core-te"},
                                         {"nanotron", "megatron-core-te"},
                                         {"internevo", "megatron-core-te"},
                                         {"pytorch-fsdp", "torchtitan"},
                                         {"torchtitan", "pytorch-fsdp"},
                                         {"nvidia-bert", "megatron-lm-2021"},
                                         {"oneflow", "megatron-lm-2021"}}};

constexpr std::array<Kin, 10> kDeviceKin{{{"a100-40gb", "a100-80gb"},
                                          {"a100-80gb", "h100-80gb"},
                                          {"h100-80gb", "a100-80gb"},
                                          {"h100-96gb-500w", "h100-80gb"},
                                          {"h200-141gb", "h100-80gb"},
                                          {"b200-180gb", "h100-80gb"},
                                          {"gb200", "b200-180gb"},
                                          {"v100-16gb", "v100-32gb-450w"},
                                          {"v100-32gb", "v100-16gb"},
                                          {"v100-32gb-450w", "v100-16gb"}}};

template <std::size_t N>
std::string kin(const std::array<Kin, N>& table, const std::string& name) {
  const auto found = std::find_if(table.begin(), table.end(), [&](const Kin& entry) { return entry.first == name; });
  return found == table.end() ? name : std::string{found->second};
}

/// A row with its scenario, resolved once.
struct Case {
  const Record* record;
  model::Scenario scenario;
};
using Cases = std::vector<Case*>;

std::vector<Case> resolved(const std::vector<Record>& records) {
  std::vector<Case> cases;
  for (const Record& record : records) {
    const bool counts =
        record.unmodelled.empty() && record.suspect.empty() && (record.quality.empty() || record.quality == "A");
    if (!counts || (!record.measures_time() && !record.memory)) continue;
    try {
      cases.push_back({&record, input::resolve(record.settings)});
    } catch (const InputError&) {
      // Skipped, as by evaluate().
    }
  }
  return cases;
}

double loss(const Cases& cases, Quantity quantity) {
  constexpr double kMost = 0.5;
  std::map<std::string, std::pair<double, double>> sources;
  for (const Case* one : cases) {
    const Result result = evaluate(*one->record, one->scenario);
    if (!(result.*quantity)) continue;
    const Pair& pair = *(result.*quantity);
    auto& [sum, count] = sources[one->record->source];
    sum += std::min(kMost, std::abs(std::log(pair.predicted / pair.measured)));
    count += 1.0;
  }
  double mean = 0.0;
  for (const auto& [source, sum] : sources) mean += sum.first / sum.second / static_cast<double>(sources.size());
  return mean;
}

void assign(const Cases& cases, const std::vector<Constant>& constants, const std::vector<double>& values) {
  for (Case* one : cases) {
    for (std::size_t i = 0; i < constants.size(); ++i) constants[i].set(one->scenario, values[i]);
  }
}

std::vector<double> values_of(const model::Scenario& scenario, const std::vector<Constant>& constants) {
  std::vector<double> values;
  for (const Constant& constant : constants) values.push_back(constant.get(scenario));
  return values;
}

/// The constants' values on `others`, searched from `start`; `start` itself where there are no others. Leaves the last
/// values tried.
std::vector<double> refit(const Cases& others, const std::vector<Constant>& constants, std::vector<double> start,
                          Quantity quantity) {
  if (others.empty()) return start;
  return search(std::move(start), [&](const std::vector<double>& tried) {
    assign(others, constants, tried);
    return loss(others, quantity);
  });
}

/// What two cases must share to be fitted together: the name of a stack or a device.
using NameOf = const std::string& (*)(const model::Scenario&);
const std::string& stack_name(const model::Scenario& scenario) { return scenario.stack.name; }
const std::string& device_name(const model::Scenario& scenario) { return scenario.cluster.device.name; }

/// Replaces constants of the held-out rows' stacks or devices, name by name, by what the other sources or the kin give:
/// of all rows, so that what is refitted next does not make up for the same thing again. Returns the names that only
/// the kin could serve, as "stack or device <- kin".
std::vector<std::string> replace(std::vector<Case>& cases, const Cases& held_out, NameOf name_of, const char* kind,
                                 const std::vector<Constant>& constants, Quantity quantity) {
  std::vector<std::string> from_kin;
  const std::string& source = held_out.front()->record->source;
  std::set<std::string> names;
  for (const Case* one : held_out) names.insert(name_of(one->scenario));
  for (const std::string& name : names) {
    Cases others;
    Cases own;
    for (Case& one : cases) {
      if (name_of(one.scenario) != name) continue;
      if (one.record->source == source) {
        own.push_back(&one);
      } else if (quantity == &Result::time ? one.record->measures_time() : one.record->memory.has_value()) {
        others.push_back(&one);
      }
    }
    const std::string kin = std::string_view{kind} == "stacks" ? stack_kin(name) : device_kin(name);
    if (others.empty()) from_kin.push_back(name + " <- " + kin);
    const std::vector<double> values =
        refit(others, constants, values_of(preset_values(kind, kin), constants), quantity);
    assign(own, constants, values);
    assign(others, constants, values);
  }
  return from_kin;
}

ErrorStatistics errors_of(const Cases& cases, Quantity quantity) {
  std::vector<Pair> pairs;
  for (const Case* one : cases) {
    const Result result = evaluate(*one->record, one->scenario);
    if (result.*quantity) pairs.push_back(*(result.*quantity));
  }
  return error_statistics(pairs);
}

}  // namespace

std::string stack_kin(const std::string& stack) { return kin(kStackKin, stack); }
std::string device_kin(const std::string& device) { return kin(kDeviceKin, device); }

std::map<std::string, Transfer> leave_one_source_out(const std::vector<Record>& records) {
  const std::vector<Case> all = resolved(records);
  std::set<std::string> sources;
  for (const Case& one : all) sources.insert(one.record->source);
  std::map<std::string, Transfer> result;
  for (const std::string& source : sources) {
    std::vector<Case> cases = all;
    Cases held_out;
    for (Case& one : cases) {
      if (one.record->source == source) held_out.push_back(&one);
    }
    Transfer& transfer = result[source];
    transfer.from_kin = replace(cases, held_out, device_name, "devices", {sustained_slowdown()}, &Result::time);
    const auto of_stack = replace(cases, held_out, stack_name, "stacks", time_constants(), &Result::time);
    replace(cases, held_out, stack_name, "stacks", memory_constants(), &Result::memory);
    transfer.from_kin.insert(transfer.from_kin.end(), of_stack.begin(), of_stack.end());
    transfer.time = errors_of(held_out, &Result::time);
    transfer.memory = errors_of(held_out, &Result::memory);
  }
  return result;
}

}  // namespace shardsim::validate
