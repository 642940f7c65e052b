//===- RecordLaunches.cpp - Recording a CUDA program's launches -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stands in for CUDA's runtime library where there is no device: memory is
// given out as addresses that nothing lies at, and calls become lines on
// standard output, with all bytes in hexadecimal:
//
//   TC-LAUNCH entry grid block shared-bytes argument...
//   TC-COPY address bytes             to device memory, if there are few
//   TC-VARIABLE name offset bytes     to a variable of the module
//
// Buffer n, counting from 0, begins at the address 0x7a5a00000000 + (n << 24).
// The sizes of the parameters are read from the file that TC_PARAMETERS names:
// lines of an entry and its parameters' bytes.
//
//===----------------------------------------------------------------------===//

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct State {
  std::map<const void *, std::string> names, variables;
  std::map<std::string, std::vector<size_t>> parameters;
  dim3 grid, block;
  size_t shared = 0;
  unsigned long long buffers = 0;
};

State &state() {
  static State theState;
  return theState;
}

void readParameters() {
  const char *path = std::getenv("TC_PARAMETERS");
  std::ifstream stream(path ? path : "");
  for (std::string line; std::getline(stream, line);) {
    std::istringstream words(line);
    std::string entry;
    words >> entry;
    std::vector<size_t> &sizes = state().parameters[entry];
    for (size_t size; words >> size;)
      sizes.push_back(size);
  }
}

void printBytes(const void *data, size_t size) {
  for (size_t i = 0; i < size; ++i)
    std::printf("%02x", static_cast<const unsigned char *>(data)[i]);
}

void record(const void *function, dim3 grid, dim3 block, void **arguments,
            size_t shared) {
  if (state().parameters.empty())
    readParameters();
  const std::string &name = state().names[function];
  std::printf("\nTC-LAUNCH %s %u,%u,%u %u,%u,%u %zu", name.c_str(), grid.x,
              grid.y, grid.z, block.x, block.y, block.z, shared);
  const std::vector<size_t> &sizes = state().parameters[name];
  for (size_t i = 0; i < sizes.size(); ++i) {
    std::printf(" ");
    printBytes(arguments[i], sizes[i]);
  }
  std::printf("\n");
}

} // namespace

extern "C" {

// Called by the code that nvcc generates for a program.

void **__cudaRegisterFatBinary(void *) {
  static void *handle = nullptr;
  return &handle;
}
void __cudaRegisterFatBinaryEnd(void **) {}
void __cudaUnregisterFatBinary(void **) {}
char __cudaInitModule(void **) { return 1; }
void __cudaRegisterFunction(void **, const char *function, char *,
                            const char *name, int, uint3 *, uint3 *, dim3 *,
                            dim3 *, int *) {
  state().names[function] = name;
}
void __cudaRegisterVar(void **, char *variable, char *, const char *name, int,
                       size_t, int, int) {
  state().variables[variable] = name;
}
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared,
                                     CUstream_st *) {
  state().grid = grid;
  state().block = block;
  state().shared = shared;
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared,
                                       void *stream) {
  *grid = state().grid;
  *block = state().block;
  *shared = state().shared;
  *static_cast<void **>(stream) = nullptr;
  return cudaSuccess;
}
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function) {
  *kernel = static_cast<cudaKernel_t>(const_cast<void *>(function));
  return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block,
                               void **arguments, size_t shared, cudaStream_t) {
  record(kernel, grid, block, arguments, shared);
  return cudaSuccess;
}

// Called by programs.

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block,
                             void **arguments, size_t shared, cudaStream_t) {
  record(function, grid, block, arguments, shared);
  return cudaSuccess;
}
cudaError_t cudaMalloc(void **pointer, size_t) {
  *pointer = reinterpret_cast<void *>((0x7a5a00 + state().buffers++) << 24);
  return cudaSuccess;
}
cudaError_t cudaFree(void *) { return cudaSuccess; }
cudaError_t cudaMemcpy(void *to, const void *from, size_t size,
                       cudaMemcpyKind kind) {
  constexpr size_t most = 4096;
  if (kind == cudaMemcpyHostToDevice && size <= most && from) {
    std::printf("\nTC-COPY %p ", to);
    printBytes(from, size);
    std::printf("\n");
  }
  return cudaSuccess;
}
cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from,
                               size_t size, size_t offset, cudaMemcpyKind) {
  std::printf("\nTC-VARIABLE %s %zu ", state().variables[symbol].c_str(),
              offset);
  printBytes(from, size);
  std::printf("\n");
  return cudaSuccess;
}
cudaError_t cudaMemset(void *, int, size_t) { return cudaSuccess; }
cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
cudaError_t cudaStreamCreate(cudaStream_t *stream) {
  *stream = nullptr;
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaFuncSetCacheConfig(const void *, cudaFuncCache) {
  return cudaSuccess;
}
cudaError_t cudaFuncSetAttribute(const void *, cudaFuncAttribute, int) {
  return cudaSuccess;
}
cudaError_t cudaGetLastError() { return cudaSuccess; }
const char *cudaGetErrorString(cudaError_t) { return "no error"; }

} // extern "C"
