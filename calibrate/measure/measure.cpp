#include "calibrate/measure/measure.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <thread>
#include <utility>

#include "calibrate/measure/collectives.hpp"
#include "calibrate/samples/csv.hpp"
#include "kernels/cpu/cpu_backend.hpp"
#include "kernels/model/operations.hpp"

namespace shardsim::calibrate {
namespace {

using kernels::Communicator;

/// More than a core's share of the last cache.
constexpr std::int64_t kFlushed = std::int64_t{32} << 20;

std::int64_t told(std::initializer_list<const char*> names, std::int64_t otherwise) {
  for (const char* name : names) {
    if (const char* value = std::getenv(name)) return std::atoll(value);
  }
  return otherwise;
}

std::string processor_name() {
  std::ifstream info{"/proc/cpuinfo"};
  for (std::string line; std::getline(info, line);) {
    if (line.rfind("model name", 0) == 0) return line.substr(std::min(line.find(": ") + 2, line.size()));
  }
  return "unknown processor";
}

/// Resident memory of this process.
Bytes resident() {
  std::ifstream pages{"/proc/self/statm"};
  std::int64_t whole = 0;
  std::int64_t resident = 0;
  pages >> whole >> resident;
  return Bytes{resident * sysconf(_SC_PAGE_SIZE)};
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d", std::gmtime(&now));
  return text.data();
}

/// Told in a signal handler, which may do little.
std::array<char, 512> farewell{};

[[noreturn]] void say_farewell(int) {
  [[maybe_unused]] const auto written = write(STDERR_FILENO, farewell.data(), std::strlen(farewell.data()));
  _exit(130);
}

void survive_interruption(const std::string& file) {
  std::snprintf(farewell.data(), farewell.size(),
                "\ninterrupted: the samples so far are kept in %s; the same command with --resume goes on\n",
                file.c_str());
  std::signal(SIGINT, say_farewell);
  std::signal(SIGTERM, say_farewell);
}

/// The table on disk: the first rank's.
class Table {
 public:
  Table(const MeasureOptions& options, const Machine& machine) : file_{options.samples_file} {
    kept_.machine = machine;
    const bool exists = std::filesystem::exists(file_);
    if (options.resume && exists) {
      read(machine);
      return;
    }
    if (exists) std::filesystem::rename(file_, file_ + ".old");
    out_.open(file_, std::ios::binary);
    write(table_head(machine));
  }

  [[nodiscard]] std::int64_t passes(const Subject& subject) const { return kept_.count(subject); }
  void add(const LocalSample& sample) {
    kept_.samples.push_back(sample);
    write(table_line(sample));
  }
  [[nodiscard]] LocalSamples& kept() { return kept_; }

 private:
  void read(const Machine& machine) {
    Problems problems;
    kept_ = parse_local_samples(read_maybe_compressed(file_, problems), file_, problems);
    problems.throw_if_any();
    const Machine& then = kept_.machine;
    if (then.host != machine.host || then.processor != machine.processor || then.ranks != machine.ranks) {
      refuse("was measured on " + then.host + " (" + then.processor + ", " + std::to_string(then.ranks) +
             " ranks), this is " + machine.host + " (" + machine.processor + ", " + std::to_string(machine.ranks) +
             " ranks): without --resume it is measured anew");
    }
    // An unfinished last line goes.
    std::string text = table_head(then);
    for (const LocalSample& sample : kept_.samples) text += table_line(sample);
    out_.open(file_, std::ios::binary);
    write(text);
  }
  void write(const std::string& text) {
    out_ << text << std::flush;
    if (!out_) refuse(std::string("cannot be written: ") + std::strerror(errno));
  }
  [[noreturn]] void refuse(const std::string& why) const { throw InputError({Problem{{file_, 0, ""}, "", "", why}}); }

  std::string file_;
  std::ofstream out_;
  LocalSamples kept_;
};

/// "12.3 ms", with three digits.
std::string time_text(Seconds time) {
  std::array<char, 32> text{};
  const double us = time.value() * 1e6;
  if (us < 1e3)
    std::snprintf(text.data(), text.size(), "%7.1f us", us);
  else if (us < 1e6)
    std::snprintf(text.data(), text.size(), "%7.2f ms", us / 1e3);
  else
    std::snprintf(text.data(), text.size(), "%7.2f s ", us / 1e6);
  return text.data();
}

std::string sample_text(const LocalSample& sample, FlopsPerSecond peak) {
  const Subject& s = sample.subject;
  const double seconds = sample.timing.median.value();
  std::array<char, 200> text{};
  std::snprintf(text.data(), text.size(), "%-34s %s (p10 %s, p90 %s, %2d samples) %8.3g FLOP %9.3g B %7.2f GB/s",
                to_string(s).c_str(), time_text(sample.timing.median).c_str(), time_text(sample.timing.p10).c_str(),
                time_text(sample.timing.p90).c_str(), sample.timing.samples, s.flops.value(), s.bytes.as_double(),
                s.bytes.as_double() / seconds / 1e9);
  std::string line = text.data();
  if (s.flops.value() > 0.0) {
    std::snprintf(text.data(), text.size(), " %7.1f GFLOP/s, %5.1f %% of peak", s.flops.value() / seconds / 1e9,
                  100.0 * s.flops.value() / seconds / peak.value());
    line += text.data();
  }
  return line;
}

class Measurement {
 public:
  Measurement(kernels::Session& session, const Plan& plan, const MeasureOptions& options)
      : plan_{plan}, world_{session.world()}, backend_{kernels::make_cpu_backend()}, machine_{this_machine(session)} {
    agreement_.maximum = [this](double value) { return world_->all_reduce_value(value, kernels::Reduction::maximum); };
    machine_.resident = resident_at_work();
    if (first()) {
      table_ = std::make_unique<Table>(options, machine_);
      survive_interruption(options.samples_file);
    }
  }

  LocalSamples run() {
    std::vector<TimedGroup> groups = make_timed_groups(*world_, machine_.ranks_per_node);
    std::vector<Case> collectives;
    for (TimedGroup& group : groups) {
      for (Case& one : collective_cases(group, plan_.messages)) collectives.push_back(std::move(one));
    }
    for (const std::vector<Case>* cases : {&plan_.cases, &plan_.lone, &std::as_const(collectives)}) {
      for (const Case& one : *cases) expected_ += plan_.passes * expected_seconds(one.subject, plan_.policy);
    }
    start_ = steady_seconds();
    peak_ = probe_peak();
    for (pass_ = 0; pass_ < plan_.passes; ++pass_) {
      measure_host();
      for (const Case& one : plan_.lone) {
        measure_alone(one);
        // Beside its neighbours at once after, lest the machine drift in between.
        for (const Case& twin : plan_.cases) {
          if (twin.subject == together(one.subject)) measure_case(twin);
        }
      }
      for (const Case& one : plan_.cases) measure_case(one);
      for (const Case& one : collectives) measure_case(one);
      problems_.throw_if_any();
    }
    if (!first()) return {};
    return std::move(table_->kept());
  }

 private:
  [[nodiscard]] bool first() const { return world_->rank() == 0; }
  [[nodiscard]] bool anywhere(bool here) { return agreement_.maximum(here ? 1.0 : 0.0) > 0.0; }

  /// Of this process beside its tensors, after products of training's sizes and a collective: code, packed panels,
  /// buffers of messages.
  Bytes resident_at_work() {
    Arena arena{*backend_};
    for (const char* layout : {"TN", "NN", "NT"}) product_case(layout, 512, 2048, 512).make(arena).run();
    world_->all_reduce(arena.matrix(512, 2048), kernels::Reduction::sum);
    Bytes tensors{0};
    for (const kernels::Tensor& tensor : arena.tensors()) tensors += tensor.view().bytes();
    return Bytes{static_cast<std::int64_t>(agreement_.maximum((resident() - tensors).as_double()))};
  }

  /// The fastest of a few products: what per cents are of, while measuring.
  FlopsPerSecond probe_peak() {
    const Case one = product_case("NN", 512, 512, 512);
    Arena arena{*backend_};
    const Workload workload = one.make(arena);
    const Timing timing = measure(TimingPolicy::fixed(10), {{}, workload.run});
    return one.subject.flops / timing.p10;
  }

  /// What the trainer spends on one operator beside its kernel: a tensor taken and given back, the call.
  void measure_host() {
    LocalSample sample;
    sample.subject.family = Family::host;
    sample.subject.name = "operator";
    if (skip(sample.subject)) return;
    kernels::Memory memory{backend_->memory()};
    kernels::Operations operations{*backend_, nullptr};
    constexpr int kRuns = 1000;
    const auto run = [&] {
      for (int i = 0; i < kRuns; ++i) {
        const kernels::Tensor tensor{memory, kernels::Component::temporaries, kernels::DType::fp32, 64, 64};
        operations.run({}, [&](kernels::Backend& backend) { backend.fill(tensor.view().row_range(0, 1), 0.0); });
      }
    };
    sample.timing = measure(TimingPolicy::fixed(20), {{}, run}, agreement_);
    for (Seconds* time : {&sample.timing.median, &sample.timing.p10, &sample.timing.p90}) *time = *time / kRuns;
    keep(sample);
  }

  /// The other ranks sleep as long as this may take.
  void measure_alone(const Case& one) {
    if (machine_.ranks_per_node < 2 || skip(one.subject)) return;
    const double window = 4.0 * plan_.policy.longest.value();
    agreement_.maximum(0.0);
    if (world_->rank() % machine_.ranks_per_node != 0) {
      std::this_thread::sleep_for(std::chrono::duration<double>(window));
      agreement_.maximum(0.0);
      return;
    }
    const double end = steady_seconds() + window;
    TimingPolicy policy = plan_.policy;
    Arena arena{*backend_};
    const Workload workload = one.make(arena);
    const LocalSample sample{one.subject, measure(policy, {prepare(workload), workload.run}), {}};
    std::this_thread::sleep_for(std::chrono::duration<double>(std::max(0.0, end - steady_seconds())));
    agreement_.maximum(0.0);
    if (first()) keep(sample);
  }

  void measure_case(const Case& one) {
    if (skip(one.subject)) return;
    const bool together = one.subject.family == Family::collective;
    Arena arena{*backend_};
    const Workload workload = one.make(arena);
    if (workload.restore) workload.restore();
    workload.run();
    const std::string wrong = pass_ == 0 ? workload.check() : "";
    if (anywhere(!wrong.empty())) {
      if (!wrong.empty())
        problems_.add({{}, to_string(one.subject), "", "gives a wrong result and is not timed: " + wrong});
      return;
    }
    const TimingPolicy policy = together ? TimingPolicy::fixed(collective_samples(one.subject.bytes)) : patience();
    const Timed timed{prepare(workload), workload.run};
    keep(
        {one.subject, together ? measure_together(policy, timed, agreement_) : measure(policy, timed, agreement_), {}});
  }

  /// Less patience when time runs out.
  TimingPolicy patience() {
    TimingPolicy policy = plan_.policy;
    const double used = steady_seconds() - start_;
    const bool late = anywhere(used * expected_ > 1.05 * plan_.budget.value() * done_);
    if (late && used > 0.2 * plan_.budget.value()) policy.most = policy.fewest;
    return policy;
  }

  std::function<void()> prepare(const Workload& workload) {
    if (!workload.cold) return workload.restore;
    return [this, restore = workload.restore] {
      if (flush_.empty()) flush_.resize(static_cast<std::size_t>(kFlushed));
      for (std::size_t i = 0; i < flush_.size(); i += 64) ++flush_[i];
      if (restore) restore();
    };
  }

  /// Measured in this pass before. The first rank knows.
  bool skip(const Subject& subject) {
    const bool known = anywhere(first() && table_->passes(subject) > pass_);
    if (known) done_ += expected_seconds(subject, plan_.policy);
    return known;
  }

  void keep(const LocalSample& sample) {
    done_ += expected_seconds(sample.subject, plan_.policy);
    if (!first()) return;
    table_->add(sample);
    const double used = steady_seconds() - start_;
    const double left = std::min(used / done_ * expected_, std::max(plan_.budget.value(), used)) - used;
    std::array<char, 48> progress{};
    std::snprintf(progress.data(), progress.size(), "[%3.0f %%, %3.0f s left] ",
                  100.0 * std::min(1.0, done_ / expected_), std::max(0.0, left));
    std::cout << progress.data() << sample_text(sample, peak_) << std::endl;
  }

  const Plan& plan_;
  std::unique_ptr<Communicator> world_;
  std::unique_ptr<kernels::Backend> backend_;
  Machine machine_;
  Agreement agreement_;
  std::unique_ptr<Table> table_;
  Problems problems_;
  std::vector<std::uint8_t> flush_;
  FlopsPerSecond peak_{1.0};
  int pass_ = 0;
  double start_ = 0.0;
  double expected_ = 0.0;
  double done_ = 1e-9;
};

}  // namespace

Machine this_machine(const kernels::Session& session) {
  Machine machine;
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  machine.host = host.data();
  machine.processor = processor_name();
  machine.ranks = session.size();
  machine.ranks_per_node = told({"OMPI_COMM_WORLD_LOCAL_SIZE", "SLURM_NTASKS_PER_NODE"}, session.size());
  machine.memory = Bytes{std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGE_SIZE)};
  machine.date = today();
  machine.versions = "shardsim " SHARDSIM_VERSION ", " + kernels::communication_library() + ", compiler " __VERSION__;
  return machine;
}

void pin_to_core(std::int64_t local_rank) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) < 2) return;
  std::int64_t wanted = local_rank % CPU_COUNT(&allowed);
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(core, &allowed) || wanted-- > 0) continue;
    CPU_ZERO(&allowed);
    CPU_SET(core, &allowed);
    // Where a container forbids it, the scheduler decides, as in training.
    sched_setaffinity(0, sizeof allowed, &allowed);
    return;
  }
}

LocalSamples measure_machine(kernels::Session& session, const Plan& plan, const MeasureOptions& options) {
  return Measurement{session, plan, options}.run();
}

}  // namespace shardsim::calibrate
