/*===- cpu_runtime_test.c - Contractions of any shape, from C -------------===*\
|*                                                                            *|
|* Part of the tc project, under the Apache License v2.0 with LLVM            *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* What libtc_cpu_runtime computes is tested with the object files that call  *|
|* it (test/Integration/object_shapes.py): here are products of matrices, and *|
|* what it refuses.                                                           *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "ExpectCondition.h"
#include "tc-c/CpuRuntime.h"

#include <stdio.h>

enum { F64 = TC_ELEMENT_F64, MOST = 37 };

static double a[MOST * MOST], b[MOST * MOST], c[MOST * MOST];

static TcErrorCode multiply(const TcCpuIndex *indices, const double *alpha,
                            const double *beta, int32_t threads) {
  return tcCpuContract(indices, 3, F64, F64, F64, 0, a, b, c, alpha, beta,
                       threads);
}

/* C = 2 A B - C for row-major matrices. */
static void testProduct(int64_t m, int64_t n, int64_t k) {
  TcCpuIndex indices[] = {{m, {k, 0, n}}, {n, {0, 1, 1}}, {k, {1, n, 0}}};
  double alpha = 2, beta = -1;
  for (int i = 0; i < MOST * MOST; ++i) {
    a[i] = i % 7 - 3;
    b[i] = i % 5 - 2;
    c[i] = i % 11;
  }
  EXPECT(multiply(indices, &alpha, &beta, 2) == 0);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t l = 0; l < k; ++l)
        sum += a[i * k + l] * b[l * n + j];
      EXPECT(c[i * n + j] == 2 * sum - (double)((i * n + j) % 11));
    }
}

static void testRefusals(void) {
  TcCpuIndex indices[] = {{2, {2, 0, 2}}, {2, {0, 1, 1}}, {2, {1, 2, 0}}};
  double nothing = 0;
  c[0] = 77;
  EXPECT(tcCpuContract(indices, -1, F64, F64, F64, 0, a, b, c, NULL, NULL, 1) ==
         TC_ERROR_INVALID_ARGUMENT);
  EXPECT(tcCpuContract(NULL, 1, F64, F64, F64, 0, a, b, c, NULL, NULL, 1) ==
         TC_ERROR_INVALID_ARGUMENT);
  EXPECT(tcCpuContract(indices, 3, 99, F64, F64, 0, a, b, c, NULL, NULL, 1) ==
         TC_ERROR_INVALID_ARGUMENT);
  EXPECT(tcCpuContract(indices, 3, TC_ELEMENT_I32, F64, F64, 0, a, b, c, NULL,
                       NULL, 1) == TC_ERROR_INVALID_ARGUMENT);
  EXPECT(tcCpuContract(indices, 3, F64, F64, TC_ELEMENT_F32, 0, a, b, c, NULL,
                       NULL, 1) == TC_ERROR_INVALID_ARGUMENT);
  EXPECT(tcCpuContract(indices, 3, F64, F64, F64, 4, a, b, c, NULL, NULL, 1) ==
         TC_ERROR_INVALID_ARGUMENT);
  EXPECT(multiply(indices, NULL, NULL, -1) == TC_ERROR_INVALID_ARGUMENT);
  EXPECT(tcCpuContract(indices, 3, F64, F64, F64, 0, NULL, b, c, NULL, NULL,
                       1) == TC_ERROR_INVALID_ARGUMENT);
  EXPECT(tcCpuContract(indices, 3, F64, F64, F64, 0, a, b, NULL, NULL, NULL,
                       1) == TC_ERROR_INVALID_ARGUMENT);
  indices[0].extent = -2;
  EXPECT(multiply(indices, NULL, NULL, 1) == TC_ERROR_INVALID_ARGUMENT);
  EXPECT(c[0] == 77);
  /* Of no rows there need be no memory, and sums of nothing are zero. */
  indices[0].extent = 0;
  EXPECT(tcCpuContract(indices, 3, F64, F64, F64, 0, NULL, b, NULL, NULL, NULL,
                       1) == 0);
  indices[0].extent = 2;
  indices[2].extent = 0;
  EXPECT(tcCpuContract(indices, 3, F64, F64, F64, 0, NULL, NULL, c, NULL,
                       &nothing, 0) == 0);
  EXPECT(c[0] == 0 && c[3] == 0);
  /* A scalar is a tensor without indices. */
  a[0] = 3;
  b[0] = 5;
  EXPECT(tcCpuContract(NULL, 0, F64, F64, F64, 0, a, b, c, NULL, NULL, 1) == 0);
  EXPECT(c[0] == 15);
}

/* 448 * 2 and 57344 * 2 are beyond the range: with a sum, and without one. */
static void testSaturation(void) {
  const struct {
    TcElementType type;
    uint8_t largest, two;
  } formats[] = {{TC_ELEMENT_F8E4M3FN, 0x7E, 0x40},
                 {TC_ELEMENT_F8E5M2, 0x7B, 0x40}};
  for (int format = 0; format < 2; ++format)
    for (int flag = 0; flag <= TC_CPU_NONSATURATING;
         flag += TC_CPU_NONSATURATING) {
      const TcElementType type = formats[format].type;
      const uint8_t largest = formats[format].largest,
                    two = formats[format].two;
      const uint8_t expected = (uint8_t)(largest + (flag ? 1 : 0));
      uint8_t x[] = {largest, 0}, y[] = {two, two}, z[] = {0, 0};
      TcCpuIndex summed[] = {{2, {1, 1, 0}}}, plain[] = {{2, {1, 1, 1}}};
      EXPECT(tcCpuContract(summed, 1, type, type, type, flag, x, y, z, NULL,
                           NULL, 1) == 0);
      EXPECT(z[0] == expected);
      EXPECT(tcCpuContract(plain, 1, type, type, type, flag, x, y, z, NULL,
                           NULL, 1) == 0);
      EXPECT(z[0] == expected && z[1] == 0);
      TcCpuCombinedIndex all[] = {{2, {1, 1, 0, 0}}},
                         each[] = {{2, {1, 1, 1, 1}}};
      float minus = -1, one = 1;
      z[0] = 0;
      EXPECT(tcCpuCombine(all, 1, type, flag, x, y, NULL, z, &minus, NULL, 1) ==
             0);
      EXPECT(z[0] == (expected | 0x80));
      EXPECT(tcCpuCombine(each, 1, type, flag, x, NULL, x, z, NULL, &one, 1) ==
             0);
      EXPECT(z[0] == expected && z[1] == 0);
    }
}

/* Results of tcCpuCombine are tested with random tensors, too
 * (test/Unit/CpuRuntime/CombineTest.cpp). */
static void testCombination(void) {
  /* D[j,i] = 2 A[i,j] - C[i,j] of 3 x 5 elements, and sums over j. */
  TcCpuCombinedIndex indices[] = {{3, {5, 0, 5, 1}}, {5, {1, 0, 1, 3}}};
  double d[15], alpha = 2, beta = -1, nothing = 0;
  for (int i = 0; i < 15; ++i) {
    a[i] = i;
    c[i] = i % 4;
    d[i] = 77;
  }
#define COMBINE(type, flags, a, b, c, d, threads)                              \
  tcCpuCombine(indices, 2, type, flags, a, b, c, d, &alpha, &beta, threads)
  EXPECT(COMBINE(F64, 16, a, NULL, c, d, 1) == TC_ERROR_INVALID_ARGUMENT);
  EXPECT(COMBINE(99, 0, a, NULL, c, d, 1) == TC_ERROR_INVALID_ARGUMENT);
  EXPECT(COMBINE(F64, 0, a, NULL, c, d, -1) == TC_ERROR_INVALID_ARGUMENT);
  EXPECT(COMBINE(F64, 0, NULL, NULL, c, d, 1) == TC_ERROR_INVALID_ARGUMENT);
  EXPECT(COMBINE(F64, 0, a, NULL, NULL, d, 1) == TC_ERROR_INVALID_ARGUMENT);
  EXPECT(COMBINE(F64, 0, a, NULL, c, NULL, 1) == TC_ERROR_INVALID_ARGUMENT);
  EXPECT(COMBINE(F64, 0, (char *)a + 1, NULL, c, d, 1) ==
         TC_ERROR_INVALID_ARGUMENT);
  EXPECT(tcCpuCombine(NULL, 2, F64, 0, a, NULL, NULL, d, NULL, NULL, 1) ==
         TC_ERROR_INVALID_ARGUMENT);
  EXPECT(tcCpuCombine(indices, -1, F64, 0, a, NULL, NULL, d, NULL, NULL, 1) ==
         TC_ERROR_INVALID_ARGUMENT);
  /* C has an index that D has not. */
  indices[1].strides[3] = 0;
  EXPECT(COMBINE(F64, 0, a, NULL, c, d, 1) == TC_ERROR_INVALID_ARGUMENT);
  EXPECT(d[0] == 77);
  EXPECT(tcCpuCombine(indices, 2, F64, 0, a, NULL, NULL, d, NULL, &nothing,
                      1) == 0);
  EXPECT(d[0] == 10 && d[1] == 35 && d[2] == 60 && d[3] == 77);
  indices[1].strides[3] = 3;
  EXPECT(COMBINE(F64, 0, a, NULL, c, d, 0) == 0);
  for (int i = 0; i < 15; ++i)
    EXPECT(d[i % 5 * 3 + i / 5] == 2 * a[i] - c[i]);
  indices[0].extent = -1;
  EXPECT(COMBINE(F64, 0, a, NULL, c, d, 1) == TC_ERROR_INVALID_ARGUMENT);
  indices[0].extent = 0;
  EXPECT(COMBINE(F64, 0, NULL, NULL, NULL, NULL, 1) == 0);
}

static void testThreads(void) {
  int32_t former = -1;
  const int32_t unset = tcCpuThreadsGet();
  EXPECT(unset >= 1);
  EXPECT(tcCpuThreadsSet(3, &former) == 0 && former == 0);
  EXPECT(tcCpuThreadsGet() == 3);
  EXPECT(tcCpuThreadsSetHere(2, NULL) == 0);
  EXPECT(tcCpuThreadsGet() == 2);
  EXPECT(tcCpuThreadsSetHere(0, &former) == 0 && former == 2);
  EXPECT(tcCpuThreadsSet(-1, &former) == TC_ERROR_INVALID_ARGUMENT);
  EXPECT(tcCpuThreadsSet(TC_MOST_THREADS + 1, NULL) ==
         TC_ERROR_INVALID_ARGUMENT);
  EXPECT(tcCpuThreadsSet(0, &former) == 0 && former == 3);
  EXPECT(tcCpuThreadsGet() == unset);
}

int main(void) {
  testProduct(1, 1, 1);
  testSaturation();
  testProduct(MOST, MOST, MOST);
  testProduct(16, 8, 32);
  testProduct(31, 1, 29);
  testProduct(3, 5, 0);
  testRefusals();
  testCombination();
  testThreads();
  printf(failures == 0 ? "passed\n" : "%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
