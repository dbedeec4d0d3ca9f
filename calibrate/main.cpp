// shardsim calibrate: profiles of devices and clusters from measured samples.
#include <boost/program_options.hpp>
#include <iomanip>
#include <iostream>
#include <regex>
#include <set>
#include <tuple>

#include "calibrate/profile/calibrate.hpp"
#include "calibrate/profile/write.hpp"
#ifdef SHARDSIM_MEASURES
#include "calibrate/measure/command.hpp"
#endif
#include "sim/base/check.hpp"

namespace {

namespace po = boost::program_options;
using namespace shardsim;
using namespace shardsim::calibrate;

constexpr int kBadInput = 2;
constexpr int kBug = 70;

po::options_description option_list() {
  po::options_description options{"Options"};
  options.add_options()("help", "this text")("samples", po::value<std::string>()->default_value("calibrate/published"),
                                             "folder of gemm, attention, memory_bandwidth and collectives, .csv or "
                                             ".csv.gz")(
      "specifications", po::value<std::string>()->default_value("calibrate/specifications"),
      "folder of devices.toml and clusters.toml")("scenarios", po::value<std::string>()->default_value("scenarios"),
                                                  "folder whose devices and clusters are written")(
      "command", po::value<std::string>(), "fit");
  return options;
}

/// Prints fits and counts their constants, those of fits that several profiles share once.
class FitPrinter {
 public:
  void print(const std::string& name, const std::vector<FitReport>& fits) {
    std::cout << name << (fits.empty() ? ": constants of another device" : "") << '\n';
    for (const FitReport& fit : fits) {
      const Quality& quality = fit.quality;
      const std::string found =
          quality.held_out > 0 ? to_string(quality) : std::to_string(quality.samples) + " samples";
      std::cout << "  " << std::left << std::setw(24) << fit.what << std::right << std::setw(3) << fit.constants
                << (fit.constants == 1 ? " constant,  " : " constants, ") << found << '\n';
      if (seen_.emplace(fit.what, quality.samples, quality.median, quality.p90).second) constants_ += fit.constants;
    }
  }
  [[nodiscard]] int constants() const { return constants_; }

 private:
  std::set<std::tuple<std::string, std::size_t, double, double>> seen_;
  int constants_ = 0;
};

void fit(const po::variables_map& given) {
  Problems problems;
  const Specifications specifications = read_specifications(given["specifications"].as<std::string>(), problems);
  const Samples samples = read_samples(given["samples"].as<std::string>(), problems);
  problems.throw_if_any();
  const auto devices = calibrate_devices(specifications, samples);
  const auto clusters = calibrate_clusters(specifications, samples);
  const auto files = profile_files(devices, clusters);
  write_files(given["scenarios"].as<std::string>(), files);
  FitPrinter printer;
  for (const DeviceProfile& profile : devices) printer.print(profile.device.name, profile.fits);
  for (const ClusterProfile& profile : clusters) printer.print(profile.cluster.name, profile.fits);
  std::cout << printer.constants() << " fitted constants in all, " << files.size() << " files written\n";
}

}  // namespace

int main(int argc, char** argv) {
#ifdef SHARDSIM_MEASURES
  const cli::Arguments words{argv + 1, argv + argc};
  if (words.empty() || words.front() != "fit") return run_measuring(words);
#endif
  try {
    po::positional_options_description commands;
    commands.add("command", 1);
    po::variables_map given;
    po::store(po::command_line_parser(argc, argv).options(option_list()).positional(commands).run(), given);
    if (given.count("help") != 0) {
      std::cout << "Usage: shardsim calibrate fit [options]\n\nFits the profiles of devices and clusters to measured "
                   "samples and writes them.\n\n"
                << option_list() << "\nExample:\n  shardsim calibrate fit\n";
      return 0;
    }
    if (given.count("command") == 0 || given["command"].as<std::string>() != "fit") {
      throw InputError({Problem{{}, "", "", "a command is expected: shardsim calibrate fit"}});
    }
    fit(given);
    return 0;
  } catch (const InputError& error) {
    std::cerr << error.what() << '\n';
    return kBadInput;
  } catch (const po::error& error) {
    std::cerr << "shardsim calibrate: " << error.what() << '\n';
    return kBadInput;
  } catch (const std::regex_error& error) {
    std::cerr << "a specification's match is not a regular expression: " << error.what() << '\n';
    return kBadInput;
  } catch (const Bug& bug) {
    std::cerr << "a bug of shardsim, not of the input: " << bug.what() << '\n';
    return kBug;
  }
}
