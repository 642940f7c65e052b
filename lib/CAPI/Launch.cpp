//===- Launch.cpp - Compiled contractions on devices, in C ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "CompiledContraction.h"
#include "LaunchErrors.h"

#include <algorithm>

using namespace tc;
using namespace tc::capi;
using model::Tensor;

/// The elements of a tensor without gaps or overlaps; nothing for others.
static std::optional<int64_t> denseElements(const model::TensorRecord &tensor) {
  std::vector<std::pair<int64_t, int64_t>> dimensions;
  for (size_t i = 0; i < tensor.extents.size(); ++i)
    if (tensor.extents[i] > 1)
      dimensions.emplace_back(std::abs(tensor.strides[i]), tensor.extents[i]);
  std::sort(dimensions.begin(), dimensions.end());
  int64_t elements = 1;
  for (auto [stride, extent] : dimensions) {
    if (stride != elements)
      return std::nullopt;
    elements *= extent;
  }
  return elements;
}

/// Rest of the work where nothing is multiplied, if that is zeros.
static TcError *launchEmpty(const Problem &problem, void *c, void *stream) {
  const model::TensorRecord &tensor = problem.record.tensors[Tensor::C];
  if (isEmpty(tensor))
    return nullptr;
  std::optional<int64_t> elements = denseElements(tensor);
  bool isZero = problem.record.semiring == model::Semiring::PlusTimes &&
                !problem.fused.epilogue && !problem.record.beta.isArgument &&
                problem.record.beta.value == 0.0;
  if (!elements || !isZero)
    return makeError(TC_ERROR_UNSUPPORTED,
                     "an extent that is summed over is zero: on a device C can "
                     "be filled with zeros then, if it has no gaps, beta is "
                     "zero, the semiring is plus_times and there is no "
                     "epilogue");
  if (!c)
    return invalid("the pointer of C is NULL");
  return toError(runtime::clear(
      const_cast<void *>(beginOf(tensor, c)),
      static_cast<size_t>(*elements * model::byteWidth(tensor.type)), "C",
      stream));
}

TcError *tcContractionLaunch(const TcContraction *contraction, const void *a,
                             const void *b, void *c, const void *alpha,
                             const void *beta, const TcAuxiliary *auxiliaries,
                             int32_t count, void *stream) {
  return guard([&]() -> TcError * {
    if (!contraction)
      return invalid("tcContractionLaunch: contraction is NULL");
    if (count < 0 || (count > 0 && !auxiliaries))
      return invalid(
          "tcContractionLaunch: auxiliaries is NULL, but there are " +
          std::to_string(count));
    if (!contraction->device)
      return makeError(TC_ERROR_UNSUPPORTED,
                       "the contraction is compiled for target 'cpu': run it "
                       "with tcContractionRun, or compile for a GPU");
    const Problem &problem = contraction->problem;
    if (Status status = checkFactors(problem, alpha, beta); !status)
      return invalid(status.error());
    if (problem.operands == 1 && b)
      return invalid("b is given, but the specification has one operand");
    std::vector<const void *> auxiliaryPointers(problem.auxiliaries.size());
    Status taken =
        takeAuxiliaries(problem, auxiliaries, count,
                        [&](size_t number, const void *zero) -> Status {
                          if (zero)
                            auxiliaryPointers[number] =
                                beginOf(problem.auxiliaries[number], zero);
                          return {};
                        });
    if (!taken)
      return invalid(taken.error());
    if (!contraction->launcher)
      return launchEmpty(problem, c, stream);
    if (problem.operands == 2 && !b)
      return invalid("the pointer of B is NULL");

    std::vector<const void *> tensors = {a, b, c};
    for (Tensor t : model::allTensors) {
      const void *&pointer = tensors[static_cast<unsigned>(t)];
      if (pointer)
        pointer = beginOf(problem.record.tensors[t], pointer);
    }
    tensors.insert(tensors.end(), auxiliaryPointers.begin(),
                   auxiliaryPointers.end());
    runtime::LaunchArguments arguments;
    arguments.tensors = tensors.data();
    arguments.count = tensors.size();
    arguments.alpha = alpha;
    arguments.beta = beta;
    arguments.stream = stream;
    return toError(contraction->launcher->launch(0, arguments));
  });
}
