/*===- tapp_random_test.c - Random products through TAPP ------------------===*\
|*                                                                            *|
|* Part of the tc project, under the Apache License v2.0 with LLVM            *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* The kinds of products that the test of TAPP's reference implementation     *|
|* has, at its sizes, with all types and conjugates, beside sums over all     *|
|* indices in double precision. TC_SEED and TC_COUNT say which products, and  *|
|* how many of each kind.                                                     *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "TappCalls.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

typedef double _Complex Number;

enum { A, B, C, D, TENSORS };
/* Of indices a tensor has at most, all of a product, and elements at most. */
enum { MOST = 6, ALL = 12, SPACE = 1 << 16 };

/* Number of indices of each group that a kind of product may have, and its
 * possible strides. */
typedef struct {
  const char *name;
  int hadamard, contracted, freeA, freeB; /* the most; at least that if < 0 */
  int isolated, repeated;                 /* the most in each of A and B */
  int equalExtents, hasGaps, signs;       /* signs: -1 all, 1 some negative */
  int zeroStrides, anyType;
} Kind;

static const Kind kinds[] = {
    {"elementwise", -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {"contraction", 0, 2, 2, 2, 0, 0, 0, 0, 0, 0, 0},
    {"equal extents", 0, 2, 2, 2, 0, 0, 1, 0, 0, 0, 0},
    {"outer product", 0, 0, 2, 2, 0, 0, 0, 0, 0, 0, 0},
    {"full contraction", 0, -2, 0, 0, 0, 0, 0, 0, 0, 0, 0},
    {"scalar and tensor", 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0},
    {"vectors", 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0},
    {"gaps", 0, 2, 2, 2, 0, 0, 0, 1, 0, 0, 0},
    {"negative strides", 0, 2, 2, 2, 0, 0, 0, 0, -1, 0, 0},
    {"negative strides and gaps", 0, 2, 2, 2, 0, 0, 0, 1, -1, 0, 0},
    {"mixed strides", 0, 2, 2, 2, 0, 0, 0, 0, 1, 0, 0},
    {"mixed strides and gaps", 0, 2, 2, 2, 0, 0, 0, 1, 1, 0, 0},
    {"all types", 0, 2, 2, 2, 0, 0, 0, 0, 0, 0, 1},
    {"zero strides", 0, 2, 2, 2, 0, 0, 0, 0, 0, 1, 1},
    {"isolated indices", 0, 1, 2, 2, 1, 0, 0, 0, 0, 0, 1},
    {"repeated indices", 0, 1, 2, 1, 0, 2, 0, 0, 0, 0, 1},
    {"elementwise and free", 2, 0, 2, 2, 0, 0, 0, 0, 0, 0, 1},
    {"elementwise and contracted", 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 1},
    {"everything", 1, 1, 1, 1, 1, 1, 0, 0, 1, 0, 1},
};

static uint64_t state;

/* A number from `low` to `high`. */
static int64_t pick(int64_t low, int64_t high) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return low + (int64_t)((state >> 33) % (uint64_t)(high - low + 1));
}

/* A count that is at most `most`, or exactly that where it is negative. */
static int count(int most) { return (int)(most < 0 ? -most : pick(0, most)); }

typedef struct {
  int rank;
  int64_t indices[MOST], extents[MOST], strides[MOST];
  int64_t origin; /* of the element whose coordinates are zero */
  TAPP_element_op op;
  TAPP_tensor_info info;
} Tensor;

typedef struct {
  TAPP_datatype type;
  int64_t extents[ALL];
  int used;
  int64_t space; /* of the largest tensor */
  Tensor tensors[TENSORS];
} Product;

/* Elements of each tensor, in double precision and as they are given. */
static Number values[TENSORS][SPACE];
static union {
  float f32[SPACE];
  double f64[SPACE];
  float _Complex c32[SPACE];
  double _Complex c64[SPACE];
} data[TENSORS];

static int isComplex(TAPP_datatype type) {
  return type == TAPP_C32 || type == TAPP_C64;
}

static void store(int tensor, TAPP_datatype type, int64_t at, Number value) {
  switch (type) {
  case TAPP_F32:
    data[tensor].f32[at] = (float)creal(value);
    break;
  case TAPP_F64:
    data[tensor].f64[at] = creal(value);
    break;
  case TAPP_C32:
    data[tensor].c32[at] = (float _Complex)value;
    break;
  default:
    data[tensor].c64[at] = value;
  }
}

static Number load(int tensor, TAPP_datatype type, int64_t at) {
  switch (type) {
  case TAPP_F32:
    return data[tensor].f32[at];
  case TAPP_F64:
    return data[tensor].f64[at];
  case TAPP_C32:
    return data[tensor].c32[at];
  default:
    return data[tensor].c64[at];
  }
}

static void *place(int tensor, TAPP_datatype type, int64_t at) {
  switch (type) {
  case TAPP_F32:
    return data[tensor].f32 + at;
  case TAPP_F64:
    return data[tensor].f64 + at;
  case TAPP_C32:
    return data[tensor].c32 + at;
  default:
    return data[tensor].c64 + at;
  }
}

static void addIndex(Product *product, unsigned tensors) {
  for (int t = 0; t < TENSORS; ++t)
    if (tensors >> t & 1)
      product->tensors[t].indices[product->tensors[t].rank++] = product->used;
  ++product->used;
}

static void shuffle(int64_t *indices, int rank) {
  for (int i = rank - 1; i > 0; --i) {
    int other = (int)pick(0, i);
    int64_t moved = indices[i];
    indices[i] = indices[other];
    indices[other] = moved;
  }
}

/* Strides, from those of the first dimension on; the tensor may be a part of a
 * larger one. Returns how many elements there are. */
static int64_t lay(Tensor *tensor, const Kind *kind, int mayRepeat) {
  int64_t stride = 1;
  tensor->origin = 0;
  for (int i = 0; i < tensor->rank; ++i) {
    int64_t extent = tensor->extents[i];
    if (kind->hasGaps)
      stride *= pick(1, 2);
    tensor->strides[i] = stride;
    stride *= extent + (kind->hasGaps ? pick(0, 2) : 0);
    if (kind->signs < 0 || (kind->signs > 0 && pick(0, 1))) {
      tensor->origin += tensor->strides[i] * (extent - 1);
      tensor->strides[i] = -tensor->strides[i];
    }
    if (mayRepeat && kind->zeroStrides && pick(0, 1))
      tensor->strides[i] = 0;
  }
  EXPECT(stride <= SPACE);
  return stride;
}

static void makeProduct(const Kind *kind, Product *product) {
  static const TAPP_datatype types[] = {TAPP_F32, TAPP_F64, TAPP_C32, TAPP_C64};
  *product = (Product){.type = types[kind->anyType ? pick(0, 3) : 0]};
  const struct {
    int count;
    unsigned tensors;
  } groups[] = {{count(kind->hadamard), 1 << A | 1 << B | 1 << C | 1 << D},
                {count(kind->contracted), 1 << A | 1 << B},
                {count(kind->freeA), 1 << A | 1 << C | 1 << D},
                {count(kind->freeB), 1 << B | 1 << C | 1 << D},
                {count(kind->isolated), 1 << A},
                {count(kind->isolated), 1 << B}};
  for (size_t g = 0; g < sizeof groups / sizeof *groups; ++g)
    for (int i = 0; i < groups[g].count; ++i)
      addIndex(product, groups[g].tensors);
  int64_t equal = pick(1, 5);
  for (int i = 0; i < product->used; ++i)
    product->extents[i] = kind->equalExtents ? equal : pick(1, 5);
  for (int t = A; t <= B; ++t) {
    Tensor *tensor = &product->tensors[t];
    for (int i = count(kind->repeated); i > 0 && tensor->rank > 0; --i)
      if (tensor->rank < MOST) {
        tensor->indices[tensor->rank] =
            tensor->indices[pick(0, tensor->rank - 1)];
        ++tensor->rank;
      }
  }
  /* Of C and D together. */
  shuffle(product->tensors[D].indices, product->tensors[D].rank);
  for (int i = 0; i < product->tensors[D].rank; ++i)
    product->tensors[C].indices[i] = product->tensors[D].indices[i];
  for (int t = 0; t < TENSORS; ++t) {
    Tensor *tensor = &product->tensors[t];
    if (t <= B)
      shuffle(tensor->indices, tensor->rank);
    for (int i = 0; i < tensor->rank; ++i)
      tensor->extents[i] = product->extents[tensor->indices[i]];
    int64_t space = lay(tensor, kind, t <= B);
    if (space > product->space)
      product->space = space;
    tensor->op = pick(0, 1) ? TAPP_CONJUGATE : TAPP_IDENTITY;
  }
}

static Number randomNumber(TAPP_datatype type) {
  double real = (double)pick(-1000, 1000) / 1024;
  double imaginary = (double)pick(-1000, 1000) / 1024;
  return isComplex(type) ? real + imaginary * I : real;
}

static Number conjugateIf(Number value, const Product *product, int tensor) {
  return product->tensors[tensor].op == TAPP_CONJUGATE ? conj(value) : value;
}

static int64_t positionOf(const Tensor *tensor, const int64_t *coordinates) {
  int64_t position = tensor->origin;
  for (int i = 0; i < tensor->rank; ++i)
    position += coordinates[tensor->indices[i]] * tensor->strides[i];
  return position;
}

static int next(const Product *product, int64_t *coordinates) {
  int i = product->used - 1;
  while (i >= 0 && ++coordinates[i] == product->extents[i])
    coordinates[i--] = 0;
  return i >= 0;
}

/* D by its definition, and what its elements may be wrong by. */
static void compute(const Product *product, Number alpha, Number beta,
                    int previous, Number *result, double *magnitude) {
  const Tensor *d = &product->tensors[D];
  int64_t at[ALL] = {0};
  do {
    int64_t place = positionOf(d, at);
    result[place] = magnitude[place] = 0;
  } while (next(product, at));
  do {
    Number term = alpha;
    for (int t = A; t <= B; ++t)
      term *= conjugateIf(values[t][positionOf(&product->tensors[t], at)],
                          product, t);
    result[positionOf(d, at)] += term;
    magnitude[positionOf(d, at)] += cabs(term);
  } while (next(product, at));
  static char done[SPACE];
  do {
    int64_t place = positionOf(d, at);
    if (!done[place]) {
      Number c = values[previous][positionOf(&product->tensors[C], at)];
      Number term = beta * conjugateIf(c, product, C);
      result[place] = conjugateIf(result[place] + term, product, D);
      magnitude[place] += cabs(term);
    }
    done[place] = 1;
  } while (next(product, at));
  do
    done[positionOf(d, at)] = 0;
  while (next(product, at));
}

static TAPP_error createPlan(Product *product, TAPP_tensor_product *plan) {
  Tensor *t = product->tensors;
  for (int i = 0; i < TENSORS; ++i)
    SUCCEED(TAPP_create_tensor_info(&t[i].info, 0, product->type, t[i].rank,
                                    t[i].extents, t[i].strides));
  TAPP_error error = TAPP_create_tensor_product(
      plan, 0, t[A].op, t[A].info, t[A].indices, t[B].op, t[B].info,
      t[B].indices, t[C].op, t[C].info, t[C].indices, t[D].op, t[D].info,
      t[D].indices, TAPP_DEFAULT_PREC);
  for (int i = 0; i < TENSORS; ++i)
    SUCCEED(TAPP_destroy_tensor_info(t[i].info));
  return error;
}

/* Runs a product, where C is D or another tensor, and compares all of D's
 * memory. */
static void checkProduct(const Kind *kind, int number) {
  static Number expected[SPACE];
  static double magnitude[SPACE];
  Product product;
  makeProduct(kind, &product);
  int inPlace = (int)pick(0, 1);
  Tensor *tensors = product.tensors;
  if (inPlace)
    for (int i = 0; i < tensors[D].rank; ++i)
      tensors[C].strides[i] = tensors[D].strides[i];
  if (inPlace)
    tensors[C].origin = tensors[D].origin;
  for (int t = 0; t < TENSORS; ++t)
    for (int64_t i = 0; i < product.space; ++i) {
      values[t][i] = randomNumber(product.type);
      store(t, product.type, i, values[t][i]);
      if (t == D)
        expected[i] = values[t][i];
    }
  Number alpha = randomNumber(product.type);
  Number beta = pick(0, 2) ? randomNumber(product.type) : 0;
  compute(&product, alpha, beta, inPlace ? D : C, expected, magnitude);

  TAPP_tensor_product plan = 0;
  TAPP_error error = createPlan(&product, &plan);
  float narrow[4] = {(float)creal(alpha), (float)cimag(alpha),
                     (float)creal(beta), (float)cimag(beta)};
  double wide[4] = {creal(alpha), cimag(alpha), creal(beta), cimag(beta)};
  int isWide = product.type == TAPP_F64 || product.type == TAPP_C64;
  const void *factors = isWide ? (void *)wide : narrow;
  const void *second = isWide ? (void *)(wide + 2) : narrow + 2;
  int old = inPlace ? D : C;
  if (TAPP_check_success(error))
    error = TAPP_execute_product(
        plan, 0, NULL, factors, place(A, product.type, tensors[A].origin),
        place(B, product.type, tensors[B].origin), second,
        place(old, product.type, tensors[C].origin),
        place(D, product.type, tensors[D].origin));
  int wrong = 0;
  for (int64_t i = 0; i < product.space; ++i) {
    double tolerance = magnitude[i] * (isWide ? 1e-14 : 1e-5);
    if (!(cabs(load(D, product.type, i) - expected[i]) <= tolerance))
      ++wrong;
    magnitude[i] = 0;
  }
  if (wrong != 0 || !TAPP_check_success(error)) {
    printf("%s, number %d, type %d, %s: error %d %d, %d elements wrong\n",
           kind->name, number, product.type, inPlace ? "in place" : "apart",
           typeOf(error), codeOf(error), wrong);
    ++failures;
  }
  SUCCEED(TAPP_destroy_tensor_product(plan));
}

/* Products that are spoilt in one way: which error executing them has. */
static void checkError(void) {
  const Kind *kind = &kinds[1];
  Product product;
  do
    makeProduct(kind, &product);
  while (product.tensors[A].rank == 0 || product.tensors[D].rank == 0);
  int way = (int)pick(0, 3);
  Tensor *spoilt = &product.tensors[way == 0 ? A : way == 3 ? D : C];
  int at = (int)pick(0, spoilt->rank - 1);
  int least = way == 0 ? 1 : 5, most = way == 0 ? 2 : 7;
  if (way == 0 || way == 1)
    spoilt->extents[at] += pick(1, 5);
  else if (way == 2)
    spoilt->indices[at] = ALL;
  else {
    least = most = TAPP_ERR_D_ALIASING;
    spoilt->extents[at] = 2;
    for (int t = 0; t < TENSORS; ++t)
      for (int i = 0; i < product.tensors[t].rank; ++i)
        if (product.tensors[t].indices[i] == spoilt->indices[at])
          product.tensors[t].extents[i] = 2;
    spoilt->strides[at] = 0;
  }
  TAPP_tensor_product plan = 1;
  int code = codeOf(createPlan(&product, &plan));
  double number = 0;
  int later = codeOf(TAPP_execute_product(plan, 0, NULL, &number, &number,
                                          &number, &number, &number, &number));
  if (code < least || code > most || later != code || plan != 0) {
    printf("spoilt in way %d: errors %d and %d\n", way, code, later);
    ++failures;
  }
}

int main(void) {
  const char *seed = getenv("TC_SEED"), *times = getenv("TC_COUNT");
  state = seed ? strtoull(seed, NULL, 10) : 1;
  int many = times ? atoi(times) : 20;
  printf("seed %llu\n", (unsigned long long)state);
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k)
    for (int i = 0; i < many; ++i)
      checkProduct(&kinds[k], i);
  for (int i = 0; i < many; ++i)
    checkError();
  printf(failures == 0 ? "passed\n" : "%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
