/*===- auxiliaries_test.c - Auxiliary tensors of epilogues, from C
-------------------===*\
|*                                                                            *|
|* Part of the tc project, under the Apache License v2.0 with LLVM            *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Usage: auxiliaries_test FOLDER, in which the cache of compiled code is put.
All  *|
|* numbers are small integers, whose sums are exact.                          *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "MakeOptions.h"

static const int64_t two[] = {2}, three[] = {3}, square[] = {2, 2},
                     wide[] = {2, 3}, high[] = {3, 2}, noColumns[] = {2, 0},
                     noRows[] = {0, 2};

/* A[i,j] = i + j and B[j,k] = j - k, whose product is 5, 2, 8, 2. */
static const float a[] = {0, 1, 2, 1, 2, 3}, b[] = {0, -1, 1, 0, 2, 1};

static const TcTensor product[] = {{TC_ELEMENT_F32, 2, wide, NULL},
                                   {TC_ELEMENT_F32, 2, high, NULL},
                                   {TC_ELEMENT_F32, 2, square, NULL}};
static const TcTensor nothing[] = {{TC_ELEMENT_F32, 2, noColumns, NULL},
                                   {TC_ELEMENT_F32, 2, noRows, NULL},
                                   {TC_ELEMENT_F32, 2, square, NULL}};

static TcOptions *withEpilogue(const char *epilogue) {
  TcOptions *options = makeOptions();
  SUCCEED(tcOptionsSet(options, "epilogue", epilogue));
  return options;
}

/* Contracts "ij,jk->ik", frees the options, and compares C, which held 100. */
static void check(const TcTensor *tensors, TcOptions *options,
                  const TcAuxiliary *auxiliaries, int32_t count, float c00,
                  float c01, float c10, float c11, int line) {
  TcContraction *contraction = NULL;
  float c[4] = {100, 100, 100, 100};
  SUCCEED(tcContractionCompile("ij,jk->ik", tensors, options, &contraction));
  tcOptionsDestroy(options);
  if (!contraction)
    return;
  SUCCEED(tcContractionRunWithAuxiliaries(contraction, a, b, c, NULL, NULL,
                                          auxiliaries, count));
  tcContractionDestroy(contraction);
  if (c[0] != c00 || c[1] != c01 || c[2] != c10 || c[3] != c11) {
    printf("%s:%d: %g %g %g %g, not %g %g %g %g\n", __FILE__, line, c[0], c[1],
           c[2], c[3], c00, c01, c10, c11);
    ++failures;
  }
}
#define CHECK(tensors, options, auxiliaries, ...)                              \
  check(tensors, options, auxiliaries,                                         \
        sizeof auxiliaries / sizeof *auxiliaries, __VA_ARGS__, __LINE__)

static void testNumbers(void) {
  const float bias[] = {10, -20}, table[] = {1, 2, 3, 4}, one = 1000;
  /* In another order than in the epilogue. */
  const TcAuxiliary auxiliaries[] = {
      {"table", table}, {"one", &one}, {"bias", bias}};
  const char *epilogue = "relu(x + bias[k]) + 100 * table[k,i] + one[]";
  CHECK(product, withEpilogue(epilogue), auxiliaries, 1115, 1300, 1218, 1400);
  CHECK(nothing, withEpilogue(epilogue), auxiliaries, 1110, 1300, 1210, 1400);

  /* Views: reversed, with gaps, and one number for all. */
  const float gaps[] = {1, 0, 2, 0, 3, 0, 4};
  const int64_t reversed[] = {-1}, strides[] = {2, 4}, none[] = {0};
  const TcTensor views[] = {{TC_ELEMENT_F32, 1, two, reversed},
                            {TC_ELEMENT_F32, 2, square, strides},
                            {TC_ELEMENT_F32, 1, two, none}};
  const TcAuxiliary viewed[] = {
      {"bias", bias + 1}, {"table", gaps}, {"scale", &one}};
  const TcTensor *const shapes[] = {product, nothing};
  for (int empty = 0; empty < 2; ++empty) {
    TcOptions *options =
        withEpilogue("x + bias[k] + 100 * table[k,i] + scale[i] + c");
    SUCCEED(tcOptionsSetAuxiliary(options, "bias", &views[0]));
    SUCCEED(tcOptionsSetAuxiliary(options, "table", &views[1]));
    SUCCEED(tcOptionsSetAuxiliary(options, "scale", &views[2]));
    float x[] = {5, 2, 8, 2};
    for (int i = 0; i < 4; ++i)
      x[i] = empty ? 0 : x[i];
    CHECK(shapes[empty], options, viewed, x[0] + 1180, x[1] + 1310, x[2] + 1380,
          x[3] + 1510);
  }

  /* Other types than C's. */
  const double wideBias[] = {10, -20};
  const TcTensor doubles = {TC_ELEMENT_F64, 1, two, NULL};
  const uint16_t narrowBias[] = {0x4900, 0xCD00}; /* 10 and -20 in f16 */
  const TcTensor halves = {TC_ELEMENT_F16, 1, two, NULL};
  for (int empty = 0; empty < 2; ++empty) {
    const TcAuxiliary one_[] = {{"bias", wideBias}},
                      half[] = {{"bias", narrowBias}};
    float x[] = {5, 2, 8, 2};
    for (int i = 0; i < 4; ++i)
      x[i] = empty ? 0 : x[i];
    TcOptions *options = withEpilogue("x + bias[k]");
    SUCCEED(tcOptionsSetAuxiliary(options, "bias", &doubles));
    CHECK(shapes[empty], options, one_, x[0] + 10, x[1] - 20, x[2] + 10,
          x[3] - 20);
    options = withEpilogue("x + bias[k]");
    SUCCEED(tcOptionsSetAuxiliary(options, "bias", &halves));
    CHECK(shapes[empty], options, half, x[0] + 10, x[1] - 20, x[2] + 10,
          x[3] - 20);
  }
}

static TcError *compile(TcOptions *options) {
  TcContraction *contraction = NULL;
  TcError *error =
      tcContractionCompile("ij,jk->ik", product, options, &contraction);
  tcOptionsDestroy(options);
  tcContractionDestroy(contraction);
  return error;
}

/* Compiles for an epilogue and a description of "bias". */
static TcError *describe(const char *epilogue, TcTensor tensor) {
  TcOptions *options = withEpilogue(epilogue);
  SUCCEED(tcOptionsSetAuxiliary(options, "bias", &tensor));
  return compile(options);
}

static void testErrors(void) {
  FAIL(describe("x + bias[k]", (TcTensor){TC_ELEMENT_F32, 2, square, NULL}),
       INVALID_ARGUMENT,
       "auxiliary tensor 'bias': its rank is 2, but the epilogue has 1 indices "
       "for "
       "it");
  FAIL(describe("x + bias[k]", (TcTensor){TC_ELEMENT_F32, 1, three, NULL}),
       INVALID_ARGUMENT,
       "auxiliary tensor 'bias': index 'k' has extent 3 in dimension 0, but 2 "
       "in C");
  FAIL(describe("x + bias[k]", (TcTensor){TC_ELEMENT_I32, 1, two, NULL}),
       INVALID_ARGUMENT,
       "auxiliary tensor 'bias': its element type is i32, but epilogues are of "
       "floating-point numbers");
  FAIL(describe("x + bias[k]", (TcTensor){77, 1, two, NULL}), INVALID_ARGUMENT,
       "auxiliary tensor 'bias': unknown element type 77");
  FAIL(describe("x + base[k]", (TcTensor){TC_ELEMENT_F32, 1, two, NULL}),
       INVALID_ARGUMENT, "auxiliary tensor 'bias' is not in the epilogue");
  FAIL(describe("relu(x)", (TcTensor){TC_ELEMENT_F32, 1, two, NULL}),
       INVALID_ARGUMENT, "auxiliary tensor 'bias' is not in the epilogue");
  FAIL(compile(withEpilogue("x + bias[j]")), INVALID_ARGUMENT,
       "auxiliary tensor 'bias': index 'j' is not in C");
  FAIL(compile(withEpilogue("x+a[]+b[]+d[]+e[]+f[]+g[]+h[]+i[]+j[]")),
       INVALID_ARGUMENT,
       "the epilogue has 9 auxiliary tensors, and at most 8 are possible");

  TcOptions *options = makeOptions();
  const TcTensor noExtents = {TC_ELEMENT_F32, 1, NULL, NULL},
                 negative = {TC_ELEMENT_F32, -1, NULL, NULL},
                 good = {TC_ELEMENT_F32, 1, three, NULL};
  FAIL(tcOptionsSetAuxiliary(options, NULL, &good), INVALID_ARGUMENT,
       "tcOptionsSetAuxiliary: an argument is NULL");
  FAIL(tcOptionsSetAuxiliary(options, "bias", &noExtents), INVALID_ARGUMENT,
       "auxiliary tensor 'bias': its extents are NULL");
  FAIL(tcOptionsSetAuxiliary(options, "bias", &negative), INVALID_ARGUMENT,
       "auxiliary tensor 'bias': its rank is -1, but must be from 0 to 64");
  /* A description that was taken back is none. */
  SUCCEED(tcOptionsSetAuxiliary(options, "bias", &good));
  SUCCEED(tcOptionsSetAuxiliary(options, "bias", NULL));
  SUCCEED(tcOptionsSet(options, "epilogue", "x + bias[k] * scale[k]"));
  TcContraction *contraction = NULL;
  SUCCEED(tcContractionCompile("ij,jk->ik", product, options, &contraction));
  tcOptionsDestroy(options);
  if (!contraction)
    return;
  EXPECT(tcContractionGetAuxiliaryCount(contraction) == 2);
  EXPECT(strcmp(tcContractionGetAuxiliaryName(contraction, 1), "scale") == 0);
  EXPECT(tcContractionGetAuxiliaryName(contraction, 2) == NULL);
  EXPECT(tcContractionGetAuxiliaryName(contraction, -1) == NULL);

  float c[4] = {100, 100, 100, 100}, bias[3] = {0};
#define RUN(message, count, ...)                                               \
  do {                                                                         \
    const TcAuxiliary auxiliaries[] = {__VA_ARGS__};                           \
    FAIL(tcContractionRunWithAuxiliaries(contraction, a, b, c, NULL, NULL,     \
                                         auxiliaries, count),                  \
         INVALID_ARGUMENT, message);                                           \
  } while (0)
  RUN("auxiliary tensor 'scale' is not given", 1, {"bias", bias});
  RUN("auxiliary tensor 'bias' is given twice", 2, {"bias", bias},
      {"bias", bias});
  RUN("auxiliary tensor 'x' is not in the epilogue", 1, {"x", bias});
  RUN("the pointer of auxiliary tensor 'bias' is NULL", 1, {"bias", NULL});
  RUN("the pointer of auxiliary tensor 'bias' is no multiple of the 4 bytes of "
      "an "
      "element",
      1, {"bias", (const char *)bias + 1});
  RUN("the name of auxiliary tensor 0 is NULL", 1, {NULL, bias});
  FAIL(tcContractionRun(contraction, a, b, c, NULL, NULL), INVALID_ARGUMENT,
       "auxiliary tensor 'bias' is not given");
  FAIL(tcContractionRunWithAuxiliaries(contraction, a, b, c, NULL, NULL, NULL,
                                       1),
       INVALID_ARGUMENT,
       "tcContractionRunWithAuxiliaries: auxiliaries is NULL, but there are 1");
  EXPECT(c[0] == 100 && c[3] == 100);
  tcContractionDestroy(contraction);
}

/* Packages for GPUs hold the auxiliary tensors as kernels take them. */
static void testPackage(void) {
  const int64_t strides[] = {3};
  const TcTensor bias = {TC_ELEMENT_F32, 1, two, strides};
  TcOptions *options = withEpilogue("relu(x + bias[k])");
  TcContraction *contraction = NULL;
  const char *package = "";
  SUCCEED(tcOptionsSet(options, "target", "sm_90"));
  SUCCEED(tcOptionsSetAuxiliary(options, "bias", &bias));
  SUCCEED(tcContractionCompile("ij,jk->ik", product, options, &contraction));
  tcOptionsDestroy(options);
  if (!contraction)
    return;
  SUCCEED(tcContractionGet(contraction, TC_ARTIFACT_PACKAGE, &package, NULL));
  const char *side = strstr(package, "\"name\": \"s0\"");
  EXPECT(strstr(package, "\"epilogue\": \"max(x + s0[k], 0)\"") != NULL);
  EXPECT(side != NULL && strstr(side, "\"strides\"") != NULL);
  tcContractionDestroy(contraction);
}

/* Programs that know the former names find them. */
static void testFormerNames(void) {
  const float bias[] = {1, 2};
  const TcSide side = {"bias", bias};
  TcOptions *options = withEpilogue("x + bias[k]");
  TcContraction *contraction = NULL;
  float wanted[4], c[4] = {100, 100, 100, 100};
  SUCCEED(tcOptionsSetSide(options, "bias", NULL));
  SUCCEED(tcContractionCompile("ij,jk->ik", product, options, &contraction));
  tcOptionsDestroy(options);
  if (!contraction)
    return;
  EXPECT(tcContractionGetSideCount(contraction) == 1);
  EXPECT(strcmp(tcContractionGetSideName(contraction, 0), "bias") == 0);
  SUCCEED(tcContractionRunWithAuxiliaries(contraction, a, b, wanted, NULL, NULL,
                                          &side, 1));
  SUCCEED(
      tcContractionRunWithSides(contraction, a, b, c, NULL, NULL, &side, 1));
  EXPECT(memcmp(c, wanted, sizeof c) == 0 && c[0] != 100);
  tcContractionDestroy(contraction);
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  cache = argv[1];
  testNumbers();
  testErrors();
  testPackage();
  testFormerNames();
  printf(failures == 0 ? "passed\n" : "%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
