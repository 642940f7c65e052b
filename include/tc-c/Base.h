/*===- tc-c/Base.h - Versions, errors and element types -----------*- C -*-===*\
|*                                                                            *|
|* Part of the tc project, under the Apache License v2.0 with LLVM            *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* What all of the C interface shares. docs/c-interface.md has the contracts  *|
|* and what may change from one version to the next.                          *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef TC_C_BASE_H
#define TC_C_BASE_H

#include <stdint.h>

#if defined(__GNUC__)
#define TC_EXPORT __attribute__((visibility("default")))
#else
#define TC_EXPORT
#endif

/** The interface that this header declares. It grows by one with each addition;
 *  what an earlier number had stays as it was for as long as the library's name
 *  has the same major version (libtc.so.0). */
#define TC_INTERFACE_VERSION 28

#ifdef __cplusplus
extern "C" {
#endif

/** The TC_INTERFACE_VERSION that the library was built with. A program that was
 *  compiled against a smaller number can use it. */
TC_EXPORT int32_t tcGetInterfaceVersion(void);

/** The version of the project, as in "0.1.0". Lives as long as the process. */
TC_EXPORT const char *tcGetVersion(void);

/*--- Errors -----------------------------------------------------------------*/

/** Reason for which a call failed. Functions that can fail return NULL for
 * success, else an error, which the caller owns. Nothing is printed, and the
 * process goes on. */
typedef struct TcError TcError;

/** Kind of an error. Later versions may add kinds. */
typedef int32_t TcErrorCode;
enum {
  /** An argument breaks a rule that its function states. */
  TC_ERROR_INVALID_ARGUMENT = 1,
  /** The call is legal, but the target or the compiler cannot do it. */
  TC_ERROR_UNSUPPORTED = 2,
  /** The artifact does not exist, as PTX of code for a CPU. */
  TC_ERROR_NOT_AVAILABLE = 3,
  /** There is not enough memory. */
  TC_ERROR_OUT_OF_MEMORY = 4,
  /** The library failed: a bug. */
  TC_ERROR_INTERNAL = 5,
  /** There is no CUDA driver, or one of its calls failed. Since interface 6. */
  TC_ERROR_DRIVER = 6
};

/** 0 of NULL, which is no error. */
TC_EXPORT TcErrorCode tcErrorGetCode(const TcError *error);

/** One line that names the thing and its place; empty of NULL. Lives as long as
 *  the error. */
TC_EXPORT const char *tcErrorGetMessage(const TcError *error);

/** Ends the life of an error; NULL is allowed. */
TC_EXPORT void tcErrorDestroy(TcError *error);

/*--- Element types ----------------------------------------------------------*/

/** The type of a tensor's elements. Numbers never change their meaning, and
 *  later versions may add some. */
typedef int32_t TcElementType;
enum {
  TC_ELEMENT_F64 = 1,  /**< IEEE 754 binary64, double */
  TC_ELEMENT_F32 = 2,  /**< IEEE 754 binary32, float */
  TC_ELEMENT_F16 = 3,  /**< IEEE 754 binary16 */
  TC_ELEMENT_BF16 = 4, /**< the first 16 bits of a binary32 */
  TC_ELEMENT_I8 = 5,   /**< an integer in two's complement, int8_t */
  TC_ELEMENT_I32 = 6,  /**< int32_t */
  TC_ELEMENT_I64 = 7,  /**< int64_t */
  TC_ELEMENT_C32 = 8,  /**< a real and an imaginary float, float _Complex;
                            since interface 4 */
  TC_ELEMENT_C64 = 9,  /**< the same of double, double _Complex; likewise */
  TC_ELEMENT_F8E4M3FN = 10, /**< OFP8 E4M3: sign, 4 exponent bits, 3 fraction
                                 bits, no infinity; since interface 5 */
  TC_ELEMENT_F8E5M2 = 11 /**< OFP8 E5M2: the first byte of a binary16; likewise
                          */
};

/** The type's name as the compiler writes it, as in "f64"; NULL if the number
 * is none of a type. Lives as long as the process. */
TC_EXPORT const char *tcElementTypeGetName(TcElementType type);

/** Bytes of one element; 0 if the number is none of a type. */
TC_EXPORT int64_t tcElementTypeGetBytes(TcElementType type);

/** The least type that holds the numbers of both, in which elements of two such
 *  tensors are multiplied: f32 of f16 and bf16, f16 of f8e4m3fn and f8e5m2,
 *  else the wider one. 0 if there is none, as of an integer and a float. Since
 *  interface 4. */
TC_EXPORT TcElementType tcElementTypeGetCommon(TcElementType a,
                                               TcElementType b);

/** The type in which products of such elements are summed, which alpha and beta
 *  have: f32 of narrower floats, i32 of i8, else the type itself. 0 if the
 *  number is none of a type. Since interface 8. */
TC_EXPORT TcElementType tcElementTypeGetSum(TcElementType type);

/*--- Shapes -----------------------------------------------------------------*/

/** The shape of a tensor in one call, with one number for each of its
 *  dimensions. Strides are in elements; NULL where that is said to be
 *  allowed. Since interface 7. */
typedef struct TcTensorShape {
  const int64_t *extents;
  const int64_t *strides;
} TcTensorShape;

#ifdef __cplusplus
}
#endif

#endif /* TC_C_BASE_H */
