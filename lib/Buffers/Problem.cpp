//===- Problem.cpp - One kernel's operands ----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Buffers/Problem.h"
#include "tc/Package/DynamicShape.h"
#include "tc/Problem/Semiring.h"
#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <tuple>
#include <unistd.h>

using namespace tc;
using namespace tc::runtime;

/// The nearest number of a type that holds the constant.
static model::Constant roundTo(model::ElementType type,
                               const model::Constant &constant) {
  if (model::realTypeOf(type) != model::ElementType::F32)
    return constant;
  return {static_cast<float>(constant.real()),
          static_cast<float>(constant.imag())};
}

Status tc::runtime::checkHostMemory(const std::string &what, int64_t bytes) {
  int64_t present =
      saturatingMultiply(sysconf(_SC_PHYS_PAGES), sysconf(_SC_PAGESIZE));
  if (bytes > present)
    return Error{what + " " + std::to_string(bytes) +
                 " bytes, the machine has " + std::to_string(present)};
  return {};
}

/// Beyond that many bytes, one in so many of the bytes that a tensor spans must
/// be of use: gaps are filled, too, and a stride may be a mistake.
static constexpr int64_t maxSparseBytes = int64_t(1) << 28;
static constexpr int64_t maxBytesForOneOfUse = 64;

Status tc::runtime::checkTensorMemory(
    const std::vector<const TensorArgument *> &tensors) {
  int64_t wanted = 0;
  Status sparse;
  for (const TensorArgument *tensor : tensors) {
    Result<Geometry> geometry = geometryOf(*tensor);
    if (!geometry)
      return Error{geometry.error()};
    int64_t ofUse = model::byteWidth(model::realTypeOf(tensor->type));
    int64_t bytes = saturatingMultiply(geometry->bufferElements(), ofUse);
    wanted = saturatingAdd(wanted, bytes);
    for (const Dimension &dim : geometry->dims)
      if (dim.stride != 0)
        ofUse = saturatingMultiply(ofUse, dim.extent);
    if (bytes > maxSparseBytes && ofUse < bytes / maxBytesForOneOfUse)
      sparse = Error{
          "tensor " + tensor->name + " spreads " + std::to_string(ofUse) +
          " bytes over " + std::to_string(bytes) + ": beyond " +
          std::to_string(maxSparseBytes) + ", at most " +
          std::to_string(maxBytesForOneOfUse) + " times as many are filled"};
  }
  if (Status status = checkHostMemory("the tensors need", wanted); !status)
    return status;
  return sparse;
}

Result<Problem> tc::runtime::makeProblem(const Kernel &kernel,
                                         const ProblemOptions &options) {
  std::vector<const TensorArgument *> held = tensorsOf(kernel);
  // A check computes elements that stay on the chip.
  for (unsigned node = 1; node <= kernel.others.size(); ++node)
    if (!placesOf(kernel, node)[2])
      held.push_back(&contractionAt(kernel, node).tensors[2]);
  if (Status status = checkTensorMemory(held); !status)
    return Error{status.error()};
  Problem problem;
  model::ElementType type = kernel.accumulatorType;
  problem.seed = options.seed;
  problem.saturates = !kernel.nonsaturating;
  for (auto [name, scalar, given, factor] :
       {std::tuple("alpha", &kernel.alpha, &options.alpha, &problem.alpha),
        std::tuple("beta", &kernel.beta, &options.beta, &problem.beta)}) {
    const model::Constant &value = scalar->isArgument ? *given : scalar->value;
    if (Status status = model::checkConstant(value, type); !status)
      return Error{std::string(name) + ": " + status.error()};
    *factor = roundTo(type, value);
  }
  // An epilogue may read C where beta is zero.
  bool readsC = problem.beta != model::zeroOf(kernel.semiring, type) ||
                epilogueReadsC(kernel);
  for (const TensorArgument *argument : tensorsOf(kernel)) {
    bool poison = argument->isWritten && !readsC;
    auto stream = static_cast<uint32_t>(problem.tensors.size());
    Result<HostTensor> tensor = HostTensor::create(
        *argument, poison ? Contents::Poison : Contents::Random,
        Random(options.seed, stream), options.workers, options.written);
    if (!tensor)
      return Error{tensor.error()};
    problem.tensors.push_back(std::move(*tensor));
  }
  return problem;
}

uint64_t tc::runtime::freshSeed() {
  std::random_device device;
  // Short enough to be typed again.
  return device() % 1'000'000'000;
}

std::vector<std::byte> tc::runtime::bytesOf(const model::Constant &number,
                                            model::ElementType type) {
  std::vector<std::byte> bytes;
  auto append = [&](double part) {
    dispatch(type, [&](auto zero) {
      using T = decltype(zero);
      T typed;
      if constexpr (std::is_integral_v<T>)
        typed = static_cast<T>(model::integerOf(number, type));
      else
        typed = static_cast<T>(part);
      const auto *first = reinterpret_cast<const std::byte *>(&typed);
      bytes.insert(bytes.end(), first, first + sizeof(typed));
    });
  };
  append(number.real());
  if (model::isComplex(type))
    append(number.imag());
  return bytes;
}

void tc::runtime::fill(std::byte *to, size_t bytes,
                       const model::Constant &number, model::ElementType type) {
  std::vector<std::byte> element = bytesOf(number, type);
  // Twice as many each time.
  size_t done = std::min(bytes, element.size());
  std::memcpy(to, element.data(), done);
  while (done < bytes) {
    size_t more = std::min(done, bytes - done);
    std::memcpy(to + done, to, more);
    done += more;
  }
}

std::vector<std::byte> tc::runtime::makeConstant(const model::Constant &number,
                                                 const TensorArgument &tensor) {
  std::vector<std::byte> values(static_cast<size_t>(bufferBytesOf(tensor)));
  fill(values.data(), values.size(), number, tensor.type);
  return values;
}

std::vector<std::vector<std::byte>>
tc::runtime::scalarArguments(const Kernel &kernel, const Problem &problem) {
  std::vector<std::vector<std::byte>> arguments;
  auto append = [&](const Scalar &scalar, const model::Constant &value) {
    if (scalar.isArgument)
      arguments.push_back(bytesOf(value, kernel.accumulatorType));
  };
  append(kernel.alpha, problem.alpha);
  append(kernel.beta, problem.beta);
  for (std::vector<std::byte> &argument : shapeArguments(kernel))
    arguments.push_back(std::move(argument));
  return arguments;
}
