#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "calibrate/fit/fit_attention.hpp"
#include "calibrate/fit/fit_gemm.hpp"
#include "calibrate/fit/fit_memory.hpp"
#include "calibrate/profile/calibrate.hpp"
#include "calibrate/profile/select.hpp"
#include "sim/input/enum_text.hpp"
#include "sim/input/text.hpp"
#include "sim/input/units.hpp"

namespace shardsim::calibrate {
namespace {

using model::DType;

/// Share of the deviation of single shapes that is left in a run, whose many products err in both directions.
constexpr double kLeftInARun = 0.5;

/// Ratio of the ninth decile of a normal deviation's size to its standard deviation.
constexpr double kP90OverDeviation = 1.645;

[[noreturn]] void refuse(const std::string& what, const std::string& value, const std::string& message) {
  throw InputError({Problem{{}, what, value, message}});
}

const Selector* find(const std::map<std::string, Selector>& selectors, const std::string& name) {
  const auto found = selectors.find(name);
  return found == selectors.end() ? nullptr : &found->second;
}

bool is_training_sized(const GemmSample& sample) {
  return std::min({sample.m, sample.n, sample.k}) >= kSmallestSize && sample.m % 8 == 0 && sample.n % 8 == 0 &&
         sample.k % 8 == 0;
}

/// Fits devices on demand, so that one may stand on another.
class Calibrator {
 public:
  Calibrator(const Specifications& specifications, const Samples& samples)
      : specifications_{specifications}, samples_{samples} {}

  const DeviceProfile& profile(const std::string& name) {
    const auto done = profiles_.find(name);
    if (done != profiles_.end()) return done->second;
    const auto& all = specifications_.devices;
    const auto specification =
        std::find_if(all.begin(), all.end(), [&name](const DeviceSpecification& each) { return each.name == name; });
    if (specification == all.end()) refuse("like", name, "is no device of the specifications");
    if (!begun_.insert(name).second) refuse("like", name, "stands on itself");
    return profiles_.emplace(name, fit(*specification)).first->second;
  }

 private:
  DeviceProfile fit(const DeviceSpecification& specification) {
    DeviceProfile profile{specification.facts, {}};
    if (!specification.like.empty()) {
      copy_constants(this->profile(specification.like), profile);
      profile.device.provenance =
          specification.notes + " Efficiencies and latency: those of " + specification.like + ".";
      profile.device.error =
          rounded(std::hypot(this->profile(specification.like).device.error, specification.further_error));
      return profile;
    }
    sources_.clear();
    // The tables are short bursts.
    profile.device.sustained_slowdown = 1.0;
    fit_memory(specification, profile);
    fit_gemms(specification, profile);
    fit_attention_of(specification, profile);
    profile.device.sustained_slowdown = specification.facts.sustained_slowdown;
    describe(specification, profile);
    return profile;
  }

  static void copy_constants(const DeviceProfile& from, DeviceProfile& to) {
    to.device.kernel_latency = from.device.kernel_latency;
    for (std::size_t i = 0; i < hardware::kMatrixFormats; ++i) {
      const FlopsPerSecond peak = to.device.gemm[i].peak;
      if (peak.value() > 0.0) to.device.gemm[i] = from.device.gemm[i];
      to.device.gemm[i].peak = peak;
    }
    to.device.attention = from.device.attention;
    to.device.memory_bound = from.device.memory_bound;
  }

  void fit_memory(const DeviceSpecification& specification, DeviceProfile& profile) {
    const auto chosen = [&](const std::string& kind, const Selector& selector) {
      auto samples = select(samples_.memory, selector);
      note_sources(samples, sources_);
      profile.fits.push_back({kind, judge(samples.size(), {}), 1});
      return samples;
    };
    if (const Selector* latency = find(specification.memory, "latency")) {
      const std::string what = specification.name + ".memory.latency";
      profile.device.kernel_latency = kernel_latency(chosen("kernel latency", *latency), what);
    }
    hardware::MemoryBoundProfile& shares = profile.device.memory_bound;
    for (const auto& [kind, share] : std::map<std::string, double*>{{"elementwise", &shares.elementwise_efficiency},
                                                                    {"normalization", &shares.normalization_efficiency},
                                                                    {"softmax", &shares.softmax_efficiency},
                                                                    {"optimizer", &shares.optimizer_efficiency}}) {
      const std::string what = specification.name + ".memory." + kind;
      const Selector* selector = find(specification.memory, kind);
      if (selector == nullptr) refuse(what, "", "must be given");
      BytesPerSecond peak = profile.device.memory_bandwidth;
      if (!selector->bandwidth.empty()) {
        const auto parsed = input::parse_bytes_per_second(selector->bandwidth);
        if (!parsed.value) refuse(what, selector->bandwidth, parsed.error);
        peak = *parsed.value;
      }
      *share = bandwidth_share(chosen(kind, *selector), peak, what);
    }
  }

  std::vector<GemmSample> products(const Selector& selector) {
    auto samples = select(samples_.gemm, selector);
    samples.erase(std::remove_if(samples.begin(), samples.end(),
                                 [](const GemmSample& sample) { return !is_training_sized(sample); }),
                  samples.end());
    note_sources(samples, sources_);
    return samples;
  }

  void fit_gemms(const DeviceSpecification& specification, DeviceProfile& profile) {
    auto& formats = profile.device.gemm;
    DType reference = DType::fp16;
    for (const auto& [name, selector] : specification.gemm) {
      const auto& choices = input::kChoices<DType>;
      const auto format = std::find_if(choices.begin(), choices.end(),
                                       [&name = name](const auto& choice) { return choice.text == name; });
      if (format == choices.end()) refuse(specification.name + ".gemm", name, "is no number format");
      const auto fit =
          fit_gemm(profile.device, format->value, products(selector), specification.name + ".gemm." + name);
      const auto index = static_cast<std::size_t>(format->value);
      formats[index] = fit.profile;
      if (format->value == DType::bf16) reference = DType::bf16;
      profile.fits.push_back({name + " products", fit.quality, fit.constants});
    }
    fit_layouts(specification, reference, profile);
    for (hardware::GemmProfile& format : formats) {
      const FlopsPerSecond peak = format.peak;
      const hardware::GemmProfile& known = formats[static_cast<std::size_t>(reference)];
      if (peak.value() > 0.0 && format.efficiency == 0.0) format = known;
      format.peak = peak;
      if (peak.value() == 0.0) continue;
      format.input_gradient_slowdown = known.input_gradient_slowdown;
      format.weight_gradient_slowdown = known.weight_gradient_slowdown;
    }
  }

  void fit_layouts(const DeviceSpecification& specification, DType reference, DeviceProfile& profile) {
    const Selector* forward = find(specification.layouts, "forward");
    if (forward == nullptr) return;
    hardware::GemmProfile& known = profile.device.gemm[static_cast<std::size_t>(reference)];
    const double level = layout_factor(profile.device, reference, products(*forward));
    for (const auto& [name, factor] :
         std::map<std::string, double*>{{"input_gradient", &known.input_gradient_slowdown},
                                        {"weight_gradient", &known.weight_gradient_slowdown}}) {
      const Selector* selector = find(specification.layouts, name);
      if (selector == nullptr) continue;
      const auto samples = products(*selector);
      *factor = rounded(layout_factor(profile.device, reference, samples) / level);
      profile.fits.push_back({name, judge(samples.size(), {}), 1});
    }
  }

  std::vector<AttentionSample> kernels(const DeviceSpecification& specification, const std::string& name) {
    const Selector* selector = find(specification.attention, name);
    if (selector == nullptr) return {};
    auto samples = select(samples_.attention, *selector);
    const bool forward = name != "backward";
    samples.erase(std::remove_if(samples.begin(), samples.end(),
                                 [&](const AttentionSample& sample) {
                                   return !is_training_like(sample, specification.facts.multiprocessors) ||
                                          (sample.pass == AttentionPass::forward) != forward;
                                 }),
                  samples.end());
    note_sources(samples, sources_);
    return samples;
  }

  void fit_attention_of(const DeviceSpecification& specification, DeviceProfile& profile) {
    if (specification.attention.empty()) return;
    AttentionSamples samples{kernels(specification, "forward"), kernels(specification, "backward"), 0.0};
    if (!specification.backward_like.empty()) {
      const std::set<std::string> sources = sources_;
      const hardware::AttentionProfile& other = this->profile(specification.backward_like).device.attention;
      sources_ = sources;
      samples.backward_over_forward = other.backward_efficiency / other.forward_efficiency;
    } else if (samples.backward.empty()) {
      refuse(specification.name + ".attention.backward", "", "no samples, and no backward_like");
    }
    const AttentionFit fit = fit_attention(profile.device, samples, specification.name + ".attention");
    profile.device.attention = fit.profile;
    profile.fits.push_back({"attention", fit.quality, fit.constants});
  }

  void describe(const DeviceSpecification& specification, DeviceProfile& profile) const {
    std::string text = specification.notes;
    double deviation = 0.0;
    for (const FitReport& fit : profile.fits) {
      text += " " + fit.what + ": ";
      text += fit.quality.held_out > 0 ? to_string(fit.quality) : std::to_string(fit.quality.samples) + " samples";
      text += ".";
      if (fit.what.find("16 products") != std::string::npos) deviation = fit.quality.p90 / kP90OverDeviation;
    }
    std::string sources;
    for (const std::string& source : sources_) input::add_word(sources, source, "; ");
    profile.device.provenance = text + " Samples: " + sources + ".";
    profile.device.error = rounded(std::hypot(kLeftInARun * deviation, specification.further_error));
  }

  const Specifications& specifications_;
  const Samples& samples_;
  std::map<std::string, DeviceProfile> profiles_;
  std::set<std::string> begun_;
  std::set<std::string> sources_;
};

}  // namespace

std::vector<DeviceProfile> calibrate_devices(const Specifications& specifications, const Samples& samples) {
  Calibrator calibrator{specifications, samples};
  std::vector<DeviceProfile> profiles;
  for (const DeviceSpecification& each : specifications.devices) profiles.push_back(calibrator.profile(each.name));
  return profiles;
}

}  // namespace shardsim::calibrate
