/*===- openmp_choice_test.c - One OpenMP runtime in a process -------------===*\
|*                                                                            *|
|* Part of the tc project, under the Apache License v2.0 with LLVM            *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Ahead-of-time kernels have taken LLVM's runtime when the process loads     *|
|* another one, so that all see its names: code that is compiled after that   *|
|* takes LLVM's, too. The arguments are a folder for the cache and the path   *|
|* of the other one, fake_iomp5.                                              *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "MakeOptions.h"

#include "tc-c/CpuRuntime.h"

#include <dlfcn.h>

enum { SIDE = 256 };

static double a[SIDE * SIDE], b[SIDE * SIDE], c[SIDE * SIDE];

/* Compares some elements, and clears them. */
static void check(void) {
  for (int i = 0; i < SIDE; i += 17)
    for (int j = 0; j < SIDE; j += 13) {
      double sum = 0;
      for (int l = 0; l < SIDE; ++l)
        sum += a[i * SIDE + l] * b[l * SIDE + j];
      EXPECT(c[i * SIDE + j] == sum);
      c[i * SIDE + j] = 0;
    }
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  cache = argv[1];
  for (int i = 0; i < SIDE * SIDE; ++i) {
    a[i] = i % 7 - 3;
    b[i] = i % 5 - 2;
  }
  const TcCpuIndex indices[] = {
      {SIDE, {SIDE, 0, SIDE}}, {SIDE, {0, 1, 1}}, {SIDE, {1, SIDE, 0}}};
  EXPECT(tcCpuContract(indices, 3, TC_ELEMENT_F64, TC_ELEMENT_F64,
                       TC_ELEMENT_F64, 0, a, b, c, NULL, NULL, 2) == 0);
  check();
  void *runtime = dlopen(argv[2], RTLD_NOW | RTLD_GLOBAL);
  EXPECT(runtime != NULL);
  void *symbol = dlsym(runtime, "regions");
  EXPECT(symbol != NULL);
  int (*regions)(void);
  memcpy(&regions, &symbol, sizeof regions);

  const int64_t extents[] = {SIDE, SIDE};
  const TcTensor tensor = {TC_ELEMENT_F64, 2, extents, NULL};
  const TcTensor tensors[] = {tensor, tensor, tensor};
  TcOptions *options = makeOptions();
  FAIL(tcOptionsSet(options, "threads", "two"), INVALID_ARGUMENT,
       "option 'threads': 'two' is no integer from 0 to 65536");
  SUCCEED(tcOptionsSet(options, "threads", "2"));
  SUCCEED(tcOptionsSet(options, "specialize", "always"));
  TcContraction *contraction = NULL;
  SUCCEED(tcContractionCompile("ik,kj->ij", tensors, options, &contraction));
  SUCCEED(tcContractionRun(contraction, a, b, c, NULL, NULL));
  check();
  EXPECT(regions() == 0);
  tcContractionDestroy(contraction);
  tcOptionsDestroy(options);
  printf(failures == 0 ? "passed\n" : "%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
