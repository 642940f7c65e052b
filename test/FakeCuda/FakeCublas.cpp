//===- FakeCublas.cpp - cuBLAS for tests ------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A libcublas.so.13 that multiplies matrices in the memory of the fake driver.
// FakeContraction.h has the variables that steer it.
//
//===----------------------------------------------------------------------===//

#include "FakeContraction.h"

using namespace tc::fake;

static int handleObject;
static constexpr int invalidValue = 7, executionFailed = 13;

#pragma GCC visibility push(default)
extern "C" {

int cublasCreate_v2(void **handle) {
  *handle = &handleObject;
  return fails("cublasCreate") ? 1 : 0;
}

int cublasDestroy_v2(void *handle) {
  return handle == &handleObject ? 0 : invalidValue;
}

int cublasGetVersion_v2(void *handle, int *version) {
  *version = 130100;
  return fails("cublasGetVersion") ? 1 : 0;
}

const char *cublasGetStatusString(int status) {
  return status == 1 ? "the library was not initialized" : nullptr;
}

int cublasGemmStridedBatchedEx(void *handle, int transposeA, int transposeB,
                               int m, int n, int k, const void *alpha,
                               const void *a, int typeA, int ldA,
                               long long strideA, const void *b, int typeB,
                               int ldB, long long strideB, const void *beta,
                               void *c, int typeC, int ldC, long long strideC,
                               int batch, int compute, int algorithm) {
  if (fails("cublasGemmStridedBatchedEx"))
    return executionFailed;
  bool valid = handle == &handleObject && !transposeA && !transposeB &&
               typeA == typeB && typeB == typeC && ldA >= m && ldB >= k &&
               ldC >= m && compute == (typeA == 1 ? 70 : 68) && algorithm == -1;
  if (!valid)
    return invalidValue;
  Tensor first{{{'m', m, 1}, {'k', k, ldA}, {'b', batch, strideA}}, a};
  Tensor second{{{'k', k, 1}, {'n', n, ldB}, {'b', batch, strideB}}, b};
  Tensor result{{{'m', m, 1}, {'n', n, ldC}, {'b', batch, strideC}}, c};
  return contract("cublasGemmStridedBatchedEx", typeA, alpha, first, second,
                  beta, result)
             ? 0
             : executionFailed;
}

} // extern "C"
#pragma GCC visibility pop
