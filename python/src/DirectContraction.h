//===- DirectContraction.h - Contractions run at once -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of a contraction that is run a few times, most of the time goes into making
// all that lets code take over from ahead-of-time kernels later. So the first
// runs call these by the strides alone.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PYTHON_DIRECTCONTRACTION_H
#define TC_PYTHON_DIRECTCONTRACTION_H

#include "PlainContraction.h"

#include "tc-c/CpuRuntime.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

namespace {

/// The contraction of one array or two of one type by ahead-of-time kernels.
class DirectContraction {
public:
  /// Nothing where a run might take so long that code for it would be looked
  /// for, and for numbers of threads that there are not.
  static std::optional<DirectContraction>
  make(const PlainSubscripts &subscripts, const PlainLayouts &layouts,
       int32_t type, int64_t threads) {
    if (threads < 0 || threads > TC_MOST_THREADS)
      return std::nullopt;
    DirectContraction made(type, static_cast<int32_t>(threads));
    const size_t operands = layouts.operands();
    std::array<TcCpuIndex *, 128> indexOf = {};
    made.indices.reserve(indexOf.size());
    int64_t products = 1;
    // The order and the strides are those of a compiled contraction, and so are
    // the bits of results: C's indices, A's, then B's.
    const std::array<size_t, 3> order = {operands, 0, 1};
    for (size_t place = 0; place <= operands; ++place) {
      const size_t tensor = order[place];
      const std::string &letters = subscripts[tensor];
      for (size_t axis = 0; axis < letters.size(); ++axis) {
        const int64_t extent = layouts.extents[tensor][axis];
        // They stay where they are, as there is room for all letters.
        TcCpuIndex *&index = indexOf[static_cast<size_t>(letters[axis])];
        if (!index) {
          index = &made.indices.emplace_back(TcCpuIndex{extent, {}});
          products = tc::saturatingMultiply(products, extent);
        }
        if (extent != 1)
          index->strides[tensor == operands ? 2 : tensor] +=
              layouts.strides[tensor][axis];
      }
    }
    if (products > mostProducts)
      return std::nullopt;
    return made;
  }

  /// Computes C; without B, A is multiplied by one. Other threads may use the
  /// interpreter meanwhile, or have to wait.
  void runOn(const void *a, const void *b, void *c, bool unlocks) const {
    std::optional<Unlocked> unlocked;
    if (unlocks)
      unlocked.emplace();
    const TcErrorCode error = tcCpuContract(
        indices.data(), static_cast<int32_t>(indices.size()), type, type, type,
        0, a, b ? b : one.data(), c, nullptr, nullptr, threads);
    unlocked.reset();
    if (error == 0)
      return;
    PyErr_SetString(error == TC_ERROR_OUT_OF_MEMORY ? PyExc_MemoryError
                                                    : PyExc_RuntimeError,
                    "there is no memory for the contraction's panels");
    throw nb::python_error();
  }

private:
  /// So many take less than the 20 ms from which on code is looked for before
  /// the first run, but for elements that are read once, which have none.
  static constexpr int64_t mostProducts = int64_t(1) << 23;

  using One = std::array<std::byte, 16>;

  DirectContraction(int32_t type, int32_t threads)
      : type(type), threads(threads), one(oneOf(type)) {}

  static One oneOf(int32_t type) {
    auto bytesOf = [](auto number) {
      One bytes = {};
      std::memcpy(bytes.data(), &number, sizeof number);
      return bytes;
    };
    switch (type) {
    case TC_ELEMENT_F64:
    case TC_ELEMENT_C64:
      return bytesOf(1.0);
    case TC_ELEMENT_F32:
    case TC_ELEMENT_C32:
      return bytesOf(1.0F);
    case TC_ELEMENT_F16:
      return bytesOf(uint16_t(0x3c00));
    case TC_ELEMENT_BF16:
      return bytesOf(uint16_t(0x3f80));
    default:
      // Integers of any width, as their least byte is the first.
      return bytesOf(int64_t(1));
    }
  }

  std::vector<TcCpuIndex> indices;
  int32_t type, threads;
  /// One number of that type.
  alignas(16) One one;
};

} // namespace

#endif // TC_PYTHON_DIRECTCONTRACTION_H
