//===- CasePackage.h - From a case to its code ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_BENCH_CASEPACKAGE_H
#define TC_LIB_BENCH_CASEPACKAGE_H

#include "tc/Bench/Results.h"
#include "tc/Bench/Suite.h"

namespace tc::bench {

/// The package of a case, checked against its code and against the contraction.
/// It has one kernel. A cubin is only loaded if there is one.
Result<runtime::LoadedPackage>
loadCasePackage(const Suite &suite, const Case &test,
                const runtime::Kernel &definition, runtime::CodeKind preferred);

} // namespace tc::bench

#endif // TC_LIB_BENCH_CASEPACKAGE_H
