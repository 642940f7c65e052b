//===- Handle.cpp - TAPP's handles and their attributes -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handle.h"

#include "TensorInfo.h"

#include "tc-c/Contraction.h"
#include "tc-c/TappAttributes.h"

#include <memory>

using namespace tc::tapp;

/// The option that an attribute stands for; null if there is no such key.
static const char *optionOf(TAPP_key key) {
  switch (key) {
  case TC_TAPP_THREADS:
    return "threads";
  case TC_TAPP_STRATEGY:
    return "strategy";
  case TC_TAPP_WORKSPACE_LIMIT:
    return "workspace-limit";
  case TC_TAPP_SCHEDULE:
    return "schedule";
  case TC_TAPP_PRECISION:
    return "precision";
  case TC_TAPP_ALLOW_THREE_PRODUCTS:
    return "allow-three-products";
  case TC_TAPP_CACHE:
    return "cache";
  case TC_TAPP_CACHE_SIZE:
    return "cache-size";
  default:
    return nullptr;
  }
}

TcError *tc::tapp::applyAttributes(const Handle &handle, TcOptions *options) {
  for (const auto &[key, value] : handle.attributes)
    if (TcError *error = tcOptionsSet(options, optionOf(key), value.c_str()))
      return error;
  return nullptr;
}

TAPP_error TAPP_create_handle(uint64_t, TAPP_handle *handle) {
  return guard([&] {
    if (!handle)
      return invalid;
    *handle = toHandle(new Handle());
    return success;
  });
}

TAPP_error TAPP_destroy_handle(TAPP_handle handle) {
  delete fromHandle<Handle>(handle);
  return success;
}

/// Whether an attribute may have a value.
static TAPP_error checkValue(TAPP_key key, const char *value) {
  TcOptions *made = nullptr;
  if (TcError *error = tcOptionsCreate(&made))
    return takeOver(error);
  std::unique_ptr<TcOptions, void (*)(TcOptions *)> options(made,
                                                            tcOptionsDestroy);
  return takeOver(tcOptionsSet(made, optionOf(key), value));
}

TAPP_error TAPP_attr_set(TAPP_attr attr, TAPP_key key, void *value) {
  if (!value)
    return TAPP_attr_clear(attr, key);
  return guard([&] {
    if (!optionOf(key))
      return failWith(TAPP_ERR_INVALID_KEY);
    if (!attr)
      return invalid;
    const char *text = static_cast<const char *>(value);
    TAPP_error error = checkValue(key, text);
    if (TAPP_check_success(error))
      fromHandle<Handle>(attr)->attributes[key] = text;
    return error;
  });
}

TAPP_error TAPP_attr_get(TAPP_attr attr, TAPP_key key, void **value) {
  if (!value)
    return invalid;
  *value = nullptr;
  if (!optionOf(key))
    return failWith(TAPP_ERR_INVALID_KEY);
  if (!attr)
    return success;
  auto &attributes = fromHandle<Handle>(attr)->attributes;
  if (auto found = attributes.find(key); found != attributes.end())
    *value = found->second.data();
  return success;
}

TAPP_error TAPP_attr_clear(TAPP_attr attr, TAPP_key key) {
  if (!optionOf(key))
    return failWith(TAPP_ERR_INVALID_KEY);
  if (attr)
    fromHandle<Handle>(attr)->attributes.erase(key);
  return success;
}
