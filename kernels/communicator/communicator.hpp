// One group of ranks and its collectives, over MPI or NCCL. Matrices are contiguous and live in the backend's memory.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>

#include "kernels/tensor/tensor.hpp"

namespace shardsim::kernels {

enum class Reduction { sum, maximum };

/// A running operation; destroying it waits. Buffers must live until then.
class Request {
 public:
  virtual ~Request() = default;
  virtual void wait() = 0;
  /// Lets it go on where nothing else does, as MPI inside this thread; returns at once.
  virtual void advance() {}
};

/// A lost rank, a mismatched collective, a refused transfer: what() names rank and cause.
class CommunicatorError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Errors throw CommunicatorError.
class Communicator {
 public:
  virtual ~Communicator() = default;

  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  /// Ranks of equal color, ordered by key then rank (MPI_Comm_split); null for a negative color. Collective over this
  /// group.
  [[nodiscard]] virtual std::unique_ptr<Communicator> split(int color, int key) = 0;

  virtual void barrier() = 0;
  virtual void broadcast(const Matrix& buffer, int root) = 0;
  virtual void all_reduce(const Matrix& buffer, Reduction reduction) = 0;
  /// whole[size·n] = parts[n] in rank order. `part` may lie inside `whole` at its place.
  virtual void all_gather(const Matrix& part, const Matrix& whole) = 0;
  /// part[n] = this rank's share of the sum of whole[size·n]. `part` may lie inside `whole` at its place.
  virtual void reduce_scatter(const Matrix& whole, const Matrix& part) = 0;

  /// For overlap.
  [[nodiscard]] virtual std::unique_ptr<Request> start_all_reduce(const Matrix& buffer, Reduction reduction) = 0;
  [[nodiscard]] virtual std::unique_ptr<Request> start_all_gather(const Matrix& part, const Matrix& whole) = 0;
  [[nodiscard]] virtual std::unique_ptr<Request> start_reduce_scatter(const Matrix& whole, const Matrix& part) = 0;
  [[nodiscard]] virtual std::unique_ptr<Request> start_send(const Matrix& buffer, int to) = 0;
  [[nodiscard]] virtual std::unique_ptr<Request> start_receive(const Matrix& buffer, int from) = 0;

  /// Small host-side values (loss, norm, flags), in double.
  [[nodiscard]] virtual double all_reduce_value(double value, Reduction reduction) = 0;
};

/// The groups of one rank, filled in Megatron's rank order (parallelism.rank_order).
struct Groups {
  std::unique_ptr<Communicator> world;
  std::unique_ptr<Communicator> tensor;
  std::unique_ptr<Communicator> pipeline;
  std::unique_ptr<Communicator> data;
  /// First and last stage of this pipeline (tied word embedding); null elsewhere or with one stage.
  std::unique_ptr<Communicator> embedding;
  /// tensor × pipeline: one model replica.
  std::unique_ptr<Communicator> model;
};

}  // namespace shardsim::kernels
