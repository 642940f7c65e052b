//===- CarryPositions.cpp - Positions that grow by loops' steps -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CarryPositions.h"

#include "tc/Support/MLIR/LLVM.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"

#include "llvm/ADT/MapVector.h"

using namespace tc;
namespace arith = mlir::arith;
namespace scf = mlir::scf;

namespace {

/// A number in a loop: `base + scale * i + constant`, where `base` is null or
/// is computed outside, and `i` is the loop's induction variable.
struct LinearForm {
  Value base;
  int64_t scale = 0, constant = 0;
};

/// Replaces the positions of one loop.
class Carrier {
public:
  Carrier(mlir::IRRewriter &rewriter, scf::ForOp loop)
      : rewriter(rewriter), loop(loop) {}

  void run();

private:
  /// The start of a number along the loop, and its growth.
  using Progress = std::pair<Value, int64_t>;

  std::optional<LinearForm> formOf(Value value);
  void noteForms();
  bool isUsedByOthers(Operation *op) const;
  Value constant(int64_t value);
  Value add(Value a, Value b);
  /// The number that is carried in a trip, without the constant.
  Value positionAt(const Progress &progress, Value trip);
  void replace(Value position, ArrayRef<Operation *> ops);
  using Used = llvm::MapVector<Progress, SmallVector<Operation *>>;
  /// The progress that a loop had best count by.
  Used::iterator findCounted();
  void carry();
  void countBy(const Progress &progress, ArrayRef<Operation *> ops);

  mlir::IRRewriter &rewriter;
  scf::ForOp loop;
  /// Of the body's sums and products, those that are linear.
  llvm::MapVector<Operation *, LinearForm> forms;
  /// Those that something else uses, by their progress.
  Used used;
};

} // namespace

std::optional<LinearForm> Carrier::formOf(Value value) {
  if (std::optional<int64_t> constant = mlir::getConstantIntValue(value))
    return LinearForm{Value(), 0, *constant};
  if (value == loop.getInductionVar())
    return LinearForm{Value(), 1, 0};
  if (loop.isDefinedOutsideOfLoop(value))
    return LinearForm{value, 0, 0};
  auto *found = forms.find(value.getDefiningOp());
  if (found == forms.end())
    return std::nullopt;
  return found->second;
}

void Carrier::noteForms() {
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (!isa<arith::AddIOp, arith::MulIOp>(op) ||
        !op.getResult(0).getType().isIndex())
      continue;
    std::optional<LinearForm> a = formOf(op.getOperand(0)),
                              b = formOf(op.getOperand(1));
    if (!a || !b)
      continue;
    if (isa<arith::AddIOp>(op)) {
      // A difference of positions stays the same only while both are computed.
      if ((a->base && b->base) || (a->scale != 0 && a->scale + b->scale == 0))
        continue;
      forms[&op] = {a->base ? a->base : b->base, a->scale + b->scale,
                    a->constant + b->constant};
      continue;
    }
    if (a->base || a->scale != 0)
      std::swap(a, b);
    if (!a->base && a->scale == 0 && a->constant != 0 && !b->base)
      forms[&op] = {Value(), b->scale * a->constant, b->constant * a->constant};
  }
}

/// Returns true if something that is not computed from where the loop begins
/// needs a position, too.
bool Carrier::isUsedByOthers(Operation *op) const {
  return llvm::any_of(op->getUsers(),
                      [&](Operation *user) { return !forms.contains(user); });
}

Value Carrier::constant(int64_t value) {
  return arith::ConstantIndexOp::create(rewriter, loop.getLoc(), value);
}

Value Carrier::add(Value a, Value b) {
  return arith::AddIOp::create(rewriter, loop.getLoc(), a, b,
                               arith::IntegerOverflowFlags::nsw);
}

Value Carrier::positionAt(const Progress &progress, Value trip) {
  auto [base, scale] = progress;
  Value grown;
  if (std::optional<int64_t> known = mlir::getConstantIntValue(trip)) {
    if (base && *known == 0)
      return base;
    grown = constant(*known * scale);
  } else if (scale == 1) {
    grown = trip;
  } else {
    grown =
        arith::MulIOp::create(rewriter, loop.getLoc(), trip, constant(scale),
                              arith::IntegerOverflowFlags::nsw);
  }
  return base ? add(base, grown) : grown;
}

/// Puts a position in the places of those that have its progress.
void Carrier::replace(Value position, ArrayRef<Operation *> ops) {
  for (Operation *op : ops) {
    rewriter.setInsertionPoint(op);
    int64_t offset = forms[op].constant;
    rewriter.replaceAllUsesWith(op->getResult(0),
                                offset == 0 ? position
                                            : add(position, constant(offset)));
  }
}

Carrier::Used::iterator Carrier::findCounted() {
  auto *counted = llvm::find_if(
      used, [](const auto &entry) { return entry.first.second == 1; });
  if (counted != used.end())
    return counted;
  return llvm::find_if(
      used, [](const auto &entry) { return entry.first.second > 0; });
}

/// Carries positions that the loop does not count by.
void Carrier::carry() {
  rewriter.setInsertionPoint(loop);
  int64_t step = *mlir::getConstantIntValue(loop.getStep());
  SmallVector<Value> begins, steps;
  for (const auto &[progress, ops] : used) {
    begins.push_back(positionAt(progress, loop.getLowerBound()));
    steps.push_back(constant(progress.second * step));
  }
  loop = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, begins, /*replaceInitOperandUsesInLoop=*/false,
      [&](mlir::OpBuilder &, Location, ArrayRef<mlir::BlockArgument> carried) {
        SmallVector<Value> next;
        for (auto [position, by] : llvm::zip_equal(carried, steps))
          next.push_back(add(position, by));
        return next;
      }));
  for (const auto &[position, entry] :
       llvm::zip_equal(loop.getRegionIterArgs().take_back(begins.size()), used))
    replace(position, entry.second);
}

/// Lets a loop count by a position, if nothing needs the trip's number.
void Carrier::countBy(const Progress &progress, ArrayRef<Operation *> ops) {
  rewriter.setInsertionPoint(loop);
  Value begin = positionAt(progress, loop.getLowerBound());
  Value end = positionAt(progress, loop.getUpperBound());
  int64_t step = *mlir::getConstantIntValue(loop.getStep());
  replace(loop.getInductionVar(), ops);
  rewriter.setInsertionPoint(loop);
  loop.setLowerBound(begin);
  loop.setUpperBound(end);
  loop.setStep(constant(progress.second * step));
}

void Carrier::run() {
  // Registers for them are there in innermost loops of few tensors.
  constexpr size_t mostCarried = 4;
  if (!mlir::getConstantIntValue(loop.getStep()) ||
      !loop.getInductionVar().getType().isIndex())
    return;
  noteForms();
  bool needsTrip =
      llvm::any_of(loop.getInductionVar().getUsers(),
                   [&](Operation *user) { return !forms.contains(user); });
  for (auto &[op, form] : forms)
    if (form.scale != 0 && isUsedByOthers(op)) {
      needsTrip |= form.scale == 1 && !form.base;
      used[{form.base, form.scale}].push_back(op);
    }
  // Addresses have a place for the trip's number, and a sum costs little.
  if (needsTrip)
    used.remove_if([](auto &entry) { return entry.first.second == 1; });
  if (used.empty() || used.size() > mostCarried)
    return;
  auto *counted = needsTrip ? used.end() : findCounted();
  std::optional<std::pair<Progress, SmallVector<Operation *>>> counts;
  if (counted != used.end()) {
    counts = std::move(*counted);
    used.erase(counted);
  }
  if (!used.empty())
    carry();
  if (counts)
    countBy(counts->first, counts->second);
  for (auto &[op, form] : llvm::reverse(forms))
    if (mlir::isOpTriviallyDead(op))
      rewriter.eraseOp(op);
}

namespace {

struct CarryPositions
    : public mlir::PassWrapper<CarryPositions, mlir::OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CarryPositions)

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) {
      auto nested = [&](Operation *op) {
        return op != loop && isa<mlir::LoopLikeOpInterface>(op)
                   ? mlir::WalkResult::interrupt()
                   : mlir::WalkResult::advance();
      };
      if (!loop->walk(nested).wasInterrupted())
        loops.push_back(loop);
    });
    mlir::IRRewriter rewriter(&getContext());
    for (scf::ForOp loop : loops)
      Carrier(rewriter, loop).run();
  }
};

} // namespace

std::unique_ptr<mlir::Pass> tc::createCarryPositionsPass() {
  return std::make_unique<CarryPositions>();
}
