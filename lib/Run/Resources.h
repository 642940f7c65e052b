//===- Resources.h - Report of ptxas on a kernel ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUN_RESOURCES_H
#define TC_LIB_RUN_RESOURCES_H

#include "tc/Package/KernelText.h"
#include "tc/Target/PTX/PTXExport.h"

namespace tc::run {

/// Reports registers and what is spilled.
inline void reportResources(const KernelResources &resources, std::string &text,
                            runtime::Json &json) {
  text += runtime::reportLine("registers",
                              std::to_string(resources.registers) + ", " +
                                  std::to_string(resources.spillStoreBytes) +
                                  " B stored and " +
                                  std::to_string(resources.spillLoadBytes) +
                                  " B loaded by spills (ptxas)");
  json["registers"] = resources.registers;
  json["spill_store_bytes"] = resources.spillStoreBytes;
  json["spill_load_bytes"] = resources.spillLoadBytes;
}

} // namespace tc::run

#endif // TC_LIB_RUN_RESOURCES_H
