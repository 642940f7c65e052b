//===- ThreadTiles.h - Register tiles of blocks -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_GPU_SEARCH_THREADTILES_H
#define TC_LIB_GPU_SEARCH_THREADTILES_H

#include "tc/Gpu/Search/SearchMemo.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace tc::model {

/// Threads of a block beyond which blocks only get harder to place.
inline constexpr int64_t maxThreads = 512;

/// Extents of register tiles along M or N that are looked at where they divide
/// the block: a few even ones; if an index there has an odd extent, also odd
/// ones that divide it.
std::vector<int64_t> registerExtents(const Contraction &contraction, Role role);

/// A contraction and the extents of its block along M and N.
struct BlockOfContraction {
  const Contraction *contraction;
  int64_t m, n;
};

/// The numbers of threads that some register tile of each of these blocks leads
/// to.
std::set<int64_t> commonThreadCounts(const std::vector<BlockOfContraction> &of);

/// The time of kernels for each of several contractions, one after the other
/// with a pause between two; `secondsOf` says what one takes. Fails if one has
/// no schedule. They are searched for in `memo`, if there is one.
Result<double> secondsOfSeparateKernels(
    const std::vector<const Contraction *> &contractions, const Target &target,
    SearchMemo *memo,
    const std::function<double(const Contraction &, const Candidate &)>
        &secondsOf);

/// A register tile and the least cycles per value of k of a block that uses it.
struct ThreadTile {
  int64_t m, n;
  Instruction instruction;
  double cyclesPerK;
  /// Of these, cycles of shared memory where matrix instructions multiply: most
  /// tiles then have as many cycles in all, those of the instructions.
  double sharedPerK;
};

/// The register tiles that are worth a look. Refers to what it is made of.
class ThreadTiles {
public:
  /// If `threads` is not zero, all have so many threads, and if `columns` is
  /// not, all have so many along N.
  ThreadTiles(const Contraction &contraction, const Target &target,
              int64_t threads = 0, int64_t columns = 0)
      : contraction(contraction), target(target), threads(threads),
        instructions(instructionsFor(contraction, target)),
        extentsM(registerExtents(contraction, Role::M)),
        extentsN(columns ? std::vector{columns}
                         : registerExtents(contraction, Role::N)),
        mostThreads(
            std::min(maxThreads, target.multiprocessor.threadsPerBlock)),
        known(instructions.size() * extentsM.size() * extentsN.size() * 4) {}

  /// Those of a block of that size, fewest cycles first; none if no number of
  /// threads can share the block out.
  const std::vector<ThreadTile> &of(int64_t blockM, int64_t blockN);

private:
  /// A register tile along M or N, by its number, and the threads of a block
  /// there.
  struct Part {
    size_t number;
    int64_t registerTile, threads;
  };
  static std::vector<Part> partsOf(int64_t block,
                                   const std::vector<int64_t> &extents);
  void add(std::vector<ThreadTile> &tiles, size_t instruction, const Part &m,
           const Part &n);

  /// The cycles of a register tile for one value of k, with so many threads;
  /// see `ThreadTile`.
  struct Cycles {
    int64_t threads;
    double perK, sharedPerK;
  };
  Cycles countCycles(const KernelLayout &mapped) const;
  /// Threads that have a register tile, mapped for one block: for others, only
  /// their number differs. None if they cannot be mapped.
  struct OfRegisterTile {
    std::optional<KernelLayout> mapped;
    std::vector<Cycles> cycles;
  };
  const Contraction &contraction;
  const Target &target;
  int64_t threads;
  std::vector<Instruction> instructions;
  std::vector<int64_t> extentsM, extentsN;
  int64_t mostThreads;
  /// By the block's M and N.
  std::map<std::pair<int64_t, int64_t>, std::vector<ThreadTile>> ofBlocks;
  /// By the numbers of the instruction and of the register tile along M and N,
  /// and by whether rows of matrix instructions may be along M and along N.
  std::vector<std::unique_ptr<OfRegisterTile>> known;
};

} // namespace tc::model

#endif // TC_LIB_GPU_SEARCH_THREADTILES_H
