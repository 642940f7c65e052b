//===- MatrixInstructions.h - Machine code for mma.sync ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shape that PTX accepts is not one that the chip has: ptxas makes several
// smaller instructions of some, and conversions and products of another type of
// others. The table here has the results that were seen.
//
//===----------------------------------------------------------------------===//

#ifndef TC_MACHINE_MATRIXINSTRUCTIONS_H
#define TC_MACHINE_MATRIXINSTRUCTIONS_H

#include "tc/Machine/Features.h"
#include "tc/Machine/Target.h"

#include <optional>

namespace tc::model {

/// The types of factors that tensor cores multiply; sums have that of
/// `TensorCoreRates`.
enum class MatrixFactor : std::uint8_t { F64, TF32, BF16, F16, F8, I8 };
/// "f64", "tf32", ...
std::string_view stringify(MatrixFactor factor);

/// The product that one instruction of a warp computes: rows x depth by depth x
/// columns.
struct MatrixShape {
  int rows = 0, columns = 0, depth = 0;

  bool operator==(const MatrixShape &other) const {
    return rows == other.rows && columns == other.columns &&
           depth == other.depth;
  }
};

/// The lowering of `mma.sync`.
struct MatrixLowering {
  /// Matrix instructions of machine code, and the shape of each.
  int instructions = 1;
  MatrixShape shape;
  /// Instructions beside these: conversions of factors and additions of sums,
  /// and moves that fill a larger shape up.
  int others = 0;

  bool isNative() const { return instructions == 1 && others == 0; }
};

/// One line of the table.
struct MatrixLoweringRow {
  MatrixFactor factor;
  MatrixShape shape;
  CapabilityRange chips;
  MatrixLowering lowering;
};

/// All lines, those of one instruction one after the other.
const std::vector<MatrixLoweringRow> &matrixLowerings();

/// The machine code that ptxas makes of `mma.sync` of a shape; none where PTX
/// does not have it for the chip.
std::optional<MatrixLowering> loweringOf(MatrixFactor factor, MatrixShape shape,
                                         const Target &target);

/// Returns true if the chip has that instruction.
bool isNative(MatrixFactor factor, MatrixShape shape, const Target &target);

/// The compute capability from which PTX has it; none if no chip does.
std::optional<unsigned> leastCapability(MatrixFactor factor, MatrixShape shape);

} // namespace tc::model

#endif // TC_MACHINE_MATRIXINSTRUCTIONS_H
