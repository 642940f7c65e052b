//===- Errors.cpp - Errors of TAPP and their texts ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorInfo.h"

#include "tc-c/TappErrors.h"
#include "tc-c/TappInterface.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

using namespace tc::tapp;

TAPP_error tc::tapp::outOfMemory() {
  return makeError(TAPP_ERROR_TYPE_TC, TC_ERROR_OUT_OF_MEMORY);
}

TAPP_error tc::tapp::takeOver(TcError *error) {
  if (!error)
    return success;
  TAPP_error code = makeError(TAPP_ERROR_TYPE_TC, tcErrorGetCode(error));
  tcErrorDestroy(error);
  return code;
}

#if TC_TAPP_INTERFACE == 0x178d71e
void tcTappInterface178d71e() {}
#elif TC_TAPP_INTERFACE == 0x408bcab
void tcTappInterface408bcab() {}
#else
void tcTappInterface2f82267() {}
#endif

/// The message of an error in one argument; empty if the code is none of those.
static std::string describeArgument(int code) {
  static constexpr std::string_view tensors[] = {"A", "B", "C", "D"};
  static constexpr std::string_view factors[] = {"alpha", "beta"};
  unsigned about = static_cast<unsigned>(code) % 8;
  bool isTensor = about < std::size(tensors);
  if (!isTensor && about >= std::size(tensors) + std::size(factors))
    return {};
  std::string name(isTensor ? tensors[about]
                            : factors[about - std::size(tensors)]);
  switch (code - static_cast<int>(about)) {
  case TC_TAPP_ERROR_NULL:
    return name + " is NULL";
  case TC_TAPP_ERROR_MISALIGNED:
    return "the address of " + name +
           " is no multiple of the bytes of a number";
  case TC_TAPP_ERROR_OVERLAPS_D:
    return name + " and D overlap" +
           (about == TC_TAPP_C ? ", and are not one tensor" : "");
  case TC_TAPP_ERROR_OPERATION:
    return "op_" + name + " is neither TAPP_IDENTITY nor TAPP_CONJUGATE";
  case TC_TAPP_ERROR_NO_INFO:
    return "the tensor info of " + name + " is 0";
  case TC_TAPP_ERROR_NO_INDICES:
    return "the indices of " + name + " are NULL";
  default:
    return {};
  }
}

/// The message of another error; empty if the code is none of this library's.
static std::string_view describeOwn(int code) {
  switch (code) {
  case TC_ERROR_INVALID_ARGUMENT:
    return "the compiler refuses the tensors or the handle's attributes";
  case TC_ERROR_UNSUPPORTED:
    return "the compiler does not support this product";
  case TC_ERROR_OUT_OF_MEMORY:
    return "out of memory";
  case TC_ERROR_NOT_AVAILABLE:
  case TC_ERROR_INTERNAL:
  case TC_ERROR_DRIVER:
    return "internal error of the compiler";
  case TC_TAPP_ERROR_NO_PLAN:
    return "the plan is 0";
  case TC_TAPP_ERROR_NO_TENSOR_INFO:
    return "the tensor info is 0";
  case TC_TAPP_ERROR_NO_HANDLE:
    return "the handle is 0, or none that lives";
  case TC_TAPP_ERROR_NO_RESULT:
    return "the address of what is asked for is NULL";
  case TC_TAPP_ERROR_NO_EXTENTS:
    return "the extents are NULL";
  case TC_TAPP_ERROR_NO_STRIDES:
    return "the strides are NULL";
  case TC_TAPP_ERROR_TOO_MANY_INDICES:
    return "a tensor has more than 64 indices";
  case TC_TAPP_ERROR_DATATYPE:
    return "TAPP has no such type of elements";
  case TC_TAPP_ERROR_BATCH:
    return "the number of products in the batch is negative";
  case TC_TAPP_ERROR_VALUE:
    return "the attribute has no such value";
  default:
    return {};
  }
}

#define TC_TAPP_TEXT_OF(number) #number
#define TC_TAPP_TEXT(number) TC_TAPP_TEXT_OF(number)

/// Also what a program sees that takes an error of one kind for the other.
static constexpr std::string_view otherHeaders =
    "the program was compiled with TAPP's headers of another commit than this "
    "library, whose signatures are those of " TC_TAPP_TEXT(TC_TAPP_INTERFACE);

static std::string describe(TAPP_error error) {
  if (typeOf(error) == TAPP_ERROR_TYPE_TC) {
    std::string text = describeArgument(codeOf(error));
    if (text.empty())
      text = describeOwn(codeOf(error));
    return text.empty() ? std::string(otherHeaders) : text;
  }
  if (typeOf(error) != TAPP_ERROR_TYPE_TAPP)
    return "an error of another library";
  switch (codeOf(error)) {
  case TAPP_ERR_SUCCESS:
    return "success";
  case TAPP_ERR_EXTENTS_AB:
    return "an index has different extents in A and B";
  case TAPP_ERR_EXTENTS_AD:
    return "an index has different extents in A and D";
  case TAPP_ERR_EXTENTS_BD:
    return "an index has different extents in B and D";
  case TAPP_ERR_D_UNSHARED_IDX:
    return "an index of D is in neither A nor B";
  case TAPP_ERR_CD_NDIM:
    return "C and D have different numbers of indices";
  case TAPP_ERR_CD_IDX:
    return "C and D have different indices";
  case TAPP_ERR_EXTENTS_CD:
    return "an index has different extents in C and D";
  case TAPP_ERR_D_ALIASING:
    return "strides of D let its elements overlap";
  case TAPP_ERR_A_IDX_EXTENTS:
    return "an index has different extents in A";
  case TAPP_ERR_B_IDX_EXTENTS:
    return "an index has different extents in B";
  case TAPP_ERR_D_IDX_EXTENTS:
    return "an index has different extents in D";
  case TAPP_ERR_C_NULL_BETA:
    return "C is NULL, but beta is not zero";
  case TAPP_ERR_NMODE_NEGATIVE:
    return "the number of indices is negative";
  case TAPP_ERR_EXTENTS_NEGATIVE:
    return "an extent is negative";
  case TAPP_ERR_INVALID_KEY:
    return "no attribute has that key";
  case TAPP_ERR_NOT_IMPLEMENTED:
    return "unsupported: a CPU takes tensors of one type, f16, bf16, f32, "
           "f64, c32 or c64, in the precision of that type";
  default:
    return "unknown error";
  }
}

bool TAPP_check_success(TAPP_error error TC_TAPP_HANDLE) {
  return isSuccess(error);
}

size_t TAPP_explain_error(TAPP_error error TC_TAPP_HANDLE, size_t maxlen,
                          char *message) {
  std::string text = describe(error);
  if (maxlen == 0 || !message)
    return text.size();
  size_t length = std::min(text.size(), maxlen - 1);
  std::memcpy(message, text.data(), length);
  message[length] = '\0';
  return length;
}
