//===- KernelFields.h - The fields of #tc.kernel ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fields of #tc.kernel and the one list of them, from which its parser,
// printer, equality and hash follow (tc/Support/Record.h).
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TC_IR_KERNELFIELDS_H
#define TC_DIALECT_TC_IR_KERNELFIELDS_H

#include "tc/Dialect/TC/IR/TCAttributes.h"
#include "tc/Support/Record.h"

namespace tc {

struct KernelSemiring {
  model::Semiring kind = model::Semiring::PlusTimes;
  /// Of a user-defined one.
  mlir::TypedAttr identity;

  bool operator==(const KernelSemiring &other) const {
    return kind == other.kind && identity == other.identity;
  }
  friend llvm::hash_code hash_value(const KernelSemiring &semiring) {
    return llvm::hash_combine(semiring.kind, semiring.identity);
  }
};

/// The use of C by a kernel's epilogue, if there is one.
enum class KernelEpilogue { None, Write, ReadWrite };

/// The connection of two of the contractions, and the type of the elements
/// where these stay on the chip.
struct KernelEdge {
  model::GroupEdge edge;
  Type type;

  bool operator==(const KernelEdge &other) const {
    return edge == other.edge && type == other.type;
  }
  friend llvm::hash_code hash_value(const KernelEdge &each) {
    return llvm::hash_combine(keyOf(each.edge), each.type);
  }
};

/// See the attribute for what they mean.
struct KernelFields {
  IndexListAttr a, b, c;
  mlir::TypedAttr alpha, beta;
  model::Precision precision = model::Precision::IEEE;
  KernelSemiring semiring;
  /// Of a user-defined semiring: those of a product, and the padding of A and
  /// of B.
  std::optional<int64_t> operations;
  std::optional<std::pair<model::Fill, model::Fill>> padding;
  bool conjugateA = false, conjugateB = false;
  Type prologueA, prologueB;
  KernelEpilogue epilogue = KernelEpilogue::None;
  std::vector<IndexListAttr> auxiliaries;
  bool reduces = false;
  std::vector<int64_t> alignment;
  DynamicShapeAttr dynamicShape;
  ScheduleAttr schedule;
  std::vector<KernelEdge> edges;
  std::vector<KernelAttr> terms;
  mlir::DictionaryAttr expressions;

  bool operator==(const KernelFields &other) const;
};

llvm::hash_code hash_value(const KernelFields &fields);

/// In the order in which they are written.
constexpr auto fieldsOf(const KernelFields *) {
  using Kernel = KernelFields;
  return std::make_tuple(
      field("a", &Kernel::a), field("b", &Kernel::b), field("c", &Kernel::c),
      field("alpha", &Kernel::alpha).orAbsent(),
      field("beta", &Kernel::beta).orAbsent(),
      field("precision", &Kernel::precision).orAbsent(),
      field("semiring", &Kernel::semiring).orAbsent(),
      field("operations", &Kernel::operations).orAbsent(),
      field("padding", &Kernel::padding).orAbsent(),
      field("conjugate_a", &Kernel::conjugateA).orAbsent(),
      field("conjugate_b", &Kernel::conjugateB).orAbsent(),
      field("prologue_a", &Kernel::prologueA).orAbsent(),
      field("prologue_b", &Kernel::prologueB).orAbsent(),
      field("epilogue", &Kernel::epilogue).orAbsent(),
      field("auxiliaries", &Kernel::auxiliaries).orAbsent(),
      field("reduce", &Kernel::reduces).orAbsent(),
      field("alignment", &Kernel::alignment).orAbsent(),
      field("dynamic_shape", &Kernel::dynamicShape).orAbsent(),
      field("schedule", &Kernel::schedule),
      field("edges", &Kernel::edges).orAbsent(),
      field("terms", &Kernel::terms).orAbsent(),
      field("expressions", &Kernel::expressions).orAbsent());
}

} // namespace tc

#endif // TC_DIALECT_TC_IR_KERNELFIELDS_H
