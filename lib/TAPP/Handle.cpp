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
#include "tc-c/TappErrors.h"

#include <cstdlib>
#include <memory>
#include <mutex>
#include <unordered_set>

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
  case TC_TAPP_SPECIALIZE:
    return "specialize";
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

bool tc::tapp::asksForCode(const Handle &handle) {
  auto isNot = [&](TAPP_key key, const char *value) {
    auto found = handle.attributes.find(key);
    return found != handle.attributes.end() && found->second != value;
  };
  return isNot(TC_TAPP_SCHEDULE, "") || isNot(TC_TAPP_STRATEGY, "auto") ||
         isNot(TC_TAPP_WORKSPACE_LIMIT, "-1") ||
         (isNot(TC_TAPP_SPECIALIZE, "auto") &&
          isNot(TC_TAPP_SPECIALIZE, "never"));
}

int32_t tc::tapp::threadsOf(const Handle &handle) {
  auto found = handle.attributes.find(TC_TAPP_THREADS);
  return found == handle.attributes.end()
             ? 0
             : static_cast<int32_t>(
                   std::strtol(found->second.c_str(), nullptr, 10));
}

namespace {
/// The handles that live. Programs may give others.
struct Handles {
  std::mutex mutex;
  std::unordered_set<TAPP_handle> live;
};
} // namespace

/// It outlives what destroys handles when the process ends.
static Handles &allHandles() {
  static auto *handles = new Handles();
  return *handles;
}

/// Calls `body` with a handle, if it lives, or else with null; meanwhile, no
/// other thread changes it.
template <typename Body>
static auto withHandle(TAPP_handle handle, const Body &body) {
  Handles &handles = allHandles();
  std::lock_guard<std::mutex> lock(handles.mutex);
  return body(handles.live.count(handle) == 0 ? nullptr
                                              : fromHandle<Handle>(handle));
}

Handle tc::tapp::attributesOf(TAPP_handle handle) {
  return withHandle(
      handle, [](const Handle *found) { return found ? *found : Handle(); });
}

TAPP_error TAPP_create_handle(
#if TC_TAPP_INTERFACE == 0x2f82267
    uint64_t,
#endif
    TAPP_handle *handle) {
  return guard([&] {
    if (!handle)
      return refuse(TC_TAPP_ERROR_NO_RESULT);
    auto made = std::make_unique<Handle>();
    Handles &handles = allHandles();
    std::lock_guard<std::mutex> lock(handles.mutex);
    handles.live.insert(toHandle(made.get()));
    *handle = toHandle(made.release());
    return success;
  });
}

TAPP_error TAPP_destroy_handle(TAPP_handle handle) {
  withHandle(handle, [&](Handle *found) {
    allHandles().live.erase(handle);
    delete found;
  });
  return success;
}

/// Checks that an attribute may have a value.
static TAPP_error checkValue(TAPP_key key, const char *value) {
  TcOptions *made = nullptr;
  if (TcError *error = tcOptionsCreate(&made))
    return takeOver(error);
  std::unique_ptr<TcOptions, void (*)(TcOptions *)> options(made,
                                                            tcOptionsDestroy);
  TAPP_error error = takeOver(tcOptionsSet(made, optionOf(key), value));
  return codeOf(error) == TC_ERROR_INVALID_ARGUMENT
             ? refuse(TC_TAPP_ERROR_VALUE)
             : error;
}

TAPP_error TAPP_attr_set(TAPP_attr attr TC_TAPP_HANDLE, TAPP_key key,
                         void *value) {
  return guard([&] {
    if (!optionOf(key))
      return failWith(TAPP_ERR_INVALID_KEY);
    const char *text = static_cast<const char *>(value);
    if (TAPP_error error = text ? checkValue(key, text) : success;
        !isSuccess(error))
      return error;
    return withHandle(attr, [&](Handle *handle) {
      if (handle && text)
        handle->attributes[key] = text;
      else if (handle)
        handle->attributes.erase(key);
      return handle || !text ? success : refuse(TC_TAPP_ERROR_NO_HANDLE);
    });
  });
}

TAPP_error TAPP_attr_get(TAPP_attr attr TC_TAPP_HANDLE, TAPP_key key,
                         void **value) {
  if (!value)
    return refuse(TC_TAPP_ERROR_NO_RESULT);
  *value = nullptr;
  if (!optionOf(key))
    return failWith(TAPP_ERR_INVALID_KEY);
  withHandle(attr, [&](Handle *handle) {
    if (!handle)
      return;
    if (auto found = handle->attributes.find(key);
        found != handle->attributes.end())
      *value = found->second.data();
  });
  return success;
}

TAPP_error TAPP_attr_clear(TAPP_attr attr TC_TAPP_HANDLE, TAPP_key key) {
  if (!optionOf(key))
    return failWith(TAPP_ERR_INVALID_KEY);
  withHandle(attr, [&](Handle *handle) {
    if (handle)
      handle->attributes.erase(key);
  });
  return success;
}
