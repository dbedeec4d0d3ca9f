// The choices of every enumerated setting, as the model names them.
#pragma once

#include "sim/model/enum_text.hpp"

namespace shardsim::input {

using model::choice_text;
using model::kChoices;

}  // namespace shardsim::input
