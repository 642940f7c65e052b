//===- Plan.h - The object of a TAPP_tensor_product -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TAPP_PLAN_H
#define TC_LIB_TAPP_PLAN_H

#include "Footprint.h"
#include "Handle.h"
#include "Operand.h"

#include "tc-c/Contraction.h"
#include "tc-c/CpuRuntime.h"

#include <memory>
#include <vector>

namespace tc::tapp {

struct Deleter {
  void operator()(TcContraction *object) const { tcContractionDestroy(object); }
  void operator()(TcOptions *object) const { tcOptionsDestroy(object); }
};
using Compiled = std::unique_ptr<TcContraction, Deleter>;

/// D = op_D(alpha * op_A(A) * op_B(B) + beta * op_C(C)), where C may be another
/// tensor than D, and B may be missing. A conjugated D is the result of
/// conjugated terms. Where nothing is multiplied and summed at once,
/// ahead-of-time kernels compute all; else compiled code updates D in place,
/// after they have brought C there.
struct Plan {
  TAPP_datatype type = TAPP_F64;
  /// D = alpha * A * B + beta * D.
  Compiled update;
  /// True if `update` is not run, and all indices, as tcCpuCombine takes them.
  bool isCombined = false;
  std::vector<TcCpuCombinedIndex> indices;
  /// Flags of tcCpuCombine, and the most threads.
  int32_t conjugates = 0, threads = 0;
  /// True if there are a B and a C.
  bool hasB = true, hasC = true;
  /// True if A, B and D have elements, which have to be given then.
  bool needsA = true, needsB = true, needsD = true;
  /// The places of A, B and C, seen from D, and whether C lies as D does.
  Footprint footprints[3];
  bool hasLayoutOfD = true;
  /// True if alpha and beta are conjugated.
  bool conjugatesFactors = false;

  /// Returns true if numbers, or their parts, are in double precision.
  bool isDouble() const { return type == TAPP_F64 || type == TAPP_C64; }
};

/// The result of executing the plan of that number: the error that kept this
/// thread from creating its last plan, or the one for a plan that is NULL.
TAPP_error errorOfNoPlan();

} // namespace tc::tapp

#endif // TC_LIB_TAPP_PLAN_H
