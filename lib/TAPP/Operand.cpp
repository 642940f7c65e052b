//===- Operand.cpp - Tensors of a TAPP product and their indices ----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operand.h"

#include <algorithm>
#include <map>
#include <tuple>

using namespace tc::tapp;

TcElementType tc::tapp::elementTypeOf(TAPP_datatype type) {
  switch (type) {
  case TAPP_F32:
    return TC_ELEMENT_F32;
  case TAPP_F64:
    return TC_ELEMENT_F64;
  case TAPP_C32:
    return TC_ELEMENT_C32;
  case TAPP_C64:
    return TC_ELEMENT_C64;
  case TAPP_F16:
    return TC_ELEMENT_F16;
  case TAPP_BF16:
    return TC_ELEMENT_BF16;
  default:
    return 0;
  }
}

int64_t tc::tapp::alignmentOf(TAPP_datatype type) {
  switch (type) {
  case TAPP_F16:
  case TAPP_BF16:
    return 2;
  case TAPP_F32:
  case TAPP_C32:
    return 4;
  default:
    return 8;
  }
}

int64_t tc::tapp::bytesOf(TAPP_datatype type) {
  return alignmentOf(type) * (isComplex(type) ? 2 : 1);
}

bool Operand::hasElements() const {
  return std::find(info.extents.begin(), info.extents.end(), 0) ==
         info.extents.end();
}

std::string Operand::term() const {
  std::string term;
  for (int64_t index : indices) {
    std::string number = std::to_string(index);
    if (index < 0)
      number[0] = 'm';
    term += (term.empty() ? "[i" : ",i") + number;
  }
  return term.empty() ? "[]" : term + "]";
}

Operand tc::tapp::makeOperand(TAPP_tensor_info info, const int64_t *indices) {
  auto *tensor = fromHandle<TensorInfo>(info);
  return {*tensor, {indices, indices + tensor->extents.size()}};
}

/// The extent of each index; an error if one has two.
static TAPP_error findExtents(const Operand &operand, int code,
                              std::map<int64_t, int64_t> &extents) {
  for (size_t i = 0; i < operand.indices.size(); ++i) {
    int64_t extent = operand.info.extents[i];
    if (extents.try_emplace(operand.indices[i], extent).first->second != extent)
      return failWith(code);
  }
  return success;
}

/// Returns true if indices that both tensors have are of equal extent.
static bool agree(const std::map<int64_t, int64_t> &a,
                  const std::map<int64_t, int64_t> &b) {
  return std::all_of(a.begin(), a.end(), [&](const auto &entry) {
    auto found = b.find(entry.first);
    return found == b.end() || found->second == entry.second;
  });
}

static std::vector<int64_t> sorted(std::vector<int64_t> values) {
  std::sort(values.begin(), values.end());
  return values;
}

TAPP_error tc::tapp::checkIndices(const Operand &a, const Operand &b,
                                  const Operand &c, const Operand &d) {
  std::map<int64_t, int64_t> inA, inB, inC, inD;
  for (auto [operand, code, extents] :
       {std::tuple(&a, TAPP_ERR_A_IDX_EXTENTS, &inA),
        std::tuple(&b, TAPP_ERR_B_IDX_EXTENTS, &inB),
        std::tuple(&c, TAPP_ERR_EXTENTS_CD, &inC),
        std::tuple(&d, TAPP_ERR_D_IDX_EXTENTS, &inD)})
    if (TAPP_error error = findExtents(*operand, code, *extents);
        !isSuccess(error))
      return error;
  if (!agree(inA, inB))
    return failWith(TAPP_ERR_EXTENTS_AB);
  if (!agree(inA, inD))
    return failWith(TAPP_ERR_EXTENTS_AD);
  if (!agree(inB, inD))
    return failWith(TAPP_ERR_EXTENTS_BD);
  for (const auto &[index, extent] : inD)
    if (inA.count(index) == 0 && inB.count(index) == 0)
      return failWith(TAPP_ERR_D_UNSHARED_IDX);
  if (c.indices.size() != d.indices.size())
    return failWith(TAPP_ERR_CD_NDIM);
  if (sorted(c.indices) != sorted(d.indices))
    return failWith(TAPP_ERR_CD_IDX);
  if (!agree(inC, inD))
    return failWith(TAPP_ERR_EXTENTS_CD);
  return success;
}

void tc::tapp::takeDiagonals(Operand &operand) {
  size_t kept = 0;
  auto &[type, extents, strides] = operand.info;
  for (size_t i = 0; i < operand.indices.size(); ++i) {
    auto end = operand.indices.begin() + static_cast<ptrdiff_t>(kept);
    auto found = std::find(operand.indices.begin(), end, operand.indices[i]);
    if (found != end) {
      strides[static_cast<size_t>(found - operand.indices.begin())] +=
          strides[i];
      continue;
    }
    operand.indices[kept] = operand.indices[i];
    extents[kept] = extents[i];
    strides[kept] = strides[i];
    ++kept;
  }
  operand.indices.resize(kept);
  extents.resize(kept);
  strides.resize(kept);
}

bool tc::tapp::mayOverlap(const Operand &d) {
  if (!d.hasElements())
    return false;
  std::vector<std::pair<uint64_t, uint64_t>> dimensions;
  for (size_t i = 0; i < d.indices.size(); ++i)
    if (d.info.extents[i] > 1) {
      auto stride = static_cast<uint64_t>(d.info.strides[i]);
      dimensions.push_back({d.info.strides[i] < 0 ? -stride : stride,
                            static_cast<uint64_t>(d.info.extents[i])});
    }
  std::sort(dimensions.begin(), dimensions.end());
  if (!dimensions.empty() && dimensions[0].first == 0)
    return true;
  for (size_t i = 1; i < dimensions.size(); ++i)
    if (dimensions[i].first / dimensions[i - 1].first <
        dimensions[i - 1].second)
      return true;
  return false;
}
