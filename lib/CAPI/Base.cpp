//===- Base.cpp - Versions, errors and element types in C -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementTypes.h"
#include "Error.h"

#include "tc/Support/Message.h"

#include <utility>

using namespace tc;
using namespace tc::capi;

/// The text is short enough for a string to hold it without memory of its own.
static TcError makeNoMemory() noexcept {
  return {TC_ERROR_OUT_OF_MEMORY, "out of memory", /*isStatic=*/true};
}

static TcError noMemory = makeNoMemory();

TcError *capi::outOfMemory() { return &noMemory; }

TcError *capi::makeError(TcErrorCode code, std::string message) noexcept {
  auto *error =
      new (std::nothrow) TcError{code, cutMessage(std::move(message))};
  return error ? error : outOfMemory();
}

std::optional<model::ElementType> capi::toModel(TcElementType type) {
  for (model::ElementType known : model::allElementTypes)
    if (fromModel(known) == type)
      return known;
  return std::nullopt;
}

TcElementType capi::fromModel(model::ElementType type) {
  switch (type) {
#define TC_ELEMENT_TYPE(TYPE, ...)                                             \
  case model::ElementType::TYPE:                                               \
    return TC_ELEMENT_##TYPE;
#include "tc/Problem/ElementTypes.def"
  }
  return 0;
}

int32_t tcGetInterfaceVersion(void) { return TC_INTERFACE_VERSION; }

const char *tcGetVersion(void) { return TC_VERSION; }

TcErrorCode tcErrorGetCode(const TcError *error) {
  return error ? error->code : 0;
}

const char *tcErrorGetMessage(const TcError *error) {
  return error ? error->message.c_str() : "";
}

void tcErrorDestroy(TcError *error) {
  if (error && !error->isStatic)
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

TcElementType tcElementTypeGetSum(TcElementType type) {
  std::optional<model::ElementType> known = toModel(type);
  return known ? fromModel(model::accumulatorTypeOf(*known)) : 0;
}

TcElementType tcElementTypeGetCommon(TcElementType a, TcElementType b) {
  auto knownA = toModel(a), knownB = toModel(b);
  if (!knownA || !knownB)
    return 0;
  auto common = model::commonTypeOf(*knownA, *knownB);
  return common ? fromModel(*common) : 0;
}
