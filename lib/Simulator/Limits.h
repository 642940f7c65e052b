//===- Limits.h - Limits of a module or a launch ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bounds that keep hostile or broken input from exhausting memory. All of them
// are far above what real kernels need; docs/simulator.md states them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_SIMULATOR_LIMITS_H
#define TC_LIB_SIMULATOR_LIMITS_H

#include <cstdint>

namespace tc::sim {

inline constexpr std::uint64_t maxModuleBytes = std::uint64_t(16) << 20;
inline constexpr std::uint64_t maxInstructions = std::uint64_t(1) << 19;
inline constexpr std::uint64_t maxOperands = 16;
inline constexpr std::uint64_t maxVectorElements = 8;
inline constexpr std::uint64_t maxScopeDepth = 32;
/// Characters of an instruction's name, with its modifiers, in messages.
inline constexpr std::uint64_t maxNameInMessage = 128;
/// Bytes of parameters of one entry; the hardware's limit since sm_70.
inline constexpr std::uint64_t maxParameterBytes = 32764;
/// Bytes of `.global` and `.const` variables of one module.
inline constexpr std::uint64_t maxVariableBytes = std::uint64_t(64) << 20;
/// Bytes of shared memory of one block; the most that any target offers.
inline constexpr std::uint64_t maxSharedBytes = 227 * 1024;
/// Bytes of simulated registers of the warps of one block, and of all blocks
/// that run at the same time.
inline constexpr std::uint64_t maxBlockRegisterBytes = std::uint64_t(256) << 20;
inline constexpr std::uint64_t maxRegisterBytes = std::uint64_t(1) << 30;
/// Basic blocks times registers that live across them, of one entry.
inline constexpr std::uint64_t maxLivenessBits = std::uint64_t(1) << 29;
/// Steps that an analysis of the control flow of one entry may take. Code that
/// a compiler emits takes a handful for each instruction.
inline constexpr std::uint64_t maxAnalysisSteps = std::uint64_t(1) << 28;
/// Asynchronous copies, each by one thread, of one block that have not been
/// waited for. Copies of 4 bytes to all of shared memory are fewer.
inline constexpr std::uint64_t maxPendingCopies = std::uint64_t(1) << 16;
/// Atomic operations, each by one thread, that a block puts off.
inline constexpr std::uint64_t maxPutOffAtomics = std::uint64_t(1) << 16;
inline constexpr unsigned maxWorkers = 256;
inline constexpr unsigned maxThreadsPerBlock = 1024;

} // namespace tc::sim

#endif // TC_LIB_SIMULATOR_LIMITS_H
