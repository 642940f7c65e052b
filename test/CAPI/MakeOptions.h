/*===- MakeOptions.h - Options for tests that compile -------------*- C -*-===*\
|*                                                                            *|
|* Part of the tc project, under the Apache License v2.0 with LLVM            *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef TC_TEST_CAPI_MAKEOPTIONS_H
#define TC_TEST_CAPI_MAKEOPTIONS_H

#include "Expect.h"

#include "tc-c/Contraction.h"

/* The folder of the cache. */
static const char *cache;

static TcOptions *makeOptions(void) {
  TcOptions *options;
  SUCCEED(tcOptionsCreate(&options));
  SUCCEED(tcOptionsSet(options, "cache", cache));
  return options;
}

#endif /* TC_TEST_CAPI_MAKEOPTIONS_H */
