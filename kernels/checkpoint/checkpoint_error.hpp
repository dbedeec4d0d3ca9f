// What is wrong with a checkpoint on disk.
#pragma once

#include <string>

namespace shardsim::kernels {

/// InputError: "file: tensor: message"; `tensor` may be empty.
[[noreturn]] void refuse_checkpoint(const std::string& file, const std::string& tensor, const std::string& message);

/// The same with what the operating system says of `error`: "file: cannot be written: No space left on device".
[[noreturn]] void refuse_file_access(const std::string& file, const std::string& what, int error);

}  // namespace shardsim::kernels
