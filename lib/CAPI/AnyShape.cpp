//===- AnyShape.cpp - Contractions whose shape each run says --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AnyShape.h"

#include "Ahead.h"
#include "Arguments.h"
#include "CompiledContraction.h"
#include "Error.h"

#include "tc/Buffers/Problem.h"
#include "tc/CpuRuntime/Contraction.h"
#include "tc/Problem/Overlap.h"
#include "tc/Support/Arithmetic.h"

#include <map>

using namespace tc;
using namespace tc::capi;

static std::string nameOf(size_t tensor) {
  return std::string(1, "ABC"[tensor]);
}

Result<AnyShape> capi::makeAnyShape(const char *spec, const TcTensor *tensors,
                                    const TcOptions &options) {
  auto refuse = [](const std::string &what) {
    return Error{"option 'dynamic-shapes': of a CPU, ahead-of-time "
                 "kernels take " +
                 what};
  };
  const notation::FusedExpressions &fused = options.fused;
  if (options.chosenSemiring() != model::Semiring::PlusTimes ||
      options.userSemiring.any())
    return refuse("no other semiring than plus_times");
  if (fused.prologueA || fused.prologueB || fused.epilogue)
    return refuse("no prologues and epilogues");
  if (!options.schedule.empty() || options.strategy != "auto" ||
      options.workspaceLimit)
    return refuse("none of options 'schedule', 'strategy' and "
                  "'workspace-limit'");
  AnyShape made;
  std::array<TcTensor, 3> open = {};
  const std::vector<int64_t> ones(notation::maxRank, 1);
  for (size_t i = 0; i < open.size(); ++i) {
    open[i] = {tensors[i].type, tensors[i].rank, ones.data(), nullptr};
    // Without a second operand, nothing is read of it.
    Result<TensorDescription> copied = copy(tensors[i]);
    if (copied)
      made.given[i] = {std::move(copied->extents), std::move(copied->strides)};
  }
  Result<Problem> problem = makeProblem(spec, open.data(), options);
  if (!problem)
    return Error{problem.error()};
  made.problem = std::move(*problem);
  const model::ElementType sums = made.problem.scalarType();
  made.alpha = runtime::bytesOf(made.problem.record.alpha.value, sums);
  made.beta = runtime::bytesOf(made.problem.record.beta.value, sums);
  made.threads = options.threads.value_or(0);
  return made;
}

/// The shapes of a run. Nothing is read of an array whose length is not known.
static Result<GivenShapes> readShapes(const AnyShape &contraction,
                                      const TcTensorShape *shapes) {
  GivenShapes given;
  for (size_t i = 0; i < given.size(); ++i) {
    if (i == 1 && contraction.problem.operands == 1)
      continue;
    const size_t rank = contraction.problem.record.tensors[i].labels.size();
    if (rank == 0)
      continue;
    if (!shapes[i].extents)
      return Error{"the extents of " + nameOf(i) + " are NULL"};
    given[i].extents.assign(shapes[i].extents, shapes[i].extents + rank);
    if (shapes[i].strides)
      given[i].strides.emplace(shapes[i].strides, shapes[i].strides + rank);
  }
  return given;
}

namespace {

/// The extent of an index, and where it was found.
struct Extent {
  int64_t extent;
  size_t dimension, tensor;
  std::string text() const {
    return std::to_string(extent) + " in dimension " +
           std::to_string(dimension) + " of " + nameOf(tensor);
  }
};
using Extents = std::map<std::string, Extent>;

} // namespace

/// The extents of all indices. Those of one in A and B go with any other.
static Result<Extents> findExtents(const AnyShape &contraction,
                                   const GivenShapes &shapes) {
  Extents found;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const auto &labels = contraction.problem.record.tensors[i].labels;
    for (size_t dim = 0; dim < labels.size(); ++dim) {
      Extent here = {shapes[i].extents[dim], dim, i};
      if (here.extent < 0)
        return Error{nameOf(i) + ": extent " + std::to_string(here.extent) +
                     " of dimension " + std::to_string(dim) + " is negative"};
      auto [place, isNew] = found.try_emplace(labels[dim], here);
      Extent &there = place->second;
      if (isNew || there.extent == here.extent)
        continue;
      if (there.extent == 1 && i != 2)
        there = here;
      else if (here.extent != 1 || i == 2)
        return Error{"index '" + labels[dim] + "' has extent " + there.text() +
                     " and " + here.text()};
    }
  }
  return found;
}

/// The problem that the shapes make of the contraction.
static Result<cpu::Problem> bindShapes(const AnyShape &contraction,
                                       const GivenShapes &shapes) {
  const Problem &problem = contraction.problem;
  Result<Extents> extents = findExtents(contraction, shapes);
  if (!extents)
    return Error{extents.error()};
  std::map<std::string, cpu::Index> indices;
  for (const auto &[label, extent] : *extents)
    indices[label].extent = extent.extent;
  cpu::Problem bound;
  for (size_t i = 0; i < shapes.size(); ++i) {
    model::TensorRecord tensor = problem.record.tensors[i];
    tensor.extents = shapes[i].extents;
    if (i == 1 && problem.operands == 1)
      tensor.extents.clear();
    tensor.strides =
        shapes[i].strides.value_or(model::contiguousStrides(tensor.extents));
    int64_t reach = 0;
    for (size_t dim = 0; dim < tensor.extents.size(); ++dim) {
      if (tensor.extents[dim] == 1)
        continue;
      reach = saturatingAdd(
          reach,
          saturatingMultiply(std::max<int64_t>(tensor.extents[dim] - 1, 0),
                             magnitude(tensor.strides[dim])));
      indices[tensor.labels[dim]].stride[i] += tensor.strides[dim];
    }
    if (saturatingMultiply(reach, model::byteWidth(tensor.type)) == saturated)
      return Error{nameOf(i) + ": its strides exceed 64 bits"};
    if (i == 2)
      if (auto overlap = model::describeOverlap(tensor.extents, tensor.strides,
                                                tensor.labels))
        return Error{"elements of C overlap: " + *overlap};
    bound.elementType[i] = tensor.type;
    bound.conjugates[i] = problem.record.conjugates[i];
  }
  bound.accumulatorType = problem.scalarType();
  bound.saturates = problem.saturates;
  for (const auto &[label, index] : indices)
    bound.add(index.extent, index.stride);
  return bound;
}

/// Checks a pointer, which is needed if all extents of its indices are not
/// zero.
static Status checkPointer(const AnyShape &contraction,
                           const GivenShapes &shapes, size_t tensor,
                           const void *pointer) {
  for (int64_t extent : shapes[tensor].extents)
    if (extent == 0)
      return {};
  model::ElementType type = contraction.problem.record.tensors[tensor].type;
  int64_t alignment = model::byteWidth(model::realTypeOf(type));
  if (!pointer)
    return Error{"the pointer of " + nameOf(tensor) + " is NULL"};
  if (reinterpret_cast<uintptr_t>(pointer) % static_cast<uintptr_t>(alignment))
    return Error{
        "the pointer of " + nameOf(tensor) + " is no multiple of the " +
        std::to_string(alignment) + " bytes of " +
        (model::isComplex(type) ? "a part of an element" : "an element")};
  return {};
}

TcError *capi::runOnShapes(const AnyShape &contraction,
                           const TcTensorShape *shapes, const void *a,
                           const void *b, void *c, const void *alpha,
                           const void *beta) {
  const Problem &problem = contraction.problem;
  if (Status status = checkFactors(problem, alpha, beta); !status)
    return invalid(status.error());
  if (problem.operands == 1) {
    if (b)
      return invalid("b is given, but the specification has one operand");
    b = problem.one.data();
  }
  Result<GivenShapes> given =
      shapes ? readShapes(contraction, shapes) : contraction.given;
  if (!given)
    return invalid(given.error());
  Result<cpu::Problem> bound = bindShapes(contraction, *given);
  if (!bound)
    return invalid(bound.error());
  const std::array<const void *, 3> pointers = {a, b, c};
  for (size_t i = 0; i < pointers.size(); ++i)
    if (Status status = checkPointer(contraction, *given, i, pointers[i]);
        !status)
      return invalid(status.error());
  cpu::Contraction run(*bound, contraction.threads);
  if (run.run(a, b, c, alpha ? alpha : contraction.alpha.data(),
              beta ? beta : contraction.beta.data()) ==
      cpu::Outcome::OutOfMemory)
    return outOfPanels();
  return nullptr;
}

TcError *tcContractionRunShaped(const TcContraction *contraction,
                                const TcTensorShape shapes[3], const void *a,
                                const void *b, void *c, const void *alpha,
                                const void *beta) {
  return guard([&]() -> TcError * {
    if (!contraction || !shapes)
      return invalid("tcContractionRunShaped: an argument is NULL");
    if (!contraction->anyShape)
      return makeError(TC_ERROR_UNSUPPORTED,
                       "the contraction is compiled for one shape or for a "
                       "GPU: compile for target 'cpu' with option "
                       "'dynamic-shapes'");
    return runOnShapes(*contraction->anyShape, shapes, a, b, c, alpha, beta);
  });
}
