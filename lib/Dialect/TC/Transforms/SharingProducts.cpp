//===- SharingProducts.cpp - Products that may share steps ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Says of the operations of a block which tensors they have in common, and
// takes over the orders that are found for all.
//
//===----------------------------------------------------------------------===//

#include "SharingProducts.h"

#include "tc/Program/OrderText.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

using namespace tc;

namespace {

/// The products of a block with one type, precision and semiring.
struct Group {
  std::vector<model::SharingProduct> products;
  std::vector<model::Order> orders;
  /// Of each, the operation; none of a contraction of two.
  std::vector<OrderedProduct *> operations;
  llvm::DenseMap<std::pair<Value, unsigned>, size_t> tensors;

  size_t numberOf(Value tensor, bool isConjugated) {
    return tensors.try_emplace({tensor, isConjugated}, tensors.size())
        .first->second;
  }
};

} // namespace

static bool mayShare(const OrderedProduct &product) {
  EinsumOp op = product.op;
  return !op.hasBuffers() && !op.getPath() &&
         product.found.order.slices.empty();
}

static bool hasStaticShape(Value value) {
  return cast<mlir::ShapedType>(value.getType()).hasStaticShape();
}

/// The product that a contraction of two makes, and what a part of a product
/// may be.
static std::optional<model::Network> networkOf(ContractOp op) {
  if (op.hasBuffers() || op.readsC() || op.getAlpha() ||
      !op.getFused().empty() || op.getScheduleAttr() ||
      op.getCpuScheduleAttr() || op.getDynamicShapeAttr() ||
      !hasStaticShape(op.getA()) || !hasStaticShape(op.getB()))
    return std::nullopt;
  std::optional<model::ElementType> types[3];
  std::vector<std::vector<std::string>> lists;
  std::vector<std::pair<std::string, int64_t>> extents;
  for (auto [number, tensor] : llvm::enumerate(model::allTensors)) {
    auto type = cast<mlir::ShapedType>(op.getTypeOf(tensor));
    types[number] = getModelElementType(type.getElementType());
    std::vector<std::string> &list = lists.emplace_back();
    for (auto [label, extent] :
         llvm::zip_equal(op.getIndices(tensor), type.getShape())) {
      if (extent < 1)
        return std::nullopt;
      list.push_back(label.str());
      if (llvm::none_of(extents, [&](const auto &known) {
            return known.first == list.back();
          }))
        extents.push_back({list.back(), extent});
    }
  }
  if (!types[0] || types[1] != types[0] || types[2] != types[0])
    return std::nullopt;
  std::vector<std::string> output = std::move(lists.back());
  lists.pop_back();
  Result<model::Network> network =
      model::makeNetwork(lists, output, extents, *types[0]);
  if (!network)
    return std::nullopt;
  network->outputType = network->type;
  network->precision = op.getPrecision();
  network->semiring = op.getSemiring();
  return std::move(*network);
}

static void add(Group &group, OrderedProduct &product) {
  EinsumOp op = product.op;
  model::SharingProduct &made = group.products.emplace_back();
  made.network = product.network;
  for (auto [number, input] : llvm::enumerate(op.getInputs()))
    made.tensors.push_back(group.numberOf(input, op.conjugates(number)));
  made.isPlain = !op.getAlpha() && !op.readsOutput() &&
                 made.network.outputType == made.network.type;
  group.orders.push_back(product.found.order);
  group.operations.push_back(&product);
}

static void add(Group &group, ContractOp op, model::Network network) {
  model::SharingProduct &made = group.products.emplace_back();
  for (model::Tensor tensor : {model::Tensor::A, model::Tensor::B})
    made.tensors.push_back(
        group.numberOf(op.getOperandOf(tensor), op.conjugates(tensor)));
  made.isFixed = true;
  model::Order &order = group.orders.emplace_back();
  order.tree = *model::treeOf(network, {{0, 1}});
  made.network = std::move(network);
  group.operations.push_back(nullptr);
}

static void share(Group &group, model::StepTimes &times) {
  model::SharedOrders shared =
      model::orderTogether(group.products, group.orders, times);
  bool isAnyOther = llvm::is_contained(shared.isOther, true);
  OrderedProduct *last = nullptr;
  for (size_t i = 0; i < group.operations.size(); ++i) {
    OrderedProduct *product = group.operations[i];
    if (!product)
      continue;
    last = product;
    product->text =
        model::sharedText(product->network, shared.orders[i], shared.sharers[i],
                          shared.isOther[i] ? &group.orders[i] : nullptr);
    if (!shared.isOther[i])
      continue;
    product->found.order = std::move(shared.orders[i]);
    product->found.runnersUp.clear();
    product->found.isExact = false;
  }
  if (isAnyOther)
    last->text += model::togetherText(group.products.size(), shared);
}

void tc::shareOrders(llvm::MutableArrayRef<OrderedProduct> products,
                     const std::function<std::unique_ptr<model::StepTimes>(
                         const model::Network &network)> &makeTimes) {
  using Setting = std::tuple<mlir::Block *, int, int, int>;
  std::map<Setting, Group> groups;
  llvm::SmallSetVector<mlir::Block *, 4> blocks;
  auto settingOf = [](mlir::Block *block, const model::Network &network) {
    return Setting(block, static_cast<int>(network.type),
                   static_cast<int>(network.precision),
                   static_cast<int>(network.semiring));
  };
  for (OrderedProduct &product : products) {
    if (!mayShare(product))
      continue;
    blocks.insert(product.op->getBlock());
    add(groups[settingOf(product.op->getBlock(), product.network)], product);
  }
  for (mlir::Block *block : blocks)
    for (auto op : block->getOps<ContractOp>())
      if (std::optional<model::Network> network = networkOf(op)) {
        auto group = groups.find(settingOf(block, *network));
        if (group != groups.end())
          add(group->second, op, std::move(*network));
      }
  // In the order of the text.
  for (OrderedProduct &product : products)
    for (auto &[setting, group] : groups)
      if (group.products.size() > 1 &&
          llvm::find(group.operations, &product) == group.operations.begin())
        share(group, *makeTimes(product.network));
}
