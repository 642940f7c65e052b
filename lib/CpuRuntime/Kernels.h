//===- Kernels.h - Functions of each instruction set ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions that are compiled once for each instruction set. Numbers of the
// type of sums are behind pointers to void, of which these functions know the
// type: those that call them need not.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CPURUNTIME_KERNELS_H
#define TC_LIB_CPURUNTIME_KERNELS_H

#include "tc/Machine/MicroKernels.h"
#include "tc/Problem/Contraction.h"

#include <optional>

namespace tc::cpu {

/// The real numbers in which products are summed; in panels, those before I8.
enum class Real : unsigned { F32, F64, I32, I64, I8 };
inline constexpr int64_t realBytes[] = {4, 8, 4, 8, 1};

/// The form of elements in panels.
enum class Packing : unsigned {
  /// Themselves, in the type of sums.
  Plain,
  /// Complex rows as two rows each, the number and then, for the next value of
  /// K, the number times i. Panels have twice the values of K.
  ComplexRows,
  /// Complex rows whose columns are real, as two rows each.
  PairRows,
  /// Complex columns: the real part, and for the next value of K the
  /// imaginary one.
  ComplexColumns,
};

/// The places of an operand's elements, along rows or columns and along K, as
/// offsets in elements; and for each, the number of elements from it on that
/// lie side by side.
struct PanelSource {
  const void *base;
  const int64_t *offsets;
  const int32_t *runs;
  int64_t count;
  const int64_t *sums;
  const int32_t *sumRuns;
  int64_t k;
  bool conjugates;
};

/// Fills a panel of that many rows or columns, for each value of K one behind
/// the other; those beyond the source's are zero.
using PackPanel = void (*)(const PanelSource &source, void *panel,
                           int64_t width);

enum class Store : unsigned {
  Set,    ///< C = alpha * sums
  Stream, ///< the same, past the caches
  Update, ///< C = alpha * sums + beta * C
};

/// Fills all panels of a block, of rows in groups of as many as a vector has
/// lanes, which are `stride` elements apart, and whose groups lie side by side.
using PackAcross = void (*)(const PanelSource &source, int64_t stride,
                            void *panels, int64_t width);

/// The store of a register tile, the rows of each of whose vectors lie side by
/// side in C.
struct TileStore {
  /// Sums to begin with, a column behind the other; null for zeros.
  const void *waiting;
  void *c;
  /// Offsets of vectors of rows and of columns, in real numbers.
  const int64_t *rows, *columns;
  const void *alpha, *beta;
  Store store;
};

/// Multiplies a panel of rows and one of columns.
using Multiply = void (*)(int64_t k, const void *rows, const void *columns,
                          const TileStore &store);

/// A register tile, in real numbers.
struct Kernel {
  int64_t rows, columns;
  Multiply multiply;
};

/// A tile of sums that goes to where elements of C lie, in elements of C.
struct TileFinish {
  const void *sums;
  /// Real numbers between columns of sums.
  int64_t width;
  void *c;
  const int64_t *rows;
  const int32_t *runs;
  int64_t rowCount;
  const int64_t *columns;
  int64_t columnCount;
  const void *alpha, *beta;
  /// True if C is read.
  bool reads;
};
using Finish = void (*)(const TileFinish &tile);

/// The product of two factors whose parts lie side by side.
enum class Product : unsigned {
  Real,
  /// Complex numbers times real ones that lie twice side by side.
  Paired,
  Complex,
};

/// Rows of A whose dot products with one column are computed together. Those
/// that are left over are added up in another order, and so a thread's rows are
/// multiples of them: no bit depends on where they begin.
inline constexpr int64_t dotRows = 4;
/// Columns, at most.
inline constexpr int64_t dotColumns = 4;

/// Dot products of rows of A and columns of B, which are lines of elements side
/// by side. Distances are in elements.
struct DotTile {
  /// Without B, which is null, rows are added up.
  const void *a, *b;
  int64_t count, lines, lineA, lineB;
  /// Distances of neighbours in a line; one but for complex numbers of 16
  /// bytes.
  int64_t stepA, stepB;
  /// Rows of A have rows of B of their own where these lie apart, and there is
  /// one column.
  int64_t rows, rowA, rowB;
  int64_t columns, columnB;
  /// Sums to which is added, a column behind the other, and what rounding has
  /// lost of them.
  void *totals, *lost;
  int64_t pitch;
  /// True if nothing else is added to these sums, so that they are set.
  bool isOnly;
  /// Of complex products only.
  bool conjugatesA, conjugatesB;
};

/// Lines of A that are added up, times a number each, or times the numbers of a
/// line of B. Distances are in elements.
struct AddTile {
  const void *a, *b;
  int64_t count, lines, lineA, lineB;
  /// False if all numbers are one.
  bool multiplies;
  bool scales;
  int64_t columns, columnB;
  /// Sums that are set, or to which is added, and elements between columns.
  void *sums;
  int64_t pitch;
  bool sets;
  /// True if sums have memory for whole vectors.
  bool isPadded;
  /// Of complex products only.
  bool conjugatesA, conjugatesB;
};

/// Real numbers that have been added up, those that are to be, and what
/// rounding has lost.
struct Totals {
  void *all, *lost;
  const void *sums;
  int64_t count;
};

/// Elements that are conjugated and then multiplied, if there is a factor.
struct ScaledTotals {
  void *all;
  int64_t count;
  bool conjugates;
  const void *factor;
};

/// The functions for sums of products whose factors are read once. Those of
/// complex numbers are null for integers.
struct SkinnyKernels {
  /// By the product.
  void (*dot[3])(const DotTile &tile);
  void (*addLines[3])(const AddTile &tile);
  /// Adds sums to all.
  void (*addToTotals)(const Totals &totals);
  /// Adds to all what was lost.
  void (*settle)(const Totals &totals);
  /// For real numbers and for complex ones.
  void (*scale[2])(const ScaledTotals &totals);
};

/// The most bytes of a tile that is brought to a buffer.
inline constexpr int64_t tileBytes = 8192;

/// A tile of an operand that is computed with element by element: distances in
/// elements between neighbours in a row, and between rows.
struct LoadedTile {
  const void *first;
  int64_t along, across;
  int64_t columns, rows;
  /// True if neighbours across rows are the closer ones.
  bool isTransposed;
  bool conjugates;
};
/// Makes numbers of the type of sums of it, a row behind the other.
using LoadTile = void (*)(const LoadedTile &tile, void *to);

/// Rows of D = alpha * A * B + beta * C in the type of sums, whose elements lie
/// side by side, and the distances between rows.
struct CombinedRows {
  int64_t columns, rows;
  /// Null: no B, and no C.
  const void *a, *b, *c;
  void *d;
  int64_t pitchOfA, pitchOfB, pitchOfC, pitchOfD;
  /// True if B has one number for all of a row.
  bool scalesByB;
  const void *alpha, *beta;
  /// True if D goes past the caches.
  bool streams;
  /// Tiles of as many rows, and the distances between them.
  int64_t tiles = 1;
  int64_t stepOfA = 0, stepOfB = 0, stepOfC = 0, stepOfD = 0;
};
using Combine = void (*)(const CombinedRows &rows);

/// Sums that go to where elements of D lie, a row behind the other.
struct StoredTile {
  const void *from;
  void *first;
  int64_t along, across;
  int64_t columns, rows;
};
using StoreTile = void (*)(const StoredTile &tile);

/// Moves so many elements to others, bit by bit, each by its offset in
/// elements.
using MoveByTables = void (*)(const void *from, const int64_t *offsetsFrom,
                              void *to, const int64_t *offsetsTo,
                              int64_t count);

/// The functions that move elements of a size bit by bit, and so without
/// factors.
struct Moves {
  LoadTile load;
  Combine combine;
  StoreTile store;
  MoveByTables byTables;
};

inline constexpr size_t kernelShapes = model::aheadOfTimeKernels;

/// The functions that multiply elements of 16 bits two by two: a step adds the
/// products of two values of K to sums of F32, and panels hold both as one
/// element.
struct PairKernels {
  std::array<Kernel, kernelShapes> kernels;
  PackPanel pack;
};

/// A register tile of C whose rows lie side by side in their operand and in C,
/// wherever the elements of columns lie. All distances are in bytes.
struct DirectTile {
  const void *rows, *columns;
  void *c;
  /// Real numbers of the last vector of rows, and those of them that the vector
  /// before has, too.
  int64_t lastRows, lastShared;
  int64_t columnStep, columnStepOfC;
  /// Values of K: those of an index, from each of some places on.
  struct Place {
    int64_t rows, columns;
  };
  int64_t terms, rowTerm, columnTerm;
  const Place *outer;
  int64_t outerTerms;
  const void *alpha, *beta;
  /// True if C is read, and if its lines are fetched ahead.
  bool reads, prefetches;
  /// Of complex numbers only.
  bool conjugatesRows, conjugatesColumns;
};
using MultiplyDirect = void (*)(const DirectTile &tile);

/// Tiles by their vectors of rows and columns, each less one, and the most
/// columns of each number of vectors.
struct DirectKernels {
  static constexpr int64_t mostVectors = 3, mostColumns = 16;
  MultiplyDirect multiply[mostVectors][mostColumns];
  int64_t columns[mostVectors];
  /// True if a part of a vector is loaded and stored as fast as a whole one.
  bool masks;
};

struct InstructionSet {
  model::CpuIsa isa;
  int64_t vectorBytes;
  /// By the type of sums, in the order of the table of micro-kernels.
  std::array<Kernel, kernelShapes> kernels[4];
  /// Null where there is none.
  PackPanel (*findPack)(model::ElementType type, Real sums, Packing packing);
  PackAcross (*findPackAcross)(Real sums);
  Finish (*findFinish)(model::ElementType type, Real sums, bool saturates);
  /// Those of operands that have the type of sums.
  SkinnyKernels (*findSkinny)(Real sums);
  /// Those of operands of 16 bits, which are summed as F32; none if vectors of
  /// them are not converted as they are loaded.
  std::optional<SkinnyKernels> (*findNarrowSkinny)(model::ElementType operands);
  /// Those of operands and C of the type of sums; null where there are none.
  const DirectKernels *(*findDirect)(Real sums, bool isComplex);
  LoadTile (*findLoad)(model::ElementType type, Real sums);
  Combine (*findCombine)(Real sums, bool isComplex);
  StoreTile (*findStore)(model::ElementType type, Real sums, bool saturates);
  Moves (*findMoves)(int64_t bytes);
  /// Those of BF16; null where there are none.
  const PairKernels *pairs;
};

/// The best that this machine has, or the one that TC_CPU_RUNTIME names, for
/// tests.
const InstructionSet &instructionSet();

} // namespace tc::cpu

#endif // TC_LIB_CPURUNTIME_KERNELS_H
