/*===- shapes_test.c - Contractions of any shape on the CPU, from C -------===*\
|*                                                                            *|
|* Part of the tc project, under the Apache License v2.0 with LLVM            *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* One contraction, run on tensors of many extents and strides, beside sums   *|
|* in double precision; what it refuses; and its object file's header. Usage: *|
|* shapes_test FOLDER, for the cache.                                         *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "MakeOptions.h"

#include <complex.h>

enum { SPACE = 1 << 14 };

static TcContraction *compile(const char *spec, TcElementType type,
                              const int64_t *const extents[3],
                              const int32_t ranks[3],
                              const char *const settings[][2]) {
  TcTensor tensors[3];
  for (int t = 0; t < 3; ++t) {
    const TcTensor tensor = {type, ranks[t], extents[t], NULL};
    tensors[t] = tensor;
  }
  TcOptions *options = makeOptions();
  SUCCEED(tcOptionsSet(options, "dynamic-shapes", "true"));
  for (int i = 0; settings[i][0]; ++i)
    SUCCEED(tcOptionsSet(options, settings[i][0], settings[i][1]));
  TcContraction *contraction = NULL;
  SUCCEED(tcContractionCompile(spec, tensors, options, &contraction));
  tcOptionsDestroy(options);
  return contraction;
}

static const int64_t two[4] = {2, 2, 2, 2};
static const int64_t *const twos[3] = {two, two, two};
static const int32_t matrices[3] = {2, 2, 2}, batches[3] = {3, 2, 3};

/* C[b,i,j] = 2 A[b,i,k] B[k,j] - C, for extents of b, i, k and j. Odd rounds
 * have A with k slowest and gaps, B upside down and C with j slowest. */
static void testNumbers(void) {
  static double a[SPACE], b[SPACE], c[SPACE], old[SPACE];
  TcContraction *contraction =
      compile("bik,kj->bij", TC_ELEMENT_F64, twos, batches,
              (const char *const[][2]){{"alpha", "argument"},
                                       {"beta", "argument"},
                                       {"threads", "2"},
                                       {NULL, NULL}});
  const int64_t extents[][4] = {{1, 1, 1, 1},   {2, 2, 2, 2},  {3, 8, 16, 8},
                                {1, 37, 11, 3}, {5, 7, 13, 9}, {2, 3, 0, 4},
                                {0, 3, 2, 4},   {1, 31, 64, 1}};
  const double alpha = 2, beta = -1;
  for (size_t e = 0; e < sizeof extents / sizeof *extents; ++e)
    for (int odd = 0; odd < 2; ++odd) {
      const int64_t nb = extents[e][0], ni = extents[e][1], nk = extents[e][2],
                    nj = extents[e][3];
      const int64_t shapes[3][3] = {{nb, ni, nk}, {nk, nj, 0}, {nb, ni, nj}};
      const int64_t strides[3][3] = {
          {2 * ni, 2, 2 * ni * nb + 3}, {-nj, 1, 0}, {ni, 1, ni * nb}};
      TcTensorShape given[3];
      for (int t = 0; t < 3; ++t) {
        const TcTensorShape shape = {shapes[t], odd ? strides[t] : NULL};
        given[t] = shape;
      }
      const int64_t zero = odd && nk > 0 ? (nk - 1) * nj : 0;
      for (int i = 0; i < SPACE; ++i) {
        a[i] = i % 7 - 3;
        b[i] = i % 5 - 2;
        c[i] = old[i] = i % 11;
      }
      SUCCEED(tcContractionRunShaped(contraction, given, a, b + zero, c, &alpha,
                                     &beta));
      for (int64_t x = 0; x < nb; ++x)
        for (int64_t i = 0; i < ni; ++i)
          for (int64_t j = 0; j < nj; ++j) {
            double sum = 0;
            for (int64_t k = 0; k < nk; ++k)
              sum += a[odd ? x * strides[0][0] + i * 2 + k * strides[0][2]
                           : (x * ni + i) * nk + k] *
                     b[odd ? zero - k * nj + j : k * nj + j];
            int64_t at = odd ? x * ni + i + j * ni * nb : (x * ni + i) * nj + j;
            EXPECT(c[at] == 2 * sum - old[at]);
            old[at] = c[at];
          }
      /* Nothing else was written. */
      EXPECT(memcmp(c, old, sizeof c) == 0);
    }
  tcContractionDestroy(contraction);
}

/* As it was compiled, with extents of one that go with others, and of one
 * operand, with conjugates. */
static void testForms(void) {
  TcContraction *contraction =
      compile("ik,kj->ij", TC_ELEMENT_F64, twos, matrices,
              (const char *const[][2]){{NULL, NULL}});
  const double a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8};
  double c[6] = {0};
  SUCCEED(tcContractionRun(contraction, a, b, c, NULL, NULL));
  EXPECT(c[0] == 19 && c[1] == 22 && c[2] == 43 && c[3] == 50);
  const int64_t column[2] = {3, 1}, square[2] = {2, 2}, result[2] = {3, 2};
  TcTensorShape shapes[3] = {{column, NULL}, {square, NULL}, {result, NULL}};
  SUCCEED(tcContractionRunShaped(contraction, shapes, a, b, c, NULL, NULL));
  EXPECT(c[0] == 12 && c[1] == 14 && c[2] == 24 && c[5] == 42);
  tcContractionDestroy(contraction);

  contraction =
      compile("ij->ji", TC_ELEMENT_C32, twos, matrices,
              (const char *const[][2]){{"conjugate-a", "true"}, {NULL, NULL}});
  float _Complex from[6], to[6];
  for (int i = 0; i < 6; ++i)
    from[i] = (float)i + 2.0f * I;
  const int64_t wide[2] = {2, 3}, tall[2] = {3, 2};
  shapes[0].extents = wide;
  shapes[2].extents = tall;
  SUCCEED(
      tcContractionRunShaped(contraction, shapes, from, NULL, to, NULL, NULL));
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      EXPECT(to[j * 2 + i] == conjf(from[i * 3 + j]));
  FAIL(tcContractionRunShaped(contraction, shapes, from, from, to, NULL, NULL),
       INVALID_ARGUMENT, "b is given, but the specification has one operand");
  tcContractionDestroy(contraction);
}

static void testErrors(void) {
  TcContraction *contraction =
      compile("ik,kj->ij", TC_ELEMENT_F64, twos, matrices,
              (const char *const[][2]){{NULL, NULL}});
  double a[16] = {0}, b[16] = {0}, c[17];
  for (int i = 0; i < 17; ++i)
    c[i] = 7;
  int64_t extents[3][2] = {{2, 3}, {3, 4}, {2, 4}}, overlapping[2] = {1, 1},
          vast[2] = {INT64_MAX / 2, 1};
  TcTensorShape shapes[3] = {
      {extents[0], NULL}, {extents[1], NULL}, {extents[2], NULL}};
#define RUN(c) tcContractionRunShaped(contraction, shapes, a, b, c, NULL, NULL)
  extents[1][0] = 2;
  FAIL(RUN(c), INVALID_ARGUMENT,
       "index 'k' has extent 3 in dimension 1 of A and 2 in dimension 0 of B");
  extents[1][0] = 3;
  extents[2][1] = 1;
  FAIL(RUN(c), INVALID_ARGUMENT,
       "index 'j' has extent 4 in dimension 1 of B and 1 in dimension 1 of C");
  extents[2][1] = -4;
  FAIL(RUN(c), INVALID_ARGUMENT, "C: extent -4 of dimension 1 is negative");
  extents[2][1] = 4;
  shapes[2].strides = overlapping;
  FAIL(RUN(c), INVALID_ARGUMENT,
       "elements of C overlap: strides 1 along index 'i' and 1 along index "
       "'j'");
  shapes[2].strides = NULL;
  shapes[0].strides = vast;
  FAIL(RUN(c), INVALID_ARGUMENT, "A: its strides exceed 64 bits");
  shapes[0].strides = NULL;
  FAIL(RUN((char *)c + 4), INVALID_ARGUMENT,
       "the pointer of C is no multiple of the 8 bytes of an element");
  FAIL(RUN(NULL), INVALID_ARGUMENT, "the pointer of C is NULL");
  shapes[1].extents = NULL;
  FAIL(RUN(c), INVALID_ARGUMENT, "the extents of B are NULL");
  for (int i = 0; i < 17; ++i)
    EXPECT(c[i] == 7);
  tcContractionDestroy(contraction);

  const TcTensor tensors[3] = {{TC_ELEMENT_F64, 2, two, NULL},
                               {TC_ELEMENT_F64, 2, two, NULL},
                               {TC_ELEMENT_F64, 2, two, NULL}};
  static const char *const refused[][3] = {
      {"semiring", "max_plus", "no other semiring than plus_times"},
      {"epilogue", "relu(x)", "no prologues and epilogues"},
      {"strategy", "gett",
       "none of options 'schedule', 'strategy' and 'workspace-limit'"}};
  for (size_t i = 0; i < sizeof refused / sizeof *refused; ++i) {
    char message[160];
    snprintf(message, sizeof message,
             "option 'dynamic-shapes': of a CPU, ahead-of-time kernels "
             "take %s",
             refused[i][2]);
    TcOptions *options = makeOptions();
    SUCCEED(tcOptionsSet(options, "dynamic-shapes", "true"));
    SUCCEED(tcOptionsSet(options, refused[i][0], refused[i][1]));
    FAIL(tcContractionCompile("ik,kj->ij", tensors, options, &contraction),
         UNSUPPORTED, message);
    tcOptionsDestroy(options);
  }
  SUCCEED(tcContractionCompile("ik,kj->ij", tensors, NULL, &contraction));
  shapes[1].extents = extents[1];
  FAIL(RUN(c), UNSUPPORTED,
       "the contraction is compiled for one shape or for a GPU: compile for "
       "target 'cpu' with option 'dynamic-shapes'");
  tcContractionDestroy(contraction);
}

static const char *textOf(const TcContraction *contraction,
                          TcArtifact artifact) {
  const char *text = "";
  SUCCEED(tcContractionGet(contraction, artifact, &text, NULL));
  return text;
}

/* Calls of the object file are tested with others of its kind
 * (test/Integration/object_shapes.py). */
static void testArtifacts(void) {
  TcContraction *contraction =
      compile("ik,kj->ij", TC_ELEMENT_F32, twos, matrices,
              (const char *const[][2]){
                  {"name", "rows"}, {"beta", "argument"}, {NULL, NULL}});
  EXPECT(strstr(textOf(contraction, TC_ARTIFACT_MLIR),
                "memref<?x?xf32, strided<[?, ?], offset: ?>>") != NULL);
  EXPECT(memcmp(textOf(contraction, TC_ARTIFACT_OBJECT), "\177ELF", 4) == 0);
  EXPECT(strstr(textOf(contraction, TC_ARTIFACT_HEADER),
                "int rows_contraction(const float *A, const float *B, float "
                "*C, float beta, int64_t extent_i, ") != NULL);
  EXPECT(strstr(textOf(contraction, TC_ARTIFACT_HEADER), "-ltc_cpu_runtime") !=
         NULL);
  EXPECT(*textOf(contraction, TC_ARTIFACT_SCHEDULE) == '\0');
  tcContractionDestroy(contraction);
}

int main(int argc, char **argv) {
  cache = argc > 1 ? argv[1] : "off";
  testNumbers();
  testForms();
  testErrors();
  testArtifacts();
  printf(failures == 0 ? "passed\n" : "%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
