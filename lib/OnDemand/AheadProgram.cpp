//===- AheadProgram.cpp - Products by ahead-of-time kernels ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/OnDemand/AheadProgram.h"
#include "AheadSteps.h"
#include "Workspaces.h"

#include "tc/Buffers/Problem.h"
#include "tc/OnDemand/CallStatus.h"

#include <algorithm>
#include <unordered_set>

using namespace tc;
using model::Tensor;

struct AheadProgram::State {
  AheadSteps steps;
  /// Of the last step, in the type of sums.
  std::vector<std::byte> alpha, beta;
  Workspaces workspaces;

  explicit State(AheadSteps steps) : steps(std::move(steps)) {}
};

AheadProgram::AheadProgram() = default;
AheadProgram::~AheadProgram() = default;

/// The tensors of a product: its inputs, and what it makes.
static std::vector<const model::TensorRecord *>
tensorsOf(const notation::ParsedContraction &product) {
  std::vector<const model::TensorRecord *> tensors = {
      &product.record.tensors[Tensor::A], &product.record.tensors[Tensor::B]};
  for (const model::TensorRecord &tensor : product.further)
    tensors.push_back(&tensor);
  tensors.push_back(&product.record.tensors[Tensor::C]);
  return tensors;
}

/// True if these kernels compute sums of products of the kind, whose results
/// between have the type of sums.
static bool isComputed(const notation::ParsedContraction &product,
                       AheadProgram::Between between) {
  const model::ContractionRecord &record = product.record;
  if (product.operands < 2 || record.semiring != model::Semiring::PlusTimes ||
      record.precision != model::Precision::IEEE || record.alpha.isArgument ||
      record.beta.isArgument)
    return false;
  std::vector<const model::TensorRecord *> tensors = tensorsOf(product);
  model::ElementType type = tensors.back()->type;
  // Else results between were rounded to the elements' type; integers wrap
  // around in either type.
  return (model::accumulatorTypeOf(type) == type || model::isInteger(type) ||
          between == AheadProgram::Between::Sums) &&
         std::all_of(tensors.begin(), tensors.end(),
                     [&](const model::TensorRecord *tensor) {
                       return tensor->type == type;
                     });
}

/// The product as the order search takes it; none if it takes no such product.
static std::optional<model::Network>
networkOf(const notation::ParsedContraction &product) {
  std::vector<const model::TensorRecord *> tensors = tensorsOf(product);
  model::ElementType type = tensors.back()->type;
  std::vector<std::vector<std::string>> labels;
  std::vector<std::pair<std::string, int64_t>> extents;
  std::unordered_set<std::string> seen;
  for (const model::TensorRecord *tensor : tensors) {
    labels.push_back(tensor->labels);
    for (size_t i = 0; i < tensor->labels.size(); ++i)
      if (seen.insert(tensor->labels[i]).second)
        extents.emplace_back(tensor->labels[i], tensor->extents[i]);
  }
  std::vector<std::string> output = std::move(labels.back());
  labels.pop_back();
  Result<model::Network> network =
      model::makeNetwork(labels, output, extents, type);
  if (!network)
    return std::nullopt;
  if (!model::isInteger(type))
    network->temporaryType = model::accumulatorTypeOf(type);
  return std::move(*network);
}

/// True if an index has no values, so that every sum is one over nothing, or
/// the result has no elements.
static bool isEmpty(const notation::ParsedContraction &product) {
  std::vector<const model::TensorRecord *> tensors = tensorsOf(product);
  return std::any_of(tensors.begin(), tensors.end(),
                     [](const model::TensorRecord *tensor) {
                       return std::count(tensor->extents.begin(),
                                         tensor->extents.end(), 0) != 0;
                     });
}

/// beta * C, as a product of two tensors without elements.
static cpu::Problem scaledOutputOf(const model::TensorRecord &output) {
  cpu::Problem problem;
  problem.elementType = {{output.type, output.type, output.type}};
  problem.accumulatorType = model::accumulatorTypeOf(output.type);
  problem.add(0, {{1, 1, 0}});
  std::vector<int64_t> strides = model::contiguousStrides(output.extents);
  for (size_t i = 0; i < strides.size(); ++i)
    problem.add(output.extents[i], {{0, 0, strides[i]}});
  return problem;
}

/// The tensors that a program takes.
static std::vector<runtime::ProgramParameter>
parametersOf(const notation::ParsedProgram &program,
             const std::vector<unsigned> &numbers) {
  std::vector<runtime::ProgramParameter> parameters;
  for (unsigned number : numbers) {
    const notation::ProgramTensor &tensor = program.tensors[number];
    runtime::ProgramParameter &made = parameters.emplace_back();
    made.name = tensor.name;
    made.type = tensor.record.type;
    made.extents = tensor.record.extents;
    made.strides = model::contiguousStrides(made.extents);
    made.alignment = model::byteWidth(model::realTypeOf(made.type));
    auto contains = [&](const std::vector<unsigned> &list) {
      return std::find(list.begin(), list.end(), number) != list.end();
    };
    made.isRead = contains(program.arguments);
    made.isWritten = contains(program.results);
  }
  return parameters;
}

/// The steps of a product, whose inputs and output are those parameters;
/// `workspaceBytes` becomes what they need.
static std::optional<AheadSteps> stepsOf(const notation::ProgramStep &product,
                                         const CompileOptions &options,
                                         const std::vector<size_t> &parameters,
                                         int64_t &workspaceBytes) {
  const unsigned threads = options.threads.value_or(0);
  const model::TensorRecord &output = product.product.record.tensors[Tensor::C];
  if (isEmpty(product.product))
    return AheadSteps(scaledOutputOf(output),
                      {{parameters[0], parameters[1], parameters.back()}},
                      threads);
  std::optional<model::Network> network = networkOf(product.product);
  if (!network)
    return std::nullopt;
  Result<AheadOrder> order =
      findAheadOrder(*network, product.path, options, hostWorkspaceAlignment);
  if (!order)
    return std::nullopt;
  workspaceBytes = order->memory.bytes;
  return AheadSteps::make(*network, *order, parameters, threads);
}

std::unique_ptr<AheadProgram>
AheadProgram::make(const notation::ParsedProgram &program,
                   const CompileOptions &options, Between between) {
  if (program.steps.size() != 1 || !program.unknown.empty())
    return nullptr;
  const notation::ProgramStep &product = program.steps.front();
  if (!isComputed(product.product, between))
    return nullptr;
  std::unique_ptr<AheadProgram> made(new AheadProgram());
  runtime::Program &described = made->described;
  described.workspaceAlignment = hostWorkspaceAlignment;
  described.name = program.name;
  std::vector<unsigned> numbers = program.arguments;
  for (unsigned result : program.results)
    if (std::find(numbers.begin(), numbers.end(), result) == numbers.end())
      numbers.push_back(result);
  described.parameters = parametersOf(program, numbers);
  std::vector<size_t> parameters;
  auto add = [&](unsigned tensor) {
    parameters.push_back(static_cast<size_t>(
        std::find(numbers.begin(), numbers.end(), tensor) - numbers.begin()));
  };
  for (unsigned input : product.inputs)
    add(input);
  add(product.output);
  std::optional<AheadSteps> steps =
      stepsOf(product, options, parameters, described.workspaceBytes);
  if (!steps)
    return nullptr;
  made->state = std::make_unique<State>(std::move(*steps));
  const model::ContractionRecord &record = product.product.record;
  const model::ElementType type =
      model::accumulatorTypeOf(record.tensors[Tensor::C].type);
  made->state->alpha = runtime::bytesOf(record.alpha.value, type);
  made->state->beta = runtime::bytesOf(record.beta.value, type);
  return made;
}

double AheadProgram::seconds() const { return state->steps.seconds(); }

Status AheadProgram::run(const std::vector<const void *> &tensors,
                         void *workspace) const {
  Workspace own;
  char none = 0;
  if (described.workspaceBytes == 0) {
    workspace = &none;
  } else if (!workspace) {
    own = state->workspaces.take(described);
    if (!own)
      return lackOfWorkspace(described.workspaceBytes);
    workspace = own.get();
  }
  Status status;
  if (state->steps.run(tensors, static_cast<char *>(workspace),
                       state->alpha.data(),
                       state->beta.data()) == cpu::Outcome::OutOfMemory)
    status = Error{"there is no memory for the panels of a contraction"};
  if (own)
    state->workspaces.giveBack(std::move(own));
  return status;
}
