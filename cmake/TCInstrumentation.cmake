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

# The shared libraries of LLVM have no type information for -fsanitize=vptr.
if(TC_HAS_SANITIZERS)
  add_compile_options(-UNDEBUG -g1 -fno-omit-frame-pointer
    -fsanitize=address,undefined -fno-sanitize=vptr
    -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=address,undefined -fno-sanitize=vptr)
endif()
if(TC_ENABLE_FUZZERS)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(TC_ENABLE_COVERAGE)
  add_compile_options(-fprofile-instr-generate -fcoverage-mapping)
  add_link_options(-fprofile-instr-generate)
endif()
