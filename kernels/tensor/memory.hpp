// Memory of one rank with a component tag on every allocation: what lives, its peak, and when.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "sim/base/units.hpp"

namespace shardsim::kernels {

/// The components of shardsim::memory::StageMemory.
enum class Component { parameters, gradients, optimizer, activations, temporaries, logits, workspace };
inline constexpr std::size_t kComponents = 7;
inline constexpr std::array<std::string_view, kComponents> kComponentNames = {
    "parameters", "gradients", "optimizer", "activations", "temporaries", "logits", "workspace"};

/// Bytes by component at one moment.
struct Usage {
  std::array<Bytes, kComponents> by_component{};
  [[nodiscard]] Bytes total() const {
    Bytes sum{0};
    for (const Bytes bytes : by_component) sum += bytes;
    return sum;
  }
  [[nodiscard]] Bytes operator[](Component component) const {
    return by_component[static_cast<std::size_t>(component)];
  }
};

/// Sees every change of the memory in use (the recorder's timeline).
class MemoryObserver {
 public:
  virtual ~MemoryObserver() = default;
  virtual void changed(const Usage& now) = 0;
};

/// A device that cannot hold what was asked for.
class OutOfMemory : public std::runtime_error {
 public:
  OutOfMemory(Bytes asked, const std::string& where);
};

/// Where raw bytes come from: the host's heap or a GPU. Throws OutOfMemory.
class RawMemory {
 public:
  virtual ~RawMemory() = default;
  [[nodiscard]] virtual void* allocate(Bytes size) = 0;
  virtual void release(void* data) noexcept = 0;
};

/// Counts exactly what was asked for (no rounding). Reuses nothing and hides nothing: a pool belongs in RawMemory.
class Memory {
 public:
  explicit Memory(std::unique_ptr<RawMemory> raw, MemoryObserver* observer = nullptr);
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory();

  [[nodiscard]] void* allocate(Bytes size, Component component);
  void release(void* data, Bytes size, Component component) noexcept;

  [[nodiscard]] const Usage& now() const { return now_; }
  /// The usage at the moment of the largest total since the last reset.
  [[nodiscard]] const Usage& peak() const { return peak_; }
  void reset_peak() { peak_ = now_; }

 private:
  std::unique_ptr<RawMemory> raw_;
  MemoryObserver* observer_;
  Usage now_;
  Usage peak_;
};

}  // namespace shardsim::kernels
