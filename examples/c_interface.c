/* A contraction from C: compiled for this machine's CPU, run, and compiled for
 * a GPU as PTX. After `cmake --install build --component libtc`:
 *
 *   cc -std=c11 c_interface.c -ltc -o c_interface && ./c_interface
 */
#include <tc-c/Contraction.h>

#include <stdio.h>
#include <stdlib.h>

/* Ends the program if a call failed. */
static void check(TcError *error) {
  if (!error)
    return;
  fprintf(stderr, "%s\n", tcErrorGetMessage(error));
  tcErrorDestroy(error);
  exit(1);
}

int main(void) {
  enum { A = 24, B = 16, C = 8, D = 32 };
  static double left[A][B][C], right[C][D], out[A][B][D];
  for (int i = 0; i < A * B * C; ++i)
    (&left[0][0][0])[i] = i % 7;
  for (int i = 0; i < C * D; ++i)
    (&right[0][0])[i] = i % 5;

  const int64_t left_extents[] = {A, B, C}, right_extents[] = {C, D},
                out_extents[] = {A, B, D};
  const TcTensor tensors[3] = {{TC_ELEMENT_F64, 3, left_extents, NULL},
                               {TC_ELEMENT_F64, 2, right_extents, NULL},
                               {TC_ELEMENT_F64, 3, out_extents, NULL}};

  TcContraction *contraction;
  check(tcContractionCompile("abc,cd->abd", tensors, NULL, &contraction));
  check(tcContractionRun(contraction, left, right, out, NULL, NULL));
  printf("out[1][2][3] = %g\n", out[1][2][3]);
  const char *text;
  check(tcContractionGet(contraction, TC_ARTIFACT_SCHEDULE, &text, NULL));
  printf("schedule: %s\n", text);
  tcContractionDestroy(contraction);

  TcOptions *options;
  check(tcOptionsCreate(&options));
  check(tcOptionsSet(options, "target", "sm_90"));
  check(tcContractionCompile("abc,cd->abd", tensors, options, &contraction));
  size_t bytes;
  check(tcContractionGet(contraction, TC_ARTIFACT_PTX, &text, &bytes));
  printf("PTX: %zu bytes\n", bytes);
  tcContractionDestroy(contraction);
  tcOptionsDestroy(options);
  return 0;
}
