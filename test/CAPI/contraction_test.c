/*===- contraction_test.c - The C interface, from C -----------------------===*\
|*                                                                            *|
|* Part of the tc project, under the Apache License v2.0 with LLVM            *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Usage: contraction_test FOLDER, in which the cache of compiled code is put.*|
|* Says what fails, and ends with 1 then. Numbers are small integers, whose   *|
|* sums are exact.                                                            *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "MakeOptions.h"

#include <pthread.h>
#include <stdlib.h>

/*--- Numbers ----------------------------------------------------------------*/

/* One contraction of indices i, j, k, ..., each with its extent and a stride in
 * each tensor, zero where that does not hold it: what is to be computed. */
typedef struct {
  const char *spec;
  int count;
  int64_t extents[6];
  int64_t strides[3][6];
  TcTensor tensors[3];
} Case;

enum { SPACE = 4096 };

/* The least position of an element beside the one at coordinates zero. */
static int64_t minOf(const Case *problem, int tensor) {
  int64_t least = 0;
  for (int i = 0; i < problem->count; ++i)
    if (problem->strides[tensor][i] < 0)
      least += (problem->extents[i] - 1) * problem->strides[tensor][i];
  return least;
}

/* True if this is the B of a contraction of one operand, which is not given. */
static int isOne(const Case *problem, int tensor) {
  return problem->tensors[tensor].rank < 0;
}

/* Writes a number as an element; integers wrap around. */
static void store(TcElementType type, void *element, double number) {
  if (type == TC_ELEMENT_F64)
    *(double *)element = number;
  else if (type == TC_ELEMENT_F32)
    *(float *)element = (float)number;
  else if (type == TC_ELEMENT_I64)
    *(int64_t *)element = (int64_t)number;
  else if (type == TC_ELEMENT_I32)
    *(int32_t *)element = (int32_t)number;
  else
    *(int8_t *)element = (int8_t)(int32_t)number;
}

static double load(TcElementType type, const void *element) {
  if (type == TC_ELEMENT_F64)
    return *(const double *)element;
  if (type == TC_ELEMENT_F32)
    return *(const float *)element;
  if (type == TC_ELEMENT_I64)
    return (double)*(const int64_t *)element;
  if (type == TC_ELEMENT_I32)
    return *(const int32_t *)element;
  return *(const int8_t *)element;
}

/* By compiled code, and by ahead-of-time kernels. */
static const char *specialize = "always";

/* Computes the case with A, B and C of these types, and compares with loops
 * over all indices. */
static void checkNumbers(const Case *given, TcElementType typeA,
                         TcElementType typeB, TcElementType outType,
                         double alpha, double beta, int asArguments) {
  const TcElementType types[] = {typeA, typeB, outType};
  Case problem = *given;
  double value[3][SPACE], expected[SPACE];
  _Alignas(8) char memory[3][SPACE * 8];
  char *pointers[3];
  int64_t bytes[3];
  for (int t = 0; t < 3; ++t) {
    problem.tensors[t].type = types[t];
    bytes[t] = tcElementTypeGetBytes(problem.tensors[t].type);
    pointers[t] = memory[t] - minOf(&problem, t) * bytes[t];
    for (int i = 0; i < SPACE; ++i) {
      value[t][i] = isOne(&problem, t) ? 1 : (i * 7 + t * 3) % 9 - 4;
      store(problem.tensors[t].type, memory[t] + i * bytes[t], value[t][i]);
    }
  }

  /* Sums first, then factors. */
  double sum[SPACE] = {0};
  int owned[SPACE] = {0};
  int64_t coordinates[6] = {0};
  int isEmpty = 0, ownsNothing = 0;
  for (int i = 0; i < problem.count; ++i)
    isEmpty |= problem.extents[i] == 0;
  for (int i = 0; i < problem.tensors[2].rank; ++i)
    ownsNothing |= problem.tensors[2].extents[i] == 0;
  int64_t at[3];
  for (int done = 0; !done;) {
    for (int t = 0; t < 3; ++t) {
      at[t] = -minOf(&problem, t);
      for (int i = 0; i < problem.count; ++i)
        at[t] += coordinates[i] * problem.strides[t][i];
    }
    if (!isEmpty)
      sum[at[2]] += value[0][at[0]] * value[1][at[1]];
    if (!ownsNothing)
      owned[at[2]] = 1;
    int i = problem.count - 1;
    while (i >= 0 && ++coordinates[i] >= problem.extents[i])
      coordinates[i--] = 0;
    done = i < 0;
  }
  for (int i = 0; i < SPACE; ++i) {
    _Alignas(8) char element[8];
    store(outType, element,
          owned[i] ? alpha * sum[i] + beta * value[2][i] : value[2][i]);
    expected[i] = load(outType, element);
  }

  TcOptions *options = makeOptions();
  char number[32];
  SUCCEED(tcOptionsSet(options, "specialize", specialize));
  snprintf(number, sizeof number, "%g", alpha);
  SUCCEED(tcOptionsSet(options, "alpha", asArguments ? "argument" : number));
  snprintf(number, sizeof number, "%g", beta);
  SUCCEED(tcOptionsSet(options, "beta", asArguments ? "argument" : number));
  TcContraction *contraction = NULL;
  SUCCEED(tcContractionCompile(problem.spec, problem.tensors, options,
                               &contraction));
  tcOptionsDestroy(options);
  if (!contraction)
    return;
  TcElementType scalar = tcContractionGetScalarType(contraction);
  TcElementType common = tcElementTypeGetCommon(typeA, typeB);
  EXPECT(scalar == (common == TC_ELEMENT_I8 ? TC_ELEMENT_I32 : common));
  double factors[2];
  store(scalar, &factors[0], alpha);
  store(scalar, &factors[1], beta);
  SUCCEED(tcContractionRun(contraction, pointers[0],
                           isOne(&problem, 1) ? NULL : pointers[1], pointers[2],
                           asArguments ? &factors[0] : NULL,
                           asArguments ? &factors[1] : NULL));
  int wrong = 0;
  for (int i = 0; i < SPACE; ++i)
    wrong += load(outType, memory[2] + i * bytes[2]) != expected[i];
  if (wrong != 0) {
    printf("%s, %s and %s, alpha %g, beta %g, specialize %s: %d elements are "
           "wrong\n",
           problem.spec, tcElementTypeGetName(typeA),
           tcElementTypeGetName(typeB), alpha, beta, specialize, wrong);
    ++failures;
  }
  tcContractionDestroy(contraction);
}

static const int64_t matrixA[] = {13, 9}, matrixAt[] = {9, 13},
                     matrixB[] = {9, 11}, matrixC[] = {13, 11};

static void testNumbers(void) {
  static const int64_t reversed[] = {-9, -1}, repeated[] = {0, 1},
                       wide[] = {-40, 2}, emptyA[] = {13, 0},
                       emptyB[] = {0, 11}, cube[] = {5, 5, 7}, vector[] = {7},
                       five[] = {5}, none[] = {0, 11}, noRows[] = {0, 13};
  const Case cases[] = {
      {"ik,kj->ij",
       3,
       {13, 11, 9},
       {{9, 0, 1}, {0, 1, 11}, {11, 1, 0}},
       {{0, 2, matrixA, NULL}, {0, 2, matrixB, NULL}, {0, 2, matrixC, NULL}}},
      /* Without an output, which is [i, j] then. */
      {"[i,k],[k,j]",
       3,
       {13, 11, 9},
       {{-9, 0, -1}, {0, 1, 11}, {-40, 2, 0}},
       {{0, 2, matrixA, reversed},
        {0, 2, matrixB, NULL},
        {0, 2, matrixC, wide}}},
      {"ik,kj->ij",
       3,
       {13, 11, 9},
       {{0, 0, 1}, {0, 1, 11}, {11, 1, 0}},
       {{0, 2, matrixA, repeated},
        {0, 2, matrixB, NULL},
        {0, 2, matrixC, NULL}}},
      /* A diagonal, and an index that only A has. */
      {"iik,k->i",
       2,
       {5, 7},
       {{42, 1}, {0, 1}, {1, 0}},
       {{0, 3, cube, NULL}, {0, 1, vector, NULL}, {0, 1, five, NULL}}},
      {",k->k",
       1,
       {7},
       {{0}, {1}, {1}},
       {{0, 0, NULL, NULL}, {0, 1, vector, NULL}, {0, 1, vector, NULL}}},
      {"k,k->",
       1,
       {7},
       {{1}, {1}, {0}},
       {{0, 1, vector, NULL}, {0, 1, vector, NULL}, {0, 0, NULL, NULL}}},
      /* Sums of nothing, and nothing at all. */
      {"ik,kj->ij",
       3,
       {13, 11, 0},
       {{0, 0, 1}, {0, 1, 11}, {11, 1, 0}},
       {{0, 2, emptyA, NULL}, {0, 2, emptyB, NULL}, {0, 2, matrixC, NULL}}},
      {"ik,kj->ij",
       3,
       {0, 11, 13},
       {{13, 0, 1}, {0, 1, 11}, {11, 1, 0}},
       {{0, 2, noRows, NULL}, {0, 2, matrixC, NULL}, {0, 2, none, NULL}}}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    checkNumbers(&cases[i], TC_ELEMENT_F64, TC_ELEMENT_F64, TC_ELEMENT_F64, 1,
                 0, 0);
    checkNumbers(&cases[i], TC_ELEMENT_F64, TC_ELEMENT_F64, TC_ELEMENT_F64, 3,
                 -2, 1);
    checkNumbers(&cases[i], TC_ELEMENT_F32, TC_ELEMENT_F32, TC_ELEMENT_F32, -2,
                 4, 0);
    checkNumbers(&cases[i], TC_ELEMENT_F32, TC_ELEMENT_F32, TC_ELEMENT_F32, 2,
                 1, 1);
    checkNumbers(&cases[i], TC_ELEMENT_I64, TC_ELEMENT_I64, TC_ELEMENT_I64, 3,
                 -2, 1);
    checkNumbers(&cases[i], TC_ELEMENT_I32, TC_ELEMENT_I32, TC_ELEMENT_I32, 2,
                 1, 0);
    checkNumbers(&cases[i], TC_ELEMENT_I8, TC_ELEMENT_I8, TC_ELEMENT_I32, 1, 0,
                 0);
    checkNumbers(&cases[i], TC_ELEMENT_I8, TC_ELEMENT_I8, TC_ELEMENT_I32, -2, 3,
                 1);
    checkNumbers(&cases[i], TC_ELEMENT_F32, TC_ELEMENT_F64, TC_ELEMENT_F64, 3,
                 -2, 1);
    checkNumbers(&cases[i], TC_ELEMENT_I64, TC_ELEMENT_I8, TC_ELEMENT_I64, 3,
                 -2, 0);
    checkNumbers(&cases[i], TC_ELEMENT_I8, TC_ELEMENT_I32, TC_ELEMENT_I32, -2,
                 3, 1);
  }
}

/* Contractions of one operand, ellipses and broadcasting. */
static void testForms(void) {
  static const int64_t square[] = {5, 5}, five[] = {5}, wide[] = {7, 13},
                       high[] = {13, 7}, one[] = {1, 4, 5},
                       many[] = {6, 2, 3, 4}, result[] = {6, 2, 3, 5};
  const Case cases[] = {
      {"ij->ji",
       2,
       {7, 13},
       {{13, 1}, {0, 0}, {1, 7}},
       {{0, 2, wide, NULL}, {0, -1, NULL, NULL}, {0, 2, high, NULL}}},
      {"ii->i",
       1,
       {5},
       {{6}, {0}, {1}},
       {{0, 2, square, NULL}, {0, -1, NULL, NULL}, {0, 1, five, NULL}}},
      {"ii",
       1,
       {5},
       {{6}, {0}, {0}},
       {{0, 2, square, NULL}, {0, -1, NULL, NULL}, {0, 0, NULL, NULL}}},
      {"...ij,...jk->...ik",
       5,
       {6, 2, 3, 5, 4},
       {{24, 12, 4, 0, 1}, {0, 0, 0, 1, 5}, {30, 15, 5, 1, 0}},
       {{0, 4, many, NULL}, {0, 3, one, NULL}, {0, 4, result, NULL}}}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    checkNumbers(&cases[i], TC_ELEMENT_F64, TC_ELEMENT_F64, TC_ELEMENT_F64, 1,
                 0, 0);
    checkNumbers(&cases[i], TC_ELEMENT_F32, TC_ELEMENT_F32, TC_ELEMENT_F32, 3,
                 -2, 1);
    checkNumbers(&cases[i], TC_ELEMENT_I8, TC_ELEMENT_I8, TC_ELEMENT_I32, -2, 3,
                 1);
  }

  /* The one of every semiring changes nothing. */
  static const char *const semirings[] = {"max_plus", "min_plus", "max_times",
                                          "max_min",  "min_max",  "or_and"};
  TcTensor tensors[3] = {{TC_ELEMENT_I8, 1, five, NULL},
                         {0, 0, NULL, NULL},
                         {TC_ELEMENT_I8, 1, five, NULL}};
  for (size_t i = 0; i < sizeof semirings / sizeof *semirings; ++i) {
    int8_t from[5] = {INT8_MIN, -1, 0, 3, INT8_MAX}, to[5] = {0};
    TcContraction *contraction = NULL;
    TcOptions *options = makeOptions();
    SUCCEED(tcOptionsSet(options, "semiring", semirings[i]));
    SUCCEED(tcContractionCompile("i->i", tensors, options, &contraction));
    SUCCEED(tcContractionRun(contraction, from, NULL, to, NULL, NULL));
    EXPECT(memcmp(from, to, sizeof from) == 0);
    FAIL(tcContractionRun(contraction, from, from, to, NULL, NULL),
         INVALID_ARGUMENT, "b is given, but the specification has one operand");
    tcContractionDestroy(contraction);
    tcOptionsDestroy(options);
  }
  TcContraction *contraction = NULL;
  TcOptions *options = makeOptions();
  SUCCEED(tcOptionsSet(options, "prologue-b", "-x"));
  FAIL(tcContractionCompile("i->i", tensors, options, &contraction),
       INVALID_ARGUMENT,
       "option 'prologue-b': the specification has one operand, A");
  tcOptionsDestroy(options);

  char text[64];
  size_t length = 0;
  const int32_t ranks[] = {3, 2, 1};
  SUCCEED(
      tcSubscriptsExpand("...ij,jk,k", ranks, 3, text, sizeof text, &length));
  EXPECT(strcmp(text, "[ellipsis0,i,j],[j,k],[k]->[ellipsis0,i]") == 0);
  EXPECT(length == strlen(text));
  SUCCEED(tcSubscriptsExpand("...ij,jk,k", ranks, 3, text, 8, &length));
  EXPECT(strcmp(text, "[ellips") == 0 && length == 40);
  SUCCEED(tcSubscriptsExpand("...ij,jk,k", ranks, 3, NULL, 0, &length));
  FAIL(tcSubscriptsExpand("...ij,jk,k", ranks, 2, NULL, 0, &length),
       INVALID_ARGUMENT,
       "spec:1:1: error: the specification names 3 operands, but 2 are given");
  FAIL(tcSubscriptsExpand("i", ranks, 1, NULL, 0, NULL), INVALID_ARGUMENT,
       "tcSubscriptsExpand: an argument is NULL");
  const int32_t negative[] = {-1};
  FAIL(tcSubscriptsExpand("i", negative, 1, NULL, 0, &length), INVALID_ARGUMENT,
       "the rank of operand 0 is -1, but must be from 0 to 64");
}

/* Scales integers that no product is added to. */
static void testIntegers(void) {
  const int64_t noColumns[] = {3, 0}, noRows[] = {0, 2}, extents[] = {3, 2};
  TcTensor tensors[3] = {{TC_ELEMENT_I64, 2, noColumns, NULL},
                         {TC_ELEMENT_I64, 2, noRows, NULL},
                         {TC_ELEMENT_I64, 2, extents, NULL}};
  int64_t wide[6] = {1, 2, 3, 4, 5, INT64_MAX / 4}, beta = -3;
  TcOptions *options = makeOptions();
  TcContraction *contraction = NULL;
  SUCCEED(tcOptionsSet(options, "beta", "argument"));
  SUCCEED(tcContractionCompile("ik,kj->ij", tensors, options, &contraction));
  EXPECT(tcContractionGetScalarType(contraction) == TC_ELEMENT_I64);
  SUCCEED(tcContractionRun(contraction, NULL, NULL, wide, NULL, &beta));
  EXPECT(wide[0] == -3 && wide[4] == -15 && wide[5] == -3 * (INT64_MAX / 4));
  tcContractionDestroy(contraction);

  int32_t narrow[6] = {1, 2, 3, 4, 5, 6};
  for (int t = 0; t < 3; ++t)
    tensors[t].type = t < 2 ? TC_ELEMENT_I8 : TC_ELEMENT_I32;
  contraction = NULL;
  SUCCEED(tcOptionsSet(options, "beta", "7"));
  SUCCEED(tcContractionCompile("ik,kj->ij", tensors, options, &contraction));
  SUCCEED(tcContractionRun(contraction, NULL, NULL, narrow, NULL, NULL));
  EXPECT(narrow[0] == 7 && narrow[5] == 42);
  tcContractionDestroy(contraction);

  contraction = NULL;
  const char *const noIntegers[][2] = {
      {"-2147483649", "beta: '-2147483649' is no i32"},
      {"1.00000000000000000001", "beta: nearly '1' is no i32"}};
  for (int i = 0; i < 2; ++i) {
    SUCCEED(tcOptionsSet(options, "beta", noIntegers[i][0]));
    FAIL(tcContractionCompile("ik,kj->ij", tensors, options, &contraction),
         INVALID_ARGUMENT, noIntegers[i][1]);
  }
  SUCCEED(tcOptionsSet(options, "beta", "1-2i"));
  FAIL(tcContractionCompile("ik,kj->ij", tensors, options, &contraction),
       INVALID_ARGUMENT, "beta: '1-2i' is complex, which no i32 is");
  for (int t = 0; t < 3; ++t)
    tensors[t].type = TC_ELEMENT_F16;
  SUCCEED(tcOptionsSet(options, "beta", "-1e39"));
  FAIL(tcContractionCompile("ik,kj->ij", tensors, options, &contraction),
       INVALID_ARGUMENT, "beta: '-1e+39' is too large for f32");
  SUCCEED(tcOptionsSet(options, "beta", ""));
  SUCCEED(tcOptionsSet(options, "prologue-a", "x * 1e39"));
  FAIL(tcContractionCompile("ik,kj->ij", tensors, options, &contraction),
       INVALID_ARGUMENT,
       "spec:1:1: error: prologue-a: '1e+39' is too large for f32");
  tcOptionsDestroy(options);

  /* No double lies between 2^53 and 2^53 + 2. */
  const int64_t one[] = {1, 1}, exact = (INT64_C(1) << 53) + 1;
  TcTensor ofOne[3];
  for (int t = 0; t < 3; ++t)
    ofOne[t] = (TcTensor){TC_ELEMENT_I64, 2, one, NULL};
  int64_t a = 1, b = 1, c = 0;
  options = makeOptions();
  SUCCEED(tcOptionsSet(options, "alpha", "9007199254740993"));
  SUCCEED(tcContractionCompile("ik,kj->ij", ofOne, options, &contraction));
  SUCCEED(tcContractionRun(contraction, &a, &b, &c, NULL, NULL));
  EXPECT(c == exact);
  tcContractionDestroy(contraction);
  SUCCEED(tcOptionsSet(options, "alpha", "-9223372036854775808"));
  SUCCEED(tcContractionCompile("ik,kj->ij", ofOne, options, &contraction));
  SUCCEED(tcContractionRun(contraction, &a, &b, &c, NULL, NULL));
  EXPECT(c == INT64_MIN);
  tcContractionDestroy(contraction);
  SUCCEED(tcOptionsSet(options, "alpha", ""));
  SUCCEED(tcOptionsSet(options, "product", "x * y + 9007199254740992"));
  SUCCEED(tcOptionsSet(options, "combine", "max(x, y)"));
  SUCCEED(tcOptionsSet(options, "identity", "-inf"));
  SUCCEED(tcContractionCompile("ik,kj->ij", ofOne, options, &contraction));
  SUCCEED(tcContractionRun(contraction, &a, &b, &c, NULL, NULL));
  EXPECT(c == exact);
  tcContractionDestroy(contraction);
  SUCCEED(tcOptionsSet(options, "product", "x * y + 9223372036854775808"));
  FAIL(tcContractionCompile("ik,kj->ij", ofOne, options, &contraction),
       INVALID_ARGUMENT,
       "spec:1:1: error: product: '9223372036854775808' is no i64");
  tcOptionsDestroy(options);
}

/*--- Errors -----------------------------------------------------------------*/

static TcError *compile(const char *spec, const TcTensor *tensors) {
  TcContraction *contraction = NULL;
  TcOptions *options = makeOptions();
  TcError *error = tcContractionCompile(spec, tensors, options, &contraction);
  tcOptionsDestroy(options);
  tcContractionDestroy(contraction);
  return error;
}

static void testErrors(void) {
  const TcTensor good[3] = {{TC_ELEMENT_F64, 2, matrixA, NULL},
                            {TC_ELEMENT_F64, 2, matrixB, NULL},
                            {TC_ELEMENT_F64, 2, matrixC, NULL}};
  TcTensor bad[3];
#define COMPILE(spec, change, code, message)                                   \
  do {                                                                         \
    memcpy(bad, good, sizeof bad);                                             \
    change;                                                                    \
    FAIL(compile(spec, bad), code, message);                                   \
  } while (0)
  const int64_t tooLong[] = {13, 12}, negative[] = {13, -1}, ones[] = {1, 1},
                huge[] = {INT64_MAX, -INT64_MAX};
  COMPILE("ik,kj->", (void)0, INVALID_ARGUMENT,
          "C: its rank is 2, but the specification has 0 indices for it");
  COMPILE("ik,kj-ij", (void)0, INVALID_ARGUMENT,
          "spec:1:6: error: expected '->' or the end of the line, found '-'");
  COMPILE("ik,kj->ij\nk=3", (void)0, INVALID_ARGUMENT,
          "spec:2:1: error: expected the end of the specification, found 'k'");
  COMPILE("ik,kj->ix", (void)0, INVALID_ARGUMENT,
          "spec:1:9: error: index 'x' is in the output but in no input");
  COMPILE("ik,kj->ij", bad[1].extents = tooLong, INVALID_ARGUMENT,
          "spec:1:1: error: index 'k' has extent 9 in dimension 1 of A and 13 "
          "in dimension 0 of B");
  COMPILE("ik,kj->ij", bad[1].rank = 65, INVALID_ARGUMENT,
          "B: its rank is 65, but must be from 0 to 64");
  COMPILE("ik,kj->ij", bad[1].rank = 1, INVALID_ARGUMENT,
          "spec:1:4: error: B has 1 dimensions, but 2 are named for it");
  COMPILE("ik,kj->ij", bad[0].extents = negative, INVALID_ARGUMENT,
          "A: extent -1 of dimension 1 is negative");
  COMPILE("ik,kj->ij", bad[0].extents = NULL, INVALID_ARGUMENT,
          "A: its extents are NULL");
  COMPILE("ik,kj->ij", bad[2].type = 99, INVALID_ARGUMENT,
          "C: unknown element type 99");
  COMPILE("ik,kj->ij", bad[1].type = TC_ELEMENT_I32, INVALID_ARGUMENT,
          "no type holds the elements of both A and B, which are f64 and i32: "
          "convert one of them");
  COMPILE("ik,kj->ij", bad[2].type = TC_ELEMENT_F32, INVALID_ARGUMENT,
          "element type of C must be f64 for factors of f64, but is f32");
  COMPILE("ik,kj->ij", bad[0].strides = huge, INVALID_ARGUMENT,
          "A: its strides exceed 64 bits");
  COMPILE("ik,kj->ij", bad[2].strides = ones, INVALID_ARGUMENT,
          "spec:1:1: error: 'tc.contract' op elements of C overlap: strides 1 "
          "along index 'i' and 1 along index 'j'");
  COMPILE("ik,kj->ij", bad[0].type = bad[1].type = TC_ELEMENT_I32,
          INVALID_ARGUMENT,
          "element type of C must be i8 or i32 for factors of i32, but is f64");
  FAIL(compile(NULL, good), INVALID_ARGUMENT,
       "tcContractionCompile: an argument is NULL");

  /* The strides of indices n and k are both one. */
  const TcTensor copied[3] = {{TC_ELEMENT_F64, 0, NULL, NULL},
                              {TC_ELEMENT_F64, 2, matrixA, NULL},
                              {TC_ELEMENT_F64, 2, matrixAt, NULL}};
  TcOptions *options = makeOptions();
  TcContraction *contraction = NULL;
  SUCCEED(tcOptionsSet(options, "strategy", "loop_over_gemm"));
  FAIL(tcContractionCompile(",kn->nk", copied, options, &contraction),
       UNSUPPORTED,
       "spec:1:1: error: 'tc.contract' op strategy loop_over_gemm: 'n' and 'k' "
       "have stride "
       "one and are both indices of N, of which a matrix product has but one");
  SUCCEED(tcOptionsSet(options, "strategy", "auto"));
  FAIL(tcOptionsSet(options, "colour", "red"), INVALID_ARGUMENT,
       "option 'colour': there is no such option");
  FAIL(tcOptionsSet(options, "refine", "0"), INVALID_ARGUMENT,
       "option 'refine': '0' is no integer from 1 to 65536");
  FAIL(tcOptionsSet(options, "threads", "-1"), INVALID_ARGUMENT,
       "option 'threads': '-1' is no integer from 0 to 65536");
  FAIL(tcOptionsSet(options, "strategy", "luck"), INVALID_ARGUMENT,
       "option 'strategy': 'luck' is none of auto, gett, ttgt, "
       "loop_over_gemm, direct and library");
  FAIL(tcOptionsSet(options, "precision", "f8"), INVALID_ARGUMENT,
       "option 'precision': 'f8' is none of ieee, tf32, 3xtf32 and bf16x3");
  FAIL(tcOptionsSet(options, "alpha", "1 + i"), INVALID_ARGUMENT,
       "option 'alpha': '1 + i' is neither a number nor 'argument'");
  FAIL(tcOptionsSet(options, "conjugate-a", "yes"), INVALID_ARGUMENT,
       "option 'conjugate-a': 'yes' is neither true nor false");
  FAIL(tcOptionsSet(options, "name", "a b"), INVALID_ARGUMENT,
       "option 'name': 'a b' is no C identifier of up to 64 characters");
  FAIL(tcOptionsSet(options, "cache-size", "0"), INVALID_ARGUMENT,
       "option 'cache-size': '0' is no integer from 1 to 1048576");
  TcError *error = tcOptionsSet(options, "target", "sm_1");
  EXPECT(error && strstr(tcErrorGetMessage(error), "option 'target': ") &&
         strstr(tcErrorGetMessage(error), "'cpu' is this machine's"));
  tcErrorDestroy(error);

  double memory[13 * 11] = {0};
  SUCCEED(tcContractionCompile("ik,kj->ij", good, options, &contraction));
  FAIL(tcContractionRun(contraction, memory, NULL, memory, NULL, NULL),
       INVALID_ARGUMENT, "the pointer of B is NULL");
  FAIL(tcContractionRun(contraction, (char *)memory + 4, memory, memory, NULL,
                        NULL),
       INVALID_ARGUMENT,
       "the pointer of A is no multiple of the 8 bytes of an element");
  FAIL(tcContractionRun(contraction, memory, memory, memory, memory, NULL),
       INVALID_ARGUMENT,
       "alpha is given, but was compiled in: set option 'alpha' to 'argument'");
  const char *text;
  FAIL(tcContractionGet(contraction, TC_ARTIFACT_PTX, &text, NULL),
       NOT_AVAILABLE, "artifact 8 does not exist for target 'cpu'");
  tcContractionDestroy(contraction);
  SUCCEED(tcOptionsSet(options, "beta", "argument"));
  SUCCEED(tcContractionCompile("ik,kj->ij", good, options, &contraction));
  FAIL(tcContractionRun(contraction, memory, memory, memory, NULL, NULL),
       INVALID_ARGUMENT, "beta is NULL, but is an argument");
  tcContractionDestroy(contraction);
  tcOptionsDestroy(options);
}

/*--- Artifacts --------------------------------------------------------------*/

static int holds(const TcContraction *contraction, TcArtifact artifact,
                 const char *part) {
  const char *text = "";
  size_t size = 0;
  SUCCEED(tcContractionGet(contraction, artifact, &text, &size));
  if (memchr(text, 0, size) == NULL)
    EXPECT(strlen(text) == size);
  if (strstr(text, part))
    return 1;
  printf("artifact %d has no '%s':\n%s\n", artifact, part, text);
  return 0;
}

static void testArtifacts(void) {
  const TcTensor tensors[3] = {{TC_ELEMENT_F32, 2, matrixA, NULL},
                               {TC_ELEMENT_F32, 2, matrixB, NULL},
                               {TC_ELEMENT_F32, 2, matrixC, NULL}};
  TcOptions *options = makeOptions();
  SUCCEED(tcOptionsSet(options, "name", "product"));
  for (int run = 0; run < 2; ++run) {
    TcContraction *contraction = NULL;
    SUCCEED(tcContractionCompile("ik,kj->ij", tensors, options, &contraction));
    EXPECT(holds(contraction, TC_ARTIFACT_CACHE, run == 0 ? "miss" : "hit"));
    EXPECT(holds(contraction, TC_ARTIFACT_MLIR, "tc.contract [i, k], [k, j]"));
    EXPECT(holds(contraction, TC_ARTIFACT_SCHEDULE, "#tc.cpu_schedule<"));
    EXPECT(holds(contraction, TC_ARTIFACT_EXPLANATION, "predicted"));
    EXPECT(holds(contraction, TC_ARTIFACT_WARNINGS, ""));
    EXPECT(holds(contraction, TC_ARTIFACT_OBJECT, "\177ELF"));
    EXPECT(holds(contraction, TC_ARTIFACT_HEADER,
                 "int product_contraction(const float *A, const float *B, "
                 "float *C);"));
    tcContractionDestroy(contraction);
  }

  SUCCEED(tcOptionsSet(options, "target", "sm_90"));
  TcContraction *contraction = NULL;
  SUCCEED(tcContractionCompile("ik,kj->ij", tensors, options, &contraction));
  EXPECT(holds(contraction, TC_ARTIFACT_PTX, ".target sm_90"));
  EXPECT(holds(contraction, TC_ARTIFACT_PACKAGE, "\"file\": \"product.ptx\""));
  EXPECT(holds(contraction, TC_ARTIFACT_SCHEDULE, "#tc.schedule<target = "));
  EXPECT(holds(contraction, TC_ARTIFACT_EXPLANATION, "schedule"));
  EXPECT(holds(contraction, TC_ARTIFACT_EXPLANATION_PAGE, "</svg>"));
  FAIL(tcContractionRun(contraction, NULL, NULL, NULL, NULL, NULL), UNSUPPORTED,
       "the contraction is compiled for sm_90: launch it with "
       "tcContractionLaunch, or compile for target 'cpu'");
  tcContractionDestroy(contraction);
  tcOptionsDestroy(options);
}

/*--- Semirings, prologues and epilogues
 * --------------------------------------*/

/* Contracts "ij,jk->ik" of A[i,j] = i + j and B[j,k] = j - k, both of f32 and
 * with 2 x 3 and 3 x 2 elements, or with j of extent 0. C holds 100. */
static void contractSmall(int64_t depth, const char *const settings[][2],
                          float c[4]) {
  float a[6], b[6];
  int64_t aExtents[] = {2, depth}, bExtents[] = {depth, 2}, cExtents[] = {2, 2};
  TcTensor tensors[] = {{TC_ELEMENT_F32, 2, aExtents, NULL},
                        {TC_ELEMENT_F32, 2, bExtents, NULL},
                        {TC_ELEMENT_F32, 2, cExtents, NULL}};
  TcOptions *options = makeOptions();
  TcContraction *contraction = NULL;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j) {
      a[3 * i + j] = (float)(i + j);
      b[2 * j + i] = (float)(j - i);
    }
  for (int i = 0; i < 4; ++i)
    c[i] = 100;
  for (; (*settings)[0]; ++settings)
    SUCCEED(tcOptionsSet(options, (*settings)[0], (*settings)[1]));
  SUCCEED(tcContractionCompile("ij,jk->ik", tensors, options, &contraction));
  if (contraction)
    SUCCEED(tcContractionRun(contraction, a, b, c, NULL, NULL));
  tcContractionDestroy(contraction);
  tcOptionsDestroy(options);
}

static void expectFour(const float c[4], float c00, float c01, float c10,
                       float c11, int line) {
  if (c[0] != c00 || c[1] != c01 || c[2] != c10 || c[3] != c11) {
    printf("%s:%d: %g %g %g %g, not %g %g %g %g\n", __FILE__, line, c[0], c[1],
           c[2], c[3], c00, c01, c10, c11);
    ++failures;
  }
}
#define EXPECT_FOUR(c, ...) expectFour(c, __VA_ARGS__, __LINE__)

static void testFused(void) {
  float c[4];
  /* Least of (i + j) + (j - k) over j. */
  const char *const least[][2] = {{"semiring", "min_plus"}, {NULL, NULL}};
  contractSmall(3, least, c);
  EXPECT_FOUR(c, 0, -1, 1, 0);
  /* One is 0 and zero is infinity there: 1 is a factor, and 0 keeps C. */
  const char *const factors[][2] = {
      {"semiring", "min_plus"}, {"alpha", "1"}, {"beta", "-100"}, {NULL, NULL}};
  contractSmall(3, factors, c);
  EXPECT_FOUR(c, 0, 0, 0, 0);
  /* 5, 2, 8 and 2 plainly. */
  const char *const epilogue[][2] = {{"epilogue", "leaky_relu(4 - x, 0.5) + c"},
                                     {NULL, NULL}};
  contractSmall(3, epilogue, c);
  EXPECT_FOUR(c, 99.5f, 102, 98, 102);
  const char *const prologues[][2] = {
      {"prologue-a", "2 * x"}, {"prologue-b", "max(x, 0)"}, {NULL, NULL}};
  contractSmall(3, prologues, c);
  EXPECT_FOUR(c, 10, 4, 16, 6);
  /* Nothing to sum. */
  contractSmall(0, factors, c);
  EXPECT_FOUR(c, 0, 0, 0, 0);
  contractSmall(0, epilogue, c);
  EXPECT_FOUR(c, 104, 104, 104, 104);

  /* The sum over j of |(i + j) - (j - k)|, with and without what C held. */
  const char *const distances[][2] = {{"product", "abs(x - y)"},
                                      {"combine", "x + y"},
                                      {"identity", "0"},
                                      {NULL, NULL}};
  contractSmall(3, distances, c);
  EXPECT_FOUR(c, 0, 3, 3, 6);
  contractSmall(0, distances, c);
  EXPECT_FOUR(c, 0, 0, 0, 0);
  const char *const more[][2] = {{"product", "abs(x - y)"},
                                 {"combine", "x + y"},
                                 {"identity", "0"},
                                 {"beta", "1"},
                                 {NULL, NULL}};
  contractSmall(3, more, c);
  EXPECT_FOUR(c, 100, 103, 103, 106);
  contractSmall(0, more, c);
  EXPECT_FOUR(c, 100, 100, 100, 100);

  float one = 7;
  SUCCEED(tcSemiringGetOne("min_plus", TC_ELEMENT_F16, &one));
  EXPECT(one == 0);
  int64_t greatest = 7;
  SUCCEED(tcSemiringGetOne("max_min", TC_ELEMENT_I64, &greatest));
  EXPECT(greatest == INT64_MAX);
  FAIL(tcSemiringGetOne("xor_and", TC_ELEMENT_F64, &one), INVALID_ARGUMENT,
       "semiring xor_and is not of numbers of type f64");
  FAIL(tcSemiringGetOne("plus", TC_ELEMENT_F64, &one), INVALID_ARGUMENT,
       "'plus' is none of plus_times, max_plus, min_plus, max_times, max_min, "
       "min_max, or_and or xor_and");
  FAIL(tcSemiringGetOne("min_plus", 77, &one), INVALID_ARGUMENT,
       "unknown element type 77");

  TcOptions *options = makeOptions();
  FAIL(tcOptionsSet(options, "semiring", "min"), INVALID_ARGUMENT,
       "option 'semiring': 'min' is none of plus_times, max_plus, min_plus, "
       "max_times, max_min, min_max, or_and and xor_and");
  FAIL(tcOptionsSet(options, "epilogue", "relu(x"), INVALID_ARGUMENT,
       "option 'epilogue': column 7: expected ',' or ')'");
  FAIL(tcOptionsSet(options, "prologue-a", "x + c"), INVALID_ARGUMENT,
       "option 'prologue-a': column 5: unknown variable 'c'");
  SUCCEED(tcOptionsSet(options, "semiring", "or_and"));
  int64_t extents[] = {2, 2};
  TcTensor tensors[3];
  for (int i = 0; i < 3; ++i)
    tensors[i] = (TcTensor){TC_ELEMENT_F32, 2, extents, NULL};
  TcContraction *contraction = NULL;
  FAIL(tcContractionCompile("ij,jk->ik", tensors, options, &contraction),
       INVALID_ARGUMENT,
       "spec:1:1: error: semiring or_and applies to integers, but the element "
       "type is f32");
  SUCCEED(tcOptionsSet(options, "epilogue", "relu(x)"));
  for (int i = 0; i < 3; ++i)
    tensors[i].type = TC_ELEMENT_I32;
  FAIL(
      tcContractionCompile("ij,jk->ik", tensors, options, &contraction),
      INVALID_ARGUMENT,
      "spec:1:1: error: prologues and epilogues are of floating-point numbers, "
      "but the element type is i32");
  tcOptionsDestroy(options);
}

/*--- Threads ----------------------------------------------------------------*/

enum { THREADS = 8, REPEATS = 20 };

static TcContraction *sharedContraction;

/* Runs what all threads share, and compiles something of its own. */
static void *runThread(void *number) {
  int64_t size = 3 + *(int *)number;
  double a[13 * 9], b[9 * 11], c[13 * 11], own[11] = {0};
  for (int i = 0; i < 13 * 9; ++i)
    a[i] = 1;
  for (int i = 0; i < 9 * 11; ++i)
    b[i] = (double)size;
  long wrong = 0;
  for (int repeat = 0; repeat < REPEATS; ++repeat) {
    TcError *error = tcContractionRun(sharedContraction, a, b, c, NULL, NULL);
    wrong += error != NULL;
    tcErrorDestroy(error);
    for (int i = 0; i < 13 * 11; ++i)
      wrong += c[i] != (double)(9 * size);
  }
  TcOptions *options;
  wrong += tcOptionsCreate(&options) != NULL;
  wrong += tcOptionsSet(options, "cache", cache) != NULL;
  TcTensor vector = {TC_ELEMENT_F64, 1, &size, NULL};
  TcTensor tensors[3] = {vector, vector, vector};
  TcContraction *contraction = NULL;
  wrong += tcContractionCompile("i,i->i", tensors, options, &contraction) != 0;
  if (contraction) {
    wrong += tcContractionRun(contraction, a, b, own, NULL, NULL) != NULL;
    for (int i = 0; i < size; ++i)
      wrong += own[i] != (double)size;
  }
  tcContractionDestroy(contraction);
  tcOptionsDestroy(options);
  *(int *)number = (int)wrong;
  return NULL;
}

static void testThreads(void) {
  const TcTensor tensors[3] = {{TC_ELEMENT_F64, 2, matrixA, NULL},
                               {TC_ELEMENT_F64, 2, matrixB, NULL},
                               {TC_ELEMENT_F64, 2, matrixC, NULL}};
  TcOptions *options = makeOptions();
  SUCCEED(
      tcContractionCompile("ik,kj->ij", tensors, options, &sharedContraction));
  tcOptionsDestroy(options);
  pthread_t threads[THREADS];
  int numbers[THREADS];
  for (int i = 0; i < THREADS; ++i) {
    numbers[i] = i;
    EXPECT(pthread_create(&threads[i], NULL, runThread, &numbers[i]) == 0);
  }
  for (int i = 0; i < THREADS; ++i) {
    EXPECT(pthread_join(threads[i], NULL) == 0);
    EXPECT(numbers[i] == 0);
  }
  tcContractionDestroy(sharedContraction);
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  cache = argv[1];
  EXPECT(tcGetInterfaceVersion() == TC_INTERFACE_VERSION);
  EXPECT(strchr(tcGetVersion(), '.') != NULL);
  EXPECT(strcmp(tcElementTypeGetName(TC_ELEMENT_BF16), "bf16") == 0);
  EXPECT(tcElementTypeGetName(0) == NULL && tcElementTypeGetBytes(0) == 0);
  tcErrorDestroy(NULL);
  tcOptionsDestroy(NULL);
  tcContractionDestroy(NULL);
  EXPECT(tcErrorGetCode(NULL) == 0 && strcmp(tcErrorGetMessage(NULL), "") == 0);
  EXPECT(tcContractionGetScalarType(NULL) == 0);
  EXPECT(tcContractionGetAuxiliaryCount(NULL) == 0);
  EXPECT(tcContractionGetAuxiliaryName(NULL, 0) == NULL);
  testArtifacts();
  for (int never = 0; never < 2; ++never) {
    specialize = never ? "never" : "always";
    testNumbers();
    testForms();
    testIntegers();
  }
  testErrors();
  testFused();
  testThreads();
  printf(failures == 0 ? "passed\n" : "%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
