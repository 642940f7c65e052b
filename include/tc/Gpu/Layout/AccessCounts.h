//===- AccessCounts.h - Memory accesses of a kernel's warps -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The memory accesses and multiply-adds of the kernel that the lowering makes
// of a layout, counted as the simulator counts them (docs/simulator.md): every
// instruction of a warp for itself, without a cache. Unlike `Traffic`, which
// has the distinct sectors of a tile, this depends on which thread accesses
// what. Blocks may be mapped to tiles in any way (GridMapping).
//
// Tensors are taken to start at a sector. A warp is `Target::warpSize` threads
// with consecutive numbers; its accesses to shared memory are served
// `Target::sharedBytesPerCycle` at a time. That and `Target::sectorBytes` are
// taken to be powers of two.
//
//===----------------------------------------------------------------------===//

#ifndef TC_GPU_LAYOUT_ACCESSCOUNTS_H
#define TC_GPU_LAYOUT_ACCESSCOUNTS_H

#include "tc/Gpu/Layout/KernelLayout.h"

#include <vector>

namespace tc::model {

/// Accesses of one kind to one tensor in global memory. An instruction whose
/// threads are all outside the tensor is jumped over and does not count.
/// Asynchronous copies are counted for themselves.
struct GlobalRequests {
  double instructions = 0; ///< of warps
  double sectors = 0;      ///< distinct within each instruction
  /// Cache lines that hold these, distinct likewise. Accesses that are counted
  /// once for many instructions are taken to lie in lines as the first of them
  /// does.
  double lines = 0;
  double bytes = 0; ///< asked for by threads

  /// Adds others, so many times.
  void addScaled(const GlobalRequests &other, double times);
  GlobalRequests &operator+=(const GlobalRequests &other);
};

/// Accesses of one kind to shared memory. A group of lanes that is served at a
/// time takes as many wavefronts as the most distinct words that any one bank
/// holds for it, ideally one.
struct SharedRequests {
  double instructions = 0; ///< of warps
  double bytes = 0;        ///< asked for by threads
  double wavefronts = 0, idealWavefronts = 0;

  /// Wavefronts that bank conflicts add.
  double conflicts() const { return wavefronts - idealWavefronts; }
  /// Adds others, so many times.
  void addScaled(const SharedRequests &other, double times);
  SharedRequests &operator+=(const SharedRequests &other);
};

/// The requests of a block to shared memory in one step of its K loop.
struct SharedStep {
  SharedRequests loads;  ///< of fragments of both shared tiles
  SharedRequests stores; ///< of both tiles into their shared tiles
  /// Instructions of warps that copy from global memory to shared tiles. They
  /// are none of `stores`, but what they write is.
  double asynchronousCopies = 0;
  /// Instructions of warps that load matrices. They are none of `loads`, but
  /// what they load is.
  double matrixLoads = 0;

  SharedStep &operator+=(const SharedStep &other);
};

/// The accesses and multiply-adds of some blocks of a kernel.
struct AccessCounts {
  double blocks = 0;
  /// Reads of A and of B, and of C if the kernel reads it.
  PerTensor<GlobalRequests> loads;
  /// Writes of C.
  GlobalRequests stores;
  /// Partial sums that blocks leave in the workspace, and that the last of them
  /// reads to add them up.
  GlobalRequests partStores, partLoads;
  /// Instructions of warps that count a block in: one thread's, of 4 bytes.
  double atomics = 0;
  SharedRequests sharedLoads, sharedStores;
  /// Multiply-adds of products, by warps and by threads. A kernel that reads C
  /// makes one more for each element that it stores unless beta is one.
  double fmaInstructions = 0, threadFmas = 0;
  /// Instructions of warps that copy from global to shared memory, whose bytes
  /// are among the loads' and the stores' to shared memory. One whose threads
  /// are all outside the tensor writes zeros and does count.
  double asynchronousCopies = 0;
  /// Instructions of warps that load matrices, whose bytes are among the loads'
  /// from shared memory.
  double matrixLoads = 0;
  /// Instructions of warps that multiply matrices.
  double matrixInstructions = 0;
  /// Barriers of the threads of a block, and instructions of warps for them.
  double barriers = 0, barrierInstructions = 0;

  AccessCounts &operator+=(const AccessCounts &other);
};

/// Counts the work of all blocks of the grid.
AccessCounts countAccesses(const Contraction &contraction,
                           const KernelLayout &layout, const Target &target);

/// Counts the work of the blocks of these distinct numbers, all below
/// `layout.blocks`, if they are the first to do anything: where all that share
/// a sum are among them, one adds it up.
AccessCounts countAccesses(const Contraction &contraction,
                           const KernelLayout &layout, const Target &target,
                           const std::vector<int64_t> &blocks);

/// Counts one step of the K loop of one block. The same for all steps and
/// blocks: elements outside the tensors are filled with zeros.
SharedStep countSharedStep(const Contraction &contraction,
                           const KernelLayout &layout, const Target &target);

/// The loads of fragments from the shared tile of A or of B (`ofN`).
SharedRequests countFragmentLoads(const KernelLayout &layout, bool ofN,
                                  const Target &target);

/// The stores of a tile into its shared tile.
SharedRequests countSharedTileStores(const Contraction &contraction,
                                     const TiledCopy &tiledCopy,
                                     const Target &target);

/// Counts the copy of one tile of A or B that lies inside the tensor and starts
/// `phase` elements into a sector.
GlobalRequests countTileLoads(const Contraction &contraction,
                              const KernelLayout &layout, Tensor tensor,
                              const Target &target, int64_t phase = 0);

/// Counts the stores of one tile of C likewise.
GlobalRequests countTileStores(const Contraction &contraction,
                               const KernelLayout &layout, const Target &target,
                               int64_t phase = 0);

} // namespace tc::model

#endif // TC_GPU_LAYOUT_ACCESSCOUNTS_H
