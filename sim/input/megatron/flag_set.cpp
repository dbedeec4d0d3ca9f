#include "sim/input/megatron/flag_set.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "sim/base/suggest.hpp"
#include "sim/input/megatron/values.hpp"

namespace shardsim::input::megatron {
namespace {

std::string joined(const std::vector<Word>& words) {
  std::string text;
  for (const Word& word : words) text += (text.empty() ? "" : " ") + word.text;
  return text;
}

std::vector<std::string_view> flag_names() {
  std::vector<std::string_view> names;
  for (const KnownFlag& flag : known_flags()) names.push_back(flag.name);
  return names;
}

/// A value that leaves an unmodelled flag without effect.
bool is_harmless(const UnmodelledFlag& flag, const FlagUse& use) {
  if (use.values.empty()) return false;
  const std::string text = joined(use.values);
  return text == flag.harmless || is_false(text) || text == "0";
}

}  // namespace

FlagSet::FlagSet(const Given& given, const std::string& file, Settings& settings, Problems& problems)
    : complete_{given.complete} {
  for (const FlagUse& use : given.flags) add(use, file, settings, problems);
  if (unknown_in_dump_.empty()) return;
  std::string names;
  for (const std::string& name : unknown_in_dump_) names += (names.empty() ? "" : ", ") + name;
  settings.warn("unknown arguments were passed over: " + names);
}

void FlagSet::add(const FlagUse& use, const std::string& file, Settings& settings, Problems& problems) {
  const std::string name = normalized_name(use.written);
  const KnownFlag* known = find_flag(name);
  if (known == nullptr && !complete_) {
    known = find_abbreviated(name);
    if (known != nullptr) {
      settings.warn(at_line(use.line) + use.written + " is taken as --" + std::string(known->name));
    }
  }
  if (known == nullptr && complete_) {
    unknown_in_dump_.push_back(use.written);
    return;
  }
  if (known == nullptr) {
    constexpr std::size_t kLongestName = 100;
    const std::optional<std::string_view> close =
        name.size() > kLongestName ? std::nullopt : nearest(name, flag_names());
    settings.warn(at_line(use.line) + "unknown flag " + use.written + " was passed over" +
                  (close ? "; the nearest known is --" + std::string(*close) : std::string()));
    return;
  }
  const bool is_off = use.values.size() == 1 && is_false(use.values[0].text);
  if (!is_off) names_.emplace(known->name);
  if (known->modelled != nullptr) {
    add_modelled(*known->modelled, use, file, settings, problems);
  } else if (known->unmodelled != nullptr && !is_harmless(*known->unmodelled, use)) {
    settings.warn(at_line(use.line) + use.written +
                  " bears on performance and is not modelled: " + std::string(known->unmodelled->instead));
  }
}

namespace {

/// Maps write switches as 1 and 0, yes and no, on and off too.
std::string as_truth(const std::string& text) {
  for (const std::string_view yes : {"1", "yes", "on"}) {
    if (text == yes) return "true";
  }
  for (const std::string_view no : {"0", "no", "off"}) {
    if (text == no) return "false";
  }
  return text;
}

}  // namespace

void FlagSet::add_modelled(const ModelledFlag& flag, FlagUse use, const std::string& file, Settings& settings,
                           Problems& problems) {
  if (flag.arity == Arity::none && use.values.size() == 1) use.values[0].text = as_truth(use.values[0].text);
  const Origin origin{file, use.line, use.written};
  const std::string key(flag.key);
  const bool truth = use.values.size() == 1 && (is_true(use.values[0].text) || is_false(use.values[0].text));
  const std::size_t most = flag.arity == Arity::one ? 1 : (truth ? 1 : 0);
  if (flag.arity != Arity::many && use.values.size() > most) {
    settings.warn(at_line(use.line) + "\"" + use.values[most].text + "\" behind " + use.written +
                  " belongs to no flag" + (use.values[most].unresolved.empty() ? "" : " and may hold more flags") +
                  ": passed over");
    use.values.resize(most);
  }
  if (flag.arity != Arity::none && use.values.empty()) {
    problems.add({origin, key, "", "the value is missing"});
    return;
  }
  for (const Word& word : use.values) {
    if (word.unresolved.empty()) continue;
    problems.add(
        {origin, key, word.text,
         word.unresolved.front() + " has no value in this text; put the value in its place or assign it above"});
    return;
  }
  const auto same = [&](const Entry& entry) { return entry.flag->canonical == flag.canonical; };
  const auto earlier = std::find_if(entries_.begin(), entries_.end(), same);
  if (earlier == entries_.end()) {
    entries_.push_back({&flag, std::move(use)});
  } else {
    *earlier = {&flag, std::move(use)};
  }
}

const FlagSet::Entry* FlagSet::find(std::string_view canonical) const {
  const auto same = [&](const Entry& entry) { return entry.flag->canonical == canonical; };
  const auto entry = std::find_if(entries_.begin(), entries_.end(), same);
  return entry == entries_.end() ? nullptr : &*entry;
}

bool FlagSet::off(std::string_view canonical) const {
  const Entry* entry = find(canonical);
  return entry != nullptr && entry->use.values.size() == 1 && is_false(entry->use.values[0].text);
}

bool FlagSet::on(std::string_view canonical) const { return find(canonical) != nullptr && !off(canonical); }

std::string FlagSet::value(std::string_view canonical) const {
  const Entry* entry = find(canonical);
  return entry == nullptr ? std::string() : joined(entry->use.values);
}

}  // namespace shardsim::input::megatron
