//===- TargetInfo.cpp - Output of --target-info -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TargetInfo.h"

#include "tc/Machine/Calibration.h"
#include "tc/Machine/DetectCpu.h"
#include "tc/Machine/MatrixInstructions.h"
#include "tc/Machine/TargetFigures.h"
#include "tc/Machine/TargetFile.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace tc;
using namespace tc::run;
using llvm::StringRef;
using model::Figure;

/// "4.8 TB/s": at most four digits and a prefix.
static std::string withPrefix(double value, StringRef unit) {
  const char *prefixes[] = {"", "k", "M", "G", "T", "P"};
  size_t index = 0;
  for (; value >= 1000 && index + 1 < std::size(prefixes); ++index)
    value /= 1000;
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format("%.4g ", value) << prefixes[index] << unit;
  return StringRef(text).rtrim().str();
}

namespace {

/// A table of figures, grouped by the part of the machine that they belong to.
class Table {
public:
  template <typename T> void operator()(const Figure &figure, const T &value) {
    StringRef key(figure.key.data(), figure.key.size());
    StringRef unit(figure.unit.data(), figure.unit.size());
    if (key == "name" || key == "product")
      return;
    startPart(StringRef(figure.part.data(), figure.part.size()));
    std::string cell = format(value, unit);
    if (figure.isCost())
      cell =
          llvm::formatv("{0,-16}{1}", cell,
                        StringRef(figure.source.data(), figure.source.size()));
    addRow(key, cell);
  }

  void startPart(StringRef name) {
    if (part == name)
      return;
    part = name.str();
    text += "  " + part + "\n";
  }

  void addRow(StringRef key, const std::string &value) {
    text += llvm::formatv("    {0,-34}{1}\n", key, value).str();
  }

  std::string text;

private:
  static std::string format(const std::string &value, StringRef) {
    return value;
  }

  static std::string format(double value, StringRef unit) {
    return withPrefix(value, unit);
  }

  template <typename Integer>
  static std::string format(Integer value, StringRef unit) {
    std::string number = std::to_string(value);
    if (unit.empty())
      return number;
    number += " " + unit.str();
    constexpr Integer kibi = 1024;
    if (unit == "B" && value >= kibi && value % kibi == 0)
      number += value % (kibi * kibi) == 0
                    ? " (" + std::to_string(value / (kibi * kibi)) + " MiB)"
                    : " (" + std::to_string(value / kibi) + " KiB)";
    return number;
  }

  std::string part;
};

} // namespace

/// Figures that follow from the parts of the peaks that are attained.
static void addAttained(const model::Target &target, Table &table) {
  const model::AttainableParts &parts = target.attainable;
  const model::TensorCoreRates &tensor = target.tensorFmaPerCycle;
  table.startPart("attained, which follows");
  auto add = [&](StringRef key, double rate, StringRef unit) {
    if (rate > 0)
      table.addRow(key, withPrefix(rate, unit));
  };
  auto addProducts = [&](StringRef key, int64_t fmaPerCycle, double part) {
    add(key,
        2 * static_cast<double>(fmaPerCycle) * target.multiprocessors *
            target.clockHertz * part,
        "FLOP/s");
  };
  add("DRAM, reads", target.memoryBytesPerSecond * parts.memoryReads, "B/s");
  add("DRAM, reads and writes",
      target.memoryBytesPerSecond * parts.memoryCopies, "B/s");
  add("L2, kept at the full rate",
      static_cast<double>(target.l2Bytes) * parts.l2FullRate, "B");
  addProducts("f32, for long", target.fmaPerCycleF32, parts.sustainedF32);
  addProducts("f64, for long", std::max(tensor.f64, target.fmaPerCycleF64),
              parts.sustainedF64);
  addProducts("mma.sync, tf32", tensor.tf32, parts.mmaSync);
  addProducts("mma.sync, f16", tensor.f16, parts.mmaSync);
}

/// The chip's features, what it has of `mma.sync`, and what ptxas makes of the
/// rest.
static void addInstructions(const model::Target &target, Table &table) {
  auto nameOf = [](model::MatrixShape shape) {
    return llvm::formatv("m{0}n{1}k{2}", shape.rows, shape.columns, shape.depth)
        .str();
  };
  table.startPart("features of the chip");
  for (const model::FeatureRow &row : model::allFeatures())
    table.addRow(row.name,
                 row.chips.contains(target.computeCapability) ? "yes" : "no");
  table.startPart("mma.sync, as ptxas makes it");
  for (const model::MatrixLoweringRow &row : model::matrixLowerings()) {
    if (!row.chips.contains(target.computeCapability))
      continue;
    const model::MatrixLowering &lowering = row.lowering;
    std::string text = "one instruction";
    if (!lowering.isNative()) {
      text = std::to_string(lowering.instructions) + " of " +
             nameOf(lowering.shape);
      if (lowering.others > 0)
        text += ", " + std::to_string(lowering.others) + " others";
    }
    std::string_view factor = model::stringify(row.factor);
    table.addRow(StringRef(factor.data(), factor.size()).str() + ", " +
                     nameOf(row.shape),
                 text);
  }
}

static std::string tableOf(const model::Target &target) {
  Table table;
  table.text = "target " + target.name + ": " + target.product + "\n";
  model::visitGpuFigures(target, table);
  table.startPart("peak, which follows");
  auto addPeak = [&](StringRef key, int64_t fmaPerCycle, StringRef unit) {
    if (fmaPerCycle > 0)
      table.addRow(key,
                   withPrefix(2.0 * static_cast<double>(fmaPerCycle) *
                                  target.multiprocessors * target.clockHertz,
                              unit));
  };
  const model::TensorCoreRates &tensor = target.tensorFmaPerCycle;
  addPeak("f32", target.fmaPerCycleF32, "FLOP/s");
  addPeak("f64", target.fmaPerCycleF64, "FLOP/s");
  addPeak("tensor cores, f64", tensor.f64, "FLOP/s");
  addPeak("tensor cores, tf32", tensor.tf32, "FLOP/s");
  addPeak("tensor cores, bf16", tensor.bf16, "FLOP/s");
  addPeak("tensor cores, f16", tensor.f16, "FLOP/s");
  addPeak("tensor cores, f8", tensor.f8, "FLOP/s");
  addPeak("tensor cores, i8", tensor.i8, "op/s");
  addAttained(target, table);
  addInstructions(target, table);
  return table.text;
}

static std::string tableOf(const model::CpuTarget &target) {
  Table table;
  table.text = "target " + target.name + ": " + target.product + "\n";
  model::visitCpuFigures(target, table);
  for (const model::CpuCache &cache : target.caches)
    model::visitCacheFigures(cache, table);
  table.startPart("peak of one core, which follows");
  auto addPeak = [&](StringRef key, int64_t fmaPerCycle) {
    table.addRow(key, withPrefix(2.0 * static_cast<double>(fmaPerCycle) *
                                     target.clockHertz,
                                 "FLOP/s"));
  };
  addPeak("f32", target.fmaPerCycleF32);
  addPeak("f64", target.fmaPerCycleF64);
  return table.text;
}

static Result<std::string> describeHost(bool asJson) {
  Result<model::DetectedCpu> cpu = model::detectCpu();
  if (!cpu)
    return Error{"--target-info: " + cpu.error()};
  if (Status status = model::applyCalibration(cpu->target); !status)
    return Error{"--target-info: " + status.error()};
  const std::string &calibration = cpu->target.calibration;
  if (asJson)
    return model::writeTarget(cpu->target);
  std::string text = tableOf(cpu->target);
  if (!calibration.empty())
    text += "  measured: clock, multiply-adds, rates and costs\n    " +
            calibration + "\n";
  text += "  assumed, as nothing says it" +
          std::string(calibration.empty() ? "" : ", where it is not measured") +
          "\n";
  for (const std::string &assumption : cpu->assumptions)
    text += "    " + assumption + "\n";
  return text;
}

/// The target that a built-in name or a file describes.
static Result<model::AnyTarget> find(const Options &options) {
  const std::string &name = *options.targetInfo;
  if (name.empty() && !options.targetFile.empty()) {
    Result<model::Target> target = model::loadTarget(options.targetFile);
    if (!target)
      return Error{"--target-file: " + target.error()};
    return model::AnyTarget(std::move(*target));
  }
  // A name with a dot or a slash is a file's.
  if (StringRef(name).find_first_of("./") != StringRef::npos) {
    Result<model::AnyTarget> target = model::loadAnyTarget(name);
    return target ? target : Error{"--target-info: " + target.error()};
  }
  Result<const model::Target *> target =
      model::findTarget(name.empty() ? options.chip : name);
  if (!target)
    return Error{"--target-info: " + target.error() +
                 "; 'cpu' is that of this machine, and files end in .json"};
  return model::AnyTarget(**target);
}

Result<std::string> run::describeTarget(const Options &options) {
  if (options.targetInfo == "cpu")
    return describeHost(options.json);
  Result<model::AnyTarget> target = find(options);
  if (!target)
    return Error{target.error()};
  return std::visit(
      [&](const auto &kind) {
        return options.json ? model::writeTarget(kind) : tableOf(kind);
      },
      *target);
}
