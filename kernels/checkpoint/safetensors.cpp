#include "kernels/checkpoint/safetensors.hpp"

#include <array>
#include <utility>

#include "kernels/checkpoint/checkpoint_error.hpp"

namespace shardsim::kernels {
namespace {

constexpr std::uint64_t kLongestHeader = 100'000'000;  // as the reference implementation

SafetensorsHeader read_header(const File& file) {
  const std::int64_t size = file.size();
  std::array<unsigned char, 8> bytes{};
  const auto length_bytes = static_cast<std::int64_t>(bytes.size());
  if (size < length_bytes) {
    refuse_checkpoint(file.path(), "", "holds " + std::to_string(size) + " bytes: not a safetensors file");
  }
  file.read(0, bytes.data(), length_bytes);
  std::uint64_t length = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) length = length << 8U | bytes[i];
  if (length > kLongestHeader || length > static_cast<std::uint64_t>(size - length_bytes)) {
    refuse_checkpoint(file.path(), "",
                      "its header would be " + std::to_string(length) + " bytes long, the file has " +
                          std::to_string(size) + ": not a safetensors file, or cut off");
  }
  std::string text(length, '\0');
  file.read(length_bytes, text.data(), static_cast<std::int64_t>(length));
  return parse_safetensors_header(file.path(), text, size);
}

}  // namespace

SafetensorsReader::SafetensorsReader(const std::filesystem::path& path)
    : file_{path, File::Mode::read}, header_{read_header(file_)} {
  for (const StoredTensor& tensor : header_.tensors) by_name_[tensor.name] = &tensor;
}

const StoredTensor* SafetensorsReader::find(const std::string& name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

SafetensorsWriter::SafetensorsWriter(const std::filesystem::path& path, SafetensorsHeader& header)
    : file_{unfinished(path), File::Mode::create} {
  const std::string text = format_safetensors_header(header);
  file_.write(0, text.data(), static_cast<std::int64_t>(text.size()));
  file_.resize(header.file_size);
}

}  // namespace shardsim::kernels
