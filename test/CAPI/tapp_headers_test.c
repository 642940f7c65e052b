/*===- tapp_headers_test.c - A program with another commit's headers ------===*\
|*                                                                            *|
|* Part of the tc project, under the Apache License v2.0 with LLVM            *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Is compiled for one commit of TAPP and linked with the library of another  *|
|* one: where that links, no tensor is described, and the error says why. As  *|
|* C or as C++.                                                               *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "TappCalls.h"

#ifdef REQUIRE_FITTING_LIBRARY
#include "tc-c/TappInterface.h"
#endif

#include <string.h>

int main(void) {
  /* Addresses whose lower halves are a positive and a negative number. Nothing
   * is read there, as a library that takes them for numbers refuses them. */
  const uintptr_t addresses[] = {0x7f0070000000, 0x7f00f0000000};
  for (TAPP_datatype type = TAPP_F32; type <= TAPP_BF16; ++type)
    for (int i = 0; i < 4; ++i) {
      const int64_t *extents = (const int64_t *)addresses[i % 2];
      TAPP_tensor_info info = 0;
      TAPP_error error =
          TAPP_create_tensor_info(&info, 0, type, 1 + i / 2, extents, extents);
      char text[200] = "";
      TAPP_explain_error(error, sizeof text, text);
      EXPECT(!TAPP_check_success(error));
      EXPECT(info == 0);
      EXPECT(strstr(text, "TAPP's headers of another commit") != NULL);
    }
  printf(failures == 0 ? "passed\n" : "%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
