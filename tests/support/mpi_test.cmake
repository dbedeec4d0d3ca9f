# shardsim_mpi_test(name RANKS n… SOURCES files… LIBRARIES libs…): one GoogleTest binary, run once for each number of
# ranks under mpirun as the ctest test <name>_np<n> (label mpi). Rank 0 prints; a failure on any rank fails. Without MPI
# only RANKS 1 is run, as a plain process. Tests get their communicator from tests/support/mpi_test.hpp.
function(shardsim_mpi_test name)
  cmake_parse_arguments(ARG "" "" "RANKS;SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LIBRARIES} shardsim_mpi_test_main)
  target_compile_definitions(${name} PRIVATE SHARDSIM_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  foreach(ranks ${ARG_RANKS})
    if(TARGET shardsim_mpi)
      shardsim_mpirun(launcher ${ranks})
    elseif(ranks EQUAL 1)
      set(launcher "")
    else()
      continue()
    endif()
    add_test(NAME ${name}_np${ranks} COMMAND ${launcher} $<TARGET_FILE:${name}>)
    shardsim_mpi_test_properties(${name}_np${ranks} ${ranks})
  endforeach()
endfunction()

# What a test that calls mpirun needs, whoever writes its command.
function(shardsim_mpi_test_properties test ranks)
  # Open MPI refuses to run as root unless told twice. Its own leaks are not ours.
  set(environment ASAN_OPTIONS=detect_leaks=0)
  if(SHARDSIM_USER_ID EQUAL 0)
    list(APPEND environment OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1)
  endif()
  set_tests_properties(${test} PROPERTIES LABELS mpi PROCESSORS ${ranks} TIMEOUT 300 ENVIRONMENT "${environment}")
endfunction()

# shardsim_mpirun(variable ranks): the command that starts `ranks` ranks.
function(shardsim_mpirun variable ranks)
  set(command ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks})
  if(SHARDSIM_OPEN_MPI)
    # Ranks stay on this machine, may share its cores with other tests, and give way while they wait.
    list(APPEND command --bind-to none --mca btl self,vader --mca btl_vader_single_copy_mechanism none
      --mca mpi_yield_when_idle 1)
    cmake_host_system_information(RESULT cores QUERY NUMBER_OF_PHYSICAL_CORES)
    if(ranks GREATER cores)
      list(APPEND command --oversubscribe)
    endif()
  endif()
  set(${variable} ${command} PARENT_SCOPE)
endfunction()

execute_process(COMMAND id -u OUTPUT_VARIABLE SHARDSIM_USER_ID OUTPUT_STRIP_TRAILING_WHITESPACE)
if(TARGET shardsim_mpi)
  execute_process(COMMAND ${MPIEXEC_EXECUTABLE} --version OUTPUT_VARIABLE version ERROR_QUIET)
  if(version MATCHES "Open MPI|OpenRTE")
    set(SHARDSIM_OPEN_MPI TRUE)
  endif()
endif()
