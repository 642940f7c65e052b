//===- TCTransformOps.cpp - Transform scripts for tc ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scripts use the passes that the pipelines use: what they say of a contraction
// is said here, too.
//
//===----------------------------------------------------------------------===//

#include "tc/TransformOps/TCTransformOps.h"

#include "LowerAlone.h"

#include "tc/Dialect/TC/Transforms/Passes.h"
#include "tc/Pipelines/Pipelines.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"

#define GET_OP_CLASSES
#include "tc/TransformOps/TCTransformOps.cpp.inc"

using namespace tc;
using mlir::DiagnosedSilenceableFailure;
using mlir::MemoryEffects::EffectInstance;
using mlir::transform::ApplyToEachResultList;
using mlir::transform::TransformRewriter;
using mlir::transform::TransformState;

/// The machine that is this one.
static constexpr StringLiteral hostName = "cpu";

/// Runs a function that may emit errors; these make a failure that can be
/// silenced, with a note where the script is.
static DiagnosedSilenceableFailure
attempt(Operation *script, function_ref<LogicalResult()> action) {
  SmallVector<mlir::Diagnostic> diagnostics;
  mlir::ScopedDiagnosticHandler handler(
      script->getContext(), [&](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error)
          return failure();
        diagnostic.attachNote(script->getLoc())
            << "by '" << script->getName() << "'";
        diagnostics.push_back(std::move(diagnostic));
        return success();
      });
  if (succeeded(action()))
    return DiagnosedSilenceableFailure::success();
  return DiagnosedSilenceableFailure::silenceableFailure(
      std::move(diagnostics));
}

/// Sets an attribute, or takes it away, and runs a pass on the contraction
/// alone. If that fails, the attribute is what it was.
static DiagnosedSilenceableFailure
runWithAttribute(Operation *script, ContractOp op, StringRef name,
                 Attribute value, std::unique_ptr<Pass> pass) {
  Attribute before = op->getAttr(name);
  auto set = [&](Attribute attribute) {
    if (attribute)
      op->setAttr(name, attribute);
    else
      op->removeAttr(name);
  };
  set(value);
  mlir::PassManager manager(op.getContext(), op->getName().getStringRef());
  manager.addPass(std::move(pass));
  DiagnosedSilenceableFailure outcome =
      attempt(script, [&] { return manager.run(op); });
  if (!outcome.succeeded())
    set(before);
  return outcome;
}

//===----------------------------------------------------------------------===//
// match_contract
//===----------------------------------------------------------------------===//

/// Returns true if one label stands for the other in all places.
static bool areSameButForNames(ArrayRef<IndexListAttr> left,
                               ArrayRef<IndexListAttr> right) {
  DenseMap<StringAttr, StringAttr> toRight, toLeft;
  for (auto [l, r] : llvm::zip_equal(left, right)) {
    if (l.size() != r.size())
      return false;
    for (auto [x, y] : llvm::zip_equal(l, r))
      if (toRight.try_emplace(x, y).first->second != y ||
          toLeft.try_emplace(y, x).first->second != x)
        return false;
  }
  return true;
}

DiagnosedSilenceableFailure
MatchContractOp::apply(TransformRewriter &,
                       mlir::transform::TransformResults &results,
                       TransformState &state) {
  IndexListAttr wanted[] = {getAIndices(), getBIndices(), getCIndices()};
  SmallVector<Operation *> found;
  for (Operation *root : state.getPayloadOps(getRoot()))
    root->walk<mlir::WalkOrder::PreOrder>([&](ContractOp op) {
      IndexListAttr lists[] = {op.getAIndices(), op.getBIndices(),
                               op.getCIndices()};
      if (areSameButForNames(wanted, lists))
        found.push_back(op);
    });
  results.set(cast<mlir::OpResult>(getContractions()), found);
  return DiagnosedSilenceableFailure::success();
}

// The verifier of a sequence asks for effects before operations in it are
// verified: their operands are all that there are, and not those there must be.

void MatchContractOp::getEffects(SmallVectorImpl<EffectInstance> &effects) {
  mlir::transform::onlyReadsHandle(getOperation()->getOpOperands(), effects);
  mlir::transform::producesHandle(getOperation()->getOpResults(), effects);
  mlir::transform::onlyReadsPayload(effects);
}

//===----------------------------------------------------------------------===//
// choose_schedule
//===----------------------------------------------------------------------===//

LogicalResult ChooseScheduleOp::verify() {
  if (getMachine() == hostName)
    return success();
  for (StringRef option : {getThreadsAttrName(), getStrategyAttrName()})
    if (getOperation()->hasAttr(option))
      return emitOpError("'")
             << option << "' is for \"" << hostName
             << "\" only, and the machine is \"" << getMachine() << "\"";
  return success();
}

DiagnosedSilenceableFailure
ChooseScheduleOp::applyToOne(TransformRewriter &, ContractOp target,
                             ApplyToEachResultList &, TransformState &) {
  if (getMachine() != hostName) {
    TilePassOptions options;
    options.target = getMachine().str();
    return runWithAttribute(*this, target, target.getScheduleAttrName(), {},
                            createTilePass(options));
  }
  TileCpuPassOptions options;
  if (getThreads())
    options.threads = *getThreads();
  if (getStrategy())
    options.strategy = getStrategy()->str();
  return runWithAttribute(*this, target, target.getCpuScheduleAttrName(), {},
                          createTileCpuPass(options));
}

void ChooseScheduleOp::getEffects(SmallVectorImpl<EffectInstance> &effects) {
  mlir::transform::onlyReadsHandle(getOperation()->getOpOperands(), effects);
  mlir::transform::modifiesPayload(effects);
}

//===----------------------------------------------------------------------===//
// set_schedule
//===----------------------------------------------------------------------===//

DiagnosedSilenceableFailure SetScheduleOp::applyToOne(TransformRewriter &,
                                                      ContractOp target,
                                                      ApplyToEachResultList &,
                                                      TransformState &) {
  if (isa<ScheduleAttr>(getSchedule()))
    return runWithAttribute(*this, target, target.getScheduleAttrName(),
                            getSchedule(), createTilePass());
  return runWithAttribute(*this, target, target.getCpuScheduleAttrName(),
                          getSchedule(), createTileCpuPass());
}

void SetScheduleOp::getEffects(SmallVectorImpl<EffectInstance> &effects) {
  mlir::transform::onlyReadsHandle(getOperation()->getOpOperands(), effects);
  mlir::transform::modifiesPayload(effects);
}

//===----------------------------------------------------------------------===//
// lower_to_cpu and lower_to_gpu
//===----------------------------------------------------------------------===//

DiagnosedSilenceableFailure
LowerToCpuOp::applyToOne(TransformRewriter &rewriter, ContractOp target,
                         ApplyToEachResultList &, TransformState &) {
  return attempt(*this, [&]() -> LogicalResult {
    return lowerAlone(rewriter, target, [](mlir::OpPassManager &manager) {
      buildTCToCPU(manager, TCCPUPipelineOptions());
    });
  });
}

void LowerToCpuOp::getEffects(SmallVectorImpl<EffectInstance> &effects) {
  mlir::transform::consumesHandle(getOperation()->getOpOperands(), effects);
  mlir::transform::modifiesPayload(effects);
}

DiagnosedSilenceableFailure
LowerToGpuOp::applyToOne(TransformRewriter &rewriter, ContractOp target,
                         ApplyToEachResultList &results, TransformState &) {
  return attempt(*this, [&]() -> LogicalResult {
    FailureOr<mlir::gpu::LaunchFuncOp> launch =
        lowerAlone(rewriter, target, buildTCToGPU);
    if (failed(launch))
      return failure();
    // Null if there is nothing to multiply.
    results.push_back(launch->getOperation());
    return success();
  });
}

void LowerToGpuOp::getEffects(SmallVectorImpl<EffectInstance> &effects) {
  mlir::transform::consumesHandle(getOperation()->getOpOperands(), effects);
  mlir::transform::producesHandle(getOperation()->getOpResults(), effects);
  mlir::transform::modifiesPayload(effects);
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

namespace {

class TCTransformExtension
    : public mlir::transform::TransformDialectExtension<TCTransformExtension> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TCTransformExtension)
  using Base::Base;

  // MLIR calls it.
  // NOLINTNEXTLINE(bugprone-derived-method-shadowing-base-method)
  void init() {
    declareDependentDialect<TCDialect>();
    // Those that the passes make code in.
    declareGeneratedDialect<mlir::arith::ArithDialect>();
    declareGeneratedDialect<mlir::bufferization::BufferizationDialect>();
    declareGeneratedDialect<mlir::DLTIDialect>();
    declareGeneratedDialect<mlir::func::FuncDialect>();
    declareGeneratedDialect<mlir::gpu::GPUDialect>();
    declareGeneratedDialect<mlir::linalg::LinalgDialect>();
    declareGeneratedDialect<mlir::LLVM::LLVMDialect>();
    declareGeneratedDialect<mlir::math::MathDialect>();
    declareGeneratedDialect<mlir::memref::MemRefDialect>();
    declareGeneratedDialect<mlir::nvgpu::NVGPUDialect>();
    declareGeneratedDialect<mlir::NVVM::NVVMDialect>();
    declareGeneratedDialect<mlir::omp::OpenMPDialect>();
    declareGeneratedDialect<mlir::scf::SCFDialect>();
    declareGeneratedDialect<mlir::vector::VectorDialect>();
    registerTransformOps<
#define GET_OP_LIST
#include "tc/TransformOps/TCTransformOps.cpp.inc"
        >();
  }
};

} // namespace

void tc::registerTransformDialectExtension(DialectRegistry &registry) {
  registry.addExtensions<TCTransformExtension>();
}
