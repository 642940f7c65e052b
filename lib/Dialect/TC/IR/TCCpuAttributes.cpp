//===- TCCpuAttributes.cpp - Attributes of code for CPUs ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parsing and printing of CPU schedules.
//
//===----------------------------------------------------------------------===//

#include "ScheduleSyntax.h"

#include "tc/Dialect/TC/IR/TCAttributes.h"
#include "tc/Dialect/TC/IR/TCDialect.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Location.h"

using namespace tc;
using model::CpuSchedule;
using model::Role;

llvm::hash_code tc::model::hash_value(const CpuSchedule &schedule) {
  auto hashTiles = [](const std::vector<TileExtent> &tiles) {
    llvm::hash_code hash = llvm::hash_value(tiles.size());
    for (const TileExtent &tile : tiles)
      hash = llvm::hash_combine(hash, tile.label, tile.extent);
    return hash;
  };
  return llvm::hash_combine(
      schedule.target, schedule.strategy, schedule.vectorIndex,
      schedule.columnIndex, schedule.rows, hashTiles(schedule.m),
      hashTiles(schedule.n), hashTiles(schedule.k), schedule.registerRows,
      schedule.registerColumns, schedule.lanes, schedule.stream,
      schedule.columnsInnermost, schedule.threads.batch, schedule.threads.m,
      schedule.threads.n);
}

static ParseResult parseTarget(AsmParser &parser, CpuSchedule &schedule) {
  return parser.parseString(&schedule.target);
}

static void printTarget(AsmPrinter &printer, const CpuSchedule &schedule) {
  printer.printString(schedule.target);
}

static ParseResult parseStrategy(AsmParser &parser, CpuSchedule &schedule) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  std::optional<model::Strategy> strategy;
  if (succeeded(parser.parseOptionalKeyword(&keyword)))
    strategy = model::symbolizeStrategy(keyword);
  if (!strategy)
    return parser.emitError(loc,
                            "expected gett, ttgt, loop_over_gemm, direct or "
                            "library");
  schedule.strategy = *strategy;
  return success();
}

static void printStrategy(AsmPrinter &printer, const CpuSchedule &schedule) {
  printer << model::stringify(schedule.strategy);
}

static bool isGETT(const CpuSchedule &schedule) {
  return schedule.strategy == model::Strategy::GETT;
}

static ParseResult parseLabels(AsmParser &parser,
                               std::vector<std::string> &labels) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parseLabel(parser, labels.emplace_back());
  });
}

static void printLabels(AsmPrinter &printer,
                        const std::vector<std::string> &labels) {
  printer << '[';
  llvm::interleaveComma(labels, printer.getStream());
  printer << ']';
}

static ParseResult parseLoops(AsmParser &parser, CpuSchedule &schedule) {
  return parseLabels(parser, schedule.loops);
}

static void printLoops(AsmPrinter &printer, const CpuSchedule &schedule) {
  printLabels(printer, schedule.loops);
}

static bool hasNoLoops(const CpuSchedule &schedule) {
  return schedule.loops.empty();
}

static bool isLibrary(const CpuSchedule &schedule) {
  return schedule.strategy == model::Strategy::Library;
}

static bool hasNoPanels(const CpuSchedule &schedule) {
  return schedule.strategy == model::Strategy::Direct || isLibrary(schedule);
}

template <std::vector<model::TileExtent> CpuSchedule::*tiles>
static bool hasNoPanelsOf(const CpuSchedule &schedule) {
  return hasNoPanels(schedule) && (schedule.*tiles).empty();
}

template <std::string CpuSchedule::*label>
static ParseResult parseIndex(AsmParser &parser, CpuSchedule &schedule) {
  return parseLabel(parser, schedule.*label);
}

template <std::string CpuSchedule::*label>
static void printIndex(AsmPrinter &printer, const CpuSchedule &schedule) {
  printer << schedule.*label;
}

template <std::string CpuSchedule::*label>
static bool hasNoIndex(const CpuSchedule &schedule) {
  return (schedule.*label).empty();
}

/// `[A: [a, b], C: [b, c]]`.
static ParseResult parseTranspose(AsmParser &parser, CpuSchedule &schedule) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        SMLoc loc = parser.getCurrentLocation();
        StringRef keyword;
        size_t tensor = StringRef::npos;
        if (succeeded(parser.parseOptionalKeyword(&keyword)) &&
            keyword.size() == 1)
          tensor = StringRef("ABC").find(keyword);
        if (tensor == StringRef::npos)
          return parser.emitError(loc, "expected A, B or C");
        std::vector<std::string> &labels = schedule.transpose[tensor];
        if (!labels.empty())
          return parser.emitError(loc)
                 << "'transpose' names " << keyword << " twice";
        return failure(parser.parseColon() || parseLabels(parser, labels));
      });
}

static void printTranspose(AsmPrinter &printer, const CpuSchedule &schedule) {
  printer << '[';
  StringRef separator = "";
  for (auto [name, labels] :
       llvm::zip_equal(StringRef("ABC"), schedule.transpose)) {
    if (labels.empty())
      continue;
    printer << separator << name << ": ";
    printLabels(printer, labels);
    separator = ", ";
  }
  printer << ']';
}

static bool transposesNothing(const CpuSchedule &schedule) {
  return llvm::all_of(schedule.transpose,
                      [](const auto &labels) { return labels.empty(); });
}

template <std::vector<model::TileExtent> CpuSchedule::*tiles>
static ParseResult parseTiles(AsmParser &parser, CpuSchedule &schedule) {
  return parseTileExtents(parser, schedule.*tiles);
}

template <std::vector<model::TileExtent> CpuSchedule::*tiles>
static void printTiles(AsmPrinter &printer, const CpuSchedule &schedule) {
  printTileExtents(printer, schedule.*tiles);
}

/// The letter of a role in a schedule.
static StringRef letterOf(Role role) {
  return role == Role::M ? "m" : role == Role::N ? "n" : "k";
}

static ParseResult parseRole(AsmParser &parser, Role &role) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (failed(parser.parseOptionalKeyword(&keyword)) ||
      (keyword != "m" && keyword != "n" && keyword != "k"))
    return parser.emitError(loc, "expected m, n or k");
  role = keyword == "m" ? Role::M : keyword == "n" ? Role::N : Role::K;
  return success();
}

static ParseResult parseRows(AsmParser &parser, CpuSchedule &schedule) {
  SMLoc loc = parser.getCurrentLocation();
  if (parseRole(parser, schedule.rows))
    return failure();
  if (schedule.rows == Role::K)
    return parser.emitError(loc, "expected m or n: k is summed");
  return success();
}

static void printRows(AsmPrinter &printer, const CpuSchedule &schedule) {
  printer << letterOf(schedule.rows);
}

static ParseResult parseOrder(AsmParser &parser, CpuSchedule &schedule) {
  return failure(parser.parseLSquare() ||
                 parseRole(parser, schedule.order[0]) || parser.parseComma() ||
                 parseRole(parser, schedule.order[1]) || parser.parseComma() ||
                 parseRole(parser, schedule.order[2]) || parser.parseRSquare());
}

static void printOrder(AsmPrinter &printer, const CpuSchedule &schedule) {
  printer << '[';
  llvm::interleaveComma(schedule.order, printer.getStream(),
                        [&](Role role) { printer << letterOf(role); });
  printer << ']';
}

static ParseResult parseRegister(AsmParser &parser, CpuSchedule &schedule) {
  return failure(
      parser.parseLSquare() || parser.parseInteger(schedule.registerRows) ||
      parser.parseComma() || parser.parseInteger(schedule.registerColumns) ||
      parser.parseRSquare());
}

static void printRegister(AsmPrinter &printer, const CpuSchedule &schedule) {
  printer << '[' << schedule.registerRows << ", " << schedule.registerColumns
          << ']';
}

static ParseResult parseInner(AsmParser &parser, CpuSchedule &schedule) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (failed(parser.parseOptionalKeyword(&keyword)) ||
      (keyword != "rows" && keyword != "columns"))
    return parser.emitError(loc, "expected rows or columns");
  schedule.columnsInnermost = keyword == "columns";
  return success();
}

static void printInner(AsmPrinter &printer, const CpuSchedule &schedule) {
  printer << (schedule.columnsInnermost ? "columns" : "rows");
}

static bool hasRowsInnermost(const CpuSchedule &schedule) {
  return !schedule.columnsInnermost;
}

static ParseResult parseLanes(AsmParser &parser, CpuSchedule &schedule) {
  return parser.parseInteger(schedule.lanes);
}

static void printLanes(AsmPrinter &printer, const CpuSchedule &schedule) {
  printer << schedule.lanes;
}

static ParseResult parseStore(AsmParser &parser, CpuSchedule &schedule) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (failed(parser.parseOptionalKeyword(&keyword)) ||
      (keyword != "cache" && keyword != "stream"))
    return parser.emitError(loc, "expected cache or stream");
  schedule.stream = keyword == "stream";
  return success();
}

static void printStore(AsmPrinter &printer, const CpuSchedule &schedule) {
  printer << (schedule.stream ? "stream" : "cache");
}

/// The ways of a loop by its name; null if there is none of that name.
static int64_t *findWays(model::CpuThreads &threads, StringRef name) {
  return name == "batch" ? &threads.batch
         : name == "m"   ? &threads.m
         : name == "n"   ? &threads.n
                         : nullptr;
}

/// `[m: 2, n: 4]`.
static ParseResult parseThreads(AsmParser &parser, CpuSchedule &schedule) {
  SmallVector<StringRef, 3> given;
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        SMLoc loc = parser.getCurrentLocation();
        StringRef name;
        if (failed(parser.parseOptionalKeyword(&name)))
          return parser.emitError(loc, "expected batch, m or n");
        int64_t *ways = findWays(schedule.threads, name);
        if (!ways)
          return parser.emitError(loc, "expected batch, m or n");
        if (llvm::is_contained(given, name))
          return parser.emitError(loc)
                 << "'" << name << "' is in 'threads' twice";
        given.push_back(name);
        return failure(parser.parseColon() || parser.parseInteger(*ways));
      });
}

static void printThreads(AsmPrinter &printer, const CpuSchedule &schedule) {
  const std::pair<StringRef, int64_t> all[] = {
      {"batch", schedule.threads.batch},
      {"m", schedule.threads.m},
      {"n", schedule.threads.n}};
  printer << '[';
  llvm::interleaveComma(
      llvm::make_filter_range(
          all, [](const auto &loop) { return loop.second != 1; }),
      printer.getStream(),
      [&](const auto &loop) { printer << loop.first << ": " << loop.second; });
  printer << ']';
}

static bool hasOneThread(const CpuSchedule &schedule) {
  return schedule.threads == model::CpuThreads();
}

/// All keys, in the order in which they are printed.
static constexpr ScheduleKeyOf<CpuSchedule> cpuScheduleKeys[] = {
    {"target", parseTarget, printTarget},
    {"strategy", parseStrategy, printStrategy, isGETT},
    {"transpose", parseTranspose, printTranspose, transposesNothing},
    {"loops", parseLoops, printLoops, hasNoLoops},
    {"vector", parseIndex<&CpuSchedule::vectorIndex>,
     printIndex<&CpuSchedule::vectorIndex>,
     hasNoIndex<&CpuSchedule::vectorIndex>},
    {"columns", parseIndex<&CpuSchedule::columnIndex>,
     printIndex<&CpuSchedule::columnIndex>,
     hasNoIndex<&CpuSchedule::columnIndex>},
    {"rows", parseRows, printRows, hasNoPanels},
    {"m", parseTiles<&CpuSchedule::m>, printTiles<&CpuSchedule::m>,
     hasNoPanelsOf<&CpuSchedule::m>},
    {"n", parseTiles<&CpuSchedule::n>, printTiles<&CpuSchedule::n>,
     hasNoPanelsOf<&CpuSchedule::n>},
    {"k", parseTiles<&CpuSchedule::k>, printTiles<&CpuSchedule::k>,
     hasNoPanelsOf<&CpuSchedule::k>},
    {"order", parseOrder, printOrder, hasNoPanels},
    {"inner", parseInner, printInner, hasRowsInnermost},
    {"register", parseRegister, printRegister, isLibrary},
    {"lanes", parseLanes, printLanes, isLibrary},
    {"store", parseStore, printStore, hasNoPanels},
    {"threads", parseThreads, printThreads, hasOneThread},
};

Attribute CpuScheduleAttr::parse(AsmParser &parser, Type) {
  CpuSchedule schedule;
  if (parseScheduleKeys<CpuSchedule>(parser, cpuScheduleKeys, schedule))
    return {};
  return CpuScheduleAttr::get(parser.getContext(), schedule);
}

void CpuScheduleAttr::print(AsmPrinter &printer) const {
  printScheduleKeys<CpuSchedule>(printer, cpuScheduleKeys, getValue());
}

CpuScheduleAttr tc::parseCpuSchedule(StringRef text, MLIRContext *context) {
  std::string wrapped = text.trim().str();
  if (!StringRef(wrapped).starts_with("#"))
    wrapped = StringRef(wrapped).starts_with("<")
                  ? "#tc.cpu_schedule" + wrapped
                  : "#tc.cpu_schedule<" + wrapped + ">";
  context->getOrLoadDialect<TCDialect>();
  Attribute attribute = mlir::parseAttribute(wrapped, context);
  if (attribute && !isa<CpuScheduleAttr>(attribute))
    mlir::emitError(mlir::UnknownLoc::get(context))
        << "expected a CPU schedule, but got " << attribute;
  return dyn_cast_or_null<CpuScheduleAttr>(attribute);
}
