//===- Decoder.h - From parsed instructions to micro-operations -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decodes the instructions of one entry. One member function decodes one
// family of instructions: it reads the modifiers in their order, checks the
// operands against the instruction's type, and fills in `op`.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_SIMULATOR_DECODER_H
#define TC_LIB_SIMULATOR_DECODER_H

#include "Program.h"

#include <initializer_list>
#include <utility>

namespace tc::sim {

// Types that instructions have operands of, whatever their own.
inline constexpr ScalarType b16{Interpretation::Bits, 16};
inline constexpr ScalarType b32{Interpretation::Bits, 32};
inline constexpr ScalarType b64{Interpretation::Bits, 64};
inline constexpr ScalarType f32{Interpretation::Float, 32};
inline constexpr ScalarType u32{Interpretation::Unsigned, 32};
inline constexpr ScalarType predicate{Interpretation::Bits, 1};

/// The members of a family of opcodes, by the width of their type.
struct OpcodesByWidth {
  Opcode bits16, bits32, bits64;
  Opcode of(ScalarType type) const {
    return type.bits == 16 ? bits16 : type.bits == 32 ? bits32 : bits64;
  }
};

#define TC_SIM_WIDTHS(NAME)                                                    \
  OpcodesByWidth{Opcode::NAME##16, Opcode::NAME##32, Opcode::NAME##64}
/// The same for families that have no 16-bit member.
#define TC_SIM_WIDE_WIDTHS(NAME)                                               \
  OpcodesByWidth{Opcode::NAME##32, Opcode::NAME##32, Opcode::NAME##64}

struct NumberType;

class Decoder {
public:
  Decoder(const ParsedEntry &entry, ModuleImpl &module)
      : entry(entry), module(module) {}
  Result<Kernel> run();

  using Family = bool (Decoder::*)();
  /// The function that decodes instructions of an opcode, as "fma"; null of one
  /// that the simulator does not have.
  static Family findFamily(std::string_view opcode);

private:
  bool decodeInstruction();
  bool placeSharedVariables();
  void findGranules();
  bool placeSharedVariable(const Operand &operand);

  bool fail(const std::string &message);

  // Modifiers, in Decoder.cpp.
  bool accept(std::string_view word);
  bool require(std::string_view word);
  /// Reads one of the modifiers that each select an opcode.
  bool
  readMode(std::initializer_list<std::pair<std::string_view, Opcode>> modes,
           Opcode &opcode);
  /// Reads a type of one of the given kinds: bits with a type's letter, as in
  /// "b", "us", "f". Predicates are 'p'.
  bool readType(ScalarType &type, std::string_view letters,
                std::initializer_list<unsigned> widths);
  bool endOfModifiers();
  bool countOperands(std::size_t count);

  // Operands, in Decoder.cpp.
  bool typesAgree(const Operand &operand, ScalarType type, bool mayBeWider);
  bool result(std::size_t number, ScalarType type);
  bool predicateResult(std::size_t number);
  bool source(std::size_t number, ScalarType type, std::uint32_t &field);
  bool sourceElement(const Operand &operand, ScalarType type, bool mayBeWider,
                     std::uint32_t &field);
  bool immediateBits(const Operand &operand, ScalarType type,
                     std::uint64_t &bits);
  bool immediateInteger(std::size_t number, std::uint64_t maximum,
                        std::int64_t &value);
  bool variableAddress(const Operand &operand, std::uint64_t &address);
  std::uint32_t constant(std::uint64_t bits, std::uint8_t bytes);
  std::uint32_t special(SpecialRegister which);
  void set(Opcode opcode);
  /// Reads `dst, a [, b [, c]]`, all of one type, and sets the opcode.
  bool finish(Opcode opcode, ScalarType type, unsigned sources);

  // Families, in DecodeInteger.cpp.
  bool decodeAddSub();
  bool decodeMul();
  bool decodeMad();
  bool decodeDiv();
  bool decodeRem();
  bool decodeMinMax();
  bool decodeAbsNeg();
  bool decodeLogic();
  bool decodeNot();
  bool decodeShift();
  bool decodeCount();
  bool decodeBitField();
  bool decodeFunnelShift();
  bool decodePermute();
  bool decodeDotProduct();
  bool decodeLogic3();

  // Families, in DecodeFloat.cpp.
  bool decodeFloatBinary(Opcode single, Opcode flushing, Opcode twofold,
                         ScalarType type, bool flushes);
  bool decodeFma();
  bool decodePackedPair(Opcode opcode, InstructionKind packedKind,
                        unsigned sources, std::uint8_t bits = 64);
  bool decodeSqrtRcp();
  bool decodeExponential();
  bool decodeTrigonometric();
  bool decodeCopySign();
  bool decodeTest();
  bool decodeSetPredicate();
  void readCombination();
  bool readCompared(ScalarType type);
  bool readPredicateResults();
  bool decodeSelect();
  bool decodeConvert();

  // Families, in DecodeMemory.cpp.
  bool decodeMov();
  bool decodePack(ScalarType type);
  bool decodeUnpack(ScalarType type);
  bool decodeConvertAddress();
  bool decodeLoad();
  bool decodeStore();
  bool readAccess(bool isStore, StateSpace &space, ScalarType &type);
  bool readAddress(const Operand &operand, StateSpace space);
  bool readElements(const Operand &operand, ScalarType type, bool isStore);
  bool fitsVector(const Operand &operand, std::size_t count);
  bool decodeBranch();
  bool decodeExit();
  bool decodeTrap();
  bool decodeBarrier();
  bool decodeFence();
  bool decodeActiveMask();
  bool decodeShuffle();

  // Families, in DecodeAsync.cpp, DecodeMbarrier.cpp, DecodeAtomic.cpp.
  bool decodeCopy();
  bool decodeCopyArrival();
  bool mbarrierAddress(std::size_t number);
  bool mbarrierOrdering(std::string_view semantics);
  void touchMbarrier();
  bool decodeMbarrierArrival(bool drops);
  bool decodeMbarrierWait(bool mayHint);
  bool decodeMbarrier();
  void readOrdering(bool returns);
  bool decodeAtomic();

  // Families, in DecodeWarp.cpp.
  bool predicateSource(std::size_t number, std::uint32_t &field);
  bool resultAndPredicate(std::size_t number, ScalarType type);
  bool decodeVote();
  bool decodeMatch();
  bool decodeReduce();
  bool decodeElect();
  bool decodeRegisterCount();
  bool decodeGridDependency();
  bool decodePrefetch();
  bool decodePriority();
  bool decodePolicy();
  bool decodeSleep();

  // Families, in DecodeHalf.cpp.
  Family findNarrowFamily() const;
  bool decodeNarrowArithmetic();
  bool decodeMixed();
  bool decodeRoundedSingle();
  bool readRelations();
  bool decodeSetNarrowPredicate();
  bool decodeSet();

  // Conversions, in DecodeConversion.cpp.
  bool needsFormats() const;
  bool decodeConvertNumber();
  bool checkConversion(const NumberType &to, const NumberType &from,
                       bool roundsFloat, bool roundsToInteger);
  bool readConverted(const NumberType &to, const NumberType &from);

  // Families, in DecodeMatrix.cpp.
  bool decodeMultiplyMatrices();
  bool decodeLoadMatrix();
  bool decodeStoreMatrix();
  bool decodeMoveMatrix();
  bool readFragment(std::size_t number, ScalarType type, unsigned count,
                    bool isResult);
  bool readMatrixAccess(bool &isTransposed);

  const ParsedEntry &entry;
  ModuleImpl &module;
  Kernel kernel;
  RegisterSizes sizes;
  std::map<std::pair<std::uint64_t, std::uint8_t>, std::uint32_t> constants;
  std::map<SpecialRegister, std::uint32_t> specials;
  std::map<std::uint32_t, std::uint64_t> sharedOffsets; ///< by variable
  std::optional<Error> failure;

  // The instruction at hand.
  const Instruction *inst = nullptr;
  std::size_t modifier = 0; ///< next to read
  MicroOp op;
  InstructionKind kind = InstructionKind::Other;
  std::uint8_t operationsPerThread = 1;
};

} // namespace tc::sim

#endif // TC_LIB_SIMULATOR_DECODER_H
