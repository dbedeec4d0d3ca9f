// shardsim calibrate: profiles of devices and clusters from measured samples.
#include <boost/program_options.hpp>
#include <iomanip>
#include <iostream>
#include <regex>

#include "calibrate/profile/calibrate.hpp"
#include "calibrate/profile/write.hpp"
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

template <class Profiles>
int print_fits(const Profiles& profiles, const std::string& (*name)(const typename Profiles::value_type&)) {
  int constants = 0;
  for (const auto& profile : profiles) {
    int own = 0;
    for (const FitReport& fit : profile.fits) own += fit.constants;
    constants += own;
    std::cout << name(profile) << ": " << own << " fitted constants\n";
    for (const FitReport& fit : profile.fits) {
      std::cout << "  " << std::left << std::setw(24) << fit.what;
      if (fit.quality.held_out > 0) {
        std::cout << to_string(fit.quality) << '\n';
      } else {
        std::cout << fit.quality.samples << " samples\n";
      }
    }
  }
  return constants;
}

void fit(const po::variables_map& given) {
  Problems problems;
  const Specifications specifications = read_specifications(given["specifications"].as<std::string>(), problems);
  const Samples samples = read_samples(given["samples"].as<std::string>(), problems);
  problems.throw_if_any();
  const auto devices = calibrate_devices(specifications, samples);
  const auto clusters = calibrate_clusters(specifications, samples);
  const auto files = profile_files(devices, clusters);
  write_files(given["scenarios"].as<std::string>(), files);
  int constants = print_fits(
      devices, +[](const DeviceProfile& profile) -> const std::string& { return profile.device.name; });
  constants += print_fits(
      clusters, +[](const ClusterProfile& profile) -> const std::string& { return profile.cluster.name; });
  std::cout << constants << " fitted constants in all, " << files.size() << " files written\n";
}

}  // namespace

int main(int argc, char** argv) {
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
