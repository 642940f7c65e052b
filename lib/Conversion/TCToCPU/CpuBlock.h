//===- CpuBlock.h - Common parts of the CPU lowering ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A builder with the arithmetic of offsets, and the values that describe one
// block: its origin and extents along each index, and the tables that say where
// the chunks of its rows and columns lie in C.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_TCTOCPU_CPUBLOCK_H
#define TC_LIB_CONVERSION_TCTOCPU_CPUBLOCK_H

#include "tc/Conversion/TCToCPU/Outlined.h"
#include "tc/Cpu/CpuSchedule.h"
#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Dialect/TC/Utils/ElementArithmetic.h"
#include "tc/Problem/ComplexParts.h"
#include "tc/Support/MLIR/LLVM.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tc::cpu {

/// Builds index arithmetic, folded where operands are constant.
class Emitter {
public:
  explicit Emitter(ImplicitLocOpBuilder &builder) : builder(builder) {}

  Value constant(int64_t value);
  Value boolean(bool value);
  Value add(Value a, Value b);
  Value sub(Value a, Value b);
  Value mul(Value a, Value b);
  Value mul(Value a, int64_t b) { return mul(a, constant(b)); }
  Value min(Value a, Value b);
  Value ceilDiv(Value a, int64_t b);
  Value floorDiv(Value a, int64_t b);
  Value remainder(Value a, int64_t b);
  Value lessThan(Value a, Value b);
  Value equal(Value a, Value b);

  /// A loop from 0 to `end`; none if that is the constant one.
  void loop(Value end, function_ref<void(Value)> body) {
    loop(constant(0), end, body);
  }
  /// The same from `begin` to `end`.
  void loop(Value begin, Value end, function_ref<void(Value)> body);
  void ifThen(Value condition, function_ref<void()> body);
  void ifThenElse(Value condition, function_ref<void()> thenBody,
                  function_ref<void()> elseBody);

  /// A region that a team of that many threads runs, each all of it.
  void parallel(int64_t threads, function_ref<void()> body);
  /// A loop in such a region whose iterations the team shares out, in runs; all
  /// wait at its end, unless the region ends with it. Correct with any size of
  /// the team.
  void shareOut(int64_t end, function_ref<void(Value)> body,
                bool endsRegion = false);
  /// A point in such a region that no thread passes before all have come there.
  void barrier();

  /// Memory on the stack of the function, or of the thread, that this is in;
  /// one piece, however often it is come by.
  Value allocateOnStack(MemRefType type, int64_t alignment);

  Value load(Value memref, Value position);
  void store(Value value, Value memref, Value position);
  /// `lanes` neighbours.
  Value loadVector(Value memref, Value position, int64_t lanes);
  /// The first `count` of `lanes` neighbours, and zeros, or `filler` if given.
  Value loadFirstLanes(Value memref, Value position, Value count, int64_t lanes,
                       Value filler);
  void storeVector(Value vector, Value memref, Value position);
  /// Fetches the data at a position: to be written, into the first cache, or to
  /// be read later, into the second.
  void prefetch(Value memref, Value position, bool isWrite);

  ImplicitLocOpBuilder &builder;
};

/// All memory of one contraction, in one piece: allocators keep a single piece
/// that was freed for the next call, where many would go back to the operating
/// system and return as fresh pages.
class Workspace {
public:
  explicit Workspace(Emitter &emit) : emit(emit) {}

  /// Asks for a buffer; `view` is set by `allocate`, and has to live until
  /// then.
  void request(Value &view, Type elementType, int64_t elements);
  void allocate();
  bool isRequested() const { return !requests.empty(); }
  /// A value that is true if there is the memory, or if there are no requests.
  /// Views must not be accessed otherwise.
  Value isAllocated();
  void free();

private:
  struct Request {
    Value *view;
    MemRefType type;
    int64_t offset;
  };

  Emitter &emit;
  SmallVector<Request> requests;
  int64_t bytes = 0;
  Value memory;
};

/// A value that is true if memory was allocated.
Value isAllocated(Emitter &emit, Value memory);

/// Goes on only if there is all memory: the code that follows is emitted
/// behind. In a function that --tc-outline-contractions made, the function
/// returns else that there is none, after it freed `allocated` and what is
/// freed further down; elsewhere the program is aborted, with a message.
void requireMemory(Emitter &emit, Value condition, ArrayRef<Value> allocated);

/// The same of any failure.
void require(Emitter &emit, Value condition, const CallFailure &failure,
             ArrayRef<Value> allocated);

/// Transposes as many vectors as each has elements, a power of two, by
/// exchanging ever smaller squares.
void transposeSquare(ImplicitLocOpBuilder &builder,
                     SmallVectorImpl<Value> &square);

/// Origin and extent of a block along the indices of one role.
struct Range {
  SmallVector<Value> origins, sizes;
};

/// A tensor with elements for those of the product: C, or one that the epilogue
/// reads, too.
struct OutputTensor {
  /// The tensor as one dimension, and the position of its first element in the
  /// batch.
  Value elements, base;
  /// The distance of neighbours along each of the contraction's indices.
  SmallVector<int64_t> strides;

  int64_t strideOf(const model::CpuIndex &index) const {
    return index.position ? strides[*index.position] : 0;
  }
};

/// The places of the elements of a block's rows or columns, by chunk.
struct SideTables {
  /// Elements in a chunk, null if all panels are full; and its place in the
  /// packed block, null if each is a panel.
  Value counts, places;
  /// Offset of a chunk's first element in each of OutputUpdate::tensors; null
  /// for those that have one element for all of the side.
  SmallVector<Value> outputOffsets;
  /// Panels in the block, and chunks that the last one lacks.
  Value panels, missing;
};

/// The form that panels give to an input of complex numbers, whose parts lie
/// side by side along their first index: conjugated or not, and multiplied by
/// the row of a number's matrix that a coordinate of K gives.
struct PackedParts {
  bool conjugated = false;
  /// The place in CpuLayout::k of the index along the rows, if each number is a
  /// matrix; and whether the other input is conjugated.
  std::optional<unsigned> row;
  bool otherConjugated = false;
};

/// The form that panels give to an input of complex numbers that are multiplied
/// by three real products: the factors of one product for the whole block, then
/// those of the next (factorOfProduct).
struct PackedFactors {
  bool isA = true, conjugated = false;
};

/// The panels of one operand.
struct PackedBlock {
  Value buffer;
  /// Elements from one panel to the next.
  int64_t panelStride = 0;
  /// The region that maps elements before they are packed; null if none does.
  mlir::Region *prologue = nullptr;
  /// If the operand is complex and its parts run along C's.
  std::optional<PackedParts> parts;
  /// If complex numbers are multiplied by three real products; and elements
  /// from one product's factors to the next's in a panel.
  std::optional<PackedFactors> factors;
  Value factorStride;

  /// Real numbers of an element of the source, by which positions count.
  int64_t numbersOfElement() const {
    return factors ? model::partsOfNumber : 1;
  }
};

/// Elements in a chunk of a side.
Value elementsOfChunk(Emitter &emit, const model::CpuSide &side,
                      const SideTables &tables, Value number);

/// Fills the tables for a block; `tables` holds the buffers, and gets the
/// number of panels.
void buildTables(Emitter &emit, const model::CpuSide &side,
                 ArrayRef<OutputTensor> outputs, const Range &range,
                 int64_t panelStride, SideTables &tables);

/// Copies a block of `source`, a tensor as one dimension, into panels, mapped
/// by the prologue and in the panels' type. `base` is the position of the
/// element whose M, N and K coordinates are all zero.
void packBlock(Emitter &emit, const model::CpuLayout &layout,
               const model::CpuSide &side, Value source, Value base,
               const Range &range, const Range &k, const SideTables &tables,
               const PackedBlock &packed);

/// The same for panels that the team of an Emitter::parallel shares: all
/// threads find the block packed afterwards.
void packTogether(Emitter &emit, const model::CpuLayout &layout,
                  const model::CpuSide &side, Value source, Value base,
                  const Range &range, const Range &k, const SideTables &tables,
                  const PackedBlock &packed);

/// The update of C by the micro-kernel.
struct OutputUpdate {
  /// C and the operands of the epilogue.
  SmallVector<OutputTensor> tensors;
  SemiringCode semiring;
  /// The type in which products are summed.
  Type sumType;
  /// Factor of the products; null if it is one.
  Value alpha;
  /// True if C is complex, so that rows have the parts of its elements side by
  /// side; and the imaginary parts of the factors, whose real ones are `alpha`
  /// and `beta`. Null if they are zero. With three products, rows have whole
  /// elements, of two numbers, and positions count these.
  bool isComplex = false, hasThreeProducts = false;
  Value alphaImaginary, betaImaginary;
  /// The condition, constant or not, under which C is read, and its factor
  /// then, null if that is one; no value if C is never read.
  Value reads, beta;
  /// True if C is read by all means.
  bool alwaysReads = false;
  /// If given, the condition under which C is aligned so that stores can bypass
  /// the caches, and the number of elements that each of these writes.
  Value streams;
  int64_t streamedElements = 0;
  /// Sums of one register tile, where it is not stored by whole vectors.
  Value scratch;
  /// The sums that wait for the next block of K, tile by tile, if they do; and
  /// the conditions under which this block is the first or the last one. C is
  /// updated with the last.
  Value waitingSums, beginsSums, endsSums;
  /// With three products, the sums of real and of imaginary parts of a tile.
  Value partSums;
  /// The region that maps elements before they are stored; null if none does.
  /// It is applied where `completes` holds: where all products are in the sums.
  mlir::Region *epilogue = nullptr;
  Value completes;

  int64_t numbersOfElement() const {
    return hasThreeProducts ? model::partsOfNumber : 1;
  }

  /// Sets `alpha`, `beta` and whether C is read, with all of K in one block.
  void setFactors(Emitter &emit, ContractOp op);
  /// Changes that to where blocks of K follow one another: the old contents of
  /// C are scaled with the first only, which the condition tells.
  void addUpBlocks(Emitter &emit, model::Semiring code, Value isFirst);
};

/// The buffer of which another one is a view with fewer or more indices, and
/// which begins where it does. An operation that asks for that alone is lowered
/// in fewer passes without the view.
Value beforeReshaping(Value buffer);

/// An input as one dimension of real numbers, from its base pointer.
Value flattenInput(Emitter &emit, ContractOp op,
                   const model::Contraction &contraction, model::Tensor input,
                   int64_t numbersOfElement);

/// C and the operands of the epilogue, likewise.
SmallVector<OutputTensor> flattenOutputs(Emitter &emit, ContractOp op,
                                         const model::Contraction &contraction,
                                         int64_t numbersOfElement);

/// Returns true if elements are mapped by calls of functions, which are too
/// much code to stand there once for each vector of a tile.
bool callsFunctions(mlir::Region &region);

/// Updates C with sums.
class OutputUpdater {
public:
  /// Positions in the tensors of OutputUpdate: in C, and in the tensors that
  /// the epilogue reads.
  using Positions = SmallVector<Value>;

  /// Vectors of sums lie along that index.
  OutputUpdater(Emitter &emit, const OutputUpdate &output,
                const model::CpuIndex &along)
      : emit(emit), builder(emit.builder), output(output), along(along),
        numbers(output.numbersOfElement()) {}

  Value timesAlpha(Value sum);
  /// Stores the result of a sum, or of sums along the index, times alpha, and
  /// of the old elements.
  void update(Value sum, const Positions &positions, bool streams);

private:
  /// Elements along the index, as many as `like` has and in the tensor's own
  /// type.
  Value loadLike(Value like, const OutputTensor &tensor, Value position);
  /// A factor, by its real and its imaginary part, times real numbers, or
  /// times vectors of complex ones whose parts lie side by side.
  Value scale(Value factor, Value imaginary, Value elements);
  Value applyEpilogue(Value value, Value old, const Positions &positions);
  Value splat(Value scalar, Type type);

  Emitter &emit;
  ImplicitLocOpBuilder &builder;
  const OutputUpdate &output;
  const model::CpuIndex &along;
  /// Numbers that an element has in C.
  int64_t numbers;
};

/// The alignment that stores of so many bytes need to bypass the caches; those
/// of more than the widest vectors are stored by several of them.
int64_t alignmentOfStore(int64_t bytes);

/// Multiplies two packed blocks, panel by panel, and updates C. Sums that are
/// not complete are stored in C, which then has their type.
void multiplyBlocks(Emitter &emit, const model::CpuLayout &layout,
                    const model::CpuSchedule &schedule, const PackedBlock &rows,
                    const SideTables &rowTables, const PackedBlock &columns,
                    const SideTables &columnTables, Value depth,
                    const OutputUpdate &output);

/// Builds the loops of a schedule with Strategy::Direct in place of `op`.
void buildDirectLoops(ContractOp op, const model::Contraction &contraction,
                      const model::CpuSchedule &schedule,
                      const model::CpuLayout &layout);

} // namespace tc::cpu

#endif // TC_LIB_CONVERSION_TCTOCPU_CPUBLOCK_H
