#include <gtest/gtest.h>

#include "validate/log/reader.hpp"

namespace shardsim::validate::log {
namespace {

constexpr double kGib = 0x1p30;

OutOfMemory only(const std::string& text) {
  const TrainingLog log = read_training_log(text, "oom.txt");
  EXPECT_EQ(log.out_of_memory.size(), 1u);
  return log.out_of_memory.front();
}

double gib(const std::optional<Bytes>& bytes) { return bytes ? bytes->as_double() / kGib : -1.0; }

// One message in the wordings of PyTorch 1.0, 1.4, 2.1 and 2.2: what each gives of the same numbers.
TEST(OutOfMemory, EveryWordingIsRead) {
  const OutOfMemory of_1_0 = only(
      "RuntimeError: CUDA out of memory. Tried to allocate 2.34 GiB (GPU 3; 31.75 GiB total capacity; 27.50 GiB "
      "already allocated; 1.10 GiB free; 512.00 MiB cached)");
  const OutOfMemory of_1_4 = only(
      "RuntimeError: CUDA out of memory. Tried to allocate 2.34 GiB (GPU 3; 31.75 GiB total capacity; 27.50 GiB "
      "already allocated; 1.10 GiB free; 28.00 GiB reserved in total by PyTorch) If reserved memory is >> allocated "
      "memory try setting max_split_size_mb to avoid fragmentation.  See documentation for Memory Management");
  const OutOfMemory of_2_1 = only(
      "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.34 GiB. GPU 3 has a total capacty of 31.75 "
      "GiB of which 1.10 GiB is free. Process 42 has 30.65 GiB memory in use. Of the allocated memory 27.50 GiB is "
      "allocated by PyTorch, and 512.00 MiB is reserved by PyTorch but unallocated. If reserved but unallocated memory "
      "is large try setting max_split_size_mb to avoid fragmentation.");
  const OutOfMemory of_2_2 = only(
      "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.34 GiB. GPU 3 has a total capacity of 31.75 GiB "
      "of which 1.10 GiB is free. Including non-PyTorch memory, this process has 30.65 GiB memory in use. Of the "
      "allocated memory 27.50 GiB is allocated by PyTorch, with 20.00 MiB allocated in private pools (e.g., CUDA "
      "Graphs), and 512.00 MiB is reserved by PyTorch but unallocated.");
  for (const OutOfMemory* message : {&of_1_0, &of_1_4, &of_2_1, &of_2_2}) {
    EXPECT_NEAR(gib(message->tried), 2.34, 1e-6);
    EXPECT_NEAR(gib(message->rounding), 0.005, 1e-6);
    EXPECT_EQ(message->device, 3);
    EXPECT_NEAR(gib(message->capacity), 31.75, 1e-6);
    EXPECT_NEAR(gib(message->free), 1.10, 1e-6);
    EXPECT_NEAR(gib(message->allocated), 27.50, 1e-6);
    EXPECT_NEAR(gib(message->reserved), 28.00, 1e-6);
  }
  EXPECT_FALSE(of_1_4.process);
  EXPECT_NEAR(gib(of_2_2.process), 30.65, 1e-6);
}

TEST(OutOfMemory, WrappedLinesAndPrefixesAreReadThrough) {
  const OutOfMemory message = only(
      "12: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 518.00\n"
      "MiB. GPU 0 has a total\ncapacity of 5.61 GiB of which 151.88\r\nMiB is free. Of the allocated memory 5.29 GiB "
      "is\nallocated by PyTorch, and 76.48 MiB is reserved by\nPyTorch but unallocated.");
  EXPECT_NEAR(gib(message.tried) * 1024.0, 518.0, 1e-6);
  EXPECT_NEAR(gib(message.free) * 1024.0, 151.88, 1e-2);
  EXPECT_NEAR((gib(message.reserved) - gib(message.allocated)) * 1024.0, 76.48, 1e-2);
}

TEST(OutOfMemory, SeveralRanksAreSeveralMessages) {
  const std::string one =
      "CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 1.00 GiB total capacity; 900.00 MiB "
      "already allocated; 3.75 MiB free; 920.00 MiB reserved in total by PyTorch)\n";
  const TrainingLog log = read_training_log("Traceback\n  File \"cross_entropy.py\"\n" + one + one, "oom.txt");
  ASSERT_EQ(log.out_of_memory.size(), 2u);
  EXPECT_EQ(log.out_of_memory[0].line, 3);
  EXPECT_NE(log.out_of_memory[0].traceback.find("cross_entropy.py"), std::string::npos);
}

TEST(OutOfMemory, AMessageWithoutSizeIsNamed) {
  try {
    (void)read_training_log("x\nCUDA out of memory. Tried to allocate many bytes\n", "oom.txt");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(to_string(error.problems().front()), "oom.txt:2: an out-of-memory message without a size");
  }
}

}  // namespace
}  // namespace shardsim::validate::log
