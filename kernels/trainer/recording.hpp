// What a rank executed and held in memory during one iteration, kept for files.
#pragma once

#include <vector>

#include "kernels/model/operations.hpp"
#include "kernels/tensor/memory.hpp"

namespace shardsim::kernels {

class Recording final : public Recorder, public MemoryObserver {
 public:
  struct Allocated {
    double time = 0.0;
    Bytes bytes{0};
  };

  void executed(const ExecutedOperator& op) override { operators_.push_back(op); }
  void changed(const Usage& now) override { memory_.push_back({Operations::now(), now.total()}); }

  /// Forgets everything; times count from here.
  void restart();
  [[nodiscard]] double start() const { return start_; }
  [[nodiscard]] const std::vector<ExecutedOperator>& operators() const { return operators_; }
  [[nodiscard]] const std::vector<Allocated>& memory() const { return memory_; }

 private:
  double start_ = 0.0;
  std::vector<ExecutedOperator> operators_;
  std::vector<Allocated> memory_;
};

}  // namespace shardsim::kernels
