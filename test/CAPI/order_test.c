/*===- order_test.c - The order of contractions, from C -------------------===*\
|*                                                                            *|
|* Part of the tc project, under the Apache License v2.0 with LLVM            *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "Expect.h"

#include "tc-c/Order.h"

#include <unistd.h>

/* A matrix, a matrix and a vector. */
static const int64_t extentsOfA[2] = {300, 400}, extentsOfB[2] = {400, 500},
                     extentsOfX[1] = {500};
static const TcTensor tensors[3] = {{TC_ELEMENT_F64, 2, extentsOfA, NULL},
                                    {TC_ELEMENT_F64, 2, extentsOfB, NULL},
                                    {TC_ELEMENT_F64, 1, extentsOfX, NULL}};
enum { SPACE = 1 << 14 };

static TcOptions *makeOptionsWith(const char *key, const char *value) {
  TcOptions *options;
  SUCCEED(tcOptionsCreate(&options));
  SUCCEED(tcOptionsSet(options, "target", "sm_90"));
  SUCCEED(tcOptionsSet(options, key, value));
  return options;
}

/* Finds the order of the three, and looks for a text in what is found. */
static void findWith(const char *key, const char *value, const char *expected) {
  TcOptions *options = makeOptionsWith(key, value);
  char text[SPACE] = "";
  size_t length = 0;
  SUCCEED(tcOrderFind("ij,jk,k->i", tensors, 3, options, text, sizeof text,
                      &length));
  if (!strstr(text, expected)) {
    printf("%s=%s: no '%s' in %s\n", key, value, expected, text);
    ++failures;
  }
  EXPECT(length == strlen(text));
  tcOptionsDestroy(options);
}

static void testOrders(void) {
  findWith("target", "cpu",
           "{\"path\":[[1,2],[0,1]],\"indices\":[[\"j\"],[\"i\"]]");
  findWith("target", "sm_90",
           "{\"path\":[[1,2],[0,1]],\"indices\":[[\"j\"],[\"i\"]]");
  findWith("threads", "2", "\"is_exact\":true");
  findWith("semiring", "min_plus", "\"path\":[[1,2],[0,1]]");
  /* The vector between takes 400 * 8 bytes. */
  findWith("memory-limit", "3200", "\"peak_bytes\":3200");
  findWith("memory-limit", "-1", "\"peak_bytes\":3200");
  findWith("search-milliseconds", "0", "\"path\":[[1,2],[0,1]]");
  findWith("search-milliseconds", "-1", "\"is_exact\":true");
  findWith("target", "sm_90", "order of 3 tensors for sm_90: ");
  findWith("target", "sm_90", "`- input 2 [k]");
}

static void testDefaultLimit(void) {
  const int64_t pages = sysconf(_SC_PHYS_PAGES);
  const int64_t bytes = tcGetDefaultMemoryLimit();
  EXPECT(bytes > 0 && bytes <= pages * sysconf(_SC_PAGESIZE) / 2);
}

/* No order fits, and slices are asked for. */
static void testSlices(void) {
  TcOptions *options = makeOptionsWith("slices", "all");
  char text[SPACE];
  size_t length;
  SUCCEED(tcOptionsSet(options, "memory-limit", "1600"));
  SUCCEED(tcOrderFind("ij,jk,k->i", tensors, 3, options, text, sizeof text,
                      &length));
  /* Half of the vector between is made at once. */
  EXPECT(strstr(text, "{\"path\":[[1,2],[0,1]]"));
  EXPECT(strstr(text, "\"peak_bytes\":1600"));
  EXPECT(strstr(text,
                "\"slices\":[{\"index\":\"j\",\"parts\":2,\"length\":200}],"
                "\"products_ratio\":1.0,\"seconds_ratio\":"));
  EXPECT(strstr(text, "2 slices: [j] in 2 parts of 200"));
  SUCCEED(tcOptionsSet(options, "memory-limit", "3200"));
  SUCCEED(tcOrderFind("ij,jk,k->i", tensors, 3, options, text, sizeof text,
                      &length));
  EXPECT(strstr(text, "\"slices\":[],\"is_exact\":true"));
  EXPECT(!strstr(text, "_ratio"));
  /* Each element of the result needs all of a vector or a row. */
  SUCCEED(tcOptionsSet(options, "slices", "output"));
  SUCCEED(tcOptionsSet(options, "memory-limit", "3199"));
  FAIL(tcOrderFind("ij,jk,k->i", tensors, 3, options, text, sizeof text,
                   &length),
       UNSUPPORTED,
       "the temporaries take 3200 B at least, whatever they are cut into, more "
       "than 3199 B");
  SUCCEED(tcOptionsSet(options, "slices", "all"));
  SUCCEED(tcOptionsSet(options, "memory-limit", "7"));
  FAIL(tcOrderFind("ij,jk,k->i", tensors, 3, options, text, sizeof text,
                   &length),
       UNSUPPORTED,
       "the temporaries take 8 B at least, whatever they are cut into, more "
       "than 7 B");
  FAIL(tcOptionsSet(options, "slices", "some"), INVALID_ARGUMENT,
       "option 'slices': 'some' is none of none, output and all");
  tcOptionsDestroy(options);
}

static void testBuffer(void) {
  TcOptions *options = makeOptionsWith("target", "sm_90");
  char text[SPACE], start[8] = "";
  size_t whole = 0, length = 0;
  SUCCEED(tcOrderFind("ij,jk,k->i", tensors, 3, NULL, NULL, 0, &length));
  SUCCEED(tcOrderFind("ij,jk,k->i", tensors, 3, options, text, sizeof text,
                      &whole));
  SUCCEED(tcOrderFind("ij,jk,k->i", tensors, 3, options, start, sizeof start,
                      &length));
  EXPECT(strcmp(start, "{\"path\"") == 0 && length == whole);
  tcOptionsDestroy(options);
}

/* One operand, two, an ellipsis, extents of one and of zero. */
static void testShapes(void) {
  TcOptions *options = makeOptionsWith("target", "sm_90");
  char text[SPACE];
  size_t length;
  SUCCEED(
      tcOrderFind("ij->ji", tensors, 1, options, text, sizeof text, &length));
  EXPECT(strstr(text, "{\"path\":[[0]],\"indices\":[[\"j\",\"i\"]]") == text);
  SUCCEED(
      tcOrderFind("ij,jk", tensors, 2, options, text, sizeof text, &length));
  EXPECT(strstr(text, "{\"path\":[[0,1]],\"indices\":[[\"i\",\"k\"]]") == text);
  SUCCEED(tcOrderFind("i...,...k,k->i...", tensors, 3, options, text,
                      sizeof text, &length));
  EXPECT(strstr(text, "[\"i\",\"ellipsis0\"]]"));
  const int64_t one[2] = {1, 500}, none[2] = {400, 0}, zero[1] = {0};
  TcTensor others[3] = {tensors[0], {TC_ELEMENT_F64, 2, one, NULL}, tensors[2]};
  SUCCEED(tcOrderFind("ij,jk,k->i", others, 3, options, text, sizeof text,
                      &length));
  EXPECT(strstr(text, "\"path\":[[1,2],[0,1]]"));
  others[1].extents = none;
  others[2].extents = zero;
  SUCCEED(tcOrderFind("ij,jk,k->i", others, 3, options, text, sizeof text,
                      &length));
  EXPECT(strstr(text, "\"path\":["));
  tcOptionsDestroy(options);
}

/* Finds no order of operands, the first three of which are those above unless
 * one takes the second's place. */
static void failOn(const char *spec, int32_t operands, const TcTensor *second,
                   const char *key, const char *value, TcErrorCode code,
                   const char *message, int line) {
  TcTensor given[3];
  memcpy(given, tensors, sizeof given);
  if (second)
    given[1] = *second;
  TcOptions *options = makeOptionsWith(key, value);
  char text[SPACE] = "untouched";
  size_t length = 7;
  expectFailure(
      tcOrderFind(spec, given, operands, options, text, sizeof text, &length),
      code, message, line);
  EXPECT(strcmp(text, "untouched") == 0 && length == 7);
  tcOptionsDestroy(options);
}
#define FAIL_ON(spec, operands, second, key, value, code, message)             \
  failOn(spec, operands, second, key, value, TC_ERROR_##code, message, __LINE__)

static void testErrors(void) {
  const char *spec = "ij,jk,k->i";
#define FAIL_WITH(second, message)                                             \
  FAIL_ON(spec, 3, second, "target", "sm_90", INVALID_ARGUMENT, message)
  size_t length;
  FAIL(tcOrderFind(spec, tensors, 3, NULL, NULL, 1, &length), INVALID_ARGUMENT,
       "tcOrderFind: an argument is NULL");
  FAIL_ON(spec, 0, NULL, "target", "cpu", INVALID_ARGUMENT,
          "there are 0 operands, but 1 to 16384 are possible");
  FAIL_ON(spec, 16385, NULL, "target", "cpu", INVALID_ARGUMENT,
          "there are 16385 operands, but 1 to 16384 are possible");
  FAIL_ON(spec, 2, NULL, "target", "cpu", INVALID_ARGUMENT,
          "spec:1:1: error: the specification names 3 operands, but 2 are "
          "given");
  FAIL_ON("ij,jk,k->l", 3, NULL, "target", "cpu", INVALID_ARGUMENT,
          "spec:1:10: error: index 'l' is in the output but in no input");
  const int64_t other[2] = {401, 500}, negative[2] = {400, -5};
  TcTensor tensor = {TC_ELEMENT_F64, 2, other, NULL};
  FAIL_WITH(&tensor, "index 'j' has extent 400, but 401 in operand 1");
  tensor.extents = negative;
  FAIL_WITH(&tensor, "operand 1: extent -5 of dimension 1 is negative");
  tensor.extents = NULL;
  FAIL_WITH(&tensor, "operand 1: its extents are NULL");
  tensor.rank = 65;
  FAIL_WITH(&tensor, "operand 1: its rank is 65, but must be from 0 to 64");
  tensor = tensors[1];
  tensor.type = TC_ELEMENT_F32;
  FAIL_WITH(&tensor, "operand 1: its element type is not that of operand 0");
  tensor.type = 99;
  FAIL_WITH(&tensor, "operand 1: unknown element type 99");
  FAIL_ON(spec, 3, NULL, "precision", "tf32", INVALID_ARGUMENT,
          "precision tf32 applies to f32, but the element type is f64");
  FAIL_ON(spec, 3, NULL, "product", "x + y", INVALID_ARGUMENT,
          "a semiring of product and combine takes two operands");
  FAIL_ON(spec, 3, NULL, "memory-limit", "3199", UNSUPPORTED,
          "the temporaries of every order take more than 3199 B");
  const TcTensor complexes[2] = {{TC_ELEMENT_C32, 1, extentsOfX, NULL},
                                 {TC_ELEMENT_C32, 1, extentsOfX, NULL}};
  TcOptions *options = makeOptionsWith("semiring", "min_plus");
  FAIL(
      tcOrderFind("i,i", complexes, 2, options, NULL, 0, &length),
      INVALID_ARGUMENT,
      "semiring min_plus applies to real numbers, but the element type is c32");
  FAIL(tcOptionsSet(options, "memory-limit", "-2"), INVALID_ARGUMENT,
       "option 'memory-limit': '-2' is not an integer of at least -1");
  tcOptionsDestroy(options);
}

int main(void) {
  testOrders();
  testDefaultLimit();
  testSlices();
  testBuffer();
  testShapes();
  testErrors();
  printf(failures == 0 ? "passed\n" : "%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
