//===- ScheduleFields.h - Fields of schedules, by name ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_GPU_LAYOUT_SCHEDULEFIELDS_H
#define TC_GPU_LAYOUT_SCHEDULEFIELDS_H

#include "tc/Gpu/Layout/Schedule.h"
#include "tc/Support/Record.h"

namespace tc::model {

constexpr auto fieldsOf(const TileExtent *) {
  return std::make_tuple(field("index", &TileExtent::label),
                         field("extent", &TileExtent::extent));
}

constexpr auto fieldsOf(const GridMapping *) {
  return std::make_tuple(field("raster_m", &GridMapping::rasterM).atLeast(0),
                         field("stationary", &GridMapping::stationary),
                         field("tiles_per_block", &GridMapping::tilesPerBlock)
                             .atLeast(1)
                             .formerly("walk"),
                         field("split_k", &GridMapping::splitK).atLeast(1));
}

} // namespace tc::model

#endif // TC_GPU_LAYOUT_SCHEDULEFIELDS_H
