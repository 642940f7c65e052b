//===- VectorMath.cpp - Functions on vectors ------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's table of libmvec's functions is older than most of them, and knows
// none on 512 bits.
//
//===----------------------------------------------------------------------===//

#include "VectorMath.h"

#include "tc/Dialect/TC/Utils/ElementArithmetic.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Pass/Pass.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/TargetParser/Triple.h"

#include <algorithm>

using namespace tc;
namespace func = mlir::func;
namespace vector = mlir::vector;
using mlir::VectorType;

/// The name in C of an operation's function; nothing if it is none of these.
static StringRef nameInC(Operation *op) {
  return llvm::StringSwitch<StringRef>(op->getName().getStringRef())
      .Case("math.acos", "acos")
      .Case("math.acosh", "acosh")
      .Case("math.asin", "asin")
      .Case("math.asinh", "asinh")
      .Case("math.atan", "atan")
      .Case("math.atan2", "atan2")
      .Case("math.atanh", "atanh")
      .Case("math.cbrt", "cbrt")
      .Case("math.cos", "cos")
      .Case("math.cosh", "cosh")
      .Case("math.erf", "erf")
      .Case("math.erfc", "erfc")
      .Case("math.exp", "exp")
      .Case("math.exp2", "exp2")
      .Case("math.expm1", "expm1")
      .Case("math.log", "log")
      .Case("math.log10", "log10")
      .Case("math.log1p", "log1p")
      .Case("math.log2", "log2")
      .Case("math.powf", "pow")
      .Case("math.sin", "sin")
      .Case("math.sinh", "sinh")
      .Case("math.tan", "tan")
      .Case("math.tanh", "tanh")
      .Default("");
}

/// Returns true if this machine's library has a function.
static bool isInLibrary(const std::string &name) {
  static llvm::sys::DynamicLibrary library =
      llvm::sys::DynamicLibrary::getLibrary(vectorMathLibrary);
  return library.isValid() && library.getAddressOfSymbol(name.c_str());
}

namespace {

/// Vectors of one instruction set, by the letter that names carry.
struct VectorSet {
  char letter = 'b';
  int64_t bits = 128;
};

struct VectorMath
    : public mlir::PassWrapper<VectorMath, mlir::OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VectorMath)

  explicit VectorMath(std::optional<VectorSet> vectors) : vectors(vectors) {}

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<vector::VectorDialect>();
  }

  void runOnOperation() override {
    if (!vectors)
      return;
    SmallVector<Operation *> operations;
    getOperation()->walk([&](Operation *op) {
      if (!nameInC(op).empty())
        operations.push_back(op);
    });
    for (Operation *op : operations)
      replace(op);
  }

private:
  void replace(Operation *op);
  func::FuncOp declare(const std::string &name, mlir::FunctionType type);

  std::optional<VectorSet> vectors;
};

} // namespace

func::FuncOp VectorMath::declare(const std::string &name,
                                 mlir::FunctionType type) {
  ModuleOp module = getOperation();
  if (auto known = module.lookupSymbol<func::FuncOp>(name))
    return known;
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  auto function = func::FuncOp::create(builder, module.getLoc(), name, type);
  function.setPrivate();
  function->setAttr("llvm.readnone", builder.getUnitAttr());
  return function;
}

void VectorMath::replace(Operation *op) {
  Type resultType = op->getResult(0).getType();
  auto shape = dyn_cast<VectorType>(resultType);
  Type elementType = mlir::getElementTypeOrSelf(resultType);
  mlir::ImplicitLocOpBuilder builder(op->getLoc(), op);
  // There are functions of float and of double.
  bool isDouble = elementType.isF64();
  Type computed = isDouble ? builder.getF64Type() : builder.getF32Type();
  if (elementType.getIntOrFloatBitWidth() > 64 ||
      (shape && shape.getRank() != 1))
    return;
  int64_t lanes = vectors->bits / computed.getIntOrFloatBitWidth();
  std::string name =
      (vectorMathPrefix + llvm::Twine(vectors->letter) + "N" +
       llvm::Twine(lanes) + std::string(op->getNumOperands(), 'v') + "_" +
       nameInC(op) + (isDouble ? "" : "f"))
          .str();
  if (!isInLibrary(name))
    return;

  auto laneType = VectorType::get(lanes, computed);
  SmallVector<Type> parameters(op->getNumOperands(), laneType);
  func::FuncOp function =
      declare(name, builder.getFunctionType(parameters, laneType));
  auto call = [&](ValueRange arguments) {
    return func::CallOp::create(builder, function, arguments).getResult(0);
  };
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(
        convertElements(builder, builder.getLoc(), operand, computed));
  Value result;
  if (!shape) {
    for (Value &operand : operands)
      operand = vector::BroadcastOp::create(builder, laneType, operand);
    result = vector::ExtractOp::create(builder, call(operands), 0);
  } else {
    int64_t elements = shape.getNumElements();
    for (int64_t first = 0; first < elements; first += lanes) {
      int64_t count = std::min(lanes, elements - first);
      // Lanes that are too many repeat the last element.
      SmallVector<int64_t> taken(lanes), kept(count);
      for (int64_t lane = 0; lane < lanes; ++lane)
        taken[lane] = first + std::min(lane, count - 1);
      for (int64_t lane = 0; lane < count; ++lane)
        kept[lane] = lane;
      SmallVector<Value> arguments;
      for (Value operand : operands)
        arguments.push_back(
            vector::ShuffleOp::create(builder, operand, operand, taken));
      Value computedLanes = call(arguments);
      Value part = vector::ShuffleOp::create(builder, computedLanes,
                                             computedLanes, kept);
      if (!result) {
        if (count == elements) {
          result = part;
          break;
        }
        result = vector::BroadcastOp::create(
            builder, VectorType::get(elements, computed),
            vector::ExtractOp::create(builder, part, 0).getResult());
      }
      result = vector::InsertStridedSliceOp::create(builder, part, result,
                                                    ArrayRef<int64_t>(first),
                                                    ArrayRef<int64_t>(1));
    }
  }
  result = convertElements(builder, builder.getLoc(), result, elementType);
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

std::unique_ptr<mlir::Pass> tc::createVectorMathPass(const llvm::Triple &triple,
                                                     StringRef features) {
  std::optional<VectorSet> vectors;
  if (triple.getArch() == llvm::Triple::x86_64 && triple.isOSGlibc()) {
    vectors.emplace();
    SmallVector<StringRef> list;
    features.split(list, ',');
    if (llvm::is_contained(list, "+avx512f"))
      vectors = VectorSet{'e', 512};
    else if (llvm::is_contained(list, "+avx2"))
      vectors = VectorSet{'d', 256};
  }
  return std::make_unique<VectorMath>(vectors);
}
