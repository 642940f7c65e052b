//===- HostTensor.cpp - Tensors in host memory ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Buffers/HostTensor.h"
#include "RepeatedPages.h"
#include "tc/Buffers/Parallel.h"
#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <cstdlib>
#include <sys/mman.h>

using namespace tc;
using namespace tc::runtime;

static constexpr int64_t pageBytes = 4096, hugePageBytes = int64_t(1) << 21;
static constexpr int64_t fillGrain = 1 << 16;

template <typename T> void HostTensor::fill(unsigned workers) {
  T *elements = as<T>();
  auto fillWith = [&](typename Pattern<T>::Bits pattern) {
    T value;
    std::memcpy(&value, &pattern, sizeof(T));
    parallelFor(where.bufferElements(), workers, fillGrain,
                [&](int64_t begin, int64_t end) {
                  for (int64_t p = begin; p < end; ++p)
                    std::memcpy(elements + p, &value, sizeof(T));
                });
  };
  if (initialContents == Contents::Poison)
    return fillWith(Pattern<T>::poison);
  if (dense)
    return parallelFor(
        where.bufferElements(), workers, fillGrain,
        [&](int64_t begin, int64_t end) { random.fill(elements, begin, end); });

  fillWith(Pattern<T>::gap);
  // Dimensions that do not move would only write the same elements again.
  Geometry moving = where;
  for (Dimension &dim : moving.dims)
    if (dim.stride == 0)
      dim.extent = 1;
  if (where.isNested())
    return parallelFor(moving.elements(), workers, fillGrain,
                       [&](int64_t begin, int64_t end) {
                         forEachPosition(moving, begin, end, [&](int64_t p) {
                           elements[p] = random.uniform<T>(p);
                         });
                       });
  // Elements may share positions: one thread, so that none is written by two.
  forEachPosition(moving, 0, moving.elements(),
                  [&](int64_t p) { elements[p] = random.uniform<T>(p); });
}

/// Large tensors lie in huge pages, where the system grants them to who asks
/// (as NumPy does): strided walks would spend their time on translating
/// addresses.
static std::byte *allocate(int64_t bytes) {
  int64_t alignment = bytes >= hugePageBytes ? hugePageBytes : pageBytes;
  bytes = roundUp(bytes, alignment);
  if (bytes == saturated)
    return nullptr;
  void *storage = std::aligned_alloc(alignment, bytes);
#ifdef MADV_HUGEPAGE
  if (storage && alignment == hugePageBytes)
    // Refusal changes speed only.
    (void)madvise(storage, bytes, MADV_HUGEPAGE);
#endif
  return static_cast<std::byte *>(storage);
}

void HostTensor::Release::operator()(std::byte *pointer) const {
  if (mapped > 0)
    munmap(pointer, mapped);
  else
    std::free(pointer);
}

bool HostTensor::mapPoison() {
  size_t size = roundUp(static_cast<int64_t>(bytes()), pageBytes);
  std::byte *pages = dispatch(elementType, [&](auto zero) {
    auto poison = Pattern<decltype(zero)>::poison;
    return mapRepeated(size, &poison, sizeof(poison));
  });
  if (pages)
    storage = {pages, Release{size}};
  return pages != nullptr;
}

Result<HostTensor> HostTensor::create(const TensorArgument &argument,
                                      Contents contents, const Random &random,
                                      unsigned workers, Written written) {
  Result<Geometry> geometry = geometryOf(argument);
  if (!geometry)
    return Error{geometry.error()};
  HostTensor tensor(std::move(*geometry), model::realTypeOf(argument.type),
                    contents, random);
  if (contents == Contents::Poison && written == Written::Little &&
      tensor.bytes() >= hugePageBytes && tensor.mapPoison())
    return tensor;
  tensor.storage.reset(allocate(static_cast<int64_t>(tensor.bytes())));
  if (!tensor.storage)
    return Error{"cannot allocate " + std::to_string(tensor.bytes()) +
                 " bytes for tensor " + argument.name};
  tensor.reset(workers);
  return tensor;
}

void HostTensor::reset(unsigned workers) {
  if (!initial.empty()) {
    std::memcpy(data(), initial.data(), initial.size());
    return;
  }
  dispatch(elementType, [&](auto zero) { fill<decltype(zero)>(workers); });
}
