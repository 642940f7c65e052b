//===- TuningKey.h - Keys of tuned schedules --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keys of the tuning database, and schedules under the names of indices that
// keys have: i0, i1 and so on, in the order of the contraction's indices.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TUNING_TUNINGKEY_H
#define TC_TUNING_TUNINGKEY_H

#include "tc/Cpu/CpuSchedule.h"
#include "tc/Gpu/Layout/Schedule.h"
#include "tc/Machine/Target.h"
#include "tc/Tuning/Evaluation.h"

namespace tc::tuning {

/// The properties that decide about schedules besides the normal form of a
/// contraction.
struct ContractionCode {
  /// Texts of the code that is fused into it, in a user-defined semiring also
  /// of its operations; auxiliary tensors have indices of C in brackets.
  std::string prologueA, prologueB, product, combine, epilogue;
  bool allowsThreeProducts = false;
};

/// The same contraction, its indices called as keys call them.
model::Contraction withCanonicalNames(model::Contraction contraction);

/// The key's text of a contraction, its complex numbers as they are, whatever
/// its indices are called. CPUs take tensors of any alignment alike.
std::string describeForGpu(const model::Contraction &contraction,
                           const ContractionCode &code);
std::string describeForCpu(model::Contraction contraction,
                           const ContractionCode &code);

/// The key's text of a machine. A CPU's has nothing that is measured of it: a
/// new calibration leaves it the same machine.
std::string describeMachine(const model::Target &target);
std::string describeMachine(const model::CpuTarget &target, int64_t threads);

/// A schedule of a contraction as one of another, which differs in the names of
/// indices only. Both have their complex numbers as they are. Fails if the
/// schedule names indices that there are not.
Result<model::Schedule> renameIndices(const model::Schedule &schedule,
                                      const model::Contraction &from,
                                      const model::Contraction &to);
Result<model::CpuSchedule> renameIndices(const model::CpuSchedule &schedule,
                                         const model::Contraction &from,
                                         const model::Contraction &to);

} // namespace tc::tuning

#endif // TC_TUNING_TUNINGKEY_H
