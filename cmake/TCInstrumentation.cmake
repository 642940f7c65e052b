# Builds that watch the running code: sanitizers, for the fuzzers, too, and
# coverage.

set(TC_HAS_SANITIZERS OFF)
if(TC_ENABLE_FUZZERS OR TC_ENABLE_SANITIZERS)
  set(TC_HAS_SANITIZERS ON)
endif()
# True if assertions are on, those in LLVM's headers included. LLVM's libraries
# have them off.
set(TC_HAS_ASSERTIONS ${TC_HAS_SANITIZERS})
if(CMAKE_BUILD_TYPE STREQUAL "Debug")
  set(TC_HAS_ASSERTIONS ON)
endif()

# The shared libraries of LLVM have no type information for -fsanitize=vptr. Functions of
# the CUDA driver are called by types of our own, and those of the driver that tests have
# have others.
if(TC_HAS_SANITIZERS)
  add_compile_options(-UNDEBUG -g1 -fno-omit-frame-pointer
    -fsanitize=address,undefined -fno-sanitize=vptr,function
    -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=address,undefined -fno-sanitize=vptr,function)
endif()

# Lets a program of a build with sanitizers begin with the options that it needs.
function(tc_use_sanitizer_options target)
  if(NOT TC_HAS_SANITIZERS)
    return()
  endif()
  if(NOT TARGET TCSanitizerOptions)
    add_library(TCSanitizerOptions OBJECT
      "${PROJECT_SOURCE_DIR}/cmake/SanitizerOptions.cpp")
  endif()
  target_link_libraries(${target} PRIVATE TCSanitizerOptions)
endfunction()

# Sanitizers, which programs bring, leave symbols of shared libraries undefined.
set(TC_NO_UNDEFINED LINKER:--no-undefined)
if(TC_HAS_SANITIZERS)
  set(TC_NO_UNDEFINED)
endif()

if(TC_ENABLE_FUZZERS)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(TC_ENABLE_COVERAGE)
  add_compile_options(-fprofile-instr-generate -fcoverage-mapping)
  add_link_options(-fprofile-instr-generate)
endif()
