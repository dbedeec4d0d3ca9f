// Every key that a user can set, bound to its field: one table for reading, for checking names and for writing back.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/model/scenario.hpp"

namespace shardsim::input {

struct SchemaKey {
  /// "section.field" as Setting::key.
  std::string name;
  /// What may stand there: "whole number 1 … 10000", "true or false", "gpt, bert, llama, mpt", "size like 80 GiB".
  std::string kind;
  std::string_view help;
  /// Puts the text's value into the scenario. Returns what would have been right, or nothing when the text was good.
  std::function<std::string(model::Scenario&, std::string_view)> read;
  /// The field as text that reads back as the same value.
  std::function<std::string(const model::Scenario&)> write;
};

/// Sorted by name.
[[nodiscard]] const std::vector<SchemaKey>& schema();

/// nullptr when no field has that name.
[[nodiscard]] const SchemaKey* find_key(std::string_view name);

/// A key that is no field but that resolve() turns into fields.
struct DerivedKey {
  std::string_view name;
  std::string_view help;
};
[[nodiscard]] const std::vector<DerivedKey>& derived_keys();

/// The key that a misspelt name probably means: near in letters, or the same field in another section; "" = none.
[[nodiscard]] std::string nearest_key(std::string_view name);

}  // namespace shardsim::input
