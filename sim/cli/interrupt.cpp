#include "sim/cli/interrupt.hpp"

#include <csignal>

namespace shardsim::cli {
namespace {

volatile std::sig_atomic_t interrupted = 0;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

}  // namespace

InterruptNoted::InterruptNoted() : before_{std::signal(SIGINT, [](int) { interrupted = 1; })} {}
InterruptNoted::~InterruptNoted() { std::signal(SIGINT, before_); }

bool InterruptNoted::was_interrupted() { return interrupted != 0; }

}  // namespace shardsim::cli
