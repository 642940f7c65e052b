//===- ScheduleSyntax.cpp - The written form of schedules -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleSyntax.h"

#include "tc/Problem/Contraction.h"

using namespace tc;

ParseResult tc::parseLabel(AsmParser &parser, std::string &label) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (failed(parser.parseOptionalKeyword(&keyword)))
    return parser.emitError(loc, "expected an index name");
  if (!model::isValidLabel(keyword))
    return parser.emitError(loc)
           << "'" << keyword
           << "' is not an index name: only letters, digits and '_' may occur";
  label = keyword.str();
  return success();
}

ParseResult tc::parseTileExtents(AsmParser &parser,
                                 std::vector<model::TileExtent> &tiles) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square,
      [&]() -> ParseResult {
        model::TileExtent tile;
        if (parseLabel(parser, tile.label) || parser.parseColon() ||
            parser.parseInteger(tile.extent))
          return failure();
        tiles.push_back(std::move(tile));
        return success();
      },
      " in list of tile extents");
}

void tc::printTileExtents(AsmPrinter &printer,
                          const std::vector<model::TileExtent> &tiles) {
  printer << '[';
  llvm::interleaveComma(tiles, printer.getStream(),
                        [&](const model::TileExtent &tile) {
                          printer << tile.label << ": " << tile.extent;
                        });
  printer << ']';
}
