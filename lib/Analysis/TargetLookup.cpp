//===- TargetLookup.cpp - Targets that a module describes -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/TargetLookup.h"

#include "tc/Machine/TargetCheck.h"
#include "tc/Machine/TargetFigures.h"
#include "tc/Machine/TargetFile.h"

#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/StringSet.h"

using namespace tc;
using mlir::DataLayoutEntryInterface;
using mlir::DLTIDialect;
using mlir::TargetDeviceSpecInterface;
using mlir::TargetSystemSpecInterface;

static constexpr StringLiteral prefix = "tc.";
static constexpr StringLiteral baseKey = "tc.base";

static std::string entryKey(const model::Figure &figure) {
  return (prefix + StringRef(figure.key.data(), figure.key.size())).str();
}

/// Calls `visit` for every figure that a device has an entry for: all but the
/// name.
template <typename TargetT, typename Visitor>
static void visitEntries(TargetT &target, Visitor &&visit) {
  model::visitGpuFigures(target, [&](const model::Figure &figure, auto &value) {
    if (static_cast<const void *>(&value) != &target.name)
      visit(figure, value);
  });
}

/// Takes over an entry's value. Returns what was expected if it is another kind
/// of attribute, else nothing.
static StringRef read(Attribute entry, std::string &value) {
  auto attr = dyn_cast<StringAttr>(entry);
  if (!attr)
    return "a string";
  value = attr.str();
  return "";
}

static StringRef read(Attribute entry, double &value) {
  if (auto attr = dyn_cast<FloatAttr>(entry))
    value = attr.getValueAsDouble();
  else if (auto integer = dyn_cast<IntegerAttr>(entry))
    value = integer.getValue().signedRoundToDouble();
  else
    return "a number";
  return "";
}

template <typename Integer>
static StringRef read(Attribute entry, Integer &value) {
  auto attr = dyn_cast<IntegerAttr>(entry);
  if (!attr)
    return "an integer";
  APInt number = attr.getValue();
  if (number.isNegative() || number.ugt(model::largestFigure))
    return "an integer from 0 to 2147483647";
  value = static_cast<Integer>(number.getZExtValue());
  return "";
}

static StringRef nameOf(DataLayoutEntryInterface entry) {
  auto key = dyn_cast<StringAttr>(entry.getKey());
  return key ? key.getValue() : StringRef();
}

bool tc::isTargetSpec(TargetDeviceSpecInterface device) {
  return llvm::any_of(device.getEntries(), [](DataLayoutEntryInterface entry) {
    return nameOf(entry).starts_with(prefix);
  });
}

Result<model::Target> tc::readTargetSpec(TargetDeviceSpecInterface device,
                                         StringRef name) {
  std::string place = "target '" + name.str() + "' of the module: ";
  llvm::StringMap<Attribute> entries;
  for (DataLayoutEntryInterface entry : device.getEntries())
    if (nameOf(entry).starts_with(prefix))
      entries[nameOf(entry)] = entry.getValue();

  model::Target target;
  bool hasBase = false;
  if (Attribute base = entries.lookup(baseKey)) {
    std::string baseName;
    if (StringRef expected = read(base, baseName); !expected.empty())
      return Error{place + "'tc.base' must be " + expected.str()};
    Result<const model::Target *> found = model::findTarget(baseName);
    if (!found)
      return Error{place + "'tc.base': " + found.error()};
    target = **found;
    hasBase = true;
    entries.erase(baseKey);
  }
  target.name = name.str();

  std::string error;
  visitEntries(target, [&](const model::Figure &figure, auto &value) {
    auto entry = entries.find(entryKey(figure));
    if (entry == entries.end()) {
      if (!hasBase && !figure.isCost() && error.empty())
        error = "'" + entryKey(figure) +
                "' is missing; without 'tc.base', all are required";
      return;
    }
    if (StringRef expected = read(entry->second, value);
        !expected.empty() && error.empty())
      error = "'" + entryKey(figure) + "' must be " + expected.str();
    entries.erase(entry);
  });
  if (!entries.empty()) {
    // The map has no order; the message must have one.
    StringRef first = entries.begin()->first();
    for (const auto &entry : entries)
      first = std::min(first, entry.first());
    error = "unknown entry '" + first.str() + "'";
  }
  if (!error.empty())
    return Error{place + error};
  if (Status status = model::checkTarget(target); !status)
    return Error{place + status.error()};
  return target;
}

TargetDeviceSpecInterface tc::writeTargetSpec(MLIRContext *context,
                                              const model::Target &target) {
  Builder builder(context);
  SmallVector<DataLayoutEntryInterface> entries;
  visitEntries(target, [&](const model::Figure &figure, const auto &value) {
    using T = std::decay_t<decltype(value)>;
    Attribute attr;
    if constexpr (std::is_same_v<T, std::string>)
      attr = builder.getStringAttr(value);
    else if constexpr (std::is_floating_point_v<T>)
      attr = builder.getF64FloatAttr(value);
    else
      attr = builder.getI64IntegerAttr(value);
    entries.push_back(mlir::DataLayoutEntryAttr::get(
        builder.getStringAttr(entryKey(figure)), attr));
  });
  return mlir::TargetDeviceSpecAttr::get(context, entries);
}

/// The machines that an operation describes, null if it does not.
static TargetSystemSpecInterface getSystem(Operation *op) {
  return op->getAttrOfType<TargetSystemSpecInterface>(
      DLTIDialect::kTargetSystemDescAttrName);
}

Result<model::Target> tc::lookUpTarget(Operation *op, StringRef name) {
  for (; op; op = op->getParentOp()) {
    TargetSystemSpecInterface system = getSystem(op);
    if (!system)
      continue;
    std::optional<TargetDeviceSpecInterface> device =
        system.getDeviceSpecForDeviceID(
            StringAttr::get(op->getContext(), name));
    if (device && isTargetSpec(*device))
      return readTargetSpec(*device, name);
  }
  Result<const model::Target *> found = model::findTarget(name.str());
  if (!found)
    return Error{found.error()};
  return **found;
}

mlir::ArrayAttr tc::getTargetSpecs(Operation *op) {
  SmallVector<mlir::Attribute> specs;
  MLIRContext *context = op->getContext();
  for (; op; op = op->getParentOp())
    if (TargetSystemSpecInterface system = getSystem(op))
      specs.push_back(system);
  return mlir::ArrayAttr::get(context, specs);
}

void tc::attachTarget(ModuleOp module, const model::Target &target) {
  MLIRContext *context = module.getContext();
  auto name = StringAttr::get(context, target.name);
  SmallVector<DataLayoutEntryInterface> devices;
  if (TargetSystemSpecInterface system = getSystem(module))
    for (DataLayoutEntryInterface device : system.getEntries())
      if (nameOf(device) != name.getValue())
        devices.push_back(device);
  devices.push_back(
      mlir::DataLayoutEntryAttr::get(name, writeTargetSpec(context, target)));
  module->setAttr(DLTIDialect::kTargetSystemDescAttrName,
                  mlir::TargetSystemSpecAttr::get(context, devices));
}

Result<model::Target> tc::lookUpTargetOptions(Operation *op, StringRef target,
                                              StringRef targetFile) {
  if (targetFile.empty()) {
    Result<model::Target> found = lookUpTarget(op, target);
    return found ? found : Error{"option 'target': " + found.error()};
  }
  auto module = dyn_cast<ModuleOp>(op);
  if (!module)
    return Error{"option 'target-file': the pass must run on a module"};
  Result<model::Target> loaded = model::loadTarget(targetFile.str());
  if (!loaded)
    return Error{"option 'target-file': " + loaded.error()};
  attachTarget(module, *loaded);
  return loaded;
}
