//===- CpuSchedule.cpp - The decisions for a contraction on a CPU ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Cpu/CpuSchedule.h"

#include "DirectLoops.h"
#include "LibraryCalls.h"

#include "tc/Cpu/CpuStrategy.h"
#include "tc/Problem/ComplexParts.h"
#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <cctype>
#include <numeric>

using namespace tc;
using namespace tc::model;

std::string_view tc::model::stringify(Packing packing) {
  switch (packing) {
  case Packing::Copy:
    return "copy";
  case Packing::Transpose:
    return "transpose";
  case Packing::Gather:
    return "gather";
  }
  return "";
}

std::string_view tc::model::stringify(Strategy strategy) {
  switch (strategy) {
  case Strategy::GETT:
    return "gett";
  case Strategy::TTGT:
    return "ttgt";
  case Strategy::LoG:
    return "loop_over_gemm";
  case Strategy::Direct:
    return "direct";
  case Strategy::Library:
    return "library";
  }
  return "";
}

std::optional<Strategy> tc::model::symbolizeStrategy(std::string_view name) {
  for (Strategy strategy : allStrategies)
    if (name == stringify(strategy))
      return strategy;
  // The former name of `loop_over_gemm`.
  if (name == "log")
    return Strategy::LoG;
  return std::nullopt;
}

bool CpuSide::hasFullChunks() const {
  const CpuIndex &first = indices.front();
  return first.tile % chunk == 0 && first.lastTile() % chunk == 0;
}

bool CpuSide::hasFullPanels() const {
  if (!hasFullChunks())
    return false;
  // The part of the width that divides the elements of each block.
  int64_t common = 1;
  for (const CpuIndex &index : indices)
    common = std::gcd(
        common * std::gcd(std::gcd(index.tile, index.lastTile()), width),
        width);
  return common == width;
}

int64_t CpuSide::chunks() const {
  int64_t count = ceilDivide(indices.front().tile, chunk);
  for (size_t i = 1; i < indices.size(); ++i)
    count *= indices[i].tile;
  return count;
}

int64_t CpuSide::panels() const {
  return ceilDivide(chunks(), chunksPerPanel());
}

int64_t CpuLayout::panelBytes(const Contraction &contraction) const {
  if (direct || callsLibrary)
    return 0;
  int64_t bytes = 0;
  for (const CpuSide *side : {&rows, &columns})
    bytes += (side->shared ? 1 : threads) * side->panels() * side->width *
             depth * byteWidth(contraction.accumulatorType);
  return bytes +
         threads * bufferedSums() * byteWidth(contraction.accumulatorType);
}

int64_t tc::model::countBlocks(const std::vector<CpuIndex> &indices) {
  int64_t count = 1;
  for (const CpuIndex &index : indices)
    count *= index.blocks();
  return count;
}

/// The name of a role in a schedule.
static std::string nameOf(Role role) {
  std::string name(stringify(role));
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return name;
}

/// The indices of a role in the panels' order, the fastest first.
static Result<std::vector<CpuIndex>> indicesOf(const Contraction &contraction,
                                               const CpuSchedule &schedule,
                                               Role role) {
  std::string list = nameOf(role);
  std::vector<CpuIndex> indices;
  const std::vector<TileExtent> &tiles = schedule.tiles(role);
  for (auto tile = tiles.rbegin(); tile != tiles.rend(); ++tile) {
    std::optional<unsigned> position = contraction.find(tile->label);
    if (!position || contraction.indices[*position].role != role)
      return Error{"cpu_schedule: '" + list + "' names '" + tile->label +
                   "', which is no index of " + std::string(stringify(role))};
    const Index &index = contraction.indices[*position];
    if (tile->extent < 1 || tile->extent > index.extent)
      return Error{"cpu_schedule: the tile of index '" + tile->label +
                   "' must be from 1 to its extent " +
                   std::to_string(index.extent) + ", but is " +
                   std::to_string(tile->extent)};
    indices.push_back({position, index.extent, tile->extent, index.stride});
  }
  for (unsigned position : contraction.withRole(role)) {
    auto count = std::count_if(
        indices.begin(), indices.end(),
        [&](const CpuIndex &index) { return index.position == position; });
    const std::string &label = contraction.indices[position].label;
    bool isLoop =
        std::count(schedule.loops.begin(), schedule.loops.end(), label) > 0;
    if (isLoop && count > 0)
      return Error{"cpu_schedule: index '" + label +
                   "' is in 'loops' and in '" + list + "'"};
    if (count != 1 && !isLoop)
      return Error{"cpu_schedule: '" + list +
                   (count ? "' names index '" : "' has no tile for index '") +
                   label + (count ? "' twice" : "'")};
  }
  if (indices.empty())
    indices.push_back({});
  return indices;
}

/// Elements of a chunk: the largest power of two up to `most` that the block
/// consists of, with little padding where the block spans the whole extent.
static int64_t chooseChunk(const CpuIndex &first, int64_t most) {
  /// One of that many elements may be padding.
  constexpr int64_t paddingShare = 9;
  for (int64_t chunk = most; chunk > 1; chunk /= 2) {
    if (first.blocks() > 1 && first.tile % chunk != 0)
      continue;
    int64_t padding = ceilDivide(first.extent, chunk) * chunk - first.extent;
    if (padding * paddingShare <= first.extent)
      return chunk;
    // Small chunks cost more than some padding.
    if (chunk * 4 <= most && first.extent > chunk / 2)
      return chunk;
  }
  return 1;
}

static int64_t powerOfTwoIn(int64_t number) { return number & -number; }

static int64_t largestPowerOfTwo(int64_t atMost) {
  int64_t power = 1;
  while (power * 2 <= atMost)
    power *= 2;
  return power;
}

/// Chooses how the side's panels are filled.
static void choosePacking(CpuSide &side, const std::vector<CpuIndex> &k) {
  Tensor input = side.input;
  if (side.indices.front().stride[input] == 1) {
    side.packing = Packing::Copy;
    return;
  }
  auto tryIndex = [&](const CpuIndex &index, unsigned place, bool isK) {
    if (side.packing == Packing::Transpose || index.stride[input] != 1)
      return;
    int64_t extent = std::min(side.chunk, largestPowerOfTwo(index.tile));
    // Blocks that don't consist of as many would overlap.
    while (extent > 2 && index.tile % extent != 0 && extent * 2 > side.chunk)
      extent /= 2;
    if (extent < 2)
      return;
    side.packing = Packing::Transpose;
    side.transposesK = isK;
    side.transposed = place;
    side.transposedExtent = extent;
  };
  for (unsigned i = 0; i < k.size(); ++i)
    tryIndex(k[i], i, /*isK=*/true);
  for (unsigned i = 1; i < side.indices.size(); ++i)
    tryIndex(side.indices[i], i, /*isK=*/false);
}

/// Checks the decisions that do not depend on the contraction's indices.
static Status checkFigures(const CpuSchedule &schedule) {
  if (schedule.rows != Role::M && schedule.rows != Role::N)
    return Error{"cpu_schedule: 'rows' must be m or n"};
  for (Role role : {Role::M, Role::N, Role::K})
    if (std::count(schedule.order.begin(), schedule.order.end(), role) != 1)
      return Error{"cpu_schedule: 'order' must name m, n and k once each"};
  if (!schedule.vectorIndex.empty() || !schedule.columnIndex.empty())
    return Error{"cpu_schedule: 'vector' and 'columns' need strategy = direct"};
  return checkRegisterTile(schedule);
}

/// Takes the index over the products of parts of complex numbers, if there is
/// one, out of those of K: panels hold all of its factors, in their own order.
static Status layOutProducts(const Contraction &contraction,
                             CpuLayout &layout) {
  if (!contraction.threeProducts)
    return {};
  const CpuIndex &slowest = layout.k.back();
  if (slowest.position != contraction.threeProducts ||
      slowest.tile != minProducts)
    return Error{"cpu_schedule: index '" +
                 contraction.indices[*contraction.threeProducts].label +
                 "', over products of parts of complex numbers, must be the "
                 "first of 'k', with a tile of " +
                 std::to_string(minProducts)};
  layout.products = minProducts;
  layout.k.pop_back();
  if (layout.k.empty())
    layout.k.push_back({});
  return {};
}

/// Checks that vectors along rows hold both parts of complex numbers, and
/// blocks those of whole numbers.
static Status checkParts(const Contraction &contraction,
                         const CpuLayout &layout) {
  if (!contraction.parts)
    return {};
  const Index &output = contraction.indices[contraction.parts->output];
  const CpuIndex &first = layout.rows.indices.front();
  if (first.position != contraction.parts->output)
    return Error{"cpu_schedule: index '" + output.label +
                 "', over the parts of complex numbers, must be the last of "
                 "the rows"};
  if (first.tile % 2 != 0)
    return Error{"cpu_schedule: the tile of index '" + output.label +
                 "', over the parts of complex numbers, must be even, but is " +
                 std::to_string(first.tile)};
  return {};
}

/// Checks how loops are shared out, and finds out which panels are.
static Status layOutThreads(const CpuSchedule &schedule, CpuLayout &layout) {
  const CpuThreads &threads = schedule.threads;
  for (Role role : {Role::Batch, Role::M, Role::N}) {
    int64_t ways = threads.ways(role);
    std::string name = nameOf(role);
    if (ways < 1)
      return Error{"cpu_schedule: 'threads' must share '" + name +
                   "' out in 1 way at least, but does in " +
                   std::to_string(ways)};
    int64_t blocks = countBlocks(layout.indices(role, schedule));
    if (ways > blocks)
      return Error{"cpu_schedule: 'threads' shares '" + name + "' out in " +
                   std::to_string(ways) + " ways, but its loop makes " +
                   std::to_string(blocks) + (blocks == 1 ? " trip" : " trips")};
  }
  layout.threads = 1;
  for (Role role : {Role::Batch, Role::M, Role::N}) {
    if (threads.ways(role) > maxCpuThreads / layout.threads)
      return Error{"cpu_schedule: 'threads' asks for more than " +
                   std::to_string(maxCpuThreads) + " threads"};
    layout.threads *= threads.ways(role);
  }
  if (layout.threads == 1 || threads.batch > 1)
    return {};
  for (size_t place = schedule.order.size(); place-- > 0;)
    if (threads.ways(schedule.order[place]) > 1)
      layout.sharedOut = place;
  // A block is packed in the innermost loop of those that it depends on and
  // that make several trips.
  for (Role role : {Role::M, Role::N}) {
    CpuSide &side = role == schedule.rows ? layout.rows : layout.columns;
    side.shared = true;
    for (size_t place = *layout.sharedOut; place < schedule.order.size();
         ++place) {
      Role loop = schedule.order[place];
      if ((loop == role || loop == Role::K) &&
          countBlocks(layout.indices(loop, schedule)) > 1)
        side.shared = false;
    }
  }
  return {};
}

/// The indices that a schedule loops over, the outermost first.
static Result<std::vector<CpuIndex>> loopsOf(const Contraction &contraction,
                                             const CpuSchedule &schedule) {
  if (!schedule.loops.empty() && schedule.strategy != Strategy::LoG)
    return Error{"cpu_schedule: 'loops' needs strategy = loop_over_gemm"};
  std::vector<CpuIndex> loops;
  for (const std::string &label : schedule.loops) {
    std::optional<unsigned> position = contraction.find(label);
    if (!position || contraction.indices[*position].role == Role::Batch)
      return Error{"cpu_schedule: 'loops' names '" + label +
                   "', which is no index of M, N or K"};
    if (std::count(schedule.loops.begin(), schedule.loops.end(), label) > 1)
      return Error{"cpu_schedule: 'loops' names index '" + label + "' twice"};
    const Index &index = contraction.indices[*position];
    loops.push_back({position, index.extent, 1, index.stride});
  }
  return loops;
}

Result<CpuLayout> tc::model::layOut(const Contraction &contraction,
                                    const CpuSchedule &schedule) {
  if (schedule.strategy == Strategy::Library)
    return layOutLibrary(contraction, schedule);
  if (isComplexProduct(contraction) && schedule.strategy != Strategy::GETT)
    return Error{"cpu_schedule: complex numbers need strategy = gett"};
  if (schedule.strategy == Strategy::Direct)
    return layOutDirect(contraction, schedule);
  if (schedule.strategy == Strategy::TTGT) {
    if (contraction.hasEpilogue)
      return Error{"cpu_schedule: strategy = ttgt has no epilogue"};
    Result<Contraction> product = productOf(contraction, schedule);
    if (!product)
      return Error{product.error()};
    return layOut(*product, scheduleOfProduct(schedule));
  }
  for (Tensor tensor : allTensors)
    if (!schedule.transpose[tensor].empty())
      return Error{"cpu_schedule: 'transpose' needs strategy = ttgt"};
  if (Status status = checkFigures(schedule); !status)
    return Error{status.error()};
  CpuLayout layout;
  Role columnRole = schedule.rows == Role::M ? Role::N : Role::M;
  layout.rows.input = schedule.rows == Role::M ? Tensor::A : Tensor::B;
  layout.columns.input = schedule.rows == Role::M ? Tensor::B : Tensor::A;
  layout.rows.width = schedule.registerRows;
  layout.columns.width = schedule.registerColumns;

  Result<std::vector<CpuIndex>> rows =
      indicesOf(contraction, schedule, schedule.rows);
  Result<std::vector<CpuIndex>> columns =
      indicesOf(contraction, schedule, columnRole);
  Result<std::vector<CpuIndex>> k = indicesOf(contraction, schedule, Role::K);
  Result<std::vector<CpuIndex>> loops = loopsOf(contraction, schedule);
  for (const auto *indices : {&loops, &rows, &columns, &k})
    if (!*indices)
      return Error{indices->error()};
  layout.rows.indices = std::move(*rows);
  layout.columns.indices = std::move(*columns);
  layout.k = std::move(*k);
  layout.loops = std::move(*loops);
  if (Status status = layOutProducts(contraction, layout); !status)
    return Error{status.error()};
  layout.depth = layout.products;
  for (const CpuIndex &index : layout.k)
    layout.depth *= index.tile;
  for (unsigned position : contraction.withRole(Role::Batch)) {
    const Index &index = contraction.indices[position];
    layout.batch.push_back({position, index.extent, 1, index.stride});
  }

  for (CpuSide *side : {&layout.rows, &layout.columns}) {
    side->chunk =
        chooseChunk(side->indices.front(),
                    std::min(schedule.lanes, powerOfTwoIn(side->width)));
    choosePacking(*side, layout.k);
  }
  if (Status status = checkParts(contraction, layout); !status)
    return Error{status.error()};
  bool sumsInLoops = std::any_of(
      layout.loops.begin(), layout.loops.end(), [&](const CpuIndex &loop) {
        return contraction.indices[*loop.position].role == Role::K;
      });
  if (contraction.needsWholeSums && sumsInLoops)
    return Error{"cpu_schedule: 'loops' must not name indices of K, as C "
                 "cannot hold sums of a part of the products"};
  bool isCut = countBlocks(layout.k) > 1;
  layout.buffersSums = contraction.needsWholeSums && isCut;
  if (layout.buffersSums && schedule.order.back() != Role::K)
    return Error{"cpu_schedule: 'order' must end with k, or one block must "
                 "span all of K, as C cannot hold sums of a part of the "
                 "products"};
  if (layout.buffersSums && layout.products > 1)
    return Error{"cpu_schedule: one block must span all of K with three "
                 "products, as C cannot hold sums of a part of the products"};
  if (schedule.stream &&
      (contraction.readsC || sumsInLoops || (isCut && !layout.buffersSums)))
    return Error{"cpu_schedule: stores can stream only where beta is zero "
                 "and C is written once"};
  if (Status status = layOutThreads(schedule, layout); !status)
    return Error{status.error()};
  return layout;
}
