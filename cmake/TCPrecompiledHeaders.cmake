# Reading MLIR's headers is most of what compiling a file takes, so that they are
# precompiled, once for each set of options that the compiler checks: libraries
# are position-independent code, programs position-independent executables.

option(TC_PRECOMPILE_HEADERS "Precompile the headers of MLIR" ON)

set(TC_PRECOMPILED_HEADERS
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

# Lets a target that uses MLIR begin with the headers.
function(tc_use_precompiled_headers target)
  if(NOT TC_PRECOMPILE_HEADERS)
    return()
  endif()
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    set(holder TCPrecompiledForPrograms)
  else()
    set(holder TCPrecompiledForLibraries)
  endif()
  if(NOT TARGET ${holder})
    file(WRITE "${PROJECT_BINARY_DIR}/precompiled/${holder}.cpp"
      "int main() { return 0; }\n")
    if(type STREQUAL "EXECUTABLE")
      add_executable(${holder} EXCLUDE_FROM_ALL
        "${PROJECT_BINARY_DIR}/precompiled/${holder}.cpp")
    else()
      add_library(${holder} OBJECT EXCLUDE_FROM_ALL
        "${PROJECT_BINARY_DIR}/precompiled/${holder}.cpp")
    endif()
    tc_target_defaults(${holder})
    target_include_directories(${holder} SYSTEM PRIVATE
      "${MLIR_INCLUDE_DIRS}" "${LLVM_INCLUDE_DIRS}")
    target_compile_definitions(${holder} PRIVATE ${LLVM_DEFINITIONS_LIST})
    target_link_libraries(${holder} PRIVATE MLIR LLVM)
    target_precompile_headers(${holder} PRIVATE ${TC_PRECOMPILED_HEADERS})
    # A compiler cache compares contents.
    target_compile_options(${holder} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
  target_precompile_headers(${target} REUSE_FROM ${holder})
endfunction()
