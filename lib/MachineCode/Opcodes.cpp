//===- Opcodes.cpp - Properties of machine instructions -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/MachineCode/Opcodes.h"

#include "tc/Machine/MatrixInstructions.h"

#include <algorithm>
#include <iterator>

using namespace tc;
using namespace tc::sass;

namespace {

struct OpcodeInfo {
  std::string_view name;
  Category category;
  Pipe pipe;
};

using C = Category;
using P = Pipe;

/// Sorted by name.
constexpr OpcodeInfo opcodes[] = {
    {"ACQBULK", C::Synchronise, P::Branch},
    {"ACQSHMINIT", C::Synchronise, P::Branch},
    {"ARRIVES", C::Synchronise, P::Memory},
    {"ATOM", C::GlobalStore, P::Memory},
    {"ATOMG", C::GlobalStore, P::Memory},
    {"ATOMS", C::SharedStore, P::Memory},
    {"B2R", C::Synchronise, P::Memory},
    {"BAR", C::Synchronise, P::Memory},
    {"BMMA", C::Multiply, P::Tensor},
    {"BMOV", C::Control, P::Branch},
    {"BMSK", C::Integer, P::ALU},
    {"BPT", C::Control, P::Branch},
    {"BRA", C::Control, P::Branch},
    {"BREAK", C::Control, P::Branch},
    {"BREV", C::Integer, P::XU},
    {"BRX", C::Control, P::Branch},
    {"BRXU", C::Control, P::Branch},
    {"BSSY", C::Control, P::Branch},
    {"BSYNC", C::Control, P::Branch},
    {"CALL", C::Control, P::Branch},
    {"CCTL", C::Synchronise, P::Memory},
    {"CCTLL", C::Synchronise, P::Memory},
    {"CCTLT", C::Synchronise, P::Memory},
    {"CGAERRBAR", C::Synchronise, P::Memory},
    {"CREDUX", C::Special, P::ALU},
    {"CS2R", C::Move, P::ALU},
    {"CS2UR", C::Move, P::Uniform},
    {"DADD", C::Arithmetic, P::FP64},
    {"DEPBAR", C::Synchronise, P::None},
    {"DFMA", C::Multiply, P::FP64},
    {"DMMA", C::Multiply, P::Tensor},
    {"DMUL", C::Arithmetic, P::FP64},
    {"DSETP", C::Predicate, P::FP64},
    {"ELECT", C::Predicate, P::ALU},
    {"ENDCOLLECTIVE", C::Control, P::Branch},
    {"ERRBAR", C::Synchronise, P::Memory},
    {"EXIT", C::Control, P::Branch},
    {"F2F", C::Conversion, P::XU},
    {"F2FP", C::Conversion, P::ALU},
    {"F2I", C::Conversion, P::XU},
    {"F2IP", C::Conversion, P::ALU},
    {"FADD", C::Arithmetic, P::FMA},
    {"FADD2", C::Arithmetic, P::FMA},
    {"FCHK", C::Special, P::XU},
    {"FENCE", C::Synchronise, P::Memory},
    {"FFMA", C::Multiply, P::FMA},
    {"FFMA2", C::Multiply, P::FMA},
    {"FHADD", C::Arithmetic, P::FMA},
    {"FHFMA", C::Multiply, P::FMA},
    {"FLO", C::Integer, P::XU},
    {"FMNMX", C::Arithmetic, P::ALU},
    {"FMNMX3", C::Arithmetic, P::ALU},
    {"FMUL", C::Arithmetic, P::FMA},
    {"FMUL2", C::Arithmetic, P::FMA},
    {"FRND", C::Conversion, P::XU},
    {"FSEL", C::Arithmetic, P::ALU},
    {"FSET", C::Arithmetic, P::ALU},
    {"FSETP", C::Predicate, P::ALU},
    {"FSWZADD", C::Arithmetic, P::FMA},
    {"GETLMEMBASE", C::Special, P::Branch},
    {"HADD2", C::Arithmetic, P::FMA},
    {"HFMA2", C::Multiply, P::FMA},
    {"HGMMA", C::Multiply, P::Tensor},
    {"HMMA", C::Multiply, P::Tensor},
    {"HMNMX2", C::Arithmetic, P::ALU},
    {"HMUL2", C::Arithmetic, P::FMA},
    {"HSET2", C::Arithmetic, P::ALU},
    {"HSETP2", C::Predicate, P::ALU},
    {"I2F", C::Conversion, P::XU},
    {"I2FP", C::Conversion, P::ALU},
    {"I2I", C::Conversion, P::XU},
    {"I2IP", C::Conversion, P::ALU},
    {"IABS", C::Integer, P::ALU},
    {"IADD", C::Integer, P::ALU},
    {"IADD3", C::Integer, P::ALU},
    {"IDP", C::Multiply, P::FMA},
    {"IGMMA", C::Multiply, P::Tensor},
    {"IMAD", C::Integer, P::FMA},
    {"IMMA", C::Multiply, P::Tensor},
    {"IMNMX", C::Integer, P::ALU},
    {"IMUL", C::Integer, P::FMA},
    {"ISETP", C::Predicate, P::ALU},
    {"JMP", C::Control, P::Branch},
    {"JMX", C::Control, P::Branch},
    {"KILL", C::Control, P::Branch},
    {"LD", C::GlobalLoad, P::Memory},
    {"LDC", C::ConstantLoad, P::Memory},
    {"LDCU", C::ConstantLoad, P::Uniform},
    {"LDG", C::GlobalLoad, P::Memory},
    {"LDGDEPBAR", C::Synchronise, P::Memory},
    {"LDGMC", C::GlobalLoad, P::Memory},
    {"LDGSTS", C::AsyncCopy, P::Memory},
    {"LDL", C::LocalAccess, P::Memory},
    {"LDS", C::SharedLoad, P::Memory},
    {"LDSM", C::SharedLoad, P::Memory},
    {"LDT", C::Move, P::Memory},
    {"LDTM", C::Move, P::Memory},
    {"LEA", C::Integer, P::ALU},
    {"LEPC", C::Control, P::ALU},
    {"LOP3", C::Integer, P::ALU},
    {"MATCH", C::Special, P::Memory},
    {"MEMBAR", C::Synchronise, P::Memory},
    {"MOV", C::Move, P::ALU},
    {"MOVM", C::Move, P::Memory},
    {"MUFU", C::Special, P::XU},
    {"NANOSLEEP", C::Synchronise, P::Branch},
    {"NOP", C::Nop, P::None},
    {"OMMA", C::Multiply, P::Tensor},
    {"P2R", C::Predicate, P::ALU},
    {"PLOP3", C::Predicate, P::ALU},
    {"PMTRIG", C::Special, P::Branch},
    {"POPC", C::Integer, P::XU},
    {"PREEXIT", C::Control, P::Branch},
    {"PRMT", C::Integer, P::ALU},
    {"QGMMA", C::Multiply, P::Tensor},
    {"QMMA", C::Multiply, P::Tensor},
    {"QSPC", C::Special, P::Memory},
    {"R2P", C::Predicate, P::ALU},
    {"R2UR", C::Move, P::ALU},
    {"RED", C::GlobalStore, P::Memory},
    {"REDAS", C::SharedStore, P::Memory},
    {"REDG", C::GlobalStore, P::Memory},
    {"REDS", C::SharedStore, P::Memory},
    {"REDUX", C::Special, P::Memory},
    {"RET", C::Control, P::Branch},
    {"RPCMOV", C::Control, P::Branch},
    {"S2R", C::Special, P::Memory},
    {"S2UR", C::Special, P::Memory},
    {"SEL", C::Integer, P::ALU},
    {"SGXT", C::Integer, P::ALU},
    {"SHF", C::Integer, P::ALU},
    {"SHFL", C::Special, P::Memory},
    {"ST", C::GlobalStore, P::Memory},
    {"STAS", C::SharedStore, P::Memory},
    {"STG", C::GlobalStore, P::Memory},
    {"STL", C::LocalAccess, P::Memory},
    {"STS", C::SharedStore, P::Memory},
    {"STSM", C::SharedStore, P::Memory},
    {"STT", C::Move, P::Memory},
    {"STTM", C::Move, P::Memory},
    {"SYNCS", C::Synchronise, P::Memory},
    {"UBLKCP", C::AsyncCopy, P::Memory},
    {"UBLKPF", C::AsyncCopy, P::Memory},
    {"UBLKRED", C::AsyncCopy, P::Memory},
    {"UBMSK", C::Integer, P::Uniform},
    {"UBREV", C::Integer, P::Uniform},
    {"UCGABAR_ARV", C::Synchronise, P::Uniform},
    {"UCGABAR_WAIT", C::Synchronise, P::Uniform},
    {"UCLEA", C::Integer, P::Uniform},
    {"UF2F", C::Conversion, P::Uniform},
    {"UF2FP", C::Conversion, P::Uniform},
    {"UF2I", C::Conversion, P::Uniform},
    {"UF2IP", C::Conversion, P::Uniform},
    {"UFADD", C::Arithmetic, P::Uniform},
    {"UFFMA", C::Arithmetic, P::Uniform},
    {"UFLO", C::Integer, P::Uniform},
    {"UFMNMX", C::Arithmetic, P::Uniform},
    {"UFMUL", C::Arithmetic, P::Uniform},
    {"UFRND", C::Conversion, P::Uniform},
    {"UFSEL", C::Arithmetic, P::Uniform},
    {"UFSET", C::Arithmetic, P::Uniform},
    {"UFSETP", C::Predicate, P::Uniform},
    {"UGETNEXTWORKID", C::Special, P::Uniform},
    {"UI2F", C::Conversion, P::Uniform},
    {"UI2FP", C::Conversion, P::Uniform},
    {"UI2I", C::Conversion, P::Uniform},
    {"UI2IP", C::Conversion, P::Uniform},
    {"UIABS", C::Integer, P::Uniform},
    {"UIADD3", C::Integer, P::Uniform},
    {"UIMAD", C::Integer, P::Uniform},
    {"UIMNMX", C::Integer, P::Uniform},
    {"UISETP", C::Predicate, P::Uniform},
    {"ULDC", C::ConstantLoad, P::Uniform},
    {"ULEA", C::Integer, P::Uniform},
    {"ULEPC", C::Control, P::Uniform},
    {"ULOP3", C::Integer, P::Uniform},
    {"UMEMSETS", C::AsyncCopy, P::Memory},
    {"UMOV", C::Move, P::Uniform},
    {"UP2UR", C::Predicate, P::Uniform},
    {"UPLOP3", C::Predicate, P::Uniform},
    {"UPOPC", C::Integer, P::Uniform},
    {"UPRMT", C::Integer, P::Uniform},
    {"UR2UP", C::Predicate, P::Uniform},
    {"UREDGR", C::GlobalStore, P::Memory},
    {"USEL", C::Integer, P::Uniform},
    {"USETMAXREG", C::Control, P::Uniform},
    {"USGXT", C::Integer, P::Uniform},
    {"USHF", C::Integer, P::Uniform},
    {"USHL", C::Integer, P::Uniform},
    {"USHR", C::Integer, P::Uniform},
    {"USTGR", C::GlobalStore, P::Memory},
    {"UTCATOMSWS", C::Synchronise, P::Memory},
    {"UTCBAR", C::Synchronise, P::Memory},
    {"UTCCP", C::AsyncCopy, P::Memory},
    {"UTCHMMA", C::Multiply, P::Tensor},
    {"UTCIMMA", C::Multiply, P::Tensor},
    {"UTCOMMA", C::Multiply, P::Tensor},
    {"UTCQMMA", C::Multiply, P::Tensor},
    {"UTCSHIFT", C::Move, P::Memory},
    {"UTMACCTL", C::AsyncCopy, P::Memory},
    {"UTMACMDFLUSH", C::AsyncCopy, P::Memory},
    {"UTMALDG", C::AsyncCopy, P::Memory},
    {"UTMAPF", C::AsyncCopy, P::Memory},
    {"UTMAREDG", C::AsyncCopy, P::Memory},
    {"UTMASTG", C::AsyncCopy, P::Memory},
    {"UVIADD", C::Integer, P::Uniform},
    {"UVIMNMX", C::Integer, P::Uniform},
    {"UVIRTCOUNT", C::Control, P::Uniform},
    {"VABSDIFF", C::Integer, P::ALU},
    {"VABSDIFF4", C::Integer, P::ALU},
    {"VIADD", C::Integer, P::ALU},
    {"VIADDMNMX", C::Integer, P::ALU},
    {"VIMNMX", C::Integer, P::ALU},
    {"VIMNMX3", C::Integer, P::ALU},
    {"VOTE", C::Special, P::ALU},
    {"VOTEU", C::Special, P::Uniform},
    {"WARPGROUP", C::Synchronise, P::Branch},
    {"WARPSYNC", C::Control, P::Branch},
    {"YIELD", C::Control, P::Branch},
};

struct CategoryName {
  std::string_view key, words;
};

constexpr CategoryName categoryNames[numCategories] = {
    {"multiply", "multiplies"},
    {"move", "moves"},
    {"conversion", "conversions"},
    {"arithmetic", "other arithmetic"},
    {"integer", "integers and addresses"},
    {"predicate", "predicates"},
    {"shared_load", "shared loads"},
    {"shared_store", "shared stores"},
    {"global_load", "global loads"},
    {"global_store", "global stores"},
    {"async_copy", "asynchronous copies"},
    {"local_access", "spills"},
    {"constant_load", "constant loads"},
    {"synchronise", "synchronisation"},
    {"control", "control flow"},
    {"special", "special functions"},
    {"nop", "NOPs"},
    {"other", "unknown opcodes"},
};

constexpr std::string_view pipeNames[numPipes] = {
    "tensor", "fma", "alu", "fp64", "xu", "memory", "uniform", "branch", "none",
};

const OpcodeInfo *find(const Instruction &instruction) {
  std::string_view name = instruction.baseOpcode();
  const OpcodeInfo *found = std::lower_bound(
      std::begin(opcodes), std::end(opcodes), name,
      [](const OpcodeInfo &info, std::string_view n) { return info.name < n; });
  return found != std::end(opcodes) && found->name == name ? found : nullptr;
}

bool isZeroRegister(const Instruction &instruction, std::size_t operand) {
  if (operand >= instruction.operands.size())
    return false;
  const std::string &text = instruction.operands[operand];
  return text == "RZ" || text == "-RZ";
}

/// Returns true if a multiply-add multiplies by zero, which is how ptxas moves
/// registers and constants by pipes that are free. An instruction that adds a
/// carry, as to the upper half of an address, is no move.
bool multipliesByZero(const Instruction &instruction) {
  return isZeroRegister(instruction, 1) && isZeroRegister(instruction, 2) &&
         !instruction.hasModifier("X");
}

/// The sizes of a matrix instruction, as in "16816" and "16x8x8".
struct MatrixShape {
  std::string_view modifier;
  std::int64_t m, n, k;
};

constexpr MatrixShape matrixShapes[] = {
    {"884", 8, 8, 4},       {"8816", 8, 8, 16},     {"8832", 8, 8, 32},
    {"88128", 8, 8, 128},   {"1684", 16, 8, 4},     {"1688", 16, 8, 8},
    {"16816", 16, 8, 16},   {"16832", 16, 8, 32},   {"16864", 16, 8, 64},
    {"168128", 16, 8, 128}, {"168256", 16, 8, 256},
};

/// The product of the sizes in "64x128x16"; 0 if it is no such text.
std::int64_t productOfSizes(std::string_view text) {
  std::int64_t product = 1, size = 0;
  int sizes = 1;
  for (char c : text) {
    if (c >= '0' && c <= '9') {
      size = size * 10 + (c - '0');
      if (size > 1024)
        return 0;
    } else if (c == 'x' && size > 0 && sizes < 3) {
      product *= size;
      size = 0;
      ++sizes;
    } else {
      return 0;
    }
  }
  return sizes == 3 ? product * size : 0;
}

/// Multiply-adds of a matrix instruction a cycle and multiprocessor.
double tensorRate(const Instruction &instruction, const model::Target &target) {
  const model::TensorCoreRates &rates = target.tensorFmaPerCycle;
  std::string_view name = instruction.baseOpcode();
  auto rateOf = [](std::int64_t rate) { return static_cast<double>(rate); };
  // Only mma.sync multiplies numbers of 64 bits.
  if (name == "DMMA")
    return rateOf(rates.f64);
  double rate;
  if (name == "OMMA") // No source: 4 bits are taken to be twice as fast as 8.
    rate = 2 * rateOf(rates.f8);
  else if (name == "QMMA" || name == "QGMMA")
    rate = rateOf(rates.f8);
  else if (name == "BMMA") // No source: bits are taken to be 8 times as fast.
    rate = 8 * rateOf(rates.i8);
  else if (name == "IMMA" || name == "IGMMA")
    rate = rateOf(rates.i8) *
           (instruction.hasModifier("S4") || instruction.hasModifier("U4")
                ? 2 // No source, either.
                : 1);
  else if (instruction.hasModifier("TF32"))
    rate = rateOf(rates.tf32);
  else if (instruction.hasModifier("BF16"))
    rate = rateOf(rates.bf16);
  else
    rate = rateOf(rates.f16);
  bool isAsynchronous = name == "HGMMA" || name == "QGMMA" || name == "IGMMA";
  if (isAsynchronous)
    return rate;
  bool isShortHalf = name == "HMMA" && instruction.hasModifier("1688") &&
                     !instruction.hasModifier("TF32");
  if (isShortHalf && target.has(model::Feature::WarpGroupMultiply))
    rate *= target.costs.time.shortHalfPart;
  return rate * target.attainable.mmaSync;
}

/// Additions of integers, and what is made of them.
bool addsIntegers(std::string_view name) {
  return name == "IADD" || name == "IADD3" || name == "VIADD" ||
         name == "IMNMX" || name == "VIMNMX";
}

/// Returns true if each lane computes two results, so that f32 takes twice as
/// long.
bool isPackedF32(std::string_view name) {
  return name == "FFMA2" || name == "FADD2" || name == "FMUL2";
}

} // namespace

std::string_view tc::sass::stringify(Category category) {
  return categoryNames[static_cast<std::size_t>(category)].key;
}

std::string_view tc::sass::describe(Category category) {
  return categoryNames[static_cast<std::size_t>(category)].words;
}

std::string_view tc::sass::stringify(Pipe pipe) {
  return pipeNames[static_cast<std::size_t>(pipe)];
}

Category tc::sass::categoryOf(const Instruction &instruction) {
  if (instruction.neverExecutes())
    return Category::Nop;
  const OpcodeInfo *info = find(instruction);
  if (!info)
    return Category::Other;
  std::string_view name = info->name;
  if (name == "IMAD" && instruction.hasModifier("MOV"))
    return Category::Move;
  if ((name == "HFMA2" || name == "FFMA" || name == "IMAD") &&
      multipliesByZero(instruction))
    return Category::Move;
  // Widens a half.
  if (name == "HADD2" && instruction.hasModifier("F32"))
    return Category::Conversion;
  return info->category;
}

Pipe tc::sass::pipeOf(const Instruction &instruction) {
  if (instruction.neverExecutes())
    return Pipe::None;
  const OpcodeInfo *info = find(instruction);
  return info ? info->pipe : Pipe::None;
}

std::int64_t tc::sass::matrixMultiplyAdds(const Instruction &instruction) {
  if (pipeOf(instruction) != Pipe::Tensor)
    return 0;
  std::string_view rest = instruction.opcode;
  for (std::size_t dot = rest.find('.'); dot != rest.npos;
       dot = rest.find('.')) {
    rest.remove_prefix(dot + 1);
    std::string_view modifier = rest.substr(0, rest.find('.'));
    for (const MatrixShape &shape : matrixShapes)
      if (shape.modifier == modifier)
        return shape.m * shape.n * shape.k;
    if (std::int64_t product = productOfSizes(modifier))
      return product;
  }
  return 0;
}

double tc::sass::busyCycles(const Instruction &instruction,
                            const model::Target &target) {
  // Of a whole warp in a quarter of the multiprocessor.
  double quarter = target.multiprocessor.partitions;
  auto cyclesOf = [&](double operations, double rate) {
    return rate > 0 ? operations * quarter / rate : 0.0;
  };
  auto rateOf = [](std::int64_t rate) { return static_cast<double>(rate); };
  double lanes = target.warpSize;
  std::string_view name = instruction.baseOpcode();
  // CUDA C++ Best Practices Guide, table Throughput of Native Arithmetic
  // Instructions: 64 multiplications, shifts and logical operations on integers
  // and 16 special functions a cycle and multiprocessor for all of these
  // compute capabilities; 64 additions, or twice that.
  constexpr double integerRate = 64, specialRate = 16;
  switch (pipeOf(instruction)) {
  case Pipe::Tensor: {
    auto cycles = cyclesOf(static_cast<double>(matrixMultiplyAdds(instruction)),
                           tensorRate(instruction, target));
    bool isSlowShape = target.has(model::Feature::HalfRateSmallDoubleMMA) &&
                       name == "DMMA" &&
                       matrixMultiplyAdds(instruction) == 8 * 8 * 4;
    return isSlowShape ? 2 * cycles : cycles;
  }
  case Pipe::FMA: {
    bool isInteger = name == "IMAD" || name == "IMUL" || name == "IDP";
    return cyclesOf(isPackedF32(name) ? 2 * lanes : lanes,
                    isInteger ? integerRate : rateOf(target.fmaPerCycleF32));
  }
  case Pipe::ALU: {
    bool isFast =
        target.has(model::Feature::DoubleRateIntegerAdds) && addsIntegers(name);
    return cyclesOf(lanes, isFast ? 2 * integerRate : integerRate);
  }
  case Pipe::FP64:
    return cyclesOf(lanes, rateOf(target.fmaPerCycleF64));
  case Pipe::XU:
    return cyclesOf(lanes, specialRate);
  case Pipe::Memory:
  case Pipe::Uniform:
  case Pipe::Branch:
    return 2;
  case Pipe::None:
    return 0;
  }
  return 0;
}
