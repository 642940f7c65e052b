//===- HostCache.cpp - Code for a CPU that was made before ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What makes a key, and what is kept under it. On this way nothing of MLIR is
// touched: to set it up takes longer than all else.
//
//===----------------------------------------------------------------------===//

#include "tc/Compiler/HostCache.h"

#include "tc/Model/DetectCpu.h"
#include "tc/Model/TargetFile.h"
#include "tc/Support/BuildId.h"
#include "tc/Support/Files.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <nlohmann/json.hpp>

using namespace tc;

namespace nlohmann {
template <> struct adl_serializer<std::optional<model::ElementType>> {
  template <typename Json>
  static void to_json(Json &json, const std::optional<model::ElementType> &t) {
    json = t ? Json(*t) : Json(nullptr);
  }
  template <typename Json>
  static void from_json(const Json &json,
                        std::optional<model::ElementType> &t) {
    t.reset();
    if (!json.is_null())
      t = json.template get<model::ElementType>();
  }
};

template <> struct adl_serializer<tc::model::Constant> {
  template <typename Json>
  static void to_json(Json &json, const tc::model::Constant &number) {
    if (std::optional<int64_t> integer = number.integer())
      json = *integer;
    else
      json = {number.real(), number.imag()};
  }
  template <typename Json>
  static void from_json(const Json &json, tc::model::Constant &number) {
    if (json.is_number_integer())
      number = tc::model::Constant::ofInteger(json.template get<int64_t>());
    else
      number = {json.at(0).template get<double>(),
                json.at(1).template get<double>()};
  }
};
} // namespace nlohmann

namespace tc::runtime {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TensorArgument, name, type, labels, extents,
                                   strides, offset, alignment, isRead,
                                   isWritten)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Scalar, value, isArgument)
// The other members are those of GPU kernels.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Kernel, tensors, accumulatorType, precision,
                                   semiring, product, combine, identity, alpha,
                                   beta, conjugatesA, conjugatesB, prologueA,
                                   prologueB, epilogue, factorType, sides)
} // namespace tc::runtime

namespace tc {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CompiledObject, object, functions)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(EmptyContraction, output, index)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HostKernel, definition, schedule, threads,
                                   panelBytes, strategies)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HostProgram, kernels, empty, object, header)
} // namespace tc

std::string_view tc::stringify(CacheOutcome outcome) {
  switch (outcome) {
  case CacheOutcome::Hit:
    return "hit";
  case CacheOutcome::Miss:
    return "miss";
  case CacheOutcome::Off:
    return "off";
  case CacheOutcome::Unusable:
    return "unusable";
  }
  return "";
}

static std::string encode(const HostProgram &program) {
  std::vector<uint8_t> bytes = nlohmann::json::to_cbor(program);
  return {bytes.begin(), bytes.end()};
}

static std::optional<HostProgram> decode(const std::string &bytes) {
  try {
    auto program = nlohmann::json::from_cbor(bytes).get<HostProgram>();
    if (program.object.functions.size() == program.kernels.size())
      return program;
  } catch (const nlohmann::json::exception &) {
  }
  return std::nullopt;
}

/// The folder of the cache; empty if there is to be none.
static std::string chooseFolder(const HostCacheOptions &cache) {
  const char *variable = std::getenv("TC_CACHE");
  std::string folder = cache.folder ? *cache.folder
                       : variable   ? variable
                                    : defaultCacheFolder();
  return folder == "off" ? "" : folder;
}

/// The CPU that schedules are chosen for.
static Result<std::string> describeTarget(const HostOptions &options) {
  if (!options.targetFile.empty())
    return readFile(options.targetFile);
  Result<model::DetectedCpu> detected = model::detectCpu();
  if (!detected)
    return Error{detected.error()};
  return model::writeTarget(detected->target) +
         std::to_string(detected->target.memoryBytes);
}

/// All that two constants can differ by.
static void print(const model::Constant &constant, raw_ostream &os) {
  if (std::optional<int64_t> integer = constant.integer())
    os << *integer;
  else
    os << llvm::format("%a %a", constant.real(), constant.imag());
}

static void print(const notation::FusedExpressions &fused, raw_ostream &os) {
  const auto &[prologueA, prologueB, epilogue, semiring] = fused;
  for (const auto *code : {&prologueA, &prologueB, &epilogue})
    os << " {" << (*code ? (*code)->text() : "") << "}";
  if (!semiring)
    return;
  const auto &[product, combine, identity] = *semiring;
  os << " {" << product.text() << "} {" << combine.text() << "}"
     << " ";
  print(identity, os);
}

/// What was read, without where it stood. All fields are named here, so that
/// another one does not compile before somebody has said what it is in a key.
static void print(const notation::ParsedContraction &contraction,
                  raw_ostream &os) {
  const auto &[name, versionOf, operands, labelsAsWritten, extents, layout,
               elementTypes, factorType, precision, semiring, alpha, beta,
               conjugatesA, conjugatesB, allowsThreeProducts, fused, position] =
      contraction;
  os << name << " version_of=" << versionOf << " operands=" << operands
     << (layout == notation::Layout::RowMajor ? " row" : " col");
  for (const std::vector<std::string> &labels : contraction.rowMajorLabels()) {
    os << " [";
    llvm::interleave(labels, os, ",");
    os << "]";
  }
  for (const auto &[label, extent] : extents)
    os << " " << label << "=" << extent;
  for (model::ElementType type : elementTypes)
    os << " " << model::stringify(type);
  os << " " << model::stringify(factorType) << " "
     << model::stringify(precision) << " " << model::stringify(semiring)
     << (conjugatesA ? " conjugate_a" : "")
     << (conjugatesB ? " conjugate_b" : "")
     << (allowsThreeProducts ? " allow_three_products" : "");
  for (const model::Constant *factor : {&alpha, &beta}) {
    os << " ";
    print(*factor, os);
  }
  print(fused, os);
  os << "\n";
}

/// What the user chose, with the CPU in place of the file that describes it.
static void print(const HostOptions &options, const std::string &target,
                  raw_ostream &os) {
  // A field more does not compile here: the pipeline's options have these.
  [[maybe_unused]] const auto &[schedule, targetFile, strategy, workspaceLimit,
                                threads] = options;
  os << target << "\n";
  TCCPUPipelineOptions pipeline;
  setPipelineOptions(options, pipeline);
  pipeline.targetFile = "";
  pipeline.print(os);
  os << "\n";
}

/// All that the code depends on, as text: the contractions with extents,
/// strides, types and factors; the options; the machine; the compiler.
static std::string makeKey(const Source &source, const HostOptions &options,
                           const std::string &target) {
  CodeTarget cpu = hostCodeTarget();
  std::string key;
  llvm::raw_string_ostream os(key);
  os << "tc " TC_VERSION "\n" << identifyCompiler();
  os << cpu.triple << " " << cpu.cpu << " " << cpu.features << "\n";
  print(options, target, os);
  const auto &[name, contractions, text, reduces] = source;
  os << (reduces ? "reduced\n" : "");
  for (const notation::ParsedContraction &contraction : contractions)
    print(contraction, os);
  os << text;
  return key;
}

/// The code that is kept under a key, if it can be used.
static std::optional<LoadedProgram> find(KernelCache &cache,
                                         const std::string &key,
                                         const KernelCache::Warn &warn) {
  std::optional<std::string> value = cache.find(key);
  if (!value)
    return std::nullopt;
  if (std::optional<HostProgram> program = decode(*value))
    if (Result<LoadedObject> code = LoadedObject::load(program->object))
      return LoadedProgram{std::move(*program), std::move(*code),
                           CacheOutcome::Hit};
  warn("the kernel cache held code that cannot be loaded; it is made anew");
  return std::nullopt;
}

Result<LoadedProgram> tc::compileOrFind(const Source &source,
                                        const HostOptions &options,
                                        const HostCacheOptions &cacheOptions) {
  std::optional<KernelCache> cache;
  CacheOutcome outcome = CacheOutcome::Off;
  std::string key, folder = chooseFolder(cacheOptions);
  // Without a target there is no code, and compilation will say so.
  Result<std::string> target =
      folder.empty() ? Error{"no cache"} : describeTarget(options);
  if (target) {
    cache.emplace(folder, cacheOptions.maxBytes, cacheOptions.warn);
    key = makeKey(source, options, *target);
    if (std::optional<LoadedProgram> found =
            find(*cache, key, cacheOptions.warn))
      return std::move(*found);
    outcome = cache->isOpen() ? CacheOutcome::Miss : CacheOutcome::Unusable;
  }

  Result<HostProgram> program = compileForCpu(source, options);
  if (!program)
    return Error{program.error()};
  Result<LoadedObject> code = LoadedObject::load(program->object);
  if (!code)
    return Error{code.error()};
  if (cache && !program->kernels.empty())
    cache->store(key, encode(*program));
  return LoadedProgram{std::move(*program), std::move(*code), outcome};
}
