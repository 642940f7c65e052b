/*===- tc-c/Order.h - The order of contractions of many tensors ---*- C -*-===*\
|*                                                                            *|
|* Part of the tc project, under the Apache License v2.0 with LLVM            *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef TC_C_ORDER_H
#define TC_C_ORDER_H

#include "tc-c/Contraction.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Slices of a product at most. A "memory-limit" that asks for more is an
 * error, which says how many these are, and which limit would do. */
#define TC_MOST_SLICES 16777216

/** Bytes that results between steps of products take at most in tc.einsum of
 *  Python if nobody says: half of the memory that this process may use, which
 *  limits of its control groups and addresses may lower. As the value of
 *  "memory-limit", it keeps products from what has no room. Since interface
 *  25. */
TC_EXPORT int64_t tcGetDefaultMemoryLimit(void);

/** Finds the order in which the product of many tensors is computed in the
 * least predicted time, two operands a step. Since interface 11.
 *
 *  Of the options count "target", "threads", "precision" and "semiring", which
 *  may not be of your own, "memory-limit", "slices" and "search-milliseconds".
 * For a CPU, times are those of one thread unless "threads" asks for more, so
 * that the order, as that of programs, does not depend on the machine's. Up to
 * 14 operands, no order is predicted to be faster of those within the limit,
 * unless "is_exact" says that the search was cut short; beyond, a good one is
 * found. Where the temporaries of no order fit the limit, the error is
 * TC_ERROR_UNSUPPORTED; beyond 14 operands, also where none that fits was
 * found.
 *
 *  With the option "slices", a product may be cut into slices that fit: blocks
 *  of some indices, one after the other. Each slice is computed in the order
 *  that was found, of those parts of the operands. It makes a part of the
 *  result, if the index is one of the result's; with "all", where other indices
 *  may be cut, too, it is added to what earlier ones have made. The error then
 *  names the least limit that is possible.
 *
 *  @param spec     an einsum specification, as tcSubscriptsExpand takes it
 *  @param tensors  the operands, all of one type, which temporaries have, too.
 *                  An operand with an extent of one along an index that others
 *                  have more of is taken to be as long as they are. Strides do
 *                  not count
 *  @param options  NULL for the defaults
 *  @param buffer   becomes a JSON object and a zero byte; cut off at `size`
 *                  bytes. NULL if `size` is zero. Its "path" has the positions
 *                  of operands that each step takes out of the list of what
 *                  there is, to whose end it appends its result, as in
 *                  numpy.einsum_path and opt_einsum; "indices" the names of
 * that result's indices, in the order in which it is best stored; "seconds" and
 * "step_seconds" are predicted, and "peak_bytes" are those that temporaries
 * take at the same time. "slices" has an object for each index that is cut: its
 * name, "index"; how many "parts" it has; and their "length", which the last
 * part may fall short of. "step_seconds" and "peak_bytes" are those of the
 * first slice then, "seconds" those of all; "products_ratio" and
 * "seconds_ratio" say how many times the multiplications and the time of the
 * order without a limit these are. "text" is all of this for people
 *  @param length   how many bytes that takes without the zero byte */
TC_EXPORT TcError *tcOrderFind(const char *spec, const TcTensor *tensors,
                               int32_t operands, const TcOptions *options,
                               char *buffer, size_t size, size_t *length);

#ifdef __cplusplus
}
#endif

#endif /* TC_C_ORDER_H */
