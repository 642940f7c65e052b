//===- Options.h - Options of the C interface -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CAPI_OPTIONS_H
#define TC_LIB_CAPI_OPTIONS_H

#include "tc-c/Contraction.h"
#include "tc/OnDemand/Compiler.h"
#include "tc/Program/OrderSearch.h"

#include <map>

namespace tc::capi {

/// alpha or beta: a number that is compiled in, by default the semiring's one
/// or zero, or an argument of each run.
struct Factor {
  std::optional<model::Constant> value;
  bool isArgument = false;
};

/// When a contraction for the CPU is compiled, rather than computed by kernels
/// that were made ahead.
enum class Specialize { Always, Never, Auto };

/// A TcTensor, copied.
struct TensorDescription {
  TcElementType type;
  std::vector<int64_t> extents;
  std::optional<std::vector<int64_t>> strides;
};

/// "auxiliary tensor 'bias'", for messages.
inline std::string nameOfAuxiliary(const std::string &name) {
  return "auxiliary tensor '" + name + "'";
}

/// Copies a description; checks that it has the arrays that it needs.
Result<TensorDescription> copy(const TcTensor &tensor);

} // namespace tc::capi

struct TcOptions {
  /// "cpu", or the name of a GPU.
  std::string target = "cpu";
  std::string schedule;
  /// The best schedules that are compiled to machine code, whose time decides.
  unsigned refine = 1;
  tc::capi::Specialize specialize = tc::capi::Specialize::Always;
  /// Whether nobody waits for the code.
  bool inBackground = false;
  tc::HostOptions host;
  tc::HostCacheOptions cache;
  tc::model::Precision precision = tc::model::Precision::IEEE;
  tc::model::Semiring semiring = tc::model::Semiring::PlusTimes;
  tc::capi::Factor alpha, beta;
  bool conjugatesA = false, conjugatesB = false;
  bool allowsThreeProducts = false;
  /// Whether numbers beyond the range of an 8-bit float become its largest one.
  bool saturates = true;
  /// The most bytes of temporaries of an order.
  std::optional<int64_t> memoryLimit;
  /// Of which indices an order may have slices.
  tc::model::Cutting cutting = tc::model::Cutting::Nothing;
  /// The order of a product of many tensors, if it is given.
  std::optional<tc::model::ContractionPath> path;
  /// Whether kernels take extents and strides as arguments.
  bool dynamicShapes = false;
  /// Elements from an aligned address to each tensor's least one.
  tc::model::PerTensor<int64_t> offsets = {};
  tc::notation::FusedExpressions fused;
  tc::notation::SemiringTexts userSemiring;
  /// What is said of auxiliary tensors of the epilogue, by their names.
  std::map<std::string, tc::capi::TensorDescription> auxiliaries;
  std::string name = "contract";
};

#endif // TC_LIB_CAPI_OPTIONS_H
