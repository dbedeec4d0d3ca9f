// A job in which rank 1 goes wrong in the way that the first argument names; the other ranks go on as they should.
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <thread>

#include "kernels/communicator/session.hpp"
#include "sim/base/problems.hpp"

namespace shardsim::kernels {
namespace {

constexpr Seconds kTimeout{2.0};

struct Job {
  Session& session;
  std::unique_ptr<Communicator> world;
  std::array<float, 8> values{};

  [[nodiscard]] bool wrong() const { return session.rank() == 1; }
  [[nodiscard]] Matrix row(std::int64_t count, DType dtype = DType::fp32) {
    return {values.data(), dtype, 1, count, count};
  }
  void reduce(std::int64_t count = 8) { world->all_reduce(row(count), Reduction::sum); }
};

using Mistake = std::function<void(Job&)>;

const std::map<std::string, Mistake>& mistakes() {
  static const std::map<std::string, Mistake> all = {
      {"exits",
       [](Job& job) {
         if (job.wrong()) _exit(3);
         job.reduce();
       }},
      {"exits_with_success",
       [](Job& job) {
         if (job.wrong()) _exit(0);
         job.reduce();
       }},
      {"is_killed",
       [](Job& job) {
         if (job.wrong()) std::raise(SIGKILL);
         job.reduce();
       }},
      {"throws",
       [](Job& job) {
         // What is under way must not keep the exception from coming out.
         const auto running = job.world->start_all_reduce(job.row(4), Reduction::sum);
         if (job.wrong()) throw std::runtime_error("no space left on device");
         job.reduce();
       }},
      {"all_refuse",
       [](Job& /*job*/) {
         throw InputError({Problem{{"corpus.txt", 0, ""}, "", "", "is empty"}});
       }},
      {"hangs",
       [](Job& job) {
         if (job.wrong()) std::this_thread::sleep_for(std::chrono::minutes(5));
         job.reduce();
       }},
      {"skips",
       [](Job& job) {
         if (!job.wrong()) job.reduce();
       }},
      {"other_size", [](Job& job) { job.reduce(job.wrong() ? 4 : 8); }},
      {"other_format",
       [](Job& job) { job.world->all_reduce(job.row(8, job.wrong() ? DType::bf16 : DType::fp32), Reduction::sum); }},
      {"other_kind",
       [](Job& job) {
         if (job.wrong()) {
           job.world->broadcast(job.row(8), 2);
         } else {
           job.reduce();
         }
       }},
      {"in_a_subgroup",
       [](Job& job) {
         // Ranks 1 and 3 of 4.
         const auto odd = job.world->split(job.session.rank() % 2, 0);
         odd->all_reduce(job.row(job.wrong() ? 2 : 3), Reduction::maximum);
       }},
      {"other_message_size",
       [](Job& job) {
         if (job.session.rank() == 0) job.world->start_send(job.row(8), 1)->wait();
         if (job.wrong()) job.world->start_receive(job.row(6), 0)->wait();
       }},
      {"nothing", [](Job& job) { job.reduce(); }},
  };
  return all;
}

int run(Session& session, const std::string& mistake, bool checked) {
  session.watchdog().set_timeout(kTimeout);
  Job job{session, checked ? session.checked_world() : session.world()};
  job.reduce();
  mistakes().at(mistake)(job);
  return 0;
}

}  // namespace
}  // namespace shardsim::kernels

int main(int argc, char** argv) {
  using namespace shardsim::kernels;
  if (argc < 2 || mistakes().count(argv[1]) == 0) return 64;
  const bool checked = argc > 2 && std::string(argv[2]) == "--check-collectives";
  return run_session([&](Session& session) { return run(session, argv[1], checked); });
}
