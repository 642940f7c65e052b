//===- TextBuffer.h - Texts in buffers of callers ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CAPI_TEXTBUFFER_H
#define TC_LIB_CAPI_TEXTBUFFER_H

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

namespace tc::capi {

/// Writes as much of a text as fits, and a zero byte, unless there is no
/// buffer; `*length` is what the text takes without that.
inline void writeText(const std::string &text, char *buffer, size_t size,
                      size_t *length) {
  *length = text.size();
  if (size == 0)
    return;
  size_t count = std::min(size - 1, text.size());
  std::memcpy(buffer, text.data(), count);
  buffer[count] = '\0';
}

} // namespace tc::capi

#endif // TC_LIB_CAPI_TEXTBUFFER_H
