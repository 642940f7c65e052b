//===- Program.h - Decoded kernels ------------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The code that is executed: one micro-operation for each PTX instruction, with
// its operands resolved to places in the register file of a warp. The register
// file holds, for each register, the values of the 32 lanes side by side (a
// predicate is one 32-bit mask). Constants and special registers are registers
// that are filled before a warp starts.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_SIMULATOR_PROGRAM_H
#define TC_LIB_SIMULATOR_PROGRAM_H

#include "PTX.h"

#include <deque>
#include <map>
#include <set>

namespace tc::sim {

inline constexpr unsigned warpSize = 32;
inline constexpr std::uint32_t fullMask = 0xffffffffu;
/// Bytes of a row of a matrix that `ldmatrix` loads: 8 elements of 16 bits.
inline constexpr std::uint32_t matrixRowBytes = 16;
/// Marks an operand that a micro-operation does not have, and a branch whose
/// sides never meet again.
inline constexpr std::uint32_t none = 0xffffffffu;

/// The addresses in the generic address space where a block's shared memory and
/// where buffers begin. Shared memory itself is addressed from 0, parameters,
/// which generic addresses do not reach, from a window of their own.
inline constexpr std::uint64_t sharedWindow = std::uint64_t(1) << 32;
inline constexpr std::uint64_t parameterWindow = std::uint64_t(1) << 33;
inline constexpr std::uint64_t globalWindow = std::uint64_t(1) << 40;

enum class Opcode : std::uint16_t {
#define TC_SIM_OPCODE(NAME, CLASS, ...) NAME,
#include "Opcodes.def"
};

enum class OpClass : std::uint8_t {
  Lanes,   ///< writes `dst` lane by lane; the interpreter masks the write
  Masked,  ///< masks its own writes; cannot fail
  Memory,  ///< masks its own accesses; can fail
  Control, ///< the interpreter executes it
};

enum class NumberFormat : std::uint8_t {
  Integer,
  F16,
  BF16,
  E4M3,
  E5M2,
  TF32,
  F32,
  F64,
};

struct MicroOp {
  Opcode opcode = Opcode::Exit;
  OpClass opClass = OpClass::Control;
  std::uint8_t resultBytes = 0; ///< of a lane of `dst`
  /// Flags of comparisons: how to combine with predicate `c`. Of products of
  /// matrices: which factor is of the second of the opcode's two types. Atomic
  /// operations: an `AtomicFunction`.
  std::uint8_t combine = 0;

  /// Executes in lanes where the mask `guard`, xor `guardInvert`, is set.
  std::uint32_t guard = none, guardInvert = 0;

  // Operands: register numbers while decoding, then offsets in bytes.
  std::uint32_t dst = none, dst2 = none;
  std::uint32_t a = none, b = none, c = none, d = none;
  /// First of `count` operands in the kernel's pool.
  std::uint32_t pool = none;

  /// Memory accesses: sizes of an element in memory and in its register. Packs
  /// and unpacks: of an element. Conversions: of the source's type and
  /// register.
  std::uint8_t elementBytes = 0, registerBytes = 0;
  std::uint8_t count = 0;       ///< elements
  std::uint8_t targetBytes = 0; ///< conversions: of the result's type
  bool isSigned = false;        ///< of what is read
  bool targetIsSigned = false;  ///< conversions: of what is written
  bool saturates = false;       ///< conversions
  std::uint8_t rounding = 0;    ///< conversions: a `Rounding`
  /// Of narrow floating point: Modifiers, and of conversions the formats.
  std::uint8_t modifiers = 0;
  NumberFormat sourceFormat = NumberFormat::Integer;
  NumberFormat targetFormat = NumberFormat::Integer;
  std::uint8_t addressBytes = 8; ///< of the register in `a`, of an access
  bool poolIsWritten = false;
  /// Operands in the pool behind those `count`, which are read.
  std::uint8_t poolSources = 0;
  /// Memory accesses: volatile, or with a memory ordering. Such accesses are
  /// made to meet those of other threads.
  bool isStrong = false;
  bool isAtomic = false;
  /// Fences and atomic operations: what they order; see BlockSync.h.
  std::uint8_t ordering = 0;
  /// Operations on mbarriers: their address is generic; an arrival that must
  /// not complete the phase, or that is of a copy and not expected beyond
  /// others.
  bool isGeneric = false, mustNotComplete = false;
  /// Has an operand or a result that some path reads before it writes it.
  bool touchesUnwritten = false;

  /// Displacements, look-up tables, barrier numbers, sets of relations.
  std::int64_t immediate = 0;
  /// Of branches: where to go, and where the two sides meet again. Of barriers:
  /// the number of threads. Of copies: the displacement of the destination,
  /// whose address is in `b`.
  std::uint32_t target = none, reconvergence = none;
};

/// Bits of MicroOp::combine.
enum : std::uint8_t {
  CombineNone = 0,
  CombineAnd = 1,
  CombineOr = 2,
  CombineXor = 3,
  CombineOperation = 3,
  CombineNegated = 4,
};

enum : std::uint8_t { SecondTypeOfA = 1, SecondTypeOfB = 2 };

/// Bits of MicroOp::ordering: a scope that reaches other blocks; by itself
/// after what the thread did before (release), before what it does later
/// (acquire).
enum : std::uint8_t { OrdersBlocks = 1, OrdersEarlier = 2, OrdersLater = 4 };

/// The operation of an atomic instruction on an element.
enum class AtomicFunction : std::uint8_t {
  Add,
  AddFloat,
  AddFlushing, ///< of single precision, subnormals taken as zero
  MinSigned,
  MaxSigned,
  MinUnsigned,
  MaxUnsigned,
  And,
  Or,
  Xor,
  Exchange,
  CompareAndSwap,
  Increment,
  Decrement,
};

/// Bits of MicroOp::modifiers.
enum : std::uint8_t {
  FlushesSubnormals = 1, ///< `.ftz`
  SaturatesToOne = 2,    ///< `.sat`: to [0, 1], NaN to 0
  ClampsNegative = 4,    ///< `.relu`
  SaturatesToFinite = 8, ///< `.satfinite`
  TiesAway = 16,         ///< `.rna`
  RoundsToInteger = 32,  ///< `.rni` and its like, to floating point
};

/// The relation of two values, in MicroOp::immediate of comparisons.
enum : std::uint8_t {
  RelationLess = 1,
  RelationEqual = 2,
  RelationGreater = 4,
  RelationUnordered = 8,
};

enum class Rounding : std::uint8_t { NearestEven, Zero, Down, Up };

/// The place of an instruction and the way in which it is counted; read only
/// for messages and when a run's counters are added up.
struct SourceInfo {
  std::uint32_t line = 0;
  InstructionKind kind = InstructionKind::Other;
  /// Operations of one thread: two for packed arithmetic, a thread's part of a
  /// product of matrices, else one.
  std::uint8_t operationsPerThread = 1;
  std::string_view text;
  LocationNumbers location;
};

struct Constant {
  std::uint64_t bits = 0;
  std::uint32_t offset = 0;
  std::uint8_t bytes = 0; ///< of a lane; 0 for a predicate
};

struct SpecialValue {
  SpecialRegister which = SpecialRegister::TidX;
  std::uint32_t offset = 0;
};

/// The natural loops of a kernel, in the order of their headers.
struct LoopNest {
  struct Loop {
    std::uint32_t header = 0; ///< its first instruction
    std::uint32_t parent = noLoop;
    std::uint32_t depth = 1;
  };
  std::vector<Loop> loops;
  /// By instruction: the innermost loop around it, or `noLoop`.
  std::vector<std::uint32_t> innermost;
};

struct Kernel {
  EntryInfo info;
  std::uint64_t parameterBytes = 0;
  std::vector<std::uint64_t> parameterOffsets;
  std::vector<MicroOp> code;
  std::vector<SourceInfo> source;
  LoopNest loopNest;
  std::vector<std::uint32_t> pool;
  std::vector<Constant> constants;
  std::vector<SpecialValue> specials;
  /// Bytes of a warp's registers. The first `maybeUnwrittenBytes` belong to
  /// registers that some path reads before it writes them.
  std::uint64_t registerBytes = 0;
  std::uint64_t maybeUnwrittenBytes = 0;
  /// The places of those registers that no instruction writes.
  std::set<std::uint32_t> neverWritten;
  /// Names of those registers by their places, for messages.
  std::map<std::uint32_t, std::string> maybeUnwrittenNames;
  /// The size of the smallest access to shared and to global memory. Accesses
  /// are aligned, so each touches whole granules of this size.
  std::uint32_t sharedGranule = 32, globalGranule = 32;
  bool hasAtomics = false;
};

/// The number of bits by which addresses are shifted to number granules, whose
/// size is that of an access: a power of two.
inline unsigned granuleShift(std::uint32_t granule) {
  return static_cast<unsigned>(__builtin_ctz(granule));
}

/// The place of the mask of the lanes that have not written a register, if that
/// may be read before it is written: right before its value.
inline std::uint32_t unwrittenLanesOf(std::uint32_t place) {
  return place - static_cast<std::uint32_t>(sizeof(std::uint32_t));
}

struct ModuleImpl {
  std::string fileName;
  std::string text;
  std::array<unsigned, 2> version = {0, 0};
  std::string target;
  std::deque<Variable> variables;
  /// Names of source files by their numbers.
  std::map<std::uint32_t, std::string_view> files;
  /// Those in global and constant memory; every launch gets its own copy.
  std::vector<const Variable *> placed;
  std::vector<EntryInfo> entries;
  std::vector<Kernel> kernels;             ///< one for each entry
  std::uint64_t bufferBase = globalWindow; ///< behind the variables
};

/// Red zone between buffers, and the alignment of their simulated addresses.
inline constexpr std::uint64_t redZoneBytes = 4096;
inline constexpr std::uint64_t bufferAlignment = 512;

/// The first address behind `size` bytes at `address` and a red zone.
inline std::uint64_t nextBufferAddress(std::uint64_t address,
                                       std::uint64_t size) {
  return (address + size + redZoneBytes + bufferAlignment - 1) /
         bufferAlignment * bufferAlignment;
}

/// Turns a parsed entry into a kernel.
Result<Kernel> decode(const ParsedEntry &entry, ModuleImpl &module);

/// Returns true if the simulator has instructions of an opcode, as "fma".
bool isSupportedInstruction(std::string_view opcode);

/// Fills in where the sides of each branch meet: at its immediate
/// post-dominator. False if that takes too long to find out.
bool findReconvergence(std::vector<MicroOp> &code);

/// Finds the loops. Guards must still say which branches are conditional.
/// Nothing if that takes too long.
std::optional<LoopNest> findLoops(const std::vector<MicroOp> &code);

/// The profile of a kernel that has not run.
Profile makeProfile(const ModuleImpl &module, const Kernel &kernel);
/// Adds up the instructions of each loop.
void countLoops(Profile &profile);

/// The size of a lane of each register: 0 for a predicate.
using RegisterSizes = std::vector<std::uint8_t>;
/// Gives registers places in the register file, which those share that are
/// never live at the same time; registers from `firstFixed` on keep a place to
/// themselves. Rewrites the operands of `kernel`; returns each register's
/// place.
Result<std::vector<std::uint32_t>> allocateRegisters(Kernel &kernel,
                                                     const RegisterSizes &sizes,
                                                     std::uint32_t firstFixed);

} // namespace tc::sim

#endif // TC_LIB_SIMULATOR_PROGRAM_H
