// Valid texts for the keys of the schema, drawn from each key's own description of its kind.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "sim/input/schema.hpp"

namespace shardsim::input::test {

[[nodiscard]] std::string random_value(const SchemaKey& key, std::mt19937_64& random);

/// Uniform in 0 … n-1.
[[nodiscard]] std::int64_t below(std::int64_t n, std::mt19937_64& random);

}  // namespace shardsim::input::test
