# Reading headers of MLIR, of GoogleTest, for JSON and of the standard library is
# most of the time of compiling many a file, so that they are precompiled, once for
# each set of options that the compiler checks: tests are not optimised, and programs
# are compiled as libraries are.

option(TC_PRECOMPILE_HEADERS "Precompile the headers of others" ON)
# The options of precompiled headers are Clang's.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  set(TC_PRECOMPILE_HEADERS OFF)
endif()

set(TC_STANDARD_HEADERS
  "<algorithm>"
  "<array>"
  "<atomic>"
  "<charconv>"
  "<chrono>"
  "<cmath>"
  "<filesystem>"
  "<fstream>"
  "<functional>"
  "<map>"
  "<memory>"
  "<mutex>"
  "<nlohmann/json.hpp>"
  "<numeric>"
  "<optional>"
  "<random>"
  "<set>"
  "<sstream>"
  "<string>"
  "<string_view>"
  "<tuple>"
  "<unordered_map>"
  "<utility>"
  "<variant>"
  "<vector>"
)

set(TC_MLIR_HEADERS
  "<mlir/Dialect/Arith/IR/Arith.h>"
  "<mlir/Dialect/Complex/IR/Complex.h>"
  "<mlir/Dialect/Func/IR/FuncOps.h>"
  "<mlir/Dialect/GPU/IR/GPUDialect.h>"
  "<mlir/Dialect/LLVMIR/LLVMDialect.h>"
  "<mlir/Dialect/LLVMIR/NVVMDialect.h>"
  "<mlir/Dialect/Linalg/IR/Linalg.h>"
  "<mlir/Dialect/Math/IR/Math.h>"
  "<mlir/Dialect/MemRef/IR/MemRef.h>"
  "<mlir/Dialect/NVGPU/IR/NVGPUDialect.h>"
  "<mlir/Dialect/SCF/IR/SCF.h>"
  "<mlir/Dialect/Tensor/IR/Tensor.h>"
  "<mlir/Dialect/Vector/IR/VectorOps.h>"
  "<mlir/IR/Builders.h>"
  "<mlir/IR/ImplicitLocOpBuilder.h>"
  "<mlir/IR/Matchers.h>"
  "<mlir/Pass/PassManager.h>"
  "<mlir/Transforms/DialectConversion.h>"
)

# tc_add_precompiled_headers(NAME EXECUTABLE|OBJECT HEADERS headers...
#   LINK libs... OPTIONS flags...): a target that other targets, compiled with
# the same flags, reuse the headers of.
function(tc_add_precompiled_headers name kind)
  cmake_parse_arguments(ARG "" "" "HEADERS;LINK;OPTIONS" ${ARGN})
  set(source "${PROJECT_BINARY_DIR}/precompiled/${name}.cpp")
  file(CONFIGURE OUTPUT "${source}" CONTENT "int main() { return 0; }\n")
  if(kind STREQUAL "EXECUTABLE")
    add_executable(${name} EXCLUDE_FROM_ALL "${source}")
  else()
    add_library(${name} OBJECT EXCLUDE_FROM_ALL "${source}")
  endif()
  tc_target_defaults(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
  # A compiler cache compares contents.
  target_compile_options(${name} PRIVATE ${ARG_OPTIONS}
    "SHELL:-Xclang -fno-pch-timestamp")
endfunction()

# Compiles a program as libraries are, so that it may share their headers.
function(tc_compile_like_library target)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
endfunction()

# Lets a target that does not use MLIR begin with the standard library's headers.
function(tc_use_precompiled_standard target)
  if(NOT TC_PRECOMPILE_HEADERS)
    return()
  endif()
  tc_compile_like_library(${target})
  if(NOT TARGET TCPrecompiledStandardHeaders)
    tc_add_precompiled_headers(TCPrecompiledStandardHeaders OBJECT HEADERS ${TC_STANDARD_HEADERS}
      LINK nlohmann_json::nlohmann_json)
  endif()
  target_precompile_headers(${target} REUSE_FROM TCPrecompiledStandardHeaders)
endfunction()

# Lets a target that uses MLIR begin with its headers.
function(tc_use_precompiled_mlir target)
  if(NOT TC_PRECOMPILE_HEADERS)
    return()
  endif()
  tc_compile_like_library(${target})
  if(NOT TARGET TCPrecompiledHeaders)
    tc_add_precompiled_headers(TCPrecompiledHeaders OBJECT
      HEADERS ${TC_STANDARD_HEADERS} ${TC_MLIR_HEADERS}
      LINK nlohmann_json::nlohmann_json MLIR LLVM)
    target_include_directories(TCPrecompiledHeaders SYSTEM PRIVATE
      "${MLIR_INCLUDE_DIRS}" "${LLVM_INCLUDE_DIRS}")
    target_compile_definitions(TCPrecompiledHeaders PRIVATE ${LLVM_DEFINITIONS_LIST})
  endif()
  target_precompile_headers(${target} REUSE_FROM TCPrecompiledHeaders)
endfunction()

# Lets a unit test that does not use MLIR begin with GoogleTest's.
function(tc_use_precompiled_gtest target)
  if(NOT TC_PRECOMPILE_HEADERS)
    return()
  endif()
  if(NOT TARGET TCPrecompiledForTests)
    tc_add_precompiled_headers(TCPrecompiledForTests EXECUTABLE
      HEADERS ${TC_STANDARD_HEADERS} "<gtest/gtest.h>"
      LINK nlohmann_json::nlohmann_json GTest::gtest
      OPTIONS ${TC_TEST_OPTIONS})
  endif()
  target_precompile_headers(${target} REUSE_FROM TCPrecompiledForTests)
endfunction()
