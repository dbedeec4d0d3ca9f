#include "kernels/trainer/trace_file.hpp"

#include <algorithm>
#include <set>
#include <sstream>
#include <vector>

#include "kernels/communicator/groups.hpp"
#include "kernels/trainer/record_file.hpp"
#include "sim/model/timeline.hpp"
#include "sim/report/trace.hpp"

namespace shardsim::kernels {
namespace {

using model::Lane;
using model::Picoseconds;

/// On a CPU a collective of the model or the embedding group is drawn where the rank waits for it.
Lane lane_of(model::Group group) {
  switch (group) {
    case model::Group::none:
      return Lane::compute;
    case model::Group::tensor:
      return Lane::tensor;
    case model::Group::context:
      return Lane::context;
    case model::Group::pipeline:
    case model::Group::embedding:
      return Lane::pipeline;
    case model::Group::data:
    case model::Group::model:
      return Lane::data;
  }
  return Lane::compute;
}

Picoseconds picoseconds(double seconds) { return static_cast<Picoseconds>(seconds * 1e12); }

/// One span or memory sample a line, for the way to rank 0.
std::string to_text(const Recording& recording) {
  std::ostringstream text;
  for (const ExecutedOperator& executed : recording.operators()) {
    text << "span " << executed.op.name << ' ' << static_cast<int>(lane_of(executed.op.group)) << ' '
         << static_cast<int>(executed.op.pass) << ' ' << picoseconds(executed.start - recording.start()) << ' '
         << picoseconds(executed.end - recording.start()) << ' ' << executed.micro_batch << ' ' << executed.chunk << ' '
         << executed.op.bytes.value() << '\n';
  }
  for (const Recording::Allocated& sample : recording.memory()) {
    text << "memory " << picoseconds(sample.time - recording.start()) << ' ' << sample.bytes.value() << '\n';
  }
  return text.str();
}

/// `names` keeps the text that spans point to.
void add(model::Timeline& timeline, const std::string& text, std::int64_t rank, std::set<std::string>& names) {
  std::istringstream lines{text};
  for (std::string what; lines >> what;) {
    if (what == "memory") {
      model::MemorySample sample;
      std::int64_t bytes = 0;
      lines >> sample.time >> bytes;
      sample.rank = rank;
      sample.allocated = Bytes{bytes};
      timeline.memory.push_back(sample);
      continue;
    }
    model::Span span;
    std::string name;
    int lane = 0;
    int pass = 0;
    std::int64_t bytes = 0;
    lines >> name >> lane >> pass >> span.start >> span.end >> span.micro_batch >> span.chunk >> bytes;
    span.name = *names.insert(name).first;
    span.rank = rank;
    span.lane = static_cast<Lane>(lane);
    span.pass = static_cast<model::Pass>(pass);
    span.bytes = Bytes{bytes};
    timeline.spans.push_back(span);
    timeline.end = std::max(timeline.end, span.end);
  }
}

std::string rank_name(const model::Parallelism& parallelism, int rank) {
  const RankCoordinates at = rank_coordinates(parallelism, rank);
  return "rank " + std::to_string(rank) + " (stage " + std::to_string(at.pipeline) + ", dp " + std::to_string(at.data) +
         ", tp " + std::to_string(at.tensor) + ")";
}

}  // namespace

std::string trace_of(const Recording& recording, const model::Parallelism& parallelism, Communicator& world) {
  const std::vector<std::string> texts = gather_texts(world, to_text(recording));
  if (world.rank() != 0) return "";
  model::Timeline timeline;
  std::set<std::string> names;
  std::vector<report::NamedRank> ranks;
  for (int rank = 0; rank < world.size(); ++rank) {
    add(timeline, texts[static_cast<std::size_t>(rank)], rank, names);
    ranks.push_back({rank, rank_name(parallelism, rank)});
  }
  std::ostringstream trace;
  report::write_trace(trace, timeline, ranks);
  return trace.str();
}

}  // namespace shardsim::kernels
