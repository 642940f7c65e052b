//===- CpuScheduleTest.cpp - Layouts and choices for CPUs -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Cpu/CpuSchedule.h"
#include "tc/Cpu/CpuStores.h"

#include "Problem/Suites.h"
#include "Problem/TestContractions.h"

using namespace tc;
using namespace tc::model;
using namespace tc::model::test;

/// 28 x 40 with K = 16: B's rows of C are contiguous.
static Contraction matmul() {
  return contract("ij", "jk", "ik", {{"i", 28}, {"j", 16}, {"k", 40}});
}

static CpuSchedule matmulSchedule() {
  CpuSchedule schedule;
  schedule.target = "x";
  schedule.rows = Role::N;
  schedule.m = {{"i", 28}};
  schedule.n = {{"k", 40}};
  schedule.k = {{"j", 16}};
  schedule.order = {Role::M, Role::K, Role::N};
  schedule.registerRows = 8;
  schedule.registerColumns = 4;
  schedule.lanes = 4;
  return schedule;
}

static std::string errorOf(const CpuSchedule &schedule,
                           const Contraction &contraction = matmul()) {
  Result<CpuLayout> layout = layOut(contraction, schedule);
  return layout ? "none" : layout.error();
}

TEST(CpuSchedule, Layout) {
  Contraction contraction = matmul();
  Result<CpuLayout> layout = layOut(contraction, matmulSchedule());
  ASSERT_TRUE(bool(layout)) << layout.error();
  EXPECT_EQ(layout->rows.input, Tensor::B);
  EXPECT_EQ(layout->rows.packing, Packing::Copy);
  EXPECT_EQ(layout->rows.chunk, 4);
  EXPECT_EQ(layout->rows.panels(), 5);
  EXPECT_EQ(layout->columns.packing, Packing::Transpose);
  EXPECT_TRUE(layout->columns.transposesK);
  EXPECT_EQ(layout->columns.transposedExtent, 4);
  EXPECT_EQ(layout->columns.panels(), 7);
  EXPECT_EQ(layout->depth, 16);
  EXPECT_EQ(layout->panelBytes(contraction), (40 + 28) * 16 * 8);
}

TEST(CpuSchedule, ChunksAndPanelsArePadded) {
  // 26 = 6 chunks of 4 and one of 2; two chunks a panel.
  Contraction contraction =
      contract("ij", "jk", "ik", {{"i", 28}, {"j", 16}, {"k", 26}});
  CpuSchedule schedule = matmulSchedule();
  schedule.n = {{"k", 26}};
  Result<CpuLayout> layout = layOut(contraction, schedule);
  ASSERT_TRUE(bool(layout)) << layout.error();
  EXPECT_EQ(layout->rows.chunk, 4);
  EXPECT_EQ(layout->rows.chunks(), 7);
  EXPECT_EQ(layout->rows.panels(), 4);
}

/// Returns true if each block of a side is of whole panels, one block after the
/// other.
static bool allPanelsAreFull(const CpuSide &side) {
  const CpuIndex &first = side.indices.front(), &second = side.indices.back();
  for (int64_t chunkedExtent : {first.tile, first.lastTile()})
    for (int64_t extent : {second.tile, second.lastTile()})
      if (chunkedExtent % side.chunk != 0 ||
          chunkedExtent / side.chunk * extent % side.chunksPerPanel() != 0)
        return false;
  return true;
}

TEST(CpuSchedule, KnowsWhetherPanelsAreFull) {
  int64_t full = 0, seen = 0;
  for (int64_t extent : {7, 8, 12, 24, 26, 40})
    for (int64_t tile : {4, 8, 12, 24})
      for (int64_t outer : {1, 2, 3, 5, 6})
        for (int64_t outerTile : {1, 2, 3, 6}) {
          if (tile > extent || outerTile > outer)
            continue;
          CpuSide side;
          side.width = 8;
          side.chunk = 4;
          side.indices.resize(2);
          side.indices.front().extent = extent;
          side.indices.front().tile = tile;
          side.indices.back().extent = outer;
          side.indices.back().tile = outerTile;
          // Panels may also be full where that is not easily seen.
          bool isFull = allPanelsAreFull(side);
          EXPECT_TRUE(isFull || !side.hasFullPanels())
              << extent << " by " << tile << ", " << outer << " by "
              << outerTile;
          full += isFull;
          seen += side.hasFullPanels();
        }
  EXPECT_GT(full, 0);
  EXPECT_EQ(seen, full);
}

TEST(CpuSchedule, ChunksDivideTiles) {
  // A block that is cut elsewhere than at a chunk's end needs smaller ones.
  CpuSchedule schedule = matmulSchedule();
  schedule.n = {{"k", 6}};
  Result<CpuLayout> layout = layOut(matmul(), schedule);
  ASSERT_TRUE(bool(layout)) << layout.error();
  EXPECT_EQ(layout->rows.chunk, 2);
  schedule.n = {{"k", 5}};
  layout = layOut(matmul(), schedule);
  ASSERT_TRUE(bool(layout)) << layout.error();
  EXPECT_EQ(layout->rows.chunk, 1);
}

TEST(CpuSchedule, GathersWithoutStrideOne) {
  Contraction contraction = matmul();
  for (Index &index : contraction.indices)
    index.stride[Tensor::B] *= 2;
  Result<CpuLayout> layout = layOut(contraction, matmulSchedule());
  ASSERT_TRUE(bool(layout)) << layout.error();
  EXPECT_EQ(layout->rows.packing, Packing::Gather);
}

TEST(CpuSchedule, TransposesAnotherIndexOfTheSide) {
  Contraction contraction =
      contract("ij", "jkl", "ilk", {{"i", 28}, {"j", 16}, {"k", 8}, {"l", 12}});
  CpuSchedule schedule = matmulSchedule();
  schedule.n = {{"l", 12}, {"k", 8}};
  Result<CpuLayout> layout = layOut(contraction, schedule);
  ASSERT_TRUE(bool(layout)) << layout.error();
  EXPECT_EQ(layout->rows.packing, Packing::Transpose);
  EXPECT_FALSE(layout->rows.transposesK);
  EXPECT_EQ(layout->rows.transposed, 1u);
}

TEST(CpuSchedule, Errors) {
  EXPECT_EQ(errorOf(matmulSchedule()), "none");
  CpuSchedule schedule = matmulSchedule();
  schedule.m = {};
  EXPECT_EQ(errorOf(schedule), "cpu_schedule: 'm' has no tile for index 'i'");
  schedule.m = {{"i", 1}, {"i", 1}};
  EXPECT_EQ(errorOf(schedule), "cpu_schedule: 'm' names index 'i' twice");
  schedule.m = {{"j", 1}};
  EXPECT_EQ(errorOf(schedule),
            "cpu_schedule: 'm' names 'j', which is no index of M");
  schedule.m = {{"i", 29}};
  EXPECT_EQ(errorOf(schedule), "cpu_schedule: the tile of index 'i' must be "
                               "from 1 to its extent 28, but is 29");
  schedule = matmulSchedule();
  schedule.rows = Role::K;
  EXPECT_EQ(errorOf(schedule), "cpu_schedule: 'rows' must be m or n");
  schedule = matmulSchedule();
  schedule.lanes = 3;
  EXPECT_EQ(errorOf(schedule), "cpu_schedule: 'lanes' must be a power of two "
                               "up to 64, but is 3");
  schedule = matmulSchedule();
  schedule.registerColumns = 0;
  EXPECT_EQ(errorOf(schedule), "cpu_schedule: the register tile must be at "
                               "least 1 x 1, but is 8 x 0");
  schedule.registerColumns = 33;
  EXPECT_EQ(errorOf(schedule),
            "cpu_schedule: a register tile of 8 x 33 needs more than 64 vector "
            "registers of 4 elements");
  schedule = matmulSchedule();
  schedule.registerRows = 6;
  EXPECT_EQ(errorOf(schedule), "cpu_schedule: the rows of the register tile, "
                               "6, must be a multiple of 'lanes', 4");
  schedule = matmulSchedule();
  schedule.order = {Role::M, Role::K, Role::K};
  EXPECT_EQ(errorOf(schedule),
            "cpu_schedule: 'order' must name m, n and k once each");
  schedule = matmulSchedule();
  schedule.stream = true;
  schedule.k = {{"j", 8}};
  EXPECT_EQ(errorOf(schedule),
            "cpu_schedule: stores can stream only where beta is zero and "
            "C is written once");
  schedule = matmulSchedule();
  schedule.threads.n = 0;
  EXPECT_EQ(errorOf(schedule), "cpu_schedule: 'threads' must share 'n' out in "
                               "1 way at least, but does in 0");
  schedule.threads.n = 2;
  EXPECT_EQ(errorOf(schedule), "cpu_schedule: 'threads' shares 'n' out in 2 "
                               "ways, but its loop makes 1 trip");
  schedule.n = {{"k", 8}};
  schedule.threads.n = 6;
  EXPECT_EQ(errorOf(schedule), "cpu_schedule: 'threads' shares 'n' out in 6 "
                               "ways, but its loop makes 5 trips");
  schedule.threads = {2, 1, 1};
  EXPECT_EQ(errorOf(schedule), "cpu_schedule: 'threads' shares 'batch' out in "
                               "2 ways, but its loop makes 1 trip");
  Contraction large =
      contract("ij", "jk", "ik", {{"i", 128}, {"j", 1}, {"k", 128}});
  schedule.m = {{"i", 1}};
  schedule.n = {{"k", 1}};
  schedule.k = {{"j", 1}};
  schedule.threads = {1, 64, 65};
  EXPECT_EQ(errorOf(schedule, large),
            "cpu_schedule: 'threads' asks for more than 4096 threads");
}

TEST(CpuSchedule, StreamedElements) {
  auto streamed = [](const Contraction &contraction, CpuSchedule schedule,
                     bool streams = true) {
    schedule.stream = streams;
    Result<CpuLayout> layout = layOut(contraction, schedule);
    EXPECT_TRUE(bool(layout)) << layout.error();
    return streamedElements(contraction, schedule, *layout);
  };
  // Rows of 40 elements: whole vectors, at multiples of their size.
  EXPECT_EQ(streamed(matmul(), matmulSchedule()), 4);
  EXPECT_EQ(streamed(matmul(), matmulSchedule(), false), 0);
  Contraction shifted = matmul();
  shifted.offset[Tensor::C] = 2;
  EXPECT_EQ(streamed(shifted, matmulSchedule()), 0);
  Contraction spread = matmul();
  spread.indices[*spread.find("i")].stride[Tensor::C] = 42;
  EXPECT_EQ(streamed(spread, matmulSchedule()), 0);

  // Runs of six elements, which are three chunks of half a vector. The next
  // column begins where a run ends; a panel holds two runs.
  Contraction runs =
      contract("jki", "kn", "jni", {{"j", 4}, {"k", 16}, {"i", 6}, {"n", 8}});
  CpuSchedule schedule = matmulSchedule();
  schedule.rows = Role::M;
  schedule.m = {{"j", 4}, {"i", 6}};
  schedule.n = {{"n", 8}};
  schedule.k = {{"k", 16}};
  schedule.registerRows = 12;
  EXPECT_EQ(streamed(runs, schedule), 4);
  Result<CpuLayout> layout = layOut(runs, schedule);
  ASSERT_TRUE(bool(layout)) << layout.error();
  EXPECT_EQ(layout->rows.chunk, 2);
  EXPECT_EQ(runInPanel(layout->rows), 6);
  // Each of these leaves chunks: a gap between columns, an epilogue that reads
  // by column, other strides that no vector divides, runs that panels cut.
  Contraction gap = runs;
  gap.indices[*gap.find("n")].stride[Tensor::C] = 8;
  EXPECT_EQ(streamed(gap, schedule), 2);
  Contraction mapped = runs;
  mapped.hasEpilogue = true;
  EXPECT_EQ(streamed(mapped, schedule), 2);
  Contraction ragged = runs;
  ragged.indices[*ragged.find("j")].stride[Tensor::C] = 50;
  EXPECT_EQ(streamed(ragged, schedule), 2);
  schedule.registerRows = 8;
  EXPECT_EQ(streamed(runs, schedule), 2);
  // Eight bytes are too few for a store that bypasses the caches.
  for (Tensor tensor : allTensors)
    ragged.elementType[tensor] = ElementType::F32;
  EXPECT_EQ(streamed(ragged, schedule), 0);
}

TEST(CpuSchedule, WholeSums) {
  Contraction halves = matmul();
  halves.needsWholeSums = true;
  CpuSchedule schedule = matmulSchedule();
  EXPECT_EQ(errorOf(schedule, halves), "none");
  schedule.k = {{"j", 8}};
  EXPECT_EQ(errorOf(schedule), "none");
  EXPECT_EQ(errorOf(schedule, halves),
            "cpu_schedule: 'order' must end with k, or one block must span all "
            "of K, as C cannot hold sums of a part of the products");
  schedule.order = {Role::N, Role::M, Role::K};
  EXPECT_EQ(errorOf(schedule, halves), "none");
}

TEST(CpuSchedule, PanelsOfThreads) {
  // Columns, blocks of M here, are in the outermost loop: with it, both are
  // packed inside of the loop that is shared out.
  Contraction contraction = matmul();
  CpuSchedule schedule = matmulSchedule();
  schedule.m = {{"i", 14}};
  schedule.n = {{"k", 8}};
  schedule.threads.m = 2;
  auto bytes = [&](bool sharesRows, bool sharesColumns) {
    Result<CpuLayout> layout = layOut(contraction, schedule);
    EXPECT_TRUE(bool(layout)) << layout.error();
    EXPECT_EQ(layout->rows.shared, sharesRows);
    EXPECT_EQ(layout->columns.shared, sharesColumns);
    return layout->panelBytes(contraction);
  };
  EXPECT_EQ(bytes(false, false), 2 * (8 + 16) * 16 * 8);
  // Inside of it, threads pack the columns together.
  schedule.threads = {1, 1, 2};
  EXPECT_EQ(bytes(false, true), (2 * 8 + 16) * 16 * 8);
  // Unless it is shared out as well.
  schedule.threads = {1, 2, 2};
  EXPECT_EQ(bytes(false, false), 4 * (8 + 16) * 16 * 8);
  // A matrix that one block holds is packed before all loops, and once.
  schedule.threads = {1, 2, 1};
  schedule.n = {{"k", 40}};
  EXPECT_EQ(bytes(true, false), (40 + 2 * 16) * 16 * 8);
  // All is inside of the batch.
  contraction = contract("bij", "bjk", "bik",
                         {{"b", 3}, {"i", 28}, {"j", 16}, {"k", 40}});
  schedule.threads = {3, 1, 1};
  EXPECT_EQ(bytes(false, false), 3 * (40 + 16) * 16 * 8);
}

/// A CPU with AVX-512 and one with AVX2.
static CpuTarget cpu(int64_t vectorBytes, int64_t registers) {
  CpuTarget target;
  target.name = "test";
  target.vectorBytes = vectorBytes;
  target.vectorRegisters = registers;
  target.clockHertz = 3e9;
  target.fmaPerCycleF64 = vectorBytes / 4;
  target.fmaPerCycleF32 = vectorBytes / 2;
  target.memoryBytesPerSecond = 1e10;
  target.caches = {{"L1", 32 * 1024, 8, 64, 1, 6e10},
                   {"L2", 1024 * 1024, 8, 64, 1, 5e10},
                   {"L3", 16 * 1024 * 1024, 8, 64, 1, 3e10}};
  return target;
}

TEST(CpuScheduleSearch, Suite) {
  for (const CpuTarget &target : {cpu(64, 32), cpu(32, 16), cpu(16, 32)}) {
    for (ElementType type : {ElementType::F32, ElementType::F64}) {
      for (const SuiteCase &problem : tccgSuite(type)) {
        const Contraction &contraction = problem.contraction;
        Result<CpuSchedule> schedule = searchCpuSchedule(contraction, target);
        ASSERT_TRUE(bool(schedule)) << problem.name << schedule.error();
        Result<CpuLayout> layout = layOut(contraction, *schedule);
        ASSERT_TRUE(bool(layout)) << problem.name << layout.error();
        // Every operand of the suite is packed by whole vectors.
        EXPECT_NE(layout->rows.packing, Packing::Gather)
            << problem.name << ", " << target.vectorBytes;
        EXPECT_NE(layout->columns.packing, Packing::Gather)
            << problem.name << ", " << target.vectorBytes;
        // C's stride-one index is the rows' first, so it is written by vectors.
        EXPECT_EQ(layout->rows.indices.front().stride[Tensor::C], 1);
        // One panel of each side fits the first cache, all panels the last.
        EXPECT_LE((layout->rows.width + layout->columns.width) * layout->depth *
                      byteWidth(type),
                  target.caches.front().bytes);
        EXPECT_LE(layout->panelBytes(contraction), target.caches.back().bytes);
      }
    }
  }
}

/// The same contraction with A and B exchanged, and so M and N.
Contraction exchangeInputs(Contraction contraction) {
  auto exchange = [](auto &of) { std::swap(of[Tensor::A], of[Tensor::B]); };
  exchange(contraction.elementType);
  exchange(contraction.offset);
  for (Index &index : contraction.indices) {
    exchange(index.stride);
    index.role = index.role == Role::M   ? Role::N
                 : index.role == Role::N ? Role::M
                                         : index.role;
  }
  return contraction;
}

TEST(CpuScheduleSearch, InputsMayBeExchanged) {
  for (ElementType type : {ElementType::F64, ElementType::F32})
    for (const SuiteCase &problem : tccgSuite(type)) {
      const Contraction &contraction = problem.contraction;
      Result<CpuSchedule> schedule =
          searchCpuSchedule(contraction, cpu(64, 32));
      Result<CpuSchedule> exchanged =
          searchCpuSchedule(exchangeInputs(contraction), cpu(64, 32));
      ASSERT_TRUE(schedule && exchanged) << problem.name;
      EXPECT_NE(schedule->rows, exchanged->rows) << problem.name;
      EXPECT_EQ(schedule->m, exchanged->n) << problem.name;
      EXPECT_EQ(schedule->n, exchanged->m) << problem.name;
      EXPECT_EQ(schedule->k, exchanged->k) << problem.name;
    }
}

TEST(CpuScheduleSearch, RegisterTile) {
  // No panel is cut off at the end of each block: 1000 rows are multiplied as
  // 1008 at most.
  for (const CpuTarget &target : {cpu(64, 32), cpu(32, 16), cpu(16, 32)}) {
    Contraction contraction =
        contract("km", "nk", "nm", {{"m", 1000}, {"n", 1000}, {"k", 1000}});
    Result<CpuSchedule> schedule = searchCpuSchedule(contraction, target);
    ASSERT_TRUE(bool(schedule)) << schedule.error();
    int64_t tile = schedule->m.front().extent;
    EXPECT_TRUE(tile == 1000 || tile % schedule->registerRows == 0)
        << tile << " and " << schedule->registerRows;
  }
}

TEST(CpuScheduleSearch, RowsStay) {
  // A panel of 12 rows and one of 4 columns in seven eighths of the first
  // cache; those of columns, which are narrower, stream.
  Contraction contraction =
      contract("km", "nk", "nm", {{"m", 4096}, {"n", 4096}, {"k", 4096}});
  Result<CpuSchedule> schedule = searchCpuSchedule(contraction, cpu(32, 16));
  ASSERT_TRUE(bool(schedule)) << schedule.error();
  EXPECT_EQ(schedule->registerRows, 12);
  EXPECT_EQ(schedule->registerColumns, 4);
  EXPECT_TRUE(schedule->columnsInnermost);
  // 4096 in as many blocks as 224, the most, makes.
  EXPECT_EQ(schedule->k.front().extent, 216);
}

TEST(CpuScheduleSearch, ComparesSmallerBlocks) {
  // No block that fills a cache is predicted to be faster, and some are slower.
  bool gains = false;
  for (int64_t k : {16, 40, 100, 300}) {
    Contraction contraction = contract(
        "bka", "ck", "cba", {{"a", 40}, {"b", 50}, {"c", 24}, {"k", k}});
    Result<std::vector<CpuCandidate>> candidates =
        enumerateCpuSchedules(contraction, cpu(64, 32));
    Result<CpuSchedule> schedule = searchCpuSchedule(contraction, cpu(64, 32));
    ASSERT_TRUE(candidates && schedule);
    Result<CpuTime> time = predictTime(contraction, *schedule, cpu(64, 32));
    ASSERT_TRUE(bool(time)) << time.error();
    double least = HUGE_VAL;
    for (const CpuCandidate &candidate : *candidates)
      least = std::min(least, candidate.time.total());
    EXPECT_LE(time->total(), 1.01 * least);
    gains |= time->total() < least;
  }
  EXPECT_TRUE(gains);
}

TEST(CpuScheduleSearch, StreamedLinesAreWhole) {
  // C's 36 MB are written once. A store past the caches that is half a line, as
  // the third vector of 12 rows is, costs as much as some lines.
  Contraction contraction =
      contract("ka", "ck", "ca", {{"a", 72}, {"c", 65536}, {"k", 16}});
  Result<CpuSchedule> schedule = searchCpuSchedule(contraction, cpu(32, 16));
  ASSERT_TRUE(bool(schedule)) << schedule.error();
  EXPECT_TRUE(schedule->stream);
  Result<CpuLayout> layout = layOut(contraction, *schedule);
  ASSERT_TRUE(bool(layout)) << layout.error();
  EXPECT_EQ(storedRun(*schedule, *layout) % 8, 0);
  // C's base decides what a store may assume.
  EXPECT_EQ(streamedElements(contraction, *schedule, *layout), 4);
  EXPECT_EQ(alignmentToStream(contraction, 4), 64);
  // Rows of 60 bytes begin anywhere in a line.
  contraction =
      contract("ka", "ck", "ca", {{"a", 60}, {"c", 65536}, {"k", 16}});
  EXPECT_EQ(alignmentToStream(contraction, 4), 32);
}

TEST(CpuScheduleSearch, RandomContractions) {
  std::mt19937 random(20160710);
  for (int i = 0; i < 500; ++i) {
    Contraction contraction = randomContraction(random);
    for (Tensor tensor : allTensors)
      contraction.elementType[tensor] = ElementType::F64;
    Result<CpuSchedule> schedule = searchCpuSchedule(contraction, cpu(64, 32));
    EXPECT_TRUE(bool(schedule)) << i << ": " << schedule.error();
  }
}

/// The elements of a block along a role, filled up to whole panels.
static int64_t paddedElements(const std::vector<CpuIndex> &indices,
                              int64_t block, int64_t width) {
  int64_t elements = 1;
  for (const CpuIndex &index : indices) {
    bool isLast = block % index.blocks() == index.blocks() - 1;
    elements *= isLast ? index.lastTile() : index.tile;
    block /= index.blocks();
  }
  return (elements + width - 1) / width * width;
}

/// The elements that the slowest thread multiplies, in relation to an equal
/// share of C's.
static double imbalance(const Contraction &contraction,
                        const CpuSchedule &schedule, const CpuLayout &layout) {
  double slowest = 1;
  for (Role role : {Role::Batch, Role::M, Role::N}) {
    const std::vector<CpuIndex> &indices = layout.indices(role, schedule);
    int64_t blocks = countBlocks(indices);
    int64_t ways = schedule.threads.ways(role);
    int64_t width = role == Role::Batch ? 1 : layout.side(role, schedule).width;
    double most = 0;
    for (int64_t way = 0; way < ways; ++way) {
      double own = 0;
      for (int64_t block = way * blocks / ways;
           block < (way + 1) * blocks / ways; ++block)
        own += static_cast<double>(paddedElements(indices, block, width));
      most = std::max(most, own);
    }
    slowest *= most * static_cast<double>(ways) /
               static_cast<double>(contraction.extent(role));
  }
  return slowest;
}

TEST(CpuScheduleSearch, ThreadsShareEqually) {
  for (ElementType type : {ElementType::F32, ElementType::F64}) {
    for (const SuiteCase &problem : tccgSuite(type)) {
      const Contraction &contraction = problem.contraction;
      auto imbalanceOf = [&](int64_t threads) {
        Result<CpuSchedule> schedule =
            searchCpuSchedule(contraction, cpu(64, 32), threads);
        EXPECT_TRUE(bool(schedule)) << problem.name << schedule.error();
        Result<CpuLayout> layout = layOut(contraction, *schedule);
        EXPECT_TRUE(bool(layout)) << problem.name << layout.error();
        return imbalance(contraction, *schedule, *layout);
      };
      // Padding by one thread is no fault of sharing. Two threads are 1.85
      // times as fast at least, as far as the multiplications decide.
      EXPECT_LE(imbalanceOf(2), 2 / 1.85 * imbalanceOf(1)) << problem.name;
    }
  }
}

TEST(CpuScheduleSearch, Threads) {
  for (const SuiteCase &problem : tccgSuite(ElementType::F64)) {
    const Contraction &contraction = problem.contraction;
    Result<CpuSchedule> one = searchCpuSchedule(contraction, cpu(64, 32));
    ASSERT_TRUE(bool(one)) << one.error();
    EXPECT_EQ(one->threads.count(), 1);
    for (int64_t threads : {2, 3, 5, 8}) {
      Result<CpuSchedule> several =
          searchCpuSchedule(contraction, cpu(64, 32), threads);
      ASSERT_TRUE(bool(several)) << problem.name << several.error();
      // All are worth it for the sizes of the suite.
      EXPECT_EQ(several->threads.count(), threads) << problem.name;
      Result<CpuLayout> layout = layOut(contraction, *several);
      ASSERT_TRUE(bool(layout)) << problem.name << layout.error();
      // Sums are those of one thread.
      EXPECT_EQ(several->k, one->k);
      EXPECT_EQ(several->order, one->order);
    }
  }
  // A product that is over before a team has come together.
  Result<CpuSchedule> small = searchCpuSchedule(matmul(), cpu(64, 32), 8);
  ASSERT_TRUE(bool(small)) << small.error();
  EXPECT_EQ(small->threads.count(), 1);
  // The batch is shared out where M and N are small.
  Result<CpuSchedule> batch =
      searchCpuSchedule(contract("bij", "bjk", "bik",
                                 {{"b", 640}, {"i", 8}, {"j", 128}, {"k", 8}}),
                        cpu(64, 32), 8);
  ASSERT_TRUE(bool(batch)) << batch.error();
  EXPECT_EQ(batch->threads, (CpuThreads{8, 1, 1}));
  // Neither very many blocks nor very many threads take long to share out.
  Result<CpuSchedule> many = searchCpuSchedule(
      contract("ij", "jk", "ik", {{"i", 1 << 30}, {"j", 2}, {"k", 1000}}),
      cpu(64, 32), int64_t(1) << 40);
  ASSERT_TRUE(bool(many)) << many.error();
  EXPECT_GT(many->threads.count(), 64);
  EXPECT_LE(many->threads.count(), maxCpuThreads);
}

TEST(CpuScheduleSearch, Errors) {
  CpuTarget target = cpu(64, 32);
  target.caches.clear();
  Result<CpuSchedule> schedule = searchCpuSchedule(matmul(), target);
  ASSERT_FALSE(bool(schedule));
  EXPECT_EQ(schedule.error(), "target test: it has no caches");
  target = cpu(4, 32);
  schedule = searchCpuSchedule(matmul(), target);
  ASSERT_FALSE(bool(schedule));
  EXPECT_EQ(schedule.error(), "target test: its vectors hold no element");
}
