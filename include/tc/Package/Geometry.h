//===- Geometry.h - Places of a tensor's elements ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Positions count elements from a tensor's base pointer.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PACKAGE_GEOMETRY_H
#define TC_PACKAGE_GEOMETRY_H

#include "tc/Package/Package.h"

#include <optional>

namespace tc::runtime {

/// One dimension of a walk over positions.
struct Dimension {
  int64_t extent = 1;
  int64_t stride = 0;
};

/// The elements of a tensor: the first one's position and, per distinct label,
/// the way to the others (a diagonal is one dimension; its strides add up).
struct Geometry {
  std::vector<std::string> labels;
  std::vector<Dimension> dims;
  /// Position of the element whose coordinates are all zero.
  int64_t offset = 0;
  /// Least and largest position.
  int64_t first = 0, last = 0;

  /// Elements of a buffer that starts at the base pointer and holds them all.
  int64_t bufferElements() const { return last + 1; }
  /// The number of coordinates, or `saturated`.
  int64_t elements() const;
  /// True if the elements fill the buffer without gap or overlap.
  bool isDense() const;
  /// True if, with the dimensions sorted by stride, each stride steps over all
  /// that the smaller ones reach. Then no two elements share a position.
  bool isNested() const;
};

/// A complex tensor counts as a real one of twice the elements, the last
/// dimension running over their parts (tc/Problem/ComplexParts.h).
///
/// Fails, naming the dimension by its place, if a position is negative or the
/// buffer has more than 2^63 - 1 bytes.
Result<Geometry> geometryOf(const TensorArgument &tensor);

/// The bytes of a buffer that starts at the base pointer and holds a tensor, or
/// `saturated` where `geometryOf` fails.
int64_t bufferBytesOf(const TensorArgument &tensor);

/// Checks that a kernel works on buffers as its definition describes them.
Status checkSameBuffers(const Kernel &definition, const Kernel &kernel);

/// A contraction, and a kernel's own one, in the model's normal form. The
/// kernel must have passed `verify`.
model::Contraction contractionOf(const KernelContraction &contraction);
model::Contraction contractionOf(const Kernel &kernel);

/// Says which element, if any, lies at a position of a nested geometry.
class PositionDecoder {
public:
  explicit PositionDecoder(const Geometry &geometry);

  /// True if an element lies at the position.
  bool contains(int64_t position) const {
    return decode(position, [](const Step &, int64_t) {});
  }
  /// The coordinates of the element at the position, one per dimension.
  std::optional<std::vector<int64_t>> coordinates(int64_t position) const;

private:
  struct Step {
    size_t dimension;
    int64_t extent, stride;
    /// True if the coordinate grows towards lower positions.
    bool reversed;
  };

  template <typename Visitor>
  bool decode(int64_t position, Visitor visit) const {
    int64_t rest = position - first;
    if (rest < 0)
      return false;
    for (const Step &step : steps) {
      int64_t coordinate = rest / step.stride;
      if (coordinate >= step.extent)
        return false;
      rest -= coordinate * step.stride;
      visit(step, step.reversed ? step.extent - 1 - coordinate : coordinate);
    }
    return rest == 0;
  }

  size_t rank;
  int64_t first;
  /// By descending stride.
  std::vector<Step> steps;
};

/// Calls `visit(position)` for the elements whose running number (the last
/// dimension runs fastest) is in [begin, end).
template <typename Visitor>
void forEachPosition(const Geometry &geometry, int64_t begin, int64_t end,
                     Visitor visit) {
  size_t rank = geometry.dims.size();
  std::vector<int64_t> coordinates(rank);
  int64_t position = geometry.offset, rest = begin;
  for (size_t i = rank; i-- > 0;) {
    coordinates[i] = rest % geometry.dims[i].extent;
    rest /= geometry.dims[i].extent;
    position += coordinates[i] * geometry.dims[i].stride;
  }
  for (int64_t number = begin; number < end; ++number) {
    visit(position);
    for (size_t i = rank; i-- > 0;) {
      position += geometry.dims[i].stride;
      if (++coordinates[i] < geometry.dims[i].extent)
        break;
      position -= coordinates[i] * geometry.dims[i].stride;
      coordinates[i] = 0;
    }
  }
}

} // namespace tc::runtime

#endif // TC_PACKAGE_GEOMETRY_H
