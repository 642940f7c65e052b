/*===- tc-c/TappInterface.h - Fit of TAPP's headers to libtc_tapp -*- C -*-===*\
|*                                                                            *|
|* Part of the tc project, under the Apache License v2.0 with LLVM            *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Commits of TAPP's headers have functions of the same names with other      *|
|* arguments, which a linker does not see. A program that includes this after *|
|* TAPP's headers, in C11 or C++11, links only with a libtc_tapp that has     *|
|* their signatures: that shows the function here that is named for them, and *|
|* no other one. Since interface 22.                                          *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef TC_C_TAPPINTERFACE_H
#define TC_C_TAPPINTERFACE_H

#include "tc-c/Base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Each does nothing, and is in a library with that commit's signatures. */
TC_EXPORT void tcTappInterface178d71e(void);
TC_EXPORT void tcTappInterface408bcab(void);
TC_EXPORT void tcTappInterface2f82267(void);

#ifdef __cplusplus
}
#endif

#if defined(__GNUC__)

#ifdef __cplusplus

namespace tc {
namespace tapp {

typedef void (*RequiredInterface)();
typedef TAPP_error (*CreateInfoWithHandle)(TAPP_tensor_info *, TAPP_handle,
                                           TAPP_datatype, int, const int64_t *,
                                           const int64_t *);

template <typename CreateInfo>
inline RequiredInterface interfaceOf(TAPP_error (*)(uint64_t, TAPP_handle *),
                                     CreateInfo) noexcept {
  return tcTappInterface2f82267;
}
inline RequiredInterface interfaceOf(TAPP_error (*)(TAPP_handle *),
                                     CreateInfoWithHandle) noexcept {
  return tcTappInterface178d71e;
}
template <typename CreateInfo>
inline RequiredInterface interfaceOf(TAPP_error (*)(TAPP_handle *),
                                     CreateInfo) noexcept {
  return tcTappInterface408bcab;
}

static const RequiredInterface requiredInterface __attribute__((used)) =
    interfaceOf(&TAPP_create_handle, &TAPP_create_tensor_info);

} // namespace tapp
} // namespace tc

#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L

static void (*const tcTappRequiredInterface)(void)
    __attribute__((used)) = _Generic(&TAPP_create_handle,
    TAPP_error (*)(uint64_t, TAPP_handle *): tcTappInterface2f82267,
    default: _Generic(&TAPP_create_tensor_info,
        TAPP_error (*)(TAPP_tensor_info *, TAPP_handle, TAPP_datatype, int,
                       const int64_t *,
                       const int64_t *): tcTappInterface178d71e,
        default: tcTappInterface408bcab));

#endif

#endif /* defined(__GNUC__) */

#endif /* TC_C_TAPPINTERFACE_H */
