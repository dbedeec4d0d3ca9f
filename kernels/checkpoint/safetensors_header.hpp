// The header of a safetensors file (https://huggingface.co/docs/safetensors): 8 bytes of length, little-endian, then
// JSON that names every tensor with its format, shape and place in the data that follows.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/tensor/tensor.hpp"

namespace shardsim::kernels {

/// One tensor of a file. Any format of the specification; dtype_size is its bytes per element.
struct StoredTensor {
  std::string name;
  std::string dtype;
  std::vector<std::int64_t> shape;
  /// From the start of the file.
  std::int64_t begin = 0;
  std::int64_t end = 0;
  [[nodiscard]] std::int64_t elements() const;
};

struct SafetensorsHeader {
  /// In the order of their data.
  std::vector<StoredTensor> tensors;
  std::map<std::string, std::string> metadata;
  /// Of the whole file, header included.
  std::int64_t file_size = 0;
};

/// "F32", "F16", "BF16" of a format as it is stored.
[[nodiscard]] std::string safetensors_dtype(DType dtype);
/// Of "F32", "F16" or "BF16"; false for any other.
[[nodiscard]] bool parse_safetensors_dtype(std::string_view text, DType& dtype);

/// Checks everything: lengths within the file, known formats, sizes that follow from the shapes, no tensor twice, no
/// overlap, no gap. `text` is the JSON, `file_size` that of the file. Throws InputError naming file and tensor.
[[nodiscard]] SafetensorsHeader parse_safetensors_header(const std::string& file, std::string_view text,
                                                         std::int64_t file_size);

/// Length and JSON, padded with spaces to a multiple of 8 bytes; fills in the places of the tensors, one after another.
[[nodiscard]] std::string format_safetensors_header(SafetensorsHeader& header);

}  // namespace shardsim::kernels
