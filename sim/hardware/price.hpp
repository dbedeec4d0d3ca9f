// What devices cost to rent, and the power that they draw. Data: scenarios/prices.toml.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace shardsim::hardware {

enum class RentalTerms { on_demand, reserved };

/// One published list price.
struct Price {
  std::string device;
  double usd_per_gpu_hour = 0.0;
  RentalTerms terms = RentalTerms::on_demand;
  std::string provider;
  /// When it was listed, as far as the source says.
  std::string date;
  std::string source;
};

struct PriceList {
  std::vector<Price> prices;
  /// Thermal design power by device, watts.
  std::map<std::string, double, std::less<>> watts;
};

}  // namespace shardsim::hardware
