//===- KernelText.h - Kernels in words --------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled kernels as lines of reports and as JSON.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PACKAGE_KERNELTEXT_H
#define TC_PACKAGE_KERNELTEXT_H

#include "tc/Package/Package.h"

#include <nlohmann/json.hpp>

#include <string>

namespace tc::runtime {

using Json = nlohmann::ordered_json;

/// A contraction of the kernel in one line, as in
/// "C[i,j] = 2 * A[i,k] * B[k,j] + beta * C[i,j]".
std::string formulaOf(const Kernel &kernel, unsigned node = 0);
/// A line for each contraction of the kernel's group but its own, with their
/// fused code; nothing if there are none.
std::string otherContractionsText(const Kernel &kernel);
/// The extents in one line, as in "i=24 k=16 j=24".
std::string extentsOf(const KernelContraction &contraction);
/// The element types in one line, with the type of the sums and the precision
/// where they don't go without saying: "A f16, B f16, C f16, sums f32".
std::string typesOf(const Kernel &kernel);
/// The prologues and the epilogue, a line each of those that there are.
std::string fusedCodeText(const KernelContraction &contraction);
/// Grid, block and shared memory in one line.
std::string launchText(const Dim3 &grid, const Dim3 &block, int64_t staticBytes,
                       int64_t dynamicBytes);
/// The same of a kernel, with its workspace.
std::string launchOf(const Kernel &kernel);

/// Work of a contraction, whatever the kernel: floating-point operations, two
/// for each multiply-add, and compulsory bytes: each of A, B and C once, and C
/// once more if it is read.
struct Work {
  double flops = 0, bytes = 0;
};
Work workOf(const Kernel &kernel);

/// Entry, contraction, extents, types, launch data and schedule.
Json kernelToJson(const Kernel &kernel);

/// One line of a report: a title, padded, and what it says.
std::string reportLine(const std::string &title, const std::string &text);

/// The text of a report: indented by two spaces, numbers that JSON cannot hold
/// as null.
std::string dump(const Json &json);

} // namespace tc::runtime

#endif // TC_PACKAGE_KERNELTEXT_H
