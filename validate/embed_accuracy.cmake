# Writes the recorded accuracy as a C++ source file, one piece a line so that no literal is too long.
# As one string: in a CMake list a "[" swallows the lines that follow.
file(READ "${INPUT}" text)
string(REGEX REPLACE "([^\n]+)" "    R\"json(\\1)json\"" text "${text}")
file(WRITE "${OUTPUT}" "#include \"validate/accuracy_record.hpp\"

namespace shardsim::validate {

AccuracyRecord recorded_accuracy() {
  return read_accuracy_record(
${text}    , \"recorded_accuracy.json\");
}

}  // namespace shardsim::validate
")
