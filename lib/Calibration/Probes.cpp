//===- Probes.cpp - The contractions that calibration measures ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each has a step that others have not or have less of, and takes milliseconds.
// None is of the benchmark that predictions are held against.
//
//===----------------------------------------------------------------------===//

#include "tc/Calibration/Measure.h"

#include <algorithm>

using namespace tc;
using namespace tc::calibration;

namespace {

struct Shape {
  const char *spec, *extents, *strategy;
  /// If it is to come from memory, the elements that the largest tensor has for
  /// each value of an index; that index stands behind the other extents.
  int64_t unit = 0;
};

} // namespace

/// An extent with which a tensor has twice the bytes of the last cache, as far
/// as that is no lasting work.
static int64_t extentInMemory(const model::CpuTarget &cpu,
                              model::ElementType type, int64_t unit) {
  constexpr int64_t most = int64_t(160) << 20, multiple = 8;
  int64_t bytes = std::min(2 * cpu.caches.back().bytes, most);
  int64_t extent = bytes / (unit * model::byteWidth(type));
  return (extent / multiple + 1) * multiple;
}

std::vector<Probe> calibration::makeProbes(const model::CpuTarget &cpu) {
  const Shape shapes[] = {
      // Products from every level.
      {"ik,kj->ij", "i=384,k=384,j=384", "gett"},
      {"ik,kj->ij", "i=96,k=96,j=96", "gett"},
      {"ik,kj->ij", "i=1024,k=256,j=768", "gett"},
      // Calls, and tiles with short sums.
      {"ik,kj->ij", "i=12,k=12,j=12", "gett"},
      {"ik,kj->ij", "i=768,k=8,j=960", "gett"},
      // C, stored past the caches and in them, by whole lines and by parts.
      {"ik,kj->ij", "i=2048,k=20,j=", "gett", 2048},
      {"iak,kj->iaj", "i=500,a=4,k=20,j=1500", "gett"},
      {"abk,kc->cab", "a=36,b=60,k=24,c=1023", "gett"},
      {"adge,bgcf->abcdef", "a=16,d=16,g=24,e=12,c=12,f=16,b=", "gett",
       16 * 16 * 12 * 12 * 16},
      {"ik,kj->ij", "i=24,k=40000,j=24", "gett"},
      // Few columns: packing decides, with long runs and short ones.
      {"bda,dc->bca", "b=120,d=160,a=160,c=24", "gett"},
      {"dba,cd->cba", "d=160,b=120,a=160,c=20", "gett"},
      {"abd,dc->acb", "a=64,b=120,d=240,c=16", "gett"},
      {"bad,dc->abc", "b=56,a=200,d=200,c=24", "gett"},
      {"dabe,ce->abcd", "d=40,a=40,b=40,e=32,c=24", "gett"},
      // The same from memory.
      {"bda,dc->bca", "d=160,a=160,c=24,b=", "gett", 160 * 160},
      {"adb,cd->cba", "d=200,a=240,c=24,b=", "gett", 200 * 240},
      {"dabe,ce->abcd", "d=40,b=40,e=32,c=24,a=", "gett", 40 * 40 * 32},
      {"dcbe,ae->dcba", "c=64,b=64,e=64,a=64,d=", "gett", 64 * 64 * 64},
      {"debc,ea->dabc", "c=56,b=64,e=72,a=72,d=", "gett", 56 * 64 * 72},
      // Many small indices.
      {"aebf,dfce->abcd", "a=24,b=24,c=24,d=24,e=20,f=20", "gett"},
      {"abefg,gfd->edab", "a=20,b=20,e=20,f=12,g=16,d=20", "gett"},
      {"efac,bfed->abcd", "a=28,b=20,c=24,d=20,e=20,f=18", "gett"},
      // Chunks of C below half a vector, and elements one by one.
      {"aik,kbj->ijab", "a=40,i=30,k=40,b=3,j=30", "gett"},
      {"ikx,kjx->ijx", "x=30,i=40,k=50,j=30", "gett"},
      // Copies to matrices, and slices.
      {"aebf,dfce->abcd", "a=24,b=24,c=20,d=24,e=20,f=16", "ttgt"},
      {"cak,kb->abc", "c=100,a=90,k=64,b=80", "ttgt"},
      {"bda,dc->bca", "b=300,d=64,a=64,c=64", "loop_over_gemm"},
      {"xik,xkj->xij", "x=2000,i=12,k=16,j=12", "gett"},
  };
  std::vector<Probe> probes;
  for (model::ElementType type :
       {model::ElementType::F64, model::ElementType::F32})
    for (const Shape &shape : shapes) {
      std::string extents = shape.extents;
      if (shape.unit > 0)
        extents += std::to_string(extentInMemory(cpu, type, shape.unit));
      probes.push_back({shape.spec, extents, type, shape.strategy});
    }
  return probes;
}
