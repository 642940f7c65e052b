//===- HostCache.cpp - Code for a CPU that was made before ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes the keys, and the values that are kept under them. On this way nothing
// of MLIR is touched: to set it up takes longer than all else.
//
//===----------------------------------------------------------------------===//

#include "ProgramFields.h"

#include "tc/Cache/KernelCache.h"
#include "tc/Compiler/TunedFile.h"
#include "tc/Machine/TargetFile.h"
#include "tc/OnDemand/OptionTable.h"
#include "tc/Support/BuildId.h"
#include "tc/Support/Files.h"
#include "tc/Support/RecordJson.h"

#include <cstdlib>

using namespace tc;

namespace tc::model {
/// An integer, or the real and the imaginary part.
template <typename Json>
static void writeRecord(Json &json, const Constant &number) {
  if (std::optional<int64_t> integer = number.integer())
    json = *integer;
  else
    json = {number.real(), number.imag()};
}

template <typename Json>
static void readRecord(const Json &json, Constant &number) {
  if (json.is_number_integer())
    number = Constant::ofInteger(json.template get<int64_t>());
  else
    number = {json.at(0).template get<double>(),
              json.at(1).template get<double>()};
}
} // namespace tc::model

static std::string encode(const HostProgram &program) {
  nlohmann::json json;
  writeRecord(json, program);
  std::vector<uint8_t> bytes = nlohmann::json::to_cbor(json);
  return {bytes.begin(), bytes.end()};
}

static std::optional<HostProgram> decode(const std::string &bytes) {
  try {
    HostProgram program;
    readRecord(nlohmann::json::from_cbor(bytes), program);
    if (program.isWhole())
      return program;
  } catch (const nlohmann::json::exception &) {
    return std::nullopt;
  }
  return std::nullopt;
}

/// The folder of the cache; empty if there is to be none.
static std::string chooseFolder(const HostCacheOptions &cache) {
  const char *variable = std::getenv("TC_CACHE");
  std::string folder = cache.cacheFolder ? *cache.cacheFolder
                       : variable        ? variable
                                         : defaultCacheFolder();
  return folder == "off" ? "" : folder;
}

/// The CPU that schedules are chosen for.
static Result<std::string> describeTarget(const CompileOptions &options) {
  if (!options.targetFile.empty())
    return readFile(options.targetFile);
  Result<model::CpuTarget> cpu = model::loadCpuTarget("");
  if (!cpu)
    return Error{cpu.error()};
  // The value depends on the calibration, too.
  return model::writeTarget(*cpu) + std::to_string(cpu->memoryBytes) +
         cpu->calibration;
}

std::string tc::makeCacheKey(const Source &source,
                             const CompileOptions &options,
                             const std::string &target,
                             const std::string &tuned) {
  CodeTarget cpu = hostCodeTarget();
  std::string key = "tc " TC_VERSION "\n" + identifyCompiler();
  key += cpu.triple + " " + cpu.cpu + " " + cpu.features + "\n";
  // Defaults of the user's options, and the CPU in place of the file that
  // describes it.
  TCCPUPipelineOptions pipeline;
  setPipelineOptions(options, pipeline);
  CompileOptions resolved = options;
  resolved.targetFile = target;
  resolved.threads = pipeline.threads;
  resolved.tuned = tuned;
  appendOptionsKey(key, resolved, OptionMachine::Cpu);
  key += "\n";
  appendKey(key, source);
  return key;
}

/// The way in which code that is so compiled asks for threads.
static cpu::Ask askOf(const CompileOptions &options) {
  // A schedule says for how many it is.
  return options.threads || !options.schedule.empty() ? cpu::Ask::All
                                                      : cpu::Ask::Free;
}

/// The code that is kept under a key, if it can be used.
static std::optional<LoadedProgram> find(KernelCache &cache,
                                         const std::string &key, cpu::Ask ask,
                                         const KernelCache::Warn &warn) {
  std::optional<std::string> value = cache.find(key);
  if (!value)
    return std::nullopt;
  if (std::optional<HostProgram> program = decode(*value))
    if (Result<LoadedObject> code = loadObject(program->object, ask))
      return LoadedProgram{std::move(*program), std::move(*code),
                           CacheOutcome::Hit, ask};
  warn("the kernel cache held code that cannot be loaded; it is made anew");
  return std::nullopt;
}

namespace {
/// The cache, and what a source's code has there for a key.
struct Place {
  std::optional<KernelCache> cache;
  std::string key;
};
} // namespace

/// Opens the cache, if there is to be one and the machine is known. Fails if
/// the tuning database, which decides as much as the target does, cannot be
/// read.
static Status openCache(const Source &source, const CompileOptions &options,
                        const HostCacheOptions &cacheOptions, Place &place) {
  std::string folder = chooseFolder(cacheOptions);
  // Without a target there is no code, and compilation will say so.
  Result<std::string> target =
      folder.empty() ? Error{"no cache"} : describeTarget(options);
  std::string tunedFile =
      options.schedule.empty() ? chooseTunedFile(options.tuned) : "";
  Result<std::string> tuned = tunedFile.empty() || folder.empty()
                                  ? Result<std::string>(std::string())
                                  : describeTunedFile(tunedFile);
  if (!tuned)
    return Error{tuned.error()};
  if (!target)
    return {};
  place.cache.emplace(folder, cacheOptions.cacheBytes, cacheOptions.warn);
  place.key = makeCacheKey(source, options, *target, *tuned);
  return {};
}

/// The key of which one is faster, code or ahead-of-time kernels of some build.
static std::string comparisonKey(const std::string &codeKey,
                                 const std::string &kernels) {
  return "faster\n" + kernels + codeKey;
}

static constexpr std::string_view codeIsFaster = "code",
                                  aheadIsFaster = "ahead";

FoundCode tc::findCompiled(const Source &source, const CompileOptions &options,
                           const HostCacheOptions &cacheOptions,
                           const std::string &kernels) {
  Place place;
  if (!openCache(source, options, cacheOptions, place) || !place.cache)
    return {};
  FoundCode found;
  if (auto value = place.cache->find(comparisonKey(place.key, kernels)))
    found.faster = *value == aheadIsFaster  ? Faster::Ahead
                   : *value == codeIsFaster ? Faster::Code
                                            : Faster::Unknown;
  if (found.faster != Faster::Ahead)
    found.program =
        find(*place.cache, place.key, askOf(options), cacheOptions.warn);
  return found;
}

void tc::keepFaster(const Source &source, const CompileOptions &options,
                    const HostCacheOptions &cacheOptions,
                    const std::string &kernels, Faster faster) {
  Place place;
  if (openCache(source, options, cacheOptions, place) && place.cache)
    place.cache->store(comparisonKey(place.key, kernels),
                       faster == Faster::Code ? codeIsFaster : aheadIsFaster);
}

Result<LoadedProgram> tc::compileOrFind(const Source &source,
                                        const CompileOptions &options,
                                        const HostCacheOptions &cacheOptions) {
  Place place;
  if (Status status = openCache(source, options, cacheOptions, place); !status)
    return Error{status.error()};
  CacheOutcome outcome = CacheOutcome::Off;
  if (place.cache) {
    if (std::optional<LoadedProgram> found =
            find(*place.cache, place.key, askOf(options), cacheOptions.warn))
      return std::move(*found);
    outcome =
        place.cache->isOpen() ? CacheOutcome::Miss : CacheOutcome::Unusable;
  }

  cacheOptions.compiles(true);
  Result<HostProgram> program = compileForCpu(source, options);
  cacheOptions.compiles(false);
  if (!program)
    return Error{program.error()};
  Result<LoadedObject> code = loadObject(program->object, askOf(options));
  if (!code)
    return Error{code.error()};
  if (place.cache && !program->object.functions.empty())
    place.cache->store(place.key, encode(*program));
  return LoadedProgram{std::move(*program), std::move(*code), outcome,
                       askOf(options)};
}
