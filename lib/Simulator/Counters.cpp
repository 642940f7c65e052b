//===- Counters.cpp - What a run counted ----------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Adding up counters.
//
//===----------------------------------------------------------------------===//

#include "tc/Simulator/Simulator.h"

#include <algorithm>

using namespace tc::sim;

const char *tc::sim::getName(InstructionKind kind) {
  static constexpr const char *names[numInstructionKinds] = {
      "fma.f32",   "fma.f64",   "fma.f16",   "mma.f64",   "mma.tf32",
      "mma.f16",   "mma.f8",    "mma.i8",    "float",     "integer",
      "ld.global", "st.global", "ld.shared", "st.shared", "ldmatrix",
      "stmatrix",  "cp.async",  "atomic",    "barrier",   "branch",
      "other"};
  return names[static_cast<std::size_t>(kind)];
}

BufferTraffic &BufferTraffic::operator+=(const BufferTraffic &other) {
  loadBytes += other.loadBytes;
  storeBytes += other.storeBytes;
  loadSectors += other.loadSectors;
  storeSectors += other.storeSectors;
  return *this;
}

SharedTraffic &SharedTraffic::operator+=(const SharedTraffic &other) {
  loadBytes += other.loadBytes;
  storeBytes += other.storeBytes;
  loadWavefronts += other.loadWavefronts;
  storeWavefronts += other.storeWavefronts;
  idealLoadWavefronts += other.idealLoadWavefronts;
  idealStoreWavefronts += other.idealStoreWavefronts;
  return *this;
}

AccessCounts &AccessCounts::operator+=(const AccessCounts &other) {
  globalBytes += other.globalBytes;
  sectors += other.sectors;
  sharedBytes += other.sharedBytes;
  wavefronts += other.wavefronts;
  idealWavefronts += other.idealWavefronts;
  return *this;
}

AccessCounts &AccessCounts::operator-=(const AccessCounts &other) {
  globalBytes -= other.globalBytes;
  sectors -= other.sectors;
  sharedBytes -= other.sharedBytes;
  wavefronts -= other.wavefronts;
  idealWavefronts -= other.idealWavefronts;
  return *this;
}

AsyncTraffic &AsyncTraffic::operator+=(const AsyncTraffic &other) {
  bytes += other.bytes;
  groups += other.groups;
  mostGroups = std::max(mostGroups, other.mostGroups);
  mostBytes = std::max(mostBytes, other.mostBytes);
  return *this;
}

Counters &Counters::operator+=(const Counters &other) {
  threadInstructions += other.threadInstructions;
  warpInstructions += other.warpInstructions;
  for (std::size_t i = 0; i < numInstructionKinds; ++i)
    warpInstructionsByKind[i] += other.warpInstructionsByKind[i];
  fmaF32 += other.fmaF32;
  fmaF64 += other.fmaF64;
  fmaF16 += other.fmaF16;
  mmaF64 += other.mmaF64;
  mmaTF32 += other.mmaTF32;
  mmaF16 += other.mmaF16;
  mmaF8 += other.mmaF8;
  mmaI8 += other.mmaI8;
  if (buffers.size() < other.buffers.size())
    buffers.resize(other.buffers.size());
  for (std::size_t i = 0; i < other.buffers.size(); ++i)
    buffers[i] += other.buffers[i];
  shared += other.shared;
  async += other.async;
  barriers += other.barriers;
  blocks += other.blocks;
  if (profile && other.profile)
    *profile += *other.profile;
  else if (other.profile)
    profile = other.profile;
  return *this;
}
