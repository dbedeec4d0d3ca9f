// Values as Python prints them, brought to the words of a command line.
#pragma once

#include <string>
#include <vector>

#include "sim/input/megatron/given.hpp"

namespace shardsim::input::megatron {

/// "None" and "null" = no value; "[2, 2]" = two words; 'x' = x; AttnBackend.flash = flash. Names of shell variables
/// inside are unresolved.
[[nodiscard]] std::vector<Word> python_words(const std::string& text, int line);

/// "None", "null" and empty text: the flag is not given.
[[nodiscard]] bool is_none(const std::string& text);

/// true/false in any case; other text is neither.
[[nodiscard]] bool is_true(const std::string& text);
[[nodiscard]] bool is_false(const std::string& text);

/// Marks $NAME and ${NAME} in the words as unresolved.
void mark_variables(Word& word);

}  // namespace shardsim::input::megatron
