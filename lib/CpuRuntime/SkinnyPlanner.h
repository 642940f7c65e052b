//===- SkinnyPlanner.h - Choice of loops for skinny sums --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CPURUNTIME_SKINNYPLANNER_H
#define TC_LIB_CPURUNTIME_SKINNYPLANNER_H

#include "HostCore.h"
#include "Skinny.h"

#include <limits>
#include <optional>

namespace tc::cpu {

/// The bytes of a tile that waits in the first cache for further rows or
/// columns.
inline constexpr int64_t heldBytes = 2 * tileBytes;

/// The way of an operand's elements to a tile: those that are used where they
/// lie, side by side or apart, have none.
enum class SkinnyAccess { InPlace, Apart, Copied, Transposed, Strided, Table };
inline bool isBrought(SkinnyAccess access) {
  return access > SkinnyAccess::Apart;
}

/// Indices in their places, and what they take.
struct SkinnyWay {
  bool isExchanged = false, alongSums = true, usesTables = false;
  /// Places in the list of axes; those of `none` have one value.
  static constexpr size_t none = std::numeric_limits<size_t>::max();
  size_t vector = none, lines = none, rows = none, columns = none;
  std::array<SkinnyAccess, 2> access = {SkinnyAccess::InPlace,
                                        SkinnyAccess::InPlace};
  /// Elements of 16 bits are converted as they are loaded from where they lie.
  bool widens = false;
  /// Summed indices that vectors go along by tables: those along which elements
  /// are closest. Others make further tiles, of the same tables.
  std::vector<size_t> tableAxes;
  int64_t vectorBlock = 1, lineBlock = 1, rowBlock = 1, columnBlock = 1;
  /// Cycles of instructions, and those in which they wait for lines.
  double cycles = std::numeric_limits<double>::infinity(), waits = 0;
  double allCycles() const { return cycles + waits; }
};

/// Finds the way of a problem that is predicted to take least, and makes a plan
/// of it.
class SkinnyPlanner {
public:
  explicit SkinnyPlanner(const Problem &problem) : problem(problem) {}

  /// Takes the indices; false if there is nothing to compute.
  bool collect();
  /// Chooses a way; false if there is none.
  bool choose();
  /// The predicted time of one thread.
  double seconds() const;
  /// The time of loads alone, if each product takes one for a part of a vector:
  /// known before a way is.
  double leastSeconds() const;
  void fill(SkinnyPlan &plan, unsigned threads) const;

private:
  void consider(SkinnyWay way);
  size_t largest(bool (*isWanted)(const Axis &axis, model::Tensor first),
                 const SkinnyWay &way) const;
  SkinnyAccess accessOf(const SkinnyWay &way, size_t operand) const;
  bool isCloserAlongLines(const SkinnyWay &way, model::Tensor t) const;
  bool isScaled(const SkinnyWay &way) const;
  bool isUsedApart(const SkinnyWay &way, size_t operand) const;
  bool areAddedTogether(const SkinnyWay &way) const;
  void chooseBlocks(SkinnyWay &way) const;
  void chooseTableAxes(SkinnyWay &way) const;
  double cyclesOf(const SkinnyWay &way) const;
  double cyclesOfWaits(const SkinnyWay &way) const;
  double cyclesToBring(const SkinnyWay &way, size_t operand) const;
  double cyclesToStore(const SkinnyWay &way) const;
  double bytesMoved() const;
  double elementsOf(model::Tensor t) const;
  int64_t extentOf(size_t axis) const {
    return axis == SkinnyWay::none ? 1 : axes[axis].extent;
  }
  int64_t vectorCountOf(const SkinnyWay &way) const;
  /// The operand that is the first one of a way, or the second.
  static model::Tensor tensorOf(const SkinnyWay &way, size_t operand) {
    return (operand == 0) != way.isExchanged ? model::Tensor::A
                                             : model::Tensor::B;
  }
  bool isSummed(const Axis &axis) const {
    return axis.stride[model::Tensor::C] == 0;
  }

  const Problem &problem;
  const model::CpuCosts &costs = coreOfHost().costs;
  std::vector<Axis> axes;
  model::PerTensor<int64_t> offset = {};
  Product product = Product::Real;
  bool hasA = false, hasB = false;
  /// The kernels of operands that have one type of 16 bits.
  std::optional<SkinnyKernels> narrowKernels;
  int64_t parts = 1, lanes = 1;
  double products = 1;
  SkinnyWay best;
};

} // namespace tc::cpu

#endif // TC_LIB_CPURUNTIME_SKINNYPLANNER_H
