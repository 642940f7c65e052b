//===- Tile.h - Reports on chosen schedules ---------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// --tc-tile for callers that want to know why schedules are chosen.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TC_TRANSFORMS_TILE_H
#define TC_DIALECT_TC_TRANSFORMS_TILE_H

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace mlir {
class Pass;
} // namespace mlir

namespace tc {

struct TilePassOptions;

namespace explain {
struct Section;
} // namespace explain

/// Takes why --tc-tile chose schedules.
struct ScheduleListener {
  /// The name in reports of the schedule of the pass's option.
  std::string givenName = "given";
  /// Is called once with a section for each contraction that needs a schedule,
  /// if all have got one.
  std::function<void(std::vector<explain::Section>)> take;
};

/// --tc-tile, which tells why it chose; it prints and writes nothing then.
std::unique_ptr<mlir::Pass> createTilePass(const TilePassOptions &options,
                                           ScheduleListener listener);

} // namespace tc

#endif // TC_DIALECT_TC_TRANSFORMS_TILE_H
