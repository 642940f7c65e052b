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

static TcError noMemory{TC_ERROR_OUT_OF_MEMORY, "out of memory",
                        /*isStatic=*/true};

TcError *capi::outOfMemory() { return &noMemory; }

TcError *capi::makeError(TcErrorCode code, std::string message) noexcept {
  auto *error =
      new (std::nothrow) TcError{code, cutMessage(std::move(message))};
  return error ? error : outOfMemory();
}

/// The names of the interface's element types in the compiler, of which some
/// may be for later.
static constexpr std::pair<TcElementType, const char *> elementTypes[] = {
    {TC_ELEMENT_F64, "f64"},      {TC_ELEMENT_F32, "f32"},
    {TC_ELEMENT_F16, "f16"},      {TC_ELEMENT_BF16, "bf16"},
    {TC_ELEMENT_I8, "i8"},        {TC_ELEMENT_I32, "i32"},
    {TC_ELEMENT_I64, "i64"},      {TC_ELEMENT_C32, "c32"},
    {TC_ELEMENT_C64, "c64"},      {TC_ELEMENT_F8E4M3FN, "f8e4m3fn"},
    {TC_ELEMENT_F8E5M2, "f8e5m2"}};

std::optional<model::ElementType> capi::toModel(TcElementType type) {
  for (auto [number, name] : elementTypes)
    if (number == type)
      return model::symbolizeElementType(name);
  return std::nullopt;
}

TcElementType capi::fromModel(model::ElementType type) {
  for (auto [number, name] : elementTypes)
    if (model::stringify(type) == name)
      return number;
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
