//===- AheadProgram.cpp - Products by ahead-of-time kernels ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/OnDemand/AheadProgram.h"
#include "Workspaces.h"

#include "tc/Buffers/Problem.h"
#include "tc/CpuRuntime/Contraction.h"
#include "tc/OnDemand/CallStatus.h"
#include "tc/Program/MemoryPlan.h"
#include "tc/Program/OrderSearch.h"

#include <algorithm>
#include <unordered_set>

using namespace tc;
using model::Tensor;

/// A contraction of two, and where its tensors are: parameters of the program,
/// or bytes of the workspace.
struct AheadProgram::Step {
  struct Place {
    std::optional<size_t> parameter;
    int64_t offset = 0;
  };
  cpu::Contraction contraction;
  model::PerTensor<Place> places;
};

struct AheadProgram::State {
  std::vector<Step> steps;
  /// Of the last step, in the type of sums.
  std::vector<std::byte> alpha, beta;
  Workspaces workspaces;
};

AheadProgram::AheadProgram() : state(std::make_unique<State>()) {}
AheadProgram::~AheadProgram() = default;

namespace {

/// Steps by these kernels, whose times take microseconds to tell. They are
/// those of one thread, so that no order, and no bit, depends on the number of
/// them.
class AheadTimes : public model::StepTimes {
public:
  double lowerBound(double products, double /*bytes*/) const override {
    return cpu::leastSecondsOf(products);
  }

  double estimate(double products, double bytes) const override {
    return cpu::roughSecondsOf(products, bytes);
  }

  // A search is to take a few milliseconds at most.
  size_t affordablePredictions() const override { return 100; }

protected:
  Result<double> predict(const model::Contraction &contraction) const override {
    std::optional<cpu::Problem> problem = cpu::problemOf(contraction);
    if (!problem)
      return Error{"not computed by ahead-of-time kernels"};
    return cpu::Contraction(*problem, /*threads=*/1).seconds();
  }
};

} // namespace

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

/// True if these kernels compute sums of products of the kind.
static bool isComputed(const notation::ParsedContraction &product) {
  const model::ContractionRecord &record = product.record;
  if (product.operands < 2 || record.semiring != model::Semiring::PlusTimes ||
      record.precision != model::Precision::IEEE || record.alpha.isArgument ||
      record.beta.isArgument)
    return false;
  std::vector<const model::TensorRecord *> tensors = tensorsOf(product);
  model::ElementType type = tensors.back()->type;
  // Results between have the type of sums, so that nothing else is rounded.
  return model::accumulatorTypeOf(type) == type &&
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
  problem.accumulatorType = output.type;
  problem.add(0, {{1, 1, 0}});
  std::vector<int64_t> strides = model::contiguousStrides(output.extents);
  for (size_t i = 0; i < strides.size(); ++i)
    problem.add(output.extents[i], {{0, 0, strides[i]}});
  return problem;
}

/// The order of the least time, or that of the path if there is one.
static Result<model::OrderResult>
findOrder(const model::Network &network, const model::ContractionPath &path) {
  AheadTimes times;
  // All trees of eight take three milliseconds, of fourteen a second.
  model::OrderOptions options;
  options.mostExactInputs = 8;
  options.runnersUp = 0;
  options.leastSearchSeconds = 0.002;
  if (path.empty())
    return model::searchOrder(network, times, options);
  Result<model::ContractionTree> tree = model::treeOf(network, path);
  if (!tree)
    return Error{tree.error()};
  return model::completeOrder(network, *tree, times, options);
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

std::unique_ptr<AheadProgram>
AheadProgram::make(const notation::ParsedProgram &program, unsigned threads) {
  if (program.steps.size() != 1 || !program.unknown.empty())
    return nullptr;
  const notation::ProgramStep &product = program.steps.front();
  if (!isComputed(product.product))
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
  const model::ContractionRecord &record = product.product.record;
  const model::TensorRecord &output = record.tensors[Tensor::C];
  made->state->alpha = runtime::bytesOf(record.alpha.value, output.type);
  made->state->beta = runtime::bytesOf(record.beta.value, output.type);
  auto parameterOf = [&](unsigned tensor) {
    Step::Place place;
    place.parameter = static_cast<size_t>(
        std::find(numbers.begin(), numbers.end(), tensor) - numbers.begin());
    return place;
  };
  if (isEmpty(product.product)) {
    made->state->steps.push_back(
        {cpu::Contraction(scaledOutputOf(output), threads),
         {{parameterOf(product.inputs[0]), parameterOf(product.inputs[1]),
           parameterOf(product.output)}}});
    return made;
  }

  std::optional<model::Network> network = networkOf(product.product);
  if (!network)
    return nullptr;
  Result<model::OrderResult> found = findOrder(*network, product.path);
  if (!found)
    return nullptr;
  const model::ContractionTree &tree = found->order.tree;
  Result<model::MemoryPlan> memory =
      model::planMemory(*network, tree, described.workspaceAlignment);
  if (!memory)
    return nullptr;
  described.workspaceBytes = memory->bytes;

  auto placeOf = [&](unsigned node) {
    bool isLast = node + 1 == tree.nodes.size();
    if (isLast || node < product.inputs.size())
      return parameterOf(isLast ? product.output : product.inputs[node]);
    Step::Place place;
    place.offset = memory->offsets[node];
    return place;
  };
  for (unsigned node = 0; node < tree.nodes.size(); ++node) {
    const std::vector<unsigned> &operands = tree.nodes[node].operands;
    if (operands.size() != 2)
      continue;
    Result<model::Contraction> contraction =
        model::contractionOf(*network, model::stepOf(tree, node));
    std::optional<cpu::Problem> problem;
    if (contraction)
      problem = cpu::problemOf(*contraction);
    if (!problem)
      return nullptr;
    made->state->steps.push_back(
        {cpu::Contraction(*problem, threads),
         {{placeOf(operands[0]), placeOf(operands[1]), placeOf(node)}}});
  }
  return made;
}

double AheadProgram::seconds() const {
  double seconds = 0;
  for (const Step &step : state->steps)
    seconds += step.contraction.seconds();
  return seconds;
}

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
  auto find = [&](const Step::Place &place) -> char * {
    // A parameter that is read only is not written through this.
    if (place.parameter)
      return const_cast<char *>(
          static_cast<const char *>(tensors[*place.parameter]));
    return static_cast<char *>(workspace) + place.offset;
  };
  Status status;
  for (const Step &step : state->steps) {
    bool isLast = &step == &state->steps.back();
    cpu::Outcome outcome = step.contraction.run(
        find(step.places[Tensor::A]), find(step.places[Tensor::B]),
        find(step.places[Tensor::C]), isLast ? state->alpha.data() : nullptr,
        isLast ? state->beta.data() : nullptr);
    if (outcome == cpu::Outcome::OutOfMemory) {
      status = Error{"there is no memory for the panels of a contraction"};
      break;
    }
  }
  if (own)
    state->workspaces.giveBack(std::move(own));
  return status;
}
