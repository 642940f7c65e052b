/*===- specialize_test.c - Kernels that were made ahead, from C -----------===*\
|*                                                                            *|
|* Part of the tc project, under the Apache License v2.0 with LLVM            *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* And code that takes over from them. The argument is a folder for the       *|
|* cache.                                                                     *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "MakeOptions.h"

/* Calls go on while code is made, which takes over. */
static void testSpecialize(void) {
  enum { EXTENT = 64, COUNT = EXTENT * EXTENT };
  static const int64_t extents[] = {EXTENT, EXTENT};
  static double a[COUNT], b[COUNT], c[COUNT];
  const TcTensor tensors[3] = {{TC_ELEMENT_F64, 2, extents, NULL},
                               {TC_ELEMENT_F64, 2, extents, NULL},
                               {TC_ELEMENT_F64, 2, extents, NULL}};
  for (int i = 0; i < COUNT; ++i) {
    a[i] = i % 7;
    b[i] = i % 5;
  }
  double first = 0;
  for (int k = 0; k < EXTENT; ++k)
    first += a[k] * b[k * EXTENT];
  TcOptions *options = makeOptions();
  FAIL(tcOptionsSet(options, "specialize", "later"), INVALID_ARGUMENT,
       "option 'specialize': 'later' is none of always, never and auto");
  SUCCEED(tcOptionsSet(options, "specialize", "auto"));
  TcContraction *contraction = NULL;
  SUCCEED(tcContractionCompile("ik,kj->ij", tensors, options, &contraction));
  const char *data = NULL;
  FAIL(tcContractionGet(contraction, TC_ARTIFACT_SCHEDULE, &data, NULL),
       NOT_AVAILABLE,
       "artifact 2 does not exist for what is not compiled: set option "
       "'specialize' to 'always'");
  TcError *error = NULL;
  int runs = 0, wrong = 0;
  do {
    tcErrorDestroy(error);
    c[0] = 0;
    SUCCEED(tcContractionRun(contraction, a, b, c, NULL, NULL));
    wrong += c[0] != first;
    error = tcContractionGet(contraction, TC_ARTIFACT_CACHE, &data, NULL);
  } while (error && ++runs < 10000000);
  EXPECT(!error);
  EXPECT(wrong == 0);
  tcErrorDestroy(error);
  c[0] = 0;
  SUCCEED(tcContractionRun(contraction, a, b, c, NULL, NULL));
  EXPECT(c[0] == first);
  tcContractionDestroy(contraction);

  /* What those kernels do not compute is compiled at once. */
  SUCCEED(tcOptionsSet(options, "epilogue", "relu(x)"));
  SUCCEED(tcContractionCompile("ik,kj->ij", tensors, options, &contraction));
  SUCCEED(tcContractionGet(contraction, TC_ARTIFACT_SCHEDULE, &data, NULL));
  EXPECT(strstr(data, "#tc.cpu_schedule<") != NULL);
  tcContractionDestroy(contraction);
  tcOptionsDestroy(options);
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  cache = argv[1];
  testSpecialize();
  printf(failures == 0 ? "passed\n" : "%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
