//===- CpuStrategy.cpp - GETT, TTGT and loops over GEMM -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The matrix products and the copies of a contraction under TTGT and loops over
// GEMM.
//
//===----------------------------------------------------------------------===//

#include "tc/Cpu/CpuStrategy.h"

#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <cstdlib>

using namespace tc;
using namespace tc::model;

static std::string nameOf(Tensor tensor) {
  return std::string(1, "ABC"[static_cast<unsigned>(tensor)]);
}

//===----------------------------------------------------------------------===//
// Operands of a strategy's products
//===----------------------------------------------------------------------===//

/// Returns true if a tensor has to have a dimension for an index.
static bool isHeld(const Index &index, Tensor tensor) {
  if (index.extent == 1)
    return false;
  if (index.stride[tensor] != 0)
    return true;
  switch (index.role) {
  case Role::Batch:
    return true;
  case Role::M:
    return tensor != Tensor::B;
  case Role::N:
    return tensor != Tensor::A;
  case Role::K:
    return tensor == Tensor::A && index.stride[Tensor::B] == 0;
  }
  return false;
}

/// Returns true if a copy of a tensor has a dimension for an index: one along
/// which all elements are one needs no more than that.
static bool isCopied(const Index &index, Tensor tensor) {
  return isHeld(index, tensor) && index.stride[tensor] != 0;
}

/// The positions of indices for which `has` holds, the largest stride first.
template <typename Has>
static std::vector<unsigned> indicesWhere(const Contraction &contraction,
                                          Tensor tensor, Has has) {
  std::vector<unsigned> held;
  for (unsigned i = 0; i < contraction.indices.size(); ++i)
    if (has(contraction.indices[i], tensor))
      held.push_back(i);
  auto key = [&](unsigned i) {
    return std::pair(-std::abs(contraction.indices[i].stride[tensor]), i);
  };
  std::sort(held.begin(), held.end(),
            [&](unsigned a, unsigned b) { return key(a) < key(b); });
  return held;
}

std::vector<unsigned> tc::model::heldIndices(const Contraction &contraction,
                                             Tensor tensor) {
  return indicesWhere(contraction, tensor, isHeld);
}

std::vector<unsigned> tc::model::copiedIndices(const Contraction &contraction,
                                               Tensor tensor) {
  return indicesWhere(contraction, tensor, isCopied);
}

/// Returns true if, in every tensor, `inner` runs through the gap between
/// neighbours along `outer`.
static bool moveTogether(const Index &outer, const Index &inner) {
  if (outer.role != inner.role)
    return false;
  return std::all_of(allTensors.begin(), allTensors.end(), [&](Tensor tensor) {
    return outer.stride[tensor] == inner.stride[tensor] * inner.extent;
  });
}

/// The label of two merged indices: one that no other index has.
static std::string joinLabels(const Contraction &contraction,
                              const Index &outer, const Index &inner) {
  std::string label = outer.label + inner.label;
  while (contraction.find(label))
    label += "_";
  return label;
}

/// Merges indices until no two move together.
static void mergeIndices(Contraction &contraction) {
  std::vector<Index> &indices = contraction.indices;
  for (size_t outer = 0; outer < indices.size(); ++outer) {
    for (size_t inner = 0; inner < indices.size(); ++inner) {
      if (inner == outer || !moveTogether(indices[outer], indices[inner]))
        continue;
      indices[outer].label =
          joinLabels(contraction, indices[outer], indices[inner]);
      indices[outer].extent *= indices[inner].extent;
      indices[outer].stride = indices[inner].stride;
      indices.erase(indices.begin() + static_cast<std::ptrdiff_t>(inner));
      // The merged index may move together with any other.
      return mergeIndices(contraction);
    }
  }
}

/// Gives a tensor the strides of a contiguous copy with that order of indices.
static Status reorder(Contraction &contraction, Tensor tensor,
                      const std::vector<std::string> &labels) {
  std::vector<unsigned> held = copiedIndices(contraction, tensor);
  int64_t stride = 1;
  std::vector<unsigned> seen;
  for (auto label = labels.rbegin(); label != labels.rend(); ++label) {
    std::optional<unsigned> position = contraction.find(*label);
    if (!position ||
        std::find(held.begin(), held.end(), *position) == held.end())
      return Error{"cpu_schedule: 'transpose' names '" + *label +
                   "', which is no index of " + nameOf(tensor) +
                   " with an extent above one and a stride"};
    if (std::find(seen.begin(), seen.end(), *position) != seen.end())
      return Error{"cpu_schedule: 'transpose' names index '" + *label +
                   "' of " + nameOf(tensor) + " twice"};
    seen.push_back(*position);
    contraction.indices[*position].stride[tensor] = stride;
    stride *= contraction.indices[*position].extent;
  }
  for (unsigned position : held)
    if (std::find(seen.begin(), seen.end(), position) == seen.end())
      return Error{"cpu_schedule: 'transpose' does not name index '" +
                   contraction.indices[position].label + "' of " +
                   nameOf(tensor)};
  contraction.offset[tensor] = contraction.baseAlignment[tensor] = 0;
  return {};
}

Result<Contraction> tc::model::productOf(const Contraction &contraction,
                                         const CpuSchedule &schedule) {
  Contraction product = contraction;
  if (schedule.strategy != Strategy::TTGT)
    return product;
  if (!schedule.loops.empty())
    return Error{"cpu_schedule: 'loops' needs strategy = loop_over_gemm"};
  for (Tensor tensor : allTensors)
    if (!schedule.transpose[tensor].empty())
      if (Status status = reorder(product, tensor, schedule.transpose[tensor]);
          !status)
        return Error{status.error()};
  product.indices.erase(
      std::remove_if(product.indices.begin(), product.indices.end(),
                     [](const Index &index) { return index.extent == 1; }),
      product.indices.end());
  mergeIndices(product);
  return product;
}

CpuSchedule tc::model::scheduleOfProduct(const CpuSchedule &schedule) {
  CpuSchedule product = schedule;
  if (schedule.strategy != Strategy::TTGT)
    return product;
  product.strategy = Strategy::GETT;
  product.transpose = {};
  return product;
}

int64_t tc::model::workspaceBytes(const Contraction &contraction,
                                  const CpuSchedule &schedule) {
  int64_t bytes = 0;
  for (Tensor tensor : allTensors) {
    if (schedule.transpose[tensor].empty())
      continue;
    int64_t copy = byteWidth(contraction.elementType[tensor]);
    for (const std::string &label : schedule.transpose[tensor])
      if (std::optional<unsigned> position = contraction.find(label))
        copy = saturatingMultiply(copy, contraction.indices[*position].extent);
    bytes = saturatingAdd(bytes, copy);
  }
  return bytes;
}

int64_t tc::model::defaultWorkspaceLimit(const Contraction &contraction,
                                         const CpuTarget &target) {
  // Views whose elements overlap have more of them than memory holds.
  int64_t stored = 0;
  for (Tensor tensor : allTensors)
    stored = saturatingAdd(
        stored, saturatingMultiply(contraction.span(tensor),
                                   byteWidth(contraction.elementType[tensor])));
  constexpr int64_t shareOfMemory = 4;
  return target.memoryBytes > 0
             ? std::min(stored, target.memoryBytes / shareOfMemory)
             : stored;
}

Status tc::model::checkWorkspace(const Contraction &contraction,
                                 const CpuSchedule &schedule,
                                 std::optional<int64_t> limit) {
  int64_t bytes = workspaceBytes(contraction, schedule);
  if (!limit || bytes <= *limit)
    return {};
  return Error{"transposed copies take " + std::to_string(bytes) +
               " B, more than the limit of " + std::to_string(*limit) + " B"};
}

//===----------------------------------------------------------------------===//
// Transpositions
//===----------------------------------------------------------------------===//

namespace {

/// The orders that are tried for the M, the N and the K indices, the largest
/// stride first.
using Orders = std::vector<std::vector<unsigned>>;

/// The cost of a copy of a tensor in bytes, weighed.
struct Copy {
  double cost = 0;
  std::vector<std::string> order;
};

/// Chooses the copies for given orders of the roles' indices.
class CopyChooser {
public:
  CopyChooser(const Contraction &contraction,
              const std::array<std::vector<unsigned>, 4> &orders)
      : contraction(contraction), orders(orders) {}

  /// No order if the tensor is a matrix, or several along the batch, as it is.
  Copy choose(Tensor tensor, const CpuCosts &costs) const;

private:
  const std::vector<unsigned> &orderOf(Role role) const {
    return orders[static_cast<unsigned>(role)];
  }
  std::vector<unsigned> held(Role role, Tensor tensor) const;
  bool isMatrix(Tensor tensor, Role rows, Role columns) const;

  const Contraction &contraction;
  const std::array<std::vector<unsigned>, 4> &orders;
};

} // namespace

/// A role's indices that a copy of the tensor has, in the chosen order.
std::vector<unsigned> CopyChooser::held(Role role, Tensor tensor) const {
  std::vector<unsigned> result;
  for (unsigned i : orderOf(role))
    if (isCopied(contraction.indices[i], tensor))
      result.push_back(i);
  return result;
}

/// Returns true if each role's indices move as one and one of the two sides has
/// stride one.
bool CopyChooser::isMatrix(Tensor tensor, Role rows, Role columns) const {
  bool hasStrideOne = false, isEmpty = true;
  for (Role role : {rows, columns}) {
    std::vector<unsigned> indices = held(role, tensor);
    for (size_t i = 0; i + 1 < indices.size(); ++i) {
      const Index &outer = contraction.indices[indices[i]];
      const Index &inner = contraction.indices[indices[i + 1]];
      if (outer.stride[tensor] != inner.stride[tensor] * inner.extent)
        return false;
    }
    if (indices.empty())
      continue;
    isEmpty = false;
    hasStrideOne |= contraction.indices[indices.back()].stride[tensor] == 1;
  }
  return hasStrideOne || isEmpty;
}

Copy CopyChooser::choose(Tensor tensor, const CpuCosts &costs) const {
  Role rows = tensor == Tensor::B ? Role::K : Role::M;
  Role columns = tensor == Tensor::A ? Role::K : Role::N;
  if (isMatrix(tensor, rows, columns))
    return {};
  // The side with the tensor's index of stride one comes last, so that this
  // index keeps its stride if its role's order lets it. Without one, the side
  // that panels run along does.
  std::vector<unsigned> first = held(rows, tensor);
  std::vector<unsigned> last = held(columns, tensor);
  auto endsInStrideOne = [&](const std::vector<unsigned> &indices) {
    return !indices.empty() &&
           contraction.indices[indices.back()].stride[tensor] == 1;
  };
  bool swapped =
      endsInStrideOne(first) || (!endsInStrideOne(last) && tensor == Tensor::A);
  if (swapped)
    std::swap(first, last);
  Copy copy;
  for (const auto &indices : {held(Role::Batch, tensor), first, last})
    for (unsigned i : indices)
      copy.order.push_back(contraction.indices[i].label);
  // C goes both ways if its old contents count.
  double copies = tensor == Tensor::C && contraction.readsC ? 2 : 1;
  copy.cost = contraction.elements(tensor) * copies *
              static_cast<double>(byteWidth(contraction.elementType[tensor])) *
              (endsInStrideOne(last) ? 1 : costs.movedStrideOneWeight);
  return copy;
}

/// A role's indices in the order that each tensor has them.
static Orders ordersOf(const Contraction &contraction, Role role) {
  Orders orders;
  for (Tensor tensor : allTensors) {
    std::vector<unsigned> order;
    for (unsigned i : heldIndices(contraction, tensor))
      if (contraction.indices[i].role == role)
        order.push_back(i);
    if (order.empty())
      continue;
    // Indices that the tensor does not hold.
    for (unsigned i : contraction.withRole(role))
      if (contraction.indices[i].extent > 1 &&
          std::find(order.begin(), order.end(), i) == order.end())
        order.insert(order.begin(), i);
    if (std::find(orders.begin(), orders.end(), order) == orders.end())
      orders.push_back(std::move(order));
  }
  if (orders.empty())
    orders.emplace_back();
  return orders;
}

PerTensor<std::vector<std::string>>
tc::model::chooseTranspositions(const Contraction &contraction,
                                const CpuCosts &costs) {
  PerTensor<std::vector<std::string>> best;
  std::optional<double> least;
  Orders batchOrders = ordersOf(contraction, Role::Batch);
  for (const auto &m : ordersOf(contraction, Role::M)) {
    for (const auto &n : ordersOf(contraction, Role::N)) {
      for (const auto &k : ordersOf(contraction, Role::K)) {
        std::array<std::vector<unsigned>, 4> orders;
        orders[static_cast<unsigned>(Role::Batch)] = batchOrders.front();
        orders[static_cast<unsigned>(Role::M)] = m;
        orders[static_cast<unsigned>(Role::N)] = n;
        orders[static_cast<unsigned>(Role::K)] = k;
        CopyChooser chooser(contraction, orders);
        PerTensor<std::vector<std::string>> lists;
        double cost = 0;
        for (Tensor tensor : allTensors) {
          Copy copy = chooser.choose(tensor, costs);
          cost += copy.cost;
          lists[tensor] = std::move(copy.order);
        }
        if (least && cost >= *least)
          continue;
        least = cost;
        best = std::move(lists);
      }
    }
  }
  return best;
}

//===----------------------------------------------------------------------===//
// Loops over GEMM
//===----------------------------------------------------------------------===//

Result<std::vector<std::vector<std::string>>>
tc::model::enumerateLoops(const Contraction &contraction) {
  // The index of stride one of each tensor has to be in the matrix product.
  std::array<std::optional<unsigned>, 4> required;
  for (Tensor tensor : allTensors) {
    std::optional<unsigned> index = contraction.strideOneIndex(tensor);
    if (!index)
      continue;
    const Index &found = contraction.indices[*index];
    if (found.role == Role::Batch)
      return Error{"the index of stride one of " + nameOf(tensor) + ", '" +
                   found.label +
                   "', is a batch index, so that no slice of it is a matrix"};
    std::optional<unsigned> &other =
        required[static_cast<unsigned>(found.role)];
    if (other && *other != *index)
      return Error{"'" + contraction.indices[*other].label + "' and '" +
                   found.label + "' have stride one and are both indices of " +
                   std::string(stringify(found.role)) +
                   ", of which a matrix product has but one"};
    other = index;
  }

  std::vector<std::vector<unsigned>> candidates;
  for (Role role : {Role::M, Role::N, Role::K}) {
    std::vector<unsigned> choices;
    if (std::optional<unsigned> index = required[static_cast<unsigned>(role)])
      choices = {*index};
    else
      choices = contraction.withRole(role);
    candidates.push_back(std::move(choices));
  }
  // An index that both inputs hold makes a matrix product, where there is one.
  std::vector<unsigned> &ks = candidates.back();
  auto isShared = [&](unsigned i) {
    const Index &index = contraction.indices[i];
    return index.stride[Tensor::A] != 0 && index.stride[Tensor::B] != 0;
  };
  if (std::any_of(ks.begin(), ks.end(), isShared))
    ks.erase(std::remove_if(ks.begin(), ks.end(),
                            [&](unsigned i) { return !isShared(i); }),
             ks.end());

  // M and N loops stand outside of those that sum, so that a slice of C is done
  // with when the next one begins; of either kind, the largest stride in C, or
  // in A, is outermost.
  std::vector<unsigned> loops;
  for (unsigned i : heldIndices(contraction, Tensor::C))
    if (contraction.indices[i].role != Role::Batch)
      loops.push_back(i);
  for (Tensor tensor : {Tensor::A, Tensor::B})
    for (unsigned i : heldIndices(contraction, tensor))
      if (contraction.indices[i].role == Role::K &&
          std::find(loops.begin(), loops.end(), i) == loops.end())
        loops.push_back(i);
  for (unsigned i = 0; i < contraction.indices.size(); ++i)
    if (contraction.indices[i].extent == 1 &&
        contraction.indices[i].role != Role::Batch)
      loops.push_back(i);

  std::vector<std::vector<std::string>> lists;
  std::vector<unsigned> chosen;
  auto addList = [&] {
    std::vector<std::string> list;
    for (unsigned i : loops)
      if (std::find(chosen.begin(), chosen.end(), i) == chosen.end())
        list.push_back(contraction.indices[i].label);
    lists.push_back(std::move(list));
  };
  auto choose = [&](auto &self, size_t role) -> void {
    if (role == candidates.size())
      return addList();
    if (candidates[role].empty())
      return self(self, role + 1);
    for (unsigned i : candidates[role]) {
      chosen.push_back(i);
      self(self, role + 1);
      chosen.pop_back();
    }
  };
  choose(choose, 0);
  return lists;
}
