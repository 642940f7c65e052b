/*===- Expect.h - Common parts of tests of the C interface --------*- C -*-===*\
|*                                                                            *|
|* Part of the tc project, under the Apache License v2.0 with LLVM            *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef TC_TEST_CAPI_EXPECT_H
#define TC_TEST_CAPI_EXPECT_H

#include "ExpectCondition.h"

#include "tc-c/Base.h"

#include <string.h>

static void expectSuccess(TcError *error, int line) {
  if (!error)
    return;
  printf("%s:%d: %s\n", __FILE__, line, tcErrorGetMessage(error));
  ++failures;
  tcErrorDestroy(error);
}
#define SUCCEED(call) expectSuccess(call, __LINE__)

static void expectFailure(TcError *error, TcErrorCode code, const char *message,
                          int line) {
  if (!error) {
    printf("%s:%d: no error; expected: %s\n", __FILE__, line, message);
    ++failures;
  } else if (tcErrorGetCode(error) != code ||
             strcmp(tcErrorGetMessage(error), message) != 0) {
    printf("%s:%d: error %d: %s\n  expected %d: %s\n", __FILE__, line,
           tcErrorGetCode(error), tcErrorGetMessage(error), code, message);
    ++failures;
  }
  tcErrorDestroy(error);
}
#define FAIL(call, code, message)                                              \
  expectFailure(call, TC_ERROR_##code, message, __LINE__)

#endif /* TC_TEST_CAPI_EXPECT_H */
