/*===- shaped_errors_test.c - Failures of programs of any extents ---------===*\
|*                                                                            *|
|* Part of the tc project, under the Apache License v2.0 with LLVM            *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* The function that code calls for contractions of unknown shape stands here *|
|* in place of libtc's own, and returns what the test wants it to.            *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "Expect.h"

#include "tc-c/CpuRuntime.h"
#include "tc-c/Program.h"

static TcErrorCode returned = 0;
static int calls = 0;

TcErrorCode tcCpuContract(const TcCpuIndex *indices, int32_t rank,
                          TcElementType typeA, TcElementType typeB,
                          TcElementType typeC, int32_t conjugates,
                          const void *a, const void *b, void *c,
                          const void *alpha, const void *beta,
                          int32_t threads) {
  (void)indices, (void)rank, (void)typeA, (void)typeB, (void)typeC;
  (void)conjugates, (void)a, (void)b, (void)c, (void)alpha, (void)beta;
  (void)threads;
  ++calls;
  return returned;
}

int main(void) {
  TcProgram *program = NULL;
  SUCCEED(tcProgramCompile("i = ?10, j = 3, k = ?\n"
                           "T[i,k] = A[i,j] * B[j,k]\n"
                           "y[i] += T[i,k] * x[k]\n",
                           "tensors", NULL, &program));
  static double a[6], b[12], x[4], y[2];
  void *const tensors[4] = {a, b, y, x};
  const int64_t extents[2] = {2, 4};
  SUCCEED(tcProgramRunShaped(program, extents, 2, tensors, 4, NULL));
  EXPECT(calls == 2);
  returned = TC_ERROR_OUT_OF_MEMORY;
  FAIL(tcProgramRunShaped(program, extents, 2, tensors, 4, NULL), OUT_OF_MEMORY,
       "there is no memory for what the program's contractions copy");
  returned = TC_ERROR_INVALID_ARGUMENT;
  FAIL(tcProgramRunShaped(program, extents, 2, tensors, 4, NULL),
       INVALID_ARGUMENT,
       "the program's contractions are called with extents or addresses that "
       "cannot be");
  returned = TC_ERROR_INTERNAL;
  FAIL(tcProgramRunShaped(program, extents, 2, tensors, 4, NULL), INTERNAL,
       "the library that computes the program's contractions failed");
  /* Each ended with the first contraction. */
  EXPECT(calls == 5);
  tcProgramDestroy(program);
  printf(failures == 0 ? "passed\n" : "%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
