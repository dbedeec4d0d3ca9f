// Parameters by name.
#pragma once

#include <string>
#include <vector>

#include "kernels/model/parameter.hpp"
#include "sim/base/check.hpp"

namespace shardsim::kernels {

/// Finds a rank's parameters; pointers stay good as long as the vector.
class ParameterMap {
 public:
  explicit ParameterMap(const std::vector<Parameter>& parameters) : parameters_{&parameters} {}

  [[nodiscard]] const Parameter& at(const std::string& name) const {
    for (const Parameter& parameter : *parameters_) {
      if (parameter.name == name) return parameter;
    }
    SHARDSIM_CHECK(false, "no parameter " + name + " on this rank");
    return parameters_->front();
  }

 private:
  const std::vector<Parameter>* parameters_;
};

}  // namespace shardsim::kernels
