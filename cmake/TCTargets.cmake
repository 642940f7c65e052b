include(TCPrecompiledHeaders)

# Thin wrappers that give every target of the project the same warnings,
# include folders and, where it needs them, the shared LLVM and MLIR libraries.

function(tc_target_defaults target)
  target_include_directories(${target} PUBLIC
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
    "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>"
    "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wshadow -Wno-unused-parameter
    $<$<BOOL:${TC_WARNINGS_AS_ERRORS}>:-Werror>)
endfunction()

# One of LLVM's shared libraries, but nothing in a program that carries the static
# archives: both would register LLVM's options and MLIR's types twice.
function(tc_link_shared_llvm target library)
  target_link_libraries(${target} PUBLIC
    "$<BUILD_INTERFACE:$<$<NOT:$<BOOL:$<TARGET_PROPERTY:TC_STATIC_LLVM>>>:${library}>>"
    "$<INSTALL_INTERFACE:${library}>")
endfunction()

# Where the headers are, the installed package finds out by itself.
function(tc_use_llvm target)
  target_include_directories(${target} SYSTEM PUBLIC
    "$<BUILD_INTERFACE:${LLVM_INCLUDE_DIRS}>")
  target_compile_definitions(${target} PUBLIC ${LLVM_DEFINITIONS_LIST})
  if(TC_HAS_ASSERTIONS)
    target_compile_options(${target} PRIVATE
      "SHELL:-include ${PROJECT_SOURCE_DIR}/cmake/StatisticsOfRelease.h")
  endif()
  tc_link_shared_llvm(${target} LLVM)
endfunction()

function(tc_use_mlir target)
  target_include_directories(${target} SYSTEM PUBLIC
    "$<BUILD_INTERFACE:${MLIR_INCLUDE_DIRS}>")
  tc_link_shared_llvm(${target} MLIR)
  tc_use_llvm(${target})
  tc_use_precompiled_mlir(${target})
endfunction()

set(TC_BATCH 8 CACHE STRING
    "How many sources of a library are compiled at a time; with 1, each is by itself")

# Compiles so many sources of a target at a time, or all of them with 0, as most of the
# time goes into headers and into templates that all of them instantiate. Names that
# files have for themselves must then differ within a batch. Sources with
# SKIP_UNITY_BUILD_INCLUSION, or with options of their own, are compiled alone.
function(tc_compile_in_batches target number)
  if(NOT number EQUAL 1)
    set_target_properties(${target} PROPERTIES
      UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${number})
  endif()
endfunction()

# tc_add_library(NAME sources... [MLIR] [BATCH number] [OPTIONS flags...] [LINK libs...]
#   [DEPENDS targets...]): with options of its own it shares no precompiled headers.
# Sources are compiled TC_BATCH or BATCH at a time, and those of libraries in
# TC_UNITY_LIBRARIES all at once, for builds that are made once.
function(tc_add_library name)
  cmake_parse_arguments(ARG "MLIR" "BATCH" "OPTIONS;LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  if(name IN_LIST TC_UNITY_LIBRARIES)
    set(ARG_BATCH 0)
  elseif(NOT DEFINED ARG_BATCH)
    set(ARG_BATCH ${TC_BATCH})
  endif()
  tc_compile_in_batches(${name} ${ARG_BATCH})
  tc_target_defaults(${name})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  target_compile_options(${name} PRIVATE ${ARG_OPTIONS})
  if(ARG_MLIR)
    tc_use_mlir(${name})
  elseif(NOT ARG_OPTIONS)
    tc_use_precompiled_standard(${name})
  endif()
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# What mlir-tblgen writes has names that hide others, which our warnings are about.
function(tc_includes_generated_code target)
  target_include_directories(${target} SYSTEM PRIVATE
    "${PROJECT_BINARY_DIR}/include")
endfunction()

# tc_add_tool(NAME sources... [MLIR] [STATIC] [LINK libs...]): STATIC ones carry what
# they use of LLVM.
function(tc_add_tool name)
  cmake_parse_arguments(ARG "MLIR;STATIC" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  tc_target_defaults(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  if(ARG_MLIR)
    tc_use_mlir(${name})
  else()
    tc_use_precompiled_standard(${name})
  endif()
  if(ARG_STATIC)
    tc_link_llvm_statically(${name})
  endif()
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
  install(TARGETS ${name} RUNTIME DESTINATION bin)
endfunction()

# What tests measure is in the libraries: their own code is compiled faster than
# it would run.
set(TC_TEST_OPTIONS -O0)

# Sets `result` to the libraries of `lib` among some targets and what these use.
function(tc_find_libraries result)
  set(found)
  set(seen)
  set(left ${ARGN})
  while(left)
    list(POP_FRONT left library)
    if(library IN_LIST seen OR NOT TARGET ${library})
      continue()
    endif()
    list(APPEND seen ${library})
    get_target_property(folder ${library} SOURCE_DIR)
    get_target_property(type ${library} TYPE)
    if(type STREQUAL "STATIC_LIBRARY")
      get_target_property(used ${library} LINK_LIBRARIES)
      list(APPEND left ${used})
      if(folder MATCHES "^${PROJECT_SOURCE_DIR}/lib/")
        list(APPEND found ${library})
      endif()
    endif()
  endwhile()
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

# Has a linker that takes the first definition of a template take that of the libraries,
# which is optimised, and not that of a test, which is not.
function(tc_link_libraries_first target)
  tc_find_libraries(libraries ${ARGN})
  list(TRANSFORM libraries REPLACE "(.+)" "$<TARGET_FILE:\\1>")
  list(JOIN libraries "," archives)
  if(archives)
    target_link_options(${target} PRIVATE
      "LINKER:--whole-archive,${archives},--no-whole-archive")
  endif()
endfunction()

# tc_add_unit_test(NAME sources... [MLIR] [UNLISTED] [ALONE sources...] [OPTIMIZED sources...]
#   [LINK libs...] [COST number] [BATCH number]):
# a GoogleTest program whose test cases ctest runs one by one. Sources are compiled
# six or BATCH at a time; ALONE ones are not, as they name helpers as others do.
# OPTIMIZED sources are those that enumerate so much that it would take long. Test cases
# of a larger COST run first, beside others. Those of UNLISTED programs are for the
# caller to add.
function(tc_add_unit_test name)
  cmake_parse_arguments(ARG "MLIR;UNLISTED" "BATCH;COST" "ALONE;OPTIMIZED;LINK" ${ARGN})
  if(NOT ARG_BATCH)
    set(ARG_BATCH 6)
  endif()
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS} ${ARG_ALONE})
  tc_compile_in_batches(${name} ${ARG_BATCH})
  set_source_files_properties(${ARG_ALONE} PROPERTIES
    SKIP_UNITY_BUILD_INCLUSION ON)
  tc_target_defaults(${name})
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/test/Unit")
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest GTest::gtest_main)
  if(ARG_MLIR)
    tc_use_mlir(${name})
  else()
    target_compile_options(${name} PRIVATE ${TC_TEST_OPTIONS})
    tc_use_precompiled_gtest(${name})
    tc_link_libraries_first(${name} ${ARG_LINK})
  endif()
  if(ARG_OPTIMIZED)
    add_library(${name}Optimized OBJECT ${ARG_OPTIMIZED})
    tc_target_defaults(${name}Optimized)
    target_include_directories(${name}Optimized PRIVATE
      "${PROJECT_SOURCE_DIR}/test/Unit")
    target_link_libraries(${name}Optimized PRIVATE ${ARG_LINK} GTest::gtest)
    target_link_libraries(${name} PRIVATE ${name}Optimized)
  endif()
  if(NOT ARG_COST)
    set(ARG_COST 0)
  endif()
  if(NOT ARG_UNLISTED)
    gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES COST ${ARG_COST})
  endif()
endfunction()

# tc_add_reference(NAME options...): a page that mlir-tblgen makes of
# LLVM_TARGET_DEFINITIONS, docs/NAME.md in the build folder. The target tc-doc
# makes all of them.
function(tc_add_reference name)
  mlir_tablegen(${name}.md ${ARGN})
  set(page "${PROJECT_BINARY_DIR}/docs/${name}.md")
  add_custom_command(OUTPUT "${page}"
    COMMAND ${CMAKE_COMMAND} -E copy
            "${CMAKE_CURRENT_BINARY_DIR}/${name}.md" "${page}"
    DEPENDS "${CMAKE_CURRENT_BINARY_DIR}/${name}.md")
  if(NOT TARGET tc-doc)
    add_custom_target(tc-doc)
  endif()
  add_custom_target(tc-doc-${name} DEPENDS "${page}")
  add_dependencies(tc-doc tc-doc-${name})
endfunction()
