//===- CpuSchedule.h - The decisions for a contraction on a CPU -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A CPU computes a contraction as GETT does (Springer and Bientinesi, "Design
// of a High-Performance GEMM-like Tensor-Tensor Multiplication", TOMS 2018,
// section 3): loops around a macro-kernel that multiplies packed panels. The
// schedule holds the decisions; the layout is what follows from them.
// docs/cpu-lowering.md explains both.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CPU_CPUSCHEDULE_H
#define TC_CPU_CPUSCHEDULE_H

#include "tc/Machine/CpuTarget.h"
#include "tc/Problem/Contraction.h"
#include "tc/Problem/Tile.h"

#include <array>

namespace tc::model {

/// The number of ways in which the loops over blocks are shared out among
/// threads; a thread runs one combination.
struct CpuThreads {
  int64_t batch = 1, m = 1, n = 1;

  int64_t count() const { return batch * m * n; }
  int64_t ways(Role role) const {
    return role == Role::Batch ? batch
           : role == Role::M   ? m
           : role == Role::N   ? n
                               : 1;
  }
  bool operator==(const CpuThreads &other) const {
    return batch == other.batch && m == other.m && n == other.n;
  }
};

/// The way in which a contraction is turned into products of packed panels.
enum class Strategy : unsigned {
  GETT,    ///< as it is: packing gathers what a panel holds, wherever it lies
  TTGT,    ///< tensors are first copied so that they are matrices (transpose,
           ///< transpose, GEMM, transpose)
  LoG,     ///< loops over matrix products of slices (loops over GEMM)
  Direct,  ///< without panels: loops around a register tile that loads elements
           ///< from where they lie
  Library, ///< by a call of ahead-of-time kernels, libtc_cpu_runtime
};
inline constexpr std::array<Strategy, 5> allStrategies = {
    Strategy::GETT, Strategy::TTGT, Strategy::LoG, Strategy::Direct,
    Strategy::Library};
/// "gett", "ttgt", "loop_over_gemm", "direct" or "library".
std::string_view stringify(Strategy strategy);
std::optional<Strategy> symbolizeStrategy(std::string_view name);

/// The decisions for one contraction on a CPU.
struct CpuSchedule {
  /// Name of the target that it was made for.
  std::string target;
  Strategy strategy = Strategy::GETT;
  /// With TTGT: the order of each tensor's indices in its copy, the last of
  /// which has stride one; empty for a tensor that is used where it is. The
  /// other decisions are about the product of the copies, see `productOf`.
  PerTensor<std::vector<std::string>> transpose;
  /// With LoG: the M, N and K indices that are no part of the matrix products,
  /// their loops in order, the outermost first. With Direct: all indices with
  /// an extent above one, those of C first; summed ones are inside.
  std::vector<std::string> loops;
  /// With Direct: the index, of C or summed, whose elements lie side by side in
  /// a vector register, `registerRows` at a time; and the index of C of which
  /// `registerColumns` elements are computed together, empty if that is one.
  /// Decisions about blocks do not count then, but for one of `k`: the block
  /// along a summed index whose loop is outside of all others.
  std::string vectorIndex, columnIndex;
  /// The role, M or N, whose elements lie side by side in a vector register;
  /// the other one's are the columns of the register tile.
  Role rows = Role::M;
  /// The cache block's extent along every M, N and K index. The order within a
  /// list is that of the packed panels: the last index varies fastest.
  std::vector<TileExtent> m, n, k;
  /// The loops over blocks by role, the outermost first.
  std::array<Role, 3> order = {Role::N, Role::K, Role::M};
  /// True if the innermost loop over panels walks those of columns, and the
  /// panel of rows stays; false for the other way round.
  bool columnsInnermost = false;
  /// Elements of C that the micro-kernel keeps in registers.
  int64_t registerRows = 1, registerColumns = 1;
  /// Elements of a vector register.
  int64_t lanes = 1;
  /// True if stores to C bypass the caches.
  bool stream = false;
  CpuThreads threads;

  const std::vector<TileExtent> &tiles(Role role) const {
    return role == Role::M ? m : role == Role::N ? n : k;
  }

  bool operator==(const CpuSchedule &other) const {
    return target == other.target && strategy == other.strategy &&
           transpose == other.transpose && loops == other.loops &&
           vectorIndex == other.vectorIndex &&
           columnIndex == other.columnIndex && rows == other.rows &&
           m == other.m && n == other.n && k == other.k &&
           order == other.order && columnsInnermost == other.columnsInnermost &&
           registerRows == other.registerRows &&
           registerColumns == other.registerColumns && lanes == other.lanes &&
           stream == other.stream && threads == other.threads;
  }
};

/// One index as the loops over it see it.
struct CpuIndex {
  /// Position in Contraction::indices; none for the one that stands in where a
  /// role has no index.
  std::optional<unsigned> position;
  int64_t extent = 1;
  /// The block's extent.
  int64_t tile = 1;
  PerTensor<int64_t> stride = {};

  int64_t blocks() const { return (extent + tile - 1) / tile; }
  /// The extent of the last block.
  int64_t lastTile() const { return extent - (blocks() - 1) * tile; }
};

/// The way in which a panel is filled.
enum class Packing : unsigned {
  Copy,      ///< vectors along the panel's own first index
  Transpose, ///< vectors along another index, transposed in registers
  Gather,    ///< element by element
};
std::string_view stringify(Packing packing);

/// The rows or the columns of the equivalent matrix product.
///
/// The elements of a block are counted in chunks of `chunk` neighbours along
/// the first index; the last chunk along it may hold fewer. Chunks are counted
/// across the other indices, and `width` elements of them make a panel, which
/// holds `width` elements for each value of K. So the elements of a chunk are
/// always equally far apart in each tensor.
struct CpuSide {
  Tensor input = Tensor::A;
  /// At least one, the one that varies fastest first.
  std::vector<CpuIndex> indices;
  int64_t width = 1;
  int64_t chunk = 1;
  Packing packing = Packing::Gather;
  /// With Packing::Transpose: the index of stride one, by place in the K
  /// indices or in `indices`, and how many of its elements are transposed
  /// together: a power of two that divides `chunk`.
  bool transposesK = false;
  unsigned transposed = 0;
  int64_t transposedExtent = 1;
  /// True if blocks are packed outside of the loop that is shared out, so that
  /// all threads pack them together and read them. Else, each thread has panels
  /// of its own.
  bool shared = false;

  int64_t chunksPerPanel() const { return width / chunk; }
  /// Returns true if no chunk of any block holds fewer elements than others.
  bool hasFullChunks() const;
  /// Returns true if it is easily seen that no panel of any block holds fewer
  /// than others, either: the chunks of a block are a multiple of a panel's,
  /// whatever indices it is the last block along.
  bool hasFullPanels() const;
  /// The chunks and panels of a whole block.
  int64_t chunks() const;
  int64_t panels() const;
};

/// The loops of a schedule with Strategy::Direct.
struct DirectLoops {
  /// The loops over C's elements, and inside of them those over summed ones,
  /// the outermost first. The tiles along two of them are those of the register
  /// tile; all others are one.
  std::vector<CpuIndex> outputs, summed;
  /// The place of the index along vectors, in `summed` if `sumsVectors` and in
  /// `outputs` otherwise; and the place, in `outputs`, of the one along the
  /// register tile's columns.
  bool sumsVectors = false;
  size_t vectorPlace = 0;
  std::optional<size_t> columnPlace;
  /// The place, in `summed`, of the index whose blocks are summed one after the
  /// other, by a loop outside of all others, with partial sums in C. Its tile
  /// is the block's.
  std::optional<size_t> blockPlace;
  /// The number of outermost loops over C that are shared out among threads, as
  /// one loop.
  size_t sharedOut = 0;

  const CpuIndex &vector() const {
    return (sumsVectors ? summed : outputs)[vectorPlace];
  }
  /// Blocks that are summed one after the other.
  int64_t blocks() const {
    return blockPlace ? summed[*blockPlace].blocks() : 1;
  }
};

/// The layout that follows from a schedule.
struct CpuLayout {
  /// With Strategy::Direct, which has no sides; `threads` counts, too.
  std::optional<DirectLoops> direct;
  /// True with Strategy::Library, of which `threads` alone counts.
  bool callsLibrary = false;
  CpuSide rows, columns;
  /// The one that varies fastest first; at least one.
  std::vector<CpuIndex> k;
  /// The outermost first: batch indices, and, inside of them, those that
  /// CpuSchedule::loops names.
  std::vector<CpuIndex> batch, loops;
  /// Real factors that panels hold of each element of an input, one behind the
  /// other for a whole block: three where complex numbers are multiplied by as
  /// many real products, else one. The index over these products is not in `k`.
  int64_t products = 1;
  /// Values of K in a block, times these products.
  int64_t depth = 1;
  /// The place in CpuSchedule::order of the loop that is shared out among
  /// threads; nothing if it is the one over the batch, or if one thread does
  /// all. Other loops that are split have their ways inside of it.
  std::optional<size_t> sharedOut;
  int64_t threads = 1;
  /// True if sums wait in a buffer of each thread, in their own type, for the
  /// next block of K: C cannot hold them, and all blocks of K are multiplied
  /// before the next block of rows or columns is begun.
  bool buffersSums = false;

  const CpuSide &side(Role role, const CpuSchedule &schedule) const {
    return role == schedule.rows ? rows : columns;
  }
  /// The indices of a role.
  const std::vector<CpuIndex> &indices(Role role,
                                       const CpuSchedule &schedule) const {
    return role == Role::Batch ? batch
           : role == Role::K   ? k
                               : side(role, schedule).indices;
  }
  /// Elements of that buffer: whole register tiles; zero if there is none.
  int64_t bufferedSums() const {
    return buffersSums
               ? rows.panels() * rows.width * columns.panels() * columns.width
               : 0;
  }
  /// Bytes of all threads' panels and buffered sums, which are elements of the
  /// accumulator's type.
  int64_t panelBytes(const Contraction &contraction) const;
};

/// Works out the layout, and checks that the schedule can be obeyed: it has one
/// tile for every index of M, N and K that it does not loop over, within the
/// extent; a register tile that `lanes` divides; an order that names each role
/// once; streaming stores only where C is written once; all of K in one block,
/// or K as the last of the order, where sums have to be whole; all three
/// products of parts of complex numbers in one block, and outermost in it; no
/// loop shared out in more ways than it makes trips; no epilogue with TTGT.
/// With TTGT, indices are those of `productOf`. With Direct: all indices with
/// an extent above one as loops, no prologue, no blocks, and `threads` of
/// `batch` only, which stands for all loops over C. With Library: nothing but
/// `target` and, of `batch`, `threads`. An error says which constraint is
/// broken, by which figure.
Result<CpuLayout> layOut(const Contraction &contraction,
                         const CpuSchedule &schedule);

/// Trips of the loop over the blocks of some indices.
int64_t countBlocks(const std::vector<CpuIndex> &indices);

/// The schedule that the model finds best, for up to as many threads;
/// docs/cpu-lowering.md states its rules. The summation of K does not depend on
/// `threads`. Fails if the target has no caches or its vectors hold no sum.
Result<CpuSchedule> searchCpuSchedule(const Contraction &contraction,
                                      const CpuTarget &target,
                                      int64_t threads = 1);

/// More threads than any machine has; a schedule that asks for more is an
/// error.
inline constexpr int64_t maxCpuThreads = 4096;

/// The last step of that search: shares a schedule for one thread out among
/// `threads` at most (and `maxCpuThreads`), as many as pay.
CpuSchedule shareOut(const Contraction &contraction, const CpuTarget &target,
                     const CpuSchedule &schedule, int64_t threads);

} // namespace tc::model

#endif // TC_CPU_CPUSCHEDULE_H
