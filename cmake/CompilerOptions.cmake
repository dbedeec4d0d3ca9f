# shardsim_options: what every target of the project is compiled with.
add_library(shardsim_options INTERFACE)
target_include_directories(shardsim_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(shardsim_options INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wconversion;-Wshadow>"
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${SHARDSIM_WERROR}>>:-Werror>)
# GCC 12 warns wrongly of std::string's own operator+ (GCC bug 105651) and of temporaries of braced aggregates.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(shardsim_options INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict;-Wno-maybe-uninitialized>")
endif()
if(SHARDSIM_SANITIZE)
  set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=undefined)
  target_compile_options(shardsim_options INTERFACE ${sanitizers} -fno-omit-frame-pointer)
  target_link_options(shardsim_options INTERFACE ${sanitizers})
endif()

if(SHARDSIM_CCACHE)
  find_program(CCACHE ccache)
  if(CCACHE)
    # Relative paths, so that every checkout shares one cache.
    set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE})
  endif()
endif()
