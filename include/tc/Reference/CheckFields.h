//===- CheckFields.h - Results of checks, by name ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_REFERENCE_CHECKFIELDS_H
#define TC_REFERENCE_CHECKFIELDS_H

#include "tc/Reference/Check.h"
#include "tc/Support/Record.h"

namespace tc::runtime {

constexpr auto fieldsOf(const CheckReport *) {
  using Record = CheckReport;
  return std::make_tuple(
      field("elements", &Record::owned), field("compared", &Record::compared),
      field("sums", &Record::sums).orAbsent(),
      field("relative_error", &Record::relativeError),
      field("tolerance", &Record::tolerance),
      field("largest_error", &Record::largestError),
      field("largest_error_tolerance", &Record::largestTolerance),
      field("largest_error_at", &Record::largestAt),
      field("not_written", &Record::unwritten),
      field("written_wrongly", &Record::stray),
      field("not_finite", &Record::nonFinite));
}

} // namespace tc::runtime

#endif // TC_REFERENCE_CHECKFIELDS_H
