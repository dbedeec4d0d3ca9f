#include <algorithm>
#include <cmath>
#include <ostream>

#include "sim/model/parameters.hpp"
#include "sim/report/format.hpp"
#include "sim/report/size_summary.hpp"
#include "sim/report/sweep_report.hpp"

namespace shardsim::report {
namespace {

constexpr double kDay = 86400.0;

std::string days(double seconds) {
  if (!std::isfinite(seconds)) return "?";
  const double value = seconds / kDay;
  return value >= 100.0 ? grouped(std::llround(value)) : fixed(value, value >= 10.0 ? 1 : 2);
}

std::string usd(double amount) {
  if (amount <= 0.0) return "no price";
  if (!std::isfinite(amount)) return "?";
  if (amount >= 1e6) return fixed(amount / 1e6, 2) + " M";
  return amount >= 1e3 ? fixed(amount / 1e3, 1) + " k" : fixed(amount, 0);
}

std::string range_of(const plan::Estimate& estimate, std::string (*text)(double)) {
  return text(estimate.p10) + " to " + text(estimate.p90);
}

std::string short_duration(Seconds time) {
  const double seconds = time.value();
  if (seconds >= kDay) return days(seconds) + " days";
  if (seconds >= 3600.0) return fixed(seconds / 3600.0, 1) + " h";
  return seconds >= 60.0 ? fixed(seconds / 60.0, 1) + " min" : fixed(seconds, 1) + " s";
}

std::string point_line(const plan::SizePoint& point) {
  const double price = point.run.usd.expected;
  return right(grouped(point.gpus), 7) + right(days(point.run.wall_clock.expected), 8) +
         right(range_of(point.run.wall_clock, days), 17) + right(usd(price), 10) +
         (price > 0.0 ? right(range_of(point.run.usd, usd), 20) : std::string(20, ' ')) + "  " +
         layout_text(point.candidate.scenario);
}

void write_cluster(std::ostream& out, const SizedCluster& sized, std::size_t width) {
  const plan::Sizing& sizing = sized.sizing;
  const auto line = [&](std::string_view what, const plan::SizePoint& point) {
    out << left(sized.cluster, width) << "  " << left(what, 9) << point_line(point) << '\n';
  };
  if (!sized.unsuitable.empty()) {
    out << left(sized.cluster, width) << "  unsuitable: " << one_line(sized.unsuitable, 100) << '\n';
  } else if (sizing.smallest) {
    const bool same = sizing.smallest == sizing.cheapest;
    line(same ? "best" : "smallest", sizing.points[*sizing.smallest]);
    if (!same) line("cheapest", sizing.points[*sizing.cheapest]);
  } else if (const plan::SizePoint* nearest = notable_point(sized)) {
    line("MISSES", *nearest);
  } else {
    out << left(sized.cluster, width) << "  does not fit at any size\n";
  }
}

void write_scaling(std::ostream& out, const SizedCluster& sized) {
  out << "\nScaling on " << sized.cluster << "\n      GPUs     days  of linear  goodput       USD  USD per day saved\n";
  const plan::Sizing& sizing = sized.sizing;
  for (std::size_t i = 0; i < sizing.points.size(); ++i) {
    const plan::SizePoint& point = sizing.points[i];
    const bool saves = i > 0 && point.run.usd.expected > 0.0 &&
                       point.run.wall_clock.expected < sizing.points[i - 1].run.wall_clock.expected;
    const std::string saved = !saves                          ? ""
                              : point.usd_per_day_saved > 0.0 ? usd(point.usd_per_day_saved)
                                                              : "saves money";
    out << right(grouped(point.gpus), 10) << right(days(point.run.wall_clock.expected), 9)
        << right(percent(point.scaling_efficiency), 11) << right(percent(point.run.goodput), 9)
        << right(usd(point.run.usd.expected), 10) << right(saved, 19) << (sizing.worthwhile == i ? "  <" : "") << '\n';
  }
  if (sizing.worthwhile) {
    const bool last = *sizing.worthwhile + 1 == sizing.points.size();
    out << "  < "
        << (last ? "more GPUs still pay here" : "beyond this a saved day costs more than a day of the cluster") << '\n';
  }
}

void write_run(std::ostream& out, const SizedCluster& sized, const plan::SizePoint& point,
               const plan::Reliability& reliability) {
  const plan::RunEstimate& run = point.run;
  out << "\nRun        " << grouped(point.gpus) << " GPUs, " << grouped(std::llround(run.iterations))
      << " iterations of " << duration(point.candidate.prediction.iteration) << ": " << short_duration(run.productive)
      << " without failures\n"
      << "           checkpoint " << gib(run.checkpoint) << " GiB in " << short_duration(run.checkpoint_time)
      << " every " << short_duration(run.checkpoint_interval) << "; a failure every "
      << short_duration(run.between_failures) << ", " << fixed(run.expected_failures, 1) << " in all, restart "
      << short_duration(reliability.restart) << "\n"
      << "           goodput " << percent(run.goodput) << ", energy " << grouped(std::llround(run.energy_kwh.expected))
      << " kWh (" << grouped(std::llround(run.energy_kwh.p10)) << " to " << grouped(std::llround(run.energy_kwh.p90))
      << ", PUE " << fixed(sized.economics.power_usage_effectiveness, 2) << ")\n"
      << "Price      per GPU and hour, " << one_line(sized.price_origin, 160) << '\n';
}

/// How far off the nearest is.
void write_miss(std::ostream& out, const SizeReport& report, const SizedCluster& sized) {
  const plan::SizePoint* point = notable_point(sized);
  if (point == nullptr) return;
  const plan::RunEstimate& run = point->run;
  out << "\nNo cluster meets it. Nearest: " << grouped(point->gpus) << " GPUs of " << sized.cluster << ", "
      << days(run.wall_clock.expected) << " days";
  const double late = run.wall_clock.expected / report.goal.deadline.value() - 1.0;
  if (late > 0.0) out << " (" << signed_percent(late) << " of the deadline)";
  const bool priced = report.goal.budget > 0.0 && run.usd.expected > report.goal.budget;
  if (priced) {
    out << ", USD " << usd(run.usd.expected) << " (" << signed_percent(run.usd.expected / report.goal.budget - 1.0)
        << " of the budget)";
  }
  out << '\n';
}

const SizedCluster* nearest_cluster(const SizeReport& report) {
  const SizedCluster* best = nullptr;
  for (const SizedCluster& sized : report.clusters) {
    const plan::SizePoint* point = notable_point(sized);
    if (point == nullptr) continue;
    const auto time = [](const SizedCluster& c) { return notable_point(c)->run.wall_clock.expected; };
    if (best == nullptr || time(sized) < time(*best)) best = &sized;
  }
  return best;
}

double price_of(const SizedCluster& sized) {
  return sized.sizing.cheapest ? sized.sizing.points[*sized.sizing.cheapest].run.usd.expected : 0.0;
}

}  // namespace

std::string_view status_of(const SizedCluster& sized) {
  if (!sized.unsuitable.empty()) return "unsuitable";
  if (sized.sizing.smallest) return "meets";
  return sized.sizing.points.empty() ? "does_not_fit" : "misses";
}

const plan::SizePoint* notable_point(const SizedCluster& sized) {
  const auto place = sized.sizing.cheapest ? sized.sizing.cheapest : sized.sizing.nearest;
  return place ? &sized.sizing.points[*place] : nullptr;
}

const SizedCluster* smallest(const SizeReport& report) {
  const SizedCluster* best = nullptr;
  for (const SizedCluster& sized : report.clusters) {
    if (!sized.sizing.smallest) continue;
    const auto gpus = [](const SizedCluster& c) { return c.sizing.points[*c.sizing.smallest].gpus; };
    if (best == nullptr || gpus(sized) < gpus(*best)) best = &sized;
  }
  return best;
}

const SizedCluster* cheapest(const SizeReport& report) {
  const SizedCluster* best = nullptr;
  for (const SizedCluster& sized : report.clusters) {
    if (price_of(sized) <= 0.0) continue;
    if (best == nullptr || price_of(sized) < price_of(*best)) best = &sized;
  }
  return best != nullptr ? best : smallest(report);
}

void write_table(std::ostream& out, const SizeReport& report) {
  out << report.name << ": " << grouped(std::llround(report.goal.tokens / 1e6)) << " M tokens in "
      << short_duration(report.goal.deadline);
  if (report.goal.budget > 0.0) out << " for USD " << usd(report.goal.budget);
  std::size_t width = 7;
  for (const SizedCluster& sized : report.clusters) width = std::max(width, sized.cluster.size());
  out << "\n\n"
      << left("cluster", width + 2)
      << "            GPUs    days             80 %       USD                80 %  layout\n";
  for (const SizedCluster& sized : report.clusters) write_cluster(out, sized, width);
  const SizedCluster* chosen = cheapest(report);
  if (chosen != nullptr) {
    const SizedCluster* fewest = smallest(report);
    out << "\nSmallest   " << grouped(fewest->sizing.points[*fewest->sizing.smallest].gpus) << " GPUs of "
        << fewest->cluster << "\nCheapest   " << grouped(notable_point(*chosen)->gpus) << " GPUs of " << chosen->cluster
        << (price_of(*chosen) > 0.0 ? ", USD " + usd(price_of(*chosen)) : " (no price is listed)") << '\n';
  } else {
    chosen = nearest_cluster(report);
    if (chosen != nullptr) {
      write_miss(out, report, *chosen);
    } else {
      out << "\nNo cluster can hold the job.\n";
    }
  }
  if (chosen != nullptr) {
    write_scaling(out, *chosen);
    write_run(out, *chosen, *notable_point(*chosen), report.reliability);
  }
  if (report.interrupted) out << "\ninterrupted: not all sizes were tried\n";
  if (!report.assumed.empty()) out << "\nAssumed\n";
  for (const std::string& text : report.assumed) out << "  " << text << '\n';
}

void write_table(std::ostream& out, const LargestReport& report) {
  const plan::Largest& largest = report.largest;
  const model::Scenario& scenario = largest.candidate.scenario;
  const engine::Prediction& prediction = largest.candidate.prediction;
  out << report.name << " on " << grouped(report.gpus) << " GPUs of " << report.cluster << '\n'
      << "Largest    " << report.dimension << " " << grouped(largest.value) << ": "
      << parameter_count(model::total_parameters(scenario)) << " parameters, "
      << gib(prediction.memory.worst().device_used) << " of " << gib(prediction.memory.device_total) << " GiB\n"
      << "Layout     " << layout_text(scenario) << "; iteration " << duration(prediction.iteration) << '\n'
      << "           in steps of " << grouped(largest.step) << "; " << grouped(largest.too_large) << " does not fit";
  if (largest.excess > Bytes{0}) out << ", the nearest layout by " << gib(largest.excess) << " GiB";
  out << '\n';
}

}  // namespace shardsim::report
