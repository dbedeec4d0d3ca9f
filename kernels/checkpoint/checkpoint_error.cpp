#include "kernels/checkpoint/checkpoint_error.hpp"

#include <system_error>

#include "sim/base/problems.hpp"

namespace shardsim::kernels {

void refuse_checkpoint(const std::string& file, const std::string& tensor, const std::string& message) {
  throw InputError({Problem{{file, 0, ""}, tensor, "", message}});
}

void refuse_file_access(const std::string& file, const std::string& what, int error) {
  refuse_checkpoint(file, "", what + ": " + std::generic_category().message(error));
}

}  // namespace shardsim::kernels
