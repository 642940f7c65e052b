//===- MappingCandidates.h - Ways to map tiles to blocks --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_GPU_SEARCH_MAPPINGCANDIDATES_H
#define TC_LIB_GPU_SEARCH_MAPPINGCANDIDATES_H

#include "tc/Gpu/Cost/CostModel.h"

#include <vector>

namespace tc::model {

/// Mappings of a plainly mapped kernel's tiles with A or B stationary, where
/// one K tile spans K, fewest tiles first: numbers of tiles that fill the chip
/// a few times over, short ones, and the longest one. Where there are few, and
/// `all` are asked for, none is left out.
std::vector<GridMapping> persistentMappings(const KernelLayout &layout,
                                            Stationary stationary,
                                            const Occupancy &occupancy,
                                            const Target &target, bool all);

/// Mappings with shared sums: as many parts as fill every multiprocessor evenly
/// with blocks, up to what it holds at once. Where there are few, and `all` are
/// asked for, no number of parts is left out.
std::vector<GridMapping> sharingMappings(const KernelLayout &layout,
                                         const Occupancy &occupancy,
                                         const Target &target, bool all);

} // namespace tc::model

#endif // TC_LIB_GPU_SEARCH_MAPPINGCANDIDATES_H
