// --record: every executed operator of every rank, a JSON object a line.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "kernels/communicator/communicator.hpp"
#include "kernels/trainer/recording.hpp"

namespace shardsim::kernels {

/// Texts of all ranks in rank order, on rank 0; empty elsewhere. Collective.
[[nodiscard]] std::vector<std::string> gather_texts(Communicator& world, const std::string& text);

/// One line per operator: rank, iteration, name, kind, pass, group, dtype, shape [m, n, k, batch], bytes, flops,
/// micro_batch, chunk, start and end in seconds since the iteration began.
[[nodiscard]] std::string record_lines(const Recording& recording, std::int64_t rank, std::int64_t iteration);

/// A file that appears under its name when it is complete. Throws InputError where it cannot be written.
class NewFile {
 public:
  explicit NewFile(std::string path);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void write(const std::string& text);
  void finish();

 private:
  [[noreturn]] void fail() const;

  std::string path_;
  std::string temporary_;
  std::ofstream out_;
  bool finished_ = false;
};

}  // namespace shardsim::kernels
