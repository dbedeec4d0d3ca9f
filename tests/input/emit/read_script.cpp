#include "tests/input/emit/read_script.hpp"

#include <algorithm>
#include <sstream>

#include "sim/engine/closed_form.hpp"
#include "sim/input/framework_config.hpp"
#include "sim/input/megatron.hpp"
#include "sim/input/resolve.hpp"

namespace shardsim::tests {

input::Settings presets_of(const std::string& model, const std::string& stack, const std::string& cluster) {
  input::Settings settings;
  if (!model.empty()) settings.set({"model.preset", model, {}, {}});
  settings.set({"stack.preset", stack, {}, {}});
  settings.set({"cluster.preset", cluster, {}, {}});
  return settings;
}

std::vector<std::pair<std::string, std::string>> set_lines(const std::string& text) {
  const std::string start = "# --set ";
  std::vector<std::pair<std::string, std::string>> sets;
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) {
    if (line.compare(0, start.size(), start) != 0) continue;
    const std::size_t equals = line.find('=');
    std::string value = line.substr(equals + 1, line.find("   (") - equals - 1);
    value.erase(std::remove(value.begin(), value.end(), '"'), value.end());
    sets.emplace_back(line.substr(start.size(), equals - start.size()), value);
  }
  return sets;
}

model::Scenario read_script(const std::string& script, const std::string& stack, const std::string& cluster,
                            std::int64_t gpus) {
  Problems problems;
  input::Settings settings = input::read_megatron(script, "script", problems);
  const std::string begin = "<<'END'\n";
  if (const std::size_t at = script.find(begin); at != std::string::npos) {
    const std::size_t from = at + begin.size();
    const std::string config = script.substr(from, script.find("\nEND\n", from) - from);
    settings.merge(input::read_deepspeed_config(config, "ds_config.json", problems));
  }
  settings.merge(presets_of("", stack, cluster));
  settings.set({"cluster.gpus", std::to_string(gpus), {}, {}});
  for (const auto& [key, value] : set_lines(script)) settings.set({key, value, {}, {}});
  problems.throw_if_any();
  return input::resolve(settings);
}

bool same_prediction(const model::Scenario& a, const model::Scenario& b) {
  const engine::Prediction x = engine::predict(a);
  const engine::Prediction y = engine::predict(b);
  const auto same_term = [](const engine::TimeTerm& p, const engine::TimeTerm& q) { return p.time == q.time; };
  return x.iteration == y.iteration && x.iteration_p10 == y.iteration_p10 && x.mfu == y.mfu && x.hfu == y.hfu &&
         std::equal(x.time.begin(), x.time.end(), y.time.begin(), same_term) &&
         x.memory.worst().device_used == y.memory.worst().device_used &&
         x.memory.worst().peak_allocated == y.memory.worst().peak_allocated &&
         x.memory.out_of_memory_probability == y.memory.out_of_memory_probability;
}

}  // namespace shardsim::tests
