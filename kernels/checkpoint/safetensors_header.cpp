#include "kernels/checkpoint/safetensors_header.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "kernels/checkpoint/checkpoint_error.hpp"

namespace shardsim::kernels {
namespace {

using Json = nlohmann::json;
constexpr std::int64_t kLengthBytes = 8;

/// The specification's formats whose elements are whole bytes.
constexpr std::array<std::pair<std::string_view, std::int64_t>, 16> kFormats = {{{"BOOL", 1},
                                                                                 {"U8", 1},
                                                                                 {"I8", 1},
                                                                                 {"F8_E5M2", 1},
                                                                                 {"F8_E4M3", 1},
                                                                                 {"F8_E8M0", 1},
                                                                                 {"I16", 2},
                                                                                 {"U16", 2},
                                                                                 {"F16", 2},
                                                                                 {"BF16", 2},
                                                                                 {"I32", 4},
                                                                                 {"U32", 4},
                                                                                 {"F32", 4},
                                                                                 {"F64", 8},
                                                                                 {"I64", 8},
                                                                                 {"U64", 8}}};

std::int64_t element_size(std::string_view dtype) {
  const auto* found =
      std::find_if(kFormats.begin(), kFormats.end(), [&](const auto& format) { return format.first == dtype; });
  return found == kFormats.end() ? 0 : found->second;
}

/// JSON that remembers whether a name came twice at the top.
Json parse(const std::string& file, std::string_view text) {
  std::set<std::string> names;
  std::string twice;
  const Json::parser_callback_t watch = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (depth == 1 && event == Json::parse_event_t::key && !names.insert(parsed.get<std::string>()).second) {
      twice = parsed.get<std::string>();
    }
    return true;
  };
  Json json = Json::parse(text.begin(), text.end(), watch, false);
  if (!json.is_object()) refuse_checkpoint(file, "", "the header is not a JSON object: not a safetensors file");
  if (!twice.empty()) refuse_checkpoint(file, twice, "is there twice");
  return json;
}

/// A number from 0 up, or −1.
std::int64_t natural(const Json& value) {
  if (!value.is_number_integer()) return -1;
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max()) return -1;
  return value.get<std::int64_t>();
}

std::vector<std::int64_t> naturals(const std::string& file, const std::string& name, const Json& entry,
                                   const char* key) {
  const auto found = entry.find(key);
  if (found == entry.end() || !found->is_array()) refuse_checkpoint(file, name, std::string(key) + " is no list");
  std::vector<std::int64_t> values;
  for (const Json& value : *found) {
    values.push_back(natural(value));
    if (values.back() < 0) {
      refuse_checkpoint(file, name, std::string(key) + " holds " + value.dump() + ", not a number from 0 up");
    }
  }
  return values;
}

/// Product of `factors`, or −1 beyond 63 bits.
std::int64_t product(std::int64_t first, const std::vector<std::int64_t>& factors) {
  std::int64_t result = first;
  for (const std::int64_t factor : factors) {
    if (__builtin_mul_overflow(result, factor, &result)) return -1;
  }
  return result;
}

StoredTensor parse_tensor(const std::string& file, const std::string& name, const Json& entry, std::int64_t data_start,
                          std::int64_t file_size) {
  if (!entry.is_object()) refuse_checkpoint(file, name, "is not described by a JSON object");
  StoredTensor tensor;
  tensor.name = name;
  const auto dtype = entry.find("dtype");
  if (dtype == entry.end() || !dtype->is_string()) refuse_checkpoint(file, name, "has no dtype");
  tensor.dtype = dtype->get<std::string>();
  const std::int64_t size = element_size(tensor.dtype);
  if (size == 0) refuse_checkpoint(file, name, "has the unknown dtype " + tensor.dtype);
  tensor.shape = naturals(file, name, entry, "shape");
  const std::vector<std::int64_t> place = naturals(file, name, entry, "data_offsets");
  if (place.size() != 2 || place[0] > place[1]) refuse_checkpoint(file, name, "data_offsets are not [begin, end]");
  const std::int64_t bytes = product(size, tensor.shape);
  if (bytes != place[1] - place[0]) {
    refuse_checkpoint(file, name,
                      "its shape and dtype take " + (bytes < 0 ? "too many" : std::to_string(bytes)) +
                          " bytes, its data_offsets " + std::to_string(place[1] - place[0]));
  }
  if (place[1] > file_size - data_start) {
    refuse_checkpoint(file, name,
                      "ends at byte " + std::to_string(place[1]) + " of the data, of which there are " +
                          std::to_string(file_size - data_start) + ": the file is cut off");
  }
  tensor.begin = data_start + place[0];
  tensor.end = data_start + place[1];
  return tensor;
}

/// The data belongs to exactly one tensor everywhere.
void check_places(const std::string& file, const std::vector<StoredTensor>& tensors, std::int64_t data_start,
                  std::int64_t file_size) {
  std::int64_t at = data_start;
  const std::string* before = nullptr;
  for (const StoredTensor& tensor : tensors) {
    if (tensor.begin < at) refuse_checkpoint(file, tensor.name, "overlaps " + *before);
    if (tensor.begin > at) {
      refuse_checkpoint(file, tensor.name, "leaves " + std::to_string(tensor.begin - at) + " bytes before it unused");
    }
    at = tensor.end;
    before = &tensor.name;
  }
  if (at != file_size) {
    refuse_checkpoint(file, "", "holds " + std::to_string(file_size - at) + " bytes that belong to no tensor");
  }
}

}  // namespace

std::int64_t StoredTensor::elements() const { return product(1, shape); }

std::string safetensors_dtype(DType dtype) {
  switch (dtype) {
    case DType::fp32:
    case DType::tf32:
      return "F32";
    case DType::fp16:
      return "F16";
    case DType::bf16:
    case DType::fp8:
      return "BF16";
  }
  return "";
}

bool parse_safetensors_dtype(std::string_view text, DType& dtype) {
  for (const DType candidate : {DType::fp32, DType::fp16, DType::bf16}) {
    if (safetensors_dtype(candidate) != text) continue;
    dtype = candidate;
    return true;
  }
  return false;
}

SafetensorsHeader parse_safetensors_header(const std::string& file, std::string_view text, std::int64_t file_size) {
  const Json json = parse(file, text);
  SafetensorsHeader header;
  header.file_size = file_size;
  const std::int64_t data_start = kLengthBytes + static_cast<std::int64_t>(text.size());
  for (const auto& [name, entry] : json.items()) {
    if (name != "__metadata__") {
      header.tensors.push_back(parse_tensor(file, name, entry, data_start, file_size));
      continue;
    }
    for (const auto& [key, value] : entry.items()) {
      if (!value.is_string()) refuse_checkpoint(file, name, "\"" + key + "\" is not a text");
      header.metadata[key] = value.get<std::string>();
    }
  }
  std::sort(header.tensors.begin(), header.tensors.end(), [](const StoredTensor& a, const StoredTensor& b) {
    return std::pair{a.begin, a.end} < std::pair{b.begin, b.end};
  });
  check_places(file, header.tensors, data_start, file_size);
  return header;
}

std::string format_safetensors_header(SafetensorsHeader& header) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  if (!header.metadata.empty()) json["__metadata__"] = header.metadata;
  std::int64_t at = 0;
  for (StoredTensor& tensor : header.tensors) {
    tensor.begin = at;
    at += product(element_size(tensor.dtype), tensor.shape);
    tensor.end = at;
    json[tensor.name] = {
        {"dtype", tensor.dtype}, {"shape", tensor.shape}, {"data_offsets", {tensor.begin, tensor.end}}};
  }
  std::string text = json.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  std::string length(kLengthBytes, '\0');
  for (std::size_t i = 0; i < length.size(); ++i) length[i] = static_cast<char>(text.size() >> (8 * i) & 0xFFU);
  const auto data_start = static_cast<std::int64_t>(length.size() + text.size());
  for (StoredTensor& tensor : header.tensors) {
    tensor.begin += data_start;
    tensor.end += data_start;
  }
  header.file_size = data_start + at;
  return length + text;
}

}  // namespace shardsim::kernels
