//===- ElementTypes.h - Element types of the C interface --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CAPI_ELEMENTTYPES_H
#define TC_LIB_CAPI_ELEMENTTYPES_H

#include "tc-c/Base.h"
#include "tc/Problem/Contraction.h"

#include <optional>

namespace tc::capi {

/// The type of that number, if there is one.
std::optional<model::ElementType> toModel(TcElementType type);
TcElementType fromModel(model::ElementType type);

} // namespace tc::capi

#endif // TC_LIB_CAPI_ELEMENTTYPES_H
