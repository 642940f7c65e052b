/*===- tapp_errors_test.c - Refusals of TAPP's functions ------------------===*\
|*                                                                            *|
|* Part of the tc project, under the Apache License v2.0 with LLVM            *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Calls with one argument that is wrong: each has a code of tc-c/TappErrors.h*|
|* and a text of its own, and D stays as it was.                              *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "TappCalls.h"

#include "tc-c/TappAttributes.h"
#include "tc-c/TappElementwise.h"
#include "tc-c/TappErrors.h"

#include <string.h>

/* That an error is this library's, with that code and text. */
static void expect(int line, TAPP_error error, int code, const char *text) {
  char found[200];
  TAPP_explain_error(error, sizeof found, found);
  if (!TAPP_check_success(error) && typeOf(error) == TAPP_ERROR_TYPE_TC &&
      codeOf(error) == code && strcmp(found, text) == 0)
    return;
  printf("%s:%d: type %d, code %d, \"%s\" and not code %d, \"%s\"\n", __FILE__,
         line, typeOf(error), codeOf(error), found, code, text);
  ++failures;
}

#define REFUSED(call, code, text) expect(__LINE__, call, code, text)

enum { TENSORS = 4 };

/* Matrices of two rows and two columns, the first of which has stride one. */
static TAPP_tensor_info makeMatrix(TAPP_datatype type, int64_t stride) {
  const int64_t extents[] = {2, 2};
  const int64_t strides[] = {1, stride};
  TAPP_tensor_info info = 0;
  SUCCEED(TAPP_create_tensor_info(&info, 0, type, 2, extents, strides));
  return info;
}

static const int64_t indices[TENSORS][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 2}};

/* D = A B + C, with the operations and tensors that are given. */
static TAPP_error create(TAPP_tensor_product *plan, const TAPP_element_op *ops,
                         const TAPP_tensor_info *infos,
                         const int64_t *const *lists) {
  return TAPP_create_tensor_product(
      plan, 0, ops[0], infos[0], lists[0], ops[1], infos[1], lists[1], ops[2],
      infos[2], lists[2], ops[3], infos[3], lists[3], TAPP_DEFAULT_PREC);
}

static void testCreation(void) {
  static const char *const operationTexts[] = {
      "op_A is neither TAPP_IDENTITY nor TAPP_CONJUGATE",
      "op_B is neither TAPP_IDENTITY nor TAPP_CONJUGATE",
      "op_C is neither TAPP_IDENTITY nor TAPP_CONJUGATE",
      "op_D is neither TAPP_IDENTITY nor TAPP_CONJUGATE"};
  static const char *const infoTexts[] = {
      "the tensor info of A is 0", "the tensor info of B is 0",
      "the tensor info of C is 0", "the tensor info of D is 0"};
  static const char *const indicesTexts[] = {
      "the indices of A are NULL", "the indices of B are NULL",
      "the indices of C are NULL", "the indices of D are NULL"};
  TAPP_tensor_info matrix = makeMatrix(TAPP_F64, 2);
  TAPP_tensor_product plan = 1;
  for (int t = 0; t < TENSORS; ++t) {
    TAPP_element_op ops[TENSORS] = {0, 1, 0, 1};
    TAPP_tensor_info infos[] = {matrix, matrix, matrix, matrix};
    const int64_t *lists[TENSORS];
    for (int i = 0; i < TENSORS; ++i)
      lists[i] = indices[i];
    for (int wrong = -3; wrong <= 9; wrong += 5) { /* -3, 2, 7 */
      ops[t] = wrong;
      REFUSED(create(&plan, ops, infos, lists), TC_TAPP_ERROR_OPERATION + t,
              operationTexts[t]);
      EXPECT(plan == 0);
    }
    ops[t] = TAPP_IDENTITY;
    infos[t] = 0;
    REFUSED(create(&plan, ops, infos, lists), TC_TAPP_ERROR_NO_INFO + t,
            infoTexts[t]);
    infos[t] = matrix;
    lists[t] = NULL;
    REFUSED(create(&plan, ops, infos, lists), TC_TAPP_ERROR_NO_INDICES + t,
            indicesTexts[t]);
    lists[t] = indices[t];
    REFUSED(create(NULL, ops, infos, lists), TC_TAPP_ERROR_NO_RESULT,
            "the address of what is asked for is NULL");
    infos[t] = makeMatrix(TAPP_F32, 2);
    EXPECT(codeOf(create(&plan, ops, infos, lists)) ==
           TAPP_ERR_NOT_IMPLEMENTED);
    SUCCEED(TAPP_destroy_tensor_info(infos[t]));
  }
  REFUSED(tcTappCreateElementwise(&plan, 0, 0, matrix, indices[0], 2, matrix,
                                  indices[0], 0, matrix, indices[0],
                                  TAPP_DEFAULT_PREC),
          TC_TAPP_ERROR_OPERATION + TC_TAPP_C, operationTexts[2]);
  /* Nobody looks at the operation of a C that is missing. */
  SUCCEED(tcTappCreateElementwise(&plan, 0, 0, matrix, indices[0], 9, 0, NULL,
                                  0, matrix, indices[0], TAPP_DEFAULT_PREC));
  SUCCEED(TAPP_destroy_tensor_product(plan));
  SUCCEED(TAPP_destroy_tensor_info(matrix));
}

static void testTensors(void) {
  const int64_t ones[] = {1, 1};
  TAPP_tensor_info info = 0;
  static const TAPP_datatype types[] = {-1, 6, 99, 0x1000};
  for (size_t i = 0; i < sizeof types / sizeof *types; ++i)
    REFUSED(TAPP_create_tensor_info(&info, 0, types[i], 2, ones, ones),
            TC_TAPP_ERROR_DATATYPE, "TAPP has no such type of elements");
  REFUSED(TAPP_create_tensor_info(NULL, 0, TAPP_F64, 2, ones, ones),
          TC_TAPP_ERROR_NO_RESULT, "the address of what is asked for is NULL");
  REFUSED(TAPP_create_tensor_info(&info, 0, TAPP_F64, 2, NULL, ones),
          TC_TAPP_ERROR_NO_EXTENTS, "the extents are NULL");
  REFUSED(TAPP_create_tensor_info(&info, 0, TAPP_F64, 2, ones, NULL),
          TC_TAPP_ERROR_NO_STRIDES, "the strides are NULL");
  REFUSED(TAPP_create_tensor_info(&info, 0, TAPP_F64, 65, ones, ones),
          TC_TAPP_ERROR_TOO_MANY_INDICES, "a tensor has more than 64 indices");
  EXPECT(codeOf(TAPP_create_tensor_info(&info, 0, TAPP_F64, -1, ones, ones)) ==
         TAPP_ERR_NMODE_NEGATIVE);
  EXPECT(info == 0);
  REFUSED(TAPP_set_nmodes(0, 1), TC_TAPP_ERROR_NO_TENSOR_INFO,
          "the tensor info is 0");
}

static void testAttributes(void) {
  TAPP_handle handle = 0;
  SUCCEED(TAPP_create_handle(&handle));
  char value[] = "many";
  char good[] = "1";
  REFUSED(TAPP_attr_set(handle, TC_TAPP_THREADS, value), TC_TAPP_ERROR_VALUE,
          "the attribute has no such value");
  REFUSED(TAPP_attr_set(0, TC_TAPP_THREADS, good), TC_TAPP_ERROR_NO_HANDLE,
          "the handle is 0, or none that lives");
  SUCCEED(TAPP_destroy_handle(handle));
}

/* A plan, and the arguments of its execution. */
typedef struct {
  TAPP_tensor_product plan;
  const void *alpha, *beta, *tensors[TENSORS - 1];
  void *d;
} Execution;

static TAPP_error run(const Execution *it) {
  return TAPP_execute_product(it->plan, 0, NULL, it->alpha, it->tensors[0],
                              it->tensors[1], it->beta, it->tensors[2], it->d);
}

/* Each plan has one tensor of another stride; -1 if none is. */
static TAPP_tensor_product makePlan(TAPP_datatype type, int other,
                                    int64_t stride) {
  const TAPP_element_op ops[TENSORS] = {0, 0, 0, 0};
  TAPP_tensor_info infos[TENSORS];
  const int64_t *lists[TENSORS];
  for (int t = 0; t < TENSORS; ++t) {
    infos[t] = makeMatrix(type, t == other ? stride : 2);
    lists[t] = indices[t];
  }
  TAPP_tensor_product plan = 0;
  SUCCEED(create(&plan, ops, infos, lists));
  for (int t = 0; t < TENSORS; ++t)
    SUCCEED(TAPP_destroy_tensor_info(infos[t]));
  return plan;
}

static void testAddresses(void) {
  static const char *const nullTexts[] = {"A is NULL", "B is NULL", "",
                                          "D is NULL"};
  static const char *const alignmentTexts[] = {
      "the address of A is no multiple of the bytes of a number",
      "the address of B is no multiple of the bytes of a number",
      "the address of C is no multiple of the bytes of a number",
      "the address of D is no multiple of the bytes of a number"};
  double space[TENSORS][5] = {{0}}, one = 1;
  for (int i = 0; i < 4; ++i)
    space[3][i] = 5;
  const Execution good = {makePlan(TAPP_F64, -1, 0),
                          &one,
                          &one,
                          {space[0], space[1], space[2]},
                          space[3]};
  for (int t = 0; t < TENSORS; ++t) {
    Execution bad = good;
    if (t < 3)
      bad.tensors[t] = NULL;
    else
      bad.d = NULL;
    if (t != 2)
      REFUSED(run(&bad), TC_TAPP_ERROR_NULL + t, nullTexts[t]);
    else
      EXPECT(codeOf(run(&bad)) == TAPP_ERR_C_NULL_BETA);
    for (int by = 1; by < 8; ++by) {
      if (t < 3)
        bad.tensors[t] = (char *)space[t] + by;
      else
        bad.d = (char *)space[t] + by;
      REFUSED(run(&bad), TC_TAPP_ERROR_MISALIGNED + t, alignmentTexts[t]);
    }
  }
  Execution bad = good;
  bad.alpha = NULL;
  REFUSED(run(&bad), TC_TAPP_ERROR_NULL + TC_TAPP_ALPHA, "alpha is NULL");
  bad = good;
  bad.beta = NULL;
  REFUSED(run(&bad), TC_TAPP_ERROR_NULL + TC_TAPP_BETA, "beta is NULL");
  bad.plan = 0;
  REFUSED(run(&bad), TC_TAPP_ERROR_NO_PLAN, "the plan is 0");
  void *ds[] = {NULL};
  REFUSED(TAPP_execute_batched_product(good.plan, 0, NULL, -1, &one, NULL, NULL,
                                       &one, NULL, ds),
          TC_TAPP_ERROR_BATCH,
          "the number of products in the batch is negative");
  REFUSED(TAPP_execute_batched_product(good.plan, 0, NULL, 1, &one, NULL, NULL,
                                       &one, NULL, ds),
          TC_TAPP_ERROR_NULL + TC_TAPP_A, nullTexts[0]);
  for (int i = 0; i < 4; ++i)
    EXPECT(space[3][i] == 5);
  SUCCEED(run(&good));
  SUCCEED(TAPP_destroy_tensor_product(good.plan));
}

static void testOverlap(void) {
  static const char *const texts[] = {
      "A and D overlap", "B and D overlap",
      "C and D overlap, and are not one tensor"};
  /* D is in the middle of the space, and another matrix at each place that
   * has one of its numbers. */
  double space[12], apart[TENSORS][8] = {{0}}, one = 1, zero = 0;
  for (int t = 0; t < 3; ++t) {
    Execution bad = {makePlan(TAPP_F64, -1, 0),
                     &one,
                     &one,
                     {apart[0], apart[1], apart[2]},
                     space + 3};
    for (int by = 0; by < 7; ++by) {
      for (int i = 0; i < 12; ++i)
        space[i] = 5;
      bad.tensors[t] = space + by;
      if (t == 2 && by == 3) {
        SUCCEED(run(&bad));
        continue;
      }
      REFUSED(run(&bad), TC_TAPP_ERROR_OVERLAPS_D + t, texts[t]);
      for (int i = 0; i < 12; ++i)
        EXPECT(space[i] == 5);
    }
    bad.tensors[t] = space + 7;
    SUCCEED(run(&bad));
    /* A C that is not read may lie anywhere. */
    bad.beta = &zero;
    bad.tensors[t] = space + 2;
    if (t == 2)
      SUCCEED(run(&bad));
    SUCCEED(TAPP_destroy_tensor_product(bad.plan));
  }
  /* C is where D is, but its rows are elsewhere. */
  Execution other = {
      makePlan(TAPP_F64, 2, 3), &one, &one, {apart[0], apart[1], space}, space};
  REFUSED(run(&other), TC_TAPP_ERROR_OVERLAPS_D + TC_TAPP_C, texts[2]);
  SUCCEED(TAPP_destroy_tensor_product(other.plan));
}

/* A and D are blocks of one matrix, side by side, so that their columns
 * alternate in memory. */
static void testBlocks(void) {
  const TAPP_element_op ops[TENSORS] = {0, 0, 0, 0};
  double space[8] = {1, 2, 7, 7, 3, 4, 7, 7}, b[4] = {1, 0, 0, 1}, one = 1,
         zero = 0;
  TAPP_tensor_info block = makeMatrix(TAPP_F64, 4);
  TAPP_tensor_info whole = makeMatrix(TAPP_F64, 2);
  const TAPP_tensor_info infos[] = {block, whole, block, block};
  const int64_t *lists[TENSORS];
  for (int t = 0; t < TENSORS; ++t)
    lists[t] = indices[t];
  Execution it = {0, &one, &zero, {space, b, NULL}, space + 2};
  SUCCEED(create(&it.plan, ops, infos, lists));
  SUCCEED(run(&it));
  EXPECT(space[2] == 1 && space[3] == 2 && space[6] == 3 && space[7] == 4);
  it.d = space + 1;
  REFUSED(run(&it), TC_TAPP_ERROR_OVERLAPS_D + TC_TAPP_A, "A and D overlap");
  SUCCEED(TAPP_destroy_tensor_product(it.plan));
  /* D has every other number of A's place. */
  const int64_t alternating[] = {2, 4};
  double numbers[8] = {1, 7, 2, 7, 3, 7, 4, 7};
  SUCCEED(TAPP_set_strides(block, alternating));
  SUCCEED(create(&it.plan, ops, infos, lists));
  it.tensors[0] = numbers;
  it.d = numbers + 1;
  SUCCEED(run(&it));
  for (int i = 0; i < 8; i += 2)
    EXPECT(numbers[i + 1] == numbers[i]);
  it.d = numbers + 2;
  REFUSED(run(&it), TC_TAPP_ERROR_OVERLAPS_D + TC_TAPP_A, "A and D overlap");
  SUCCEED(TAPP_destroy_tensor_product(it.plan));
  /* Complex numbers overlap by halves. */
  double complexSpace[16] = {0}, factors[2] = {1, 0};
  it.plan = makePlan(TAPP_C64, -1, 0);
  it.alpha = it.beta = factors;
  it.tensors[0] = complexSpace + 1;
  it.tensors[1] = complexSpace;
  it.tensors[2] = it.d = complexSpace + 8;
  REFUSED(run(&it), TC_TAPP_ERROR_OVERLAPS_D + TC_TAPP_A, "A and D overlap");
  it.tensors[0] = complexSpace;
  SUCCEED(run(&it));
  SUCCEED(TAPP_destroy_tensor_product(it.plan));
  SUCCEED(TAPP_destroy_tensor_info(block));
  SUCCEED(TAPP_destroy_tensor_info(whole));
}

int main(void) {
  testCreation();
  testTensors();
  testAttributes();
  testAddresses();
  testOverlap();
  testBlocks();
  printf(failures == 0 ? "passed\n" : "%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
