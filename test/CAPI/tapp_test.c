/*===- tapp_test.c - TAPP's functions, from C -----------------------------===*\
|*                                                                            *|
|* Part of the tc project, under the Apache License v2.0 with LLVM            *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Products of small integers, whose sums are exact, beside loops over all    *|
|* indices. Says what fails, and ends with 1 then.                            *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "TappCalls.h"

#include "tc-c/TappAttributes.h"

#include <complex.h>
#include <string.h>

enum { MOST = 6, SPACE = 4096 };

/* A tensor: its indices, and a stride for each. Extents belong to indices. */
typedef struct {
  int count;
  int64_t indices[MOST], strides[MOST];
} Tensor;

typedef struct {
  const char *name;
  Tensor tensors[4]; /* A, B, C, D */
} Case;

/* The extents of indices 0 to 5; '1' has extent one. */
static const int64_t extents[MOST] = {4, 1, 3, 2, 5, 3};

static TAPP_tensor_info makeInfo(const Tensor *tensor, TAPP_datatype type) {
  int64_t along[MOST];
  for (int i = 0; i < tensor->count; ++i)
    along[i] = extents[tensor->indices[i]];
  TAPP_tensor_info info = 0;
  SUCCEED(TAPP_create_tensor_info(&info, 0, type, tensor->count, along,
                                  tensor->strides));
  return info;
}

static TAPP_error makePlan(const Case *product, TAPP_datatype type,
                           TAPP_tensor_product *plan) {
  TAPP_tensor_info infos[4];
  for (int t = 0; t < 4; ++t)
    infos[t] = makeInfo(&product->tensors[t], type);
  TAPP_error error = TAPP_create_tensor_product(
      plan, 0, TAPP_IDENTITY, infos[0], product->tensors[0].indices,
      TAPP_CONJUGATE, infos[1], product->tensors[1].indices, TAPP_IDENTITY,
      infos[2], product->tensors[2].indices, TAPP_IDENTITY, infos[3],
      product->tensors[3].indices, TAPP_DEFAULT_PREC);
  for (int t = 0; t < 4; ++t)
    SUCCEED(TAPP_destroy_tensor_info(infos[t]));
  return error;
}

/* The position of a tensor's element in the middle of its space. */
static int64_t positionOf(const Tensor *tensor, const int64_t *coordinates) {
  int64_t position = SPACE / 2;
  for (int i = 0; i < tensor->count; ++i)
    position += coordinates[tensor->indices[i]] * tensor->strides[i];
  return position;
}

/* Checks a product; `inPlace` has D in the place of C. */
static void checkProduct(const Case *given, TAPP_datatype type, double alpha,
                         double beta, int inPlace) {
  Case changed = *given;
  if (inPlace)
    changed.tensors[2] = changed.tensors[3];
  const Case *product = &changed;
  double values[4][SPACE], sums[SPACE] = {0}, expected[SPACE];
  double wide[4][SPACE];
  float narrow[4][SPACE];
  int used[MOST] = {0};
  for (int t = 0; t < 4; ++t) {
    for (int i = 0; i < SPACE; ++i) {
      values[t][i] = (i * 5 + t) % 7 - 3;
      wide[t][i] = values[t][i];
      narrow[t][i] = (float)values[t][i];
    }
    for (int i = 0; i < product->tensors[t].count; ++i)
      used[product->tensors[t].indices[i]] = 1;
  }
  memcpy(expected, values[3], sizeof expected);
  const double *old = inPlace ? values[3] : values[2];
  for (int pass = 0; pass < 2; ++pass) {
    int64_t at[MOST] = {0};
    for (int done = 0; !done;) {
      int64_t d = positionOf(&product->tensors[3], at);
      if (pass == 0)
        sums[d] += values[0][positionOf(&product->tensors[0], at)] *
                   values[1][positionOf(&product->tensors[1], at)];
      else
        expected[d] =
            alpha * sums[d] + beta * old[positionOf(&product->tensors[2], at)];
      int i = MOST - 1;
      while (i >= 0 && (!used[i] || ++at[i] == extents[i]))
        at[i--] = 0;
      done = i < 0;
    }
  }

  TAPP_tensor_product plan = 0;
  TAPP_error error = makePlan(product, type, &plan);
  EXPECT(TAPP_check_success(error));
  if (!TAPP_check_success(error))
    return;
  float factors[2] = {(float)alpha, (float)beta};
  TAPP_status status = 0;
  if (type == TAPP_F64)
    SUCCEED(TAPP_execute_product(
        plan, 0, &status, &alpha, wide[0] + SPACE / 2, wide[1] + SPACE / 2,
        &beta, wide[inPlace ? 3 : 2] + SPACE / 2, wide[3] + SPACE / 2));
  else
    SUCCEED(TAPP_execute_product(
        plan, 0, &status, &factors[0], narrow[0] + SPACE / 2,
        narrow[1] + SPACE / 2, &factors[1], narrow[inPlace ? 3 : 2] + SPACE / 2,
        narrow[3] + SPACE / 2));
#if TC_TAPP_HAS_PAIRS
  TAPP_completion completion = TAPP_INCOMPLETE;
  SUCCEED(TAPP_status_check_completion(status, &completion, &error));
  EXPECT(completion == TAPP_COMPLETE && TAPP_check_success(error));
#endif
  SUCCEED(TAPP_destroy_status(status));
  int wrong = 0;
  for (int i = 0; i < SPACE; ++i)
    wrong += (type == TAPP_F64 ? wide[3][i] : narrow[3][i]) != expected[i];
  if (wrong != 0) {
    printf("%s, type %d, alpha %g, beta %g: %d wrong\n", product->name, type,
           alpha, beta, wrong);
    ++failures;
  }
  SUCCEED(TAPP_destroy_tensor_product(plan));
}

static const Case cases[] = {
    {"contraction",
     {{3, {0, 2, 4}, {1, 4, 12}},
      {3, {4, 3, 2}, {1, 5, 10}},
      {2, {0, 3}, {1, 4}},
      {2, {0, 3}, {1, 4}}}},
    {"products element by element",
     {{2, {0, 2}, {1, 4}},
      {2, {2, 0}, {1, 3}},
      {2, {0, 2}, {3, 1}},
      {2, {0, 2}, {1, 4}}}},
    {"C with its indices in another order",
     {{2, {0, 4}, {5, 1}},
      {2, {4, 2}, {3, 1}},
      {2, {2, 0}, {1, 3}},
      {2, {0, 2}, {1, 4}}}},
    {"scalars", {{0, {0}, {0}}, {0, {0}, {0}}, {0, {0}, {0}}, {0, {0}, {0}}}},
    {"an extent of one, and a sum in one tensor",
     {{3, {0, 1, 5}, {1, 4, 4}},
      {2, {1, 3}, {1, 1}},
      {3, {0, 1, 3}, {1, 4, 4}},
      {3, {0, 1, 3}, {1, 4, 4}}}},
    {"strides that are negative, and gaps",
     {{2, {0, 4}, {-9, 2}},
      {2, {4, 2}, {-1, 7}},
      {2, {0, 2}, {6, -2}},
      {2, {0, 2}, {-20, 5}}}},
    {"a diagonal",
     {{3, {2, 2, 4}, {1, 3, 9}}, {1, {4}, {1}}, {1, {2}, {1}}, {1, {2}, {2}}}},
    {"diagonals of C and D",
     {{2, {2, 4}, {1, 3}},
      {2, {4, 0}, {1, 5}},
      {3, {2, 0, 2}, {1, 3, 12}},
      {3, {2, 2, 0}, {5, 20, 80}}}}};

static void testErrors(void) {
  const Case good = cases[0];
  TAPP_tensor_product plan = 0;
  Case bad;
#define FAIL(change, number)                                                   \
  do {                                                                         \
    bad = good;                                                                \
    change;                                                                    \
    TAPP_error error = makePlan(&bad, TAPP_F64, &plan);                        \
    EXPECT(typeOf(error) == TAPP_ERROR_TYPE_TAPP && codeOf(error) == number);  \
  } while (0)
  FAIL(bad.tensors[3].indices[0] = 5, TAPP_ERR_D_UNSHARED_IDX);
  FAIL(bad.tensors[2].count = 1, TAPP_ERR_CD_NDIM);
  FAIL(bad.tensors[2].indices[0] = 2, TAPP_ERR_CD_IDX);
  FAIL(bad.tensors[3].strides[0] = 0, TAPP_ERR_D_ALIASING);
  /* Neighbours along B's index are 3 apart, but A's four values take 4. */
  FAIL(bad.tensors[3].strides[1] = -3, TAPP_ERR_D_ALIASING);

  /* Infos that differ in extents. */
  const int64_t a[] = {2, 3}, b[] = {4, 5}, d[] = {2, 5}, e[] = {3, 5},
                ones[] = {1, 8}, ik[] = {0, 1}, kj[] = {1, 2}, ij[] = {0, 2};
  TAPP_tensor_info infos[4];
  SUCCEED(TAPP_create_tensor_info(&infos[0], 0, TAPP_F64, 2, a, ones));
  SUCCEED(TAPP_create_tensor_info(&infos[1], 0, TAPP_F64, 2, b, ones));
  SUCCEED(TAPP_create_tensor_info(&infos[2], 0, TAPP_F64, 2, d, ones));
  SUCCEED(TAPP_create_tensor_info(&infos[3], 0, TAPP_F64, 2, d, ones));
#define CREATE()                                                               \
  codeOf(TAPP_create_tensor_product(&plan, 0, 0, infos[0], ik, 0, infos[1],    \
                                    kj, 0, infos[2], ij, 0, infos[3], ij,      \
                                    TAPP_DEFAULT_PREC))
  EXPECT(CREATE() == TAPP_ERR_EXTENTS_AB);
  SUCCEED(TAPP_set_extents(infos[1], e));
  SUCCEED(TAPP_set_extents(infos[3], e));
  EXPECT(CREATE() == TAPP_ERR_EXTENTS_AD);
  SUCCEED(TAPP_set_extents(infos[3], a));
  EXPECT(CREATE() == TAPP_ERR_EXTENTS_BD);
  SUCCEED(TAPP_set_extents(infos[3], d));
  SUCCEED(TAPP_set_extents(infos[2], e));
  /* A plan that failed is none, and is executed with the error that it had. */
  double numbers[64] = {0}, one = 1;
  const void *reads[] = {numbers};
  void *writes[] = {numbers};
  plan = 1;
  EXPECT(CREATE() == TAPP_ERR_EXTENTS_CD);
  EXPECT(plan == 0);
  EXPECT(codeOf(TAPP_execute_product(plan, 0, NULL, &one, numbers, numbers,
                                     &one, numbers, numbers)) ==
         TAPP_ERR_EXTENTS_CD);
  EXPECT(codeOf(TAPP_execute_batched_product(plan, 0, NULL, 1, &one, reads,
                                             reads, &one, reads, writes)) ==
         TAPP_ERR_EXTENTS_CD);
  SUCCEED(TAPP_destroy_tensor_product(plan));
  SUCCEED(TAPP_set_extents(infos[2], d));
  EXPECT(CREATE() == TAPP_ERR_SUCCESS);
  EXPECT(typeOf(TAPP_execute_product(0, 0, NULL, &one, numbers, numbers, &one,
                                     numbers, numbers)) == TAPP_ERROR_TYPE_TC);
  EXPECT(codeOf(TAPP_execute_product(plan, 0, NULL, &one, numbers, numbers,
                                     &one, NULL, numbers)) ==
         TAPP_ERR_C_NULL_BETA);
  TAPP_error own = TAPP_execute_product(plan, 0, NULL, &one, NULL, numbers,
                                        &one, numbers, numbers);
  EXPECT(typeOf(own) == TAPP_ERROR_TYPE_TC);
  char text[5];
  EXPECT(TAPP_explain_error(own, 0, NULL) == strlen("A is NULL"));
  EXPECT(TAPP_explain_error(own, sizeof text, text) == 4);
  EXPECT(strcmp(text, "A is") == 0);
  SUCCEED(TAPP_destroy_tensor_product(plan));

  int64_t found[3];
  EXPECT(TAPP_get_nmodes(infos[0]) == 2);
  TAPP_get_extents(infos[0], found);
  EXPECT(found[0] == 2 && found[1] == 3);
  SUCCEED(TAPP_set_strides(infos[0], a));
  TAPP_get_strides(infos[0], found);
  EXPECT(found[0] == 2 && found[1] == 3);
  SUCCEED(TAPP_set_nmodes(infos[0], 3));
  EXPECT(TAPP_get_nmodes(infos[0]) == 3);
  EXPECT(codeOf(TAPP_set_nmodes(infos[0], -1)) == TAPP_ERR_NMODE_NEGATIVE);
  const int64_t negative[] = {2, 3, -1};
  EXPECT(codeOf(TAPP_set_extents(infos[0], negative)) ==
         TAPP_ERR_EXTENTS_NEGATIVE);
  for (int t = 0; t < 4; ++t)
    SUCCEED(TAPP_destroy_tensor_info(infos[t]));
}

/* B is conjugated, C has its indices in another order than D, and the factors
 * have imaginary parts. */
static void testComplex(TAPP_datatype type) {
  const Case product = {"complex",
                        {{2, {0, 2}, {1, 4}},
                         {2, {2, 3}, {2, 1}},
                         {2, {3, 0}, {4, 1}},
                         {2, {0, 3}, {2, 1}}}};
  enum { M = 4, K = 3, N = 2 };
  double _Complex a[M * K], b[K * N], c[N * M], d[M * N];
  float _Complex a32[M * K], b32[K * N], c32[N * M], d32[M * N];
  for (int i = 0; i < M * K; ++i)
    a32[i] = a[i] = (i % 5 - 2) + (i % 3) * 1.0 * I;
  for (int i = 0; i < K * N; ++i)
    b32[i] = b[i] = (i % 4) - (i % 7 - 3) * 1.0 * I;
  for (int i = 0; i < N * M; ++i)
    c32[i] = c[i] = i + 2.0 * I;
  double _Complex alpha = 2.0 - 1.0 * I, beta = 0.5 * I;
  float _Complex alpha32 = alpha, beta32 = beta;
  TAPP_tensor_product plan = 0;
  SUCCEED(makePlan(&product, type, &plan));
  if (type == TAPP_C64)
    SUCCEED(TAPP_execute_product(plan, 0, NULL, &alpha, a, b, &beta, c, d));
  else
    SUCCEED(TAPP_execute_product(plan, 0, NULL, &alpha32, a32, b32, &beta32,
                                 c32, d32));
  for (int m = 0; m < M; ++m)
    for (int n = 0; n < N; ++n) {
      double _Complex sum = 0;
      for (int k = 0; k < K; ++k)
        sum += a[m + M * k] * conj(b[N * k + n]);
      double _Complex expected = alpha * sum + beta * c[M * n + m];
      EXPECT((type == TAPP_C64 ? d[N * m + n] : d32[N * m + n]) == expected);
    }
  SUCCEED(TAPP_destroy_tensor_product(plan));
}

/* Small integers and halves of them as the bits of halves: sign and exponent,
 * and a fraction of which bf16 has the first seven bits and f16 ten. */
static uint16_t bitsOf(float value, TAPP_datatype type) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  if (type == TAPP_BF16)
    return (uint16_t)(bits >> 16);
  if (value == 0)
    return 0;
  int exponent = (int)(bits >> 23 & 255) - 127 + 15;
  return (uint16_t)((bits >> 31 << 15) | (unsigned)exponent << 10 |
                    (bits >> 13 & 1023));
}

/* The sum of products of small integers, plus what C held, which is elsewhere.
 */
static void testHalves(TAPP_datatype type) {
  const Case product = {
      "halves",
      {{2, {0, 2}, {1, 4}}, {1, {2}, {1}}, {1, {0}, {1}}, {1, {0}, {1}}}};
  enum { M = 4, K = 3 };
  uint16_t a[M * K], b[K], c[M], d[M], alpha = bitsOf(0.5f, type),
                                       beta = bitsOf(-2, type);
  for (int i = 0; i < M * K; ++i)
    a[i] = bitsOf((float)(i % 5 - 2), type);
  for (int k = 0; k < K; ++k)
    b[k] = bitsOf((float)(k + 1), type);
  for (int m = 0; m < M; ++m)
    c[m] = bitsOf((float)m, type);
  TAPP_tensor_product plan = 0;
  SUCCEED(makePlan(&product, type, &plan));
  SUCCEED(TAPP_execute_product(plan, 0, NULL, &alpha, a, b, &beta, c, d));
  for (int m = 0; m < M; ++m) {
    float sum = 0;
    for (int k = 0; k < K; ++k)
      sum += (float)((m + M * k) % 5 - 2) * (float)(k + 1);
    EXPECT(d[m] == bitsOf(0.5f * sum - 2.0f * (float)m, type));
  }
  SUCCEED(TAPP_destroy_tensor_product(plan));
}

static void testBatch(void) {
  const Case vectors = {
      "vectors", {{1, {2}, {1}}, {1, {2}, {1}}, {1, {2}, {1}}, {1, {2}, {1}}}};
  double a[2][3] = {{1, 2, 3}, {4, 5, 6}}, b[2][3] = {{1, 1, 1}, {2, 2, 2}},
         d[2][3], one = 1, zero = 0;
  const void *as[] = {a[0], a[1]}, *bs[] = {b[0], b[1]};
  void *ds[] = {d[0], d[1]};
  TAPP_tensor_product plan = 0;
  SUCCEED(makePlan(&vectors, TAPP_F64, &plan));
  SUCCEED(TAPP_execute_batched_product(plan, 0, NULL, 2, &one, as, bs, &zero,
                                       NULL, ds));
  EXPECT(d[0][2] == 3 && d[1][0] == 8 && d[1][2] == 12);
  SUCCEED(TAPP_destroy_tensor_product(plan));
}

/* A schedule that does not fit shows that attributes reach the compiler. */
static void testAttributes(void) {
  TAPP_handle handle = 0;
  SUCCEED(TAPP_create_handle(&handle));
  void *found = &handle;
  SUCCEED(TAPP_attr_get(handle, TC_TAPP_THREADS, &found));
  EXPECT(found == NULL);
  SUCCEED(TAPP_attr_set(handle, TC_TAPP_THREADS, "3"));
  SUCCEED(TAPP_attr_get(handle, TC_TAPP_THREADS, &found));
  EXPECT(found && strcmp(found, "3") == 0);
  TAPP_error error = TAPP_attr_set(handle, TC_TAPP_THREADS, "many");
  EXPECT(typeOf(error) == TAPP_ERROR_TYPE_TC);
  SUCCEED(TAPP_attr_get(handle, TC_TAPP_THREADS, &found));
  EXPECT(found && strcmp(found, "3") == 0);
  SUCCEED(TAPP_attr_clear(handle, TC_TAPP_THREADS));
  SUCCEED(TAPP_attr_get(handle, TC_TAPP_THREADS, &found));
  EXPECT(found == NULL);
  EXPECT(codeOf(TAPP_attr_set(handle, 1, "1")) == TAPP_ERR_INVALID_KEY);
  EXPECT(codeOf(TAPP_attr_get(handle, 1, &found)) == TAPP_ERR_INVALID_KEY);
  EXPECT(codeOf(TAPP_attr_clear(handle, 1)) == TAPP_ERR_INVALID_KEY);
  EXPECT(typeOf(TAPP_attr_set(0, TC_TAPP_THREADS, "1")) == TAPP_ERROR_TYPE_TC);
  SUCCEED(TAPP_attr_set(handle, TC_TAPP_SPECIALIZE, "never"));
  EXPECT(typeOf(TAPP_attr_set(handle, TC_TAPP_SPECIALIZE, "sometimes")) ==
         TAPP_ERROR_TYPE_TC);
  SUCCEED(TAPP_attr_clear(handle, TC_TAPP_SPECIALIZE));

  const int64_t extent = 3, stride = 1, index = 0;
  TAPP_tensor_info vector = 0;
  SUCCEED(
      TAPP_create_tensor_info(&vector, handle, TAPP_F64, 1, &extent, &stride));
  TAPP_tensor_product plan = 0;
#define CREATE_WITH(handle)                                                    \
  TAPP_create_tensor_product(&plan, handle, 0, vector, &index, 0, vector,      \
                             &index, 0, vector, &index, 0, vector, &index,     \
                             TAPP_DEFAULT_PREC)
  SUCCEED(TAPP_attr_set(handle, TC_TAPP_STRATEGY, "gett"));
  SUCCEED(CREATE_WITH(handle));
  SUCCEED(TAPP_destroy_tensor_product(plan));
  double a[] = {1, 2, 3}, b[] = {4, 5, 6}, c[] = {7, 8, 9}, d[3], one = 1;
  /* The plan is executed when the handle is gone. */
  TAPP_handle other = 0;
  SUCCEED(TAPP_create_handle(&other));
  SUCCEED(TAPP_attr_set(other, TC_TAPP_SCHEDULE, "#tc.cpu_schedule<"));
  EXPECT(typeOf(CREATE_WITH(other)) == TAPP_ERROR_TYPE_TC);
  SUCCEED(TAPP_attr_set(other, TC_TAPP_SCHEDULE, NULL));
  SUCCEED(CREATE_WITH(other));
  SUCCEED(TAPP_destroy_handle(other));
  SUCCEED(TAPP_destroy_handle(handle));
  SUCCEED(TAPP_execute_product(plan, 0, NULL, &one, a, b, &one, c, d));
  for (int i = 0; i < 3; ++i)
    EXPECT(d[i] == a[i] * b[i] + c[i]);
  SUCCEED(TAPP_destroy_tensor_product(plan));
  SUCCEED(TAPP_destroy_tensor_info(vector));
}

int main(void) {
  TAPP_handle handle;
  TAPP_executor executor;
  SUCCEED(TAPP_create_handle(&handle));
  SUCCEED(TAPP_create_executor(&executor));
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    for (int inPlace = 0; inPlace < 2; ++inPlace) {
      checkProduct(&cases[i], TAPP_F64, 1, 0, inPlace);
      checkProduct(&cases[i], TAPP_F64, 2, -3, inPlace);
      checkProduct(&cases[i], TAPP_F32, -1, 1, inPlace);
    }
  testErrors();
  testBatch();
  testAttributes();
  testComplex(TAPP_C64);
  testComplex(TAPP_C32);
  testHalves(TAPP_F16);
  testHalves(TAPP_BF16);
#if TC_TAPP_HAS_PAIRS
  SUCCEED(TAPP_executor_wait(executor));
#endif
  SUCCEED(TAPP_destroy_executor(executor));
  SUCCEED(TAPP_destroy_handle(handle));
  printf(failures == 0 ? "passed\n" : "%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
