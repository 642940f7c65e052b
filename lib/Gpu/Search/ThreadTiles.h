//===- ThreadTiles.h - Register tiles of blocks -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_GPU_SEARCH_THREADTILES_H
#define TC_LIB_GPU_SEARCH_THREADTILES_H

#include "tc/Gpu/Search/SearchMemo.h"

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
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
                         : registerExtents(contraction, Role::N)) {}

  /// Those of a block of that size, fewest cycles first; none if no number of
  /// threads can share the block out.
  const std::vector<ThreadTile> &of(int64_t blockM, int64_t blockN);

private:
  void add(std::vector<ThreadTile> &tiles, int64_t blockM, int64_t blockN,
           int64_t registerM, int64_t registerN, Instruction instruction);

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
  /// The figures that the mapping depends on: instruction, register tile, and
  /// whether rows of matrix instructions may be along M and along N.
  using Key = std::array<int64_t, 5>;
  struct Hash {
    size_t operator()(const Key &key) const;
  };

  const Contraction &contraction;
  const Target &target;
  int64_t threads;
  std::vector<Instruction> instructions;
  std::vector<int64_t> extentsM, extentsN;
  /// By the block's M and N.
  std::map<std::pair<int64_t, int64_t>, std::vector<ThreadTile>> ofBlocks;
  std::unordered_map<Key, OfRegisterTile, Hash> known;
};

} // namespace tc::model

#endif // TC_LIB_GPU_SEARCH_THREADTILES_H
