#include "kernels/trainer/train.hpp"

#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "kernels/communicator/groups.hpp"
#include "kernels/data/make_data_source.hpp"
#include "kernels/trainer/device.hpp"
#include "kernels/trainer/outputs.hpp"
#include "kernels/trainer/pin.hpp"
#include "kernels/trainer/record_file.hpp"
#include "kernels/trainer/trace_file.hpp"
#include "kernels/trainer/training_log.hpp"
#include "kernels/trainer/training_state.hpp"
#include "sim/cli/command.hpp"
#include "sim/model/parameters.hpp"

namespace shardsim::kernels {
namespace {

/// Ranks of the job on this machine, as Open MPI and Slurm tell; else all.
std::int64_t ranks_here(std::int64_t ranks) {
  const char* here = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  const std::int64_t told = here == nullptr ? 0 : std::atoll(here);
  return told > 0 ? told : ranks;
}

void print_start(const Job& job, const TrainOptions& options, const DataSource& data) {
  for (const std::string& warning : job.scenario.warnings) std::cerr << "warning: " << warning << '\n';
  const model::Parallelism& parallelism = job.scenario.parallelism;
  const model::Training& training = job.scenario.training;
  std::cout << job.scenario.name << ": " << model::total_parameters(job.scenario) << " parameters, TP "
            << parallelism.tensor_model_parallel_size << " x PP " << parallelism.pipeline_model_parallel_size
            << " x DP " << parallelism.data_parallel_size << ", ZeRO " << parallelism.zero_stage << ", micro batch "
            << training.micro_batch_size << " x " << micro_batches(job.scenario) << ", global batch "
            << training.global_batch_size << ", " << options.train_iters << " iterations\n"
            << "data: " << data.description() << std::endl;
}

/// Peak of the rank that needs most, by one rank.
void log_memory(TrainingLog& log, const Trainer& trainer, const Job& job, const Groups& groups) {
  const Usage& own = trainer.memory().peak();
  Communicator& world = *groups.world;
  const double most = world.all_reduce_value(own.total().as_double(), Reduction::maximum);
  const double candidate = own.total().as_double() == most ? -world.rank() : -world.size();
  const auto rank = -static_cast<int>(world.all_reduce_value(candidate, Reduction::maximum));
  const auto from_it = [&](Bytes bytes) {
    const double value = world.all_reduce_value(world.rank() == rank ? bytes.as_double() : 0.0, Reduction::sum);
    return Bytes{static_cast<std::int64_t>(value)};
  };
  Usage peak;
  for (std::size_t i = 0; i < kComponents; ++i) peak.by_component[i] = from_it(own.by_component[i]);
  const auto stage = static_cast<std::size_t>(groups.pipeline->rank());
  const Bytes predicted = from_it(job.predicted.stages[stage].peak_allocated);
  if (world.rank() == 0) log.memory(rank, trainer.iterations, peak, predicted);
}

/// As Megatron-LM, a job that saves where it loads may find nothing yet; any other one was promised a checkpoint.
void load(Trainer& trainer, const Job& job, const TrainOptions& options, const Transport& transport, bool prints) {
  if (load_training(trainer, job, options.load, transport)) {
    if (prints) {
      std::cout << "loaded " << options.load << ", " << trainer.iterations << " iterations done" << std::endl;
    }
    return;
  }
  if (options.load != options.save) {
    throw InputError({Problem{{"command line", 0, "--load"},
                              "",
                              options.load,
                              "holds neither a checkpoint of a training job nor model.safetensors"}});
  }
  if (prints) std::cout << "nothing to load in " << options.load << " yet" << std::endl;
}

/// What --record and --trace write: every iteration's operators, and the last iteration's trace.
class Records {
 public:
  Records(const TrainOptions& options, const Job& job, Communicator& world)
      : parallelism_{job.scenario.parallelism},
        world_{world},
        wants_record_{!options.record.empty()},
        wants_trace_{!options.trace.empty()} {
    if (world.rank() != 0) return;
    if (wants_record_) record_.emplace(options.record);
    if (wants_trace_) trace_.emplace(options.trace);
  }

  [[nodiscard]] Observers observers() {
    return wants_record_ || wants_trace_ ? Observers{&recording_, &recording_} : Observers{};
  }
  void start_iteration() {
    if (!wants_record_ && !wants_trace_) return;
    world_.barrier();
    recording_.restart();
  }
  void finish_iteration(std::int64_t iteration) {
    if (!wants_record_) return;
    for (const std::string& lines : gather_texts(world_, record_lines(recording_, world_.rank(), iteration))) {
      record_->write(lines);
    }
  }
  void finish() {
    if (wants_trace_) {
      const std::string trace = trace_of(recording_, parallelism_, world_);
      if (trace_) trace_->write(trace);
    }
    if (record_) record_->finish();
    if (trace_) trace_->finish();
  }

 private:
  const model::Parallelism& parallelism_;
  Communicator& world_;
  bool wants_record_;
  bool wants_trace_;
  Recording recording_;
  std::optional<NewFile> record_;
  std::optional<NewFile> trace_;
};

/// Ranks gather what they recorded over host memory.
void refuse_without_mpi(const Device& device, const TrainOptions& options) {
  if (device.host != nullptr || (options.record.empty() && options.trace.empty())) return;
  throw InputError({Problem{{"command line", 0, options.record.empty() ? "--trace" : "--record"},
                            "",
                            options.record.empty() ? options.trace : options.record,
                            "needs ranks that mpirun or srun started with MPI"}});
}

}  // namespace

int train(Session& session, TrainOptions options, const Problems& problems) {
  if (options.pin) pin_to_core(session.rank(), session.size());
  const bool gpu = chooses_gpu(options.backend);
  const Job job = make_job(options, job_size(session, gpu), gpu, problems);
  if (options.timeout > 0.0) session.watchdog().set_timeout(Seconds{options.timeout});
  Device device = open_device(session, gpu, options.check_collectives);
  refuse_without_mpi(device, options);
  const bool prints = device.world->rank() == 0;
  const std::string why = does_not_fit(job, gpu ? 1 : ranks_here(session.size()), device.memory);
  if (!why.empty()) {
    if (prints) std::cout << why << std::endl;
    return cli::kDoesNotFit;
  }
  const std::unique_ptr<DataSource> data = make_data_source(job.scenario.model, options.data, options.seed);
  prepare_outputs(options);
  const Groups groups = make_groups(job.scenario.parallelism, std::move(device.world));
  Records records{options, job, device.host ? *device.host : *groups.world};
  Trainer trainer{job, options, {&groups, device.backend.get(), data.get(), records.observers()}};
  TrainingLog log{std::cout, job, options};
  if (prints) print_start(job, options, *data);
  if (!options.load.empty()) load(trainer, job, options, device.transport(), prints);
  const auto save = [&] {
    save_training(trainer, job, groups, options.seed, options.save, device.transport());
    if (prints) std::cout << "saved iteration " << trainer.iterations << " in " << options.save << std::endl;
  };

  const std::int64_t first = trainer.iterations + 1;
  while (trainer.iterations < options.train_iters) {
    records.start_iteration();
    const double start = Operations::now();
    const IterationResult result = trainer.iterate();
    if (prints) log.add(result, Operations::now() - start);
    if (trainer.iterations == first) log_memory(log, trainer, job, groups);
    records.finish_iteration(result.iteration);
    const bool last = trainer.iterations == options.train_iters;
    const bool due = options.save_interval > 0 && trainer.iterations % options.save_interval == 0;
    if (!options.save.empty() && (last || due)) save();
  }
  records.finish();
  if (!options.export_weights.empty()) export_weights(trainer, job, groups, options.export_weights, device.transport());
  return cli::kSuccess;
}

}  // namespace shardsim::kernels
