#include "kernels/data/characters.hpp"

#include <algorithm>
#include <array>

namespace shardsim::kernels {
namespace {

constexpr std::uint32_t kReplacement = 0xFFFD;

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

template <std::size_t n>
bool within(const std::array<Range, n>& ranges, std::uint32_t code) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [code](const Range& range) { return code >= range.first && code <= range.last; });
}

/// The Unicode Character Database's property White_Space.
constexpr std::array kSpaces = {
    Range{0x09, 0x0D},     Range{0x20, 0x20},     Range{0x85, 0x85},     Range{0xA0, 0xA0},     Range{0x1680, 0x1680},
    Range{0x2000, 0x200A}, Range{0x2028, 0x2029}, Range{0x202F, 0x202F}, Range{0x205F, 0x205F}, Range{0x3000, 0x3000}};

/// Decimal digits of the common scripts, superscripts, fractions, Roman and circled numbers.
constexpr std::array kNumbers = {
    Range{'0', '9'},       Range{0xB2, 0xB3},     Range{0xB9, 0xB9},      Range{0xBC, 0xBE},
    Range{0x660, 0x669},   Range{0x6F0, 0x6F9},   Range{0x7C0, 0x7C9},    Range{0x966, 0x96F},
    Range{0x9E6, 0x9EF},   Range{0xA66, 0xA6F},   Range{0xAE6, 0xAEF},    Range{0xB66, 0xB6F},
    Range{0xBE6, 0xBEF},   Range{0xC66, 0xC6F},   Range{0xCE6, 0xCEF},    Range{0xD66, 0xD6F},
    Range{0xE50, 0xE59},   Range{0xED0, 0xED9},   Range{0xF20, 0xF29},    Range{0x1040, 0x1049},
    Range{0x17E0, 0x17E9}, Range{0x1810, 0x1819}, Range{0x2070, 0x2070},  Range{0x2074, 0x2079},
    Range{0x2080, 0x2089}, Range{0x2150, 0x2189}, Range{0x2460, 0x249B},  Range{0x24EA, 0x24FF},
    Range{0x2776, 0x2793}, Range{0x3007, 0x3007}, Range{0x3021, 0x3029},  Range{0x3220, 0x3229},
    Range{0x3280, 0x3289}, Range{0xFF10, 0xFF19}, Range{0x1D7CE, 0x1D7FF}};

/// Letters of Latin-1 among its signs.
constexpr std::array kLatinLetters = {Range{'A', 'Z'},   Range{'a', 'z'},   Range{0xAA, 0xAA}, Range{0xB5, 0xB5},
                                      Range{0xBA, 0xBA}, Range{0xC0, 0xD6}, Range{0xD8, 0xF6}, Range{0xF8, 0xFF}};

/// Blocks of marks, punctuation, symbols, private use and emoji.
constexpr std::array kOthers = {
    Range{0x2C2, 0x2C5},     Range{0x2D2, 0x2DF},    Range{0x2E5, 0x2EB},   Range{0x300, 0x36F},
    Range{0x37E, 0x37E},     Range{0x483, 0x489},    Range{0x55A, 0x55F},   Range{0x589, 0x5CF},
    Range{0x600, 0x61F},     Range{0x64B, 0x65F},    Range{0x66A, 0x66D},   Range{0x6D4, 0x6D4},
    Range{0x93C, 0x93C},     Range{0x93E, 0x94F},    Range{0x964, 0x965},   Range{0xE31, 0xE31},
    Range{0xE34, 0xE3A},     Range{0xE47, 0xE4F},    Range{0x1AB0, 0x1AFF}, Range{0x1DC0, 0x1DFF},
    Range{0x200B, 0x2027},   Range{0x202A, 0x202E},  Range{0x2030, 0x205E}, Range{0x2060, 0x206F},
    Range{0x207A, 0x207E},   Range{0x208A, 0x208E},  Range{0x20A0, 0x2101}, Range{0x2190, 0x245F},
    Range{0x249C, 0x24E9},   Range{0x2500, 0x2775},  Range{0x2794, 0x2BFF}, Range{0x2E00, 0x2E7F},
    Range{0x3001, 0x3004},   Range{0x3008, 0x3020},  Range{0x302A, 0x3030}, Range{0x303D, 0x303F},
    Range{0x30FB, 0x30FB},   Range{0xE000, 0xF8FF},  Range{0xFE00, 0xFE6F}, Range{0xFF01, 0xFF0F},
    Range{0xFF1A, 0xFF20},   Range{0xFF3B, 0xFF40},  Range{0xFF5B, 0xFF65}, Range{0xFFE0, 0xFFFF},
    Range{0x1F000, 0x1FAFF}, Range{0xE0000, 0xE0FFF}};

/// Bytes that follow a first byte of UTF-8, and the bits that it brings; −1: no first byte.
int following(unsigned char first) {
  if (first < 0x80) return 0;
  if (first >= 0xC2 && first <= 0xDF) return 1;
  if (first >= 0xE0 && first <= 0xEF) return 2;
  return first >= 0xF0 && first <= 0xF4 ? 3 : -1;
}

Character decode(std::string_view text, std::size_t first) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const Character broken{kReplacement, first, 1};
  const int more = following(byte(first));
  if (more == 0) return {byte(first), first, 1};
  if (more < 0 || first + static_cast<std::size_t>(more) >= text.size()) return broken;
  std::uint32_t code = byte(first) & (0x3FU >> static_cast<unsigned>(more));
  for (std::size_t i = first + 1; i <= first + static_cast<std::size_t>(more); ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return broken;
    code = code << 6U | (byte(i) & 0x3FU);
  }
  constexpr std::array<std::uint32_t, 4> kSmallest = {0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < kSmallest[static_cast<std::size_t>(more)] || code > 0x10FFFF || surrogate) return broken;
  return {code, first, static_cast<std::size_t>(more) + 1};
}

}  // namespace

std::vector<Character> characters(std::string_view text) {
  std::vector<Character> all;
  for (std::size_t i = 0; i < text.size();) {
    all.push_back(decode(text, i));
    i += all.back().size;
  }
  return all;
}

std::string utf8(std::uint32_t code) {
  const auto tail = [code](unsigned shift) { return static_cast<char>(0x80U | (code >> shift & 0x3FU)); };
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800) return {static_cast<char>(0xC0U | code >> 6U), tail(0)};
  if (code < 0x10000) return {static_cast<char>(0xE0U | code >> 12U), tail(6), tail(0)};
  return {static_cast<char>(0xF0U | code >> 18U), tail(12), tail(6), tail(0)};
}

CharacterClass class_of(std::uint32_t code) {
  if (within(kSpaces, code)) return CharacterClass::space;
  if (within(kNumbers, code)) return CharacterClass::number;
  if (code < 0x100) return within(kLatinLetters, code) ? CharacterClass::letter : CharacterClass::other;
  return within(kOthers, code) ? CharacterClass::other : CharacterClass::letter;
}

bool is_ideograph(std::uint32_t code) {
  static constexpr std::array kIdeographs = {Range{0x3400, 0x4DBF}, Range{0x4E00, 0x9FFF}, Range{0xF900, 0xFAFF},
                                             Range{0x20000, 0x2FA1F}};
  return within(kIdeographs, code);
}

}  // namespace shardsim::kernels
