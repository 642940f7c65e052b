//===- Problem.cpp - What a caller wants to have compiled -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Text is what is compiled: with it as the key, code is found in the cache
// without anything of MLIR, unless there are prologues or an epilogue.
//
//===----------------------------------------------------------------------===//

#include "Problem.h"
#include "ElementTypes.h"

#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Import/ImportToTC.h"
#include "tc/Import/Notations.h"
#include "tc/Model/Semiring.h"
#include "tc/Support/Arithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/MLIRContext.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <limits>
#include <map>

using namespace tc;
using namespace tc::capi;
using model::Tensor;

static std::string nameOf(Tensor tensor) {
  return std::string(1, "ABC"[static_cast<unsigned>(tensor)]);
}

bool ProblemTensor::isEmpty() const { return llvm::is_contained(extents, 0); }

/// Strides of a contiguous tensor; they are not used if it is empty.
static std::vector<int64_t> contiguous(const std::vector<int64_t> &extents) {
  std::vector<int64_t> strides(extents.size());
  int64_t stride = 1;
  for (size_t i = extents.size(); i-- > 0;) {
    strides[i] = stride;
    stride = saturatingMultiply(stride, extents[i]);
  }
  return strides;
}

/// Takes over the strides, and finds where the tensor begins.
static Status setStrides(ProblemTensor &tensor, const int64_t *strides) {
  tensor.strides = contiguous(tensor.extents);
  if (!strides || tensor.isEmpty())
    return {};
  for (size_t i = 0; i < tensor.extents.size(); ++i) {
    // Nothing lies along an extent of one.
    if (tensor.extents[i] == 1)
      continue;
    tensor.strides[i] = strides[i];
    if (strides[i] < 0)
      tensor.offset = saturatingAdd(
          tensor.offset,
          saturatingMultiply(tensor.extents[i] - 1, magnitude(strides[i])));
  }
  if (tensor.offset == saturated)
    return Error{"its strides exceed 64 bits"};
  return {};
}

static Status describe(const TcTensor &given,
                       const std::vector<std::string> &labels,
                       ProblemTensor &tensor) {
  std::optional<model::ElementType> type = toModel(given.type);
  if (!type)
    return Error{"unknown element type " + std::to_string(given.type)};
  if (given.rank != static_cast<int64_t>(labels.size()))
    return Error{"its rank is " + std::to_string(given.rank) +
                 ", but the specification has " +
                 std::to_string(labels.size()) + " indices for it"};
  if (given.rank > 0 && !given.extents)
    return Error{"its extents are NULL"};
  tensor.type = *type;
  tensor.labels = labels;
  tensor.extents.assign(given.extents, given.extents + given.rank);
  for (size_t i = 0; i < labels.size(); ++i)
    if (tensor.extents[i] < 0)
      return Error{"extent " + std::to_string(tensor.extents[i]) +
                   " of dimension " + std::to_string(i) + " is negative"};
  return setStrides(tensor, given.strides);
}

/// Checks that an index has one extent wherever it is.
static Status checkExtents(const Problem &problem) {
  struct Place {
    Tensor tensor;
    size_t dimension;
    int64_t extent;
    std::string text() const {
      return std::to_string(extent) + " in dimension " +
             std::to_string(dimension) + " of " + nameOf(tensor);
    }
  };
  std::map<std::string, Place> first;
  for (Tensor t : model::allTensors) {
    const ProblemTensor &tensor = problem.tensors[t];
    for (size_t i = 0; i < tensor.labels.size(); ++i) {
      Place here{t, i, tensor.extents[i]};
      const Place &there =
          first.try_emplace(tensor.labels[i], here).first->second;
      if (there.extent != here.extent)
        return Error{"index '" + tensor.labels[i] + "' has extent " +
                     there.text() + " and " + here.text()};
    }
  }
  return {};
}

static Status checkTypes(const Problem &problem) {
  const ProblemTensor &a = problem.tensors[Tensor::A];
  const ProblemTensor &b = problem.tensors[Tensor::B];
  const ProblemTensor &c = problem.tensors[Tensor::C];
  auto name = [](model::ElementType type) {
    return std::string(model::stringify(type));
  };
  if (a.type != b.type)
    return Error{"element types of A and B must be equal, but are " +
                 name(a.type) + " and " + name(b.type)};
  if (!model::mayStoreAs(a.type, c.type))
    return Error{"element type of C must be that of A and B, " + name(a.type) +
                 ", or that of their sums, " + name(problem.scalarType) +
                 ", but is " + name(c.type)};
  return {};
}

/// Checks that integers are scaled by integers, which a double holds exactly.
static Status checkFactors(const Problem &problem) {
  if (!model::isInteger(problem.scalarType))
    return {};
  const double most = model::byteWidth(problem.scalarType) == 4
                          ? std::numeric_limits<int32_t>::max()
                          : 0x1p53;
  for (auto [name, factor] :
       {std::pair("alpha", &problem.alpha), std::pair("beta", &problem.beta)})
    if (factor->value && (*factor->value != std::trunc(*factor->value) ||
                          std::abs(*factor->value) > most))
      return Error{std::string(name) + " is no number of type " +
                   std::string(model::stringify(problem.scalarType))};
  return {};
}

Result<Problem> capi::makeProblem(const char *spec, const TcTensor *tensors,
                                  const TcOptions &options) {
  notation::Diagnostic diagnostic;
  auto lists = notation::parseEinsumIndices(spec, specName, diagnostic);
  if (!lists)
    return Error{diagnostic.str()};
  Problem problem;
  for (Tensor t : model::allTensors)
    if (Status status = describe(tensors[static_cast<unsigned>(t)], (*lists)[t],
                                 problem.tensors[t]);
        !status)
      return Error{nameOf(t) + ": " + status.error()};
  problem.scalarType =
      model::accumulatorTypeOf(problem.tensors[Tensor::A].type);
  problem.semiring = options.semiring;
  problem.alpha = options.alpha;
  problem.beta = options.beta;
  if (problem.alpha.value == model::oneOf(problem.semiring, problem.scalarType))
    problem.alpha.value.reset();
  if (problem.beta.value == model::zeroOf(problem.semiring, problem.scalarType))
    problem.beta.value.reset();
  problem.fused = options.fused;
  if (Status status = checkExtents(problem); !status)
    return Error{status.error()};
  if (Status status = checkTypes(problem); !status)
    return Error{status.error()};
  if (Status status = checkFactors(problem); !status)
    return Error{status.error()};

  // The rules that all notations share are checked where they stand.
  notation::ParseOptions parse;
  parse.source = specName;
  parse.elementType = problem.tensors[Tensor::A].type;
  parse.semiring = problem.semiring;
  parse.fused = problem.fused;
  std::map<std::string, int64_t> extents;
  for (const ProblemTensor &tensor : problem.tensors)
    for (auto [label, extent] : llvm::zip_equal(tensor.labels, tensor.extents))
      if (extents.try_emplace(label, extent).second)
        parse.extents.push_back({label, extent, {}});
  if (!notation::parseEinsum(spec, parse, diagnostic))
    return Error{diagnostic.str()};
  return problem;
}

static void printType(const ProblemTensor &tensor, raw_ostream &os) {
  os << "memref<";
  for (int64_t extent : tensor.extents)
    os << extent << "x";
  os << model::stringify(tensor.type);
  if (tensor.strides != contiguous(tensor.extents)) {
    os << ", strided<[";
    llvm::interleaveComma(tensor.strides, os);
    os << "]";
    if (tensor.offset != 0)
      os << ", offset: " << tensor.offset;
    os << ">";
  }
  os << ">";
}

static void printLabels(const ProblemTensor &tensor, raw_ostream &os) {
  os << "[";
  llvm::interleaveComma(tensor.labels, os);
  os << "]";
}

/// The same without prologues and epilogue.
static std::string writePlainModule(const Problem &problem,
                                    const TcOptions &options) {
  const ProblemTensor &a = problem.tensors[Tensor::A];
  const ProblemTensor &b = problem.tensors[Tensor::B];
  const ProblemTensor &c = problem.tensors[Tensor::C];
  auto scalar = model::stringify(problem.scalarType);
  struct Named {
    const char *name;
    const Factor &factor;
    bool isThere() const { return factor.isArgument || factor.value; }
  };
  const Named factors[] = {{"alpha", problem.alpha}, {"beta", problem.beta}};

  std::string text;
  llvm::raw_string_ostream os(text);
  os << "func.func @" << options.name << "(%A: ";
  printType(a, os);
  os << ", %B: ";
  printType(b, os);
  os << ", %C: ";
  printType(c, os);
  for (const Named &named : factors)
    if (named.factor.isArgument)
      os << ", %" << named.name << ": " << scalar;
  os << ") {\n";
  for (const Named &named : factors)
    if (named.factor.value)
      os << "  %" << named.name << " = arith.constant "
         << llvm::format(model::isInteger(problem.scalarType) ? "%.0f"
                                                              : "%.17e",
                         *named.factor.value)
         << " : " << scalar << "\n";
  os << "  tc.contract ";
  printLabels(a, os);
  os << ", ";
  printLabels(b, os);
  os << " -> ";
  printLabels(c, os);
  os << "\n    ins(%A, %B : ";
  printType(a, os);
  os << ", ";
  printType(b, os);
  os << ")\n    outs(%C : ";
  printType(c, os);
  os << ")";
  for (const Named &named : factors)
    if (named.isThere())
      os << " " << named.name << "(%" << named.name << " : " << scalar << ")";
  if (options.precision != model::Precision::IEEE)
    os << " precision = " << model::stringify(options.precision);
  if (problem.semiring != model::Semiring::PlusTimes)
    os << " semiring = " << model::stringify(problem.semiring);
  os << " loc(\"" << specName << "\":1:1)\n  return\n}\n";
  return text;
}

Result<std::string> capi::writeModule(const Problem &problem,
                                      const TcOptions &options) {
  Source source;
  source.name = specName;
  source.text = writePlainModule(problem, options);
  const notation::FusedExpressions &fused = problem.fused;
  if (!fused.prologueA && !fused.prologueB && !fused.epilogue)
    return source.text;

  DialectRegistry registry;
  registry.insert<TCDialect, mlir::arith::ArithDialect, mlir::func::FuncDialect,
                  mlir::math::MathDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  auto module = makeModule(context, source);
  if (!module)
    return Error{module.error()};
  context.loadAllAvailableDialects();
  (*module)->walk([&](ContractOp op) {
    OpBuilder builder(op);
    addFusedCode(builder, op, fused);
  });
  std::string text;
  llvm::raw_string_ostream os(text);
  (*module)->print(os, mlir::OpPrintingFlags().enableDebugInfo());
  return text;
}
