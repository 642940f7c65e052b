/*===- text_test.c - Contractions of texts, from C ------------------------===*\
|*                                                                            *|
|* Part of the tc project, under the Apache License v2.0 with LLVM            *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Small integers, whose sums are exact, beside loops over all indices. The   *|
|* argument is a folder for the cache.                                        *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "MakeOptions.h"

#include <stdlib.h>

/* C[i,j] (+)= A[k,i] * B[j,k], the first index with stride one, or the last. */
enum { I = 3, J = 4, K = 5 };

static void checkProduct(const char *text, const char *notation, int isRowMajor,
                         double scale, double old) {
  double a[K * I], b[J * K], c[I * J];
  for (int n = 0; n < K * I; ++n)
    a[n] = n % 7 - 3;
  for (int n = 0; n < J * K; ++n)
    b[n] = n % 5 - 2;
  for (int n = 0; n < I * J; ++n)
    c[n] = n;
  TcOptions *options = makeOptions();
  TcContraction *contraction = NULL;
  SUCCEED(tcContractionCompileText(text, notation, options, &contraction));
  if (contraction)
    SUCCEED(tcContractionRun(contraction, a, b, c, NULL, NULL));
  for (int i = 0; i < I; ++i)
    for (int j = 0; j < J; ++j) {
      double sum = 0;
      int place = isRowMajor ? i * J + j : i + I * j;
      for (int k = 0; k < K; ++k)
        sum += isRowMajor ? a[k * I + i] * b[j * K + k]
                          : a[k + K * i] * b[j + J * k];
      EXPECT(c[place] == scale * sum + old * place);
    }
  tcContractionDestroy(contraction);
  tcOptionsDestroy(options);
}

static void testNotations(void) {
  checkProduct("ki,jk->ij\ni = 3, j = 4, k = 5", "einsum", 1, 1, 0);
  checkProduct("# a comment\n[k,i],[j,k]->[i,j]\nshapes = 5x3, 4x5", "einsum",
               1, 1, 0);
  checkProduct("C[i,j] = A[k,i] * B[j,k]\ni = 3\nj = 4\nk = 5\n", "tccg", 0, 1,
               0);
  checkProduct("C [i,3,j,4] -= sum(k,5) * A [k,i] * B [j,k];", "cogent", 0, -1,
               1);
}

static void testOptions(void) {
  const char *text = "ij->i\ni = 2, j = 3";
  float a[] = {1, 2, 3, 4, 5, 6}, c[] = {10, 20}, beta = 2;
  TcOptions *options = makeOptions();
  TcContraction *contraction = NULL;
  SUCCEED(tcOptionsSet(options, "alpha", "-1"));
  SUCCEED(tcOptionsSet(options, "beta", "argument"));
  SUCCEED(tcOptionsSet(options, "epilogue", "x + 0.5"));
  SUCCEED(tcContractionCompileText("ij->i\ntype = f32, i = 2, j = 3", "einsum",
                                   options, &contraction));
  EXPECT(tcContractionGetScalarType(contraction) == TC_ELEMENT_F32);
  SUCCEED(tcContractionRun(contraction, a, NULL, c, NULL, &beta));
  EXPECT(c[0] == 14.5f && c[1] == 25.5f);
  tcContractionDestroy(contraction);
  SUCCEED(tcOptionsSet(options, "target", "sm_80"));
  SUCCEED(tcContractionCompileText(text, "einsum", options, &contraction));
  const char *ptx = NULL;
  SUCCEED(tcContractionGet(contraction, TC_ARTIFACT_PTX, &ptx, NULL));
  EXPECT(ptx && strstr(ptx, ".target sm_80"));
  tcContractionDestroy(contraction);
  tcOptionsDestroy(options);
}

/* Machine code, where there is a ptxas. */
static void testCubin(void) {
  TcOptions *options = makeOptions();
  TcContraction *contraction = NULL;
  SUCCEED(tcOptionsSet(options, "target", "sm_80"));
  SUCCEED(tcContractionCompileText("ij->i\ni = 2, j = 3", "einsum", options,
                                   &contraction));
  const char *cubin = NULL;
  size_t size = 0;
  setenv("TC_PTXAS", "/nonexistent/ptxas", 1);
  FAIL(tcContractionGet(contraction, TC_ARTIFACT_CUBIN, &cubin, &size),
       NOT_AVAILABLE,
       "TC_PTXAS is '/nonexistent/ptxas', which is not a program");
  const char *ptxas = getenv("TEST_PTXAS");
  if (ptxas) {
    setenv("TC_PTXAS", ptxas, 1);
    SUCCEED(tcContractionGet(contraction, TC_ARTIFACT_CUBIN, &cubin, &size));
    EXPECT(size > 4 && memcmp(cubin, "\177ELF", 4) == 0);
  } else {
    printf("no machine code: there is no ptxas\n");
  }
  tcContractionDestroy(contraction);
  tcOptionsDestroy(options);
}

static void testErrors(void) {
  TcContraction *contraction = NULL;
#define FAIL_ON(text, notation, message)                                       \
  FAIL(tcContractionCompileText(text, notation, NULL, &contraction),           \
       INVALID_ARGUMENT, message)
  FAIL_ON(NULL, "einsum", "tcContractionCompileText: an argument is NULL");
  FAIL_ON("ij->i", "latex",
          "notation 'latex' is none of einsum, tccg and cogent");
  FAIL_ON("ij->i\ni = 2", "einsum",
          "text:1:2: error: index 'j' has no extent: give it as 'j=...'");
  FAIL_ON("c [i,2] += sum(k,3) * a [i,k] * b [k];"
          "c [i,2] += sum(k,3) * a [i,k] * b [k];",
          "cogent", "the text has 2 contractions: compile them one by one");
  FAIL_ON(
      "ij,jk,kl->il\ni = 2, j = 3, k = 4, l = 5", "einsum",
      "the text has 3 operands, and a contraction has two: tcOrderFind says "
      "in which order to compile contractions of two");
  EXPECT(contraction == NULL);
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  cache = argv[1];
  testNotations();
  testOptions();
  testCubin();
  testErrors();
  printf(failures == 0 ? "passed\n" : "%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
