//===- OutlineTeams.cpp - From parallel regions to functions --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The calls are those that Clang emits (LLVM's openmp/runtime/src/kmp.h).
//
//===----------------------------------------------------------------------===//

#include "OutlineTeams.h"

#include "tc/Support/MLIR/LLVM.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace tc;
using mlir::Block;
namespace LLVM = mlir::LLVM;
namespace omp = mlir::omp;

static std::optional<int64_t> constantOf(Value value) {
  llvm::APInt number;
  if (value && mlir::matchPattern(value, mlir::m_ConstantInt(&number)))
    return number.getSExtValue();
  return std::nullopt;
}

/// The trips of a loop from zero by one that the team shares out; none if it is
/// another kind of loop.
static std::optional<int64_t> tripsOf(omp::WsloopOp wrapper) {
  auto loop = dyn_cast<omp::LoopNestOp>(wrapper.getRegion().front().front());
  if (!loop || wrapper->getNumOperands() != 0 ||
      wrapper.getScheduleKind() != omp::ClauseScheduleKind::Static ||
      wrapper.getScheduleModAttr() || wrapper.getScheduleSimdAttr() ||
      wrapper->getParentOfType<omp::LoopNestOp>() || wrapper.getOrderAttr() ||
      wrapper.getOrderedAttr() || loop.getNumLoops() != 1 ||
      !loop.getIVs().front().getType().isInteger(64) ||
      loop.getLoopInclusive() || loop.getTileSizesAttr() ||
      constantOf(loop.getLoopLowerBounds().front()) != 0 ||
      constantOf(loop.getLoopSteps().front()) != 1)
    return std::nullopt;
  return constantOf(loop.getLoopUpperBounds().front());
}

/// The threads that a region asks for, if it can become a function here.
static std::optional<int64_t> threadsToOutline(omp::ParallelOp parallel) {
  std::optional<int64_t> threads = constantOf(parallel.getNumThreads());
  if (!threads || *threads < 1 || parallel->getNumOperands() != 1 ||
      !parallel.getNumThreads().getType().isInteger(32) ||
      parallel.getProcBindKindAttr() ||
      parallel->getParentOfType<omp::ParallelOp>())
    return std::nullopt;
  auto isKnown = [&](Operation *op) {
    if (auto loop = dyn_cast<omp::WsloopOp>(op)) {
      std::optional<int64_t> trips = tripsOf(loop);
      return trips && *trips >= 1 && *trips <= *threads;
    }
    return op->getName().getDialectNamespace() != "omp" ||
           isa<omp::LoopNestOp, omp::BarrierOp, omp::YieldOp,
               omp::TerminatorOp>(op);
  };
  bool allKnown = !parallel.getRegion()
                       .walk([&](Operation *op) {
                         return isKnown(op) ? mlir::WalkResult::advance()
                                            : mlir::WalkResult::interrupt();
                       })
                       .wasInterrupted();
  return allKnown ? threads : std::nullopt;
}

namespace {

/// Makes a function of one region.
class Outliner {
public:
  Outliner(omp::ParallelOp parallel, int64_t threads,
           mlir::SymbolTable &symbols)
      : parallel(parallel), symbols(symbols),
        builder(parallel.getLoc(), parallel), threads(threads),
        i32(builder.getI32Type()), i64(builder.getI64Type()),
        none(LLVM::LLVMVoidType::get(builder.getContext())),
        pointer(LLVM::LLVMPointerType::get(builder.getContext())) {}

  void run();

private:
  Value constant(Type type, int64_t value) {
    return LLVM::ConstantOp::create(builder, type,
                                    builder.getIntegerAttr(type, value));
  }
  Value call(StringRef name, Type result, ArrayRef<Type> parameters,
             ArrayRef<Value> arguments, bool isVariadic = false);
  Value sourcePlace();
  void noteCaptured();
  Value allocate(Type type);
  Value fieldOf(Value frame, int64_t number);
  void fork(LLVM::LLVMFuncOp function);
  LLVM::LLVMFuncOp moveRegion();
  void findOwnTrips();
  void lower(omp::WsloopOp wrapper, int64_t trips);

  omp::ParallelOp parallel;
  mlir::SymbolTable &symbols;
  mlir::ImplicitLocOpBuilder builder;
  int64_t threads;
  Type i32, i64, none, pointer;
  /// The values that the region takes from the function around, but for
  /// constants.
  SmallVector<Value> captured;
  LLVM::LLVMStructType frameType;
  /// In the new function: the thread's number among all, and the trips that it
  /// has of a loop with one for each thread that is asked for.
  Value thread, firstTrip, endTrip;
};

} // namespace

/// Calls a function of the runtime, which is declared if it is not.
Value Outliner::call(StringRef name, Type result, ArrayRef<Type> parameters,
                     ArrayRef<Value> arguments, bool isVariadic) {
  auto type = LLVM::LLVMFunctionType::get(result, parameters, isVariadic);
  if (!symbols.lookup(name)) {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(
        &cast<ModuleOp>(symbols.getOp()).getBodyRegion().front());
    symbols.insert(LLVM::LLVMFuncOp::create(builder, name, type));
  }
  auto made = LLVM::CallOp::create(builder, type, name, arguments);
  return made.getNumResults() == 1 ? made.getResult() : Value();
}

/// The address of an `ident_t`, by which the runtime is told where in a source
/// it is called.
Value Outliner::sourcePlace() {
  constexpr StringLiteral name = "tc.source_place", textName = "tc.source";
  constexpr StringLiteral text = ";unknown;unknown;0;0;;";
  constexpr int32_t calledByCompiledCode = 2;
  if (!symbols.lookup(name)) {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(
        &cast<ModuleOp>(symbols.getOp()).getBodyRegion().front());
    std::string terminated(text.data(), text.size() + 1);
    auto textType =
        LLVM::LLVMArrayType::get(builder.getI8Type(), terminated.size());
    auto global = [&](Type type, StringRef name, Attribute value) {
      auto made = LLVM::GlobalOp::create(builder, type, /*isConstant=*/true,
                                         LLVM::Linkage::Private, name, value);
      symbols.insert(made);
      return made;
    };
    global(textType, textName, builder.getStringAttr(terminated));
    auto type = LLVM::LLVMStructType::getLiteral(builder.getContext(),
                                                 {i32, i32, i32, i32, pointer});
    auto place = global(type, name, Attribute());
    builder.createBlock(&place.getInitializerRegion());
    Value value = LLVM::ZeroOp::create(builder, type);
    value = LLVM::InsertValueOp::create(builder, value,
                                        constant(i32, calledByCompiledCode), 1);
    Value address = LLVM::AddressOfOp::create(builder, pointer, textName);
    value = LLVM::InsertValueOp::create(builder, value, address, 4);
    LLVM::ReturnOp::create(builder, value);
  }
  return LLVM::AddressOfOp::create(builder, pointer, name);
}

/// Finds the values that the region takes from around. Constants it gets of its
/// own.
void Outliner::noteCaptured() {
  llvm::SetVector<Value> used;
  mlir::getUsedValuesDefinedAbove(parallel.getRegion(), used);
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&parallel.getRegion().front());
  for (Value value : used) {
    Operation *op = value.getDefiningOp();
    if (!op || !(op->hasTrait<mlir::OpTrait::ConstantLike>() ||
                 isa<LLVM::AddressOfOp>(op))) {
      captured.push_back(value);
      continue;
    }
    mlir::replaceAllUsesInRegionWith(value, builder.clone(*op)->getResult(0),
                                     parallel.getRegion());
  }
  SmallVector<Type> types = llvm::map_to_vector(
      captured, [](Value value) { return value.getType(); });
  frameType = LLVM::LLVMStructType::getLiteral(builder.getContext(), types);
}

/// One element on the stack.
Value Outliner::allocate(Type type) {
  return LLVM::AllocaOp::create(builder, pointer, type, constant(i32, 1));
}

Value Outliner::fieldOf(Value frame, int64_t number) {
  return LLVM::GEPOp::create(
      builder, pointer, frameType, frame,
      ArrayRef<LLVM::GEPArg>{0, static_cast<int32_t>(number)});
}

/// Runs the function by a team, in place of the region.
void Outliner::fork(LLVM::LLVMFuncOp function) {
  builder.setInsertionPointToStart(
      &parallel->getParentOfType<LLVM::LLVMFuncOp>().getBody().front());
  Value frame = allocate(frameType);
  builder.setInsertionPoint(parallel);
  for (auto [number, value] : llvm::enumerate(captured))
    LLVM::StoreOp::create(builder, value,
                          fieldOf(frame, static_cast<int64_t>(number)));
  Value place = sourcePlace();
  Value caller = call("__kmpc_global_thread_num", i32, pointer, place);
  call("__kmpc_push_num_threads", none, {pointer, i32, i32},
       {place, caller, parallel.getNumThreads()});
  Value address =
      LLVM::AddressOfOp::create(builder, pointer, function.getName());
  call("__kmpc_fork_call", none, {pointer, i32, pointer},
       {place, constant(i32, 1), address, frame}, /*isVariadic=*/true);
}

/// The function that the region becomes, with loops and barriers as they were.
LLVM::LLVMFuncOp Outliner::moveRegion() {
  auto around = parallel->getParentOfType<LLVM::LLVMFuncOp>();
  builder.setInsertionPointAfter(around);
  auto function = LLVM::LLVMFuncOp::create(
      builder, (around.getName() + ".team").str(),
      LLVM::LLVMFunctionType::get(none, {pointer, pointer, pointer}),
      LLVM::Linkage::Internal);
  function.setNoUnwind(true);
  symbols.insert(function);
  function.getBody().takeBody(parallel.getRegion());
  Block &entry = function.getBody().front();
  Location loc = parallel.getLoc();
  // The addresses of the thread's numbers, among all and in the team, and of
  // the frame.
  entry.addArguments({pointer, pointer, pointer}, {loc, loc, loc});
  builder.setInsertionPointToStart(&entry);
  thread = LLVM::LoadOp::create(builder, i32, entry.getArgument(0));
  for (auto [number, value] : llvm::enumerate(captured)) {
    Value field = fieldOf(entry.getArgument(2), static_cast<int64_t>(number));
    Value own = LLVM::LoadOp::create(builder, value.getType(), field);
    mlir::replaceAllUsesInRegionWith(value, own, function.getBody());
  }
  return function;
}

/// Asks once for the trips of all loops.
void Outliner::findOwnTrips() {
  constexpr int32_t staticSchedule = 34;
  Value one = constant(i64, 1);
  Value isLast = allocate(i32), first = allocate(i64), last = allocate(i64),
        stride = allocate(i64);
  LLVM::StoreOp::create(builder, constant(i64, 0), first);
  LLVM::StoreOp::create(builder, constant(i64, threads - 1), last);
  LLVM::StoreOp::create(builder, one, stride);
  Value place = sourcePlace();
  call("__kmpc_for_static_init_8u", none,
       {pointer, i32, i32, pointer, pointer, pointer, pointer, i64, i64},
       {place, thread, constant(i32, staticSchedule), isLast, first, last,
        stride, one, one});
  call("__kmpc_for_static_fini", none, {pointer, i32}, {place, thread});
  firstTrip = LLVM::LoadOp::create(builder, i64, first);
  endTrip = LLVM::AddOp::create(builder,
                                LLVM::LoadOp::create(builder, i64, last), one);
}

void Outliner::lower(omp::WsloopOp wrapper, int64_t trips) {
  auto loop = cast<omp::LoopNestOp>(wrapper.getRegion().front().front());
  Block *before = wrapper->getBlock();
  Block *after = before->splitBlock(std::next(wrapper->getIterator()));
  if (!wrapper.getNowait()) {
    builder.setInsertionPointToStart(after);
    omp::BarrierOp::create(builder);
  }
  Block *first = &loop.getRegion().front();
  auto yields = llvm::to_vector(loop.getRegion().getOps<omp::YieldOp>());
  before->getParent()->getBlocks().splice(after->getIterator(),
                                          loop.getRegion().getBlocks());
  builder.setInsertionPoint(wrapper);
  Value end = endTrip;
  if (trips == threads) {
    // No team is larger, so each of its threads has a trip.
    LLVM::BrOp::create(builder, firstTrip, first);
  } else {
    Value all = constant(i64, trips);
    end = LLVM::UMinOp::create(builder, end, all);
    Value any =
        LLVM::ICmpOp::create(builder, LLVM::ICmpPredicate::ult, firstTrip, all);
    LLVM::CondBrOp::create(builder, any, first, firstTrip, after, {});
  }
  for (omp::YieldOp yield : yields) {
    builder.setInsertionPoint(yield);
    Value next =
        LLVM::AddOp::create(builder, first->getArgument(0), constant(i64, 1),
                            LLVM::IntegerOverflowFlags::nsw);
    Value goesOn =
        LLVM::ICmpOp::create(builder, LLVM::ICmpPredicate::ult, next, end);
    LLVM::CondBrOp::create(builder, goesOn, first, next, after, {});
    yield->erase();
  }
  wrapper->erase();
}

void Outliner::run() {
  noteCaptured();
  LLVM::LLVMFuncOp function = moveRegion();
  SmallVector<std::pair<omp::WsloopOp, int64_t>> loops;
  function.walk([&](omp::WsloopOp loop) {
    if (std::optional<int64_t> trips = tripsOf(loop))
      loops.emplace_back(loop, *trips);
  });
  if (!loops.empty())
    findOwnTrips();
  for (auto [loop, trips] : loops)
    lower(loop, trips);
  SmallVector<Operation *> others;
  function.walk([&](Operation *op) {
    if (isa<omp::BarrierOp, omp::TerminatorOp>(op))
      others.push_back(op);
  });
  for (Operation *op : others) {
    builder.setInsertionPoint(op);
    if (isa<omp::BarrierOp>(op))
      call("__kmpc_barrier", none, {pointer, i32}, {sourcePlace(), thread});
    else
      LLVM::ReturnOp::create(builder, ValueRange());
    op->erase();
  }
  fork(function);
  parallel->erase();
}

namespace {

struct OutlineTeams
    : public mlir::PassWrapper<OutlineTeams, mlir::OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OutlineTeams)

  void runOnOperation() override {
    SmallVector<std::pair<omp::ParallelOp, int64_t>> regions;
    getOperation()->walk([&](omp::ParallelOp parallel) {
      if (std::optional<int64_t> threads = threadsToOutline(parallel))
        regions.emplace_back(parallel, *threads);
    });
    if (regions.empty())
      return;
    mlir::SymbolTable symbols(getOperation());
    for (auto [parallel, threads] : regions)
      Outliner(parallel, threads, symbols).run();
  }
};

} // namespace

std::unique_ptr<mlir::Pass> tc::createOutlineTeamsPass() {
  return std::make_unique<OutlineTeams>();
}
