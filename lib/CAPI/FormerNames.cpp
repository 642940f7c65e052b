//===- FormerNames.cpp - Functions of C that are called otherwise now -----===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs that were built with interfaces 4 to 9 find these in the library.
//
//===----------------------------------------------------------------------===//

#include "tc-c/Contraction.h"

TcError *tcOptionsSetSide(TcOptions *options, const char *name,
                          const TcTensor *tensor) {
  return tcOptionsSetAuxiliary(options, name, tensor);
}

int32_t tcContractionGetSideCount(const TcContraction *contraction) {
  return tcContractionGetAuxiliaryCount(contraction);
}

const char *tcContractionGetSideName(const TcContraction *contraction,
                                     int32_t number) {
  return tcContractionGetAuxiliaryName(contraction, number);
}

TcError *tcContractionRunWithSides(const TcContraction *contraction,
                                   const void *a, const void *b, void *c,
                                   const void *alpha, const void *beta,
                                   const TcSide *sides, int32_t count) {
  return tcContractionRunWithAuxiliaries(contraction, a, b, c, alpha, beta,
                                         sides, count);
}
