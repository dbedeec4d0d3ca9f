# Writes OUTPUT, a C++ source that holds the text of every <SCENARIOS>/<kind>/<name>.toml and of the price list:
#   cmake -DSCENARIOS=… -DOUTPUT=… -P embed_presets.cmake
set(entries "")
foreach(kind models clusters devices stacks runs)
  file(GLOB files ${SCENARIOS}/${kind}/*.toml)
  foreach(file IN LISTS files)
    get_filename_component(name ${file} NAME)
    string(REGEX REPLACE "\\.toml$" "" name ${name})
    file(READ ${file} text)
    string(APPEND entries "      {\"${kind}\", \"${name}\", R\"preset(${text})preset\"},\n")
  endforeach()
endforeach()
file(READ ${SCENARIOS}/prices.toml prices)
file(WRITE ${OUTPUT} "#include \"sim/input/embedded_presets.hpp\"

namespace shardsim::input {

std::vector<Preset> embedded_presets() {
  return {
${entries}  };
}

std::string_view embedded_prices() { return R\"preset(${prices})preset\"; }

}  // namespace shardsim::input
")
