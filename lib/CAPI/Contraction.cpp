//===- Contraction.cpp - Compiled contractions in C -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "CompiledContraction.h"
#include "CompilerLoader.h"
#include "ElementTypes.h"
#include "Error.h"

#include "tc/Buffers/HostTensor.h"
#include "tc/Problem/SemiringArithmetic.h"

#include <type_traits>

using namespace tc;
using namespace tc::capi;
using model::Tensor;

/// Error of MLIR if it refuses the contraction, whatever it is compiled for.
static std::optional<std::string> whyInvalid(const Source &source) {
  if (Result<const Compiler *> compiler = loadCompiler())
    if (Status status = (*compiler)->check(source); !status)
      return status.error();
  return std::nullopt;
}

TcError *capi::compile(const char *spec, const TcTensor *tensors,
                       const TcOptions &options, TcContraction **contraction) {
  Result<Problem> problem = makeProblem(spec, tensors, options);
  if (!problem)
    return invalid(problem.error());
  auto compiled = std::make_unique<TcContraction>();
  compiled->problem = std::move(*problem);
  compiled->source.name = specName;
  compiled->source.contractions = {compiled->problem};
  compiled->source.saturates = options.saturates;
  bool isForHost = options.target == "cpu";
  Status status = isForHost && options.dynamicShapes
                      ? compiled->prepareForAnyShape(spec, tensors, options)
                  : isForHost ? compiled->compileForHost(options)
                              : compiled->compileForDevice(options);
  if (!status) {
    if (auto reason = whyInvalid(compiled->source))
      return invalid(*reason);
    return makeError(TC_ERROR_UNSUPPORTED, status.error());
  }
  *contraction = compiled.release();
  return nullptr;
}

TcError *tcContractionCompile(const char *spec, const TcTensor tensors[3],
                              const TcOptions *options,
                              TcContraction **contraction) {
  return guard([&]() -> TcError * {
    if (!spec || !tensors || !contraction)
      return invalid("tcContractionCompile: an argument is NULL");
    return compile(spec, tensors, options ? *options : TcOptions(),
                   contraction);
  });
}

void tcContractionDestroy(TcContraction *contraction) { delete contraction; }

TcElementType tcContractionGetScalarType(const TcContraction *contraction) {
  return contraction ? fromModel(contraction->problem.scalarType()) : 0;
}

/// The zero, or the identity, and the one of a semiring.
template <typename T> static T zeroOf(const Problem &problem) {
  if (problem.fused.semiring) {
    const model::Constant &identity = problem.fused.semiring->identity;
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(model::integerOf(identity, problem.scalarType()));
    return static_cast<T>(identity.real());
  }
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(
        model::integerZeroOf(problem.record.semiring, problem.scalarType()));
  return static_cast<T>(model::zeroOf(problem.record.semiring));
}
template <typename T>
static T oneOf(model::Semiring semiring, model::ElementType type) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(model::integerOneOf(semiring, type));
  return static_cast<T>(model::oneOf(semiring));
}

/// An element of a floating-point type.
static long double load(model::ElementType type, const void *begin,
                        int64_t position) {
  return runtime::dispatch(type, [&](auto number) {
    return static_cast<long double>(
        static_cast<const decltype(number) *>(begin)[position]);
  });
}

/// The nearest number of type T, the scalar type.
template <typename T>
static T narrowTo(const model::Constant &number, model::ElementType type) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(model::integerOf(number, type));
  else if constexpr (std::is_arithmetic_v<T>)
    return static_cast<T>(number.real());
  else
    return static_cast<T>(number.value());
}

/// Rest of the work where nothing is multiplied: C, whose elements are of type
/// S, becomes what beta and the epilogue make of it in type T.
template <typename T, typename S>
static void runEmpty(const Problem &problem, void *begin, const void *beta,
                     const std::vector<void *> &auxiliaries) {
  const model::TensorRecord &c = problem.record.tensors[Tensor::C];
  const T zero = zeroOf<T>(problem);
  const T factor =
      beta ? *static_cast<const T *>(beta)
           : narrowTo<T>(problem.record.beta.value, problem.scalarType());
  std::vector<int64_t> coordinates(c.extents.size());
  for (;;) {
    S *element = static_cast<S *>(begin) + positionOf(c, c.labels, coordinates);
    // NOLINTNEXTLINE(bugprone-signed-char-misuse): an int8_t is a number.
    T old = static_cast<T>(*element);
    // An element that is not read may be no number.
    T result = zero;
    if (problem.fused.semiring)
      result = problem.record.beta.value == 0.0 ? zero : old;
    else if (factor != zero)
      result = model::multiply(problem.record.semiring, factor, old);
    if constexpr (std::is_arithmetic_v<T>)
      if (problem.fused.epilogue) {
        std::vector<long double> values = {static_cast<long double>(result),
                                           static_cast<long double>(old)};
        for (size_t i = 0; i < auxiliaries.size(); ++i) {
          const model::TensorRecord &auxiliary = problem.auxiliaries[i];
          values.push_back(load(auxiliary.type, auxiliaries[i],
                                positionOf(auxiliary, c.labels, coordinates)));
        }
        result = static_cast<T>(problem.fused.epilogue->evaluate(values));
      }
    if constexpr (std::is_arithmetic_v<T>)
      *element = runtime::roundedAs<S>(result, problem.saturates);
    else
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
static void runEmpty(const Problem &problem, void *begin, const void *beta,
                     const std::vector<void *> &auxiliaries) {
  model::ElementType type = problem.record.tensors[Tensor::C].type;
  if (type == problem.scalarType())
    return runEmpty<T, T>(problem, begin, beta, auxiliaries);
  // Sums of reals, if they are stored otherwise, are so in a narrower type.
  if constexpr (std::is_arithmetic_v<T>)
    runtime::dispatch(type, [&](auto zero) {
      using S = decltype(zero);
      if constexpr (std::is_integral_v<S> == std::is_integral_v<T>)
        runEmpty<T, S>(problem, begin, beta, auxiliaries);
    });
}

namespace {
/// Type of the parts of a number.
template <typename T> struct PartOf {
  using type = T;
  static constexpr size_t number = 1;
};
template <typename T> struct PartOf<std::complex<T>> {
  using type = T;
  static constexpr size_t number = 2;
};
} // namespace

TcError *capi::outOfPanels() {
  return makeError(TC_ERROR_OUT_OF_MEMORY,
                   "there is no memory for the contraction's panels");
}

/// Runs ahead-of-time kernels, and lets code be made if they have been
/// running for long.
template <typename T>
static TcError *runAhead(const TcContraction &contraction,
                         char *const pointers[3], const void *alpha,
                         const void *beta) {
  const Problem &problem = contraction.problem;
  model::ElementType type = problem.scalarType();
  const model::ContractionRecord &record = problem.record;
  T constants[] = {narrowTo<T>(record.alpha.value, type),
                   narrowTo<T>(record.beta.value, type)};
  Specialization::Call call(contraction.specialization.get());
  cpu::Outcome outcome = contraction.ahead->run(
      pointers[0], pointers[1], pointers[2], alpha ? alpha : &constants[0],
      beta ? beta : &constants[1]);
  if (outcome == cpu::Outcome::OutOfMemory)
    return outOfPanels();
  call.end();
  return nullptr;
}

/// Calls the code, if anything is multiplied, with factors of type T.
template <typename T>
static TcError *run(const TcContraction &contraction, char *const pointers[3],
                    const void *alpha, const void *beta,
                    const std::vector<void *> &auxiliaries) {
  const Problem &problem = contraction.problem;
  const model::TensorRecord &c = problem.record.tensors[Tensor::C];
  const LoadedProgram *code = contraction.codeOfNextCall();
  if (!code && contraction.ahead)
    return runAhead<T>(contraction, pointers, alpha, beta);
  if (!code) {
    if (!isEmpty(c))
      runEmpty<T>(problem, pointers[2], beta, auxiliaries);
    return nullptr;
  }
  using Part = typename PartOf<T>::type;
  std::vector<Part> factors;
  for (const void *factor : {alpha, beta}) {
    const Part *parts = static_cast<const Part *>(factor);
    if (factor)
      factors.insert(factors.end(), parts, parts + PartOf<T>::number);
  }
  Specialization::Call call(contraction.specialization.get(),
                            /*runsCode=*/true);
  CallStatus status = code->code.call(0, pointers[0], pointers[1], pointers[2],
                                      factors, auxiliaries);
  call.end();
  if (status != CallStatus::Success)
    return makeError(TC_ERROR_OUT_OF_MEMORY,
                     lackOfMemory(code->program.kernels[0]).message);
  return nullptr;
}

/// Moves a pointer to where the tensor begins.
static Status findBegin(const model::TensorRecord &tensor,
                        const std::string &name, const void *given,
                        char *&begin) {
  auto address = reinterpret_cast<uintptr_t>(given);
  int64_t bytes = model::byteWidth(tensor.type);
  int64_t alignment = model::byteWidth(model::realTypeOf(tensor.type));
  if (isEmpty(tensor))
    return {};
  if (!given)
    return Error{"the pointer of " + name + " is NULL"};
  if (address % static_cast<uintptr_t>(alignment) != 0)
    return Error{"the pointer of " + name + " is no multiple of the " +
                 std::to_string(alignment) + " bytes of " +
                 (bytes == alignment ? "an element" : "a part of an element")};
  begin = const_cast<char *>(static_cast<const char *>(beginOf(tensor, given)));
  return {};
}

TcError *tcContractionRun(const TcContraction *contraction, const void *a,
                          const void *b, void *c, const void *alpha,
                          const void *beta) {
  return tcContractionRunWithAuxiliaries(contraction, a, b, c, alpha, beta,
                                         nullptr, 0);
}

int32_t tcContractionGetAuxiliaryCount(const TcContraction *contraction) {
  return contraction
             ? static_cast<int32_t>(contraction->problem.auxiliaries.size())
             : 0;
}

const char *tcContractionGetAuxiliaryName(const TcContraction *contraction,
                                          int32_t number) {
  if (number < 0 || number >= tcContractionGetAuxiliaryCount(contraction))
    return nullptr;
  return contraction->problem.fused.epilogue
      ->auxiliaries()[static_cast<size_t>(number)]
      .name.c_str();
}

TcError *tcContractionRunWithAuxiliaries(const TcContraction *contraction,
                                         const void *a, const void *b, void *c,
                                         const void *alpha, const void *beta,
                                         const TcAuxiliary *auxiliaries,
                                         int32_t count) {
  return guard([&]() -> TcError * {
    if (!contraction)
      return invalid("tcContractionRun: contraction is NULL");
    if (count < 0 || (count > 0 && !auxiliaries))
      return invalid("tcContractionRunWithAuxiliaries: auxiliaries is NULL, "
                     "but there are " +
                     std::to_string(count));
    if (contraction->device)
      return makeError(TC_ERROR_UNSUPPORTED,
                       "the contraction is compiled for " +
                           contraction->device->package.target +
                           ": launch it with tcContractionLaunch, or compile "
                           "for target 'cpu'");
    if (contraction->anyShape && count == 0)
      return runOnShapes(*contraction->anyShape, nullptr, a, b, c, alpha, beta);
    const Problem &problem = contraction->problem;
    if (Status status = checkFactors(problem, alpha, beta); !status)
      return invalid(status.error());
    if (problem.operands == 1) {
      if (b)
        return invalid("b is given, but the specification has one operand");
      b = problem.one.data();
    }
    const void *given[] = {a, b, c};
    char *pointers[3] = {};
    for (Tensor t : model::allTensors)
      if (Status status =
              findBegin(problem.record.tensors[t],
                        std::string(1, "ABC"[static_cast<unsigned>(t)]),
                        given[static_cast<unsigned>(t)],
                        pointers[static_cast<unsigned>(t)]);
          !status)
        return invalid(status.error());
    std::vector<void *> extra(problem.auxiliaries.size());
    Status taken =
        takeAuxiliaries(problem, auxiliaries, count,
                        [&](size_t number, const void *zero) -> Status {
                          char *begin = nullptr;
                          Status status = findBegin(
                              problem.auxiliaries[number],
                              nameOfAuxiliary(problem, number), zero, begin);
                          extra[number] = begin;
                          return status;
                        });
    if (!taken)
      return invalid(taken.error());
    switch (fromModel(problem.scalarType())) {
    case TC_ELEMENT_F64:
      return run<double>(*contraction, pointers, alpha, beta, extra);
    case TC_ELEMENT_F32:
      return run<float>(*contraction, pointers, alpha, beta, extra);
    case TC_ELEMENT_I32:
      return run<int32_t>(*contraction, pointers, alpha, beta, extra);
    case TC_ELEMENT_I64:
      return run<int64_t>(*contraction, pointers, alpha, beta, extra);
    case TC_ELEMENT_C64:
      return run<std::complex<double>>(*contraction, pointers, alpha, beta,
                                       extra);
    case TC_ELEMENT_C32:
      return run<std::complex<float>>(*contraction, pointers, alpha, beta,
                                      extra);
    default:
      return makeError(TC_ERROR_INTERNAL,
                       "sums of type " +
                           std::string(model::stringify(problem.scalarType())));
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
    case TC_ELEMENT_C64:
      *static_cast<std::complex<double> *>(one) = 1;
      break;
    case TC_ELEMENT_C32:
      *static_cast<std::complex<float> *>(one) = 1;
      break;
    default:
      *static_cast<int64_t *>(one) = oneOf<int64_t>(*known, sums);
    }
    return nullptr;
  });
}
