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
#include <atomic>
#include <unordered_set>

using namespace tc;
using model::Tensor;

namespace {

/// The steps of an order, and the workspaces that they take.
struct OrderedSteps {
  explicit OrderedSteps(AheadSteps made) : steps(std::move(made)) {
    workspace.workspaceAlignment = hostWorkspaceAlignment;
    workspace.workspaceBytes = steps.workspaceBytes();
  }

  AheadSteps steps;
  /// No more of it is said than the workspace.
  runtime::Program workspace;
  Workspaces unused;
};

/// A product whose order may be searched for.
struct Product {
  model::Network network;
  model::ContractionPath path;
  CompileOptions options;
  /// Of the inputs and the output.
  std::vector<size_t> parameters;

  std::unique_ptr<OrderedSteps> stepsOf(const Result<AheadOrder> &order) const {
    if (!order)
      return nullptr;
    std::optional<AheadSteps> steps = AheadSteps::make(
        network, *order, parameters, options.threads.value_or(0));
    return steps ? std::make_unique<OrderedSteps>(std::move(*steps)) : nullptr;
  }
  std::unique_ptr<OrderedSteps> search() const {
    return stepsOf(
        findAheadOrder(network, path, options, hostWorkspaceAlignment));
  }
};

} // namespace

struct AheadProgram::State {
  std::unique_ptr<OrderedSteps> first;
  /// Of the last step, in the type of sums.
  std::vector<std::byte> alpha, beta;
  /// A product whose order is still to be searched for, and runs until then.
  std::unique_ptr<const Product> product;
  std::atomic<int64_t> runsLeft = 0;
  std::atomic<bool> isSearchDone = true;
  /// The order that takes over, if there is one.
  std::unique_ptr<OrderedSteps> second;
  std::atomic<OrderedSteps *> chosen = nullptr;

  bool make(Product made, Search search);
  /// Sets the factors of the last step, whose result has that type.
  void setFactors(const model::Constant &alpha, const model::Constant &beta,
                  model::ElementType output);
  /// Those of the next run.
  OrderedSteps &stepsOfRun();
};

/// Finds the first order; false if there is none.
bool AheadProgram::State::make(Product made, Search search) {
  const CompileOptions &options = made.options;
  if (search == Search::WhenItPays && !options.searchMilliseconds) {
    first = made.stepsOf(
        findRoughOrder(made.network, made.path, hostWorkspaceAlignment));
    // Calls of steps, which predictions leave out, are most of tiny ones.
    constexpr double ofCall = 3e-7;
    const auto inputs = static_cast<double>(made.network.inputs.size());
    // A limit that does not bind changes nothing.
    if (first && options.memoryLimit &&
        first->workspace.workspaceBytes > *options.memoryLimit)
      first = nullptr;
    const double ofSearch = secondsOfSearch(made.network.inputs.size());
    const double ofRun = first ? first->steps.seconds() + ofCall * inputs : 0;
    // Orders that take longer are searched for a quarter of their time.
    if (first && ofRun < 4 * ofSearch) {
      runsLeft = static_cast<int64_t>(1 + ofSearch / ofRun);
      isSearchDone = false;
      product = std::make_unique<const Product>(std::move(made));
      chosen = first.get();
      return true;
    }
  }
  first = made.search();
  chosen = first.get();
  return first != nullptr;
}

void AheadProgram::State::setFactors(const model::Constant &ofProduct,
                                     const model::Constant &ofOutput,
                                     model::ElementType output) {
  const model::ElementType type = model::accumulatorTypeOf(output);
  alpha = runtime::bytesOf(ofProduct, type);
  beta = runtime::bytesOf(ofOutput, type);
}

OrderedSteps &AheadProgram::State::stepsOfRun() {
  // One run searches, and others go on as before meanwhile.
  if (runsLeft.load(std::memory_order_relaxed) > 0 &&
      runsLeft.fetch_sub(1, std::memory_order_relaxed) == 1) {
    // More memory than the caller was told of is taken where it is little.
    constexpr int64_t fewBytes = int64_t(1) << 26;
    second = product->search();
    if (second && second->workspace.workspaceBytes <=
                      std::max(fewBytes, first->workspace.workspaceBytes))
      chosen.store(second.get(), std::memory_order_release);
    product.reset();
    isSearchDone.store(true, std::memory_order_release);
  }
  return *chosen.load(std::memory_order_acquire);
}

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

/// A contiguous tensor that a program takes.
static runtime::ProgramParameter parameterOf(std::string name,
                                             model::ElementType type,
                                             std::vector<int64_t> extents) {
  runtime::ProgramParameter parameter;
  parameter.name = std::move(name);
  parameter.type = type;
  parameter.extents = std::move(extents);
  parameter.strides = model::contiguousStrides(parameter.extents);
  parameter.alignment = model::byteWidth(model::realTypeOf(type));
  return parameter;
}

/// The tensors that a program takes.
static std::vector<runtime::ProgramParameter>
parametersOf(const notation::ParsedProgram &program,
             const std::vector<unsigned> &numbers) {
  std::vector<runtime::ProgramParameter> parameters;
  for (unsigned number : numbers) {
    const notation::ProgramTensor &tensor = program.tensors[number];
    runtime::ProgramParameter &made = parameters.emplace_back(
        parameterOf(tensor.name, tensor.record.type, tensor.record.extents));
    auto contains = [&](const std::vector<unsigned> &list) {
      return std::find(list.begin(), list.end(), number) != list.end();
    };
    made.isRead = contains(program.arguments);
    made.isWritten = contains(program.results);
  }
  return parameters;
}

std::unique_ptr<AheadProgram>
AheadProgram::make(const notation::ParsedProgram &program,
                   const CompileOptions &options, Between between,
                   Search search) {
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
  made->state = std::make_unique<State>();
  State &state = *made->state;
  const model::TensorRecord &output = product.product.record.tensors[Tensor::C];
  if (isEmpty(product.product)) {
    AheadSteps scaled(scaledOutputOf(output),
                      {{parameters[0], parameters[1], parameters.back()}},
                      options.threads.value_or(0));
    state.first = std::make_unique<OrderedSteps>(std::move(scaled));
    state.chosen = state.first.get();
  } else {
    std::optional<model::Network> network = networkOf(product.product);
    if (!network || !state.make({std::move(*network), product.path, options,
                                 std::move(parameters)},
                                search))
      return nullptr;
  }
  described.workspaceBytes = state.first->workspace.workspaceBytes;
  const model::ContractionRecord &record = product.product.record;
  state.setFactors(record.alpha.value, record.beta.value, output.type);
  return made;
}

std::unique_ptr<AheadProgram> AheadProgram::make(std::string name,
                                                 model::Network network,
                                                 model::ContractionPath path,
                                                 const CompileOptions &options,
                                                 Search search) {
  std::unique_ptr<AheadProgram> made(new AheadProgram());
  runtime::Program &described = made->described;
  described.workspaceAlignment = hostWorkspaceAlignment;
  described.name = std::move(name);
  const size_t inputs = network.inputs.size();
  std::vector<size_t> parameters(inputs + 1);
  for (size_t i = 0; i <= inputs; ++i) {
    const bool isOutput = i == inputs;
    parameters[i] = i;
    std::vector<int64_t> extents;
    for (unsigned index : isOutput ? network.output : network.inputs[i])
      extents.push_back(network.indices[index].extent);
    runtime::ProgramParameter &parameter = described.parameters.emplace_back(
        parameterOf(isOutput ? "result" : "operand" + std::to_string(i),
                    network.type, std::move(extents)));
    parameter.isRead = !isOutput;
    parameter.isWritten = isOutput;
  }
  made->state = std::make_unique<State>();
  State &state = *made->state;
  state.setFactors(1, 0, network.outputType);
  if (!state.make(
          {std::move(network), std::move(path), options, std::move(parameters)},
          search))
    return nullptr;
  described.workspaceBytes = state.first->workspace.workspaceBytes;
  return made;
}

double AheadProgram::seconds() const { return state->first->steps.seconds(); }

bool AheadProgram::isSearchDone() const {
  return state->isSearchDone.load(std::memory_order_acquire);
}

Status AheadProgram::run(const std::vector<const void *> &tensors,
                         void *workspace) const {
  OrderedSteps &ordered = state->stepsOfRun();
  const int64_t bytes = ordered.workspace.workspaceBytes;
  Workspace own;
  char none = 0;
  if (bytes == 0) {
    workspace = &none;
  } else if (!workspace || bytes > described.workspaceBytes) {
    own = ordered.unused.take(ordered.workspace);
    if (!own)
      return lackOfWorkspace(bytes);
    workspace = own.get();
  }
  Status status;
  if (ordered.steps.run(tensors, static_cast<char *>(workspace),
                        state->alpha.data(),
                        state->beta.data()) == cpu::Outcome::OutOfMemory)
    status = Error{"there is no memory for the panels of a contraction"};
  if (own)
    ordered.unused.giveBack(std::move(own));
  return status;
}
