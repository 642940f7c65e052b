//===- MultiplyRates.cpp - Rates of multiply instructions -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Gpu/Atoms/MultiplyRates.h"

#include "tc/Machine/MatrixInstructions.h"
#include "tc/Problem/Semiring.h"

#include <algorithm>

namespace tc::model {

namespace {

/// A family of matrix instructions: for elements of some type, what is
/// multiplied of them.
struct Family {
  ElementType type;
  Precision precision;
  Instruction instruction;
  MatrixFactor factor;
};

using Factor = MatrixFactor;
constexpr Family families[] = {
    {ElementType::F64, Precision::IEEE, Instruction::MmaM8N8K4, Factor::F64},
    {ElementType::F64, Precision::IEEE, Instruction::MmaM16N8K4, Factor::F64},
    {ElementType::F64, Precision::IEEE, Instruction::MmaM16N8K8, Factor::F64},
    {ElementType::F64, Precision::IEEE, Instruction::MmaM16N8K16, Factor::F64},
    {ElementType::F32, Precision::TF32, Instruction::MmaM16N8K8, Factor::TF32},
    {ElementType::F32, Precision::TF32x3, Instruction::MmaM16N8K8,
     Factor::TF32},
    {ElementType::F32, Precision::BF16x3, Instruction::MmaM16N8K8,
     Factor::BF16},
    {ElementType::F32, Precision::BF16x3, Instruction::MmaM16N8K16,
     Factor::BF16},
    {ElementType::F16, Precision::IEEE, Instruction::MmaM16N8K8, Factor::F16},
    {ElementType::F16, Precision::IEEE, Instruction::MmaM16N8K16, Factor::F16},
    {ElementType::BF16, Precision::IEEE, Instruction::MmaM16N8K8, Factor::BF16},
    {ElementType::BF16, Precision::IEEE, Instruction::MmaM16N8K16,
     Factor::BF16},
    {ElementType::F8E4M3FN, Precision::IEEE, Instruction::MmaM16N8K8,
     Factor::F16},
    {ElementType::F8E4M3FN, Precision::IEEE, Instruction::MmaM16N8K16,
     Factor::F16},
    {ElementType::F8E4M3FN, Precision::IEEE, Instruction::MmaM16N8K32,
     Factor::F8},
    {ElementType::F8E5M2, Precision::IEEE, Instruction::MmaM16N8K8,
     Factor::F16},
    {ElementType::F8E5M2, Precision::IEEE, Instruction::MmaM16N8K16,
     Factor::F16},
    {ElementType::F8E5M2, Precision::IEEE, Instruction::MmaM16N8K32,
     Factor::F8},
};

MatrixShape matrixShapeOf(Instruction instruction) {
  const InstructionShape &shape = atomOf(instruction).shape;
  return {static_cast<int>(shape.rows), static_cast<int>(shape.columns),
          static_cast<int>(shape.depth)};
}

std::optional<MatrixLowering> loweringOf(const Family &family,
                                         const Target &target) {
  return loweringOf(family.factor, matrixShapeOf(family.instruction), target);
}

bool isNative(const Family &family, const Target &target) {
  return isNative(family.factor, matrixShapeOf(family.instruction), target);
}

bool multipliesBytes(const Family &family) {
  return family.factor == Factor::F8;
}

/// Returns true if the chip has a shape of more multiply-adds for the same
/// factors.
bool hasLargerShape(const Family &family, const Target &target) {
  auto multiplyAdds = [](Instruction instruction) {
    return atomOf(instruction).shape.multiplyAdds();
  };
  return std::any_of(
      std::begin(families), std::end(families), [&](const Family &other) {
        return other.factor == family.factor && isNative(other, target) &&
               multiplyAdds(other.instruction) >
                   multiplyAdds(family.instruction);
      });
}

/// On chips with multiplications for warp groups, `mma.sync` on types below f64
/// reaches about five eighths of their rate (Luo et al., "Benchmarking and
/// Dissecting the Nvidia Hopper GPU Architecture", IPDPS 2024).
double shareOfRate(const Family &family, const Target &target) {
  const GpuTimeCosts &costs = target.costs.time;
  // More instructions convert each operand than multiply it.
  if (multipliesBytes(family) && !isNative(family, target))
    return costs.mmaSyncPart * costs.convertingPart;
  if (family.factor != Factor::F64) {
    if (!target.has(Feature::WarpGroupMultiply))
      return 1;
    bool isShort = family.factor != Factor::TF32 &&
                   family.instruction == Instruction::MmaM16N8K8;
    return costs.mmaSyncPart * (isShort ? costs.shortHalfPart : 1);
  }
  // The small shape of f64 runs at half the rate where there are larger ones.
  // Those that are made of the small one have its rate.
  return family.instruction == Instruction::MmaM8N8K4 &&
                 hasLargerShape(family, target)
             ? costs.smallF64Part
             : 1;
}

int64_t rateOf(const Family &family, const Target &target) {
  const TensorCoreRates &rates = target.tensorFmaPerCycle;
  switch (family.factor) {
  case Factor::F64:
    return rates.f64;
  case Factor::TF32:
    return rates.tf32;
  case Factor::BF16:
    return rates.bf16;
  case Factor::F16:
    return rates.f16;
  case Factor::F8:
    return isNative(family, target) ? rates.f8 : rates.f16;
  case Factor::I8:
    return rates.i8;
  }
  return 0;
}

const Family *findFamily(const Contraction &contraction,
                         Instruction instruction) {
  const auto *found = std::find_if(
      std::begin(families), std::end(families), [&](const Family &family) {
        return family.instruction == instruction &&
               family.type == contraction.factorType &&
               family.precision == contraction.precision;
      });
  return found == std::end(families) ? nullptr : found;
}

/// "f32 with precision tf32".
std::string describeFactors(ElementType type, Precision precision) {
  std::string text(stringify(type));
  if (precision != Precision::IEEE)
    text += " with precision " + std::string(stringify(precision));
  return text;
}

/// The version of the PTX ISA that has `mma.sync` of 8-bit floats.
constexpr unsigned float8PtxVersion = 84;

/// "8.4".
std::string describePtxVersion(unsigned version) {
  return std::to_string(version / 10) + "." + std::to_string(version % 10);
}

/// Instructions of a thread, by the units that they take.
struct UnitInstructions {
  int64_t floating = 0; ///< additions and multiplications, fused or not
  int64_t integer = 0;  ///< all else: integers, comparisons, selections

  UnitInstructions operator+(const UnitInstructions &other) const {
    return {floating + other.floating, integer + other.integer};
  }
};

/// A minimum or maximum is one instruction on 32 bits. On 64, it compares the
/// numbers and selects their halves.
UnitInstructions minimumOf(ElementType type) {
  switch (type) {
  case ElementType::F64:
    return {1, 2};
  case ElementType::I64:
    return {0, 4};
  default:
    return {0, 1};
  }
}

/// Another operation on numbers of a type: on i64, one for each half.
UnitInstructions operationOn(ElementType type) {
  if (isInteger(type))
    return {0, type == ElementType::I64 ? 2 : 1};
  return {1, 0};
}

/// The instructions that multiply two factors and combine the product with a
/// sum. The sum of products is fused, and so are bitwise operations (LOP3). The
/// product of two i64 is one wide multiply-add and two narrow ones.
/// User-defined operations are taken to be an instruction each.
UnitInstructions instructionsOfProduct(const Contraction &contraction) {
  Semiring semiring = contraction.semiring;
  ElementType type = contraction.accumulatorType;
  if (semiring == Semiring::UserDefined) {
    UnitInstructions one = operationOn(type);
    int64_t operations = contraction.userSemiring.operations;
    return {operations * one.floating, operations * one.integer};
  }
  UnitInstructions wideProduct = {0, 4};
  Combine combine = combineOf(semiring);
  Product product = productOf(semiring);
  bool isWide = type == ElementType::I64;
  if (combine == Combine::Add)
    return isWide ? wideProduct : operationOn(type);
  if (product == Product::And)
    return operationOn(type);
  UnitInstructions ofProduct =
      product == Product::Max || product == Product::Min ? minimumOf(type)
      : product == Product::Multiply && isWide           ? wideProduct
                                                         : operationOn(type);
  return ofProduct + minimumOf(type);
}

/// Products that single threads multiply and combine a cycle and
/// multiprocessor: the units work side by side.
double productsPerCycle(const Contraction &contraction, const Target &target) {
  ElementType type = contraction.accumulatorType;
  UnitInstructions work = instructionsOfProduct(contraction);
  double cycles = std::max(static_cast<double>(work.floating) /
                               static_cast<double>(target.fmaPerCycle(type)),
                           static_cast<double>(work.integer) /
                               target.costs.time.integerPerCycle);
  return 1 / cycles;
}

} // namespace

int64_t nativeInstructionsOf(const Contraction &contraction,
                             Instruction instruction, const Target &target) {
  const Family *family = findFamily(contraction, instruction);
  std::optional<MatrixLowering> lowering;
  if (family)
    lowering = loweringOf(*family, target);
  return lowering ? lowering->instructions : 1;
}

int64_t instructionsPerProduct(const Contraction &contraction,
                               Instruction instruction) {
  if (atomOf(instruction).isCollective())
    return 1;
  UnitInstructions work = instructionsOfProduct(contraction);
  return work.floating + work.integer;
}

ElementType sharedTileTypeOf(const Contraction &contraction,
                             Instruction instruction) {
  ElementType type = contraction.factorType;
  if (!atomOf(instruction).isCollective() || !isFloat8(type))
    return type;
  const auto *family =
      std::find_if(std::begin(families), std::end(families), [&](auto &family) {
        return family.type == type && family.instruction == instruction;
      });
  return family == std::end(families) || multipliesBytes(*family)
             ? type
             : ElementType::F16;
}

Result<double> multiplyAddsPerCycle(const Contraction &contraction,
                                    Instruction instruction,
                                    const Target &target) {
  if (instruction == Instruction::FMA)
    return productsPerCycle(contraction, target);
  auto error = [&](const std::string &why) {
    return Error{"schedule: instruction '" +
                 std::string(stringify(instruction)) + "' " + why};
  };
  if (contraction.semiring != Semiring::PlusTimes)
    return error("sums products, but the semiring is '" +
                 std::string(stringify(contraction.semiring)) + "'");
  ElementType type = contraction.factorType;
  const Family *family = findFamily(contraction, instruction);
  if (!family) {
    std::string factors;
    for (const Family &other : families)
      if (other.instruction == instruction)
        factors += (factors.empty() ? "" : ", ") +
                   describeFactors(other.type, other.precision);
    return error("multiplies " + factors + ", not " +
                 describeFactors(type, contraction.precision));
  }
  auto needs = [&](const std::string &what) {
    return error("for " + describeFactors(type, contraction.precision) +
                 " needs " + what);
  };
  int64_t rate = rateOf(*family, target);
  if (!loweringOf(*family, target) || rate == 0) {
    std::optional<unsigned> least =
        leastCapability(family->factor, matrixShapeOf(instruction));
    return needs("tensor cores of sm_" + std::to_string(least.value_or(0)) +
                 ", which " + target.name + " does not have");
  }
  if (multipliesBytes(*family) && target.ptxVersion < float8PtxVersion)
    return needs("version " + describePtxVersion(float8PtxVersion) +
                 " of PTX, but " + target.name + " has " +
                 describePtxVersion(target.ptxVersion));
  return static_cast<double>(rate) * shareOfRate(*family, target) /
         static_cast<double>(partProducts(family->precision));
}

std::vector<Instruction> instructionsFor(const Contraction &contraction,
                                         const Target &target) {
  auto rateOf = [&](Instruction instruction) {
    Result<double> rate =
        multiplyAddsPerCycle(contraction, instruction, target);
    int64_t laneBytes =
        atomOf(instruction).laneDepth() * byteWidth(contraction.factorType);
    const Family *family = findFamily(contraction, instruction);
    return family && isNative(*family, target) && rate &&
                   laneBytes <= target.widestAccessBytes
               ? *rate
               : 0;
  };
  double best = 1;
  for (const MultiplyAtom &atom : multiplyAtoms)
    best = std::max(best, rateOf(atom.instruction));
  std::vector<Instruction> result;
  // A shape of more than half of the rate may divide what the others don't.
  // Shapes are listed by ascending depth.
  for (const MultiplyAtom &atom : multiplyAtoms)
    if (rateOf(atom.instruction) > best / 2)
      result.insert(result.begin(), atom.instruction);
  result.push_back(Instruction::FMA);
  return result;
}

} // namespace tc::model
