/*===- tc-c/CpuRuntime.h - Contractions of any shape on CPUs ------*- C -*-===*\
|*                                                                            *|
|* Part of the tc project, under the Apache License v2.0 with LLVM            *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* The functions of libtc_cpu_runtime, which needs neither LLVM nor MLIR: it  *|
|* contracts, adds and permutes tensors of any extents and strides by kernels *|
|* that were compiled with the library (docs/cpu-runtime.md). Compiled code   *|
|* calls it where it does not know the shape of a contraction or where        *|
|* elements are read once, and programs may. Of                               *|
|* tc-c/Base.h the library has the constants, not the functions; libtc has    *|
|* all of both.                                                               *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef TC_C_CPU_RUNTIME_H
#define TC_C_CPU_RUNTIME_H

#include "tc-c/Base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One index of a contraction: how many values it has, which may be zero, and
 *  the distance in elements between neighbours along it in A, B and C. The
 *  distance is zero where a tensor does not have the index, or repeats its
 *  elements along it. An index that C has not is summed over. A tensor's index
 *  list that has an index twice, as that of a diagonal, has the sum of the two
 *  distances. Since interface 16. */
typedef struct TcCpuIndex {
  int64_t extent;
  int64_t strides[3];
} TcCpuIndex;

/** Flags by which the conjugates of A's or B's elements are multiplied. Since
 * interface 16. Those of C are of tcCpuCombine only; since 19. */
enum { TC_CPU_CONJUGATE_A = 1, TC_CPU_CONJUGATE_B = 2, TC_CPU_CONJUGATE_C = 4 };

/** Flag that may be added to these: numbers beyond the range of an 8-bit float
 * become infinite or, of TC_ELEMENT_F8E4M3FN, NaN, and not the largest number.
 * Since interface 23. */
enum { TC_CPU_NONSATURATING = 8 };

/** Computes C = alpha * sum of A * B + beta * C. Elements of A and B are
 *  multiplied in tcElementTypeGetCommon of their types, and their products
 *  summed in tcElementTypeGetSum of that, as which alpha and beta are given. C
 *  has any type with the same type of sums, and is rounded once. Since
 * interface 16.
 *
 *  @param indices    all indices; NULL if there are none
 *  @param rank       how many there are
 *  @param typeA     the type of A's elements; likewise those of B and C
 *  @param conjugates TC_CPU_CONJUGATE_... added up, and TC_CPU_NONSATURATING
 *  @param a          the element of A whose indices are all zero, aligned to a
 *                    real number of its type; likewise B and C. A and B may be
 *                    NULL where an extent is zero, C where one of its own is.
 *                    Different elements of C lie at different addresses, which
 *                    are none of A's or B's
 *  @param alpha      one number; NULL stands for one
 *  @param beta       one number; NULL stands for zero. Where it is zero, C is
 *                    not read
 *  @param threads    the most threads to use; 0 for those of tcCpuThreadsGet.
 *                    No bit of C depends on it
 *
 *  @return 0, or else C is as it was, and the number is
 *          TC_ERROR_INVALID_ARGUMENT (a negative rank, extent or number of
 *          threads, an unknown type or flag, types that do not go together, a
 *          pointer that is NULL and may not be), TC_ERROR_OUT_OF_MEMORY, or
 *          TC_ERROR_INTERNAL */
TC_EXPORT TcErrorCode tcCpuContract(const TcCpuIndex *indices, int32_t rank,
                                    TcElementType typeA, TcElementType typeB,
                                    TcElementType typeC, int32_t conjugates,
                                    const void *a, const void *b, void *c,
                                    const void *alpha, const void *beta,
                                    int32_t threads);

/** The same of four tensors: distances in A, B, C and D. An index that D has
 *  not is summed over, and C has not either. Since interface 19. */
typedef struct TcCpuCombinedIndex {
  int64_t extent;
  int64_t strides[4];
} TcCpuCombinedIndex;

/** Computes D = alpha * sum of op(A) * op(B) + beta * op(C), where each op is
 *  the conjugate or nothing, of tensors of one type. Without B, this permutes,
 *  adds and reduces tensors; where nothing is summed, it takes about as long as
 *  a copy. Since interface 19.
 *
 *  @param indices    all indices; NULL if there are none
 *  @param rank       how many there are
 *  @param type       of the elements; alpha and beta have tcElementTypeGetSum
 *                    of it, in which all is computed
 *  @param conjugates TC_CPU_CONJUGATE_... added up, and TC_CPU_NONSATURATING
 *  @param a          the element whose indices are all zero, aligned to a real
 *                    number of its type; likewise the others
 *  @param b          NULL stands for the number one
 *  @param c          may be NULL where beta is zero, as it is not read then. It
 *                    is D, with the same strides, or does not overlap it
 *  @param d          overlaps neither A nor B, but for an A or a B that is read
 *                    where D is written, if nothing is summed
 *  @param alpha      one number; NULL stands for one
 *  @param beta       one number; NULL stands for zero
 *  @param threads    the most threads to use; 0 for those of tcCpuThreadsGet.
 *                    No bit of D depends on it
 *
 *  @return 0, or else TC_ERROR_INVALID_ARGUMENT, with D as it was (a negative
 *          rank, extent or number of threads, an unknown type or flag, a
 *          pointer that is NULL and may not be or is misaligned, an index that
 *          C has and D has not), or TC_ERROR_OUT_OF_MEMORY or
 *          TC_ERROR_INTERNAL, after which D may hold op(C) */
TC_EXPORT TcErrorCode tcCpuCombine(const TcCpuCombinedIndex *indices,
                                   int32_t rank, TcElementType type,
                                   int32_t conjugates, const void *a,
                                   const void *b, const void *c, void *d,
                                   const void *alpha, const void *beta,
                                   int32_t threads);

/** More threads than any machine has. Since interface 27. */
#define TC_MOST_THREADS 65536

/** The threads of a run that is told 0, as tcCpuContract, tcCpuCombine, and
 *  libtc's with option "threads" at "0", in the calling thread: what
 *  tcCpuThreadsSetHere or else tcCpuThreadsSet has set, or else the variable
 *  TC_NUM_THREADS, the first number of OMP_NUM_THREADS, or one for each core
 *  that the process may use; at most OMP_THREAD_LIMIT. The environment is read
 *  once. A run may get fewer: other runs have theirs, and OpenMP runtimes of
 *  the process may be set to fewer, or be in a parallel region. Since interface
 *  25. */
TC_EXPORT int32_t tcCpuThreadsGet(void);

/** Sets that number for all threads of the process.
 *
 *  @param threads 1 to TC_MOST_THREADS, or 0 for what the environment says
 *  @param former  set to what this function had set before; may be NULL
 *
 *  @return 0, or TC_ERROR_INVALID_ARGUMENT. Since interface 27. */
TC_EXPORT TcErrorCode tcCpuThreadsSet(int32_t threads, int32_t *former);

/** Sets it for the calling thread alone, where 0 is what holds for the process.
 *  Since interface 27. */
TC_EXPORT TcErrorCode tcCpuThreadsSetHere(int32_t threads, int32_t *former);

#ifdef __cplusplus
}
#endif

#endif /* TC_C_CPU_RUNTIME_H */
