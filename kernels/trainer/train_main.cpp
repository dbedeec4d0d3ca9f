// shardsim train: one rank of the training, started alone or by mpirun or srun.
#include <iostream>

#include "kernels/communicator/failure.hpp"
#include "kernels/trainer/launch.hpp"
#include "kernels/trainer/train.hpp"

int main(int argc, char** argv) {
  using namespace shardsim;
  const cli::Arguments words{argv + 1, argv + argc};
  if (kernels::asks_for_ranks(words)) {
    try {
      kernels::become_launcher(words);
    } catch (const InputError&) {
      const kernels::Failure failure = kernels::current_failure();
      kernels::print_failure(failure, 0, 1);
      return failure.exit_code;
    }
  }
  kernels::become_gpu_program(words);
  return kernels::run_session([&](kernels::Session& session) {
    Problems problems;
    const kernels::TrainOptions options = kernels::parse_train_options(words, problems);
    if (options.help) {
      if (session.rank() == 0) std::cout << kernels::train_help();
      return 0;
    }
    return kernels::train(session, options, problems);
  });
}
