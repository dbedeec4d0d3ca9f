// shardsim plan under mpirun: every rank searches its part, the first one tells.
#include <mpi.h>

#include <numeric>
#include <utility>
#include <vector>

#include "kernels/communicator/session.hpp"
#include "sim/cli/plan.hpp"
#include "sim/plan/packed.hpp"

namespace {

using namespace shardsim;
using Numbers = std::vector<std::int64_t>;

/// Every rank's numbers on the first rank, in rank order.
std::vector<Numbers> gather(const Numbers& own, int rank, int size) {
  const int count = static_cast<int>(own.size());
  std::vector<int> counts(static_cast<std::size_t>(size));
  MPI_Gather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
  std::vector<int> starts(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), starts.begin(), 0);
  Numbers all(static_cast<std::size_t>(rank == 0 ? starts.back() + counts.back() : 0));
  MPI_Gatherv(own.data(), count, MPI_INT64_T, all.data(), counts.data(), starts.data(), MPI_INT64_T, 0, MPI_COMM_WORLD);
  std::vector<Numbers> parts;
  for (std::size_t i = 0; rank == 0 && i < counts.size(); ++i) {
    parts.emplace_back(all.begin() + starts[i], all.begin() + starts[i] + counts[i]);
  }
  return parts;
}

}  // namespace

int main(int argc, char** argv) {
  const cli::Arguments arguments{argv + 1, argv + argc};
  return kernels::run_session([&](kernels::Session& session) {
    const int rank = session.rank();
    const int size = session.size();
    const auto gathered = [&](const model::Scenario& base, plan::SearchResult part, std::size_t best) {
      std::vector<plan::SearchResult> parts;
      for (const Numbers& numbers : gather(plan::packed(part), rank, size)) {
        parts.push_back(plan::unpacked(base, numbers));
      }
      return plan::merged(std::move(parts), best);
    };
    return cli::run_plan(arguments, {rank, size, gathered});
  });
}
