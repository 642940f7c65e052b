//===- Contraction.cpp - Compiled contractions in C -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompiledContraction.h"
#include "ElementTypes.h"
#include "Error.h"

#include "tc/Model/Semiring.h"
#include "tc/Runtime/NarrowFloat.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <type_traits>

using namespace tc;
using namespace tc::capi;
using model::Tensor;

/// Whether MLIR refuses the contraction, whatever it is compiled for.
static std::optional<std::string> whyInvalid(const Source &source) {
  DialectRegistry registry;
  registerAllTC(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  if (auto module = makeModule(context, source); !module)
    return module.error();
  return std::nullopt;
}

TcError *tcContractionCompile(const char *spec, const TcTensor tensors[3],
                              const TcOptions *options,
                              TcContraction **contraction) {
  return guard([&]() -> TcError * {
    if (!spec || !tensors || !contraction)
      return invalid("tcContractionCompile: an argument is NULL");
    TcOptions defaults;
    const TcOptions &chosen = options ? *options : defaults;
    Result<Problem> problem = makeProblem(spec, tensors, chosen);
    if (!problem)
      return invalid(problem.error());
    auto compiled = std::make_unique<TcContraction>();
    compiled->problem = std::move(*problem);
    Result<std::string> text = writeModule(compiled->problem, chosen);
    if (!text)
      return invalid(text.error());
    compiled->source.name = specName;
    compiled->source.text = std::move(*text);
    Status status = chosen.target == "cpu" ? compiled->compileForHost(chosen)
                                           : compiled->compileForDevice(chosen);
    if (!status) {
      if (auto reason = whyInvalid(compiled->source))
        return invalid(*reason);
      return makeError(TC_ERROR_UNSUPPORTED, status.error());
    }
    *contraction = compiled.release();
    return nullptr;
  });
}

void tcContractionDestroy(TcContraction *contraction) { delete contraction; }

TcElementType tcContractionGetScalarType(const TcContraction *contraction) {
  return fromModel(contraction->problem.scalarType);
}

/// The product and the sum of a semiring.
template <typename T> static T multiply(model::Semiring semiring, T x, T y) {
  switch (model::productOf(semiring)) {
  case model::Product::Multiply:
    return x * y;
  case model::Product::Add:
    return x + y;
  case model::Product::Max:
    return std::max(x, y);
  case model::Product::Min:
    return std::min(x, y);
  case model::Product::And:
    if constexpr (std::is_integral_v<T>)
      return x & y;
  }
  return x;
}

/// The zero and the one of a semiring.
template <typename T> static T zeroOf(const Problem &problem) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(
        model::integerZeroOf(problem.semiring, problem.scalarType));
  return static_cast<T>(model::zeroOf(problem.semiring));
}
template <typename T>
static T oneOf(model::Semiring semiring, model::ElementType type) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(model::integerOneOf(semiring, type));
  return static_cast<T>(model::oneOf(semiring));
}

/// What is left where nothing is multiplied: C, whose elements are of type S,
/// becomes what beta and the epilogue make of it in type T.
template <typename T, typename S>
static void runEmpty(const Problem &problem, void *begin, const void *beta) {
  const ProblemTensor &c = problem.tensors[Tensor::C];
  const T zero = zeroOf<T>(problem);
  T factor = zero;
  if (beta)
    factor = *static_cast<const T *>(beta);
  else if (problem.beta.value)
    factor = static_cast<T>(*problem.beta.value);
  std::vector<int64_t> coordinates(c.extents.size());
  for (;;) {
    S *element = static_cast<S *>(begin) + c.offset;
    for (auto [coordinate, stride] : llvm::zip_equal(coordinates, c.strides))
      element += coordinate * stride;
    T old = static_cast<T>(*element);
    // What is not read may be no number.
    T result = factor == zero ? zero : multiply(problem.semiring, factor, old);
    if (problem.fused.epilogue)
      result = static_cast<T>(problem.fused.epilogue->evaluate(
          {static_cast<long double>(result), static_cast<long double>(old)}));
    *element = static_cast<S>(result);
    size_t i = c.extents.size();
    while (i > 0 && ++coordinates[i - 1] == c.extents[i - 1])
      coordinates[--i] = 0;
    if (i == 0)
      return;
  }
}

/// The same for elements of C's type.
template <typename T>
static void runEmpty(const Problem &problem, void *begin, const void *beta) {
  model::ElementType type = problem.tensors[Tensor::C].type;
  if (type == problem.scalarType)
    return runEmpty<T, T>(problem, begin, beta);
  if constexpr (std::is_integral_v<T>)
    return runEmpty<T, int8_t>(problem, begin, beta);
  else if (type == model::ElementType::F16)
    return runEmpty<T, runtime::Float16>(problem, begin, beta);
  else
    return runEmpty<T, runtime::BFloat16>(problem, begin, beta);
}

/// Calls the code, if anything is multiplied, with factors of type T.
template <typename T>
static void run(const TcContraction &contraction, char *const pointers[3],
                const void *alpha, const void *beta) {
  const Problem &problem = contraction.problem;
  const ProblemTensor &c = problem.tensors[Tensor::C];
  if (!contraction.code) {
    if (!c.isEmpty())
      runEmpty<T>(problem, pointers[2], beta);
    return;
  }
  std::vector<T> factors;
  if (alpha)
    factors.push_back(*static_cast<const T *>(alpha));
  if (beta)
    factors.push_back(*static_cast<const T *>(beta));
  contraction.code->code.call(0, pointers[0], pointers[1], pointers[2],
                              factors);
}

/// Moves a pointer to where the tensor begins.
static Status findBegin(const ProblemTensor &tensor, Tensor t,
                        const void *given, char *&begin) {
  std::string name(1, "ABC"[static_cast<unsigned>(t)]);
  auto address = reinterpret_cast<uintptr_t>(given);
  int64_t bytes = model::byteWidth(tensor.type);
  if (tensor.isEmpty())
    return {};
  if (!given)
    return Error{"the pointer of " + name + " is NULL"};
  if (address % static_cast<uintptr_t>(bytes) != 0)
    return Error{"the pointer of " + name + " is no multiple of the " +
                 std::to_string(bytes) + " bytes of an element"};
  begin = const_cast<char *>(static_cast<const char *>(given)) -
          tensor.offset * bytes;
  return {};
}

TcError *tcContractionRun(const TcContraction *contraction, const void *a,
                          const void *b, void *c, const void *alpha,
                          const void *beta) {
  return guard([&]() -> TcError * {
    if (!contraction)
      return invalid("tcContractionRun: contraction is NULL");
    if (contraction->device)
      return makeError(TC_ERROR_UNSUPPORTED,
                       "the contraction is compiled for " +
                           contraction->device->compiled.package.target +
                           ": launch its PTX, or compile for target 'cpu'");
    const Problem &problem = contraction->problem;
    for (auto [name, factor, given] :
         {std::tuple("alpha", &problem.alpha, alpha),
          std::tuple("beta", &problem.beta, beta)}) {
      if (factor->isArgument && !given)
        return invalid(std::string(name) + " is NULL, but is an argument");
      if (!factor->isArgument && given)
        return invalid(std::string(name) +
                       " is given, but was compiled in: set option '" + name +
                       "' to 'argument'");
    }
    if (problem.operands == 1) {
      if (b)
        return invalid("b is given, but the specification has one operand");
      b = problem.one.data();
    }
    const void *given[] = {a, b, c};
    char *pointers[3] = {};
    for (Tensor t : model::allTensors)
      if (Status status =
              findBegin(problem.tensors[t], t, given[static_cast<unsigned>(t)],
                        pointers[static_cast<unsigned>(t)]);
          !status)
        return invalid(status.error());
    switch (fromModel(problem.scalarType)) {
    case TC_ELEMENT_F64:
      run<double>(*contraction, pointers, alpha, beta);
      return nullptr;
    case TC_ELEMENT_F32:
      run<float>(*contraction, pointers, alpha, beta);
      return nullptr;
    case TC_ELEMENT_I32:
      run<int32_t>(*contraction, pointers, alpha, beta);
      return nullptr;
    case TC_ELEMENT_I64:
      run<int64_t>(*contraction, pointers, alpha, beta);
      return nullptr;
    default:
      return makeError(TC_ERROR_INTERNAL,
                       "sums of type " +
                           std::string(model::stringify(problem.scalarType)));
    }
  });
}

TcError *tcContractionGet(const TcContraction *contraction, TcArtifact artifact,
                          const char **data, size_t *size) {
  return guard([&]() -> TcError * {
    if (!contraction || !data)
      return invalid("tcContractionGet: an argument is NULL");
    Result<const std::string *> text = contraction->get(artifact);
    if (!text)
      return makeError(TC_ERROR_NOT_AVAILABLE, text.error());
    *data = (*text)->c_str();
    if (size)
      *size = (*text)->size();
    return nullptr;
  });
}

TcError *tcSemiringGetOne(const char *semiring, TcElementType type, void *one) {
  return guard([&]() -> TcError * {
    if (!semiring || !one)
      return invalid("tcSemiringGetOne: an argument is NULL");
    auto known = model::symbolizeSemiring(semiring);
    if (!known)
      return invalid("'" + std::string(semiring) + "' is none of " +
                     model::semiringNames());
    auto elements = toModel(type);
    if (!elements)
      return invalid("unknown element type " + std::to_string(type));
    if (!model::appliesTo(*known, *elements))
      return invalid("semiring " + std::string(semiring) +
                     " is not of numbers of type " +
                     std::string(model::stringify(*elements)));
    model::ElementType sums = model::accumulatorTypeOf(*elements);
    switch (fromModel(sums)) {
    case TC_ELEMENT_F64:
      *static_cast<double *>(one) = oneOf<double>(*known, sums);
      break;
    case TC_ELEMENT_F32:
      *static_cast<float *>(one) = oneOf<float>(*known, sums);
      break;
    case TC_ELEMENT_I32:
      *static_cast<int32_t *>(one) = oneOf<int32_t>(*known, sums);
      break;
    default:
      *static_cast<int64_t *>(one) = oneOf<int64_t>(*known, sums);
    }
    return nullptr;
  });
}
