//===- OpenProgram.cpp - Programs that take extents -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpenProgram.h"

#include "tc/Problem/ContractionRecord.h"

#include <algorithm>
#include <set>

using namespace tc;
using namespace tc::runtime;

/// A number, or the extent that it stands for.
static int64_t openExtent(const Program &program, int64_t extent) {
  for (size_t i = 0; i < program.extents.size(); ++i)
    if (program.extents[i].representative == extent)
      return -1 - static_cast<int64_t>(i);
  return extent;
}

template <typename Tensor> static bool isContiguous(const Tensor &tensor) {
  return tensor.offset == 0 &&
         tensor.strides == model::contiguousStrides(tensor.extents);
}

/// Has a copy be of elements of a tensor whose extents it has.
static Status openCopy(const Program &program, ProgramStep &step) {
  for (const ProgramPlace &place : step.tensors)
    if (place.offset != 0)
      return Error{"a part of a tensor is copied or filled"};
  if (step.isFill() && step.tensors[0].constant != model::Constant(0))
    return Error{"a tensor is filled with another number than zero"};
  for (auto &[label, extent] : step.extents) {
    step.bytes /= extent;
    extent = openExtent(program, extent);
  }
  return {};
}

/// Notes the extents of a step's kernel.
static Status openStep(const Program &program, const Kernel &kernel,
                       ProgramStep &step) {
  if (!kernel.dynamicShape)
    return Error{"kernel " + kernel.entry + " takes no shape at run time"};
  std::set<std::string> known;
  std::vector<const TensorArgument *> tensors = tensorsOf(kernel);
  for (size_t i = 0; i < tensors.size(); ++i) {
    const TensorArgument &tensor = *tensors[i];
    std::string name = "tensor " + tensor.name + " of kernel " + kernel.entry;
    if (!isContiguous(tensor))
      return Error{name + " is not contiguous"};
    if (step.tensors[i].offset != 0)
      return Error{name + " is a part of another one"};
    if (step.tensors[i].kind == ProgramPlace::Kind::Constant &&
        !tensor.extents.empty())
      return Error{name + " is a constant with extents"};
    for (size_t dim = 0; dim < tensor.labels.size(); ++dim)
      if (known.insert(tensor.labels[dim]).second)
        step.extents.push_back(
            {tensor.labels[dim], openExtent(program, tensor.extents[dim])});
  }
  return {};
}

/// Gives each temporary, and each workspace of a kernel, the first slot whose
/// former ones are not used any more.
static void assignSlots(Program &program, const TemporaryUses &uses) {
  std::vector<size_t> slotOf, lastOfSlot;
  for (const model::BufferLifetime &life : uses.lives) {
    size_t slot = 0;
    while (slot < lastOfSlot.size() && lastOfSlot[slot] >= life.first)
      ++slot;
    lastOfSlot.resize(std::max(lastOfSlot.size(), slot + 1));
    lastOfSlot[slot] = life.last;
    slotOf.push_back(slot);
  }
  for (size_t i = 0; i < program.steps.size(); ++i) {
    ProgramStep &step = program.steps[i];
    for (size_t tensor = 0; tensor < step.tensors.size(); ++tensor)
      if (ProgramPlace &place = step.tensors[tensor];
          place.kind == ProgramPlace::Kind::Workspace)
        place.slot = slotOf[uses.livesOfSteps[i][tensor]];
    if (step.workspace)
      step.workspace =
          static_cast<int64_t>(slotOf[uses.livesOfSteps[i].back()]);
  }
}

Status tc::openProgram(Program &program, const std::vector<Kernel> &kernels,
                       const TemporaryUses &uses) {
  for (ProgramStep &step : program.steps) {
    Status status = step.kernel ? openStep(program, kernels[*step.kernel], step)
                                : openCopy(program, step);
    if (!status)
      return status;
  }
  for (ProgramParameter &parameter : program.parameters) {
    if (!isContiguous(parameter))
      return Error{"tensor " + parameter.name + " is not contiguous"};
    for (int64_t &extent : parameter.extents)
      extent = openExtent(program, extent);
    parameter.strides.assign(parameter.extents.size(), 0);
  }
  assignSlots(program, uses);
  return {};
}
