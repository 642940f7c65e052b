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
#include "tc/OnDemand/OptionTable.h"
#include "tc/Program/OrderSearch.h"

#include <map>

namespace tc::capi {

/// alpha or beta: a number that is compiled in, by default the semiring's one
/// or zero, or an argument of each run.
struct Factor {
  std::optional<model::Constant> value;
  bool isArgument = false;
};

/// When a contraction for the CPU is compiled, rather than computed by
/// ahead-of-time kernels.
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

struct TcOptions : tc::CompileOptions,
                   tc::ContractionOptions,
                   tc::CacheOptions {
  /// "cpu", or the name of a GPU.
  std::string target = "cpu";
  tc::capi::Specialize specialize = tc::capi::Specialize::Always;
  /// True if nobody waits for the code.
  bool inBackground = false;
  tc::capi::Factor alpha, beta;
  /// Of which indices an order may have slices.
  tc::model::Cutting cutting = tc::model::Cutting::Nothing;
  /// True if what is between has the type of sums.
  bool keepsSums = false;
  /// The order of a product of many tensors, if it is given.
  std::optional<tc::model::ContractionPath> path;
  /// Elements from an aligned address to each tensor's least one.
  int64_t offsetA = 0, offsetB = 0, offsetC = 0;
  std::string name = "contract";
  /// Descriptions of auxiliary tensors of the epilogue, by their names.
  std::map<std::string, tc::capi::TensorDescription> auxiliaries;

  /// Those of one contraction, which has no temporaries of an order and is one
  /// function, or one kernel.
  tc::CompileOptions ofContraction() const {
    tc::CompileOptions options = *this;
    options.memoryLimit.reset();
    options.sumsOperands = false;
    return options;
  }
  /// Of an order, if a time is asked for.
  std::optional<double> searchSeconds() const {
    if (!searchMilliseconds)
      return std::nullopt;
    return 1e-3 * static_cast<double>(*searchMilliseconds);
  }
  tc::model::PerTensor<int64_t> offsets() const {
    return {{offsetA, offsetB, offsetC}};
  }
};

#endif // TC_LIB_CAPI_OPTIONS_H
