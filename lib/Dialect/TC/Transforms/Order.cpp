//===- Order.cpp - Makes trees of contractions of many tensors --*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Asks the model for the order in which the inputs of an operation are
// contracted, and for slices where there is a limit of memory.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TC/Transforms/Order.h"

#include "tc/Dialect/TC/Transforms/Passes.h"

#include "OneTensor.h"
#include "SharingProducts.h"
#include "StepMachine.h"
#include "TreeRewriter.h"

#include "tc/Dialect/TC/IR/ParameterNames.h"
#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Problem/Semiring.h"
#include "tc/Program/MemoryPlan.h"
#include "tc/Program/OrderText.h"
#include "tc/Support/Record.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"

#include "llvm/Support/raw_ostream.h"

#include <map>

namespace tc {
#define GEN_PASS_DEF_ORDERPASS
#include "tc/Dialect/TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;
using mlir::ShapedType;

static bool hasUnknownExtent(EinsumOp op) {
  return llvm::any_of(op.getLabels(), [&](mlir::StringAttr label) {
    return ShapedType::isDynamic(op.getExtent(label));
  });
}

static bool hasExtentBelowOne(EinsumOp op) {
  return llvm::any_of(op.getLabels(), [&](mlir::StringAttr label) {
    return op.getExtent(label) < 1;
  });
}

static bool hasZeroExtent(EinsumOp op) {
  return llvm::any_of(op.getLabels(), [&](mlir::StringAttr label) {
    return op.getExtent(label) == 0;
  });
}

/// The extent for which an order is chosen; where it is unknown, that which the
/// operation says.
static int64_t extentToOrder(EinsumOp op, mlir::StringAttr label) {
  constexpr int64_t plain = 128;
  int64_t extent = op.getExtent(label);
  if (!ShapedType::isDynamic(extent))
    return std::max<int64_t>(extent, 1);
  auto given =
      op->getAttrOfType<mlir::DictionaryAttr>(representativeExtentsAttrName);
  auto number =
      given ? given.getAs<mlir::IntegerAttr>(label.getValue()) : nullptr;
  return number ? std::max<int64_t>(number.getInt(), 1) : plain;
}

/// The ways to cut a product. If alpha is multiplied with the sum of all
/// products, that cannot be made of the products of alpha and the sums of
/// slices.
static model::Cutting cuttingOf(EinsumOp op) {
  return op.getAlpha() && !model::scalingDistributes(op.getSemiring())
             ? model::Cutting::Output
             : model::Cutting::All;
}

/// The operation as the model sees it. The order of what has an empty index
/// does not matter.
static model::Network networkOf(EinsumOp op) {
  model::Network network;
  llvm::SmallVector<mlir::StringAttr> labels = op.getLabels();
  llvm::DenseMap<mlir::StringAttr, unsigned> places;
  for (mlir::StringAttr label : labels) {
    places[label] = static_cast<unsigned>(network.indices.size());
    network.indices.push_back({label.str(), extentToOrder(op, label)});
  }
  auto positions = [&](IndexListAttr list) {
    model::IndexList result;
    for (mlir::StringAttr label : list)
      result.push_back(places.lookup(label));
    return result;
  };
  for (auto list : op.getInputIndices().getAsRange<IndexListAttr>())
    network.inputs.push_back(positions(list));
  network.output = positions(op.getOutputIndices());
  network.type = network.temporaryType =
      *getModelElementType(op.getFactorType());
  network.outputType = *getModelElementType(
      mlir::getElementTypeOrSelf(op.getOutput().getType()));
  network.precision = op.getPrecision();
  network.semiring = op.getSemiring();
  return network;
}

/// Makes a contraction of an operation with one input.
static void contractAlone(mlir::RewriterBase &rewriter, EinsumOp op) {
  rewriter.setInsertionPoint(op);
  Value one = createOne(rewriter, op.getLoc(), op.getSemiring(),
                        op.getFactorType(), op.hasBuffers());
  auto contraction = ContractOp::create(
      rewriter, op.getLoc(), op.getInputs().front(), one, op.getOutput(),
      op.getIndexLists().front(),
      IndexListAttr::get(op.getContext(), ArrayRef<StringAttr>()),
      op.getOutputIndices(), op.getAlpha(), op.getBeta(), ScheduleAttr(),
      op.getPrecision(), op.getSemiring());
  contraction.setConjugateA(op.conjugates(0));
  if (op.hasBuffers()) {
    mlir::memref::DeallocOp::create(rewriter, op.getLoc(), one);
    rewriter.eraseOp(op);
  } else {
    rewriter.replaceOp(op, contraction);
  }
}

namespace {

struct OrderPass : public tc::impl::OrderPassBase<OrderPass> {
  using OrderPassBase::OrderPassBase;

  OrderPass(const OrderPassOptions &options, TakeOrders take)
      : OrderPassBase(options), take(std::move(take)) {}

  void runOnOperation() override {
    llvm::SmallVector<EinsumOp> operations;
    mlir::IRRewriter rewriter(&getContext());
    getOperation()->walk([&](EinsumOp op) {
      if (op.getInputs().size() > 1)
        operations.push_back(op);
      else
        contractAlone(rewriter, op);
    });
    // Pipelines have the pass whether or not there is something to order.
    if (operations.empty())
      return;
    Result<StepMachine> found =
        findStepMachine(getOperation(), target, targetFile, threads);
    if (!found) {
      emitError(getOperation()->getLoc()) << found.error();
      return signalPassFailure();
    }
    machine = std::move(*found);
    explanations.clear();
    orders.clear();
    std::vector<OrderedProduct> products;
    for (EinsumOp op : operations) {
      OrderedProduct &product = products.emplace_back();
      product.op = op;
      if (failed(order(product)))
        return signalPassFailure();
    }
    if (shares && memoryLimit < 0)
      shareOrders(products, [&](const model::Network &network) {
        return makeTimes(network);
      });
    for (OrderedProduct &product : products) {
      if (explain || take)
        explanations +=
            orderText(product.network, product.found, machine.name()) +
            product.text;
      if (failed(rewriteAsTree(rewriter, product.op, product.network,
                               product.found.order)))
        return signalPassFailure();
      ++numOrdered;
    }
    if (take)
      take(std::move(explanations));
    else
      llvm::errs() << explanations;
  }

  std::unique_ptr<model::StepTimes> makeTimes(const model::Network &network) {
    auto times = machine.makeTimes(network.type, network.precision);
    times->sumsOperands = memoryLimit < 0;
    return times;
  }

  LogicalResult order(OrderedProduct &product) {
    EinsumOp op = product.op;
    product.network = networkOf(op);
    // Products that are alike have one order. Paths are obeyed, and places of
    // temporaries may count where there is a limit.
    std::string key;
    if (!op.getPath() && memoryLimit < 0 && !hasZeroExtent(op)) {
      key = keyOf(product.network);
      if (auto known = orders.find(key); known != orders.end()) {
        product.found = known->second;
        return success();
      }
    }
    std::unique_ptr<model::StepTimes> times = makeTimes(product.network);
    if (hasUnknownExtent(op) && op.hasBuffers())
      return op.emitOpError(
          "has an unknown extent, of which temporaries would be made");
    Result<model::OrderResult> found = find(op, product.network, *times);
    if (!found)
      return op.emitOpError(found.error());
    product.found = std::move(*found);
    if (!key.empty())
      orders.emplace(key, product.found);
    return success();
  }

  /// The facts that an order depends on, of networks of one target.
  static std::string keyOf(const model::Network &network) {
    std::string key;
    for (const model::Network::Index &index : network.indices)
      appendKey(key, index.extent);
    appendKey(key, network.inputs);
    appendKey(key, network.output);
    appendKey(key, network.type);
    appendKey(key, network.outputType);
    appendKey(key, network.precision);
    appendKey(key, network.semiring);
    return key;
  }

  Result<model::OrderResult> findOnce(EinsumOp op,
                                      const model::Network &network,
                                      const model::OrderOptions &options,
                                      model::StepTimes &times) {
    if (!op.getPath())
      return searchOrder(network, times, options);
    model::ContractionPath path;
    for (llvm::ArrayRef<int64_t> step : op.getSteps())
      path.emplace_back(step.begin(), step.end());
    Result<model::ContractionTree> tree = model::treeOf(network, path);
    if (!tree)
      return Error{tree.error()};
    if (!hasExtentBelowOne(op))
      return completeOrder(network, *tree, times, options);
    model::OrderResult given;
    given.isGiven = true;
    given.order = judge(network, *tree, times);
    given.predictions = times.predictions();
    return given;
  }

  /// On memrefs, the limit is lowered until the workspace keeps it: places in
  /// it are aligned, and there may be gaps between them.
  Result<model::OrderResult> find(EinsumOp op, const model::Network &network,
                                  model::StepTimes &times) {
    model::OrderOptions options;
    if (searchMilliseconds >= 0)
      options.searchSeconds = 1e-3 * static_cast<double>(searchMilliseconds);
    // Nothing is computed in any order.
    if (hasZeroExtent(op)) {
      options.mostExactInputs = 1;
      options.mostSearchSeconds = 0;
      options.runnersUp = 0;
    }
    if (memoryLimit < 0)
      return findOnce(op, network, options, times);
    if (!hasExtentBelowOne(op))
      options.cutting = cuttingOf(op);
    model::TooManySlices tooMany;
    options.tooManySlices = &tooMany;
    Result<model::OrderResult> found =
        findWithin(op, network, options, memoryLimit, times);
    if (found || tooMany.slices == 0 || !op.hasBuffers())
      return found;
    // A limit that would do has to do with the workspace's places, too.
    constexpr int mostTries = 16;
    model::TooManySlices enough = tooMany;
    for (int i = 0; i < mostTries; ++i) {
      int64_t workspace = 0;
      auto limit = static_cast<int64_t>(enough.enoughBytes);
      if (findWithin(op, network, options, limit, times, &workspace))
        return Error{enough.text(static_cast<double>(memoryLimit))};
      enough.enoughBytes = static_cast<double>(
          std::max(workspace, limit + limit / 8 + alignmentOfTemporaries));
    }
    return found;
  }

  /// The same within a limit; `workspace` becomes the bytes of the smallest one
  /// that was found.
  Result<model::OrderResult> findWithin(EinsumOp op,
                                        const model::Network &network,
                                        model::OrderOptions options,
                                        int64_t bytes, model::StepTimes &times,
                                        int64_t *workspace = nullptr) {
    auto limit = static_cast<double>(bytes);
    options.memoryLimit = limit;
    int64_t leastWorkspace = 0;
    while (true) {
      Result<model::OrderResult> found = findOnce(op, network, options, times);
      if (found && !op.hasBuffers())
        return found;
      if (!found && leastWorkspace == 0)
        return found;
      if (found) {
        Result<model::MemoryPlan> plan = planTemporaries(network, found->order);
        if (!plan)
          return Error{plan.error()};
        if (plan->bytes <= bytes)
          return found;
        leastWorkspace = plan->bytes;
        if (workspace)
          *workspace = leastWorkspace;
        double excess = static_cast<double>(plan->bytes) - limit;
        options.memoryLimit =
            std::min(*options.memoryLimit - excess, found->order.peakBytes - 1);
      }
      if (!found || *options.memoryLimit < 0 ||
          options.cutting == model::Cutting::Nothing)
        return Error{"the temporaries take " + std::to_string(leastWorkspace) +
                     " B with their places' alignment, more than " +
                     std::to_string(bytes) + " B"};
    }
  }

  StepMachine machine;
  std::string explanations;
  TakeOrders take;
  /// Of one run, by the keys of networks.
  std::map<std::string, model::OrderResult> orders;
};

} // namespace

std::unique_ptr<mlir::Pass> tc::createOrderPass(const OrderPassOptions &options,
                                                TakeOrders take) {
  return std::make_unique<OrderPass>(options, std::move(take));
}
