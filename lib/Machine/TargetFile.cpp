//===- TargetFile.cpp - Targets as JSON -----------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Machine/TargetFile.h"

#include "tc/Machine/Calibration.h"
#include "tc/Machine/DetectCpu.h"
#include "tc/Machine/TargetCheck.h"
#include "tc/Machine/TargetFigures.h"
#include "tc/Support/Files.h"
#include "tc/Support/StrictJson.h"

using namespace tc;
using namespace tc::model;

using Json = nlohmann::ordered_json;
using Keys = std::vector<std::string_view>;

namespace {

constexpr std::string_view gpuKind = "gpu", cpuKind = "cpu";

/// The sources of the figures. For people; nothing is made of it.
constexpr std::string_view sourcesKey = "sources";

/// Far above any description of a machine.
constexpr size_t largestFile = 64 * 1024;

/// Collects the keys of all figures, those of costs apart.
struct KeyCollector {
  Keys keys, costs;
  template <typename T> void operator()(const Figure &figure, const T &) {
    (figure.isCost() ? costs : keys).push_back(figure.key);
  }
};

/// Reads the figures that are there; the others keep their values.
struct FigureReader {
  const JsonNode &node;

  void operator()(const Figure &figure, std::string &value) const {
    if (node.has(figure.key))
      value = node[figure.key].string();
  }
  void operator()(const Figure &figure, double &value) const {
    if (node.has(figure.key))
      value = node[figure.key].number();
  }
  template <typename Integer>
  void operator()(const Figure &figure, Integer &value) const {
    if (!node.has(figure.key))
      return;
    JsonNode member = node[figure.key];
    int64_t number = member.integer(/*least=*/0);
    if (number > largestFigure)
      return member.fail("must be at most " + std::to_string(largestFigure) +
                         ", not " + std::to_string(number));
    value = static_cast<Integer>(number);
  }
};

struct FigureWriter {
  Json &json;
  template <typename T> void operator()(const Figure &figure, const T &value) {
    json[std::string(figure.key)] = value;
  }
};

Target readGpu(const JsonNode &root) {
  Target target;
  KeyCollector all;
  visitGpuFigures(target, all);
  all.costs.push_back(sourcesKey);
  if (!root.has("base")) {
    all.keys.insert(all.keys.begin(), "kind");
    root.requireKeys(all.keys, all.costs);
    visitGpuFigures(target, FigureReader{root});
    return target;
  }
  // The name says which target it is, so it is not taken over.
  all.keys.insert(all.keys.end(), all.costs.begin(), all.costs.end());
  root.requireKeys({"kind", "base", "name"}, all.keys);
  JsonNode base = root["base"];
  Result<const Target *> found = findTarget(base.string());
  if (!found) {
    base.fail(found.error());
    return target;
  }
  target = **found;
  visitGpuFigures(target, FigureReader{root});
  return target;
}

CpuTarget readCpu(const JsonNode &root) {
  CpuTarget target;
  KeyCollector all;
  all.keys = {"kind", "caches"};
  all.costs = {sourcesKey};
  visitCpuFigures(target, all);
  root.requireKeys(all.keys, all.costs);
  visitCpuFigures(target, FigureReader{root});
  for (const JsonNode &element : root["caches"].elements()) {
    CpuCache cache;
    KeyCollector figures;
    visitCacheFigures(cache, figures);
    element.requireKeys(figures.keys);
    visitCacheFigures(cache, FigureReader{element});
    target.caches.push_back(std::move(cache));
  }
  return target;
}

Status check(const AnyTarget &target) {
  if (auto *gpu = std::get_if<Target>(&target))
    return checkTarget(*gpu);
  return checkCpuTarget(std::get<CpuTarget>(target));
}

} // namespace

Result<AnyTarget> tc::model::readAnyTarget(std::string_view text,
                                           std::string_view filename) {
  std::string place = std::string(filename) + ": ";
  if (text.size() > largestFile)
    return Error{place + "has more bytes than any target, " +
                 std::to_string(largestFile)};
  Result<Json> document = parseStrictJson(text);
  if (!document)
    return Error{place + document.error()};

  FirstError error;
  JsonNode root(*document, error);
  // The set of keys depends on the kind, so it comes first.
  JsonNode kindNode = root["kind"];
  std::string kind = kindNode.string();
  if (kind != gpuKind && kind != cpuKind)
    kindNode.fail("expected \"gpu\" or \"cpu\", not \"" + kind + "\"");
  if (error)
    return Error{place + error->message};
  AnyTarget target =
      kind == gpuKind ? AnyTarget(readGpu(root)) : AnyTarget(readCpu(root));
  if (root.has(sourcesKey))
    (void)root[sourcesKey].strings();
  if (error)
    return Error{place + error->message};
  if (Status status = check(target); !status)
    return Error{place + status.error()};
  return target;
}

Result<AnyTarget> tc::model::loadAnyTarget(const std::string &path) {
  Result<std::string> text = readFile(path, largestFile);
  if (!text)
    return Error{text.error()};
  return readAnyTarget(*text, path);
}

static Result<Target> expectGpu(Result<AnyTarget> target,
                                std::string_view filename) {
  if (!target)
    return Error{target.error()};
  if (auto *gpu = std::get_if<Target>(&*target))
    return std::move(*gpu);
  return Error{std::string(filename) + ": describes a CPU; expected a GPU"};
}

Result<Target> tc::model::loadTarget(const std::string &path) {
  return expectGpu(loadAnyTarget(path), path);
}

Result<Target> tc::model::readTarget(std::string_view text,
                                     std::string_view filename) {
  return expectGpu(readAnyTarget(text, filename), filename);
}

static Result<CpuTarget> expectCpu(Result<AnyTarget> target,
                                   std::string_view filename) {
  if (!target)
    return Error{target.error()};
  if (auto *cpu = std::get_if<CpuTarget>(&*target))
    return std::move(*cpu);
  return Error{std::string(filename) + ": describes a GPU; expected a CPU"};
}

Result<CpuTarget> tc::model::readCpuTarget(std::string_view text,
                                           std::string_view filename) {
  return expectCpu(readAnyTarget(text, filename), filename);
}

Result<CpuTarget> tc::model::loadCpuTarget(const std::string &path) {
  if (!path.empty())
    return expectCpu(loadAnyTarget(path), path);
  Result<DetectedCpu> detected = thisCpu();
  if (!detected)
    return Error{detected.error()};
  if (Status status = applyCalibration(detected->target); !status)
    return Error{status.error()};
  return std::move(detected->target);
}

std::string tc::model::writeTarget(const Target &target) {
  Json json;
  json["kind"] = gpuKind;
  visitGpuFigures(target, FigureWriter{json});
  return json.dump(2) + "\n";
}

std::string tc::model::writeTarget(const CpuTarget &target,
                                   const std::vector<std::string> &sources) {
  Json json;
  json["kind"] = cpuKind;
  visitCpuFigures(target, FigureWriter{json});
  Json caches = Json::array();
  for (const CpuCache &cache : target.caches) {
    Json element;
    visitCacheFigures(cache, FigureWriter{element});
    caches.push_back(std::move(element));
  }
  json["caches"] = std::move(caches);
  if (!sources.empty())
    json[std::string(sourcesKey)] = sources;
  return json.dump(2) + "\n";
}
