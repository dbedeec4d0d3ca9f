#include "calibrate/measure/command.hpp"

#include <sched.h>

#include <boost/program_options.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "calibrate/measure/figure.hpp"
#include "calibrate/measure/fit_local.hpp"
#include "calibrate/measure/import_profile.hpp"
#include "calibrate/measure/measure.hpp"
#include "calibrate/profile/write.hpp"
#include "kernels/communicator/failure.hpp"
#include "kernels/communicator/session.hpp"
#include "kernels/trainer/launch.hpp"

namespace shardsim::calibrate {
namespace {

namespace po = boost::program_options;

constexpr int kMostPasses = 100;

struct Options {
  std::string output;
  std::string model;
  std::string samples;
  ImportOptions imported;
  long ranks = 0;
  int passes = 0;
  bool quick = false;
  bool resume = false;
  bool help = false;
};

po::options_description option_list(Options& options) {
  po::options_description list{"Options"};
  const auto text = [](std::string& to, const char* shown) { return po::value(&to)->value_name(shown); };
  list.add_options()("help", po::bool_switch(&options.help), "this text")(
      "output", text(options.output, "FILE")->default_value("my-cluster.toml"),
      "the profile; a figure of the same name with .svg lies beside it")("quick", po::bool_switch(&options.quick),
                                                                         "coarser and within a minute")(
      "resume", po::bool_switch(&options.resume), "go on with the samples of an interrupted run")(
      "samples", text(options.samples, "FILE"), "the table that samples are added to (default: beside the profile)")(
      "model", text(options.model, "NAME"), "measure the products of this model too")(
      "nccl-tests", po::value(&options.imported.nccl_logs)->value_name("LOG")->composing()->multitoken(),
      "logs of nccl-tests instead of measurements (with --like)")(
      "gemm-csv", text(options.imported.gemm_csv, "FILE"),
      "products m, n, k, time_us [dtype, layout] instead of measurements (with --like)")(
      "like", text(options.imported.like, "CLUSTER"), "the preset whose other values stay")(
      "passes", po::value(&options.passes)->value_name("N"),
      "times that everything is measured (3; 2 with --quick); with --resume those before count")(
      "ranks,n", po::value(&options.ranks)->value_name("N"), "ranks to start (default: one for each core)");
  return list;
}

std::string with_extension(const std::string& path, const char* extension) {
  return std::filesystem::path(path).replace_extension(extension);
}

Options parse(const cli::Arguments& words) {
  Options options;
  po::variables_map given;
  try {
    const po::positional_options_description none;
    po::store(po::command_line_parser(words).options(option_list(options)).positional(none).run(), given);
    po::notify(given);
  } catch (const po::error& error) {
    cli::usage_error("calibrate", error.what());
  }
  if (options.samples.empty()) options.samples = with_extension(options.output, ".samples.csv");
  if (given.count("passes") != 0 && (options.passes < 1 || options.passes > kMostPasses)) {
    cli::usage_error("calibrate", "--passes expects a number within 1 … " + std::to_string(kMostPasses));
  }
  const bool imports = !options.imported.nccl_logs.empty() || !options.imported.gemm_csv.empty();
  if (imports != !options.imported.like.empty()) {
    cli::usage_error("calibrate", imports ? "files of measurements need --like CLUSTER for everything else"
                                          : "--like needs --nccl-tests or --gemm-csv");
  }
  return options;
}

void print_help() {
  Options options;
  std::cout << "Usage: shardsim calibrate [options]\n"
               "       shardsim calibrate fit [options]   (profiles of this repository; see `calibrate fit --help`)\n\n"
               "Measures what the trainer runs (matrix and attention products, memory-bound kernels, collectives),\n"
               "with one rank on each core, and writes the profile of this machine. Under mpirun or srun it uses the\n"
               "ranks that they have started, across nodes.\n\n"
            << option_list(options)
            << "\nExamples:\n  shardsim calibrate --output my-cluster.toml\n"
               "  shardsim predict --cluster my-cluster.toml --stack shardsim --model gpt2-tiny\n"
               "  shardsim calibrate --like a100-dgx --nccl-tests all_reduce.log all_gather.log\n"
               "  mpirun -np 16 --hostfile hosts shardsim-calibrate --quick\n";
}

/// Cores that this process may use.
long cores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
}

/// Nothing is written before everything is there.
void check_output(const Options& options) {
  const std::filesystem::path folder = std::filesystem::path(options.output).parent_path();
  if (folder.empty() || std::filesystem::is_directory(folder)) return;
  throw InputError({Problem{{"command line", 0, "--output"}, "", options.output, "its folder does not exist"}});
}

void print_fits(const LocalProfile& profile) {
  for (const FitReport& fit : profile.fits) {
    std::printf("  %-24s %3d constants, |error| %4.1f %% median, %4.1f %% p90, %zu points\n", fit.what.c_str(),
                fit.constants, 100.0 * fit.quality.median, 100.0 * fit.quality.p90, fit.quality.samples);
  }
}

/// Both files or none.
void write(const LocalProfile& profile, const Options& options, const std::string& figure) {
  const std::filesystem::path output = std::filesystem::absolute(options.output);
  std::map<std::string, std::string> files{{output.filename(), profile_text(profile)}};
  if (!figure.empty()) files[std::filesystem::path(output.filename()).replace_extension(".svg")] = figure;
  write_files(output.parent_path(), files);
  std::cout << "Wrote " << options.output;
  if (!figure.empty()) std::cout << " and " << with_extension(options.output, ".svg");
  std::cout << '\n';
}

int import_files(const Options& options) {
  const LocalProfile profile = import_profile(options.imported, std::filesystem::path(options.output).stem());
  print_fits(profile);
  write(profile, options, {});
  return cli::kSuccess;
}

void print_summary(const LocalProfile& profile, const Options& options) {
  const hardware::Device& device = profile.cluster.device;
  std::cout << "\nFit of " << options.samples << '\n';
  print_fits(profile);
  std::printf("  all cores at work: products take %.2f, memory-bound kernels %.2f of their time alone\n",
              device.matrix_full_node_slowdown, device.memory_full_node_slowdown);
  std::fflush(stdout);
}

int calibrate(kernels::Session& session, const Options& options) {
  const auto local_rank = std::getenv("OMPI_COMM_WORLD_LOCAL_RANK");
  pin_to_core(local_rank == nullptr ? session.rank() : std::atoll(local_rank));
  Plan plan = make_plan(options.quick ? Thoroughness::quick : Thoroughness::normal, options.model);
  if (options.passes > 0) plan.passes = options.passes;
  const LocalSamples samples = measure_machine(session, plan, {options.samples, options.resume});
  if (session.rank() != 0) return cli::kSuccess;
  const LocalProfile profile = fit_local(samples, std::filesystem::path(options.output).stem());
  print_summary(profile, options);
  write(profile, options, figure(samples, profile));
  return cli::kSuccess;
}

}  // namespace

int run_measuring(const cli::Arguments& words) {
  try {
    const Options options = parse(words);
    if (options.help) {
      print_help();
      return cli::kSuccess;
    }
    check_output(options);
    if (!options.imported.like.empty()) return import_files(options);
    if (!kernels::under_launcher()) kernels::become_ranks(options.ranks > 0 ? options.ranks : cores(), words);
  } catch (const InputError&) {
    const kernels::Failure failure = kernels::current_failure();
    kernels::print_failure(failure, 0, 1);
    return failure.exit_code;
  }
  return kernels::run_session([&](kernels::Session& session) { return calibrate(session, parse(words)); });
}

}  // namespace shardsim::calibrate
