//===- LoopNest.h - A kernel's loop over tiles ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds the loops of one contraction of a kernel, in place of the operation.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_LOOPNEST_H
#define TC_LIB_CONVERSION_TCTOGPU_LOOPNEST_H

#include "BlockTiles.h"

#include "tc/Conversion/TCToGPU/KernelPlan.h"
#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Problem/ComplexParts.h"

#include <memory>

namespace tc {

/// Copies regions of a contraction.
void copyRegions(ArrayRef<mlir::Region *> from,
                 mlir::MutableArrayRef<mlir::Region> to);

/// The loop nest that the schedule of one contraction denotes, built before the
/// operation and in its place.
class LoopNest {
public:
  LoopNest(ContractOp op, const KernelInfo &kernel)
      : op(op), kernel(kernel), layout(kernel.layout), builder(op),
        loc(nameStep(op, "loop over tiles")),
        coordinate(builder, loc, coordinateType(kernel, op.getContext())),
        counter(builder, loc, builder.getI32Type()), shape(kernel, op),
        sumType(kernel.sumType(op.getContext())),
        masks(model::masksProducts(kernel.contraction, layout)) {}

  void build();
  /// The same in parts, for a kernel that adds several contractions up: where
  /// the block's tile is, adding this contraction's products to sums that the
  /// term before has left, and storing them. The operation is erased at last.
  void enter();
  void enterBeside(const LoopNest &other);
  void flattenInputs();
  Value toCoordinate(Value origin);
  SmallVector<Value> addTerm(mlir::ValueRange sums, const KernelInfo &before);
  SmallVector<Value> beginSums() { return addProducts(zeroSums()); }
  void finish(mlir::ValueRange sums);
  /// The same for a kernel that computes a chain of contractions: where the
  /// block's tile of this one is, which `consumer` takes; and the sums of this
  /// one, whose chained input is what the threads have of the producer.
  void enterBefore(const LoopNest &consumer);
  SmallVector<Value> multiplyProduced(mlir::ValueRange produced,
                                      LoopNest &producer);
  /// The same for a kernel whose contractions have an input in common: where
  /// the block's tile of this one is, which reads the tile of it that `other`
  /// does.
  void enterSharing(const LoopNest &other,
                    const model::LinkedIndices &sharedIndices);
  void waitForReaders();
  void erase() { op.erase(); }
  /// Builds what follows before that operation.
  void moveTo(ContractOp other) { builder.setInsertionPoint(other); }
  /// Builds what follows at the end of a block.
  void moveTo(mlir::Block *block) { builder.setInsertionPointToEnd(block); }

private:
  friend class SteppedChain;

  /// The part of an input's tile that threads hold on its way by registers, or
  /// the group of its copies: nothing of either if it goes the other way.
  struct StartedInput {
    SmallVector<Value> fragments;
    Value group;
  };
  /// The same of both inputs, whose copies are in one group.
  struct StartedTile {
    SmallVector<Value> a, b;
    Value group;
  };
  /// The state of the loop over K tiles.
  struct Progress {
    SmallVector<Value> sums;
    /// Of the next tile to start, and of the next one to multiply if its
    /// products may have to be left out.
    SmallVector<Value> kOrigins, multiplied;
    /// The pairs of shared tiles of the next tile to multiply and of the next
    /// one to start, in bytes (i32).
    Value buffer, free;
    /// The groups of the tiles that are on their way, in their order; none if
    /// all go by registers.
    SmallVector<Value> groups;
  };

  Value flatten(unsigned argument, int64_t size);
  Value flatten(model::Tensor tensor);
  Value sharedTile(Input input, Value buffer);
  void setOrigins(ArrayRef<model::TileDim> dims, Value number);
  SmallVector<Value> originsOf(ArrayRef<model::TileDim> dims,
                               mlir::ValueRange kOrigins);
  SmallVector<Value> originsOf(Input input, mlir::ValueRange kOrigins);
  Value copy(Input input, mlir::ValueRange kOrigins, Value buffer,
             Value active);
  SmallVector<Value> fetch(Input input, mlir::ValueRange kOrigins,
                           Value active);
  StartedTile startTile(mlir::ValueRange kOrigins, Value buffer, Value active);
  void deposit(Input input, mlir::ValueRange fragments,
               mlir::ValueRange kOrigins, Value buffer);
  void finishTile(const StartedTile &tile, mlir::ValueRange kOrigins,
                  Value buffer, Value active);
  SmallVector<Value> waitForTiles(ArrayRef<Input> inputs, Value buffer,
                                  Value group, int64_t laterGroups = 0);
  SmallVector<Value> waitForTile(const Progress &at);
  SmallVector<Value> multiply(mlir::ValueRange tiles, mlir::ValueRange kOrigins,
                              mlir::ValueRange sums);
  SmallVector<Value> advance(mlir::ValueRange kOrigins);
  Value nextBuffer(Value buffer);
  Progress step(const Progress &at, Value active);
  Progress loop(const Progress &before, Value trips, int64_t steps,
                Value started);
  int64_t stepsOfRound(mlir::ValueRange kOrigins) const;
  SmallVector<Value> pipeline(Progress at, int64_t tilesAhead, Value count);
  SmallVector<Value> zeroSums();
  model::TileRange<Value> tilesOfPart(int64_t parts, Value part);
  SmallVector<Value> addTiles(mlir::ValueRange sums,
                              const model::TileRange<Value> &tiles);
  SmallVector<Value> addProducts(mlir::ValueRange sums);
  SmallVector<Value> transposeSums(mlir::ValueRange sums,
                                   const model::KernelLayout &before);
  void rescaleSums(SmallVector<Value> &sums, mlir::TypedAttr from,
                   mlir::TypedAttr to);
  KernelAttr mainAttr() const {
    return op->getParentOfType<mlir::gpu::GPUFuncOp>()
        ->getAttrOfType<KernelAttr>(KernelAttr::attrName);
  }
  /// The input that no producer computes, and its tile on its way to the
  /// shared one.
  Input otherInput() const {
    return kernel.producedInput() == model::Tensor::A ? Input::B : Input::A;
  }
  StartedInput startInput(Input input, mlir::ValueRange kOrigins, Value buffer,
                          Value active);
  void storeProduced(mlir::ValueRange produced, LoopNest &producer,
                     mlir::ValueRange kOrigins, Value buffer);
  /// The same where it stays in registers: the factors that the thread has, and
  /// their product with the shared tile of B.
  SmallVector<Value> factorsOf(mlir::ValueRange produced, LoopNest &producer,
                               mlir::ValueRange kOrigins);
  SmallVector<Value> multiplyFactors(mlir::ValueRange factors, Value tile,
                                     mlir::ValueRange sums);
  /// Returns true if there is code between the producer's sums and the factors;
  /// builds that code.
  bool hasCodeBetween(LoopNest &producer);
  void buildCodeAfter(LoopNest &producer, mlir::Region &region);
  SmallVector<Value> sumTile(Value part);
  SmallVector<Value> sumThreeProducts();
  void reduceTile(mlir::ValueRange sums);
  void storeTile(mlir::ValueRange sums);
  void storeSharedTile(mlir::ValueRange sums);
  void loopOverTiles(const model::BlockPlace<Value> &place);

  Value workspace() {
    return op->getParentOfType<mlir::gpu::GPUFuncOp>().getArgument(
        kernel.workspaceArgument());
  }
  const model::TiledCopy &tiledCopyOf(Input input) const {
    return input == Input::A ? layout.a : layout.b;
  }
  /// Sums that the block adds up one after the other.
  int64_t sumsOfTile() const {
    return layout.threeProducts ? model::minProducts : 1;
  }
  /// Threads wait for groups of an input's copies.
  bool completesByGroups(Input input) const {
    return tiledCopyOf(input).atom().completion == model::Completion::Group;
  }
  bool completesByGroups() const {
    return completesByGroups(Input::A) || completesByGroups(Input::B);
  }

  ContractOp op;
  const KernelInfo &kernel;
  const model::KernelLayout &layout;
  OpBuilder builder;
  Location loc;
  IndexBuilder coordinate, counter;
  ShapeValues shape;
  Type sumType;
  bool masks;

  /// The one of three products that is added up, if there are three.
  int64_t product = 0;
  Value flatA, flatB, flatC, storage;
  SmallVector<Value> flatSides;
  model::BlockPlace<Value> place;
  /// The origin of the present tile along batch, M and N indices.
  DenseMap<unsigned, Value> outputOrigins;
};

/// The loops of a chain whose last contraction takes what it sums over in
/// steps, or its softmax. The nests are in the order of the contractions.
void buildSteppedChain(ContractOp last,
                       ArrayRef<std::unique_ptr<LoopNest>> nests,
                       const KernelPlan &plan);

/// The loops of a chain, of which the last operation is that of `tc.kernel`,
/// whose number is zero.
void buildChain(ArrayRef<ContractOp> ops, const KernelPlan &plan);

/// The loops of contractions that have an input in common, of which the last
/// operation is that of `tc.kernel`, whose number is zero.
void buildProductsOfInput(ArrayRef<ContractOp> ops, const KernelPlan &plan);

/// The loops of several terms. The last operation is that of `tc.kernel`, whose
/// number is zero: it stores what all have added up.
void buildSum(ArrayRef<ContractOp> ops, const KernelPlan &plan);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_LOOPNEST_H
