//===- PackageFormat.h - Names shared by package reader and writer - C++ -*-==//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_PACKAGE_PACKAGEFORMAT_H
#define TC_PACKAGE_PACKAGEFORMAT_H

#include "tc/Package/Package.h"
#include "tc/Problem/FusedCodeKeys.h"

#include <nlohmann/json_fwd.hpp>

namespace tc::runtime {

inline constexpr const char *packageFormat = "tc-package";
/// The version that is written, and the oldest that is read. Version 1 has no
/// precision, no mapping and no workspace; those before groups have a list for
/// each kind of edge.
inline constexpr int64_t packageVersion = 5, oldestPackageVersion = 1,
                         firstVersionWithPrograms = 4,
                         firstVersionWithGroups = 5;

/// Indices of a tensor, arguments and contractions of a kernel, kernels and
/// programs of a package at most, far above what is ever compiled: what is
/// checked of each pair takes seconds then, and not days.
inline constexpr size_t maxPackageRank = 256, maxArguments = 4096,
                        maxKernels = 16384, maxPrograms = 4096,
                        maxContractions = maxArguments;

/// The keys of a contraction's fused code, which are absent where it has none.
inline constexpr std::pair<const char *, std::string KernelContraction::*>
    fusedCode[] = {{model::prologueAKey, &KernelContraction::prologueA},
                   {model::prologueBKey, &KernelContraction::prologueB},
                   {model::productKey, &KernelContraction::product},
                   {model::combineKey, &KernelContraction::combine},
                   {model::epilogueKey, &KernelContraction::epilogue}};

/// The keys of the tensors that an edge ties, and of their indices.
struct EdgeKeys {
  const char *tensor, *labels;
};
inline constexpr EdgeKeys edgeKeys[] = {{"from", "from_indices"},
                                        {"to", "to_indices"}};

/// The key of the function that elements pass through along an edge.
inline constexpr const char *throughKey = "through";

/// Operation that reduces elements of C, if they are.
inline constexpr const char *additionName = "add";

/// Names of the tensors in arguments of shapes.
inline constexpr std::array<const char *, 3> nameOfTensor = {"A", "B", "C"};

/// True if each tensor has a number of that kind.
inline bool isOfTensor(model::RunTimeQuantity quantity) {
  return quantity == model::RunTimeQuantity::Stride ||
         quantity == model::RunTimeQuantity::Offset;
}

/// Bytes of a tensor at most that a program says to be constant: who runs it
/// makes them.
inline constexpr int64_t maxConstantBytes = int64_t{1} << 26;

/// "read", "write" or "read_write".
std::string_view accessOf(bool isRead, bool isWritten);
inline std::string_view accessOf(const TensorArgument &tensor) {
  return accessOf(tensor.isRead, tensor.isWritten);
}

/// "output", "a" or "b".
std::string_view nameOf(model::Stationary stationary);

/// The programs of a package in JSON.
nlohmann::ordered_json programsToJson(const Package &package);

} // namespace tc::runtime

#endif // TC_PACKAGE_PACKAGEFORMAT_H
