//===- HostTensor.h - Tensors in host memory --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Storage for a kernel's arguments, filled so that mistakes show: inputs are
// random, the gaps between the elements of a strided tensor are NaN, and an
// output that is not to be read is poison.
//
//===----------------------------------------------------------------------===//

#ifndef TC_BUFFERS_HOSTTENSOR_H
#define TC_BUFFERS_HOSTTENSOR_H

#include "tc/Buffers/NarrowFloat.h"
#include "tc/Buffers/Random.h"
#include "tc/Package/Geometry.h"

#include <cstddef>
#include <cstring>
#include <memory>

namespace tc::runtime {

/// The C++ type of an element type, by `dispatch(type, [](auto zero) {...})`;
/// of complex ones, that of their parts.
template <typename Function>
decltype(auto) dispatch(model::ElementType type, Function function) {
  switch (type) {
#define TC_ELEMENT_TYPE(TYPE, NAME, CXX, ...)                                  \
  case model::ElementType::TYPE:                                               \
    return function(CXX());
#include "tc/Problem/ElementTypes.def"
  }
  return function(0.0);
}

/// Bit patterns of NaNs that no arithmetic makes.
template <typename T> struct Pattern;
template <> struct Pattern<double> {
  using Bits = uint64_t;
  /// Marks elements of the output that nothing wrote.
  static constexpr Bits poison = 0x7FF8'DEAD'7FF8'DEAD;
  /// Marks the gaps between the elements of a strided tensor.
  static constexpr Bits gap = 0x7FF8'6A90'7FF8'6A90;
};
template <> struct Pattern<float> {
  using Bits = uint32_t;
  static constexpr Bits poison = 0x7FC0'DEAD;
  static constexpr Bits gap = 0x7FC0'6A90;
};
template <> struct Pattern<Float16> {
  using Bits = uint16_t;
  static constexpr Bits poison = 0x7EAD;
  static constexpr Bits gap = 0x7E90;
};
template <> struct Pattern<BFloat16> {
  using Bits = uint16_t;
  static constexpr Bits poison = 0x7FED;
  static constexpr Bits gap = 0x7FD0;
};

/// The one NaN of this format, with either sign.
template <> struct Pattern<Float8E4M3FN> {
  using Bits = uint8_t;
  static constexpr Bits poison = 0xFF;
  static constexpr Bits gap = 0x7F;
};
template <> struct Pattern<Float8E5M2> {
  using Bits = uint8_t;
  static constexpr Bits poison = 0xFE;
  static constexpr Bits gap = 0xFD;
};
template <> struct Pattern<int8_t> {
  using Bits = uint8_t;
  static constexpr Bits poison = 0xAD;
  static constexpr Bits gap = 0x90;
};
template <> struct Pattern<int32_t> {
  using Bits = uint32_t;
  static constexpr Bits poison = 0x7FC0'DEAD;
  static constexpr Bits gap = 0x7FC0'6A90;
};
template <> struct Pattern<int64_t> {
  using Bits = uint64_t;
  static constexpr Bits poison = 0x7FF8'DEAD'7FF8'DEAD;
  static constexpr Bits gap = 0x7FF8'6A90'7FF8'6A90;
};

/// The initial contents of a tensor.
enum class Contents { Random, Poison };

/// The part of a tensor that a run will write: with `Little`, memory that
/// nothing writes is not taken where the system can do that.
enum class Written { Much, Little };

/// The buffer of one tensor, aligned to 4096 bytes. That of a complex one holds
/// real numbers, see `geometryOf`.
class HostTensor {
public:
  /// Allocates and fills on `workers` threads (0: one a core). Fails if there
  /// is not enough memory.
  static Result<HostTensor> create(const TensorArgument &argument,
                                   Contents contents, const Random &random,
                                   unsigned workers = 0,
                                   Written written = Written::Much);

  /// Gives all positions the contents that `create` put there.
  void reset(unsigned workers = 0);
  /// Makes the present contents of the buffer its initial ones.
  void keepAsInitial() { initial.assign(data(), data() + bytes()); }

  const Geometry &geometry() const { return where; }
  model::ElementType type() const { return elementType; }
  Contents contents() const { return initialContents; }

  std::byte *data() { return storage.get(); }
  const std::byte *data() const { return storage.get(); }
  size_t bytes() const {
    return where.bufferElements() * model::byteWidth(elementType);
  }
  template <typename T> const T *as() const {
    return reinterpret_cast<const T *>(storage.get());
  }
  template <typename T> T *as() { return reinterpret_cast<T *>(storage.get()); }

  /// Returns true if an element lies at the position.
  bool contains(int64_t position) const {
    return dense || decoder.contains(position);
  }
  /// The initial bits of a position.
  template <typename T> typename Pattern<T>::Bits initialBits(int64_t p) const {
    if (initialContents == Contents::Poison)
      return Pattern<T>::poison;
    typename Pattern<T>::Bits bits;
    if (!initial.empty()) {
      std::memcpy(&bits, initial.data() + p * sizeof(T), sizeof(T));
      return bits;
    }
    if (!contains(p))
      return Pattern<T>::gap;
    T value = random.uniform<T>(p);
    std::memcpy(&bits, &value, sizeof(T));
    return bits;
  }
  /// The bits at a position now.
  template <typename T> typename Pattern<T>::Bits bits(int64_t p) const {
    typename Pattern<T>::Bits bits;
    std::memcpy(&bits, as<T>() + p, sizeof(T));
    return bits;
  }

private:
  struct Release {
    /// Bytes of mapped pages; zero of other memory.
    size_t mapped;
    void operator()(std::byte *pointer) const;
  };

  HostTensor(Geometry geometry, model::ElementType type, Contents contents,
             const Random &random)
      : where(std::move(geometry)), elementType(type),
        initialContents(contents), random(random), dense(where.isDense()),
        decoder(where) {}
  template <typename T> void fill(unsigned workers);
  /// Makes the storage poison without filling it; returns true on success.
  bool mapPoison();

  Geometry where;
  model::ElementType elementType;
  Contents initialContents;
  Random random;
  bool dense;
  PositionDecoder decoder;
  std::unique_ptr<std::byte, Release> storage = {nullptr, {0}};
  /// The initial contents, if they were given.
  std::vector<std::byte> initial;
};

} // namespace tc::runtime

#endif // TC_BUFFERS_HOSTTENSOR_H
