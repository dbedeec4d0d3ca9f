# Writes the recorded accuracy as a C++ source file, one piece a line so that no literal is too long.
file(STRINGS "${INPUT}" lines)
set(text "")
foreach(line IN LISTS lines)
  string(APPEND text "    R\"json(${line})json\"\n")
endforeach()
file(WRITE "${OUTPUT}" "#include \"validate/accuracy_record.hpp\"

namespace shardsim::validate {

AccuracyRecord recorded_accuracy() {
  return read_accuracy_record(
${text}    , \"recorded_accuracy.json\");
}

}  // namespace shardsim::validate
")
