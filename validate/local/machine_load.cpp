#include "validate/local/machine_load.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace shardsim::validate::local {
namespace {

std::string proc_stat() {
  std::ifstream file{"/proc/stat"};
  std::string line;
  std::getline(file, line);
  return line;
}

}  // namespace

double busy_seconds(const std::string& proc_stat) {
  std::istringstream words{proc_stat};
  std::string name;
  double user = 0.0;
  double nice = 0.0;
  double system = 0.0;
  double idle = 0.0;
  double waiting = 0.0;
  double interrupts = 0.0;
  double soft_interrupts = 0.0;
  double stolen = 0.0;
  words >> name >> user >> nice >> system >> idle >> waiting >> interrupts >> soft_interrupts >> stolen;
  if (!words || name != "cpu") return 0.0;
  return (user + nice + system + interrupts + soft_interrupts + stolen) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

std::string processor_name() {
  std::ifstream file{"/proc/cpuinfo"};
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processors";
}

MachineLoad::MachineLoad() : start_{busy_seconds(proc_stat())} {}

double MachineLoad::others(double own, double wall) const {
  return std::max(0.0, busy_seconds(proc_stat()) - start_ - own) / wall;
}

}  // namespace shardsim::validate::local
