//===- FmaPeak.cpp - Peak FMA rate of a core ------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints the FMA rate of one core in GFLOP/s, for f64 or f32: independent
// chains in registers, for a tenth of a second, the best of ten parts. Compiled
// for the machine at hand.
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>

#if defined(__AVX512F__)
static constexpr int vectorBytes = 64;
#elif defined(__AVX2__)
static constexpr int vectorBytes = 32;
#else
static constexpr int vectorBytes = 16;
#endif

/// As many chains as hide the latency of two units, within the registers.
static constexpr int chains = 12;

template <typename T> static double measure() {
  typedef T Vector __attribute__((vector_size(vectorBytes)));
  using Clock = std::chrono::steady_clock;
  constexpr long steps = 200'000;
  Vector sums[chains], factor, term;
  // The compiler would use all that it knows of the values: a chain that began
  // with its limit, 10, was no work.
  volatile T unknownFactor = T(0.9999), unknownTerm = T(1e-3);
  for (int lane = 0; lane < int(sizeof(Vector) / sizeof(T)); ++lane) {
    factor[lane] = unknownFactor;
    term[lane] = unknownTerm;
    for (int chain = 0; chain < chains; ++chain)
      sums[chain][lane] = T(chain);
  }
  double best = 0;
  for (int part = 0; part < 10; ++part) {
    auto begin = Clock::now();
    for (long step = 0; step < steps; ++step) {
#pragma clang loop unroll(full)
      for (int chain = 0; chain < chains; ++chain)
        sums[chain] = sums[chain] * factor + term;
    }
    double seconds =
        std::chrono::duration<double>(Clock::now() - begin).count();
    best = std::max(best, 2.0 * chains * steps * (sizeof(Vector) / sizeof(T)) /
                              seconds * 1e-9);
  }
  volatile T sink = 0;
  for (int chain = 0; chain < chains; ++chain)
    sink = sink + sums[chain][0];
  return best;
}

int main(int argc, char **argv) {
  bool isF32 = argc == 2 && !std::strcmp(argv[1], "f32");
  bool isF64 = argc == 2 && !std::strcmp(argv[1], "f64");
  if (!isF32 && !isF64) {
    std::fprintf(stderr, "usage: fma-peak f32|f64\n");
    return 1;
  }
  std::printf("%.2f\n", isF32 ? measure<float>() : measure<double>());
  return 0;
}
