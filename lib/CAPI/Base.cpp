//===- Base.cpp - Versions, errors and element types in C -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementTypes.h"
#include "Error.h"

using namespace tc;
using namespace tc::capi;

static TcError noMemory{TC_ERROR_OUT_OF_MEMORY, "out of memory"};

TcError *capi::outOfMemory() { return &noMemory; }

TcError *capi::makeError(TcErrorCode code, std::string message) noexcept {
  auto *error = new (std::nothrow) TcError{code, std::move(message)};
  return error ? error : outOfMemory();
}

std::optional<model::ElementType> capi::toModel(TcElementType type) {
  switch (type) {
  case TC_ELEMENT_F64:
    return model::ElementType::F64;
  case TC_ELEMENT_F32:
    return model::ElementType::F32;
  case TC_ELEMENT_F16:
    return model::ElementType::F16;
  case TC_ELEMENT_BF16:
    return model::ElementType::BF16;
  default:
    return std::nullopt;
  }
}

TcElementType capi::fromModel(model::ElementType type) {
  switch (type) {
  case model::ElementType::F64:
    return TC_ELEMENT_F64;
  case model::ElementType::F32:
    return TC_ELEMENT_F32;
  case model::ElementType::F16:
    return TC_ELEMENT_F16;
  case model::ElementType::BF16:
    return TC_ELEMENT_BF16;
  case model::ElementType::I8:
  case model::ElementType::I32:
  case model::ElementType::I64:
    // No contraction of the interface has them.
    break;
  }
  return 0;
}

int32_t tcGetInterfaceVersion(void) { return TC_INTERFACE_VERSION; }

const char *tcGetVersion(void) { return TC_VERSION; }

TcErrorCode tcErrorGetCode(const TcError *error) { return error->code; }

const char *tcErrorGetMessage(const TcError *error) {
  return error->message.c_str();
}

void tcErrorDestroy(TcError *error) {
  if (error != &noMemory)
    delete error;
}

const char *tcElementTypeGetName(TcElementType type) {
  std::optional<model::ElementType> known = toModel(type);
  // The names are literals, which end with a zero.
  return known ? model::stringify(*known).data() : nullptr;
}

int64_t tcElementTypeGetBytes(TcElementType type) {
  std::optional<model::ElementType> known = toModel(type);
  return known ? model::byteWidth(*known) : 0;
}
