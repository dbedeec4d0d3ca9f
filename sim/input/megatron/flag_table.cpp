#include "sim/input/megatron/flag_table.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <iterator>

#include "sim/input/megatron/modelled_flags.hpp"
#include "sim/input/megatron/passed_over_flags.hpp"

namespace shardsim::input::megatron {
namespace {

bool by_name(const KnownFlag& a, const KnownFlag& b) { return a.name < b.name; }

std::vector<KnownFlag> all_flags() {
  std::vector<KnownFlag> flags;
  for (const ModelledFlag& flag : kModelledFlags) flags.push_back({flag.name, &flag, nullptr});
  for (const UnmodelledFlag& flag : kUnmodelledFlags) flags.push_back({flag.name, nullptr, &flag});
  constexpr std::string_view kBlanks = " \n";
  std::size_t begin = 0;
  while ((begin = kPassedOverFlags.find_first_not_of(kBlanks, begin)) != std::string_view::npos) {
    const std::size_t end = std::min(kPassedOverFlags.find_first_of(kBlanks, begin), kPassedOverFlags.size());
    flags.push_back({kPassedOverFlags.substr(begin, end - begin), nullptr, nullptr});
    begin = end;
  }
  // Stable: where a name stands in several tables, the first one counts.
  std::stable_sort(flags.begin(), flags.end(), by_name);
  const auto same_name = [](const KnownFlag& a, const KnownFlag& b) { return a.name == b.name; };
  flags.erase(std::unique(flags.begin(), flags.end(), same_name), flags.end());
  return flags;
}

}  // namespace

std::string normalized_name(const std::string& written) {
  std::string name = written.substr(std::min(written.find_first_not_of('-'), written.size()));
  for (char& c : name) c = c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

const std::vector<KnownFlag>& known_flags() {
  static const std::vector<KnownFlag> flags = all_flags();
  return flags;
}

const KnownFlag* find_flag(std::string_view normalized) {
  const std::vector<KnownFlag>& flags = known_flags();
  const auto at = std::lower_bound(flags.begin(), flags.end(), KnownFlag{normalized}, by_name);
  return at != flags.end() && at->name == normalized ? &*at : nullptr;
}

const KnownFlag* find_abbreviated(std::string_view normalized) {
  constexpr std::size_t kShortest = 4;
  if (normalized.size() < kShortest) return nullptr;
  const std::vector<KnownFlag>& flags = known_flags();
  const auto at = std::lower_bound(flags.begin(), flags.end(), KnownFlag{normalized}, by_name);
  const auto begins = [&](const KnownFlag& flag) { return flag.name.substr(0, normalized.size()) == normalized; };
  if (at == flags.end() || !begins(*at)) return nullptr;
  return std::next(at) != flags.end() && begins(*std::next(at)) ? nullptr : &*at;
}

std::vector<Choice> choices_of(std::string_view canonical) {
  std::vector<Choice> choices;
  for (const Choice& choice : kChoices) {
    if (choice.canonical == canonical) choices.push_back(choice);
  }
  return choices;
}

}  // namespace shardsim::input::megatron
