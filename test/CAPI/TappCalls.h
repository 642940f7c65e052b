/*===- TappCalls.h - Calls of TAPP that fit all its versions ------*- C -*-===*\
|*                                                                            *|
|* Part of the tc project, under the Apache License v2.0 with LLVM            *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Tests call functions as they are in commit 178d71e; for other commits,     *|
|* macros of the same names take out arguments, or add handles of 0.          *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef TC_TEST_CAPI_TAPPCALLS_H
#define TC_TEST_CAPI_TAPPCALLS_H

#include "ExpectCondition.h"
#include "TappApi.h"

#if TC_TAPP_HAS_PAIRS
static inline int typeOf(TAPP_error error) { return error.type; }
static inline int codeOf(TAPP_error error) { return error.code; }
#else
static inline int typeOf(TAPP_error error) { return error >> 8; }
static inline int codeOf(TAPP_error error) { return error & 255; }
#endif

#if TC_TAPP_INTERFACE == 0x408bcab
#define TAPP_create_tensor_info(info, handle, ...)                             \
  ((void)(handle), (TAPP_create_tensor_info)(info, __VA_ARGS__))
#endif

#if TC_TAPP_INTERFACE == 0x2f82267
#define TAPP_check_success(error) (TAPP_check_success)(error, 0)
#define TAPP_explain_error(error, ...)                                         \
  (TAPP_explain_error)(error, 0, __VA_ARGS__)
#define TAPP_create_handle(handle) (TAPP_create_handle)(0, handle)
#define TAPP_attr_set(attr, ...) (TAPP_attr_set)(attr, 0, __VA_ARGS__)
#define TAPP_attr_get(attr, ...) (TAPP_attr_get)(attr, 0, __VA_ARGS__)
#define TAPP_attr_clear(attr, key) (TAPP_attr_clear)(attr, 0, key)
#define TAPP_create_executor(executor) (TAPP_create_executor)(executor, 0)
#define TAPP_destroy_executor(executor) (TAPP_destroy_executor)(executor, 0)
#define TAPP_destroy_status(status) (TAPP_destroy_status)(status, 0)
#define TAPP_destroy_tensor_info(info) (TAPP_destroy_tensor_info)(info, 0)
#define TAPP_get_nmodes(info) (TAPP_get_nmodes)(info, 0)
#define TAPP_set_nmodes(info, count) (TAPP_set_nmodes)(info, 0, count)
#define TAPP_get_extents(info, extents) (TAPP_get_extents)(info, 0, extents)
#define TAPP_set_extents(info, extents) (TAPP_set_extents)(info, 0, extents)
#define TAPP_get_strides(info, strides) (TAPP_get_strides)(info, 0, strides)
#define TAPP_set_strides(info, strides) (TAPP_set_strides)(info, 0, strides)
#define TAPP_destroy_tensor_product(plan) (TAPP_destroy_tensor_product)(plan, 0)
#define TAPP_execute_product(plan, ...)                                        \
  (TAPP_execute_product)(plan, 0, __VA_ARGS__)
#define TAPP_execute_batched_product(plan, ...)                                \
  (TAPP_execute_batched_product)(plan, 0, __VA_ARGS__)
#endif

#define SUCCEED(call) EXPECT(TAPP_check_success(call))

#endif /* TC_TEST_CAPI_TAPPCALLS_H */
