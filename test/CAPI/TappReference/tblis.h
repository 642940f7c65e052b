//===- tblis.h - Stand-in for TBLIS in TAPP's test --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The test of TAPP's reference implementation compares with TBLIS. This stands
// in for it, as scripts/tapp_reference_tests.sh builds that test: sums over all
// indices in double precision.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_CAPI_TAPPREFERENCE_TBLIS_H
#define TC_TEST_CAPI_TAPPREFERENCE_TBLIS_H

#include <complex>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace tblis {

using len_type = std::ptrdiff_t;
using stride_type = std::ptrdiff_t;
using label_type = std::int64_t;
using Number = std::complex<double>;

struct tblis_tensor {
  Number scalar;
  Number (*load)(const void *data, stride_type at);
  void (*store)(void *data, stride_type at, Number value);
  unsigned ndim;
  len_type *len;
  void *data;
  stride_type *stride;
};

template <typename T>
void init(tblis_tensor *tensor, Number scalar, unsigned rank, len_type *extents,
          void *data, stride_type *strides) {
  *tensor = {scalar,
             [](const void *from, stride_type at) {
               return Number(static_cast<const T *>(from)[at]);
             },
             [](void *to, stride_type at, Number value) {
               T &element = static_cast<T *>(to)[at];
               if constexpr (std::is_floating_point_v<T>)
                 element = static_cast<T>(value.real());
               else
                 element = T(value);
             },
             rank,
             extents,
             data,
             strides};
}

#define TC_TBLIS_INIT(letter, type)                                            \
  inline void tblis_init_tensor_scaled_##letter(                               \
      tblis_tensor *tensor, type scalar, unsigned rank, len_type *extents,     \
      void *data, stride_type *strides) {                                      \
    init<type>(tensor, scalar, rank, extents, data, strides);                  \
  }                                                                            \
  inline void tblis_init_tensor_##letter(tblis_tensor *tensor, unsigned rank,  \
                                         len_type *extents, void *data,        \
                                         stride_type *strides) {               \
    init<type>(tensor, 1, rank, extents, data, strides);                       \
  }
TC_TBLIS_INIT(s, float)
TC_TBLIS_INIT(d, double)
TC_TBLIS_INIT(c, std::complex<float>)
TC_TBLIS_INIT(z, std::complex<double>)
#undef TC_TBLIS_INIT

/// Adds the product of tensors, all but the last, to the last.
inline void
accumulate(const std::vector<std::pair<tblis_tensor *, const label_type *>>
               &operands) {
  std::map<label_type, len_type> extents;
  for (const auto &[tensor, labels] : operands)
    for (unsigned i = 0; i < tensor->ndim; ++i)
      extents[labels[i]] = tensor->len[i];
  std::map<label_type, len_type> at;
  auto place = [&](const auto &operand) {
    stride_type sum = 0;
    for (unsigned i = 0; i < operand.first->ndim; ++i)
      sum += at[operand.second[i]] * operand.first->stride[i];
    return sum;
  };
  tblis_tensor &result = *operands.back().first;
  std::map<stride_type, Number> sums;
  for (bool more = true; more;) {
    Number term = 1;
    for (size_t i = 0; i + 1 < operands.size(); ++i)
      term *=
          operands[i].first->scalar *
          operands[i].first->load(operands[i].first->data, place(operands[i]));
    sums[place(operands.back())] += term;
    more = false;
    for (const auto &[label, extent] : extents) {
      if (++at[label] < extent) {
        more = true;
        break;
      }
      at[label] = 0;
    }
  }
  for (const auto &[position, sum] : sums) {
    Number old = result.scalar == 0.0
                     ? 0
                     : result.scalar * result.load(result.data, position);
    result.store(result.data, position, old + sum);
  }
  // As in TBLIS: what was scaled is scaled.
  result.scalar = 1;
}

inline void tblis_tensor_mult(const void *, const void *, tblis_tensor *a,
                              const label_type *labelsA, tblis_tensor *b,
                              const label_type *labelsB, tblis_tensor *c,
                              const label_type *labelsC) {
  accumulate({{a, labelsA}, {b, labelsB}, {c, labelsC}});
}
inline void tblis_tensor_add(const void *, const void *, tblis_tensor *a,
                             const label_type *labelsA, tblis_tensor *b,
                             const label_type *labelsB) {
  accumulate({{a, labelsA}, {b, labelsB}});
}

} // namespace tblis

/// One thread.
inline const void *const tblis_single = nullptr;
extern "C" inline void bli_init() {}
extern "C" inline void bli_finalize() {}

#endif // TC_TEST_CAPI_TAPPREFERENCE_TBLIS_H
