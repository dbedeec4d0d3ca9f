#include "kernels/trainer/record_file.hpp"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <sstream>

#include "kernels/trainer/operator_names.hpp"
#include "sim/base/problems.hpp"
#include "sim/model/enum_text.hpp"

namespace shardsim::kernels {
namespace {

/// Host bytes as a matrix that a communicator carries unchanged.
Matrix as_matrix(std::vector<std::int32_t>& words) {
  const auto count = static_cast<std::int64_t>(words.size());
  return {words.data(), DType::fp32, 1, count, count};
}

}  // namespace

std::vector<std::string> gather_texts(Communicator& world, const std::string& text) {
  std::vector<std::int32_t> size{static_cast<std::int32_t>(text.size())};
  std::vector<std::int32_t> words((text.size() + 3) / 4 + 1);
  if (world.rank() != 0) {
    std::memcpy(words.data(), text.data(), text.size());
    world.start_send(as_matrix(size), 0)->wait();
    world.start_send(as_matrix(words), 0)->wait();
    return {};
  }
  std::vector<std::string> all{text};
  for (int rank = 1; rank < world.size(); ++rank) {
    world.start_receive(as_matrix(size), rank)->wait();
    const auto bytes = static_cast<std::size_t>(size.front());
    words.assign((bytes + 3) / 4 + 1, 0);
    world.start_receive(as_matrix(words), rank)->wait();
    all.emplace_back(reinterpret_cast<const char*>(words.data()), bytes);
  }
  return all;
}

std::string record_lines(const Recording& recording, std::int64_t rank, std::int64_t iteration) {
  std::ostringstream lines;
  lines.precision(9);
  for (const ExecutedOperator& executed : recording.operators()) {
    const model::Operator& op = executed.op;
    lines << R"({"rank":)" << rank << R"(,"iteration":)" << iteration << R"(,"name":")" << op.name << R"(","kind":")"
          << name_of(op.kind) << R"(","pass":")" << name_of(op.pass) << R"(","group":")" << name_of(op.group)
          << R"(","dtype":")" << model::choice_text(op.dtype) << R"(","shape":[)" << op.shape.m << ',' << op.shape.n
          << ',' << op.shape.k << ',' << op.shape.batch << R"(],"bytes":)" << op.bytes.value() << R"(,"flops":)"
          << op.flops.value() << R"(,"micro_batch":)" << executed.micro_batch << R"(,"chunk":)" << executed.chunk
          << R"(,"start":)" << executed.start - recording.start() << R"(,"end":)" << executed.end - recording.start()
          << "}\n";
  }
  return lines.str();
}

NewFile::NewFile(std::string path) : path_{std::move(path)}, temporary_{path_ + ".unfinished"}, out_{temporary_} {
  if (!out_) fail();
}

NewFile::~NewFile() {
  if (!finished_) std::remove(temporary_.c_str());
}

void NewFile::write(const std::string& text) {
  if (!(out_ << text)) fail();
}

void NewFile::finish() {
  out_.close();
  if (!out_ || std::rename(temporary_.c_str(), path_.c_str()) != 0) fail();
  finished_ = true;
}

void NewFile::fail() const {
  throw InputError({Problem{{path_, 0, ""}, "", "", "cannot be written: " + std::string(std::strerror(errno))}});
}

}  // namespace shardsim::kernels
