#include "sim/cli/pricing.hpp"

#include <algorithm>
#include <vector>

#include "sim/base/problems.hpp"
#include "sim/input/price_list.hpp"
#include "sim/input/units.hpp"

namespace shardsim::cli {
namespace {

constexpr double kLargestPrice = 1000.0;
constexpr double kLargestPue = 5.0;

[[noreturn]] void refuse(const std::string& option, const std::string& value, const std::string& message) {
  throw InputError({Problem{{"command line", 0, option}, "", value, message}});
}

double parse_price(const std::string& text, const std::string& whole) {
  const auto parsed = input::parse_number(text);
  if (!parsed.value) refuse("--price", whole, "expected US dollars per GPU and hour, as 2.5 or 1.9..4.1");
  if (!(*parsed.value > 0.0) || *parsed.value > kLargestPrice) {
    refuse("--price", whole, "must be more than 0 and at most 1,000 US dollars per GPU and hour");
  }
  return *parsed.value;
}

plan::Estimate given_price(const std::string& text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) {
    const double price = parse_price(text, text);
    return {price, price, price};
  }
  const double low = parse_price(text.substr(0, dots), text);
  const double high = parse_price(text.substr(dots + 2), text);
  if (high < low) refuse("--price", text, "ends below where it begins");
  return {0.5 * (low + high), low, high};
}

hardware::RentalTerms terms_of(const std::string& text) {
  if (text.empty() || text == "on-demand") return hardware::RentalTerms::on_demand;
  if (text != "reserved") refuse("--terms", text, "must be on-demand or reserved");
  return hardware::RentalTerms::reserved;
}

std::vector<hardware::Price> listed(std::string_view device, hardware::RentalTerms terms) {
  std::vector<hardware::Price> found;
  for (const hardware::Price& price : input::built_in_prices().prices) {
    if (price.device == device && price.terms == terms) found.push_back(price);
  }
  std::sort(found.begin(), found.end(),
            [](const hardware::Price& a, const hardware::Price& b) { return a.usd_per_gpu_hour < b.usd_per_gpu_hour; });
  return found;
}

plan::Estimate listed_price(std::string_view device, hardware::RentalTerms terms) {
  const std::vector<hardware::Price> prices = listed(device, terms);
  if (prices.empty()) return {};
  const std::size_t n = prices.size();
  const double median = 0.5 * (prices[(n - 1) / 2].usd_per_gpu_hour + prices[n / 2].usd_per_gpu_hour);
  return {median, prices.front().usd_per_gpu_hour, prices.back().usd_per_gpu_hour};
}

}  // namespace

plan::Economics economics_of(std::string_view device, const PricingOptions& options) {
  plan::Economics economics;
  const hardware::RentalTerms terms = terms_of(options.terms);
  economics.usd_per_gpu_hour = options.price.empty() ? listed_price(device, terms) : given_price(options.price);
  const auto& watts = input::built_in_prices().watts;
  if (const auto found = watts.find(device); found != watts.end()) economics.device_watts = found->second;
  if (!options.pue.empty()) {
    const auto pue = input::parse_number(options.pue);
    if (!pue.value || *pue.value < 1.0 || *pue.value > kLargestPue) {
      refuse("--pue", options.pue, "must be within 1 … 5: energy of the data centre over that of its computers");
    }
    economics.power_usage_effectiveness = *pue.value;
  }
  return economics;
}

std::string price_origin(std::string_view device, const PricingOptions& options) {
  if (!options.price.empty()) return "given";
  const hardware::RentalTerms terms = terms_of(options.terms);
  const std::string kind = terms == hardware::RentalTerms::reserved ? "reserved" : "on-demand";
  const std::vector<hardware::Price> prices = listed(device, terms);
  if (prices.empty()) return "no " + kind + " price listed";
  std::string text;
  for (const hardware::Price& price : prices) {
    text += (text.empty() ? "" : "; ") + price.provider + " " + input::to_text(price.usd_per_gpu_hour) + " (" +
            price.date + ")";
  }
  return kind + ": " + text;
}

}  // namespace shardsim::cli
