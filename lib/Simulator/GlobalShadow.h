//===- GlobalShadow.h - Accesses of all blocks to global memory -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Remembers for each granule of a buffer which blocks read and wrote it, to
// find races between blocks, reads of what nothing has written, and elements
// that are written twice.
//
// Blocks run at the same time, in an order that no one knows. So that reports
// do not depend on it, a granule keeps only what any order ends with: the least
// and the greatest access of each kind. Races are looked for when all blocks
// have run. Findings of a block about its own accesses count only if no race
// comes to light; for where there is none, a block that wrote a granule was its
// only writer, and knows of it.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_SIMULATOR_GLOBALSHADOW_H
#define TC_LIB_SIMULATOR_GLOBALSHADOW_H

#include "Execution.h"

#include <atomic>

namespace tc::sim {

/// The errors that a shadow watches for.
struct GlobalWatch {
  bool races = false; ///< between blocks
  bool uninitialized = false, rewrites = false, unwritten = false;
  /// Bytes at the region's beginning that need not be written to be read.
  std::uint64_t initializedBytes = 0;

  bool any() const { return races || uninitialized || rewrites || unwritten; }
};

/// The place where an error is reported, and its message.
struct GlobalError {
  GlobalAccess access;
  std::string message;
};

class GlobalShadow {
public:
  GlobalShadow(const Region &region, const Kernel &kernel, GlobalWatch watch,
               const std::array<std::uint32_t, 3> &gridShape,
               const std::array<std::uint32_t, 3> &blockShape);
  GlobalShadow(const GlobalShadow &) = delete;
  GlobalShadow &operator=(const GlobalShadow &) = delete;

  /// Takes note of an access that lies inside the region. May be called by
  /// several threads.
  void watch(Execution &execution, const MicroOp &op, const WarpAccess &access);

  /// After all blocks: the race at the lowest address.
  std::optional<GlobalError> findRace() const;
  /// After all blocks: bytes that should have been written and are not.
  std::optional<std::string> findUnwritten() const;
  GlobalError describeUninitialized(const GlobalFinding &finding) const;
  GlobalError describeChangedSource(const GlobalFinding &finding) const;
  GlobalError describeRewrite(const GlobalFinding &finding) const;

private:
  struct Cell {
    std::atomic<std::uint64_t> firstWriter{none64}, lastWriter{0};
    std::atomic<std::uint64_t> firstReader{none64}, lastReader{0};
    /// Written by an access that is made to meet others.
    std::atomic<bool> isWrittenStrongly{false};
  };
  /// The fields that only kernels with atomic operations need.
  struct AtomicCell {
    std::atomic<std::uint64_t> first{none64}, last{0};
    /// The last store of the block that wrote last: its count in AccessOrder,
    /// and its thread. Of several blocks any, but then there is a race.
    std::atomic<std::uint64_t> lastStore{0};
  };
  static constexpr std::uint64_t none64 = ~std::uint64_t(0);

  /// Cells that are made when they are first touched.
  template <typename T> class Pages {
  public:
    explicit Pages(std::uint64_t cells) : pages(cells / pageCells + 1) {}
    ~Pages() {
      for (std::atomic<Page *> &page : pages)
        delete page.load(std::memory_order_relaxed);
    }
    Pages(const Pages &) = delete;
    Pages &operator=(const Pages &) = delete;

    T &operator[](std::uint64_t index);
    /// Null if neither this cell nor one near it has been touched.
    const T *find(std::uint64_t index) const {
      const Page *page =
          pages[index / pageCells].load(std::memory_order_relaxed);
      return page == nullptr ? nullptr : &(*page)[index % pageCells];
    }

  private:
    // Small, because a block's tile of a tensor of many dimensions is many
    // short runs, far from each other.
    static constexpr std::uint64_t pageCells = 64;
    using Page = std::array<T, pageCells>;
    std::vector<std::atomic<Page *>> pages;
  };

  void load(Execution &execution, Cell &cell, std::uint64_t address,
            const GlobalAccess &now);
  void store(Execution &execution, Cell &cell, std::uint64_t address,
             const GlobalAccess &now);
  void operate(Execution &execution, const MicroOp &op, std::uint64_t index,
               const GlobalAccess &now);
  bool isOrdered(const Execution &execution, const Cell &cell,
                 std::uint64_t address, const GlobalAccess &now) const;
  void checkInitialized(Execution &execution, const Cell &cell,
                        std::uint64_t address, const GlobalAccess &now) const;
  GlobalError describeRace(std::uint64_t index, const GlobalAccess &one,
                           const GlobalAccess &other) const;
  /// "store of 8 bytes at address 0x10, byte 0 of buffer 'C',"
  std::string place(const GlobalAccess &access, std::uint64_t address) const;
  std::string author(const GlobalAccess &access) const;

  const Region &region;
  const Kernel &kernel;
  const GlobalWatch watched;
  const std::array<std::uint32_t, 3> gridShape, blockShape;
  const std::uint64_t granule;
  /// Of addresses, to numbers of granules.
  const unsigned shift;
  const std::uint64_t count; ///< of granules
  Pages<Cell> cells;
  Pages<AtomicCell> atomics;
};

/// Keeps the finding at the lowest address, of the first access there.
void keepFinding(std::optional<GlobalFinding> &kept,
                 const GlobalFinding &finding);

} // namespace tc::sim

#endif // TC_LIB_SIMULATOR_GLOBALSHADOW_H
