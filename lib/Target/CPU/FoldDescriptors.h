//===- FoldDescriptors.h - Parts of descriptors that are known --*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TARGET_CPU_FOLDDESCRIPTORS_H
#define TC_LIB_TARGET_CPU_FOLDDESCRIPTORS_H

#include <memory>

namespace mlir {
class Pass;
} // namespace mlir

namespace tc {

/// A pass that replaces parts which are taken out of a structure by the values
/// that were put there, and removes structures that nothing needs then:
///
///   %s = llvm.insertvalue %pointer, %undefined[1] : !llvm.struct<(ptr, ptr)>
///   %p = llvm.extractvalue %s[1] : !llvm.struct<(ptr, ptr)>     // %pointer
///
/// LLVM does so within functions, but not across parallel regions, which it
/// makes functions of: these get structures by way of memory.
std::unique_ptr<mlir::Pass> createFoldDescriptorsPass();

} // namespace tc

#endif // TC_LIB_TARGET_CPU_FOLDDESCRIPTORS_H
