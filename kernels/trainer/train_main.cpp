// shardsim train: one rank of the training, started alone or by mpirun or srun.
#include <iostream>

#include "kernels/trainer/train.hpp"

int main(int argc, char** argv) {
  using namespace shardsim;
  return kernels::run_session([&](kernels::Session& session) {
    Problems problems;
    const kernels::TrainOptions options = kernels::parse_train_options({argv + 1, argv + argc}, problems);
    if (options.help) {
      if (session.rank() == 0) std::cout << kernels::train_help();
      return 0;
    }
    return kernels::train(session, options, problems);
  });
}
