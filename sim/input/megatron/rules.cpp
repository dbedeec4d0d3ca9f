#include "sim/input/megatron/rules.hpp"

#include <algorithm>
#include <cctype>

#include "sim/input/megatron/values.hpp"

namespace shardsim::input::megatron {
namespace {

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

void translate_value(const FlagSet::Entry& entry, Output& output) {
  const std::string key(entry.flag->key);
  const std::string& text = entry.use.values.front().text;
  for (const Word& word : entry.use.values) {
    if (word.text == text) continue;
    output.warn(entry, "the kinds differ by layer: all layers are taken as " + text);
    break;
  }
  const std::vector<Choice> choices = choices_of(entry.flag->canonical);
  if (choices.empty()) return output.give(key, text, entry);
  const bool known =
      std::any_of(choices.begin(), choices.end(), [&](const Choice& c) { return c.text == lower(text); });
  if (!known && entry.flag->canonical == "optimizer") {
    return output.warn(entry, text + " is not modelled: taken as the stack's optimizer");
  }
  const std::string value = output.choice(entry, text);
  if (!value.empty()) output.give(key, value, entry);
}

}  // namespace

void Output::give(const std::string& key, const std::string& value, const FlagSet::Entry& entry) {
  settings_.set({key, value, {file_, entry.use.line, entry.use.written}, ""});
}

void Output::assume(const std::string& key, const std::string& value, const std::string& reason) {
  settings_.set({key, value, {file_, 0, ""}, reason});
}

void Output::warn(const FlagSet::Entry& entry, const std::string& text) {
  settings_.warn(at_line(entry.use.line) + entry.use.written + ": " + text);
}

void Output::problem(const FlagSet::Entry& entry, const std::string& text) {
  const std::string value = entry.use.values.empty() ? "" : entry.use.values.front().text;
  problems_.add({{file_, entry.use.line, entry.use.written}, std::string(entry.flag->key), value, text});
}

void Output::problem(const std::string& text) { problems_.add({{file_, 0, ""}, "", "", text}); }

std::string Output::choice(const FlagSet::Entry& entry, const std::string& text) {
  std::string known;
  for (const Choice& choice : choices_of(entry.flag->canonical)) {
    if (choice.text == lower(text)) return std::string(choice.value);
    known += (known.empty() ? "" : ", ") + std::string(choice.text);
  }
  problem(entry, "must be one of " + known);
  return "";
}

void translate_plain_flags(const FlagSet& flags, Output& output) {
  for (const FlagSet::Entry& entry : flags.entries()) {
    if (entry.flag->key.empty()) continue;
    if (entry.flag->arity != Arity::none) {
      translate_value(entry, output);
      continue;
    }
    const std::string_view value = flags.off(entry.flag->canonical) ? entry.flag->off : entry.flag->on;
    if (!value.empty()) output.give(std::string(entry.flag->key), std::string(value), entry);
  }
}

}  // namespace shardsim::input::megatron
