/*===- specialize_test.c - Ahead-of-time kernels, from C ------------------===*\
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

#include "tc-c/Program.h"

#include <stdlib.h>
#include <time.h>

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

  /* Contractions that those kernels do not compute are compiled at once. */
  SUCCEED(tcOptionsSet(options, "epilogue", "relu(x)"));
  SUCCEED(tcContractionCompile("ik,kj->ij", tensors, options, &contraction));
  SUCCEED(tcContractionGet(contraction, TC_ARTIFACT_SCHEDULE, &data, NULL));
  EXPECT(strstr(data, "#tc.cpu_schedule<") != NULL);
  tcContractionDestroy(contraction);
  tcOptionsDestroy(options);
}

/* A cache that cannot be opened is no reason to fail: neither where it is asked
 * for code, as for what takes long, nor where code is made later. */
static void testUnusableCache(void) {
  enum { EXTENT = 64, COUNT = EXTENT * EXTENT };
  static double a[COUNT], b[COUNT], c[COUNT];
  TcOptions *options = makeOptions();
  SUCCEED(tcOptionsSet(options, "specialize", "auto"));
  SUCCEED(tcOptionsSet(options, "cache", "/proc/nope"));
  for (int64_t extent = EXTENT; extent <= 1024; extent *= 16) {
    const int64_t extents[] = {extent, extent};
    const TcTensor tensors[3] = {{TC_ELEMENT_F64, 2, extents, NULL},
                                 {TC_ELEMENT_F64, 2, extents, NULL},
                                 {TC_ELEMENT_F64, 2, extents, NULL}};
    TcContraction *contraction = NULL;
    const char *outcome = NULL;
    SUCCEED(tcContractionCompile("ik,kj->ij", tensors, options, &contraction));
    TcError *error = NULL;
    int runs = 0;
    if (extent == EXTENT)
      do {
        tcErrorDestroy(error);
        SUCCEED(tcContractionRun(contraction, a, b, c, NULL, NULL));
        error =
            tcContractionGet(contraction, TC_ARTIFACT_CACHE, &outcome, NULL);
      } while (error && ++runs < 10000000);
    EXPECT(!error);
    tcErrorDestroy(error);
    EXPECT(extent > EXTENT || (outcome && strcmp(outcome, "unusable") == 0));
    tcContractionDestroy(contraction);
  }
  tcOptionsDestroy(options);
}

/* A program that takes its extents with each call is kept, too. */
static void testShapedProgram(void) {
  static const char text[] = "i = ?, j = ?\nT[i] = A[i,j] * x[j]\n"
                             "y[j] = A[i,j] * T[i]\n";
  static const char *const outcomes[] = {"miss", "hit"};
  double a[] = {1, 2, 3, 4, 5, 6}, x[] = {1, 1, 1}, y[3];
  void *const tensors[] = {a, x, y};
  const int64_t extents[] = {2, 3};
  TcOptions *options = makeOptions();
  for (int i = 0; i < 2; ++i) {
    TcProgram *program = NULL;
    const char *outcome = NULL;
    SUCCEED(tcProgramCompile(text, "tensors", options, &program));
    SUCCEED(tcProgramGet(program, TC_ARTIFACT_CACHE, &outcome, NULL));
    EXPECT(outcome && strcmp(outcome, outcomes[i]) == 0);
    EXPECT(tcProgramGetExtentCount(program) == 2);
    EXPECT(!tcProgramGetParameter(program, 2)->isRead);
    EXPECT(tcProgramGetParameter(program, 2)->isWritten);
    EXPECT(tcProgramGetParameter(program, 0)->isRead);
    y[0] = y[1] = y[2] = -1;
    SUCCEED(tcProgramRunShaped(program, extents, 2, tensors, 3, NULL));
    EXPECT(y[0] == 66 && y[1] == 87 && y[2] == 108);
    tcProgramDestroy(program);
  }
  tcOptionsDestroy(options);
}

/* Of one product of three tensors: a program that is told apart from a compiled
 * one by its artifacts alone. */
static void testProgram(void) {
  enum { EXTENT = 24, COUNT = EXTENT * EXTENT };
  static const int64_t extents[] = {EXTENT, EXTENT};
  static double a[COUNT], b[COUNT], c[COUNT], wanted[COUNT], result[COUNT];
  const TcTensor tensors[3] = {{TC_ELEMENT_F64, 2, extents, NULL},
                               {TC_ELEMENT_F64, 2, extents, NULL},
                               {TC_ELEMENT_F64, 2, extents, NULL}};
  static double between[COUNT];
  for (int i = 0; i < COUNT; ++i) {
    a[i] = i % 7;
    b[i] = i % 5;
    c[i] = i % 3;
  }
  for (int i = 0; i < EXTENT; ++i)
    for (int j = 0; j < EXTENT; ++j)
      for (int k = 0; k < EXTENT; ++k)
        between[i * EXTENT + j] += a[i * EXTENT + k] * b[k * EXTENT + j];
  for (int i = 0; i < EXTENT; ++i)
    for (int j = 0; j < EXTENT; ++j)
      for (int k = 0; k < EXTENT; ++k)
        wanted[i * EXTENT + j] += between[i * EXTENT + k] * c[k * EXTENT + j];
  void *pointers[] = {a, b, c, result};
  TcOptions *options = makeOptions();
  TcProgram *program = NULL, *compiled = NULL;
  const char *data = NULL;
  SUCCEED(
      tcProgramCompileEinsum("ij,jk,kl->il", tensors, 3, options, &compiled));
  SUCCEED(tcOptionsSet(options, "specialize", "never"));
  SUCCEED(
      tcProgramCompileEinsum("ij,jk,kl->il", tensors, 3, options, &program));
  EXPECT(tcProgramGetParameterCount(program) == 4);
  for (int32_t i = 0; i < 4; ++i) {
    const TcPackageTensor *own = tcProgramGetParameter(program, i);
    const TcPackageTensor *other = tcProgramGetParameter(compiled, i);
    EXPECT(strcmp(own->name, other->name) == 0);
    EXPECT(own->type == other->type && own->alignment == other->alignment);
    EXPECT(own->isRead == other->isRead && own->isWritten == other->isWritten);
    EXPECT(own->rank == 2 && own->strides[0] == EXTENT && own->strides[1] == 1);
  }
  EXPECT(strcmp(tcProgramGetName(program), tcProgramGetName(compiled)) == 0);
  EXPECT(tcProgramGetExtentCount(program) == 0);
  EXPECT(tcProgramGetWorkspaceBytes(program) >= (int64_t)sizeof between);
  FAIL(tcProgramGet(program, TC_ARTIFACT_OBJECT, &data, NULL), NOT_AVAILABLE,
       "artifact 6 does not exist for what is not compiled: set option "
       "'specialize' to 'always'");
  FAIL(tcProgramRun(program, pointers, 3, NULL), INVALID_ARGUMENT,
       "program program takes 4 tensors, and 3 are given");
  SUCCEED(tcProgramRun(program, pointers, 4, NULL));
  EXPECT(memcmp(result, wanted, sizeof wanted) == 0);
  tcProgramDestroy(program);
  tcProgramDestroy(compiled);

  /* Code takes over, in whichever workspace. */
  SUCCEED(tcOptionsSet(options, "specialize", "auto"));
  SUCCEED(
      tcProgramCompileEinsum("ij,jk,kl->il", tensors, 3, options, &program));
  size_t bytes = (size_t)tcProgramGetWorkspaceBytes(program);
  size_t alignment = (size_t)tcProgramGetWorkspaceAlignment(program);
  void *workspace =
      aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  TcError *error = NULL;
  int runs = 0, wrong = 0;
  do {
    tcErrorDestroy(error);
    result[0] = -1;
    SUCCEED(tcProgramRun(program, pointers, 4, runs % 2 ? workspace : NULL));
    wrong += memcmp(result, wanted, sizeof wanted) != 0;
    error = tcProgramGet(program, TC_ARTIFACT_OBJECT, &data, NULL);
  } while (error && ++runs < 10000000);
  EXPECT(!error && wrong == 0);
  tcErrorDestroy(error);
  memset(result, 0, sizeof result);
  SUCCEED(tcProgramRun(program, pointers, 4, workspace));
  EXPECT(memcmp(result, wanted, sizeof wanted) == 0);
  free(workspace);
  tcProgramDestroy(program);

  /* Factors, and a result that is added to. */
  static const char text[] = "type = f64\ni = 24, j = 24, k = 24, l = "
                             "24\nR[i,l] += 2 * A[i,j] * B[j,k] * C[k,l]";
  for (int compiles = 0; compiles < 2; ++compiles) {
    SUCCEED(tcOptionsSet(options, "specialize", compiles ? "always" : "never"));
    SUCCEED(tcProgramCompile(text, "tensors", options, &program));
    void *own[4] = {NULL, NULL, NULL, NULL};
    for (int32_t i = 0; i < tcProgramGetParameterCount(program) && i < 4; ++i) {
      const TcPackageTensor *parameter = tcProgramGetParameter(program, i);
      const char name = parameter->name[0];
      own[i] = name == 'R' ? result : name == 'A' ? a : name == 'B' ? b : c;
      EXPECT(parameter->isRead && parameter->isWritten == (name == 'R'));
    }
    for (int i = 0; i < COUNT; ++i)
      result[i] = i;
    SUCCEED(tcProgramRun(program, own, 4, NULL));
    int differ = 0;
    for (int i = 0; i < COUNT; ++i)
      differ += result[i] != i + 2 * wanted[i];
    EXPECT(differ == 0);
    tcProgramDestroy(program);
  }
  tcOptionsDestroy(options);
}

/* After it is said, code is made for nothing any more, and runs go on. */
static void testEnd(void) {
  enum { EXTENT = 64, COUNT = EXTENT * EXTENT };
  static const int64_t extents[] = {EXTENT, EXTENT};
  static double a[COUNT], b[COUNT], c[COUNT];
  const TcTensor tensors[3] = {{TC_ELEMENT_F64, 2, extents, NULL},
                               {TC_ELEMENT_F64, 2, extents, NULL},
                               {TC_ELEMENT_F64, 2, extents, NULL}};
  TcOptions *options = makeOptions();
  SUCCEED(tcOptionsSet(options, "specialize", "auto"));
  SUCCEED(tcOptionsSet(options, "name", "never_made"));
  TcContraction *contraction = NULL;
  const char *data = NULL;
  SUCCEED(tcContractionCompile("ik,kj->ij", tensors, options, &contraction));
  tcSpecializationEnd();
  const clock_t end = clock() + 3 * CLOCKS_PER_SEC / 10;
  while (clock() < end)
    SUCCEED(tcContractionRun(contraction, a, b, c, NULL, NULL));
  FAIL(tcContractionGet(contraction, TC_ARTIFACT_CACHE, &data, NULL),
       NOT_AVAILABLE,
       "artifact 5 does not exist for what is not compiled: set option "
       "'specialize' to 'always'");
  tcSpecializationEnd();
  tcContractionDestroy(contraction);
  tcOptionsDestroy(options);
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  cache = argv[1];
  testSpecialize();
  testUnusableCache();
  testProgram();
  testShapedProgram();
  testEnd();
  printf(failures == 0 ? "passed\n" : "%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
