# Fuzzing: definitions of targets.

set(TC_FUZZ_CORPUS "${PROJECT_SOURCE_DIR}/test/Fuzz/Corpus")

if(TC_ENABLE_FUZZERS)
  add_custom_target(fuzzers)
endif()

# tc_add_fuzz_target(NAME sources... [MLIR] [LINK libs...]): with fuzzers
# enabled a libFuzzer program; otherwise a program that replays inputs, which
# ctest runs over the corpus.
function(tc_add_fuzz_target name)
  cmake_parse_arguments(ARG "MLIR" "" "LINK" ${ARGN})
  add_executable(${name} ${name}.cpp ${ARG_UNPARSED_ARGUMENTS})
  tc_target_defaults(${name})
  tc_use_sanitizer_options(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  if(ARG_MLIR)
    tc_use_mlir(${name})
  else()
    tc_use_precompiled_standard(${name})
  endif()
  if(TC_ENABLE_FUZZERS)
    add_dependencies(fuzzers ${name})
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  else()
    if(NOT TARGET TCReplayMain)
      add_library(TCReplayMain OBJECT ReplayMain.cpp)
      tc_target_defaults(TCReplayMain)
      tc_use_precompiled_standard(TCReplayMain)
    endif()
    target_link_libraries(${name} PRIVATE TCReplayMain)
    add_test(NAME fuzz-corpus.${name}
      COMMAND ${name} "${TC_FUZZ_CORPUS}/${name}")
  endif()
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/fuzz")
endfunction()
