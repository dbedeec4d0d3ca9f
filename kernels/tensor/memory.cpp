#include "kernels/tensor/memory.hpp"

#include <utility>

#include "sim/base/check.hpp"

namespace shardsim::kernels {

OutOfMemory::OutOfMemory(Bytes asked, const std::string& where)
    : std::runtime_error("out of memory: " + where + " has no room for " + std::to_string(asked.value()) +
                         " more bytes") {}

Memory::Memory(std::unique_ptr<RawMemory> raw, MemoryObserver* observer) : raw_{std::move(raw)}, observer_{observer} {}

Memory::~Memory() = default;

void* Memory::allocate(Bytes size, Component component) {
  SHARDSIM_CHECK(size >= Bytes{0}, std::to_string(size.value()) + " bytes");
  void* data = raw_->allocate(size);
  now_.by_component[static_cast<std::size_t>(component)] += size;
  if (now_.total() > peak_.total()) peak_ = now_;
  if (observer_ != nullptr) observer_->changed(now_);
  return data;
}

void Memory::release(void* data, Bytes size, Component component) noexcept {
  raw_->release(data);
  now_.by_component[static_cast<std::size_t>(component)] -= size;
  if (observer_ != nullptr) observer_->changed(now_);
}

}  // namespace shardsim::kernels
