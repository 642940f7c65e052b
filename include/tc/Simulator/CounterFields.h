//===- CounterFields.h - Fields of the counters, by name --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_SIMULATOR_COUNTERFIELDS_H
#define TC_SIMULATOR_COUNTERFIELDS_H

#include "tc/Simulator/Simulator.h"
#include "tc/Support/Record.h"

namespace tc::sim {

constexpr auto fieldsOf(const BufferTraffic *) {
  using Record = BufferTraffic;
  return std::make_tuple(field("load_bytes", &Record::loadBytes),
                         field("store_bytes", &Record::storeBytes),
                         field("load_sectors", &Record::loadSectors),
                         field("store_sectors", &Record::storeSectors));
}

constexpr auto fieldsOf(const SharedTraffic *) {
  using Record = SharedTraffic;
  return std::make_tuple(
      field("load_bytes", &Record::loadBytes),
      field("store_bytes", &Record::storeBytes),
      field("load_wavefronts", &Record::loadWavefronts),
      field("store_wavefronts", &Record::storeWavefronts),
      field("ideal_load_wavefronts", &Record::idealLoadWavefronts),
      field("ideal_store_wavefronts", &Record::idealStoreWavefronts));
}

constexpr auto fieldsOf(const AsyncTraffic *) {
  using Record = AsyncTraffic;
  return std::make_tuple(field("bytes", &Record::bytes),
                         field("groups", &Record::groups),
                         field("most_groups", &Record::maxGroups),
                         field("most_bytes", &Record::maxBytes));
}

constexpr auto fieldsOf(const AccessCounts *) {
  using Record = AccessCounts;
  return std::make_tuple(field("global_bytes", &Record::globalBytes),
                         field("sectors", &Record::sectors),
                         field("shared_bytes", &Record::sharedBytes),
                         field("wavefronts", &Record::wavefronts),
                         field("ideal_wavefronts", &Record::idealWavefronts));
}

constexpr auto fieldsOf(const Counters *) {
  using Record = Counters;
  return std::make_tuple(
      field("blocks", &Record::blocks),
      field("thread_instructions", &Record::threadInstructions),
      field("warp_instructions", &Record::warpInstructions),
      field("warp_instructions_by_kind", &Record::warpInstructionsByKind),
      field("fma_f32", &Record::fmaF32), field("fma_f64", &Record::fmaF64),
      field("fma_f16", &Record::fmaF16), field("mma_f64", &Record::mmaF64),
      field("mma_tf32", &Record::mmaTF32), field("mma_f16", &Record::mmaF16),
      field("mma_f8", &Record::mmaF8), field("mma_i8", &Record::mmaI8),
      field("barriers", &Record::barriers), field("tensors", &Record::buffers),
      field("shared", &Record::shared), field("async", &Record::async),
      field("profile", &Record::profile));
}

} // namespace tc::sim

#endif // TC_SIMULATOR_COUNTERFIELDS_H
