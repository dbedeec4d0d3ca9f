// The samples that a selector names.
#pragma once

#include <regex>
#include <set>
#include <string>
#include <vector>

#include "calibrate/profile/specification.hpp"
#include "calibrate/samples/samples.hpp"

namespace shardsim::calibrate {

[[nodiscard]] inline bool fits(const GemmSample& sample, const Selector& selector) {
  return (selector.dtype.empty() || sample.dtype == selector.dtype) &&
         (selector.layout.empty() || sample.layout == selector.layout);
}
[[nodiscard]] inline bool fits(const AttentionSample&, const Selector&) { return true; }
[[nodiscard]] inline bool fits(const MemorySample&, const Selector&) { return true; }
[[nodiscard]] inline bool fits(const CollectiveSample& sample, const Selector& selector) {
  return selector.layout.empty() || sample.collective == selector.layout;
}

[[nodiscard]] inline const std::string& described(const GemmSample& sample) { return sample.software; }
[[nodiscard]] inline const std::string& described(const AttentionSample& sample) { return sample.software; }
[[nodiscard]] inline const std::string& described(const MemorySample& sample) { return sample.kernel; }
[[nodiscard]] inline std::string described(const CollectiveSample& sample) {
  return std::to_string(sample.nodes) + " nodes; " + sample.node + "; " + sample.network + "; " + sample.description;
}

template <class Sample>
[[nodiscard]] std::vector<Sample> select(const std::vector<Sample>& samples, const Selector& selector) {
  std::vector<Sample> selected;
  const std::regex match{selector.match};
  for (const Sample& sample : samples) {
    if (sample.gpu != selector.gpu || !fits(sample, selector)) continue;
    if (selector.match.empty() || std::regex_search(described(sample), match)) selected.push_back(sample);
  }
  return selected;
}

/// Adds the sources of samples to a set of names.
template <class Sample>
void note_sources(const std::vector<Sample>& samples, std::set<std::string>& sources) {
  for (const Sample& sample : samples) sources.insert(sample.source);
}

}  // namespace shardsim::calibrate
