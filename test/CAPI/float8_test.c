/*===- float8_test.c - Every number of 8-bit floats, from C ---------------===*\
|*                                                                            *|
|* Part of the tc project, under the Apache License v2.0 with LLVM            *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Usage: float8_test FOLDER, in which the cache of compiled code is put.     *|
|* Formats are taken from the specification of OFP8 by the Open Compute       *|
|* Project: a number is found by looking through all of them.                 *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "MakeOptions.h"

#include <float.h>
#include <math.h>

typedef struct {
  TcElementType type;
  int exponentBits, bias;
  uint8_t one, largest;
} Format;

static const Format formats[] = {{TC_ELEMENT_F8E4M3FN, 4, 7, 0x38, 0x7E},
                                 {TC_ELEMENT_F8E5M2, 5, 15, 0x3C, 0x7B}};

static double valueOf(const Format *format, int bits) {
  int fractionBits = 7 - format->exponentBits;
  int exponent = (bits & 0x7F) >> fractionBits;
  double fraction = ldexp(bits & ((1 << fractionBits) - 1), -fractionBits);
  double size = exponent == 0 ? ldexp(fraction, 1 - format->bias)
                              : ldexp(1 + fraction, exponent - format->bias);
  int isInfinite =
      format->type == TC_ELEMENT_F8E5M2 && (bits & 0x7F) == format->largest + 1;
  if ((bits & 0x7F) > format->largest)
    size = isInfinite ? (double)INFINITY : (double)NAN;
  return bits & 0x80 ? -size : size;
}

/* The nearest number, of two the one whose last bit is zero. */
static uint8_t nearest(const Format *format, double number) {
  int best = 0;
  double size = fmin(fabs(number), valueOf(format, format->largest));
  for (int bits = 1; bits <= format->largest; ++bits) {
    double before = fabs(valueOf(format, best) - size),
           now = fabs(valueOf(format, bits) - size);
    if (now < before || (now == before && bits % 2 == 0))
      best = bits;
  }
  return (uint8_t)(signbit(number) ? best | 0x80 : best);
}

/* The same without saturation: beyond half a step behind the largest number, of
 * which a tie goes to the even one, is an infinity or NaN. */
static uint8_t nearestOrNone(const Format *format, double number) {
  double largest = valueOf(format, format->largest),
         tie = largest + (largest - valueOf(format, format->largest - 1)) / 2,
         size = fabs(number);
  int isBeyond = size > tie || (size == tie && format->largest % 2 == 1);
  if (!isBeyond)
    return nearest(format, number);
  return (uint8_t)((format->largest + 1) | (signbit(number) ? 0x80 : 0));
}

/* Computation of a case, and whether 8-bit floats saturate. */
typedef struct {
  const char *key, *value, *saturate;
} Way;

static const Way ways[] = {
    {"specialize", "always", "true"},   {"specialize", "always", "false"},
    {"specialize", "never", "true"},    {"specialize", "never", "false"},
    {"dynamic-shapes", "true", "true"}, {"dynamic-shapes", "true", "false"}};

static TcContraction *compile(const char *spec, const TcTensor *tensors,
                              const char *alpha, const Way *way) {
  TcOptions *options = makeOptions();
  SUCCEED(tcOptionsSet(options, "alpha", alpha));
  SUCCEED(tcOptionsSet(options, way->key, way->value));
  SUCCEED(tcOptionsSet(options, "saturate", way->saturate));
  TcContraction *contraction = NULL;
  SUCCEED(tcContractionCompile(spec, tensors, options, &contraction));
  tcOptionsDestroy(options);
  return contraction;
}

/* All numbers, in vectors and one by one. */
static void testExtension(const Format *format) {
  static const int64_t all[] = {256}, three[] = {3}, *extents[] = {all, three};
  uint8_t elements[256];
  for (int bits = 0; bits < 256; ++bits)
    elements[bits] = (uint8_t)bits;
  for (int shape = 0; shape < 2; ++shape) {
    int count = (int)*extents[shape];
    const TcTensor tensors[] = {{format->type, 1, extents[shape], NULL},
                                {format->type, 0, NULL, NULL},
                                {TC_ELEMENT_F32, 1, extents[shape], NULL}};
    TcContraction *contraction = compile("i,->i", tensors, "1", &ways[0]);
    if (!contraction)
      return;
    float results[256];
    for (int first = 0; first < 256 - count + 1; first += count) {
      SUCCEED(tcContractionRun(contraction, elements + first, &format->one,
                               results, NULL, NULL));
      for (int i = 0; i < count; ++i) {
        double expected = valueOf(format, first + i);
        EXPECT(isnan(expected) ? isnan(results[i]) : results[i] == expected);
      }
    }
    tcContractionDestroy(contraction);
  }
}

static void testRounding(const Format *format, const Way *way) {
  const TcTensor tensors[] = {{format->type, 0, NULL, NULL},
                              {format->type, 0, NULL, NULL},
                              {format->type, 0, NULL, NULL}};
  TcContraction *contraction = compile(",->", tensors, "argument", way);
  if (!contraction)
    return;
  int wrong = 0;
  int saturates = strcmp(way->saturate, "true") == 0;
  for (int bits = 0; bits < format->largest + 5; ++bits) {
    float number = (float)valueOf(format, bits);
    float next = (float)valueOf(format, bits + 1);
    float middle = number + (next - number) / 2;
    if (bits >= format->largest) {
      /* Midpoint between the largest number and the next one. */
      const float tie = format->largest == 0x7E ? 464 : 61440;
      const float others[] = {INFINITY, FLT_MAX, 1e6f, FLT_MIN / 2, tie};
      middle = others[bits - format->largest];
    }
    float alphas[] = {middle, nextafterf(middle, 0),
                      nextafterf(middle, INFINITY)};
    for (int i = 0; i < 6; ++i) {
      float alpha = i < 3 ? alphas[i] : -alphas[i - 3];
      uint8_t result = 0;
      SUCCEED(tcContractionRun(contraction, &format->one, &format->one, &result,
                               &alpha, NULL));
      uint8_t expected =
          saturates ? nearest(format, alpha) : nearestOrNone(format, alpha);
      wrong += isnan(valueOf(format, expected))
                   ? !isnan(valueOf(format, result))
                   : result != expected;
    }
  }
  EXPECT(wrong == 0);
  float alpha = NAN;
  uint8_t result = 0;
  SUCCEED(tcContractionRun(contraction, &format->one, &format->one, &result,
                           &alpha, NULL));
  EXPECT(isnan(valueOf(format, result)));
  FAIL(tcContractionRun(contraction, &format->one, &format->one, &result, NULL,
                        NULL),
       INVALID_ARGUMENT, "alpha is NULL, but is an argument");
  tcContractionDestroy(contraction);
}

/* Rounding in one vector, where code for it has one. */
static void testRoundingOfVectors(const Format *format, const Way *way) {
  static const int64_t many[] = {37};
  const TcTensor tensors[] = {{format->type, 1, many, NULL},
                              {format->type, 0, NULL, NULL},
                              {format->type, 1, many, NULL}};
  TcContraction *contraction = compile("i,->i", tensors, "argument", way);
  if (!contraction)
    return;
  uint8_t elements[37], results[37];
  for (int i = 0; i < 37; ++i)
    elements[i] = (uint8_t)(format->largest - i / 2) | (i % 2 ? 0x80 : 0);
  float alpha = 1.0625f;
  SUCCEED(tcContractionRun(contraction, elements, &format->one, results, &alpha,
                           NULL));
  int saturates = strcmp(way->saturate, "true") == 0;
  for (int i = 0; i < 37; ++i) {
    double number = alpha * valueOf(format, elements[i]);
    uint8_t expected =
        saturates ? nearest(format, number) : nearestOrNone(format, number);
    EXPECT(results[i] == expected || (isnan(valueOf(format, expected)) &&
                                      isnan(valueOf(format, results[i]))));
  }
  tcContractionDestroy(contraction);
}

/* C is scaled if nothing is multiplied. */
static void testOverflowOfEmptySums(const Format *format, const Way *way) {
  static const int64_t none[] = {0};
  const TcTensor tensors[] = {{format->type, 1, none, NULL},
                              {format->type, 1, none, NULL},
                              {format->type, 0, NULL, NULL}};
  TcOptions *options = makeOptions();
  SUCCEED(tcOptionsSet(options, "beta", "-2"));
  SUCCEED(tcOptionsSet(options, way->key, way->value));
  SUCCEED(tcOptionsSet(options, "saturate", way->saturate));
  TcContraction *contraction = NULL;
  SUCCEED(tcContractionCompile("k,k->", tensors, options, &contraction));
  tcOptionsDestroy(options);
  if (!contraction)
    return;
  uint8_t result = format->largest, nothing = 0;
  SUCCEED(
      tcContractionRun(contraction, &nothing, &nothing, &result, NULL, NULL));
  int saturates = strcmp(way->saturate, "true") == 0;
  EXPECT((result & 0x7F) == format->largest + (saturates ? 0 : 1));
  tcContractionDestroy(contraction);
}

static void testEmptySums(const Format *format) {
  static const int64_t none[] = {0};
  const TcTensor tensors[] = {{format->type, 1, none, NULL},
                              {format->type, 1, none, NULL},
                              {format->type, 0, NULL, NULL}};
  TcOptions *options = makeOptions();
  SUCCEED(tcOptionsSet(options, "beta", "-2"));
  TcContraction *contraction = NULL;
  SUCCEED(tcContractionCompile("k,k->", tensors, options, &contraction));
  tcOptionsDestroy(options);
  if (!contraction)
    return;
  uint8_t result = nearest(format, 1.5), nothing = 0;
  SUCCEED(
      tcContractionRun(contraction, &nothing, &nothing, &result, NULL, NULL));
  EXPECT(valueOf(format, result) == -3);
  tcContractionDestroy(contraction);
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: float8_test FOLDER\n");
    return 2;
  }
  cache = argv[1];
  for (size_t i = 0; i < sizeof formats / sizeof *formats; ++i) {
    EXPECT(tcElementTypeGetBytes(formats[i].type) == 1);
    EXPECT(nearest(&formats[i], 1) == formats[i].one);
    testExtension(&formats[i]);
    for (size_t way = 0; way < sizeof ways / sizeof *ways; ++way) {
      testRounding(&formats[i], &ways[way]);
      testRoundingOfVectors(&formats[i], &ways[way]);
      testOverflowOfEmptySums(&formats[i], &ways[way]);
    }
    testEmptySums(&formats[i]);
  }
  EXPECT(tcElementTypeGetCommon(TC_ELEMENT_F8E4M3FN, TC_ELEMENT_F8E5M2) ==
         TC_ELEMENT_F16);
  printf(failures == 0 ? "passed\n" : "%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
