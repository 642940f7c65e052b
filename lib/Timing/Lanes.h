//===- Lanes.h - Registers of a warp, as far as they are known --*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TIMING_LANES_H
#define TC_LIB_TIMING_LANES_H

#include "Decode.h"

#include "tc/Timing/Trace.h"

#include <map>

namespace tc::timing {

inline constexpr unsigned numLanes = 32;
inline constexpr std::uint32_t allLanes = 0xffffffffu;

/// A register of a warp: its value in each lane of `known`.
struct Value {
  std::array<std::uint32_t, numLanes> lanes = {};
  std::uint32_t known = 0;
};

/// Two of them.
struct WideValue {
  std::array<std::uint64_t, numLanes> lanes = {};
  std::uint32_t known = 0;
};

/// A predicate of a warp.
struct Truth {
  std::uint32_t bits = 0, known = 0;
};

/// The registers of one warp.
class WarpRegisters {
public:
  WarpRegisters(const Launch &launch, const Machine &machine,
                const std::array<std::uint32_t, 3> &block, unsigned warp);

  /// The lanes that have a thread.
  std::uint32_t threads() const { return present; }

  /// Applies the effects of an instruction on registers, in lanes `active`.
  /// Accesses, jumps and exits do nothing but forget what they load.
  void execute(const Decoded &decoded, std::uint32_t active);

  Truth read(const Operand &predicate) const;
  /// The guard, in lanes `active`.
  Truth guardOf(const Decoded &decoded, std::uint32_t active) const;
  /// The addresses that an access has, by its operand of that kind number
  /// `which`.
  WideValue addressOf(const Decoded &decoded, unsigned which) const;

private:
  struct Results;

  Value value(const Operand &operand) const;
  WideValue wide(const Operand &operand, bool isSigned) const;
  const Value &registerOf(const Operand &operand, unsigned next = 0) const;
  void set(const Operand &to, const Value &value, std::uint32_t mask,
           unsigned next = 0);
  void setWide(const Operand &to, const WideValue &value, std::uint32_t mask);
  void set(const Operand &to, Truth truth, std::uint32_t mask);
  void forget(const Decoded &decoded, std::uint32_t mask);
  Value special(std::string_view name) const;
  Value constant(std::int64_t offset) const;
  Value constant(const Operand &operand, unsigned next = 0) const;

  void multiplyAdd(const Decoded &, std::size_t first, std::uint32_t mask);
  void add3(const Decoded &, std::size_t first, std::uint32_t mask);
  void add64(const Decoded &, std::size_t first, std::uint32_t mask);
  void lea(const Decoded &, std::size_t first, std::uint32_t mask);
  void logic(const Decoded &, std::size_t first, std::uint32_t mask);
  void shift(const Decoded &, std::uint32_t mask);
  void compare(const Decoded &, std::uint32_t mask);
  void predicateLogic(const Decoded &, std::uint32_t mask);
  void minMax(const Decoded &, std::size_t first, std::uint32_t mask);
  void permute(const Decoded &, std::uint32_t mask);
  void movePredicates(const Decoded &, std::uint32_t mask);
  void fromInteger(const Decoded &, std::uint32_t mask);
  void toInteger(const Decoded &, std::uint32_t mask);
  void reciprocal(const Decoded &, std::uint32_t mask);
  void loadConstant(const Decoded &, std::uint32_t mask);
  void loadGlobal(const Decoded &, std::uint32_t mask);
  void vote(const Decoded &, std::uint32_t mask);
  void shuffle(const Decoded &, std::uint32_t mask);
  void accessLocal(const Decoded &, std::uint32_t mask);
  void compareDoubles(const Decoded &, std::uint32_t mask);
  bool dispatch(const Decoded &, std::uint32_t mask);

  const Launch &launch;
  const Machine &machine;
  std::array<std::uint32_t, 3> block;
  unsigned warp;
  std::uint32_t present = 0;
  std::array<Value, 256> registers, uniforms;
  std::array<Truth, 8> predicates, uniformPredicates;
  /// Local memory by address: where spills go.
  std::map<std::uint64_t, Value> local;
};

} // namespace tc::timing

#endif // TC_LIB_TIMING_LANES_H
