// main() of GoogleTest binaries that run as several ranks: rank 0 prints, a failure on any rank fails all.
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/support/mpi_test.hpp"

namespace shardsim::test {
namespace {

kernels::Session* the_session = nullptr;

/// Ranks other than 0 print failures only.
class FailurePrinter : public ::testing::EmptyTestEventListener {
 public:
  explicit FailurePrinter(int rank) : rank_{rank} {}
  void OnTestPartResult(const ::testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::printf("rank %d: %s:%d: %s\n", rank_, result.file_name() != nullptr ? result.file_name() : "?",
                result.line_number(), result.message());
    std::fflush(stdout);
  }

 private:
  int rank_;
};

int run(kernels::Session& session) {
  the_session = &session;
  if (session.rank() > 0) {
    ::testing::TestEventListeners& listeners = ::testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailurePrinter(session.rank()));
  }
  const int failed = RUN_ALL_TESTS();
  return session.world()->all_reduce_value(failed, kernels::Reduction::maximum) > 0.0 ? 1 : 0;
}

}  // namespace

kernels::Session& session() { return *the_session; }

}  // namespace shardsim::test

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  return shardsim::kernels::run_session(shardsim::test::run);
}
