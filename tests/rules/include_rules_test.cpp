#include "tests/rules/include_rules.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/files.hpp"

namespace shardsim::rules {
namespace {

std::string reason(const std::string& file, const std::string& line) {
  const std::vector<Include> includes = includes_of(file, line);
  return includes.size() == 1 ? violation(includes.front()) : "not one include";
}

TEST(IncludeRules, AllowsWhatPointsDown) {
  EXPECT_EQ(reason("sim/cost/gemm.cpp", "#include \"sim/hardware/device.hpp\""), "");
  EXPECT_EQ(reason("sim/cost/gemm.cpp", "#include \"sim/cost/gemm.hpp\""), "");
  EXPECT_EQ(reason("sim/cost/gemm.cpp", "#include <vector>"), "");
  EXPECT_EQ(reason("sim/input/scenario_file.cpp", "#  include <toml++/toml.h>"), "");
  EXPECT_EQ(reason("sim/main.cpp", "#include \"sim/input/resolve.hpp\""), "");
}

TEST(IncludeRules, CatchesEveryKindOfViolation) {
  EXPECT_EQ(reason("sim/cost/gemm.cpp", "#include \"sim/engine/prediction.hpp\""), "cost must not include engine");
  EXPECT_EQ(reason("sim/schedule/order.hpp", "#include \"sim/cost/gemm.hpp\""), "schedule must not include cost");
  EXPECT_EQ(reason("sim/input/resolve.cpp", "#include \"sim/cost/gemm.hpp\""), "input must not include cost");
  EXPECT_EQ(reason("sim/report/table.cpp", "#include \"sim/cli/command.hpp\""), "report must not include cli");
  EXPECT_EQ(reason("sim/model/a.cpp", "#include \"kernels/gpu/gemm.hpp\""),
            "sim/ includes only sim/, by its full path");
  EXPECT_EQ(reason("sim/model/a.cpp", "#include \"a.hpp\""), "sim/ includes only sim/, by its full path");
  EXPECT_EQ(reason("sim/model/a.cpp", "#include <nlohmann/json.hpp>"), "model must not use nlohmann");
  EXPECT_EQ(reason("sim/report/a.cpp", "#include <toml++/toml.h>"), "report must not use toml++");
  EXPECT_EQ(reason("sim/input/a.cpp", "#include <mpi.h>"), "input must not use mpi.h");
  EXPECT_EQ(reason("sim/cli/a.cpp", "#include <Eigen/Dense>"), "cli must not use Eigen");
  EXPECT_EQ(reason("sim/plan/a.cpp", "#include <format>"), "the core does without <format>");
  EXPECT_EQ(reason("sim/extra/a.cpp", "#include \"sim/base/units.hpp\""), "folder extra has no rule");
  EXPECT_EQ(reason("sim/engine/event_queue.cpp", "#include \"sim/engine/closed_form.hpp\""),
            "the two engines never include each other");
  EXPECT_EQ(reason("sim/engine/closed_form_terms.cpp", "#include \"sim/engine/event.hpp\""),
            "the two engines never include each other");
}

TEST(IncludeRules, HoldForAllSources) {
  int files = 0;
  for (const std::string& file : test::source_files("sim", {".hpp", ".cpp"})) {
    ++files;
    for (const Include& include : includes_of(file, test::read_source(file))) {
      const std::string why = violation(include);
      EXPECT_EQ(why, "") << include.file << ":" << include.line << " includes " << include.header;
    }
  }
  EXPECT_GE(files, 30) << "the sources were not found";
}

TEST(FileSizes, StayReadable) {
  for (const std::string& file : test::source_files("sim", {".hpp", ".cpp"})) {
    const std::string text = test::read_source(file);
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), file == "sim/main.cpp" ? 150 : 400) << file;
  }
}

}  // namespace
}  // namespace shardsim::rules
