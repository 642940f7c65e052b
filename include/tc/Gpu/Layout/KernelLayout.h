//===- KernelLayout.h - Layout of a kernel by its schedule ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything that follows from a contraction, a schedule and a target without
// a further decision: how shared tiles lie in shared memory, how wide accesses
// are, which thread copies and multiplies what. The cost model folds over it
// and the lowering materialises it, so the two cannot disagree.
//
// Shared tiles hold elements of the operand's type. Shared memory holds
// `buffers` pairs of them, each the shared tile of A and, at a multiple of 16
// bytes, that of B. Tensors are taken to start at multiples of 16 bytes, or of
// what `Contraction::baseAlignment` says.
//
// A position is the number of an element along one side of the block tile: the
// last index of the schedule's list varies fastest. The accumulators of thread
// (tm, tn), `positionOf` its number, have the positions
// m = (gm * threadsM + tm) * groupM + v for gm in [0, registerM / groupM) and v
// in [0, groupM), and the same for n.
//
// Matrix instructions multiply rows by columns. The columns are along the side
// of the lanes (`lanesAlongN`), the rows along the other one. A warp is 8 lanes
// along the rows by 4 along the columns; lane (g, t) holds of a fragment of the
// rows those that its accumulators have, and of one of the columns, for number
// c of `mma.sync`'s 8 columns, the position (c * threads + w * 4) * 2 + g, with
// `threads` those along the columns and w its warp among them. Where it loads
// `laneColumns` neighbours at once, these are of as many instructions q, and
// have the positions ((2 * q + g % 2) * threads + w * 4 + (g / 2 ^ g % 2)) *
// laneColumns + v: so for odd gm (gn), tm (tn) in the above is tm ^ 1 (tn ^ 1).
// Along K, a lane holds the `laneDepth` values from (s * 4 + t) * laneDepth on
// for each s of a step; of halves, which are loaded as matrices of 8 x 8
// (`ldmatrix`), the values 4 * laneDepth * s + 8 * h + 2 * t + {0, 1} for h in
// [0, laneDepth / 2).
//
// A factor of `mma.sync` is in neighbouring registers, of rows one position
// after the other, then along K; of columns along K. So the elements of one
// load must be neighbours in a factor, or ptxas puts each together by moves: of
// 16 rows, a load has neighbours along the rows, of columns of more than 4
// values of k, neighbours along K. Anything else is loaded by the element.
//
//===----------------------------------------------------------------------===//

#ifndef TC_GPU_LAYOUT_KERNELLAYOUT_H
#define TC_GPU_LAYOUT_KERNELLAYOUT_H

#include "tc/Gpu/Atoms/CopyAtom.h"
#include "tc/Gpu/Atoms/MultiplyRates.h"
#include "tc/Gpu/Layout/GridOrder.h"
#include "tc/Gpu/Layout/Schedule.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace tc::model {

/// A schedule whose lists have been found to fit a contraction.
struct BlockTile {
  /// In the schedule's order.
  std::vector<TileDim> m, n, k;
  int64_t registerM = 1, registerN = 1;
  GridMapping mapping;
  Instruction instruction = Instruction::FMA;
  int64_t stages = 2;
};

/// The fill of the shared tile of A or B for values of k beyond the tensors,
/// such that combining the product of the two with a sum of products changes
/// nothing. A's is the zero of the semiring, and B's a number whose product
/// with it is; of types without infinity that are narrower than their sums, any
/// bound on all products. Zero where no such numbers are known.
Fill sharedTileFill(const Contraction &contraction, Tensor tensor);

/// The copy of a block's tile of A or B into shared memory by its threads, and
/// the layout of its shared tile there. Rows of the shared tile are along the
/// side of the operand (M or N), one for each value of k, or along K
/// (`alongK`), one for each position; within a row, positions and values of k
/// lie densely.
struct TiledCopy {
  /// The tile's dimensions in the order in which consecutive accesses walk
  /// them, fastest first: by ascending stride in global memory. Dimensions of
  /// tile extent one come last. Where the copy transposes element by element,
  /// it walks a sector, then the shared tile's fastest dimension, then the
  /// rest, so that neither sectors nor banks are asked for twice.
  std::vector<TileDim> order;
  /// If elements are complex and each becomes a matrix of two rows: the
  /// dimension of K along these, which the copy does not walk. An access, of
  /// one element, is stored twice then.
  std::optional<TileDim> matrixRows;
  /// The type of the elements in the shared tile: after their prologue, as the
  /// instruction multiplies them.
  ElementType elementType = ElementType::F64;
  /// Elements that one global access moves, all along `order.front()`.
  int64_t width = 1;
  /// Threads that take part, from number zero on: all, or so many that the
  /// accesses of one thread differ by constants (`stepsAreUniform`).
  int64_t threads = 1;
  /// Accesses that cover the tile, and the most that one thread makes.
  int64_t accesses = 1;
  int64_t accessesPerThread = 1;
  Fill fill = Fill::Zero;
  /// The instruction of the accesses.
  CopyInstruction instruction = CopyInstruction::Registers;
  /// True if rows of the shared tile are along K, as they are where the
  /// operand's index of stride one is the last of the schedule's K.
  bool alongK = false;
  /// Rows, and elements from one to the next: rows are padded where that
  /// avoids bank conflicts of accesses.
  int64_t rows = 1, rowLength = 1;
  /// True if the elements of one access are neighbours in a shared tile row, so
  /// that they are stored to shared memory at once.
  bool contiguousInSharedTile = false;
  /// Accesses of a thread, one after the other, whose elements are neighbours
  /// in shared tile rows, so that it stores these together.
  int64_t gathered = 1;
  /// If it is more than one: the place in `order` of the dimension along which
  /// these lie, after those that one access of each thread walks.
  size_t gatheredPlace = 0;
  /// Neighbours in a row that one load of a fragment has: along the side, as
  /// many as the group there, or along K.
  int64_t fragmentWidth = 1;

  const CopyAtom &atom() const { return atomOf(instruction); }
  bool passesRegisters() const { return atom().passesRegisters; }
  /// The offset in the shared tile that a step of a tile's dimension adds.
  int64_t sharedTileStride(const TileDim &dim, bool isOfK) const {
    return dim.sharedTileStride * (isOfK == alongK ? 1 : rowLength);
  }
  /// The number of times that an access is stored.
  int64_t copiesOfAccess() const { return matrixRows ? matrixRows->tile : 1; }
  /// Elements that one store to the shared tile has.
  int64_t storeWidth() const {
    return contiguousInSharedTile ? width : gathered;
  }
  /// The average number of stores for each access; a multiple of one over
  /// `gathered`.
  double storesOfAccess() const {
    return static_cast<double>(copiesOfAccess() * width) /
           static_cast<double>(storeWidth());
  }
  /// Distance in the shared tile between neighbouring positions and values of
  /// k.
  int64_t positionStride() const { return alongK ? rowLength : 1; }
  int64_t depthStride() const { return alongK ? 1 : rowLength; }
};

/// The layout of one kernel.
struct KernelLayout {
  /// Tile dimensions of each role, in the schedule's order: last fastest.
  /// Batch indices have tiles of extent one.
  std::vector<TileDim> batch, m, n, k;
  int64_t blockM = 1, blockN = 1, blockK = 1;
  int64_t threads = 1, threadsM = 1, threadsN = 1;
  int64_t registerM = 1, registerN = 1;
  /// Complex products are computed by three real ones, and a thread holds the
  /// real and the imaginary sum of each position.
  bool threeProducts = false;
  /// Consecutive lanes walk N (else M): the side that holds C's stride-one
  /// index, so that their stores coalesce. With matrix instructions, the side
  /// of the columns: the one that makes threads load the fewest fragments, as
  /// far as the instruction's shape divides it.
  bool lanesAlongN = false;
  /// N holds C's index of stride one (else M): accesses of C go along it.
  bool storesAlongN = false;
  Instruction instruction = Instruction::FMA;
  /// Consecutive positions of one thread along M and along N.
  int64_t groupM = 1, groupN = 1;
  /// Consecutive values of k for which a thread holds fragments at once: with
  /// FMA all threads the same, with matrix instructions each lane along the
  /// columns its own, of which an instruction may take several.
  int64_t laneDepth = 1;
  /// Of columns of matrix instructions: neighbouring positions that a lane
  /// loads at once, one for each of so many instructions.
  int64_t laneColumns = 1;
  /// Elements of C that one global access moves, along the side that holds its
  /// index of stride one.
  int64_t widthC = 1;
  TiledCopy a, b;
  /// Pairs of shared tiles in shared memory: the schedule's stages, as far as
  /// there are K tiles for them.
  int64_t buffers = 1;
  /// Steps of a block's K loop, or of its three with `threeProducts`.
  int64_t steps = 1;
  GridMapping mapping;
  /// Extents and strides are arguments of the kernel; figures here that depend
  /// on extents are those of the representative ones.
  bool hasDynamicShape = false;
  /// Blocks of the grid along M and N, and in all.
  int64_t gridM = 1, gridN = 1;
  int64_t blocks = 1;
  /// Shared memory of one block, in bytes.
  int64_t sharedBytes = 0;
  /// Bytes of it in which a block adds up what its threads have of a reduced
  /// output, in place of the shared tiles; zero if C is stored.
  int64_t reductionBytes = 0;
  /// The offset of B's shared tile in a pair, and the size of a pair, both in
  /// bytes. A's shared tile begins at zero.
  int64_t tileBOffsetBytes = 0;
  int64_t bufferBytes = 0;
  /// An upper estimate of 32-bit registers that one thread needs: its
  /// accumulators, its fragments of both shared tiles and what it loads of the
  /// next, elements in flight between global and shared memory (none where
  /// copies do without registers) with a 64-bit address for each access (and a
  /// part of one where accesses don't differ by constants), and
  /// `GpuRegisterCosts::base`.
  int64_t registers = 0;

  /// Any of the inputs is in registers on its way to shared memory.
  bool copiesPassRegisters() const {
    return a.passesRegisters() || b.passesRegisters();
  }
  const MultiplyAtom &atom() const { return atomOf(instruction); }
  /// Products go by instructions of several threads.
  bool isCollective() const { return atom().isCollective(); }
  /// The rows of matrix instructions are along M.
  bool rowsAlongM() const { return lanesAlongN; }
  /// Fragments are loaded by `ldmatrix`.
  bool loadsMatrices() const {
    return isCollective() && byteWidth(a.elementType) == 2;
  }
  /// Factors that share a register of matrix instructions, neighbours along K.
  int64_t factorsPerRegister() const {
    return std::max<int64_t>(1, 4 / byteWidth(a.elementType));
  }
  /// Returns true if a side (N or M) has the columns of matrix instructions.
  bool hasColumns(bool ofN) const {
    return isCollective() && rowsAlongM() == ofN;
  }
  /// Returns true if neighbouring threads along a side own each other's
  /// accumulators in every other group, for loads would conflict in banks
  /// otherwise.
  bool swapsPlaces(bool ofN) const {
    return laneColumns > 1 && hasColumns(ofN);
  }
  /// Values of k that a step of the product takes.
  int64_t stepDepth() const {
    return std::max(atom().lanes.columns * laneDepth, atom().shape.depth);
  }
  /// Of these, the number for which a thread holds fragments.
  int64_t stepDepthOfThread() const {
    return stepDepth() / atom().lanes.columns;
  }
};

/// A thread's place among those of its block along M and along N.
struct ThreadPosition {
  int64_t m = 0, n = 0;
};
/// Consecutive numbers go along the side of the lanes first; with matrix
/// instructions, within a warp and then from warp to warp.
ThreadPosition positionOf(const KernelLayout &layout, int64_t thread);

/// The first position along N or M of which a lane of the first warp loads
/// fragments for a matrix instruction.
int64_t fragmentPosition(const KernelLayout &layout, bool ofN, int64_t lane);

/// The place along N or M that the thread of place `place` takes in a round of
/// groups; see `swapsPlaces`.
inline int64_t placeInRound(const KernelLayout &layout, bool ofN, int64_t round,
                            int64_t place) {
  return layout.swapsPlaces(ofN) ? place ^ (round & 1) : place;
}

/// Instructions by which a warp multiplies so many values of k of its parts of
/// both shared tiles; of factors in two parts, by each product of parts.
int64_t productInstructions(const KernelLayout &layout, int64_t depth);

/// Returns true if products for values of k beyond the tensors have to be left
/// out, since no fill of the shared tiles makes them change no sum.
bool masksProducts(const Contraction &contraction, const KernelLayout &layout);

/// Most blocks of a grid, and most steps of the K loop: what fits in the
/// grid's x dimension and in a signed 32-bit counter.
inline constexpr int64_t maxBlocks = 2147483647, maxSteps = 2147483647;

/// Registers that a multiprocessor must have for a block of that many threads
/// to be launched, each of which needs `registers`. The check takes it that
/// warps come in multiples of the partitions, which have their own registers.
int64_t allocatedRegisters(int64_t registers, int64_t threads,
                           const Target &target);

/// Blocks of that kind that the registers of a multiprocessor have room for at
/// once. Warps of several blocks do share the partitions out between them.
int64_t blocksByRegisters(int64_t registers, int64_t threads,
                          const Target &target);

/// Works out the layout. Fails, naming the constraint, the index or resource,
/// the wanted and the allowed figure, if the schedule cannot be obeyed: a list
/// that does not name exactly the indices of its role, a tile below one or
/// beyond the least power of two that covers the extent, register tiles that do
/// not divide the block's, an instruction that the target lacks or whose shape
/// does not divide the block, too many threads, registers, bytes of shared
/// memory or blocks.
Result<KernelLayout> layOut(const Contraction &contraction,
                            const Schedule &schedule, const Target &target);

/// The same for tiles that are known to fit.
Result<KernelLayout> layOut(const Contraction &contraction,
                            const BlockTile &tile, const Target &target);

/// The part of a layout that only depends on the block's size: threads,
/// register tiles, the side of the lanes as C has it, and registers as for a
/// single access of one element for each operand, on whichever side the lanes
/// take fewer. Groups are the longest that shared tiles allow.
Result<KernelLayout> mapThreads(const Contraction &contraction, int64_t blockM,
                                int64_t blockN, int64_t registerM,
                                int64_t registerN, Instruction instruction,
                                const Target &target);

/// Gives a layout another number of stages. Fails like `layOut`.
Status setStages(KernelLayout &layout, int64_t stages, const Target &target);

/// Gives a plainly mapped layout a mapping of tiles to blocks, and a number of
/// stages. Fails like `layOut`.
Status setMapping(const Contraction &contraction, KernelLayout &layout,
                  const GridMapping &mapping, int64_t stages,
                  const Target &target);

/// Returns true if the accesses of one thread, which lie `tiledCopy.threads`
/// apart in the order of the tiled copy, differ by distances that are the same
/// for all threads. They do if stepping by so many moves one digit of the mixed
/// radix alone.
bool stepsAreUniform(const TiledCopy &tiledCopy);

/// The dimensions that the number of a tile of C runs over in mixed radix
/// (their `tiles()`), fastest first: M from its last dimension to its first,
/// then N and then the batch likewise.
std::vector<TileDim> gridOrder(const KernelLayout &layout);

/// The tiles that cover a list of dimensions; saturates.
int64_t tileCount(const std::vector<TileDim> &dims);

/// The blocks of the grid, to place them by.
BlockGrid blockGridOf(const KernelLayout &layout);

/// The numbers of the tiles of C that a block works on, in that order.
std::vector<int64_t> tilesOfBlock(const KernelLayout &layout, int64_t block);

} // namespace tc::model

#endif // TC_GPU_LAYOUT_KERNELLAYOUT_H
