// MPI's types and operations for our number formats: 16-bit floats have none of their own.
#pragma once

#include <mpi.h>

#include "kernels/communicator/communicator.hpp"

namespace shardsim::kernels {

/// One element of a matrix, as something to move.
[[nodiscard]] MPI_Datatype mpi_type(DType dtype);

/// User-defined reductions over 16-bit floats: each addition is done in fp32 and rounded. Create after MPI_Init,
/// destroy before MPI_Finalize.
class MpiReductions {
 public:
  MpiReductions();
  MpiReductions(const MpiReductions&) = delete;
  MpiReductions& operator=(const MpiReductions&) = delete;
  ~MpiReductions();

  [[nodiscard]] MPI_Op operation(DType dtype, Reduction reduction) const;

 private:
  MPI_Op bf16_sum_ = MPI_OP_NULL;
  MPI_Op bf16_maximum_ = MPI_OP_NULL;
  MPI_Op fp16_sum_ = MPI_OP_NULL;
  MPI_Op fp16_maximum_ = MPI_OP_NULL;
};

}  // namespace shardsim::kernels
