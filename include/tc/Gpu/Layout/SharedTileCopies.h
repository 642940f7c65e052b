//===- SharedTileCopies.h - Copies to choose by fragments -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The length of a shared tile's rows is the least that keeps accesses out of
// each other's banks, found by trying. The order in which threads make the
// accesses of a copy is chosen with it.
//
//===----------------------------------------------------------------------===//

#ifndef TC_GPU_LAYOUT_SHAREDTILECOPIES_H
#define TC_GPU_LAYOUT_SHAREDTILECOPIES_H

#include "tc/Gpu/Layout/CopyThreads.h"
#include "tc/Gpu/Layout/WarpAccess.h"

#include <array>
#include <vector>

namespace tc::model {

/// The ways in which the threads of a block may copy a tile of A or of B
/// (`ofN`) to its shared tile: the same for all kernels with that tile, that
/// number of threads and that type of factors.
class SharedTileCopies {
public:
  /// Those of a kernel whose threads are mapped (`mapTile`).
  SharedTileCopies(const Contraction &contraction, const KernelLayout &layout,
                   bool ofN, const Target &target);

  /// The copy with rows that are not padded, and without `fragmentWidth`.
  const TiledCopy &unpadded() const { return plain.copy; }

  /// A copy with padded rows. Those of one `sharing` differ in nothing but
  /// `rowLength` and `fragmentWidth`.
  struct Padded {
    TiledCopy copy;
    size_t sharing;
  };
  /// The copy that takes the fewest wavefronts and instructions in a kernel
  /// whose fragments are arranged (`arrangeSharedTiles`). Of the layout, only
  /// the fragments of this side matter beside what all kernels here share.
  Padded pad(const Contraction &contraction, const KernelLayout &layout,
             const Target &target);

private:
  /// Paddings of a row that are tried.
  static constexpr size_t paddings = 8;

  /// Wavefronts of an access by the number of the padding, as far as counted;
  /// an access has one at the least.
  using Wavefronts = std::array<int64_t, paddings>;
  struct Loads {
    WarpAccess access;
    Wavefronts wavefronts = {};
  };
  struct Stores {
    int64_t ideal;
    Wavefronts wavefronts = {};
  };
  /// A copy, and ways to share it out that take fewer instructions, known once
  /// they are asked for.
  struct Ways {
    TiledCopy copy;
    bool areKnown = false;
    int64_t instructions = 0;
    CopySharings sharings;
    /// Of the copy as it is, then of each way.
    std::vector<Stores> stores;

    /// The copy, shared out in the way of that number (zero: as it is).
    TiledCopy copyOf(size_t way) const;
  };
  /// A way by its number, with rows of some length, and the wavefronts that it
  /// takes then.
  struct Choice {
    size_t way;
    int64_t rowLength, wavefronts;
  };
  /// The kernel that is padded for.
  struct Kernel {
    const Contraction &contraction;
    const Target &target;
    Loads loads;
  };

  void setCopy(Ways &ways, TiledCopy copy, const Target &target) const;
  /// Pads rows for the fewest wavefronts: `most`, and rows as they are, if
  /// there are not fewer.
  Choice padRows(Ways &ways, size_t way, int64_t most, Kernel &kernel) const;
  /// The choice, or another way with fewer instructions if that is less work.
  Choice bringTogether(Ways &ways, Choice best, Kernel &kernel) const;

  bool ofN;
  int64_t threads;
  Ways plain;
  /// With accesses of neighbouring lanes that lie together in the shared tile,
  /// unless that is more work otherwise.
  Ways runs;
  bool knowsRuns = false, hasRuns = false;
};

} // namespace tc::model

#endif // TC_GPU_LAYOUT_SHAREDTILECOPIES_H
