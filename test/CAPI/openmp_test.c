/*===- openmp_test.c - The process's OpenMP runtime is used ---------------===*\
|*                                                                            *|
|* Part of the tc project, under the Apache License v2.0 with LLVM            *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Takes the path of a library that is called as Intel's runtime is, and      *|
|* loads it so that nobody else sees its names, as Python does. Threads are   *|
|* to be its: LLVM's own runtime beside it would end the process.             *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "ExpectCondition.h"
#include "tc-c/CpuRuntime.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { SIDE = 256 };

static double a[SIDE * SIDE], b[SIDE * SIDE], c[SIDE * SIDE];

int main(int argc, char **argv) {
  EXPECT(argc == 2);
  void *runtime = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  EXPECT(runtime != NULL);
  void *symbol = dlsym(runtime, "regions");
  EXPECT(symbol != NULL);
  int (*regions)(void);
  memcpy(&regions, &symbol, sizeof regions);
  for (int i = 0; i < SIDE * SIDE; ++i) {
    a[i] = i % 7 - 3;
    b[i] = i % 5 - 2;
  }
  TcCpuIndex indices[] = {
      {SIDE, {SIDE, 0, SIDE}}, {SIDE, {0, 1, 1}}, {SIDE, {1, SIDE, 0}}};
  EXPECT(tcCpuContract(indices, 3, TC_ELEMENT_F64, TC_ELEMENT_F64,
                       TC_ELEMENT_F64, 0, a, b, c, NULL, NULL, 2) == 0);
  EXPECT(regions() > 0);
  for (int i = 0; i < SIDE; ++i)
    for (int j = 0; j < SIDE; ++j) {
      double sum = 0;
      for (int l = 0; l < SIDE; ++l)
        sum += a[i * SIDE + l] * b[l * SIDE + j];
      EXPECT(c[i * SIDE + j] == sum);
    }
  printf("%d regions of the process's OpenMP runtime\n", regions());
  return 0;
}
