// Rental prices and device power, from TOML.
#pragma once

#include <string>
#include <string_view>

#include "sim/base/problems.hpp"
#include "sim/hardware/price.hpp"

namespace shardsim::input {

/// Tables [price.NAME] with device, usd_per_gpu_hour, terms (on-demand|reserved), provider, date, source; and
/// [power] with watts by device. Negative and absurd prices, unknown keys and missing ones become problems.
[[nodiscard]] hardware::PriceList read_price_list(std::string_view text, const std::string& file, Problems& problems);

/// scenarios/prices.toml as it was built in.
[[nodiscard]] const hardware::PriceList& built_in_prices();

}  // namespace shardsim::input
