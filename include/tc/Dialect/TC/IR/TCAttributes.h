//===- TCAttributes.h - Attributes of the tc dialect ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TC_IR_TCATTRIBUTES_H
#define TC_DIALECT_TC_IR_TCATTRIBUTES_H

#include "tc/Cpu/CpuSchedule.h"
#include "tc/Gpu/Layout/Schedule.h"
#include "tc/Problem/Contraction.h"
#include "tc/Problem/Group.h"
#include "tc/Support/MLIR/LLVM.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/Hashing.h"

#include <optional>

namespace tc::model {
/// Let attributes be uniqued by the schedule that they hold.
llvm::hash_code hash_value(const Schedule &schedule);
llvm::hash_code hash_value(const CpuSchedule &schedule);
} // namespace tc::model

namespace tc {
/// The fields of a kernel (tc/Dialect/TC/IR/KernelFields.h).
struct KernelFields;
} // namespace tc

#include "tc/Dialect/TC/IR/TCEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tc/Dialect/TC/IR/TCAttributes.h.inc"

namespace tc {

/// Parses a schedule, with or without `#tc.schedule<` and `>` around it. Emits
/// a diagnostic and returns null if the text is none.
ScheduleAttr parseSchedule(StringRef text, MLIRContext *context);

/// The same for `#tc.cpu_schedule<` and `>`.
CpuScheduleAttr parseCpuSchedule(StringRef text, MLIRContext *context);

} // namespace tc

#endif // TC_DIALECT_TC_IR_TCATTRIBUTES_H
