//===- CostFields.h - Fields of costs, by name ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_GPU_COST_COSTFIELDS_H
#define TC_GPU_COST_COSTFIELDS_H

#include "tc/Gpu/Cost/CostModel.h"
#include "tc/Support/Record.h"

namespace tc::model {

constexpr auto fieldsOf(const Occupancy *) {
  return std::make_tuple(field("resident_blocks", &Occupancy::residentBlocks),
                         field("resident_warps", &Occupancy::residentWarps),
                         field("fraction", &Occupancy::fraction),
                         field("limited_by", &Occupancy::limitedBy),
                         field("waves", &Occupancy::waves));
}

} // namespace tc::model

#endif // TC_GPU_COST_COSTFIELDS_H
