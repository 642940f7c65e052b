//===- TraceProgram.cpp - Programs from host code -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/HostCode/TraceProgram.h"
#include "HostTracer.h"
#include "OpenProgram.h"
#include "tc/HostCode/ProgramResults.h"

#include "tc/Dialect/TC/IR/ParameterNames.h"
#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Package/Geometry.h"
#include "tc/Package/PackageFormat.h"
#include "tc/Package/Versions.h"
#include "tc/Program/MemoryPlan.h"
#include "tc/Support/Arithmetic.h"

#include <set>

using namespace tc;
using namespace tc::runtime;
namespace func = mlir::func;

namespace {

/// Makes a program of the steps that a function was seen to take.
class ProgramMaker {
public:
  ProgramMaker(func::FuncOp function, const std::vector<Kernel> &kernels,
               HostTracer &tracer, int64_t workspaceAlignment)
      : function(function), kernels(kernels), tracer(tracer) {
    program.workspaceAlignment = workspaceAlignment;
  }

  Result<Program> run();

private:
  ProgramParameter makeParameter(MemRefType type, std::string name);
  Status addResults();
  Status addCopiesOfResults();
  Status addLaunch(const TracedStep &traced);
  Status addCopy(const TracedStep &traced);
  void noteExtents(ProgramStep &step,
                   const std::vector<int64_t> &extents) const;
  Result<ProgramPlace> placeOf(const TracedAddress &address);
  std::optional<size_t> findOverwritten(size_t number);
  Status placeTemporaries();
  void findAccess();
  void readExtents();

  /// A result that is another parameter, too, or a constant.
  struct ResultCopy {
    size_t buffer;
    size_t parameter;
    int64_t bytes;
  };

  func::FuncOp function;
  const std::vector<Kernel> &kernels;
  HostTracer &tracer;
  Program program;
  std::vector<ResultCopy> copies;
  /// The final contents of arguments. They are copied last, so that others
  /// still read the earlier ones.
  std::vector<ResultCopy> updates;
  /// For each step, the buffers behind its places, and last its workspace's.
  std::vector<std::vector<size_t>> buffersOfSteps;
};

} // namespace

ProgramParameter ProgramMaker::makeParameter(MemRefType type,
                                             std::string name) {
  ProgramParameter parameter;
  parameter.name = std::move(name);
  parameter.type = *getModelElementType(type.getElementType());
  parameter.extents.assign(type.getShape().begin(), type.getShape().end());
  auto [strides, offset] = type.getStridesAndOffset();
  parameter.strides.assign(strides.begin(), strides.end());
  parameter.offset = offset;
  parameter.alignment = model::byteWidth(model::realTypeOf(parameter.type));
  parameter.isRead = parameter.isWritten = false;
  return parameter;
}

Status ProgramMaker::addResults() {
  ProgramResults results(function);
  for (auto [number, address] : llvm::enumerate(tracer.listResults())) {
    TracedBuffer &buffer = tracer.buffers[address.buffer];
    bool isArgument = buffer.kind == TracedBuffer::Kind::Parameter &&
                      buffer.parameter < function.getNumArguments();
    std::optional<StringRef> argument;
    if (isArgument)
      argument = program.parameters[buffer.parameter].name;
    ResultRole role =
        results.roleOf(number, address.buffer, argument,
                       buffer.kind == TracedBuffer::Kind::Allocated);
    if (role == ResultRole::Argument)
      continue;
    auto type = cast<MemRefType>(function.getResultTypes()[number]);
    bool isWhole = address.base == 0 && address.offset == 0 &&
                   type.getLayout().isIdentity();
    if (!isWhole)
      return Error{"result " + std::to_string(number) + " is no whole buffer"};
    if (role == ResultRole::Update) {
      updates.push_back(
          {address.buffer, *results.argumentOf(number),
           type.getNumElements() *
               model::byteWidth(*getModelElementType(type.getElementType()))});
      continue;
    }
    ProgramParameter parameter = makeParameter(type, results.nameOf(number));
    if (role == ResultRole::Copy) {
      copies.push_back(
          {address.buffer, program.parameters.size(),
           type.getNumElements() * model::byteWidth(parameter.type)});
    } else {
      buffer.kind = TracedBuffer::Kind::Parameter;
      buffer.parameter = program.parameters.size();
    }
    program.parameters.push_back(std::move(parameter));
  }
  return {};
}

/// Copies what results have in common, and what becomes of arguments.
Status ProgramMaker::addCopiesOfResults() {
  copies.insert(copies.end(), updates.begin(), updates.end());
  std::set<size_t> overwritten;
  for (const ResultCopy &copy : copies) {
    const TracedBuffer &buffer = tracer.buffers[copy.buffer];
    ProgramStep step;
    step.bytes = copy.bytes;
    step.tensors.resize(2);
    if (step.bytes == 0)
      continue;
    if (buffer.kind == TracedBuffer::Kind::Constant)
      step.type = buffer.type;
    if (buffer.kind == TracedBuffer::Kind::Parameter &&
        overwritten.count(buffer.parameter))
      return Error{"argument " + program.parameters[buffer.parameter].name +
                   " is returned where it is overwritten"};
    buffersOfSteps.emplace_back();
    TracedAddress address;
    address.buffer = copy.buffer;
    Result<ProgramPlace> from = placeOf(address);
    if (!from)
      return Error{from.error()};
    step.tensors[0] = *from;
    ProgramPlace &to = step.tensors[1];
    to.kind = ProgramPlace::Kind::Parameter;
    to.parameter = copy.parameter;
    overwritten.insert(copy.parameter);
    noteExtents(step, program.parameters[copy.parameter].extents);
    program.steps.push_back(std::move(step));
  }
  return {};
}

Result<ProgramPlace> ProgramMaker::placeOf(const TracedAddress &address) {
  const TracedBuffer &buffer = tracer.buffers[address.buffer];
  ProgramPlace place;
  place.offset = address.base;
  switch (buffer.kind) {
  case TracedBuffer::Kind::Parameter:
    place.kind = ProgramPlace::Kind::Parameter;
    place.parameter = buffer.parameter;
    break;
  case TracedBuffer::Kind::Allocated:
    place.kind = ProgramPlace::Kind::Workspace;
    break;
  case TracedBuffer::Kind::Constant:
    place.kind = ProgramPlace::Kind::Constant;
    place.constant = buffer.constant;
    if (address.base != 0)
      return Error{"a part of a constant is read"};
    place.offset = 0;
    break;
  }
  buffersOfSteps.back().push_back(address.buffer);
  return place;
}

/// The number of a factor that is an argument: of complex ones, the parts may
/// be numbers of their own.
static std::optional<model::Constant>
takeFactor(const std::vector<model::Constant> &numbers, size_t &next,
           bool isInParts) {
  if (next >= numbers.size() || (isInParts && next + 1 >= numbers.size()))
    return std::nullopt;
  if (!isInParts)
    return numbers[next++];
  next += 2;
  return model::Constant(numbers[next - 2].real(), numbers[next - 1].real());
}

Status ProgramMaker::addLaunch(const TracedStep &traced) {
  const Kernel &kernel = kernels[*traced.kernel];
  std::vector<const TensorArgument *> tensors = tensorsOf(kernel);
  size_t expected = tensors.size() + (kernel.workspace ? 1 : 0);
  if (traced.tensors.size() != expected)
    return Error{"kernel " + kernel.entry + " is launched with " +
                 std::to_string(traced.tensors.size()) + " buffers, not " +
                 std::to_string(expected)};
  ProgramStep step;
  step.kernel = traced.kernel;
  buffersOfSteps.emplace_back();
  for (size_t i = 0; i < tensors.size(); ++i) {
    Result<ProgramPlace> place = placeOf(traced.tensors[i]);
    if (!place)
      return Error{place.error()};
    if (place->kind == ProgramPlace::Kind::Constant &&
        bufferBytesOf(*tensors[i]) > maxConstantBytes)
      return Error{"a constant has more than " +
                   std::to_string(maxConstantBytes) + " B"};
    if (place->kind == ProgramPlace::Kind::Parameter) {
      int64_t &alignment = program.parameters[place->parameter].alignment;
      alignment = std::max(alignment, tensors[i]->alignment);
    }
    step.tensors.push_back(*place);
  }
  if (kernel.dynamicShape && program.extents.empty())
    return Error{"kernel " + kernel.entry + " takes its shape at run time"};
  // Not the one that the host code allocates, which knows of no versions.
  if (std::optional<Workspace> workspace =
          workspaceOfVersions(kernels, *traced.kernel)) {
    buffersOfSteps.back().push_back(tracer.buffers.size());
    tracer.buffers.emplace_back().bytes = workspace->bytes;
    step.workspace = 0;
  }
  size_t factors =
      (kernel.alpha.isArgument ? 1 : 0) + (kernel.beta.isArgument ? 1 : 0);
  bool isInParts = factors > 0 && traced.numbers.size() == 2 * factors &&
                   !kernel.dynamicShape;
  size_t next = 0;
  if (kernel.alpha.isArgument)
    step.alpha = takeFactor(traced.numbers, next, isInParts);
  if (kernel.beta.isArgument)
    step.beta = takeFactor(traced.numbers, next, isInParts);
  // The others are its shape.
  if (next != traced.numbers.size() && !kernel.dynamicShape)
    return Error{"kernel " + kernel.entry + " is launched with " +
                 std::to_string(traced.numbers.size()) + " numbers"};
  program.steps.push_back(std::move(step));
  return {};
}

/// Notes the extents of what a copy writes, if runs say extents.
void ProgramMaker::noteExtents(ProgramStep &step,
                               const std::vector<int64_t> &extents) const {
  if (!program.extents.empty())
    for (int64_t extent : extents)
      step.extents.push_back({"", extent});
}

Status ProgramMaker::addCopy(const TracedStep &traced) {
  ProgramStep step;
  step.bytes = traced.bytes;
  noteExtents(step, traced.extents);
  step.type = tracer.buffers[traced.tensors.front().buffer].type;
  buffersOfSteps.emplace_back();
  for (const TracedAddress &address : traced.tensors) {
    Result<ProgramPlace> place = placeOf(address);
    if (!place)
      return Error{place.error()};
    if (place->kind == ProgramPlace::Kind::Constant &&
        place->constant != model::Constant(0) && step.bytes > maxConstantBytes)
      return Error{"a constant has more than " +
                   std::to_string(maxConstantBytes) + " B"};
    step.tensors.push_back(*place);
  }
  program.steps.push_back(std::move(step));
  return {};
}

/// The buffer that a step writes as a whole, and of which nothing else in the
/// step is.
std::optional<size_t> ProgramMaker::findOverwritten(size_t number) {
  const ProgramStep &step = program.steps[number];
  const std::vector<size_t> &used = buffersOfSteps[number];
  auto isWhole = [&](size_t tensor) {
    const ProgramPlace &place = step.tensors[tensor];
    if (place.kind != ProgramPlace::Kind::Workspace || place.offset != 0 ||
        llvm::count(used, used[tensor]) != 1)
      return false;
    int64_t bytes = tracer.buffers[used[tensor]].bytes;
    if (!step.kernel)
      return tensor == 1 && step.bytes == bytes;
    const Kernel &kernel = kernels[*step.kernel];
    const TensorArgument &written = *tensorsOf(kernel)[tensor];
    Result<Geometry> geometry = geometryOf(written);
    return written.isWritten && !readsOutput(kernel, step) && geometry &&
           geometry->isDense() && bufferBytesOf(written) == bytes;
  };
  for (size_t tensor = 0; tensor < step.tensors.size(); ++tensor)
    if (isWhole(tensor))
      return used[tensor];
  return std::nullopt;
}

/// Places the contents that buffers hold from one step to another.
/// Bufferization takes one buffer for several temporaries: contents that
/// overwrite one as a whole begin a life of their own, which has a place of its
/// own.
Status ProgramMaker::placeTemporaries() {
  std::vector<model::BufferLifetime> lives;
  std::vector<std::optional<size_t>> lifeOf(tracer.buffers.size());
  std::vector<std::vector<size_t>> livesOfSteps(program.steps.size());
  for (size_t step = 0; step < program.steps.size(); ++step) {
    std::optional<size_t> overwritten = findOverwritten(step);
    for (size_t buffer : buffersOfSteps[step]) {
      std::optional<size_t> &life = lifeOf[buffer];
      if (tracer.buffers[buffer].kind != TracedBuffer::Kind::Allocated) {
        livesOfSteps[step].push_back(0);
        continue;
      }
      if (!life || overwritten == buffer) {
        life = lives.size();
        lives.push_back({step, step, tracer.buffers[buffer].bytes});
      }
      lives[*life].last = step;
      livesOfSteps[step].push_back(*life);
    }
  }
  if (!program.extents.empty())
    return openProgram(program, kernels, {lives, livesOfSteps});
  Result<model::BufferPlan> plan =
      model::placeBuffers(lives, program.workspaceAlignment);
  if (!plan)
    return Error{plan.error()};
  program.workspaceBytes = plan->bytes;
  for (size_t i = 0; i < program.steps.size(); ++i) {
    ProgramStep &step = program.steps[i];
    for (size_t tensor = 0; tensor < step.tensors.size(); ++tensor)
      if (step.tensors[tensor].kind == ProgramPlace::Kind::Workspace)
        step.tensors[tensor].offset += plan->offsets[livesOfSteps[i][tensor]];
    if (step.workspace)
      *step.workspace += plan->offsets[livesOfSteps[i].back()];
  }
  return {};
}

/// Says of each parameter whether what the caller gives is read. Of results,
/// nothing is; of an argument, nothing that was written whole before.
void ProgramMaker::findAccess() {
  std::set<std::tuple<size_t, int64_t, int64_t>> written;
  size_t arguments = function.getNumArguments();
  auto access = [&](const ProgramPlace &place, int64_t bytes, bool isRead,
                    bool isWritten, bool isDense) {
    if (place.kind != ProgramPlace::Kind::Parameter)
      return;
    ProgramParameter &parameter = program.parameters[place.parameter];
    std::tuple key(place.parameter, place.offset, bytes);
    if (isRead && place.parameter < arguments && !written.count(key))
      parameter.isRead = true;
    parameter.isWritten |= isWritten;
    if (isWritten && isDense)
      written.insert(key);
  };
  for (const ProgramStep &step : program.steps) {
    if (!step.kernel) {
      access(step.tensors[0], step.bytes, true, false, true);
      access(step.tensors[1], step.bytes, false, true, true);
      continue;
    }
    const Kernel &kernel = kernels[*step.kernel];
    std::vector<const TensorArgument *> tensors = tensorsOf(kernel);
    for (bool isWrite : {false, true})
      for (size_t i = 0; i < tensors.size(); ++i)
        if (tensors[i]->isWritten == isWrite) {
          Result<Geometry> geometry = geometryOf(*tensors[i]);
          access(step.tensors[i], bufferBytesOf(*tensors[i]),
                 isWrite ? readsOutput(kernel, step) : tensors[i]->isRead,
                 isWrite, geometry && geometry->isDense());
        }
  }
}

/// Notes the extents that runs say, if the function speaks of some.
void ProgramMaker::readExtents() {
  auto extents = function->getAttrOfType<mlir::ArrayAttr>(runExtentsAttrName);
  for (Attribute pair : extents ? extents.getValue() : ArrayRef<Attribute>()) {
    ArrayRef<Attribute> extent = cast<mlir::ArrayAttr>(pair).getValue();
    program.extents.push_back(
        {cast<StringAttr>(extent.front()).str(),
         cast<mlir::IntegerAttr>(extent.back()).getInt()});
  }
}

Result<Program> ProgramMaker::run() {
  program.name = function.getName().str();
  readExtents();
  for (auto [number, argument] : llvm::enumerate(function.getArguments())) {
    auto name =
        function.getArgAttrOfType<StringAttr>(number, parameterNameAttrName);
    program.parameters.push_back(
        makeParameter(cast<MemRefType>(argument.getType()),
                      name ? name.str() : "arg" + std::to_string(number)));
  }
  if (Status status = addResults(); !status)
    return Error{status.error()};
  for (const TracedStep &step : tracer.listSteps()) {
    Status status = step.kernel ? addLaunch(step) : addCopy(step);
    if (!status)
      return Error{status.error()};
  }
  if (Status status = addCopiesOfResults(); !status)
    return Error{status.error()};
  findAccess();
  if (Status status = placeTemporaries(); !status)
    return Error{status.error()};
  for (const ProgramParameter &parameter : program.parameters)
    if (!parameter.isRead && !parameter.isWritten)
      return Error{"argument " + parameter.name + " is not used"};
  return std::move(program);
}

Result<Program> tc::traceProgram(func::FuncOp function,
                                 const std::vector<Kernel> &kernels,
                                 FindKernel findKernel,
                                 int64_t workspaceAlignment) {
  HostTracer tracer(function, findKernel);
  if (failed(tracer.run()))
    return Error{tracer.reason()};
  return ProgramMaker(function, kernels, tracer, workspaceAlignment).run();
}
