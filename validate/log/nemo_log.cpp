// NeMo: nemo/lightning/pytorch/callbacks/progress_printer.py (ProgressPrinter.format_string), and the progress bar of
// PyTorch Lightning in earlier versions ("Epoch 0: … global_step=99.00, train_step_timing in s=3.130").
#include "validate/log/fields.hpp"
#include "validate/log/reader.hpp"

namespace shardsim::validate::log {

bool read_nemo_line(std::string_view line, int number, TrainingLog& log) {
  auto seconds = number_after(line, "train_step_timing in s:");
  if (!seconds) seconds = number_after(line, "train_step_timing in s=");
  if (!seconds) return false;
  auto step = integer_after(line, "global_step:");
  if (!step) step = integer_after(line, "global_step=");
  if (!step) return false;
  Iteration entry;
  entry.line = number;
  entry.number = *step;
  entry.seconds = *seconds;
  entry.global_batch_size = integer_after(line, "global_batch_size:");
  entry.tflops_per_gpu = number_after(line, "TFLOPS_per_GPU:");
  if (!entry.tflops_per_gpu) entry.tflops_per_gpu = number_after(line, "tflops_per_sec_per_gpu:");
  add_iteration(entry, log);
  return true;
}

}  // namespace shardsim::validate::log
