//===- AccessCountsTest.cpp - Tests of the count of accesses --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Closed forms, and an enumeration of every thread's accesses in random
// kernels.
//
//===----------------------------------------------------------------------===//

#include "RandomCases.h"
#include "TestSchedules.h"

#include "tc/Gpu/Layout/AccessCounts.h"
#include "tc/Support/Arithmetic.h"

#include <functional>
#include <map>
#include <optional>
#include <set>

using namespace tc;
using namespace tc::model;
using namespace tc::model::test;

namespace {

/// The accesses of one warp's threads with one instruction: an offset in
/// elements each, or nothing.
using Lanes = std::vector<std::optional<int64_t>>;

/// Runs a kernel's accesses thread by thread, as docs/gpu-lowering.md describes
/// them.
class Enumeration {
public:
  Enumeration(const Contraction &contraction, const KernelLayout &layout)
      : contraction(contraction), layout(layout) {}

  AccessCounts run(const std::vector<int64_t> &blocks) {
    for (int64_t block : blocks)
      runBlock(block);
    return counts;
  }

private:
  void runBlock(int64_t block) {
    origin.assign(contraction.indices.size(), 0);
    for (const TileDim &dim : gridOrder(layout)) {
      origin[dim.index] = block % dim.tiles() * dim.tile;
      block /= dim.tiles();
    }
    counts.blocks += 1;
    for (int64_t step = 0; step < layout.steps; ++step) {
      int64_t rest = step;
      for (auto dim = layout.k.rbegin(); dim != layout.k.rend(); ++dim) {
        origin[dim->index] = rest % dim->tiles() * dim->tile;
        rest /= dim->tiles();
      }
      copy(Tensor::A, layout.a, 0);
      copy(Tensor::B, layout.b, layout.tileBOffsetBytes / elementBytes());
      multiply();
      counts.barriers += 1;
    }
    store();
    counts.barrierInstructions =
        counts.barriers * static_cast<double>(ceilDivide(layout.threads, 32));
  }

  int64_t elementBytes() const {
    return byteWidth(contraction.accumulatorType);
  }

  /// Calls `visit` once for each warp with the accesses of its threads.
  void forEachWarp(
      const std::function<std::optional<int64_t>(int64_t thread)> &access,
      const std::function<void(const Lanes &)> &visit) {
    for (int64_t first = 0; first < layout.threads; first += 32) {
      Lanes lanes;
      for (int64_t t = first; t < std::min(first + 32, layout.threads); ++t)
        lanes.push_back(access(t));
      visit(lanes);
    }
  }

  void global(GlobalRequests &sum, Tensor tensor, int64_t width,
              const Lanes &lanes) {
    int64_t bytes = byteWidth(contraction.elementType[tensor]);
    std::set<int64_t> sectors;
    for (std::optional<int64_t> offset : lanes) {
      if (!offset)
        continue;
      sum.bytes += static_cast<double>(width * bytes);
      for (int64_t i = 0; i < width; ++i)
        sectors.insert((*offset + i) * bytes / 32);
    }
    sum.sectors += static_cast<double>(sectors.size());
    sum.instructions += sectors.empty() ? 0 : 1;
  }

  void shared(SharedRequests &sum, int64_t width, const Lanes &lanes) {
    int64_t bytes = width * elementBytes();
    size_t together = std::min<int64_t>(32, 128 / bytes);
    bool any = false;
    for (size_t first = 0; first < lanes.size(); first += together) {
      std::map<int64_t, std::set<int64_t>> wordsOfBank;
      for (size_t lane = first; lane < std::min(first + together, lanes.size());
           ++lane) {
        if (!lanes[lane])
          continue;
        any = true;
        sum.bytes += static_cast<double>(bytes);
        int64_t word = *lanes[lane] * elementBytes() / 4;
        for (int64_t i = 0; i < bytes / 4; ++i)
          wordsOfBank[(word + i) % 32].insert(word + i);
      }
      size_t most = 0;
      for (const auto &[bank, words] : wordsOfBank)
        most = std::max(most, words.size());
      sum.wavefronts += static_cast<double>(most);
      sum.idealWavefronts += most > 0 ? 1 : 0;
    }
    sum.instructions += any ? 1 : 0;
  }

  /// Coordinates within the tile of a thread's access, or nothing.
  std::optional<std::vector<int64_t>>
  coordinates(const TiledCopy &tiledCopy, int64_t round, int64_t thread) {
    int64_t number = round * tiledCopy.threads + thread;
    if (thread >= tiledCopy.threads || number >= tiledCopy.accesses)
      return std::nullopt;
    std::vector<int64_t> at;
    for (const TileDim &dim : tiledCopy.order) {
      int64_t width = at.empty() ? tiledCopy.width : 1;
      at.push_back(number % (dim.tile / width) * width);
      number /= dim.tile / width;
    }
    return at;
  }

  void copy(Tensor tensor, const TiledCopy &tiledCopy, int64_t sharedTile) {
    auto source = [&](int64_t round, int64_t thread) -> std::optional<int64_t> {
      auto at = coordinates(tiledCopy, round, thread);
      if (!at)
        return std::nullopt;
      int64_t offset = contraction.offset[tensor];
      for (unsigned i = 0; i < contraction.indices.size(); ++i)
        offset += origin[i] * contraction.indices[i].stride[tensor];
      for (size_t i = 0; i < at->size(); ++i) {
        const TileDim &dim = tiledCopy.order[i];
        if (origin[dim.index] + (*at)[i] * dim.step >= dim.extent)
          return std::nullopt;
        offset +=
            (*at)[i] * dim.step * contraction.indices[dim.index].stride[tensor];
      }
      return offset;
    };
    auto place = [&](int64_t round, int64_t thread,
                     int64_t element) -> std::optional<int64_t> {
      auto at = coordinates(tiledCopy, round, thread);
      if (!at)
        return std::nullopt;
      int64_t offset = sharedTile;
      for (size_t i = 0; i < at->size(); ++i) {
        const TileDim &dim = tiledCopy.order[i];
        bool inRow = (contraction.indices[dim.index].role == Role::K) ==
                     tiledCopy.alongK;
        offset += ((*at)[i] + (i == 0 ? element : 0)) * dim.sharedTileStride *
                  (inRow ? 1 : tiledCopy.rowLength);
      }
      return offset;
    };
    for (int64_t round = 0; round < tiledCopy.accessesPerThread; ++round) {
      GlobalRequests &loads = counts.loads[tensor];
      double before = loads.instructions;
      forEachWarp([&](int64_t thread) { return source(round, thread); },
                  [&](const Lanes &lanes) {
                    global(loads, tensor, tiledCopy.width, lanes);
                  });
      if (!tiledCopy.passesRegisters())
        loads.instructions = before;
      int64_t together = tiledCopy.contiguousInSharedTile ? tiledCopy.width : 1;
      for (int64_t i = 0; i < tiledCopy.width; i += together)
        forEachWarp([&](int64_t thread) { return place(round, thread, i); },
                    [&](const Lanes &lanes) {
                      double before = counts.sharedStores.instructions;
                      shared(counts.sharedStores, together, lanes);
                      if (!tiledCopy.passesRegisters())
                        counts.asynchronousCopies +=
                            std::exchange(counts.sharedStores.instructions,
                                          before) -
                            before;
                    });
    }
  }

  bool isMatrix() const { return layout.instruction != Instruction::FMA; }

  /// Rows are numbered 0 to 7 and columns 0 to 3 within a warp; warps go along
  /// the columns first.
  int64_t placeOf(int64_t thread, bool alongN) const {
    int64_t lanes = layout.lanesAlongN ? layout.threadsN : layout.threadsM;
    bool isFast = alongN == layout.lanesAlongN;
    if (!isMatrix())
      return isFast ? thread % lanes : thread / lanes;
    int64_t lane = thread % 32, warp = thread / 32;
    return isFast ? warp % (lanes / 4) * 4 + lane % 4
                  : warp / (lanes / 4) * 8 + lane / 4;
  }

  /// Loads the fragments that a thread needs for all k of a step, as offsets of
  /// elements in the order in which it loads them.
  std::vector<int64_t> fragments(const TiledCopy &tiledCopy, bool ofN,
                                 int64_t thread) const {
    int64_t group = ofN ? layout.groupN : layout.groupM;
    int64_t registers = ofN ? layout.registerN : layout.registerM;
    int64_t threads = ofN ? layout.threadsN : layout.threadsM;
    bool ofColumns = isMatrix() && ofN == layout.lanesAlongN;
    std::vector<int64_t> positions;
    if (ofColumns) {
      int64_t warp = placeOf(thread, ofN) / 4, row = thread % 32 / 4;
      int64_t together = layout.laneColumns;
      for (int64_t c = 0; c < registers / 2; ++c) {
        if (together == 1) {
          positions.push_back((c * threads + warp * 4) * 2 + row);
          continue;
        }
        int64_t round = c / together * 2 + row % 2;
        int64_t place = warp * 4 + ((row / 2) ^ (row % 2));
        positions.push_back((round * threads + place) * together +
                            c % together);
      }
    } else {
      for (int64_t r = 0; r < registers; ++r)
        positions.push_back(
            (r / group * threads + placeOf(thread, ofN)) * group + r % group);
    }
    std::vector<int64_t> depths;
    for (int64_t k = 0; k < layout.blockK; ++k)
      if (!isMatrix() || k / layout.laneDepth % 4 == thread % 4)
        depths.push_back(k);
    std::vector<int64_t> offsets;
    if (tiledCopy.alongK) {
      for (int64_t position : positions)
        for (int64_t k : depths)
          offsets.push_back(position * tiledCopy.rowLength + k);
    } else {
      for (int64_t k : depths)
        for (int64_t position : positions)
          offsets.push_back(k * tiledCopy.rowLength + position);
    }
    return offsets;
  }

  void multiply() {
    for (bool ofN : {false, true}) {
      const TiledCopy &tiledCopy = ofN ? layout.b : layout.a;
      int64_t sharedTile = ofN ? layout.tileBOffsetBytes / elementBytes() : 0;
      std::vector<std::vector<int64_t>> offsets;
      for (int64_t thread = 0; thread < layout.threads; ++thread)
        offsets.push_back(fragments(tiledCopy, ofN, thread));
      for (size_t i = 0; i < offsets[0].size(); i += tiledCopy.fragmentWidth) {
        for (const std::vector<int64_t> &ofThread : offsets)
          for (int64_t v = 0; v < tiledCopy.fragmentWidth; ++v)
            EXPECT_EQ(ofThread[i + v], ofThread[i] + v);
        forEachWarp(
            [&](int64_t thread) { return sharedTile + offsets[thread][i]; },
            [&](const Lanes &lanes) {
              shared(counts.sharedLoads, tiledCopy.fragmentWidth, lanes);
            });
      }
    }
    int64_t products = layout.blockM * layout.blockN * layout.blockK;
    if (isMatrix()) {
      counts.matrixInstructions +=
          static_cast<double>(products / layout.atom().shape.multiplyAdds());
      return;
    }
    for (int64_t fma = 0; fma < products / layout.threads; ++fma)
      forEachWarp([](int64_t) { return 0; },
                  [&](const Lanes &lanes) {
                    counts.fmaInstructions += 1;
                    counts.threadFmas += static_cast<double>(lanes.size());
                  });
  }

  /// The offset in C that a thread's element of one side adds, if it is inside.
  std::optional<int64_t> sideOffset(int64_t thread, bool ofN, int64_t element) {
    const std::vector<TileDim> &dims = ofN ? layout.n : layout.m;
    int64_t threads = ofN ? layout.threadsN : layout.threadsM;
    int64_t group = ofN ? layout.groupN : layout.groupM;
    int64_t round = element / group, place = placeOf(thread, ofN);
    // Neighbouring lanes swap every other group.
    if (isMatrix() && ofN == layout.lanesAlongN && layout.laneColumns > 1 &&
        round % 2 == 1)
      place = place % 2 == 0 ? place + 1 : place - 1;
    // Lanes that exchange sums before they store hold one product's each.
    if (int64_t lanes = layout.widthC / group;
        ofN == layout.storesAlongN && lanes > 1) {
      round += place % lanes;
      place -= place % lanes;
    }
    int64_t number = (round * threads + place) * group + element % group;
    int64_t offset = 0;
    for (auto dim = dims.rbegin(); dim != dims.rend(); ++dim) {
      int64_t at = origin[dim->index] + number % dim->tile;
      if (at >= dim->extent)
        return std::nullopt;
      offset += at * contraction.indices[dim->index].stride[Tensor::C];
      number /= dim->tile;
    }
    return offset;
  }

  void store() {
    int64_t first = contraction.offset[Tensor::C];
    for (const TileDim &dim : layout.batch)
      first +=
          origin[dim.index] * contraction.indices[dim.index].stride[Tensor::C];
    int64_t widthM = layout.storesAlongN ? 1 : layout.widthC;
    int64_t widthN = layout.storesAlongN ? layout.widthC : 1;
    for (int64_t m = 0; m < layout.registerM; m += widthM)
      for (int64_t n = 0; n < layout.registerN; n += widthN)
        forEachWarp(
            [&](int64_t thread) -> std::optional<int64_t> {
              auto row = sideOffset(thread, /*ofN=*/false, m);
              auto column = sideOffset(thread, /*ofN=*/true, n);
              if (!row || !column)
                return std::nullopt;
              return first + *row + *column;
            },
            [&](const Lanes &lanes) {
              global(counts.stores, Tensor::C, layout.widthC, lanes);
              if (contraction.readsC)
                global(counts.loads[Tensor::C], Tensor::C, layout.widthC,
                       lanes);
            });
  }

  const Contraction &contraction;
  const KernelLayout &layout;
  AccessCounts counts;
  /// Of the present tile, along every index.
  std::vector<int64_t> origin;
};

void expectEqual(const GlobalRequests &counted,
                 const GlobalRequests &expected) {
  EXPECT_EQ(counted.instructions, expected.instructions);
  EXPECT_EQ(counted.sectors, expected.sectors);
  EXPECT_EQ(counted.bytes, expected.bytes);
}

void expectEqual(const SharedRequests &counted,
                 const SharedRequests &expected) {
  EXPECT_EQ(counted.instructions, expected.instructions);
  EXPECT_EQ(counted.bytes, expected.bytes);
  EXPECT_EQ(counted.wavefronts, expected.wavefronts);
  EXPECT_EQ(counted.idealWavefronts, expected.idealWavefronts);
}

void expectEqual(const AccessCounts &counted, const AccessCounts &expected) {
  EXPECT_EQ(counted.blocks, expected.blocks);
  for (Tensor tensor : allTensors) {
    SCOPED_TRACE("loads of tensor " + std::to_string(static_cast<int>(tensor)));
    expectEqual(counted.loads[tensor], expected.loads[tensor]);
  }
  {
    SCOPED_TRACE("stores");
    expectEqual(counted.stores, expected.stores);
  }
  {
    SCOPED_TRACE("loads of shared memory");
    expectEqual(counted.sharedLoads, expected.sharedLoads);
  }
  {
    SCOPED_TRACE("stores to shared memory");
    expectEqual(counted.sharedStores, expected.sharedStores);
  }
  EXPECT_EQ(counted.fmaInstructions, expected.fmaInstructions);
  EXPECT_EQ(counted.threadFmas, expected.threadFmas);
  EXPECT_EQ(counted.matrixInstructions, expected.matrixInstructions);
  EXPECT_EQ(counted.asynchronousCopies, expected.asynchronousCopies);
  EXPECT_EQ(counted.barriers, expected.barriers);
  EXPECT_EQ(counted.barrierInstructions, expected.barrierInstructions);
}

KernelLayout layOutOrFail(const Contraction &contraction,
                          const Schedule &schedule) {
  Result<KernelLayout> layout = layOut(contraction, schedule, target("sm_90"));
  if (!layout) {
    ADD_FAILURE() << layout.error();
    return {};
  }
  return *layout;
}

TEST(AccessCounts, MatrixProductInClosedForm) {
  Contraction product =
      contract("mk", "kn", "mn", {{"m", 256}, {"n", 512}, {"k", 64}});
  KernelLayout layout = layOutOrFail(
      product, {"sm_90", {{"m", 128}}, {{"n", 128}}, {{"k", 8}}, 8, 8});
  ASSERT_EQ(layout.threads, 256);
  AccessCounts counts = countAccesses(product, layout, target("sm_90"));
  // 2 x 4 blocks of 8 steps of 8 warps. All accesses are of 16 bytes.
  EXPECT_EQ(counts.blocks, 8);
  EXPECT_EQ(counts.threadFmas, 256.0 * 512 * 64);
  EXPECT_EQ(counts.fmaInstructions, 256.0 * 512 * 64 / 32);
  EXPECT_EQ(counts.barriers, 8 * 8);
  EXPECT_EQ(counts.loads[Tensor::A].bytes, 4 * 256 * 64 * 8);
  EXPECT_EQ(counts.loads[Tensor::A].instructions, 0);
  EXPECT_EQ(counts.asynchronousCopies,
            4 * 256 * 64 / 2 / 32 + 2 * 64 * 512 / 2 / 32);
  EXPECT_EQ(counts.loads[Tensor::A].sectors, 4 * 256 * 64 / 4);
  EXPECT_EQ(counts.loads[Tensor::B].bytes, 2 * 64 * 512 * 8);
  EXPECT_EQ(counts.loads[Tensor::C].sectors, 0);
  EXPECT_EQ(counts.stores.sectors, 256 * 512 / 4);

  SharedStep step = countSharedStep(product, layout, target("sm_90"));
  // For each of 8 k, a warp loads 4 vectors of both, 8 lanes at a time.
  EXPECT_EQ(step.loads.instructions, 8 * 8 * 8);
  EXPECT_EQ(step.loads.wavefronts, 4 * 8 * 8 * 8);
  EXPECT_EQ(step.loads.conflicts(), 0);
  // Both copies move 16 bytes.
  EXPECT_EQ(step.stores.instructions, 0);
  EXPECT_EQ(step.asynchronousCopies, 2 * 8 * 2);
  EXPECT_EQ(step.stores.idealWavefronts, 2 * 8 * 2 * 4);
  EXPECT_EQ(step.stores.conflicts(), 0);
}

TEST(AccessCounts, OffsetsInOneSlotConflict) {
  // B's fragments are 8 bytes. In groups of 16 lanes, 4 lanes have neighbouring
  // positions in each of 4 rows, two rows apart: where rows are a multiple of
  // 128 bytes long, all rows are in the same 4 slots; with 16 bytes more, each
  // begins 4 slots after the last.
  Contraction product =
      contract("mk", "kn", "mn", {{"m", 64}, {"n", 64}, {"k", 32}});
  Schedule schedule{"sm_90", {{"m", 64}}, {{"n", 64}}, {{"k", 32}}, 4, 4};
  schedule.instruction = Instruction::MmaM8N8K4;
  KernelLayout layout = layOutOrFail(product, schedule);
  ASSERT_EQ(layout.b.rowLength, 66);
  // 8 warps load 2 columns for each of 8 values of k, 2 wavefronts each; of A,
  // 4 rows for each of 4 pairs of k, 4 wavefronts each.
  double ofA = 8 * 4 * 4 * 4, ofB = 8 * 2 * 8 * 2;
  SharedRequests loads =
      countSharedStep(product, layout, target("sm_90")).loads;
  EXPECT_EQ(loads.idealWavefronts, ofA + ofB);
  EXPECT_EQ(loads.wavefronts, ofA + ofB);
  layout.b.rowLength = 64;
  loads = countSharedStep(product, layout, target("sm_90")).loads;
  EXPECT_EQ(loads.wavefronts, ofA + 4 * ofB);
}

TEST(AccessCounts, FragmentsOfTwoRowsOfThreadsConflict) {
  // 20 lanes along N load 8 bytes each, 16 at a time. The second 16 are the
  // last 4 of one row, whose slots are 0 to 3, and the first 12 of the next,
  // whose slots are 0 to 11. The third are 12 to 19 and 0 to 7: slots 12 to 15,
  // 0 to 3 and 0 to 7. The fourth are 8 to 19 and 0 to 3, the fifth 4 to 19.
  Contraction product =
      contract("mk", "kn", "mn", {{"m", 4}, {"n", 20}, {"k", 1}});
  KernelLayout layout = layOutOrFail(
      product, {"sm_90", {{"m", 4}}, {{"n", 20}}, {{"k", 1}}, 1, 1});
  ASSERT_EQ(layout.threads, 80);
  SharedRequests loads =
      countSharedStep(product, layout, target("sm_90")).loads;
  EXPECT_EQ(loads.idealWavefronts, 5 + 5);
  EXPECT_EQ(loads.conflicts(), 3);
}

TEST(AccessCounts, PhasesOfTiles) {
  Contraction product =
      contract("mk", "kn", "mn", {{"m", 8}, {"n", 9}, {"k", 8}});
  KernelLayout layout = layOutOrFail(
      product, {"sm_90", {{"m", 8}}, {{"n", 8}}, {{"k", 8}}, 1, 1});
  const Target &chip = target("sm_90");
  // 64 elements, one a lane: two warps.
  EXPECT_EQ(countTileLoads(product, layout, Tensor::A, chip).sectors, 16);
  EXPECT_EQ(countTileLoads(product, layout, Tensor::A, chip, 2).sectors, 17);
  // Four rows of 8, 9 apart, in each warp: elements 0 to 34. The second four
  // start at 36, a multiple of a sector.
  EXPECT_EQ(countTileStores(product, layout, chip).sectors, 9 + 9);
  EXPECT_EQ(countTileStores(product, layout, chip, 2).sectors, 10 + 10);
  EXPECT_EQ(countTileStores(product, layout, chip).bytes, 64 * 8);
}

TEST(AccessCounts, AgreesWithEnumeration) {
  std::mt19937 random(20260417);
  const unsigned trials = randomCases(1000);
  unsigned compared = 0, manyWarps = 0;
  for (unsigned trial = 0; trial < trials; ++trial) {
    Contraction contraction = randomContraction(random);
    Schedule schedule = randomSchedule(contraction, random);
    Result<KernelLayout> layout =
        layOut(contraction, schedule, target(trial % 2 ? "sm_90" : "sm_75"));
    if (!layout || layout->blocks * layout->steps * layout->blockM *
                           layout->blockN * layout->blockK >
                       20'000)
      continue;
    SCOPED_TRACE("trial " + std::to_string(trial));
    ++compared;
    manyWarps += layout->threads > 64;
    std::vector<int64_t> all;
    for (int64_t block = 0; block < layout->blocks; ++block)
      all.push_back(block);
    expectEqual(countAccesses(contraction, *layout, target("sm_90")),
                Enumeration(contraction, *layout).run(all));
    std::vector<int64_t> some = {layout->blocks - 1};
    if (layout->blocks > 1)
      some.push_back(layout->blocks / 2 - 1);
    expectEqual(countAccesses(contraction, *layout, target("sm_90"), some),
                Enumeration(contraction, *layout).run(some));
    if (HasFailure())
      break;
  }
  EXPECT_GT(compared, trials / 2);
  EXPECT_GT(manyWarps, trials / 200);
}

TEST(AccessCounts, AgreesWithEnumerationOfLargeTiles) {
  // Tiles as the search makes them, of several warps and long runs, whose
  // extents do not fit warps, sectors or banks.
  std::mt19937 random(48);
  auto pick = [&](std::initializer_list<int64_t> values) {
    return *(values.begin() +
             uniform(random, 0, static_cast<int64_t>(values.size()) - 1));
  };
  unsigned compared = 0, matrices = 0;
  for (unsigned trial = 0; trial < 60; ++trial) {
    ElementType type = trial % 2 ? ElementType::F32 : ElementType::F64;
    const char *const lists[][3] = {
        {"akb", "knl", "abn"}, {"kab", "nlk", "nba"}, {"bka", "lkn", "anb"}};
    const auto &list = lists[trial % 3];
    Contraction contraction = contract(list[0], list[1], list[2],
                                       {{"a", pick({16, 24, 36, 40})},
                                        {"b", pick({3, 8, 12})},
                                        {"n", pick({20, 64, 100, 144})},
                                        {"l", 1},
                                        {"k", pick({8, 24, 20})}},
                                       type);
    contraction.readsC = trial % 5 == 0;
    Schedule schedule{"sm_90",
                      {{"a", pick({4, 8, 12, 16})}, {"b", pick({1, 2, 3})}},
                      {{"n", pick({8, 12, 20})}},
                      {{"k", pick({4, 6, 8})}, {"l", 1}},
                      pick({1, 2, 4}),
                      pick({1, 2, 4})};
    if (trial % 4 == 0) {
      schedule.instruction =
          trial % 8 ? Instruction::MmaM16N8K8 : Instruction::MmaM16N8K4;
      schedule.m = {{"a", pick({8, 16})}, {"b", pick({2, 4})}};
      schedule.n = {{"n", pick({8, 16, 32})}};
      schedule.k = {{"k", pick({8, 16})}, {"l", 1}};
      schedule.registerM = schedule.registerN = 2;
    }
    // In B only, `l` is summed with an extent of one.
    Result<KernelLayout> layout =
        layOut(contraction, schedule, target("sm_90"));
    if (!layout)
      continue;
    SCOPED_TRACE("trial " + std::to_string(trial));
    ++compared;
    matrices += trial % 4 == 0;
    std::vector<int64_t> some = {0};
    if (layout->blocks > 2)
      some.insert(some.end(), {layout->blocks / 2, layout->blocks - 1});
    expectEqual(countAccesses(contraction, *layout, target("sm_90"), some),
                Enumeration(contraction, *layout).run(some));
    if (HasFailure())
      break;
  }
  EXPECT_GT(compared, 35u);
  EXPECT_GT(matrices, 8u);
}

} // namespace
