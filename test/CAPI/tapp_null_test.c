/*===- tapp_null_test.c - NULL for each pointer of TAPP's functions -------===*\
|*                                                                            *|
|* Part of the tc project, under the Apache License v2.0 with LLVM            *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Each call succeeds with all its pointers and handles. With NULL, or a      *|
|* handle of 0, in the place of one of them, it fails, or succeeds, where     *|
|* that is allowed; nothing is written then.                                  *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "TappCalls.h"

#include "tc-c/TappAttributes.h"
#include "tc-c/TappElementwise.h"

#include <limits.h>
#include <string.h>

/* The number of the pointer or handle that is NULL; -1 if none is. */
static int without;

#define POINTER(number, pointer) ((number) == without ? NULL : (pointer))
#define HANDLE(number, handle) ((number) == without ? 0 : (handle))

/* D[0] = A[0] * B[0], of vectors of one element. */
static const int64_t extents[1] = {1}, strides[1] = {1}, indices[1] = {0};
static TAPP_handle handle;
static TAPP_tensor_info info;
static TAPP_tensor_product plan;
/* C lies elsewhere with another stride, so that it is copied to D first. */
static double a[1] = {2}, b[1] = {3}, c[1] = {4}, d[1], one = 1;

static TAPP_error createHandle(void) {
  TAPP_handle made = 0;
  TAPP_error error = TAPP_create_handle(POINTER(0, &made));
  SUCCEED(TAPP_destroy_handle(made));
  return error;
}

static TAPP_error setAttribute(void) {
  char value[] = "1";
  return TAPP_attr_set(HANDLE(0, handle), TC_TAPP_THREADS, POINTER(1, value));
}

static TAPP_error getAttribute(void) {
  void *value = NULL;
  return TAPP_attr_get(HANDLE(0, handle), TC_TAPP_THREADS, POINTER(1, &value));
}

static TAPP_error clearAttribute(void) {
  return TAPP_attr_clear(HANDLE(0, handle), TC_TAPP_STRATEGY);
}

static TAPP_error createExecutor(void) {
  TAPP_executor made = 0;
  TAPP_error error = TAPP_create_executor(POINTER(0, &made));
#if TC_TAPP_HAS_PAIRS
  SUCCEED(TAPP_executor_wait(made));
#endif
  SUCCEED(TAPP_destroy_executor(made));
  return error;
}

#if TC_TAPP_HAS_PAIRS
static TAPP_error getStatus(void) {
  TAPP_status status = 0;
  TAPP_error error = TAPP_executor_get_status(0, POINTER(0, &status));
  SUCCEED(TAPP_status_get_error(status));
  SUCCEED(TAPP_destroy_status(status));
  return error;
}

static TAPP_error checkCompletion(void) {
  TAPP_completion completion = TAPP_INCOMPLETE;
  TAPP_error inside;
  return TAPP_status_check_completion(1, POINTER(0, &completion),
                                      POINTER(1, &inside));
}
#endif

static TAPP_error createInfo(void) {
  TAPP_tensor_info made = 0;
  TAPP_error error =
      TAPP_create_tensor_info(POINTER(0, &made), HANDLE(1, handle), TAPP_F64, 1,
                              POINTER(2, extents), POINTER(3, strides));
  SUCCEED(TAPP_destroy_tensor_info(made));
  return error;
}

static TAPP_error setCount(void) { return TAPP_set_nmodes(HANDLE(0, info), 1); }

static TAPP_error setExtents(void) {
  return TAPP_set_extents(HANDLE(0, info), POINTER(1, extents));
}

static TAPP_error setStrides(void) {
  return TAPP_set_strides(HANDLE(0, info), POINTER(1, strides));
}

static TAPP_error createProduct(void) {
  TAPP_tensor_product made = 0;
  TAPP_error error = TAPP_create_tensor_product(
      POINTER(0, &made), HANDLE(1, handle), TAPP_IDENTITY, HANDLE(2, info),
      POINTER(3, indices), TAPP_IDENTITY, HANDLE(4, info), POINTER(5, indices),
      TAPP_IDENTITY, HANDLE(6, info), POINTER(7, indices), TAPP_IDENTITY,
      HANDLE(8, info), POINTER(9, indices), TAPP_DEFAULT_PREC);
  SUCCEED(TAPP_destroy_tensor_product(made));
  return error;
}

static TAPP_error createElementwise(void) {
  TAPP_tensor_product made = 0;
  TAPP_error error = tcTappCreateElementwise(
      POINTER(0, &made), HANDLE(1, handle), TAPP_IDENTITY, HANDLE(2, info),
      POINTER(3, indices), TAPP_IDENTITY, HANDLE(4, info), POINTER(5, indices),
      TAPP_IDENTITY, HANDLE(6, info), POINTER(7, indices), TAPP_DEFAULT_PREC);
  SUCCEED(TAPP_destroy_tensor_product(made));
  return error;
}

static TAPP_error execute(void) {
  TAPP_status status = 0;
  return TAPP_execute_product(HANDLE(0, plan), 0, POINTER(1, &status),
                              POINTER(2, &one), POINTER(3, a), POINTER(4, b),
                              POINTER(5, &one), POINTER(6, c), POINTER(7, d));
}

static TAPP_error executeBatch(void) {
  const void *as[1] = {POINTER(3, a)}, *bs[1] = {POINTER(5, b)},
             *cs[1] = {POINTER(8, c)};
  void *ds[1] = {POINTER(10, d)};
  return TAPP_execute_batched_product(
      HANDLE(0, plan), 0, NULL, 1, POINTER(1, &one), POINTER(2, as),
      POINTER(4, bs), POINTER(6, &one), POINTER(7, cs), POINTER(9, ds));
}

/* Those that are allowed to be NULL are bits of `optional`. */
static const struct {
  const char *name;
  TAPP_error (*call)(void);
  int pointers;
  unsigned optional;
} functions[] = {
    {"TAPP_create_handle", createHandle, 1, 0},
    {"TAPP_attr_set", setAttribute, 2, 1 << 1},
    {"TAPP_attr_get", getAttribute, 2, 1 << 0},
    {"TAPP_attr_clear", clearAttribute, 1, 1 << 0},
    {"TAPP_create_executor", createExecutor, 1, 0},
#if TC_TAPP_HAS_PAIRS
    {"TAPP_executor_get_status", getStatus, 1, 0},
    {"TAPP_status_check_completion", checkCompletion, 2, 1 << 0 | 1 << 1},
#endif
    {"TAPP_create_tensor_info", createInfo, 4, 1 << 1},
    {"TAPP_set_nmodes", setCount, 1, 0},
    {"TAPP_set_extents", setExtents, 2, 0},
    {"TAPP_set_strides", setStrides, 2, 0},
    {"TAPP_create_tensor_product", createProduct, 10, 1 << 1},
    {"tcTappCreateElementwise", createElementwise, 8, 1 << 1 | 1 << 4},
    {"TAPP_execute_product", execute, 8, 1 << 1},
    {"TAPP_execute_batched_product", executeBatch, 11, 0},
};

static void testFunctions(void) {
  for (size_t f = 0; f < sizeof functions / sizeof *functions; ++f)
    for (without = -1; without < functions[f].pointers; ++without) {
      d[0] = 5;
      TAPP_error error = functions[f].call();
      int isAllowed = without < 0 || (functions[f].optional >> without & 1);
      if (TAPP_check_success(error) != isAllowed || (!isAllowed && d[0] != 5)) {
        printf("%s with NULL for pointer %d: type %d, code %d, D is %g\n",
               functions[f].name, without, typeOf(error), codeOf(error), d[0]);
        ++failures;
      }
    }
}

/* Those that return no error. */
static void testOthers(void) {
  int64_t found[1] = {7};
  TAPP_error error = TAPP_set_nmodes(info, -1);
  EXPECT(TAPP_get_nmodes(0) == 0);
  TAPP_get_extents(0, found);
  TAPP_get_strides(0, found);
  EXPECT(found[0] == 7);
  TAPP_get_extents(info, NULL);
  TAPP_get_strides(info, NULL);
  EXPECT(TAPP_explain_error(error, 100, NULL) > 16);
  SUCCEED(TAPP_destroy_handle(0));
  SUCCEED(TAPP_destroy_tensor_info(0));
  SUCCEED(TAPP_destroy_tensor_product(0));
}

/* Numbers of indices that no tensor has. */
static void testCounts(void) {
  TAPP_tensor_info made = 0;
  EXPECT(codeOf(TAPP_set_nmodes(info, -1)) == TAPP_ERR_NMODE_NEGATIVE);
  EXPECT(!TAPP_check_success(TAPP_set_nmodes(info, 65)));
  EXPECT(!TAPP_check_success(TAPP_set_nmodes(info, INT_MAX)));
  EXPECT(!TAPP_check_success(
      TAPP_create_tensor_info(&made, 0, TAPP_F64, INT_MAX, extents, strides)));
  EXPECT(TAPP_get_nmodes(info) == 1);
}

int main(void) {
  TAPP_tensor_info other = 0;
  const int64_t apart[1] = {2};
  char off[] = "off";
  SUCCEED(TAPP_create_handle(&handle));
  SUCCEED(TAPP_attr_set(handle, TC_TAPP_CACHE, off));
  SUCCEED(
      TAPP_create_tensor_info(&info, handle, TAPP_F64, 1, extents, strides));
  SUCCEED(TAPP_create_tensor_info(&other, handle, TAPP_F64, 1, extents, apart));
  SUCCEED(TAPP_create_tensor_product(
      &plan, handle, TAPP_IDENTITY, info, indices, TAPP_IDENTITY, info, indices,
      TAPP_IDENTITY, other, indices, TAPP_IDENTITY, info, indices,
      TAPP_DEFAULT_PREC));
  if (failures == 0) {
    testFunctions();
    testOthers();
    testCounts();
  }
  SUCCEED(TAPP_destroy_tensor_product(plan));
  SUCCEED(TAPP_destroy_tensor_info(info));
  SUCCEED(TAPP_destroy_tensor_info(other));
  SUCCEED(TAPP_destroy_handle(handle));
  printf(failures == 0 ? "passed\n" : "%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
