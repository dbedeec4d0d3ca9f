// The operators of sim/model's list as a rank executes them: each call runs one of them and records it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/communicator/communicator.hpp"
#include "kernels/operators/backend.hpp"
#include "sim/model/operators.hpp"

namespace shardsim::kernels {

/// Seconds since the start of the run, and the operator as executed. launches and overlapped are not recorded.
struct ExecutedOperator {
  model::Operator op;
  double start = 0.0;
  double end = 0.0;
  std::int64_t micro_batch = -1;
  std::int64_t chunk = 0;
};

/// Keeps what was executed, or nothing. On a GPU times are those of the host's calls unless synchronised.
class Recorder {
 public:
  virtual ~Recorder() = default;
  virtual void executed(const ExecutedOperator& op) = 0;
};

/// Where a rank is in the iteration; stamped on what is recorded.
struct Position {
  std::int64_t micro_batch = -1;
  std::int64_t chunk = 0;
};

/// Backend + recorder. Callers do `operations.run(op, [&](Backend& b) { b.gemm(…); })` with `op` made by the builders
/// of sim/model/operator_builders.hpp from the shapes really passed, never copied from the predicted list.
class Operations {
 public:
  Operations(Backend& backend, Recorder* recorder) : backend_{&backend}, recorder_{recorder} {}

  template <class Work>
  void run(const model::Operator& op, Work&& work) {
    if (recorder_ == nullptr) {
      work(*backend_);
      return;
    }
    const double start = now();
    work(*backend_);
    recorder_->executed({op, start, now(), position.micro_batch, position.chunk});
  }
  /// For work that is no operator of the list (copies of bookkeeping size).
  [[nodiscard]] Backend& backend() { return *backend_; }
  [[nodiscard]] static double now();

  Position position;

 private:
  Backend* backend_;
  Recorder* recorder_;
};

}  // namespace shardsim::kernels
