// Operators by what makes them slow: the classes in which prediction and measurement are compared.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "sim/model/operators.hpp"

namespace shardsim::validate::local {

/// rest: all of a step outside operators: the host's work between them, and waiting for another pipeline stage.
enum class Class { matrix_products, attention, memory_bound, optimizer, communication, rest };
inline constexpr std::size_t kClasses = 6;
inline constexpr std::array<std::string_view, kClasses> kClassNames = {
    "matrix_products", "attention", "memory_bound", "optimizer", "communication", "rest"};

/// By the names that records use. attention: its batched products; its softmax is memory-bound.
[[nodiscard]] Class class_of(std::string_view kind, std::string_view pass);
[[nodiscard]] Class class_of(const model::Operator& op);

/// Seconds by class.
using ClassTimes = std::array<double, kClasses>;

constexpr std::size_t index_of(Class one) { return static_cast<std::size_t>(one); }

/// Without communication and rest.
[[nodiscard]] double compute(const ClassTimes& times);

}  // namespace shardsim::validate::local
