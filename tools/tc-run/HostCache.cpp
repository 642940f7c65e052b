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

#include "HostCache.h"

#include "tc/Model/DetectCpu.h"
#include "tc/Model/TargetFile.h"
#include "tc/Support/BuildId.h"
#include "tc/Support/Files.h"
#include "tc/Target/CPU/KernelCache.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <nlohmann/json.hpp>

using namespace tc;
using namespace tc::run;

namespace tc::runtime {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TensorArgument, name, type, labels, extents,
                                   strides, offset, alignment, isRead,
                                   isWritten)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Scalar, value, isArgument)
// The other members are those of GPU kernels.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Kernel, tensors, accumulatorType, precision,
                                   alpha, beta)
} // namespace tc::runtime

namespace tc {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CompiledObject, object, functions)
} // namespace tc

namespace tc::run {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(EmptyContraction, output, index)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HostKernel, definition, schedule, threads,
                                   panelBytes, strategies)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HostProgram, kernels, empty, object)
} // namespace tc::run

std::string_view run::stringify(CacheOutcome outcome) {
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

static void warn(const std::string &line) {
  llvm::errs() << "tc-run: warning: " << line << "\n";
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
static std::string chooseFolder(const Options &options) {
  const char *variable = std::getenv("TC_CACHE");
  std::string folder = options.cache ? *options.cache
                       : variable    ? variable
                                     : defaultCacheFolder();
  return folder == "off" ? "" : folder;
}

/// The CPU that schedules are chosen for.
static Result<std::string> describeTarget(const Options &options) {
  if (!options.targetFile.empty())
    return readFile(options.targetFile);
  Result<model::DetectedCpu> detected = model::detectCpu();
  if (!detected)
    return Error{detected.error()};
  return model::writeTarget(detected->target);
}

/// What was read, without where it stood.
static void print(const notation::ParsedContraction &contraction,
                  raw_ostream &os) {
  os << contraction.name;
  for (const std::vector<std::string> &labels : contraction.rowMajorLabels()) {
    os << " [";
    llvm::interleave(labels, os, ",");
    os << "]";
  }
  for (const auto &[label, extent] : contraction.extents)
    os << " " << label << "=" << extent;
  os << " " << model::stringify(contraction.elementType) << " "
     << model::stringify(contraction.precision)
     << llvm::format(" %a %a\n", contraction.alpha, contraction.beta);
}

/// All that the code depends on, as text: the contractions with extents,
/// strides, types and factors; the options; the machine; this program and the
/// libraries that it uses.
static std::string makeKey(const InputText &input, const Options &options,
                           const std::string &target) {
  TCCPUPipelineOptions pipeline;
  setPipelineOptions(options, pipeline);
  // It is the file's content that counts.
  pipeline.targetFile = "";
  HostCpu cpu = describeHostCpu();
  std::string key;
  llvm::raw_string_ostream os(key);
  os << "tc-run " TC_VERSION "\n" << identifyLoadedCode();
  os << cpu.name << " " << cpu.features << "\n" << target << "\n";
  pipeline.print(os);
  os << "\n";
  for (const notation::ParsedContraction &contraction : input.contractions)
    print(contraction, os);
  os << input.text;
  return key;
}

/// The code that is kept under a key, if it can be used.
static std::optional<LoadedProgram> find(KernelCache &cache,
                                         const std::string &key) {
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

Result<LoadedProgram> run::compileOrFind(const InputText &input,
                                         const Options &options) {
  std::optional<KernelCache> cache;
  CacheOutcome outcome = CacheOutcome::Off;
  std::string key, folder = chooseFolder(options);
  // Without a target there is no code, and compilation will say so.
  Result<std::string> target =
      folder.empty() ? Error{"no cache"} : describeTarget(options);
  if (target) {
    cache.emplace(folder, options.cacheBytes, warn);
    key = makeKey(input, options, *target);
    if (std::optional<LoadedProgram> found = find(*cache, key))
      return std::move(*found);
    outcome = cache->isOpen() ? CacheOutcome::Miss : CacheOutcome::Unusable;
  }

  Result<HostProgram> program = compileForCpu(input, options);
  if (!program)
    return Error{program.error()};
  Result<LoadedObject> code = LoadedObject::load(program->object);
  if (!code)
    return Error{code.error()};
  if (cache && !program->kernels.empty())
    cache->store(key, encode(*program));
  return LoadedProgram{std::move(*program), std::move(*code), outcome};
}
