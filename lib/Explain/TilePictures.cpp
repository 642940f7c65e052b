//===- TilePictures.cpp - Cuts of the tensors by grid and blocks ----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Format.h"
#include "Pictures.h"
#include "Planes.h"

#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

using namespace tc;
using namespace tc::explain;
using namespace tc::model;

namespace {

/// Tiles of fewer pixels get no lines between them.
constexpr double finestGrid = 4;

/// "12 x 34" with a sign that is not a letter.
std::string times(std::initializer_list<int64_t> factors) {
  std::string text;
  for (int64_t factor : factors)
    text += (text.empty() ? "" : " \xc3\x97 ") + std::to_string(factor);
  return text;
}

/// A sample of a look, and what it stands for.
std::string key(std::string_view look, const std::string &text) {
  return "<span class=\"key\"><i class=\"" + std::string(look) + "\"></i>" +
         escape(text) + "</span> ";
}

/// Neighbouring tiles of C in one column of tiles.
struct Run {
  int64_t column, begin, count;
};

/// The tiles of the first batch entry that the first `blocks` blocks own, as
/// far as they are shown.
std::vector<Run> runsOf(const KernelLayout &layout, int64_t blocks,
                        int64_t shownM, int64_t shownN) {
  std::map<int64_t, std::vector<int64_t>> columns;
  int64_t tilesM = tileCount(layout.m), tilesN = tileCount(layout.n);
  for (int64_t block = 0; block < blocks; ++block)
    for (int64_t tile : tilesOfBlock(layout, block)) {
      int64_t m = tile % tilesM, n = tile / tilesM;
      if (n < tilesN && m < shownM && n < shownN)
        columns[n].push_back(m);
    }
  std::vector<Run> runs;
  for (auto &[column, rows] : columns) {
    // Blocks that share a sum own the same tile.
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    for (int64_t row : rows) {
      if (!runs.empty() && runs.back().column == column &&
          runs.back().begin + runs.back().count == row)
        ++runs.back().count;
      else
        runs.push_back({column, row, 1});
    }
  }
  return runs;
}

/// Lines between tiles, if they can be distinguished.
void drawGridLines(Picture &picture, const Planes &planes) {
  const auto &[m, n, k] = std::tie(planes.m, planes.n, planes.k);
  auto shown = [&](const Side &side) { return side.pixels / planes.scale; };
  double allM = shown(m), allN = shown(n), allK = shown(k);
  auto forEachCut = [&](const Side &side, auto draw) {
    double step = toDouble(side.tile);
    if (step * planes.scale < finestGrid)
      return;
    for (int cut = 1; cut * step < shown(side) - 1e-6; ++cut)
      draw(cut * step);
  };
  auto across = [&](Box box) {
    picture.line({box.x, box.y}, {box.x, box.y + box.height}, "grid");
  };
  auto along = [&](Box box) {
    picture.line({box.x, box.y}, {box.x + box.width, box.y}, "grid");
  };
  forEachCut(m, [&](double at) {
    along(planes.inC(at, 0, 1, allN));
    along(planes.inA(at, 0, 1, allK));
  });
  forEachCut(n, [&](double at) {
    across(planes.inC(0, at, allM, 1));
    across(planes.inB(0, at, allK, 1));
  });
  forEachCut(k, [&](double at) {
    across(planes.inA(0, at, allM, 1));
    along(planes.inB(at, 0, 1, allN));
  });
}

} // namespace

Figure explain::drawGrid(const Section &section, size_t candidate,
                         const std::string &id) {
  const ExplainedCandidate &shown = section.explanation.candidates[candidate];
  const KernelLayout &layout = shown.layout;
  const Occupancy &occupancy = shown.cost.occupancy;
  const Contraction &contraction = section.explanation.contraction;
  auto side = [&](int64_t tiles, int64_t tile, Role role) {
    return Side{saturatingMultiply(tiles, tile), tile,
                contraction.extent(role)};
  };
  Planes planes(side(tileCount(layout.m), layout.blockM, Role::M),
                side(tileCount(layout.n), layout.blockN, Role::N),
                side(layout.steps, layout.blockK, Role::K));
  int64_t atOnce = std::min(
      layout.blocks,
      occupancy.residentBlocks *
          static_cast<int64_t>(section.explanation.target.multiprocessors));

  std::string tile = times({layout.blockM, layout.blockN});
  Picture picture(id, "The grid",
                  "C as blocks cut it, with A to its left and B above it: " +
                      counted(layout.blocks, "block") + " of " + tile +
                      " elements, in " + counted(layout.steps, "step") +
                      " of depth " + std::to_string(layout.blockK) +
                      ". At once run " + std::to_string(atOnce) + ".");
  planes.drawBack(picture);
  double blockM = toDouble(layout.blockM), blockN = toDouble(layout.blockN),
         blockK = toDouble(layout.blockK);
  auto tilesShown = [&](const Side &side) {
    // One that begins where the picture ends, but for rounding, is not shown.
    constexpr double rounding = 1e-6;
    return static_cast<int64_t>(
        std::ceil(side.pixels / planes.scale / toDouble(side.tile) - rounding));
  };
  for (const Run &run :
       runsOf(layout, atOnce, tilesShown(planes.m), tilesShown(planes.n)))
    picture.box(planes.inC(toDouble(run.begin) * blockM,
                           toDouble(run.column) * blockN,
                           toDouble(run.count) * blockM, blockN),
                "wave");
  auto depth = toDouble(planes.k.extent);
  picture.box(planes.inA(0, 0, blockM, depth), "strip a");
  picture.box(planes.inB(0, 0, depth, blockN), "strip b");
  drawGridLines(picture, planes);
  picture.box(planes.inA(0, 0, blockM, blockK), "tile a");
  picture.box(planes.inB(0, 0, blockK, blockN), "tile b");
  picture.box(planes.inC(0, 0, blockM, blockN), "tile c");
  planes.drawFront(picture);

  std::string caption =
      key("tile c", "one block: " + tile + " of C") +
      key("tile a", "its first step: K of " + std::to_string(layout.blockK) +
                        " in A and B, " + std::to_string(layout.steps) +
                        (layout.steps == 1 ? " in all" : " in turn")) +
      key("wave", "first wave: " + std::to_string(atOnce) + " of " +
                      counted(layout.blocks, "block"));
  int64_t batches = tileCount(layout.batch);
  if (batches > 1)
    caption += escape("One of " + std::to_string(batches) +
                      " batch entries is shown. ");
  bool cut = planes.m.cut || planes.n.cut || planes.k.cut;
  caption += cut ? "To scale; longer sides are cut." : "To scale.";
  return {picture.finish(planes.height()), caption};
}

//===----------------------------------------------------------------------===//
// One block
//===----------------------------------------------------------------------===//

namespace {

/// The first position along N or M of a thread's group of that number.
double firstOf(const KernelLayout &layout, bool ofN, int64_t group,
               int64_t thread) {
  int64_t threads = ofN ? layout.threadsN : layout.threadsM;
  int64_t place = placeInRound(layout, ofN, group, thread);
  return toDouble((group * threads + place) *
                  (ofN ? layout.groupN : layout.groupM));
}

/// Draws what threads own of C: groups of `registerM / groupM` by `registerN /
/// groupN` patches, for the given row of threads and consecutive columns.
void drawOwned(Picture &picture, const Planes &planes,
               const KernelLayout &layout, int64_t threadM, int64_t threadN,
               int64_t threadsAlongN, std::string_view look) {
  // A warp has whole pairs of neighbouring columns of threads, which may own
  // each other's groups.
  for (int64_t gm = 0; gm < layout.registerM / layout.groupM; ++gm)
    for (int64_t gn = 0; gn < layout.registerN / layout.groupN; ++gn)
      picture.box(
          planes.inC(
              firstOf(layout, /*ofN=*/false, gm, threadM),
              threadsAlongN == 1
                  ? firstOf(layout, /*ofN=*/true, gn, threadN)
                  : toDouble((gn * layout.threadsN + threadN) * layout.groupN),
              toDouble(layout.groupM), toDouble(threadsAlongN * layout.groupN)),
          look);
}

/// The elements of C that the first warp owns.
void drawWarp(Picture &picture, const Planes &planes,
              const KernelLayout &layout, int64_t lanes) {
  // Threads of each row, from the first column on: lanes fill rows or columns.
  std::map<int64_t, int64_t> columnsOfRow;
  for (int64_t lane = 0; lane < lanes; ++lane)
    ++columnsOfRow[positionOf(layout, lane).m];
  for (auto [row, columns] : columnsOfRow)
    drawOwned(picture, planes, layout, row, 0, columns, "warp");
}

} // namespace

Figure explain::drawBlock(const Section &section, size_t candidate,
                          const std::string &id) {
  const KernelLayout &layout = section.explanation.candidates[candidate].layout;
  auto whole = [](int64_t extent) { return Side{extent, extent, extent}; };
  Planes planes(whole(layout.blockM), whole(layout.blockN),
                whole(layout.blockK));
  std::string tile = times({layout.registerM, layout.registerN});
  int64_t lanes =
      std::min<int64_t>(section.explanation.target.warpSize, layout.threads);
  Picture picture(
      id, "One block",
      "The tiles of A and B that a block holds in shared memory, and its tile "
      "of C. " +
          counted(layout.threads, "thread") + " with " + tile +
          " elements of C each.");
  planes.drawBack(picture);
  drawWarp(picture, planes, layout, lanes);
  drawOwned(picture, planes, layout, 0, 0, 1, "thread");
  // Elements that the first thread's accumulators need for one value of k.
  for (int64_t gm = 0; gm < layout.registerM / layout.groupM; ++gm)
    picture.box(planes.inA(firstOf(layout, /*ofN=*/false, gm, 0), 0,
                           toDouble(layout.groupM), 1),
                "tile a");
  for (int64_t gn = 0; gn < layout.registerN / layout.groupN; ++gn)
    picture.box(planes.inB(0, firstOf(layout, /*ofN=*/true, gn, 0), 1,
                           toDouble(layout.groupN)),
                "tile b");
  planes.drawFront(picture);
  std::string caption =
      key("thread", "one thread: " + tile + " accumulators of C") +
      key("tile a", "what they need for one k") +
      key("warp", "its warp: " + std::to_string(lanes) + " of " +
                      counted(layout.threads, "thread")) +
      "A and B lie in " + escape(capacityText(layout.sharedBytes)) +
      " of shared memory.";
  return {picture.finish(planes.height()), caption};
}
