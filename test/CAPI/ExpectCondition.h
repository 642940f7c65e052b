/*===- ExpectCondition.h - Common parts of all tests in C ---------*- C -*-===*\
|*                                                                            *|
|* Part of the tc project, under the Apache License v2.0 with LLVM            *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef TC_TEST_CAPI_EXPECTCONDITION_H
#define TC_TEST_CAPI_EXPECTCONDITION_H

#include <stdio.h>

static int failures = 0;

#define EXPECT(condition)                                                      \
  do {                                                                         \
    if (!(condition)) {                                                        \
      printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);           \
      ++failures;                                                              \
    }                                                                          \
  } while (0)

#endif /* TC_TEST_CAPI_EXPECTCONDITION_H */
