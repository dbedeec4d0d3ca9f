// c10/cuda/CUDACachingAllocator.cpp of PyTorch; the wording has changed four times:
//   1.0  (GPU 0; 15.90 GiB total capacity; 15.17 GiB already allocated; 1.88 MiB free; 18.50 MiB cached)
//   1.4  … 15.20 GiB reserved in total by PyTorch)
//   2.1  . GPU 0 has a total capacty of 79.15 GiB of which 1.10 GiB is free. … Of the allocated memory 70.12 GiB is
//        allocated by PyTorch, and 3.30 GiB is reserved by PyTorch but unallocated. …
//   2.2  … total capacity … Including non-PyTorch memory, this process has 78.04 GiB memory in use. …
#include <algorithm>
#include <cctype>

#include "validate/log/fields.hpp"
#include "validate/log/reader.hpp"

namespace shardsim::validate::log {
namespace {

/// Terminals and people wrap the message.
std::string on_one_line(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool blank = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!blank) result += c;
    if (blank && !result.empty() && result.back() != ' ') result += ' ';
  }
  return result;
}

std::optional<Bytes> size_after(std::string_view text, std::string_view label) {
  const auto size = leading_size(after(text, label));
  return size ? std::optional<Bytes>{size->bytes} : std::nullopt;
}

/// "15.17 GiB already allocated": the size stands in front of its label, behind "; ".
std::optional<Bytes> size_before(std::string_view text, std::string_view label) {
  const std::size_t end = text.find(label);
  if (end == std::string_view::npos) return std::nullopt;
  const std::size_t begin = text.rfind(';', end);
  return begin == std::string_view::npos ? std::nullopt : size_after(text.substr(begin, end - begin + 1), ";");
}

/// A later message of the same text is another one.
std::string_view first_message(std::string_view text, std::string_view mark) {
  return text.substr(0, text.find(mark, mark.size()));
}

}  // namespace

std::optional<OutOfMemory> read_out_of_memory(std::string_view text) {
  constexpr std::string_view kMark = "out of memory. Tried to allocate";
  constexpr std::size_t kLongest = 2000;
  const std::string line = on_one_line(text.substr(0, kLongest));
  const std::string_view message = first_message(line, kMark);
  const auto tried = leading_size(after(message, kMark));
  if (!tried) return std::nullopt;
  OutOfMemory found;
  found.tried = tried->bytes;
  found.rounding = tried->rounding;
  found.device = integer_after(message, "GPU ");
  found.capacity = size_before(message, " total capacity");
  found.allocated = size_before(message, " already allocated");
  if (found.capacity) {
    found.free = size_before(message, " free;");
    found.reserved = size_before(message, " reserved in total by PyTorch");
    if (!found.reserved) {
      // Until PyTorch 1.3 "cached" is what is held beyond the allocated.
      const auto cached = size_before(message, " cached)");
      if (cached && found.allocated) found.reserved = *found.allocated + *cached;
    }
    return found;
  }
  found.capacity = size_after(message, "total capacty of");
  if (!found.capacity) found.capacity = size_after(message, "total capacity of");
  found.free = size_after(message, "of which");
  found.process = size_after(message, "this process has");
  found.allocated = size_after(message, "Of the allocated memory");
  const std::size_t unallocated = message.find(" is reserved by PyTorch but unallocated");
  if (unallocated != std::string_view::npos && found.allocated) {
    const std::size_t begin = message.rfind("and ", unallocated);
    const auto extra = begin == std::string_view::npos ? std::nullopt : size_after(message.substr(begin), "and");
    if (extra) found.reserved = *found.allocated + *extra;
  }
  return found;
}

}  // namespace shardsim::validate::log
