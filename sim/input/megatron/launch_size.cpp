#include "sim/input/megatron/launch_size.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <initializer_list>

namespace shardsim::input::megatron {
namespace {

std::optional<long long> positive(const std::string& text) {
  char* rest = nullptr;
  const long long value = std::strtoll(text.c_str(), &rest, 10);
  if (text.empty() || *rest != '\0' || value <= 0 || value > 100'000'000) return std::nullopt;
  return value;
}

/// Dashes and underscores are the same to every launcher here.
std::string normalized(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

/// The value of the first of `names` among words "--name value", "--name=value" or "-N8".
const Word* option(const std::vector<Word>& words, std::initializer_list<const char*> names, Word& storage) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t equals = words[i].text.find('=');
    const std::string name = normalized(words[i].text.substr(0, equals));
    for (const char* const known : names) {
      const std::string text(known);
      const bool glued = text.size() == 2 && name.size() > 2 && name.compare(0, 2, text) == 0 && name[1] != '-';
      if (name != text && !glued) continue;
      if (equals == std::string::npos && !glued) return i + 1 < words.size() ? &words[i + 1] : nullptr;
      storage = words[i];
      storage.text.erase(0, glued ? 2 : equals + 1);
      return &storage;
    }
  }
  return nullptr;
}

struct Count {
  std::optional<long long> value;
  /// Given, but not as a number.
  std::string unknown;
  int line = 0;
};

Count count_of(const std::vector<Word>& words, std::initializer_list<const char*> names) {
  Word storage;
  const Word* const word = option(words, names, storage);
  if (word == nullptr) return {};
  Count count;
  count.line = word->line;
  count.value = positive(word->text);
  if (!count.value) count.unknown = word->unresolved.empty() ? word->text : word->unresolved.front();
  return count;
}

/// gpu:8, gpu:a100:8 or 8.
std::optional<long long> generic_resource(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  return positive(colon == std::string::npos ? text : text.substr(colon + 1));
}

BatchRequest request_of(const std::vector<Word>& words) {
  BatchRequest request;
  Word storage;
  request.nodes = count_of(words, {"--nodes", "-N"}).value;
  request.tasks_per_node = count_of(words, {"--ntasks-per-node", "--tasks-per-node"}).value;
  request.tasks = count_of(words, {"--ntasks", "-n"}).value;
  for (const char* const name : {"--gpus-per-node", "--gres"}) {
    if (const Word* word = option(words, {name}, storage)) request.gpus_per_node = generic_resource(word->text);
    if (request.gpus_per_node) break;
  }
  return request;
}

std::optional<long long> either(std::optional<long long> first, std::optional<long long> second) {
  return first ? first : second;
}

/// The number as given; the batch request's where it is given but not known; the launcher's default where not given.
std::optional<long long> known_count(const Count& given, std::optional<long long> requested, long long standard) {
  if (given.value) return given.value;
  return given.unknown.empty() ? std::optional<long long>{standard} : requested;
}

bool any_word(const std::vector<Word>& words, std::initializer_list<const char*> parts) {
  return std::any_of(words.begin(), words.end(), [&](const Word& word) {
    return std::any_of(parts.begin(), parts.end(), [&](const char* part) {
      const std::size_t at = word.text.rfind(part);
      return at != std::string::npos && (at == 0 || word.text[at - 1] == '/' || word.text[at - 1] == '.') &&
             word.text.compare(at, std::string::npos, part) == 0;
    });
  });
}

std::optional<LaunchSize> product(std::optional<long long> nodes, std::optional<long long> per_node, int line) {
  if (!nodes || !per_node || *nodes > 10'000'000 / *per_node) return std::nullopt;
  return LaunchSize{*nodes * *per_node, line, "nodes x processes per node of the launch script"};
}

}  // namespace

BatchRequest read_batch_request(std::string_view script) {
  std::vector<Word> words;
  int line = 0;
  std::size_t begin = 0;
  while (begin < script.size()) {
    const std::size_t end = std::min(script.find('\n', begin), script.size());
    const std::string_view content = script.substr(begin, end - begin);
    begin = end + 1;
    ++line;
    if (content.substr(0, 7) != "#SBATCH") continue;
    std::size_t word_begin = 7;
    while ((word_begin = content.find_first_not_of(" \t\r", word_begin)) != std::string_view::npos) {
      const std::size_t word_end = std::min(content.find_first_of(" \t\r", word_begin), content.size());
      if (content[word_begin] == '#') break;
      words.push_back({std::string(content.substr(word_begin, word_end - word_begin)), line, {}});
      word_begin = word_end;
    }
  }
  return request_of(words);
}

std::optional<LaunchSize> launch_size(const std::vector<Word>& launcher, const BatchRequest& request,
                                      const ShellVariables& variables, std::string& why_not) {
  const BatchRequest own = request_of(launcher);
  const std::optional<long long> slurm_nodes = either(own.nodes, request.nodes);
  const int line = launcher.empty() ? 0 : launcher.front().line;
  std::optional<LaunchSize> size;
  if (any_word(launcher, {"torchrun", "torch.distributed.launch", "torch.distributed.run"})) {
    const Count nodes = count_of(launcher, {"--nnodes"});
    const Count processes = count_of(launcher, {"--nproc-per-node"});
    const std::optional<long long> known_nodes = known_count(nodes, slurm_nodes, 1);
    size = product(known_nodes, known_count(processes, request.gpus_per_node, 1), nodes.line > 0 ? nodes.line : line);
    if (!size) why_not = known_nodes ? processes.unknown : nodes.unknown;
  } else if (any_word(launcher, {"deepspeed"})) {
    const Count nodes = count_of(launcher, {"--num-nodes"});
    const Count gpus = count_of(launcher, {"--num-gpus"});
    const std::optional<long long> known_nodes = known_count(nodes, slurm_nodes, 1);
    size = product(known_nodes, either(gpus.value, request.gpus_per_node), line);
    if (!size) why_not = known_nodes ? gpus.unknown : nodes.unknown;
  } else if (any_word(launcher, {"mpirun", "mpiexec", "orterun"})) {
    const Count processes = count_of(launcher, {"-np", "--np", "-n"});
    if (processes.value) size = LaunchSize{*processes.value, processes.line, "processes of the launch script"};
    why_not = processes.unknown;
  } else if (any_word(launcher, {"srun"}) || request.nodes || request.tasks) {
    const std::optional<long long> tasks = either(own.tasks, request.tasks);
    if (tasks) {
      size = LaunchSize{*tasks, line, "tasks of the launch script"};
    } else {
      const std::optional<long long> per_node =
          either(either(own.tasks_per_node, request.tasks_per_node), either(own.gpus_per_node, request.gpus_per_node));
      size = product(slurm_nodes, per_node, line);
      if (!size) why_not = slurm_nodes ? "tasks per node" : "number of nodes";
    }
  }
  if (!size) {
    const std::vector<Text>* const world = variables.find("WORLD_SIZE");
    if (world != nullptr && world->size() == 1) {
      if (const auto gpus = positive(plain(world->front())))
        size = LaunchSize{*gpus, world->front().front().line, "WORLD_SIZE of the launch script"};
    }
  }
  return size;
}

}  // namespace shardsim::input::megatron
