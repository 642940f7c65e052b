//===- ExchangeWords.h - Words that lanes of a warp exchange ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_EXCHANGEWORDS_H
#define TC_LIB_CONVERSION_TCTOGPU_EXCHANGEWORDS_H

#include "mlir/IR/Builders.h"

namespace tc {

/// Transposes the words of 32 bits of as many neighbouring lanes, a power of
/// two: of lane number i, the result i has the word number `lane`, which says
/// by which of these lanes the code is run. All lanes of the warp run it.
mlir::SmallVector<mlir::Value>
exchangeWords(mlir::OpBuilder &builder, mlir::Location loc,
              mlir::SmallVector<mlir::Value> words, mlir::Value lane);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_EXCHANGEWORDS_H
