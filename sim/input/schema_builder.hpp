// How the schema's table is written down: one line per field, by pointer to member.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/base/suggest.hpp"
#include "sim/input/enum_text.hpp"
#include "sim/input/schema.hpp"
#include "sim/input/text.hpp"
#include "sim/input/units.hpp"

namespace shardsim::input {

/// Bounds keep every product of sizes within 64 bits.
struct IntegerRange {
  std::int64_t smallest = 0;
  std::int64_t largest = 0;
};
struct NumberRange {
  double smallest = 0.0;
  double largest = 0.0;
};

[[nodiscard]] inline Parsed<Bytes> parse_as(std::string_view text, Bytes) { return parse_bytes(text); }
[[nodiscard]] inline Parsed<Seconds> parse_as(std::string_view text, Seconds) { return parse_seconds(text); }
[[nodiscard]] inline Parsed<BytesPerSecond> parse_as(std::string_view text, BytesPerSecond) {
  return parse_bytes_per_second(text);
}
[[nodiscard]] inline Parsed<FlopsPerSecond> parse_as(std::string_view text, FlopsPerSecond) {
  return parse_flops_per_second(text);
}

[[nodiscard]] inline std::string_view quantity_kind(Bytes) { return "size with its unit, like 80 GiB"; }
[[nodiscard]] inline std::string_view quantity_kind(Seconds) { return "time with its unit, like 5 us"; }
[[nodiscard]] inline std::string_view quantity_kind(BytesPerSecond) {
  return "bandwidth with its unit, like 300 GB/s or 200 Gb/s";
}
[[nodiscard]] inline std::string_view quantity_kind(FlopsPerSecond) { return "speed with its unit, like 312 TFLOP/s"; }

/// "gpt, bert, llama, mpt".
template <class Enum>
[[nodiscard]] std::string choice_list() {
  std::string list;
  for (const auto& choice : kChoices<Enum>) add_word(list, choice.text);
  return list;
}

template <class Enum>
[[nodiscard]] Parsed<Enum> parse_choice(std::string_view text) {
  std::vector<std::string_view> names;
  for (const auto& choice : kChoices<Enum>) {
    if (choice.text == trimmed(text)) return {choice.value, {}};
    names.push_back(choice.text);
  }
  std::string error = "must be one of: " + choice_list<Enum>();
  if (const auto near = nearest(text, names)) error += "; did you mean " + quoted(*near) + "?";
  return {{}, std::move(error)};
}

/// Adds the fields of one struct under one prefix. `Of` leads from a scenario, const or not, to the struct.
template <class Of>
class Fields {
 public:
  Fields(std::vector<SchemaKey>& keys, std::string prefix, Of of)
      : keys_{keys}, prefix_{std::move(prefix)}, of_{std::move(of)} {}

  template <class Struct, class Integer>
  Fields& integer(std::string_view name, Integer Struct::*member, IntegerRange range, std::string_view help) {
    const std::string bounds = to_text(range.smallest) + " … " + to_text(range.largest);
    const auto read = [of = of_, member, range, bounds](model::Scenario& scenario, std::string_view text) {
      const auto parsed = parse_integer(text);
      if (!parsed.value) return parsed.error;
      if (*parsed.value < range.smallest || *parsed.value > range.largest) return "must be within " + bounds;
      of(scenario).*member = static_cast<Integer>(*parsed.value);
      return std::string();
    };
    const auto write = [of = of_, member](const model::Scenario& scenario) {
      return to_text(std::int64_t{of(scenario).*member});
    };
    return custom(name, "whole number " + bounds, help, read, write);
  }

  template <class Struct>
  Fields& number(std::string_view name, double Struct::*member, NumberRange range, std::string_view help) {
    const std::string bounds = to_text(range.smallest) + " … " + to_text(range.largest);
    const auto read = [of = of_, member, range, bounds](model::Scenario& scenario, std::string_view text) {
      const auto parsed = parse_number(text);
      if (!parsed.value) return parsed.error;
      if (*parsed.value < range.smallest || *parsed.value > range.largest) return "must be within " + bounds;
      of(scenario).*member = *parsed.value;
      return std::string();
    };
    return custom(name, "number " + bounds, help, read, writer(member));
  }

  template <class Struct>
  Fields& flag(std::string_view name, bool Struct::*member, std::string_view help) {
    return custom(name, "true or false", help, reader(member, parse_bool), writer(member));
  }

  template <class Struct, class Enum>
  Fields& choice(std::string_view name, Enum Struct::*member, std::string_view help) {
    const auto write = [of = of_, member](const model::Scenario& scenario) {
      return std::string(choice_text(of(scenario).*member));
    };
    return custom(name, choice_list<Enum>(), help, reader(member, parse_choice<Enum>), write);
  }

  template <class Struct, class Quantity>
  Fields& quantity(std::string_view name, Quantity Struct::*member, std::string_view help) {
    const auto parse = [](std::string_view text) { return parse_as(text, Quantity{}); };
    return custom(name, std::string(quantity_kind(Quantity{})), help, reader(member, parse), writer(member));
  }

  template <class Struct>
  Fields& text(std::string_view name, std::string Struct::*member, std::string_view help) {
    const auto parse = [](std::string_view text) { return Parsed<std::string>{std::string(text), {}}; };
    const auto write = [of = of_, member](const model::Scenario& scenario) { return of(scenario).*member; };
    return custom(name, "text", help, reader(member, parse), write);
  }

  template <class Read, class Write>
  Fields& custom(std::string_view name, std::string kind, std::string_view help, Read read, Write write) {
    keys_.push_back({prefix_ + "." + std::string(name), std::move(kind), help, std::move(read), std::move(write)});
    return *this;
  }

  /// The fields of a struct inside this one.
  template <class Struct, class Inner>
  [[nodiscard]] auto nested(std::string_view name, Inner Struct::*member) const {
    const auto inner = [ of = of_, member ](auto& scenario) -> auto& { return of(scenario).*member; };
    return Fields<decltype(inner)>(keys_, prefix_ + "." + std::string(name), inner);
  }

 private:
  template <class Member, class Parse>
  auto reader(Member member, Parse parse) const {
    return [of = of_, member, parse](model::Scenario& scenario, std::string_view text) {
      auto parsed = parse(text);
      if (!parsed.value) return parsed.error;
      of(scenario).*member = std::move(*parsed.value);
      return std::string();
    };
  }

  template <class Member>
  auto writer(Member member) const {
    return [of = of_, member](const model::Scenario& scenario) { return to_text(of(scenario).*member); };
  }

  std::vector<SchemaKey>& keys_;
  std::string prefix_;
  Of of_;
};

/// The sections of the table, each in a file of its own.
void add_model_keys(std::vector<SchemaKey>& keys);
void add_parallelism_keys(std::vector<SchemaKey>& keys);
void add_training_keys(std::vector<SchemaKey>& keys);
void add_stack_keys(std::vector<SchemaKey>& keys);
void add_hardware_keys(std::vector<SchemaKey>& keys);

}  // namespace shardsim::input
