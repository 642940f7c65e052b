//===- launch_stub.h - CUDA's host functions that only report ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stands for CUDA where host code is compiled to learn what it launches: each
// launch becomes a line of the kernel's name, grid, block, and parameters in
// hexadecimal, each copy of integers from the host a file. Needs no device;
// scripts/timing_cogent.py rewrites the launches.
//
//===----------------------------------------------------------------------===//

#ifndef TC_BENCHMARKS_TIMING_LAUNCH_STUB_H
#define TC_BENCHMARKS_TIMING_LAUNCH_STUB_H

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#define __global__ static
#define __shared__ static
#define __constant__ static

struct dim3 {
  unsigned x, y, z;
  dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
static dim3 threadIdx, blockIdx;
inline void __syncthreads() {}

inline void writeFile(const char *name, const void *from, std::size_t bytes) {
  if (std::FILE *file = std::fopen(name, "wb")) {
    std::fwrite(from, 1, bytes, file);
    std::fclose(file);
  }
}

enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };
inline void cudaMalloc(void **place, std::size_t) {
  static std::uintptr_t next = 0x700000000000;
  *place = reinterpret_cast<void *>(next);
  next += std::uintptr_t(1) << 40;
}
inline void cudaMemcpy(void *to, const void *from, std::size_t bytes,
                       cudaMemcpyKind kind) {
  // Tensors are not there.
  if (kind != cudaMemcpyHostToDevice || !from)
    return;
  char name[64];
  std::snprintf(name, sizeof(name), "%p.memory", to);
  writeFile(name, from, bytes);
}
template <typename Symbol>
void copyToSymbol(const char *name, const Symbol &, const void *from,
                  std::size_t bytes) {
  writeFile((std::string(name) + ".constant").c_str(), from, bytes);
}
#define cudaMemcpyToSymbol(symbol, from, bytes)                                \
  copyToSymbol(#symbol, symbol, from, bytes)
inline void cudaFree(void *) {}

/// A launch, that the parameters follow.
template <typename... Parameters> class LaunchOf {
public:
  LaunchOf(const char *name, void (*)(Parameters...), dim3 grid, dim3 block)
      : name(name), grid(grid), block(block) {}

  void operator()(Parameters... parameters) const {
    std::string bytes;
    (append(bytes, parameters), ...);
    std::fprintf(stderr, "%s %u,%u,%u %u,%u,%u ", name, grid.x, grid.y, grid.z,
                 block.x, block.y, block.z);
    for (unsigned char byte : bytes)
      std::fprintf(stderr, "%02x", byte);
    std::fprintf(stderr, "\n");
  }

private:
  /// Parameters are aligned by their own size.
  template <typename Parameter>
  static void append(std::string &bytes, const Parameter &parameter) {
    constexpr std::size_t alignment = alignof(Parameter);
    bytes.resize((bytes.size() + alignment - 1) / alignment * alignment);
    bytes.append(reinterpret_cast<const char *>(&parameter), sizeof(parameter));
  }

  const char *name;
  dim3 grid, block;
};

#endif // TC_BENCHMARKS_TIMING_LAUNCH_STUB_H
