//===- ScheduleSyntax.h - The written form of schedules ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The syntax that schedules have in common, whatever they are for: `<key =
// value, ...>` with every key at most once, in any order, and lists of tile
// extents.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_DIALECT_TC_IR_SCHEDULESYNTAX_H
#define TC_LIB_DIALECT_TC_IR_SCHEDULESYNTAX_H

#include "tc/Gpu/Layout/Schedule.h"
#include "tc/Support/MLIR/LLVM.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/SmallSet.h"

namespace tc {

/// Parses an index name. MLIR's identifiers may hold '.' and '$', ours not.
ParseResult parseLabel(AsmParser &parser, std::string &label);

/// Parses and prints `[a: 16, e: 4]`.
ParseResult parseTileExtents(AsmParser &parser,
                             std::vector<model::TileExtent> &tiles);
void printTileExtents(AsmPrinter &printer,
                      const std::vector<model::TileExtent> &tiles);

/// One `key = value` of a schedule.
template <typename ScheduleT> struct ScheduleKeyOf {
  StringLiteral name;
  ParseResult (*parse)(AsmParser &, ScheduleT &);
  void (*print)(AsmPrinter &, const ScheduleT &);
  /// Returns true if the value, with those of the other keys, is what is meant
  /// if the key is missing; null if it may not be missing.
  bool (*isDefault)(const ScheduleT &) = nullptr;
  /// Its former name, which is still parsed.
  StringLiteral formerName = "";
};

/// Parses all keys between `<` and `>`.
template <typename ScheduleT>
ParseResult parseScheduleKeys(AsmParser &parser,
                              ArrayRef<ScheduleKeyOf<ScheduleT>> keys,
                              ScheduleT &schedule) {
  llvm::SmallSet<StringRef, 16> given;
  SMLoc start = parser.getCurrentLocation();
  auto parseEntry = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    StringRef name;
    if (failed(parser.parseOptionalKeyword(&name)))
      return parser.emitError(loc, "expected a key of the schedule");
    const auto *key = llvm::find_if(keys, [&](const auto &key) {
      return key.name == name ||
             (!key.formerName.empty() && key.formerName == name);
    });
    if (key == keys.end()) {
      mlir::InFlightDiagnostic diag = parser.emitError(loc);
      diag << "unknown key '" << name << "' in schedule; the keys are ";
      llvm::interleaveComma(
          keys, diag, [&](const auto &key) { diag << "'" << key.name << "'"; });
      return diag;
    }
    if (!given.insert(key->name).second)
      return parser.emitError(loc)
             << "key '" << name << "' is in the schedule twice";
    return failure(parser.parseEqual() || key->parse(parser, schedule));
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseEntry, " in schedule"))
    return failure();
  for (const auto &key : keys)
    if (!given.contains(key.name) &&
        (!key.isDefault || !key.isDefault(schedule)))
      return parser.emitError(start)
             << "key '" << key.name << "' is missing from the schedule";
  return success();
}

template <typename ScheduleT>
void printScheduleKeys(AsmPrinter &printer,
                       ArrayRef<ScheduleKeyOf<ScheduleT>> keys,
                       const ScheduleT &schedule) {
  printer << '<';
  auto isPrinted = [&](const ScheduleKeyOf<ScheduleT> &key) {
    return !key.isDefault || !key.isDefault(schedule);
  };
  llvm::interleaveComma(llvm::make_filter_range(keys, isPrinted),
                        printer.getStream(), [&](const auto &key) {
                          printer << key.name << " = ";
                          key.print(printer, schedule);
                        });
  printer << '>';
}

} // namespace tc

#endif // TC_LIB_DIALECT_TC_IR_SCHEDULESYNTAX_H
