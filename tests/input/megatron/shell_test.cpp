// Shell text as far as it tells the words of the launch.
#include <gtest/gtest.h>

#include <string>

#include "sim/input/megatron/shell_script.hpp"
#include "support.hpp"

namespace shardsim::input {
namespace {

struct Script {
  const char* name;
  std::string text;
  const char* hidden_size;
};

class Shell : public testing::TestWithParam<Script> {};

TEST_P(Shell, PutsTheValueInPlace) {
  const Reading reading = read(GetParam().text);
  EXPECT_EQ(reading.problem_text(), "");
  EXPECT_EQ(reading.value("model.hidden_size"), GetParam().hidden_size);
}

/// A launch whose hidden size is `value`.
std::string launch(const std::string& value) { return "python pretrain_gpt.py --hidden-size " + value + " --bf16\n"; }

INSTANTIATE_TEST_SUITE_P(
    Texts, Shell,
    testing::Values(
        Script{"Variable", "H=64\n" + launch("$H"), "64"}, Script{"Braces", "H=6\n" + launch("${H}4"), "64"},
        Script{"Quotes", "H='64'\n" + launch("\"$H\""), "64"}, Script{"Default", launch("${H:-64}"), "64"},
        Script{"DefaultNotUsed", "H=64\n" + launch("${H:-32}"), "64"},
        Script{"DefaultOfEmpty", "H=\n" + launch("${H:-64}"), "64"},
        Script{"DefaultWithoutColon", launch("${H-64}"), "64"},
        Script{"DefaultIsVariable", "W=64\n" + launch("${H:-$W}"), "64"},
        Script{"AssignedDefault", ": ${H:=64}\n" + launch("$H"), "64"},
        Script{"PositionalDefault", "H=${1:-64}\n" + launch("$H"), "64"},
        Script{"Arithmetic", "A=4\n" + launch("$((A * (14 + 2)))"), "64"},
        Script{"ArithmeticBraces", "A=128\n" + launch("$(( ${A}/2 ))"), "64"},
        Script{"Power", launch("$((2**6))"), "64"}, Script{"NestedNames", "A=8\nB=A*A\n" + launch("$((B))"), "64"},
        Script{"Exported", "export H=64\n" + launch("$H"), "64"},
        Script{"Appended", "ARGS=\"--hidden-size\"\nARGS+=\" 64\"\npython pretrain_gpt.py $ARGS\n", "64"},
        Script{"Array", "A=(--hidden-size 64 # comment\n --bf16)\npython pretrain_gpt.py \"${A[@]}\"\n", "64"},
        Script{"AppendedArray", "A=(--bf16)\nA+=(\n--hidden-size 64\n)\npython pretrain_gpt.py ${A[*]}\n", "64"},
        Script{"Continuation", "python pretrain_gpt.py \\\n  --hidden-size \\\n 64\n", "64"},
        Script{"ContinuationWithBlanksBehind", "python pretrain_gpt.py \\  \n  --hidden-size 64\n", "64"},
        Script{"WindowsLines", "H=64\r\npython pretrain_gpt.py \\\r\n --hidden-size $H\r\n", "64"},
        Script{"Comment", "#H=32\nH=64 # H=16\n" + launch("$H"), "64"},
        Script{"Redirected", "python pretrain_gpt.py --hidden-size 64 2>&1 | tee --hidden-size 3\n", "64"},
        Script{"HereDocument", "H=64\ncat <<EOF\nH=32\nEOF\n" + launch("$H"), "64"},
        Script{"BashC", "H=64\nsrun bash -c 'python pretrain_gpt.py --hidden-size $H'\n", "64"},
        Script{"ShellC", "H=64\nsrun sh -c \"python pretrain_gpt.py --hidden-size $H\"\n", "64"},
        Script{"CommandInVariable", "CMD=\"python pretrain_gpt.py --hidden-size 64\"\neval $CMD\n", "64"},
        Script{"If", "M=b\nH=1\nif [ \"$M\" = \"b\" ]; then\n H=64\nelse\n H=32\nfi\n" + launch("$H"), "64"},
        Script{"ElseIf", "M=2\nif [[ $M -eq 1 ]]; then H=1; elif [[ $M -eq 2 ]]; then H=64; fi\n" + launch("$H"), "64"},
        Script{"IfUnset", "H=64\nif [ -n \"$DEBUG\" ]; then\n H=8\nfi\n" + launch("$H"), "64"},
        Script{"IfBoth", "A=1\nH=8\nif [ $A -gt 0 ] && [ -z \"$X\" ]; then H=64; fi\n" + launch("$H"), "64"},
        Script{"Case", "M=7B\ncase $M in\n 1B) H=1 ;;\n 7B|8B) H=64 ;;\n *) H=2 ;;\nesac\n" + launch("$H"), "64"},
        Script{"For", "for H in 64 128; do\n" + launch("$H") + "done\n", "64"},
        Script{"Function", "run() {\n" + launch("64") + "}\nrun\n", "64"},
        Script{"FunctionWithArguments",
               "set_size() {\n local h=${1:-32}\n if (( h > 32 )); then H=$h; fi\n}\nset_size 64\n" + launch("$H"),
               "64"},
        Script{"FunctionPassesItsArguments",
               "function run {\n shift\n python pretrain_gpt.py \"$@\"\n}\nrun x --hidden-size 64\n", "64"},
        Script{"FunctionThatIsNotCalled", "run() {\n" + launch("64") + "}\ntrap run EXIT\n", "64"},
        Script{"AndThatHolds", "A=1\nH=32\n[ $A = 1 ] && H=64\n" + launch("$H"), "64"},
        Script{"AndThatDoesNotHold", "H=64\n[[ -n \"$UNSET\" ]] && H=32\n" + launch("$H"), "64"},
        Script{"OrThatHolds", "H=64\n[ -z \"$UNSET\" ] || H=32\n" + launch("$H"), "64"},
        Script{"OrAfterACommand", "cd x || H=32\nmkdir y && H=64\n" + launch("$H"), "64"},
        Script{"AndOr", "[ 1 = 2 ] && H=32 || H=64\n" + launch("$H"), "64"},
        Script{"ArithmeticCommand", "(( H = 8 * (4 + 4) ))\n" + launch("$H"), "64"},
        Script{"PreprocessingFirst", "python tools/preprocess_data.py --hidden-size 1\n" + launch("64"), "64"},
        Script{"OnlyVariables", "A=\"--hidden-size 64\"\nB=\"--bf16\"\n", "64"},
        Script{"BareLines", "--hidden-size 64\n--bf16\n", "64"}),
    [](const auto& named) { return std::string(named.param.name); });

TEST(ShellWarnings, NameWhatWasNotRead) {
  EXPECT_TRUE(read("if [ -d x ]; then\nH=1\nfi\n" + launch("64")).warns_of("line 1: the condition cannot be decided"));
  EXPECT_TRUE(read("H=64\n[ -d x ] && H=1\n" + launch("$H")).warns_of("line 2: the condition cannot be decided"));
  EXPECT_TRUE(read("case $1 in\n a) H=1 ;;\nesac\n" + launch("64")).warns_of("line 1: case of an unknown value"));
  EXPECT_TRUE(read("for H in 64 128; do\n" + launch("$H") + "done\n").warns_of("only the first value is read"));
  EXPECT_TRUE(read(launch("64") + launch("128")).warns_of("2 launches: the first is read (line 1, pretrain_gpt.py)"));
  EXPECT_TRUE(read("python pretrain_gpt.py \\\n --hidden-size 64 \\\n # note\n --bf16\n")
                  .warns_of("line 4: --bf16 stands outside"));
  EXPECT_TRUE(read("A=\"--hidden-size 64\"\n").warns_of("no launch command found"));
}

TEST(ShellArithmetic, RefusesWhatDoesNotExist) {
  const megatron::ShellVariables none;
  EXPECT_EQ(megatron::shell_arithmetic("2 + 3 * 4 - 10 / 2", none), 9);
  EXPECT_EQ(megatron::shell_arithmetic("-3 + (1 << 4) % 5", none), -2);
  for (const char* const text :
       {"", "1 /", "1 / 0", "(1", "unknown + 1", "9223372036854775807 + 1", "2 ** 64", "1 2"}) {
    EXPECT_EQ(megatron::shell_arithmetic(text, none), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace shardsim::input
