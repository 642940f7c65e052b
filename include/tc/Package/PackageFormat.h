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
/// precision, no mapping and no workspace.
inline constexpr int64_t packageVersion = 4, oldestPackageVersion = 1,
                         firstVersionWithPrograms = 4;

/// Indices of a tensor, arguments of a kernel, kernels of a package and
/// programs of one at most, far above what is ever compiled: what is checked of
/// each pair takes seconds then, and not days.
inline constexpr size_t maxPackageRank = 256, maxArguments = 4096,
                        maxKernels = 16384, maxPrograms = 4096;

/// The keys of a kernel's fused code, which are absent where it has none.
inline constexpr std::pair<const char *, std::string Kernel::*> fusedCode[] = {
    {model::prologueAKey, &Kernel::prologueA},
    {model::prologueBKey, &Kernel::prologueB},
    {model::productKey, &Kernel::product},
    {model::combineKey, &Kernel::combine},
    {model::epilogueKey, &Kernel::epilogue}};

/// Those that terms of a sum have of their own.
inline constexpr std::pair<const char *, std::string Kernel::*> prologues[] = {
    {model::prologueAKey, &Kernel::prologueA},
    {model::prologueBKey, &Kernel::prologueB}};

/// Those that links of a chain have.
inline constexpr std::pair<const char *, std::string Kernel::*> linkCode[] = {
    {model::prologueAKey, &Kernel::prologueA},
    {model::prologueBKey, &Kernel::prologueB},
    {model::epilogueKey, &Kernel::epilogue}};

/// Which inputs of a link are conjugated.
inline constexpr std::pair<const char *, bool Kernel::*> conjugations[] = {
    {"conjugate_a", &Kernel::conjugatesA},
    {"conjugate_b", &Kernel::conjugatesB}};

/// What is done to what a link feeds on the way.
inline constexpr const char *softmaxName = "softmax";

/// What links call the input of the next one that they compute.
inline constexpr std::array<const char *, 2> nameOfInput = {"a", "b"};

/// The input (0 or 1) of a link that is an argument and not the first one's A.
inline size_t otherInputOf(const Kernel &link) {
  return link.chainedInput ? 1 - *link.chainedInput : 1;
}

/// How elements of C are reduced, if they are.
inline constexpr const char *additionName = "add";

/// What arguments of shapes call the tensors.
inline constexpr std::array<const char *, 3> nameOfTensor = {"A", "B", "C"};

/// Whether each tensor has a number of that kind.
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
