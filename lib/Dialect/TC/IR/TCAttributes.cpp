//===- TCAttributes.cpp - Attributes of the tc dialect --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parsing, printing and verification of index lists, precisions and schedules.
//
//===----------------------------------------------------------------------===//

#include "ScheduleSyntax.h"

#include "tc/Dialect/TC/IR/TCAttributes.h"

#include "tc/Dialect/TC/IR/KernelFields.h"
#include "tc/Dialect/TC/IR/TCDialect.h"
#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Problem/Contraction.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace tc;

#include "tc/Dialect/TC/IR/TCEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "tc/Dialect/TC/IR/TCAttributes.cpp.inc"

void TCDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tc/Dialect/TC/IR/TCAttributes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// IndexListAttr
//===----------------------------------------------------------------------===//

ParseResult tc::parseIndexList(AsmParser &parser, IndexListAttr &indices) {
  SmallVector<StringAttr> labels;
  auto parseElement = [&] {
    std::string label;
    if (parseLabel(parser, label))
      return failure();
    labels.push_back(parser.getBuilder().getStringAttr(label));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseElement,
                                     " in index list"))
    return failure();
  indices = IndexListAttr::get(parser.getContext(), labels);
  return success();
}

void tc::printIndexList(AsmPrinter &printer, IndexListAttr indices) {
  printer << '[';
  llvm::interleaveComma(indices, printer.getStream(),
                        [&](StringAttr label) { printer << label.getValue(); });
  printer << ']';
}

Attribute IndexListAttr::parse(AsmParser &parser, Type) {
  IndexListAttr indices;
  if (parser.parseLess() || parseIndexList(parser, indices) ||
      parser.parseGreater())
    return {};
  return indices;
}

void IndexListAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printIndexList(printer, *this);
  printer << '>';
}

LogicalResult
IndexListAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      ArrayRef<StringAttr> labels) {
  for (StringAttr label : labels)
    if (!model::isValidLabel(label.getValue()))
      return emitError() << label << " is not an index name";
  return success();
}

bool IndexListAttr::contains(StringAttr label) const {
  return llvm::is_contained(getLabels(), label);
}

std::optional<unsigned> IndexListAttr::find(StringAttr label) const {
  const auto *it = llvm::find(getLabels(), label);
  if (it == end())
    return std::nullopt;
  return it - begin();
}

//===----------------------------------------------------------------------===//
// DynamicShapeAttr
//===----------------------------------------------------------------------===//

LogicalResult
DynamicShapeAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                         int64_t multiples, int64_t offsetBits,
                         mlir::DictionaryAttr representative) {
  if (multiples < 1)
    return emitError() << "multiples must be at least 1, but is " << multiples;
  if (offsetBits != 32 && offsetBits != 64)
    return emitError() << "offset_bits must be 32 or 64, but is " << offsetBits;
  if (!representative)
    return success();
  for (mlir::NamedAttribute entry : representative) {
    auto extent = dyn_cast<mlir::IntegerAttr>(entry.getValue());
    if (!extent || !extent.getType().isInteger(64) || extent.getInt() < 1)
      return emitError() << "representative extent of index '"
                         << entry.getName().getValue()
                         << "' must be an i64 of at least 1, but is "
                         << entry.getValue();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// PrecisionAttr
//===----------------------------------------------------------------------===//

/// Parses the name of a value, of which `symbolize` knows all, called `names`
/// in messages.
template <typename Attr, typename Symbolize>
static ParseResult parseNamed(AsmParser &parser, Attr &attr, StringRef what,
                              Symbolize symbolize, const std::string &names) {
  SMLoc loc = parser.getCurrentLocation();
  std::string name;
  if (succeeded(parser.parseOptionalKeywordOrString(&name)))
    if (auto value = symbolize(name)) {
      attr = Attr::get(parser.getContext(), *value);
      return success();
    }
  return parser.emitError(loc) << "expected a " << what << ": " << names;
}

ParseResult tc::parsePrecision(AsmParser &parser, PrecisionAttr &precision) {
  return parseNamed(parser, precision, "precision", model::symbolizePrecision,
                    model::precisionNames());
}

void tc::printPrecision(AsmPrinter &printer, PrecisionAttr precision) {
  printer.printKeywordOrString(model::stringify(precision.getValue()));
}

Attribute PrecisionAttr::parse(AsmParser &parser, Type) {
  PrecisionAttr precision;
  if (parser.parseLess() || parsePrecision(parser, precision) ||
      parser.parseGreater())
    return {};
  return precision;
}

void PrecisionAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printPrecision(printer, *this);
  printer << '>';
}

//===----------------------------------------------------------------------===//
// SemiringAttr
//===----------------------------------------------------------------------===//

ParseResult tc::parseSemiring(AsmParser &parser, SemiringAttr &semiring) {
  constexpr auto userDefined = model::Semiring::UserDefined;
  if (succeeded(parser.parseOptionalKeyword(model::stringify(userDefined)))) {
    semiring = SemiringAttr::get(parser.getContext(), userDefined);
    return success();
  }
  return parseNamed(parser, semiring, "semiring", model::symbolizeSemiring,
                    model::semiringNames());
}

void tc::printSemiring(AsmPrinter &printer, SemiringAttr semiring) {
  printer.printKeywordOrString(model::stringify(semiring.getValue()));
}

ParseResult tc::parseSemiring(AsmParser &parser, SemiringAttr &semiring,
                              mlir::TypedAttr &identity) {
  if (parseSemiring(parser, semiring))
    return failure();
  if (semiring.getValue() != model::Semiring::UserDefined)
    return success();
  return failure(parser.parseLParen() || parser.parseAttribute(identity) ||
                 parser.parseRParen());
}

void tc::printSemiring(AsmPrinter &printer, SemiringAttr semiring,
                       mlir::TypedAttr identity) {
  printSemiring(printer, semiring);
  if (identity)
    printer << '(' << identity << ')';
}

Attribute SemiringAttr::parse(AsmParser &parser, Type) {
  SemiringAttr semiring;
  if (parser.parseLess() || parseSemiring(parser, semiring) ||
      parser.parseGreater())
    return {};
  return semiring;
}

void SemiringAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printSemiring(printer, *this);
  printer << '>';
}

//===----------------------------------------------------------------------===//
// ScheduleAttr
//===----------------------------------------------------------------------===//

llvm::hash_code tc::model::hash_value(const Schedule &schedule) {
  auto hashTiles = [](const std::vector<TileExtent> &tiles) {
    llvm::hash_code hash = llvm::hash_value(tiles.size());
    for (const TileExtent &tile : tiles)
      hash = llvm::hash_combine(hash, tile.label, tile.extent);
    return hash;
  };
  return llvm::hash_combine(
      schedule.target, hashTiles(schedule.m), hashTiles(schedule.n),
      hashTiles(schedule.k), schedule.registerM, schedule.registerN,
      schedule.mapping.rasterM, schedule.mapping.stationary,
      schedule.mapping.tilesPerBlock, schedule.mapping.splitK,
      schedule.instruction, schedule.stages);
}

namespace {

using model::GridMapping;
using model::Schedule;
using model::Stationary;
using model::TileExtent;

} // namespace

static ParseResult parseTarget(AsmParser &parser, Schedule &schedule) {
  return parser.parseString(&schedule.target);
}

static void printTarget(AsmPrinter &printer, const Schedule &schedule) {
  printer.printString(schedule.target);
}

/// Parses and prints `[a: 16, e: 4]`.
template <std::vector<TileExtent> Schedule::*tiles>
static ParseResult parseTiles(AsmParser &parser, Schedule &schedule) {
  return parseTileExtents(parser, schedule.*tiles);
}

template <std::vector<TileExtent> Schedule::*tiles>
static void printTiles(AsmPrinter &printer, const Schedule &schedule) {
  printTileExtents(printer, schedule.*tiles);
}

static ParseResult parseRegister(AsmParser &parser, Schedule &schedule) {
  return failure(
      parser.parseLSquare() || parser.parseInteger(schedule.registerM) ||
      parser.parseComma() || parser.parseInteger(schedule.registerN) ||
      parser.parseRSquare());
}

static void printRegister(AsmPrinter &printer, const Schedule &schedule) {
  printer << '[' << schedule.registerM << ", " << schedule.registerN << ']';
}

static ParseResult parseInstruction(AsmParser &parser, Schedule &schedule) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef name;
  if (succeeded(parser.parseOptionalKeyword(&name)))
    if (std::optional<model::Instruction> known =
            model::symbolizeInstruction(name)) {
      schedule.instruction = *known;
      return success();
    }
  InFlightDiagnostic diag = parser.emitError(loc);
  diag << "expected an instruction: ";
  llvm::interleaveComma(model::multiplyAtoms, diag,
                        [&](const model::MultiplyAtom &atom) {
                          diag << "'" << atom.name << "'";
                        });
  return diag;
}

static void printInstruction(AsmPrinter &printer, const Schedule &schedule) {
  printer << model::stringify(schedule.instruction);
}

static bool hasDefaultInstruction(const Schedule &schedule) {
  return schedule.instruction == Schedule().instruction;
}

static ParseResult parseStages(AsmParser &parser, Schedule &schedule) {
  return parser.parseInteger(schedule.stages);
}

static void printStages(AsmPrinter &printer, const Schedule &schedule) {
  printer << schedule.stages;
}

static bool hasDefaultStages(const Schedule &schedule) {
  return schedule.stages == Schedule().stages;
}

/// Parses, prints and knows the default of a number of the mapping.
template <int64_t GridMapping::*number>
static ParseResult parseNumber(AsmParser &parser, Schedule &schedule) {
  return parser.parseInteger(schedule.mapping.*number);
}

template <int64_t GridMapping::*number>
static void printNumber(AsmPrinter &printer, const Schedule &schedule) {
  printer << schedule.mapping.*number;
}

template <int64_t GridMapping::*number>
static bool hasDefault(const Schedule &schedule) {
  return schedule.mapping.*number == GridMapping().*number;
}

static ParseResult parseStationary(AsmParser &parser, Schedule &schedule) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef name;
  if (succeeded(parser.parseOptionalKeyword(&name)))
    for (Stationary known : {Stationary::Output, Stationary::A, Stationary::B})
      if (name.equals_insensitive(model::stringify(known)) &&
          name == name.lower()) {
        schedule.mapping.stationary = known;
        return success();
      }
  return parser.emitError(loc, "expected what is stationary: 'output', 'a' or "
                               "'b'");
}

static void printStationary(AsmPrinter &printer, const Schedule &schedule) {
  printer << StringRef(model::stringify(schedule.mapping.stationary)).lower();
}

static bool hasDefaultStationary(const Schedule &schedule) {
  return schedule.mapping.stationary == GridMapping().stationary;
}

/// All keys, in the order in which they are printed.
static constexpr ScheduleKeyOf<Schedule> scheduleKeys[] = {
    {"target", parseTarget, printTarget},
    {"m", parseTiles<&Schedule::m>, printTiles<&Schedule::m>},
    {"n", parseTiles<&Schedule::n>, printTiles<&Schedule::n>},
    {"k", parseTiles<&Schedule::k>, printTiles<&Schedule::k>},
    {"register", parseRegister, printRegister},
    {"instruction", parseInstruction, printInstruction, hasDefaultInstruction},
    {"stages", parseStages, printStages, hasDefaultStages},
    {"raster", parseNumber<&GridMapping::rasterM>,
     printNumber<&GridMapping::rasterM>, hasDefault<&GridMapping::rasterM>},
    {"stationary", parseStationary, printStationary, hasDefaultStationary},
    {"tiles_per_block", parseNumber<&GridMapping::tilesPerBlock>,
     printNumber<&GridMapping::tilesPerBlock>,
     hasDefault<&GridMapping::tilesPerBlock>, "walk"},
    {"split_k", parseNumber<&GridMapping::splitK>,
     printNumber<&GridMapping::splitK>, hasDefault<&GridMapping::splitK>},
};

Attribute ScheduleAttr::parse(AsmParser &parser, Type) {
  Schedule schedule;
  SMLoc start = parser.getCurrentLocation();
  if (parseScheduleKeys<Schedule>(parser, scheduleKeys, schedule))
    return {};
  return parser.getChecked<ScheduleAttr>(start, parser.getContext(), schedule);
}

void ScheduleAttr::print(AsmPrinter &printer) const {
  printScheduleKeys<Schedule>(printer, scheduleKeys, getValue());
}

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   model::Schedule schedule) {
  if (schedule.target.empty())
    return emitError() << "the schedule's target has no name";
  llvm::SmallSet<StringRef, 8> labels;
  for (const auto *tiles : {&schedule.m, &schedule.n, &schedule.k}) {
    for (const TileExtent &tile : *tiles) {
      if (!model::isValidLabel(tile.label))
        return emitError() << "'" << tile.label << "' is not an index name";
      if (!labels.insert(tile.label).second)
        return emitError() << "index '" << tile.label
                           << "' is in the schedule twice";
      if (tile.extent < 1)
        return emitError() << "tile extent of index '" << tile.label
                           << "' must be at least 1, but is " << tile.extent;
    }
  }
  const GridMapping &mapping = schedule.mapping;
  if (mapping.rasterM < 0)
    return emitError() << "'raster' must be at least 0, but is "
                       << mapping.rasterM;
  if (mapping.tilesPerBlock < 1)
    return emitError() << "'tiles_per_block' must be at least 1, but is "
                       << mapping.tilesPerBlock;
  if (mapping.splitK < 1)
    return emitError() << "'split_k' must be at least 1, but is "
                       << mapping.splitK;
  if (mapping.stationary == Stationary::Output && mapping.tilesPerBlock != 1)
    return emitError()
           << "'tiles_per_block' must be 1 where the output is stationary, "
              "but is "
           << mapping.tilesPerBlock;
  if (schedule.stages < 2)
    return emitError() << "'stages' must be at least 2, but is "
                       << schedule.stages;
  if (schedule.registerM < 1 || schedule.registerN < 1)
    return emitError() << "register tile must be at least 1 x 1, but is "
                       << schedule.registerM << " x " << schedule.registerN;
  return success();
}

ScheduleAttr tc::parseSchedule(StringRef text, MLIRContext *context) {
  std::string wrapped = text.trim().str();
  if (!StringRef(wrapped).starts_with("#"))
    wrapped = StringRef(wrapped).starts_with("<")
                  ? "#tc.schedule" + wrapped
                  : "#tc.schedule<" + wrapped + ">";
  context->getOrLoadDialect<TCDialect>();
  Attribute attribute = mlir::parseAttribute(wrapped, context);
  if (attribute && !isa<ScheduleAttr>(attribute))
    emitError(mlir::UnknownLoc::get(context))
        << "expected a schedule, but got " << attribute;
  return dyn_cast_or_null<ScheduleAttr>(attribute);
}
