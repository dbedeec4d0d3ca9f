#include <cmath>
#include <ostream>

#include "sim/report/format.hpp"
#include "validate/log/log_report.hpp"

namespace shardsim::validate::log {
namespace {

using report::duration;
using report::fixed;
using report::left;
using report::percent;
using report::right;
using report::signed_percent;

std::string gibibytes(double bytes) { return report::gib(rounded_bytes(bytes)) + " GiB"; }
std::string seconds(double value) { return duration(Seconds{value}); }

void write_heading(std::ostream& out, const Comparison& comparison) {
  const model::Scenario& scenario = comparison.scenario;
  out << comparison.log.file << ": ";
  if (!comparison.log.framework.empty()) out << "log of " << comparison.log.framework << ", ";
  out << scenario.gpus << " x " << scenario.cluster.device.name << " (" << scenario.cluster.name << "), "
      << scenario.stack.name << '\n';
}

void write_iterations(std::ostream& out, const Steady& steady) {
  out << "Iterations " << steady.first_iteration << " to " << steady.last_iteration << " (lines " << steady.first_line
      << " to " << steady.last_line << "), " << steady.used << " used";
  for (std::size_t i = 0; i < steady.left_out.size(); ++i) {
    out << (i == 0 ? "; left out: " : ", ") << steady.left_out[i].count << ' ' << steady.left_out[i].reason;
  }
  out << '\n';
}

constexpr std::size_t kName = 12;
constexpr std::size_t kNumber = 12;

void write_pair(std::ostream& out, const std::string& name, const Pair& pair, std::string (*text)(double),
                const std::string& remark) {
  out << left(name, kName) << right(text(pair.measured), kNumber) << right(text(pair.predicted), kNumber)
      << right(signed_percent(pair.error()), 10) << "  80 % between " << text(pair.p10) << " and " << text(pair.p90)
      << (pair.covered() ? ": inside" : ": OUTSIDE") << remark << '\n';
}

void write_pairs(std::ostream& out, const Comparison& comparison) {
  if (!comparison.time && comparison.memory.empty()) return;
  out << '\n'
      << left("", kName) << right("measured", kNumber) << right("predicted", kNumber) << right("off by", 10) << '\n';
  if (comparison.time) write_pair(out, "Iteration", *comparison.time, seconds, "");
  if (comparison.rate) {
    const Rate& rate = *comparison.rate;
    out << left("TFLOP/s", kName) << right(fixed(rate.measured, 1), kNumber) << right(fixed(rate.predicted, 1), kNumber)
        << right(signed_percent(rate.predicted / rate.measured - 1.0), 10) << "  as the log counts: " << rate.convention
        << '\n';
  }
  for (const MemoryPair& pair : comparison.memory) {
    std::string remark = " (stage " + std::to_string(pair.stage);
    if (pair.rank) remark += ", rank " + std::to_string(*pair.rank);
    write_pair(out, pair.kind == "allocated" ? "Allocated" : "Reserved", pair.bytes, gibibytes, remark + ")");
  }
}

void write_suspicion(std::ostream& out, const Comparison& comparison, const Suspicion& suspicion) {
  if (suspicion.suspects.empty()) {
    out << "\nNo single part of the profile explains the time: the job itself is probably another one\n";
    return;
  }
  const bool inside = comparison.time->covered();
  out << "\nSuspects   "
      << (inside ? "the time is inside the interval; if it is off, what alone would explain it"
                 : "what alone would explain the time, least surprise first")
      << '\n';
  for (const Suspect& suspect : suspicion.suspects) {
    out << "  " << left(suspect.name, 22) << " x " << left(fixed(suspect.factor, 2), 6)
        << (suspect.factor < 1.0 ? "faster" : "slower") << ' ' << right(fixed(suspect.surprise, 1), 5)
        << " standard deviations   " << suspect.slows << '\n';
  }
  const Suspect& first = suspicion.suspects.front();
  out << "To tell    " << first.name << ": " << first.check << '\n';
  if (suspicion.suspects.size() < 2) return;
  out << "           " << suspicion.suspects[1].name << ": " << suspicion.suspects[1].check << '\n';
  if (suspicion.experiment) {
    out << "           " << suspicion.experiment->change << " would take " << duration(suspicion.experiment->with_first)
        << " (" << first.name << ") or " << duration(suspicion.experiment->with_second) << " ("
        << suspicion.suspects[1].name << ")\n";
  }
}

void write_matches(std::ostream& out, const OutOfMemoryExplained& explained) {
  if (explained.last_straw) {
    out << "  it was       any small tensor (below 10 MiB): the device was full, the last straw says nothing\n";
    return;
  }
  if (explained.matches.empty()) {
    out << "  it was       no tensor of this configuration: none has this size; is the configuration that of the "
           "run?\n";
    return;
  }
  bool first = true;
  for (const Allocation& match : explained.matches) {
    out << (first ? (explained.exact ? "  most likely  " : "  perhaps      ") : "  or           ") << match.name << ": "
        << gibibytes(match.bytes.as_double()) << '\n';
    first = false;
  }
  if (!explained.exact) out << "               (no tensor of exactly this size; these are within 5 %)\n";
}

void write_use(std::ostream& out, const OutOfMemoryExplained& explained) {
  const OutOfMemory& message = explained.message;
  out << "  asked for    " << gibibytes(message.tried.as_double());
  if (message.free && message.capacity) {
    out << ", " << gibibytes(message.free->as_double()) << " free of " << gibibytes(message.capacity->as_double());
  }
  out << '\n';
  if (!message.allocated) return;
  out << "  in use       " << gibibytes(message.allocated->as_double()) << " allocated by PyTorch";
  if (explained.unallocated) out << ", " << gibibytes(explained.unallocated->as_double()) << " reserved but free";
  if (explained.outside) {
    out << ", " << gibibytes(explained.outside->as_double()) << " outside (context, NCCL, other processes)";
  }
  out << '\n';
  if (explained.fragmented) {
    out << "  fragmented   what PyTorch held free was enough, in pieces: PYTORCH_CUDA_ALLOC_CONF="
           "expandable_segments:True may suffice\n";
  }
}

void write_need(std::ostream& out, const Comparison& comparison, const OutOfMemoryExplained& explained) {
  const memory::Memory& memory = comparison.prediction.memory;
  const memory::StageMemory& worst = memory.worst();
  const Bytes capacity = explained.message.capacity.value_or(memory.device_total);
  const Bytes margin = capacity - worst.device_used;
  const bool enough = margin > Bytes{0};
  out << "  predicted    " << gibibytes(worst.device_used.as_double()) << " of " << gibibytes(capacity.as_double())
      << " on stage " << worst.stage << " (" << worst.peak_moment << "), "
      << gibibytes((enough ? margin : Bytes{0} - margin).as_double()) << (enough ? " to spare" : " too much") << '\n';
  if (enough) {
    out << "               the prediction would fit: the job, other processes on the device or fragmentation differ "
           "from it\n";
  }
}

void write_out_of_memory(std::ostream& out, const Comparison& comparison, const OutOfMemoryExplained& explained) {
  out << "\nOut of memory  line " << explained.message.line;
  if (explained.messages > 1) out << ", the first of " << explained.messages << " messages";
  out << '\n';
  write_use(out, explained);
  write_matches(out, explained);
  write_need(out, comparison, explained);
  if (explained.changes.empty()) {
    out << "  no single change makes it fit\n";
    return;
  }
  out << "  any one of these makes it fit\n";
  for (const plan::Change& change : explained.changes) {
    out << "    " << right(gibibytes(change.prediction.memory.worst().device_used.as_double()), 12)
        << right(duration(change.prediction.iteration), 12) << "  " << change.description;
    for (const std::string& flag : change.flags) out << (&flag == &change.flags.front() ? "  (" : " ") << flag;
    out << (change.flags.empty() ? "\n" : ")\n");
  }
}

std::string factor_text(const Refined& one) {
  return "x " + fixed(one.value, 3) + " +- " + fixed(one.value * one.error, 3);
}

void write_refined(std::ostream& out, const Refined& one, const std::string& value) {
  out << "  " << left(one.name, 24) << (one.determined ? value : "not determined by these runs") << '\n';
}

void write_errors(std::ostream& out, const char* what, std::size_t runs, const FitErrors& errors) {
  if (runs == 0) return;
  out << "  median error of " << what << " " << percent(errors.before) << " -> " << percent(errors.after) << " ("
      << percent(errors.left_out) << " for a run that the others were fitted without)\n";
}

}  // namespace

void write_table(std::ostream& out, const LogReport& report) {
  const Comparison& comparison = report.comparison;
  write_heading(out, comparison);
  if (comparison.steady) write_iterations(out, *comparison.steady);
  write_pairs(out, comparison);
  if (report.suspicion) write_suspicion(out, comparison, *report.suspicion);
  if (report.out_of_memory) write_out_of_memory(out, comparison, *report.out_of_memory);
  const auto section = [&](const char* heading, const auto& list, auto text) {
    constexpr std::size_t kMost = 8;
    if (!list.empty()) out << '\n' << heading << '\n';
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i == kMost) {
        out << "  and " << list.size() - kMost << " more (--format json lists all)\n";
        break;
      }
      out << "  " << report::one_line(text(list[i]), 118) << '\n';
    }
  };
  const auto itself = [](const std::string& text) { return text; };
  section("Notes", comparison.notes, itself);
  section("Warnings", comparison.scenario.warnings, itself);
  section("Assumed", comparison.scenario.assumed, [](const model::Assumption& assumption) {
    return assumption.key + " = " + assumption.value + "  (" + assumption.reason + ")";
  });
}

void write_table(std::ostream& out, const FitReport& report) {
  const Fit& fit = report.fit;
  out << "Fit of " << fit.timed << " timed runs, " << fit.weighed << " with memory; more than x 1 is slower\n";
  for (const Refined& one : fit.time) write_refined(out, one, factor_text(one));
  write_refined(out, fit.workspace,
                gibibytes(std::abs(fit.workspace.value)) + (fit.workspace.value < 0.0 ? " less" : " more") + " +- " +
                    gibibytes(fit.workspace.error));
  write_refined(out, fit.fragmentation,
                percent(fit.fragmentation.value) + " +- " + percent(fit.fragmentation.error) + " of the allocated");
  write_errors(out, "time  ", fit.timed, fit.time_errors);
  write_errors(out, "memory", fit.weighed, fit.memory_errors);
  out << "written: " << report.file << '\n';
}

}  // namespace shardsim::validate::log
