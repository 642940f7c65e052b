/*===- tapp_elementwise_test.c - Sums and permutations beside TAPP --------===*\
|*                                                                            *|
|* Part of the tc project, under the Apache License v2.0 with LLVM            *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Permutations, sums of two tensors, and reductions of all types, with all   *|
|* conjugates, beside loops over all indices; and what is refused.            *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "TappCalls.h"

#include "tc-c/TappAttributes.h"
#include "tc-c/TappElementwise.h"

#include <complex.h>
#include <math.h>
#include <string.h>

typedef double _Complex Number;

enum { ALL = 4, SPACE = 8192 };

typedef struct {
  int rank;
  int64_t indices[ALL];
} Tensor;

/* A, C and D; C has rank -1 if there is none. */
typedef struct {
  const char *name;
  Tensor tensors[3];
} Case;

static const Case cases[] = {
    {"copy", {{3, {0, 1, 2}}, {-1, {0}}, {3, {0, 1, 2}}}},
    {"permutation", {{4, {0, 1, 2, 3}}, {-1, {0}}, {4, {3, 1, 0, 2}}}},
    {"transposition", {{2, {2, 3}}, {-1, {0}}, {2, {3, 2}}}},
    {"sum", {{3, {0, 1, 2}}, {3, {0, 1, 2}}, {3, {0, 1, 2}}}},
    {"sum of others", {{3, {2, 0, 1}}, {3, {1, 2, 0}}, {3, {0, 1, 2}}}},
    {"reduction", {{4, {0, 1, 2, 3}}, {-1, {0}}, {2, {2, 0}}}},
    {"reduction and sum", {{3, {2, 3, 0}}, {2, {0, 2}}, {2, {2, 0}}}},
    {"sum of all", {{3, {0, 1, 2}}, {0, {0}}, {0, {0}}}},
    {"number", {{0, {0}}, {0, {0}}, {0, {0}}}},
};
static const int64_t extentOf[ALL] = {5, 17, 3, 20};

static int64_t spread(const Tensor *tensor, int64_t *extents,
                      int64_t *strides) {
  int64_t stride = 1;
  for (int i = 0; i < tensor->rank; ++i) {
    extents[i] = extentOf[tensor->indices[i]];
    strides[i] = stride;
    stride *= extents[i];
  }
  return stride;
}

static int64_t positionOf(const Tensor *tensor, const int64_t *at) {
  int64_t extents[ALL], strides[ALL], position = 0;
  spread(tensor, extents, strides);
  for (int i = 0; i < tensor->rank; ++i)
    position += at[tensor->indices[i]] * strides[i];
  return position;
}

static int next(const int *used, int64_t *at) {
  int i = ALL - 1;
  while (i >= 0 && (!used[i] || ++at[i] == extentOf[i]))
    at[i--] = 0;
  return i >= 0;
}

static void store(TAPP_datatype type, void *memory, int64_t at, Number value) {
  float narrow = (float)creal(value);
  uint32_t bits;
  memcpy(&bits, &narrow, sizeof bits);
  switch (type) {
  case TAPP_F32:
    ((float *)memory)[at] = narrow;
    break;
  case TAPP_F64:
    ((double *)memory)[at] = creal(value);
    break;
  case TAPP_C32:
    ((float _Complex *)memory)[at] = (float _Complex)value;
    break;
  case TAPP_C64:
    ((Number *)memory)[at] = value;
    break;
  case TAPP_BF16:
    ((uint16_t *)memory)[at] = (uint16_t)(bits >> 16);
    break;
  default: /* Small numbers, which are exact. */
    ((uint16_t *)memory)[at] =
        narrow == 0
            ? 0
            : (uint16_t)((bits >> 31 << 15) | ((bits >> 23 & 255) - 112) << 10 |
                         (bits >> 13 & 1023));
  }
}

static size_t bytesOf(TAPP_datatype type) {
  static const size_t bytes[] = {4, 8, 8, 16, 2, 2};
  return bytes[type];
}

static TAPP_error create(const Case *given, TAPP_datatype type,
                         const TAPP_element_op *ops, TAPP_handle handle,
                         TAPP_tensor_product *plan) {
  TAPP_tensor_info infos[3] = {0, 0, 0};
  for (int t = 0; t < 3; ++t) {
    int64_t extents[ALL], strides[ALL];
    spread(&given->tensors[t], extents, strides);
    if (given->tensors[t].rank >= 0)
      SUCCEED(TAPP_create_tensor_info(
          &infos[t], 0, type, given->tensors[t].rank, extents, strides));
  }
  TAPP_error error = tcTappCreateElementwise(
      plan, handle, ops[0], infos[0], given->tensors[0].indices, ops[1],
      infos[1], given->tensors[1].indices, ops[2], infos[2],
      given->tensors[2].indices, TAPP_DEFAULT_PREC);
  for (int t = 0; t < 3; ++t)
    SUCCEED(TAPP_destroy_tensor_info(infos[t]));
  return error;
}

/* Numbers are so small that all types hold all results. */
static void check(const Case *given, TAPP_datatype type, int round,
                  TAPP_handle handle) {
  static Number values[3][SPACE], sums[SPACE], expected[SPACE];
  static _Alignas(16) char memory[3][SPACE * 16], wanted[SPACE * 16];
  const int isComplex = type == TAPP_C32 || type == TAPP_C64;
  const TAPP_element_op ops[3] = {round & 1, round >> 1 & 1, round >> 2 & 1};
  const int hasC = given->tensors[1].rank >= 0;
  int used[ALL] = {0};
  for (int t = 0; t < 3; ++t) {
    for (int i = 0; i < given->tensors[t].rank; ++i)
      used[given->tensors[t].indices[i]] = 1;
    for (int i = 0; i < SPACE; ++i) {
      values[t][i] = (i * 5 + t) % 3 - 1 + (isComplex ? (i % 2) * 1.0 * I : 0);
      store(type, memory[t], i, values[t][i]);
    }
  }
  memset(sums, 0, sizeof sums);
  memcpy(expected, values[2], sizeof expected);
  const Number alpha = isComplex && round > 3 ? 1.0 + 1.0 * I : round - 1;
  const Number beta = hasC ? (isComplex ? 2.0 * I : -2.0) : 0;
  int64_t at[ALL] = {0};
  do {
    Number a = values[0][positionOf(&given->tensors[0], at)];
    sums[positionOf(&given->tensors[2], at)] += ops[0] ? conj(a) : a;
  } while (next(used, at));
  do {
    int64_t place = positionOf(&given->tensors[2], at);
    Number c = hasC ? values[1][positionOf(&given->tensors[1], at)] : 0;
    Number value = alpha * sums[place] + beta * (ops[1] ? conj(c) : c);
    expected[place] = ops[2] ? conj(value) : value;
  } while (next(used, at));
  for (int i = 0; i < SPACE; ++i)
    store(type, wanted, i, expected[i]);

  TAPP_tensor_product plan = 0;
  SUCCEED(create(given, type, ops, handle, &plan));
  _Alignas(16) char factors[2][16];
  store(type, factors[0], 0, alpha);
  store(type, factors[1], 0, beta);
  TAPP_status status = 0;
  SUCCEED(TAPP_execute_product(plan, 0, &status, factors[0], memory[0], NULL,
                               factors[1], hasC ? memory[1] : NULL, memory[2]));
  if (memcmp(memory[2], wanted, SPACE * bytesOf(type)) != 0) {
    /* Zeros may have either sign. */
    int wrong = 0;
    for (int i = 0; i < SPACE && bytesOf(type) > 2; ++i) {
      Number found = type == TAPP_F32   ? ((float *)memory[2])[i]
                     : type == TAPP_F64 ? ((double *)memory[2])[i]
                     : type == TAPP_C32 ? ((float _Complex *)memory[2])[i]
                                        : ((Number *)memory[2])[i];
      wrong += found != expected[i];
    }
    for (int i = 0; i < SPACE && bytesOf(type) == 2; ++i) {
      uint16_t x = ((uint16_t *)memory[2])[i], y = ((uint16_t *)wanted)[i];
      wrong += x != y && ((x | y) & 0x7fff) != 0;
    }
    if (wrong) {
      printf("%s, type %d, round %d: %d elements wrong\n", given->name, type,
             round, wrong);
      ++failures;
    }
  }
  SUCCEED(TAPP_destroy_tensor_product(plan));
}

/* A batch without B, and C in D's place. */
static void testBatch(void) {
  const TAPP_element_op none[3] = {0, 0, 0};
  const Case vectors = {"vectors", {{1, {2}}, {1, {2}}, {1, {2}}}};
  const double a[2][3] = {{1, 2, 3}, {4, 5, 6}}, two = 2, one = 1;
  double d[2][3] = {{1, 1, 1}, {2, 2, 2}};
  const void *as[] = {a[0], a[1]}, *cs[] = {d[0], d[1]};
  void *ds[] = {d[0], d[1]};
  TAPP_tensor_product plan = 0;
  SUCCEED(create(&vectors, TAPP_F64, none, 0, &plan));
  SUCCEED(TAPP_execute_batched_product(plan, 0, NULL, 2, &two, as, NULL, &one,
                                       cs, ds));
  EXPECT(d[0][0] == 3 && d[0][2] == 7 && d[1][0] == 10 && d[1][2] == 14);
  SUCCEED(TAPP_destroy_tensor_product(plan));
}

/* A plan that failed carries its error to its execution. */
static void testErrors(void) {
  const TAPP_element_op none[3] = {0, 0, 0};
  const struct {
    Case spoilt;
    int code;
  } spoilt[] = {{{"", {{1, {0}}, {1, {0}}, {1, {2}}}}, TAPP_ERR_D_UNSHARED_IDX},
                {{"", {{1, {0}}, {2, {0, 2}}, {1, {0}}}}, TAPP_ERR_CD_NDIM},
                {{"", {{1, {0}}, {1, {2}}, {1, {0}}}}, TAPP_ERR_CD_IDX}};
  double number = 1, zero = 0, d = 5;
  for (size_t i = 0; i < sizeof spoilt / sizeof *spoilt; ++i) {
    TAPP_tensor_product plan = 1;
    EXPECT(codeOf(create(&spoilt[i].spoilt, TAPP_F64, none, 0, &plan)) ==
           spoilt[i].code);
    EXPECT(plan == 0);
    EXPECT(codeOf(TAPP_execute_product(plan, 0, NULL, &number, &number, NULL,
                                       &zero, NULL, &d)) == spoilt[i].code);
  }
  TAPP_tensor_product plan = 0;
  /* Without a C, there is none to be added. */
  const Case alone = {"", {{0, {0}}, {-1, {0}}, {0, {0}}}};
  SUCCEED(create(&alone, TAPP_F64, none, 0, &plan));
  EXPECT(codeOf(TAPP_execute_product(plan, 0, NULL, &number, &number, NULL,
                                     &number, &number, &d)) ==
         TAPP_ERR_C_NULL_BETA);
  EXPECT(d == 5);
  /* A misaligned pointer. */
  char bytes[24] = {0};
  EXPECT(typeOf(TAPP_execute_product(plan, 0, NULL, &number, bytes + 1, NULL,
                                     &zero, NULL, &d)) == TAPP_ERROR_TYPE_TC);
  EXPECT(d == 5);
  SUCCEED(TAPP_destroy_tensor_product(plan));
}

int main(void) {
  TAPP_handle handle = 0;
  SUCCEED(TAPP_create_handle(&handle));
  static const TAPP_datatype types[] = {TAPP_F64, TAPP_F32, TAPP_C64,
                                        TAPP_C32, TAPP_F16, TAPP_BF16};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    for (size_t t = 0; t < sizeof types / sizeof *types; ++t)
      for (int round = 0; round < 8; ++round)
        check(&cases[i], types[t], round, round == 5 ? handle : 0);
  /* By code that is made, as the attributes ask for. */
  SUCCEED(TAPP_attr_set(handle, TC_TAPP_SPECIALIZE, "always"));
  SUCCEED(TAPP_attr_set(handle, TC_TAPP_CACHE, "off"));
  check(&cases[4], TAPP_F64, 2, handle);
  SUCCEED(TAPP_destroy_handle(handle));
  testBatch();
  testErrors();
  printf(failures == 0 ? "passed\n" : "%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
