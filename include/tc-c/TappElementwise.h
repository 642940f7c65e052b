/*===- tc-c/TappElementwise.h - Sums and permutations beside TAPP -*- C -*-===*\
|*                                                                            *|
|* Part of the tc project, under the Apache License v2.0 with LLVM            *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* What libtc_tapp has besides TAPP's own functions: products without B, as   *|
|* plans that TAPP's functions execute and destroy. TAPP's headers come       *|
|* before this one.                                                           *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef TC_C_TAPPELEMENTWISE_H
#define TC_C_TAPPELEMENTWISE_H

#include "tc-c/TappInterface.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Prepares D = op_D(alpha * sum of op_A(A) + beta * op_C(C)): a permutation if
 *  there is no C, the sum of two tensors whose indices may be in any orders,
 *  and a reduction where A has indices that D has not. Where nothing is summed
 *  over, it takes about as long as a copy. Rules and errors are those of
 *  TAPP_create_tensor_product, as if B were the number one.
 *  TAPP_execute_product and TAPP_execute_batched_product execute the plan, and
 *  take no notice of B, which may be NULL, as may all of B in a batch. Since
 *  interface 19.
 *
 *  @param c  0 if there is none; then indicesC is not read, and beta has to be
 *            zero in each execution */
TC_EXPORT TAPP_error tcTappCreateElementwise(
    TAPP_tensor_product *plan, TAPP_handle handle, TAPP_element_op opA,
    TAPP_tensor_info a, const int64_t *indicesA, TAPP_element_op opC,
    TAPP_tensor_info c, const int64_t *indicesC, TAPP_element_op opD,
    TAPP_tensor_info d, const int64_t *indicesD, TAPP_prectype prec);

#ifdef __cplusplus
}
#endif

#endif /* TC_C_TAPPELEMENTWISE_H */
