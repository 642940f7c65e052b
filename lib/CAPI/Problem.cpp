//===- Problem.cpp - Description of a problem by its caller ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks what the caller says, in the caller's terms.
//
//===----------------------------------------------------------------------===//

#include "Problem.h"
#include "ElementTypes.h"

#include "tc/Buffers/HostTensor.h"
#include "tc/Import/Notations.h"
#include "tc/Problem/Semiring.h"
#include "tc/Support/Arithmetic.h"

#include <algorithm>
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

bool capi::isEmpty(const model::TensorRecord &tensor) {
  return std::find(tensor.extents.begin(), tensor.extents.end(), 0) !=
         tensor.extents.end();
}

int64_t capi::positionOf(const model::TensorRecord &tensor,
                         const std::vector<std::string> &labels,
                         const std::vector<int64_t> &coordinates) {
  int64_t position = tensor.offset;
  for (size_t i = 0; i < tensor.labels.size(); ++i) {
    auto place = std::find(labels.begin(), labels.end(), tensor.labels[i]);
    position += coordinates[static_cast<size_t>(place - labels.begin())] *
                tensor.strides[i];
  }
  return position;
}

/// Takes over the strides, and finds where the tensor begins.
static Status setStrides(model::TensorRecord &tensor, const int64_t *strides) {
  tensor.strides = model::contiguousStrides(tensor.extents);
  if (!strides || isEmpty(tensor))
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
  shapes.push_back({problem.record.tensors[Tensor::A].extents, {}});
  if (problem.operands == 2)
    shapes.push_back({problem.record.tensors[Tensor::B].extents, {}});
  return shapes;
}

/// All of a tensor but its labels.
static Status describe(const TensorDescription &given,
                       model::TensorRecord &tensor) {
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

static Status describe(const TcTensor &given, model::TensorRecord &tensor) {
  Result<TensorDescription> copied = copy(given);
  return copied ? describe(*copied, tensor) : Status(Error{copied.error()});
}

/// Checks what is said of the auxiliary tensors, and completes what is not.
static Status describeAuxiliaries(const TcOptions &options, Problem &problem) {
  const model::TensorRecord &c = problem.record.tensors[Tensor::C];
  std::set<std::string> known;
  if (problem.fused.epilogue)
    for (const model::Expression::Auxiliary &auxiliary :
         problem.fused.epilogue->auxiliaries()) {
      known.insert(auxiliary.name);
      auto error = [&](const std::string &what) {
        return Error{nameOfAuxiliary(auxiliary.name) + ": " + what};
      };
      model::TensorRecord &tensor = problem.auxiliaries.emplace_back();
      tensor.labels = auxiliary.labels;
      std::vector<int64_t> extents;
      for (const std::string &label : auxiliary.labels) {
        auto found = std::find(c.labels.begin(), c.labels.end(), label);
        if (found == c.labels.end())
          return error("index '" + label + "' is not in C");
        extents.push_back(
            c.extents[static_cast<size_t>(found - c.labels.begin())]);
      }
      auto given = options.auxiliaries.find(auxiliary.name);
      if (given == options.auxiliaries.end()) {
        tensor.type = c.type;
        tensor.extents = extents;
        tensor.strides = model::contiguousStrides(extents);
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
          return error("index '" + auxiliary.labels[i] + "' has extent " +
                       std::to_string(tensor.extents[i]) + " in dimension " +
                       std::to_string(i) + ", but " +
                       std::to_string(extents[i]) + " in C");
    }
  for (const auto &[name, description] : options.auxiliaries)
    if (!known.count(name))
      return Error{nameOfAuxiliary(name) + " is not in the epilogue"};
  if (problem.auxiliaries.size() > LoadedObject::maxAuxiliaries)
    return Error{
        "the epilogue has " + std::to_string(problem.auxiliaries.size()) +
        " auxiliary tensors, and at most " +
        std::to_string(LoadedObject::maxAuxiliaries) + " are possible"};
  return {};
}

/// The number of that type which is nearest to the semiring's one.
static void storeOne(Problem &problem) {
  auto store = [&](auto number) {
    static_assert(sizeof number <= sizeof problem.one);
    std::memcpy(problem.one.data(), &number, sizeof number);
  };
  model::ElementType type = problem.record.tensors[Tensor::B].type;
  int64_t integer = model::isInteger(type)
                        ? model::integerOneOf(problem.record.semiring, type)
                        : 0;
  double one = model::oneOf(problem.record.semiring);
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
    if (options.offsets()[t] == 0)
      continue;
    if (options.target == "cpu")
      return Error{nameOf(t) + ": an offset from an aligned address is for "
                               "GPUs, and the target is 'cpu'"};
    model::TensorRecord &tensor = problem.record.tensors[t];
    tensor.offset = saturatingAdd(tensor.offset, options.offsets()[t]);
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
    if (Status status = describe(tensors[static_cast<unsigned>(t)],
                                 problem.record.tensors[t]);
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
    problem.record.tensors[t].labels = std::move(indices->lists[t]);
  const model::TensorRecord &c = problem.record.tensors[Tensor::C];
  if (c.extents.size() != c.labels.size())
    return Error{"C: its rank is " + std::to_string(c.extents.size()) +
                 ", but the specification has " +
                 std::to_string(c.labels.size()) + " indices for it"};
  if (problem.operands == 1)
    problem.record.tensors[Tensor::B].type =
        problem.record.tensors[Tensor::A].type;
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
    const model::TensorRecord &tensor = problem.record.tensors[t];
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

/// Checks and sets alpha and beta.
static Status setFactors(const TcOptions &options, Problem &problem) {
  model::Semiring semiring = problem.record.semiring;
  if (semiring == model::Semiring::UserDefined) {
    if (options.alpha.isArgument ||
        (options.alpha.value && *options.alpha.value != 1.0))
      return Error{"alpha: a user-defined semiring has no factors but 1"};
    if (options.beta.isArgument ||
        (options.beta.value && *options.beta.value != 0.0 &&
         *options.beta.value != 1.0))
      return Error{"beta: a user-defined semiring has no factors but 0 and, to "
                   "combine sums with C, 1"};
  }
  model::ElementType type = problem.scalarType();
  for (auto [name, given, neutral, factor] :
       {std::tuple("alpha", &options.alpha, model::oneOf(semiring, type),
                   &problem.record.alpha),
        std::tuple("beta", &options.beta, model::zeroOf(semiring, type),
                   &problem.record.beta)}) {
    *factor = {given->value.value_or(neutral), given->isArgument};
    if (factor->value == neutral)
      continue;
    if (Status status = model::checkConstant(factor->value, type); !status)
      return Error{std::string(name) + ": " + status.error()};
  }
  return {};
}

Result<Problem> capi::makeProblem(const char *spec, const TcTensor *tensors,
                                  const TcOptions &options) {
  Problem problem;
  problem.name = options.name;
  problem.saturates = options.saturates;
  if (Status status = describeAll(spec, tensors, options, problem); !status)
    return Error{status.error()};
  model::PerTensor<model::ElementType> types;
  for (Tensor t : model::allTensors)
    types[t] = problem.record.tensors[t].type;
  Result<model::ElementType> factors = model::factorTypeOf(types);
  if (!factors)
    return Error{factors.error()};
  model::ContractionRecord &record = problem.record;
  record.factorType = *factors;
  record.precision = options.chosenPrecision();
  record.semiring = options.chosenSemiring();
  record.conjugates = {{options.conjugatesA, options.conjugatesB, false}};
  record.allowsThreeProducts = options.allowsThreeProducts;
  notation::FusedExpressions fused = options.fused;
  if (options.userSemiring.any()) {
    auto semiring = notation::parseSemiringExpressions(options.userSemiring);
    if (!semiring)
      return Error{semiring.error()};
    if (problem.operands == 1)
      return Error{"a user-defined semiring multiplies two operands, but the "
                   "specification has one"};
    fused.semiring = std::move(*semiring);
  }
  setFusedCode(problem, std::move(fused));
  if (problem.operands == 1) {
    if (options.fused.prologueB)
      return Error{"option 'prologue-b': the specification has one operand, A"};
    storeOne(problem);
  }
  if (Status status = checkExtents(problem); !status)
    return Error{status.error()};
  if (Status status = setFactors(options, problem); !status)
    return Error{status.error()};
  if (Status status = describeAuxiliaries(options, problem); !status)
    return Error{status.error()};
  notation::findReadsOfC(record);

  // The rules that all notations share are checked where they stand.
  notation::ParseOptions parse;
  parse.source = specName;
  parse.elementType = types[Tensor::C];
  parse.elementTypeA = types[Tensor::A];
  parse.elementTypeB = types[Tensor::B];
  parse.semiring = record.semiring;
  parse.fused = problem.fused;
  parse.shapes = shapesOf(problem);
  parse.shapesSource = specName;
  notation::Diagnostic diagnostic;
  if (!notation::parseEinsum(spec, parse, diagnostic))
    return Error{diagnostic.str()};
  return problem;
}
