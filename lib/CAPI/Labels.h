//===- Labels.h - Labels of indices in texts --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CAPI_LABELS_H
#define TC_LIB_CAPI_LABELS_H

#include <string>
#include <vector>

namespace tc::capi {

/// "[a,b]", as specifications and notations have the indices of a tensor.
inline std::string writeLabels(const std::vector<std::string> &labels) {
  std::string text = "[";
  for (size_t i = 0; i < labels.size(); ++i)
    text += (i > 0 ? "," : "") + labels[i];
  return text + "]";
}

} // namespace tc::capi

#endif // TC_LIB_CAPI_LABELS_H
