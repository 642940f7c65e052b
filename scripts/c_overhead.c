/*===- c_overhead.c - Costs of a call of the C interface ------------------===*\
|*                                                                            *|
|* Part of the tc project, under the Apache License v2.0 with LLVM            *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Prints the table of docs/c-interface.md: tcContractionRun beside the same  *|
|* code called by itself, from the object file that the interface gives out.  *|
|* scripts/c_overhead.sh builds and runs it.                                  *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "tc-c/Contraction.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REPEATS = 40 };

typedef void (*Kernel)(const double *, const double *, double *);

static void *check(TcError *error) {
  if (error) {
    fprintf(stderr, "c_overhead: %s\n", tcErrorGetMessage(error));
    exit(1);
  }
  return NULL;
}

/* The contraction's code as a library of its own. */
static Kernel loadKernel(const TcContraction *contraction) {
  /* A library that is loaded stays so; another library needs another name. */
  static int count = 0;
  char library[32], command[80];
  snprintf(library, sizeof library, "./kernel%d.so", count++);
  snprintf(command, sizeof command, "cc -shared -o %s kernel.o", library);
  const char *object, *header;
  size_t size;
  check(tcContractionGet(contraction, TC_ARTIFACT_OBJECT, &object, &size));
  check(tcContractionGet(contraction, TC_ARTIFACT_HEADER, &header, NULL));
  FILE *file = fopen("kernel.o", "wb");
  if (!file || fwrite(object, 1, size, file) != size || fclose(file) != 0 ||
      system(command) != 0) {
    fprintf(stderr, "c_overhead: cannot link kernel.o\n");
    exit(1);
  }
  char name[80] = "";
  const char *declared = strstr(header, "\nvoid ");
  void *loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!loaded || !declared || sscanf(declared, " void %79[^(]", name) != 1) {
    fprintf(stderr, "c_overhead: cannot load kernel.o\n");
    exit(1);
  }
  void *symbol = dlsym(loaded, name);
  Kernel kernel;
  memcpy(&kernel, &symbol, sizeof kernel);
  return kernel;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

/* Microseconds of a call, of so many; of the kernel, if there is one. */
static double run(long calls, Kernel kernel, const TcContraction *contraction,
                  double *const memory[3]) {
  double begin = now();
  for (long i = 0; i < calls; ++i)
    if (kernel)
      kernel(memory[0], memory[1], memory[2]);
    else
      check(tcContractionRun(contraction, memory[0], memory[1], memory[2], NULL,
                             NULL));
  return (now() - begin) / (double)calls;
}

static void measure(const char *spec, int rankA, int rankB, int rankC,
                    int64_t extent, const char *shapes) {
  int64_t extents[8];
  double *memory[3];
  TcTensor tensors[3];
  int ranks[] = {rankA, rankB, rankC};
  for (int i = 0; i < 8; ++i)
    extents[i] = extent;
  for (int i = 0; i < 3; ++i) {
    size_t elements = 1;
    tensors[i] = (TcTensor){TC_ELEMENT_F64, ranks[i], extents, NULL};
    for (int dim = 0; dim < ranks[i]; ++dim)
      elements *= (size_t)extent;
    memory[i] = malloc(elements * sizeof(double));
    for (size_t j = 0; j < elements; ++j)
      memory[i][j] = 1;
  }
  TcOptions *options;
  TcContraction *contraction;
  check(tcOptionsCreate(&options));
  check(tcOptionsSet(options, "threads", "1"));
  check(tcContractionCompile(spec, tensors, options, &contraction));
  Kernel kernel = loadKernel(contraction);
  /* Runs of about 5 ms in turns, so that what else the machine does meets
   * both; the least of each. */
  long calls = (long)(5000 / (run(100, kernel, contraction, memory) + 0.01));
  double whole = 1e30, alone = 1e30;
  for (int i = 0; i < REPEATS; ++i) {
    double first = run(calls + 1, NULL, contraction, memory);
    double second = run(calls + 1, kernel, contraction, memory);
    whole = first < whole ? first : whole;
    alone = second < alone ? second : alone;
  }
  printf("| `%s` | %s | %.3f | %.3f | %.3f |\n", spec, shapes, whole, alone,
         whole - alone);
  tcContractionDestroy(contraction);
  tcOptionsDestroy(options);
  for (int i = 0; i < 3; ++i)
    free(memory[i]);
}

int main(void) {
  printf(
      "| contraction | extents | `tcContractionRun` | kernel | difference |\n"
      "| --- | --- | --- | --- | --- |\n");
  measure("i,i->i", 1, 1, 1, 1, "1, 1");
  measure("ij,jk->ik", 2, 2, 2, 8, "8x8, 8x8");
  measure("abc,cd->abd", 3, 2, 3, 8, "8x8x8, 8x8");
  measure("abcd,cdef->abef", 4, 4, 4, 4, "4x4x4x4, 4x4x4x4");
  return 0;
}
