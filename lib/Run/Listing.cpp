//===- Listing.cpp - MLIR as text that PTX refers to ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes a snapshot of the locations of a module.
//
//===----------------------------------------------------------------------===//

#include "Listing.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Transforms/LocationSnapshot.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace tc;
using namespace tc::run;
using mlir::FileLineColLoc;

/// The name and the place that a location says first.
static void describe(Location location, Listing::Line &line) {
  location->walk([&](Location part) {
    if (auto name = dyn_cast<mlir::NameLoc>(part); name && line.step.empty())
      line.step = name.getName().str();
    auto file = dyn_cast<FileLineColLoc>(part);
    if (!file)
      return mlir::WalkResult::advance();
    line.source = file.getFilename().str() + ":" +
                  std::to_string(file.getLine()) + ":" +
                  std::to_string(file.getColumn());
    return mlir::WalkResult::interrupt();
  });
}

Listing run::makeListing(ModuleOp module, StringRef name) {
  SmallVector<std::pair<Operation *, Location>> origins;
  module->walk([&](Operation *op) { origins.emplace_back(op, op->getLoc()); });
  Listing listing;
  listing.name = name.str();
  llvm::raw_string_ostream stream(listing.text);
  mlir::generateLocationsFromIR(stream, name, module, mlir::OpPrintingFlags());
  for (StringRef line : llvm::split(StringRef(listing.text), '\n'))
    listing.lines.push_back({line.trim().str(), "", ""});
  for (auto [op, origin] : origins)
    if (auto place = dyn_cast<FileLineColLoc>(op->getLoc()))
      if (place.getLine() <= listing.lines.size() && place.getLine() > 0)
        describe(origin, listing.lines[place.getLine() - 1]);
  return listing;
}
