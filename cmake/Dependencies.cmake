# Third-party libraries as interface targets of one naming, whatever the distribution's package calls its own
# (Debian 12 and Ubuntu 24.04 differ): shardsim_toml, shardsim_json, shardsim_yaml, shardsim_program_options.

# shardsim_dependency(name package HEADER file [LIBRARY library]): name is an interface target.
function(shardsim_dependency name package)
  cmake_parse_arguments(ARG "" "HEADER;LIBRARY" "" ${ARGN})
  add_library(${name} INTERFACE)
  find_path(${name}_include ${ARG_HEADER})
  if(NOT ${name}_include)
    message(FATAL_ERROR "${ARG_HEADER} not found: install ${package} (Debian, Ubuntu), or call ./run, which does it")
  endif()
  target_include_directories(${name} SYSTEM INTERFACE ${${name}_include})
  if(ARG_LIBRARY)
    find_library(${name}_library ${ARG_LIBRARY} REQUIRED)
    target_link_libraries(${name} INTERFACE ${${name}_library})
  endif()
endfunction()

shardsim_dependency(shardsim_toml libtomlplusplus-dev HEADER toml++/toml.h)
shardsim_dependency(shardsim_json nlohmann-json3-dev HEADER nlohmann/json.hpp)
shardsim_dependency(shardsim_yaml libyaml-cpp-dev HEADER yaml-cpp/yaml.h LIBRARY yaml-cpp)
shardsim_dependency(shardsim_program_options libboost-program-options-dev
  HEADER boost/program_options.hpp LIBRARY boost_program_options)
