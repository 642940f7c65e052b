/*===- TappApi.h - TAPP's functions, as far as they are here ------*- C -*-===*\
|*                                                                            *|
|* Part of the tc project, under the Apache License v2.0 with LLVM            *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Names, numbers and signatures of the tensor-algebra community's interface  *|
|* (github.com/TAPPorg/reference-implementation, api/include/tapp), as they   *|
|* are in the commit that TC_TAPP_INTERFACE names: 178d71e, 408bcab or        *|
|* 2f82267. Programs include TAPP's own headers; this is what the library and *|
|* its tests are compiled with.                                               *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef TC_LIB_TAPP_TAPPAPI_H
#define TC_LIB_TAPP_TAPPAPI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The commit, as a number; CMake's variable of this name chooses it. */
#ifndef TC_TAPP_INTERFACE
#define TC_TAPP_INTERFACE 0x408bcab
#endif
#if TC_TAPP_INTERFACE != 0x178d71e && TC_TAPP_INTERFACE != 0x408bcab &&        \
    TC_TAPP_INTERFACE != 0x2f82267
#error "TC_TAPP_INTERFACE is none of 0x178d71e, 0x408bcab and 0x2f82267"
#endif

/** True if errors are pairs of numbers, and statuses and executors are asked
 *  how far they are. */
#define TC_TAPP_HAS_PAIRS (TC_TAPP_INTERFACE == 0x178d71e)

/** The handle, where all functions take one after their first argument. */
#if TC_TAPP_INTERFACE == 0x2f82267
#define TC_TAPP_HANDLE , TAPP_handle
#else
#define TC_TAPP_HANDLE
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef intptr_t TAPP_handle;
typedef intptr_t TAPP_executor;
typedef intptr_t TAPP_status;
typedef intptr_t TAPP_tensor_info;
typedef intptr_t TAPP_tensor_product;
typedef int TAPP_datatype;
typedef int TAPP_prectype;
typedef int TAPP_element_op;
typedef int TAPP_completion;
typedef intptr_t TAPP_attr;
typedef int TAPP_key;

/** Types of errors; the second is this library's, whose numbers are those of
 *  TcErrorCode. */
enum { TAPP_ERROR_TYPE_TAPP = 0, TAPP_ERROR_TYPE_TC = 0x7463 };

/** The source of an error, and its number there. All zero is success. */
#if TC_TAPP_HAS_PAIRS
typedef struct {
  int type;
  int code;
} TAPP_error;
#else
/** The type times 256, and the code. */
typedef int TAPP_error;
#endif

enum {
  TAPP_ERR_SUCCESS = 0,
  TAPP_ERR_EXTENTS_AB = 1,
  TAPP_ERR_EXTENTS_AD = 2,
  TAPP_ERR_EXTENTS_BD = 3,
  TAPP_ERR_D_UNSHARED_IDX = 4,
  TAPP_ERR_CD_NDIM = 5,
  TAPP_ERR_CD_IDX = 6,
  TAPP_ERR_EXTENTS_CD = 7,
  TAPP_ERR_D_ALIASING = 8,
  TAPP_ERR_A_IDX_EXTENTS = 9,
  TAPP_ERR_B_IDX_EXTENTS = 10,
  TAPP_ERR_D_IDX_EXTENTS = 11,
  TAPP_ERR_C_NULL_BETA = 12,
  TAPP_ERR_NMODE_NEGATIVE = 13,
  TAPP_ERR_EXTENTS_NEGATIVE = 14,
  TAPP_ERR_INVALID_KEY = 15,
  TAPP_ERR_NOT_IMPLEMENTED = 17
};

enum {
  TAPP_F32 = 0,
  TAPP_F64 = 1,
  TAPP_C32 = 2,
  TAPP_C64 = 3,
  TAPP_F16 = 4,
  TAPP_BF16 = 5
};
enum { TAPP_DEFAULT_PREC = -1 };
enum { TAPP_IDENTITY = 0, TAPP_CONJUGATE = 1 };
enum { TAPP_INCOMPLETE = 0, TAPP_COMPLETE = 1, TAPP_FAILED = 2 };

bool TAPP_check_success(TAPP_error error TC_TAPP_HANDLE);
size_t TAPP_explain_error(TAPP_error error TC_TAPP_HANDLE, size_t maxlen,
                          char *message);

#if TC_TAPP_INTERFACE == 0x2f82267
TAPP_error TAPP_create_handle(uint64_t lib_id, TAPP_handle *handle);
#else
TAPP_error TAPP_create_handle(TAPP_handle *handle);
#endif
TAPP_error TAPP_destroy_handle(TAPP_handle handle);

TAPP_error TAPP_attr_set(TAPP_attr attr TC_TAPP_HANDLE, TAPP_key key,
                         void *value);
TAPP_error TAPP_attr_get(TAPP_attr attr TC_TAPP_HANDLE, TAPP_key key,
                         void **value);
TAPP_error TAPP_attr_clear(TAPP_attr attr TC_TAPP_HANDLE, TAPP_key key);

TAPP_error TAPP_create_executor(TAPP_executor *exec TC_TAPP_HANDLE);
TAPP_error TAPP_destroy_executor(TAPP_executor exec TC_TAPP_HANDLE);
TAPP_error TAPP_destroy_status(TAPP_status status TC_TAPP_HANDLE);
#if TC_TAPP_HAS_PAIRS
TAPP_error TAPP_executor_get_status(TAPP_executor exec, TAPP_status *status);
TAPP_error TAPP_executor_wait(TAPP_executor exec);
TAPP_error TAPP_status_check_completion(TAPP_status status,
                                        TAPP_completion *completion,
                                        TAPP_error *error);
TAPP_error TAPP_status_get_error(TAPP_status status);
#endif

TAPP_error TAPP_create_tensor_info(TAPP_tensor_info *info,
#if TC_TAPP_INTERFACE != 0x408bcab
                                   TAPP_handle handle,
#endif
                                   TAPP_datatype type, int nmode,
                                   const int64_t *extents,
                                   const int64_t *strides);
TAPP_error TAPP_destroy_tensor_info(TAPP_tensor_info info TC_TAPP_HANDLE);
int TAPP_get_nmodes(TAPP_tensor_info info TC_TAPP_HANDLE);
TAPP_error TAPP_set_nmodes(TAPP_tensor_info info TC_TAPP_HANDLE, int nmodes);
void TAPP_get_extents(TAPP_tensor_info info TC_TAPP_HANDLE, int64_t *extents);
TAPP_error TAPP_set_extents(TAPP_tensor_info info TC_TAPP_HANDLE,
                            const int64_t *extents);
void TAPP_get_strides(TAPP_tensor_info info TC_TAPP_HANDLE, int64_t *strides);
TAPP_error TAPP_set_strides(TAPP_tensor_info info TC_TAPP_HANDLE,
                            const int64_t *strides);

TAPP_error TAPP_create_tensor_product(
    TAPP_tensor_product *plan, TAPP_handle handle, TAPP_element_op op_A,
    TAPP_tensor_info A, const int64_t *idx_A, TAPP_element_op op_B,
    TAPP_tensor_info B, const int64_t *idx_B, TAPP_element_op op_C,
    TAPP_tensor_info C, const int64_t *idx_C, TAPP_element_op op_D,
    TAPP_tensor_info D, const int64_t *idx_D, TAPP_prectype prec);
TAPP_error TAPP_destroy_tensor_product(TAPP_tensor_product plan TC_TAPP_HANDLE);
TAPP_error TAPP_execute_product(TAPP_tensor_product plan TC_TAPP_HANDLE,
                                TAPP_executor exec, TAPP_status *status,
                                const void *alpha, const void *A, const void *B,
                                const void *beta, const void *C, void *D);
TAPP_error TAPP_execute_batched_product(TAPP_tensor_product plan TC_TAPP_HANDLE,
                                        TAPP_executor exec, TAPP_status *status,
                                        int num_batches, const void *alpha,
                                        const void **A, const void **B,
                                        const void *beta, const void **C,
                                        void **D);

#ifdef __cplusplus
}
#endif

#endif /* TC_LIB_TAPP_TAPPAPI_H */
