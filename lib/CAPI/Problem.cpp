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
#include "tc/Runtime/HostTensor.h"
#include "tc/Support/Arithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/MLIRContext.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <complex>
#include <cstring>
#include <map>
#include <set>

using namespace tc;
using namespace tc::capi;
using model::Tensor;

static std::string nameOf(Tensor tensor) {
  return std::string(1, "ABC"[static_cast<unsigned>(tensor)]);
}

bool ProblemTensor::isEmpty() const { return llvm::is_contained(extents, 0); }

int64_t
ProblemTensor::positionOf(const std::vector<std::string> &ofLabels,
                          const std::vector<int64_t> &coordinates) const {
  int64_t position = offset;
  for (auto [label, stride] : llvm::zip_equal(labels, strides))
    position += coordinates[static_cast<size_t>(llvm::find(ofLabels, label) -
                                                ofLabels.begin())] *
                stride;
  return position;
}

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

/// The shapes of the operands.
static std::vector<notation::Shape> shapesOf(const Problem &problem) {
  std::vector<notation::Shape> shapes;
  shapes.push_back({problem.tensors[Tensor::A].extents, {}});
  if (problem.operands == 2)
    shapes.push_back({problem.tensors[Tensor::B].extents, {}});
  return shapes;
}

/// All of a tensor but its labels.
static Status describe(const TensorDescription &given, ProblemTensor &tensor) {
  std::optional<model::ElementType> type = toModel(given.type);
  if (!type)
    return Error{"unknown element type " + std::to_string(given.type)};
  tensor.type = *type;
  tensor.extents = given.extents;
  for (size_t i = 0; i < tensor.extents.size(); ++i)
    if (tensor.extents[i] < 0)
      return Error{"extent " + std::to_string(tensor.extents[i]) +
                   " of dimension " + std::to_string(i) + " is negative"};
  return setStrides(tensor, given.strides ? given.strides->data() : nullptr);
}

static Status describe(const TcTensor &given, ProblemTensor &tensor) {
  Result<TensorDescription> copied = copy(given);
  return copied ? describe(*copied, tensor) : Status(Error{copied.error()});
}

/// Checks what is said of the side tensors, and completes what is not.
static Status describeSides(const TcOptions &options, Problem &problem) {
  const ProblemTensor &c = problem.tensors[Tensor::C];
  std::set<std::string> known;
  if (problem.fused.epilogue)
    for (const model::Expression::Side &side :
         problem.fused.epilogue->sides()) {
      known.insert(side.name);
      auto error = [&](const std::string &what) {
        return Error{nameOfSide(side.name) + ": " + what};
      };
      ProblemTensor &tensor = problem.sides.emplace_back();
      tensor.labels = side.labels;
      std::vector<int64_t> extents;
      for (const std::string &label : side.labels) {
        auto found = llvm::find(c.labels, label);
        if (found == c.labels.end())
          return error("index '" + label + "' is not in C");
        extents.push_back(
            c.extents[static_cast<size_t>(found - c.labels.begin())]);
      }
      auto given = options.sides.find(side.name);
      if (given == options.sides.end()) {
        tensor.type = c.type;
        tensor.extents = extents;
        tensor.strides = contiguous(extents);
        continue;
      }
      if (Status status = describe(given->second, tensor); !status)
        return error(status.error());
      if (model::isInteger(tensor.type) || model::isComplex(tensor.type))
        return error("its element type is " +
                     std::string(model::stringify(tensor.type)) +
                     ", but epilogues are of floating-point numbers");
      if (tensor.extents.size() != extents.size())
        return error("its rank is " + std::to_string(tensor.extents.size()) +
                     ", but the epilogue has " +
                     std::to_string(extents.size()) + " indices for it");
      for (size_t i = 0; i < extents.size(); ++i)
        if (tensor.extents[i] != extents[i])
          return error("index '" + side.labels[i] + "' has extent " +
                       std::to_string(tensor.extents[i]) + " in dimension " +
                       std::to_string(i) + ", but " +
                       std::to_string(extents[i]) + " in C");
    }
  for (const auto &[name, description] : options.sides)
    if (!known.count(name))
      return Error{nameOfSide(name) + " is not in the epilogue"};
  if (problem.sides.size() > LoadedObject::mostSides)
    return Error{"the epilogue has " + std::to_string(problem.sides.size()) +
                 " side tensors, and at most " +
                 std::to_string(LoadedObject::mostSides) + " are possible"};
  return {};
}

/// The number of that type which is nearest to the semiring's one.
static void storeOne(Problem &problem) {
  auto store = [&](auto number) {
    static_assert(sizeof number <= sizeof problem.one);
    std::memcpy(problem.one.data(), &number, sizeof number);
  };
  model::ElementType type = problem.tensors[Tensor::B].type;
  int64_t integer =
      model::isInteger(type) ? model::integerOneOf(problem.semiring, type) : 0;
  double one = model::oneOf(problem.semiring);
  runtime::dispatch(type, [&](auto number) {
    using Number = decltype(number);
    if constexpr (std::is_integral_v<Number>)
      store(static_cast<Number>(integer));
    else if constexpr (!std::is_floating_point_v<Number>)
      store(Number(one));
    else if (model::isComplex(type))
      store(std::complex<Number>(static_cast<Number>(one)));
    else
      store(static_cast<Number>(one));
  });
}

/// Lets tensors begin behind an aligned address.
static Status addOffsets(const TcOptions &options, Problem &problem) {
  for (Tensor t : model::allTensors) {
    if (options.offsets[t] == 0)
      continue;
    if (options.target == "cpu")
      return Error{nameOf(t) + ": an offset from an aligned address is for "
                               "GPUs, and the target is 'cpu'"};
    ProblemTensor &tensor = problem.tensors[t];
    tensor.offset = saturatingAdd(tensor.offset, options.offsets[t]);
    if (tensor.offset == saturated)
      return Error{nameOf(t) + ": its offset exceeds 64 bits"};
  }
  return {};
}

/// Checks the tensors, and gives their dimensions labels.
static Status describeAll(const char *spec, const TcTensor *tensors,
                          const TcOptions &options, Problem &problem) {
  notation::Diagnostic diagnostic;
  std::optional<unsigned> operands =
      notation::countOperands(spec, specName, diagnostic);
  if (!operands)
    return Error{diagnostic.str()};
  problem.operands = *operands;
  for (Tensor t : model::allTensors) {
    if (t == Tensor::B && problem.operands == 1)
      continue;
    if (Status status =
            describe(tensors[static_cast<unsigned>(t)], problem.tensors[t]);
        !status)
      return Error{nameOf(t) + ": " + status.error()};
  }
  if (Status status = addOffsets(options, problem); !status)
    return status;
  auto indices = notation::parseEinsumIndices(spec, shapesOf(problem), specName,
                                              diagnostic);
  if (!indices)
    return Error{diagnostic.str()};
  for (Tensor t : model::allTensors)
    problem.tensors[t].labels = std::move(indices->lists[t]);
  const ProblemTensor &c = problem.tensors[Tensor::C];
  if (c.extents.size() != c.labels.size())
    return Error{"C: its rank is " + std::to_string(c.extents.size()) +
                 ", but the specification has " +
                 std::to_string(c.labels.size()) + " indices for it"};
  if (problem.operands == 1)
    problem.tensors[Tensor::B].type = problem.tensors[Tensor::A].type;
  return {};
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

static Status checkFactors(const Problem &problem) {
  if (problem.semiring == model::Semiring::UserDefined) {
    if (problem.alpha.isArgument || problem.alpha.value)
      return Error{"alpha: a user-defined semiring has no factors but 1"};
    if (problem.beta.isArgument ||
        (problem.beta.value && *problem.beta.value != 1.0))
      return Error{"beta: a user-defined semiring has no factors but 0 and, to "
                   "combine sums with C, 1"};
  }
  for (auto [name, factor] :
       {std::pair("alpha", &problem.alpha), std::pair("beta", &problem.beta)})
    if (factor->value)
      if (Status status =
              model::checkConstant(*factor->value, problem.scalarType);
          !status)
        return Error{std::string(name) + " " + status.error()};
  return {};
}

Result<Problem> capi::makeProblem(const char *spec, const TcTensor *tensors,
                                  const TcOptions &options) {
  Problem problem;
  if (Status status = describeAll(spec, tensors, options, problem); !status)
    return Error{status.error()};
  model::PerTensor<model::ElementType> types;
  for (Tensor t : model::allTensors)
    types[t] = problem.tensors[t].type;
  Result<model::ElementType> factors = model::factorTypeOf(types);
  if (!factors)
    return Error{factors.error()};
  problem.scalarType = model::accumulatorTypeOf(*factors);
  problem.semiring = options.semiring;
  problem.fused = options.fused;
  if (options.userSemiring.any()) {
    auto semiring = notation::parseSemiringExpressions(options.userSemiring);
    if (!semiring)
      return Error{semiring.error()};
    if (problem.operands == 1)
      return Error{"a user-defined semiring multiplies two operands, but the "
                   "specification has one"};
    problem.semiring = model::Semiring::UserDefined;
    problem.fused.semiring = std::move(*semiring);
  }
  if (problem.operands == 1) {
    if (options.fused.prologueB)
      return Error{"option 'prologue-b': the specification has one operand, A"};
    storeOne(problem);
  }
  problem.alpha = options.alpha;
  problem.beta = options.beta;
  if (problem.alpha.value == model::oneOf(problem.semiring, problem.scalarType))
    problem.alpha.value.reset();
  if (problem.beta.value == model::zeroOf(problem.semiring, problem.scalarType))
    problem.beta.value.reset();
  problem.conjugatesA = options.conjugatesA;
  problem.conjugatesB = options.conjugatesB;
  problem.allowsThreeProducts = options.allowsThreeProducts;
  if (Status status = checkExtents(problem); !status)
    return Error{status.error()};
  if (Status status = checkFactors(problem); !status)
    return Error{status.error()};
  if (Status status = describeSides(options, problem); !status)
    return Error{status.error()};

  // The rules that all notations share are checked where they stand.
  notation::ParseOptions parse;
  parse.source = specName;
  parse.elementType = types[Tensor::C];
  parse.elementTypeA = types[Tensor::A];
  parse.elementTypeB = types[Tensor::B];
  parse.semiring = problem.semiring;
  parse.fused = problem.fused;
  parse.shapes = shapesOf(problem);
  parse.shapesSource = specName;
  notation::Diagnostic diagnostic;
  if (!notation::parseEinsum(spec, parse, diagnostic))
    return Error{diagnostic.str()};
  return problem;
}

/// A type as MLIR writes it.
static std::string mlirNameOf(model::ElementType type) {
  if (model::isComplex(type))
    return "complex<" + mlirNameOf(model::realTypeOf(type)) + ">";
  if (model::isFloat8(type))
    return "f" + StringRef(model::stringify(type)).drop_front().upper();
  return std::string(model::stringify(type));
}

static void printType(const ProblemTensor &tensor, raw_ostream &os) {
  os << "memref<";
  for (int64_t extent : tensor.extents)
    os << extent << "x";
  os << mlirNameOf(tensor.type);
  if (tensor.strides != contiguous(tensor.extents) || tensor.offset != 0) {
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

/// The same without prologues, user-defined semiring and epilogue.
static std::string writePlainModule(const Problem &problem,
                                    const TcOptions &options) {
  const ProblemTensor &a = problem.tensors[Tensor::A];
  const ProblemTensor &b = problem.tensors[Tensor::B];
  const ProblemTensor &c = problem.tensors[Tensor::C];
  std::string scalar = mlirNameOf(problem.scalarType);
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
  for (auto [number, side] : llvm::enumerate(problem.sides)) {
    os << ", %side" << number << ": ";
    printType(side, os);
  }
  os << ") {\n";
  for (const Named &named : factors) {
    if (!named.factor.value)
      continue;
    const model::Constant &value = *named.factor.value;
    os << "  %" << named.name << " = ";
    if (model::isComplex(problem.scalarType)) {
      std::string part = mlirNameOf(model::realTypeOf(problem.scalarType));
      os << "complex.constant [" << llvm::format("%.17e", value.real()) << " : "
         << part << ", " << llvm::format("%.17e", value.imag()) << " : " << part
         << "]";
    } else if (model::isInteger(problem.scalarType)) {
      os << "arith.constant " << model::integerOf(value, problem.scalarType);
    } else {
      os << "arith.constant " << llvm::format("%.17e", value.real());
    }
    os << " : " << scalar << "\n";
  }
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
    os << " precision = \"" << model::stringify(options.precision) << "\"";
  if (problem.semiring != model::Semiring::PlusTimes && !problem.fused.semiring)
    os << " semiring = " << model::stringify(problem.semiring);
  if (problem.conjugatesA)
    os << " conjugate_a";
  if (problem.conjugatesB)
    os << " conjugate_b";
  if (problem.allowsThreeProducts)
    os << " allow_three_products";
  os << " loc(\"" << specName << "\":1:1)\n  return\n}\n";
  return text;
}

Result<std::string> capi::writeModule(const Problem &problem,
                                      const TcOptions &options) {
  Source source;
  source.name = specName;
  source.text = writePlainModule(problem, options);
  const notation::FusedExpressions &fused = problem.fused;
  if (!fused.any())
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
    SmallVector<Attribute> indices;
    for (const ProblemTensor &side : problem.sides)
      indices.push_back(IndexListAttr::get(
          &context,
          SmallVector<StringRef>(side.labels.begin(), side.labels.end())));
    auto arguments = op->getParentOfType<mlir::func::FuncOp>().getArguments();
    addFusedCode(builder, op, fused, arguments.take_back(indices.size()),
                 indices);
  });
  std::string text;
  llvm::raw_string_ostream os(text);
  (*module)->print(os, mlir::OpPrintingFlags().enableDebugInfo());
  return text;
}
