//===- Simulator.h - Running PTX kernels on the host ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A functional simulator of the subset of PTX that the compiler emits. It runs
// kernels on any machine, stops at the first thing that is not allowed, and
// counts the data that the code moves. It uses neither LLVM nor MLIR nor CUDA.
// docs/simulator.md lists the instructions, the checks and the limits.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SIMULATOR_SIMULATOR_H
#define TC_SIMULATOR_SIMULATOR_H

#include "tc/Support/Result.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tc::sim {

/// A piece of the caller's memory that kernels see as global memory. Buffers
/// lie at simulated addresses, far enough from each other that running over
/// the end of one never reaches the next.
struct GlobalBuffer {
  std::string name; ///< for messages
  std::byte *data = nullptr;
  std::size_t size = 0; ///< in bytes
  bool writable = true;
  /// Bytes, less than 512, by which the address is off a multiple of 512.
  std::size_t misalignment = 0;
  /// True if its contents mean nothing: reading a byte that the launch has not
  /// written is an error, if Detectors::uninitialized is on.
  bool isUninitialized = false;
  /// So many bytes at its beginning mean something nevertheless.
  std::size_t initializedBytes = 0;
  /// No byte may be written twice, if Detectors::rewrites is on.
  bool isWrittenOnce = false;
  /// A launch of all blocks must write every byte, if Detectors::unwritten is
  /// on.
  bool mustBeWritten = false;
};

/// The argument of a kernel for one parameter: an address inside a buffer, the
/// bytes of a scalar, or those of a structure with addresses in it.
class KernelArgument {
public:
  /// The simulated address of byte `byteOffset` of buffer number `buffer`.
  static KernelArgument address(std::size_t buffer,
                                std::uint64_t byteOffset = 0) {
    KernelArgument argument;
    argument.isAddressOfBuffer = true;
    argument.bufferNumber = buffer;
    argument.offset = byteOffset;
    return argument;
  }
  /// A value of a trivially copyable type that is as large as the parameter.
  template <typename T> static KernelArgument scalar(const T &value) {
    return bytes(&value, sizeof(T));
  }
  static KernelArgument bytes(const void *data, std::size_t size) {
    KernelArgument argument;
    argument.value.resize(size);
    std::memcpy(argument.value.data(), data, size);
    return argument;
  }

  /// The simulated address of a byte of a buffer, at a place of a structure.
  struct Member {
    std::size_t place, buffer;
    std::uint64_t byteOffset;
  };
  /// Puts an address over 8 of the bytes.
  void setAddress(std::size_t place, std::size_t buffer,
                  std::uint64_t byteOffset = 0) {
    members.push_back({place, buffer, byteOffset});
  }

  bool isAddress() const { return isAddressOfBuffer; }
  std::size_t buffer() const { return bufferNumber; }
  std::uint64_t byteOffset() const { return offset; }
  const std::vector<std::byte> &scalarBytes() const { return value; }
  const std::vector<Member> &addresses() const { return members; }

private:
  KernelArgument() = default;

  bool isAddressOfBuffer = false;
  std::size_t bufferNumber = 0;
  std::uint64_t offset = 0;
  std::vector<std::byte> value;
  std::vector<Member> members;
};

/// The errors that a launch watches for beyond accesses that no memory allows.
/// A detector that is off costs nothing.
struct Detectors {
  /// Reads of registers, of shared memory and of uninitialized buffers that
  /// nothing has written.
  bool uninitialized = true;
  /// Threads of a block that touch a byte of shared memory, one of them
  /// writing, without a barrier between them.
  bool sharedRaces = true;
  /// Blocks that touch a byte of global memory, one of them writing; threads of
  /// a block that do so without a barrier between them.
  bool globalRaces = true;
  /// Bytes written twice of buffers that are to be written once.
  bool rewrites = true;
  /// Bytes that a launch of all blocks has not written, of buffers that must
  /// be.
  bool unwritten = true;

  static Detectors none() { return {false, false, false, false, false}; }
  /// Reads "all", "none", or names separated by commas: "uninitialized",
  /// "shared-races", "global-races", "rewrites", "unwritten".
  static Result<Detectors> parse(std::string_view list);
};

/// The contents of a `.global` or `.const` variable of the module before a
/// launch, from its first byte on, in place of the initial value in the PTX.
struct VariableContents {
  std::string name;
  /// Bytes, and addresses in them.
  KernelArgument contents;
};

struct LaunchConfig {
  std::array<std::uint32_t, 3> grid = {1, 1, 1};
  std::array<std::uint32_t, 3> block = {1, 1, 1};
  std::uint64_t dynamicSharedBytes = 0;
  /// Linear numbers (x fastest) of the blocks to run; empty means all.
  std::vector<std::uint64_t> blocks;
  /// Host threads; 0 means one a core. Counters, and the results of kernels
  /// whose blocks don't race, are the same for any number.
  unsigned workers = 0;
  /// Instructions that any one warp may issue before the run counts as hung.
  std::uint64_t instructionLimit = std::uint64_t(1) << 32;
  /// Seconds of the host's processor that any one block may take before the run
  /// counts as hung.
  double secondsPerBlock = 20;
  Detectors detectors;
  std::vector<VariableContents> variables;
  /// Also count by instruction and by loop: Counters::profile.
  bool profile = false;
  /// If given, is called after each block with the numbers of those that have
  /// run and that are to run, by one of the launch's threads at a time.
  std::function<void(std::uint64_t done, std::uint64_t blocks)> progress;
};

/// The classes that warp-instructions are counted by. Loads and stores through
/// generic addresses, of parameters and of constants count as `Other`.
enum class InstructionKind {
  FmaF32,
  FmaF64,
  FmaF16, ///< of f16 and of bf16
  MmaF64,
  MmaTF32,
  MmaF16, ///< of f16 and of bf16
  MmaF8,  ///< of e4m3 and e5m2
  MmaI8,  ///< of s8 and u8
  OtherFloat,
  Integer,
  LoadGlobal,
  StoreGlobal,
  LoadShared,
  StoreShared,
  LoadMatrix,  ///< `ldmatrix`
  StoreMatrix, ///< `stmatrix`
  CopyAsync,   ///< asynchronous copies, not what commits or waits for them
  Atomic,
  Barrier,
  Branch,
  Other,
};
inline constexpr std::size_t numInstructionKinds =
    static_cast<std::size_t>(InstructionKind::Other) + 1;

/// The name of a kind as reports print it, as in "fma.f64".
const char *getName(InstructionKind kind);

/// The traffic of a kernel between one global buffer and its threads.
struct BufferTraffic {
  /// Bytes that threads asked for.
  std::uint64_t loadBytes = 0, storeBytes = 0;
  /// 32-byte sectors: those that are distinct within each warp-instruction.
  std::uint64_t loadSectors = 0, storeSectors = 0;

  BufferTraffic &operator+=(const BufferTraffic &other);
};

/// The traffic of a kernel between shared memory and its threads. A wavefront
/// serves at most one 4-byte word a bank, of 32 banks; the ideal is the number
/// that the same accesses would take if no two words met in a bank.
struct SharedTraffic {
  std::uint64_t loadBytes = 0, storeBytes = 0;
  std::uint64_t loadWavefronts = 0, storeWavefronts = 0;
  std::uint64_t idealLoadWavefronts = 0, idealStoreWavefronts = 0;

  SharedTraffic &operator+=(const SharedTraffic &other);
};

using KindCounts = std::array<std::uint64_t, numInstructionKinds>;

/// The traffic of one instruction's accesses: 32-byte sectors and wavefronts as
/// in BufferTraffic and SharedTraffic.
struct AccessCounts {
  std::uint64_t globalBytes = 0, sectors = 0;
  std::uint64_t sharedBytes = 0, wavefronts = 0, idealWavefronts = 0;

  std::uint64_t conflicts() const { return wavefronts - idealWavefronts; }
  AccessCounts &operator+=(const AccessCounts &other);
  AccessCounts &operator-=(const AccessCounts &other);
};

/// Stands for the loop of an instruction, or of a loop, that is in none.
inline constexpr std::uint32_t noLoop = 0xffffffffu;

/// A place in the source that PTX was made from, as its `.loc` directives say.
struct SourceLocation {
  std::string file; ///< empty if nothing is said
  std::uint32_t line = 0, column = 0;
};

/// The counters of one PTX instruction in a launch.
struct InstructionProfile {
  std::uint32_t line = 0; ///< of the PTX
  std::string text;       ///< on one line, without guard and semicolon
  /// Place in the source: of a function that was inlined, the place in that.
  SourceLocation location;
  InstructionKind kind = InstructionKind::Other;
  /// The innermost loop around it, as a number in Profile::loops.
  std::uint32_t loop = noLoop;
  /// Times that warps issued it, and the threads, summed over those times, in
  /// which its guard held.
  std::uint64_t warpInstructions = 0, threadInstructions = 0;
  AccessCounts accesses;
};

/// A natural loop of the control-flow graph: all that reaches a jump back to
/// its header without passing through the header. Cycles that can be entered
/// elsewhere than at one header are no natural loops.
struct LoopProfile {
  /// The first instruction of the header, in Profile::instructions.
  std::uint32_t header = 0;
  /// The loop around it, as a number in Profile::loops, and how many there are,
  /// itself included.
  std::uint32_t parent = noLoop;
  std::uint32_t depth = 1;
  /// Times that warps entered the header, from outside or around.
  std::uint64_t trips = 0;
  // Of the instructions that are in this loop and in no inner one: how many
  // there are in the PTX, and how often warps issued them.
  std::uint32_t instructions = 0;
  std::uint64_t warpInstructions = 0;
  KindCounts warpInstructionsByKind = {};

  std::uint64_t operator[](InstructionKind kind) const {
    return warpInstructionsByKind[static_cast<std::size_t>(kind)];
  }
  /// The average number of instructions of a kind that one trip issues.
  double perTrip(InstructionKind kind) const {
    return trips == 0 ? 0
                      : static_cast<double>((*this)[kind]) /
                            static_cast<double>(trips);
  }
};

/// A launch by instruction and by loop.
struct Profile {
  /// In the order of the PTX; the last is the return that the end of the body
  /// implies.
  std::vector<InstructionProfile> instructions;
  /// In the order of their headers.
  std::vector<LoopProfile> loops;

  /// The loop whose own instructions were issued most often, or null if no loop
  /// was entered.
  const LoopProfile *mainLoop() const;
  /// Adds the profile of another launch of the same kernel.
  Profile &operator+=(const Profile &other);
};

/// The asynchronous copies under way. A group holds the copies that all threads
/// of a block have committed as their n-th group that holds any.
struct AsyncTraffic {
  std::uint64_t bytes = 0;  ///< that copies write
  std::uint64_t groups = 0; ///< summed over blocks
  /// The most groups that a thread had committed and not waited for.
  std::uint64_t maxGroups = 0;
  /// The most bytes that the warps of one block had issued and not waited for,
  /// each at its time.
  std::uint64_t maxBytes = 0;

  AsyncTraffic &operator+=(const AsyncTraffic &other);
};

struct Counters {
  /// Instructions summed over the threads that executed them: active, and with
  /// a guard that holds.
  std::uint64_t threadInstructions = 0;
  /// Instructions that warps issued, whether or not a thread's guard held.
  std::uint64_t warpInstructions = 0;
  KindCounts warpInstructionsByKind = {};
  /// Fused multiply-adds summed over threads.
  std::uint64_t fmaF32 = 0, fmaF64 = 0, fmaF16 = 0;
  /// Multiply-adds of `mma`, as InstructionKind has them: M * N * K each.
  std::uint64_t mmaF64 = 0, mmaTF32 = 0, mmaF16 = 0, mmaF8 = 0, mmaI8 = 0;
  /// One entry for each buffer of the launch, in its order.
  std::vector<BufferTraffic> buffers;
  SharedTraffic shared;
  AsyncTraffic async;
  /// Times that the threads of a block met at a barrier.
  std::uint64_t barriers = 0;
  std::uint64_t blocks = 0;
  /// If LaunchConfig::profile asked for it.
  std::optional<Profile> profile;

  std::uint64_t operator[](InstructionKind kind) const {
    return warpInstructionsByKind[static_cast<std::size_t>(kind)];
  }
  Counters &operator+=(const Counters &other);
};

struct ParameterInfo {
  std::string name;
  std::uint64_t size = 0; ///< in bytes
  std::uint64_t alignment = 1;
  /// The alignment that `.ptr .align` promises of the address that is passed;
  /// else 1.
  std::uint64_t pointerAlignment = 1;
};

struct EntryInfo {
  std::string name;
  std::vector<ParameterInfo> parameters;
  /// `.maxntid` and `.reqntid`; dimensions that the directive leaves out are 1.
  std::optional<std::array<std::uint32_t, 3>> maxThreads, requiredThreads;
  std::uint64_t staticSharedBytes = 0;
};

struct ModuleImpl;

/// A PTX module that has been checked and decoded. Copies share it.
class Module {
public:
  /// Parses PTX text. `fileName` is for messages, all of which begin with
  /// "FILE:LINE: ".
  static Result<Module> parse(std::string_view text, std::string_view fileName);

  const std::vector<EntryInfo> &entries() const;
  /// The entry of that name, or null.
  const EntryInfo *findEntry(std::string_view name) const;
  /// Major and minor number of `.version`.
  std::array<unsigned, 2> version() const;
  /// The architecture of `.target`, as in "sm_90".
  const std::string &target() const;

  const ModuleImpl &impl() const { return *state; }

private:
  explicit Module(std::shared_ptr<const ModuleImpl> state)
      : state(std::move(state)) {}

  std::shared_ptr<const ModuleImpl> state;
};

/// Runs `entry` to its end and returns its counters, or the first error: of the
/// launch itself, or of the lowest-numbered block that did something that is
/// not allowed. After an error the contents of writable buffers are
/// unspecified.
Result<Counters> launch(const Module &module, std::string_view entry,
                        const LaunchConfig &config,
                        std::vector<GlobalBuffer> &buffers,
                        const std::vector<KernelArgument> &arguments);

} // namespace tc::sim

#endif // TC_SIMULATOR_SIMULATOR_H
