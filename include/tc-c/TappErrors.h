/*===- tc-c/TappErrors.h - Errors that libtc_tapp finds -----------*- C -*-===*\
|*                                                                            *|
|* Part of the tc project, under the Apache License v2.0 with LLVM            *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Codes of errors for which TAPP has no number. Their type is 0x7463, as     *|
|* that of the codes TC_ERROR_... of tc-c/Base.h; where an error is one       *|
|* number, it is 0x7463 times 256, and the code. TAPP_explain_error has a     *|
|* text for each. Since interface 22.                                         *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef TC_C_TAPPERRORS_H
#define TC_C_TAPPERRORS_H

/** Subjects of errors. */
enum {
  TC_TAPP_A = 0,
  TC_TAPP_B = 1,
  TC_TAPP_C = 2,
  TC_TAPP_D = 3,
  TC_TAPP_ALPHA = 4,
  TC_TAPP_BETA = 5
};

/** Codes to which the number of what they are about is added, so that
 *  TC_TAPP_ERROR_NULL + TC_TAPP_B says that B is NULL. Numbers never change
 *  their meaning, and later versions may add some. */
enum {
  /** Elements, or a factor, or the array of them in a batch, is NULL. */
  TC_TAPP_ERROR_NULL = 32,
  /** The address of elements is no multiple of the bytes of a real number. */
  TC_TAPP_ERROR_MISALIGNED = 40,
  /** A, B, or a C that is read, has bytes of D; C may be D, with its strides.
   */
  TC_TAPP_ERROR_OVERLAPS_D = 48,
  /** An operation is neither TAPP_IDENTITY nor TAPP_CONJUGATE. */
  TC_TAPP_ERROR_OPERATION = 56,
  /** A product is created with a tensor info of 0. */
  TC_TAPP_ERROR_NO_INFO = 64,
  /** A product is created with indices that are NULL. */
  TC_TAPP_ERROR_NO_INDICES = 72
};

/** Codes by themselves. */
enum {
  /** A plan is 0, and nothing kept the thread from creating it. */
  TC_TAPP_ERROR_NO_PLAN = 80,
  /** A tensor info is 0. */
  TC_TAPP_ERROR_NO_TENSOR_INFO = 81,
  /** A handle is 0, or none that lives. */
  TC_TAPP_ERROR_NO_HANDLE = 82,
  /** The address of what is asked for is NULL. */
  TC_TAPP_ERROR_NO_RESULT = 83,
  TC_TAPP_ERROR_NO_EXTENTS = 84,
  TC_TAPP_ERROR_NO_STRIDES = 85,
  /** A tensor has more than 64 indices. */
  TC_TAPP_ERROR_TOO_MANY_INDICES = 86,
  /** TAPP has no type of elements of that number. */
  TC_TAPP_ERROR_DATATYPE = 87,
  /** A batch has fewer than no products. */
  TC_TAPP_ERROR_BATCH = 88,
  /** An attribute has no such value. */
  TC_TAPP_ERROR_VALUE = 89,
  /** Arguments can be none of the function's: the program was compiled with
   *  TAPP's headers of another commit (tc-c/TappInterface.h). */
  TC_TAPP_ERROR_HEADERS = 90
};

#endif /* TC_C_TAPPERRORS_H */
