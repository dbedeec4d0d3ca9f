// The pipeline of one iteration drawn with characters: one row a rank, one slot a pass of a micro batch.
#pragma once

#include <cstddef>
#include <iosfwd>

#include "sim/model/timeline.hpp"

namespace shardsim::report {

enum class Colour { none, ansi };

struct TextTimelineStyle {
  /// Of the terminal; every line keeps to it (down to kLeastTimelineColumns).
  std::size_t columns = 100;
  Colour colour = Colour::none;
  /// Further ranks are counted, not drawn.
  std::size_t most_rows = 64;
};

inline constexpr std::size_t kLeastTimelineColumns = 50;

/// A legend, a time axis, and a row for each rank that computes:
///   rank 0  |0--1--2--......0=====1=====2=====|  idle 22.2 %
/// A slot reaches from the first to the last span of one pass of one micro batch on the compute lane and begins with
/// the micro batch's number and, where there are several chunks, a letter for the chunk, each if it fits; a slot
/// narrower than a column is not seen. idle: the share of the iteration outside all slots.
void write_text_timeline(std::ostream& out, const model::Timeline& timeline, const TextTimelineStyle& style);

}  // namespace shardsim::report
