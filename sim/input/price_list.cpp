#include "sim/input/price_list.hpp"

#include <array>
#include <vector>

#include "sim/base/check.hpp"
#include "sim/base/suggest.hpp"
#include "sim/input/embedded_presets.hpp"
#include "sim/input/scenario_file.hpp"
#include "sim/input/text.hpp"
#include "sim/input/units.hpp"

namespace shardsim::input {
namespace {

constexpr double kLargestPrice = 1000.0;
constexpr double kMostWatts = 100'000.0;
constexpr std::array<std::string_view, 6> kPriceKeys = {"device", "usd_per_gpu_hour", "terms", "provider", "date",
                                                        "source"};

class Reader {
 public:
  explicit Reader(Problems& problems) : problems_{problems} {}

  hardware::PriceList read(const Settings& settings) {
    for (const Setting& setting : settings.all()) {
      if (setting.key.rfind("price.", 0) == 0) {
        read_price(setting);
      } else if (setting.key.rfind("power.", 0) == 0) {
        if (const auto watts = number(setting, kMostWatts)) list_.watts[setting.key.substr(6)] = *watts;
      } else {
        refuse(setting, "is no known key; a price list has the tables [price.NAME] and [power]");
      }
    }
    finish();
    return std::move(list_);
  }

 private:
  void refuse(const Setting& setting, const std::string& message) {
    problems_.add({setting.origin, setting.key, setting.value, message});
  }

  std::optional<double> number(const Setting& setting, double largest) {
    const auto parsed = parse_number(setting.value);
    if (parsed.value && *parsed.value > 0.0 && *parsed.value <= largest) return parsed.value;
    refuse(setting, parsed.value ? "must be more than 0 and at most " + to_text(largest) : parsed.error);
    return {};
  }

  void read_price(const Setting& setting) {
    const std::size_t dot = setting.key.rfind('.');
    const std::string name = setting.key.substr(0, dot);
    const std::string field = setting.key.substr(dot + 1);
    if (name != name_) {
      finish();
      name_ = name;
      first_ = setting;
    }
    if (field == "device") {
      price_.device = setting.value;
    } else if (field == "usd_per_gpu_hour") {
      const auto usd = number(setting, kLargestPrice);
      price_.usd_per_gpu_hour = usd.value_or(1.0);
    } else if (field == "terms") {
      if (setting.value != "on-demand" && setting.value != "reserved") refuse(setting, "must be on-demand or reserved");
      price_.terms = setting.value == "reserved" ? hardware::RentalTerms::reserved : hardware::RentalTerms::on_demand;
    } else if (field == "provider") {
      price_.provider = setting.value;
    } else if (field == "date") {
      price_.date = setting.value;
    } else if (field == "source") {
      price_.source = setting.value;
    } else {
      const auto near = nearest(field, {kPriceKeys.begin(), kPriceKeys.end()});
      refuse(setting, "is no known key of a price" + (near ? "; did you mean " + in_quotes(*near) + "?" : ""));
    }
  }

  /// Closes the price under way.
  void finish() {
    if (name_.empty()) return;
    const bool whole = !price_.device.empty() && price_.usd_per_gpu_hour > 0.0 && !price_.date.empty() &&
                       !price_.source.empty() && !price_.provider.empty();
    if (!whole) refuse(first_, "a price needs device, usd_per_gpu_hour, provider, date and source");
    list_.prices.push_back(std::move(price_));
    price_ = {};
    name_.clear();
  }

  Problems& problems_;
  hardware::PriceList list_;
  hardware::Price price_;
  std::string name_;
  Setting first_;
};

}  // namespace

hardware::PriceList read_price_list(std::string_view text, const std::string& file, Problems& problems) {
  return Reader{problems}.read(read_scenario(text, file, problems));
}

const hardware::PriceList& built_in_prices() {
  static const hardware::PriceList list = [] {
    Problems problems;
    hardware::PriceList read = read_price_list(embedded_prices(), "scenarios/prices.toml", problems);
    SHARDSIM_CHECK(problems.empty(), problems.empty() ? "" : to_string(problems.all().front()));
    return read;
  }();
  return list;
}

}  // namespace shardsim::input
