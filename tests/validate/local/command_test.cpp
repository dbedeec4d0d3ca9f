// The command itself, on this machine: wide limits, since neighbours must not fail a build.
#include <gtest/gtest.h>

#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/process.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/validate/local/profile.hpp"

namespace shardsim::validate {
namespace {

test::Outcome validate_locally(const std::string& arguments, const std::string& environment = "") {
  return test::run_shell(environment + " '" + test::shardsim_path() + "' validate --local " + arguments);
}

bool has_mpirun() { return test::run_shell("command -v mpirun").code == 0; }

std::string percent(const nlohmann::json& errors) {
  const auto text = [&](const char* what) { return std::to_string(100.0 * errors.at(what).get<double>()); };
  return "median " + text("median") + " %, worst " + text("max") + " %";
}

// The short version of the whole loop: calibrates, predicts, trains, compares.
TEST(ValidateLocalCommand, PredictsQuickRunsOfThisMachine) {
  if (!has_mpirun()) GTEST_SKIP() << "mpirun is not installed: it starts the runs";
  const test::TemporaryFolder folder;
  const std::string csv = folder.path() / "jobs.csv";
  const test::Outcome outcome = validate_locally("--quick --format json --csv '" + csv + "'");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  std::cout << "steps: " << percent(json.at("time")) << "\nallocated: " << percent(json.at("memory"))
            << "\nresident: " << percent(json.at("resident")) << "\nrank correlation: " << json.at("rank_correlation")
            << '\n';
  EXPECT_EQ(json.at("scored"), json.at("rows"));
  EXPECT_GE(json.at("rows"), 3);
  EXPECT_LT(json.at("time").at("median"), 0.5);
  EXPECT_LT(json.at("memory").at("max"), 0.005);
  EXPECT_LT(json.at("resident").at("max"), 0.2);
  EXPECT_TRUE(std::filesystem::exists(csv));
}

TEST(ValidateLocalCommand, SaysWhatIsMissing) {
  const test::TemporaryFolder folder;
  const std::string profile = folder.file("profile.toml", local::kProfile);
  const test::Outcome no_profile = validate_locally("--profile /nowhere.toml");
  EXPECT_EQ(no_profile.code, 2);
  EXPECT_NE(no_profile.err.find("/nowhere.toml: cannot be read"), std::string::npos) << no_profile.err;
  const test::Outcome no_mpirun = validate_locally("--profile '" + profile + "'", "PATH=/nowhere");
  EXPECT_EQ(no_mpirun.code, 2);
  EXPECT_NE(no_mpirun.err.find("install openmpi-bin"), std::string::npos) << no_mpirun.err;
  const test::Outcome unwritable = validate_locally("--profile '" + profile + "' --csv /nowhere/jobs.csv");
  EXPECT_EQ(unwritable.code, 2);
  EXPECT_NE(unwritable.err.find("/nowhere/jobs.csv: cannot be written"), std::string::npos) << unwritable.err;
}

// Every rank dies in its first run; rows say so, and nothing is written.
TEST(ValidateLocalCommand, RunsThatFailAreNamed) {
  if (!has_mpirun()) GTEST_SKIP() << "mpirun is not installed: it starts the runs";
  const test::TemporaryFolder folder;
  const std::string profile = folder.file("profile.toml", local::kProfile);
  const std::string csv = folder.path() / "jobs.csv";
  const test::Outcome outcome =
      validate_locally("--quick --profile '" + profile + "' --csv '" + csv + "'", "ulimit -v 400000;");
  EXPECT_EQ(outcome.code, 2) << outcome.out;
  EXPECT_NE(outcome.out.find("FAILED: exit code"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("0 of "), std::string::npos) << outcome.out;
  EXPECT_FALSE(std::filesystem::exists(csv));
}

}  // namespace
}  // namespace shardsim::validate
