//===- DynamicShape.h - Kernels on tensors of any shape ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gives kernels that take their shape at run time the one to be launched with.
// What comes out is a kernel like any other, of those extents and strides.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PACKAGE_DYNAMICSHAPE_H
#define TC_PACKAGE_DYNAMICSHAPE_H

#include "tc/Package/Package.h"

#include <cstddef>
#include <functional>
#include <map>

namespace tc::runtime {

/// The shape of one tensor, dimension by dimension as the package lists them.
struct TensorShape {
  std::vector<int64_t> extents, strides;
  /// Elements from the base pointer to the first element.
  int64_t offset = 0;
};

/// Those of `shapedTensorsOf`.
using KernelShape = std::vector<TensorShape>;

/// The tensors that the shape of a kernel is of: A, B and C, and then the
/// auxiliary ones.
std::vector<const TensorArgument *> shapedTensorsOf(const Kernel &kernel);

/// The shape that a kernel has: for one that takes it at run time and has not
/// been given another, the representative one.
KernelShape shapeOf(const Kernel &kernel);

/// That of contiguous tensors, the last dimension of which varies fastest.
/// `extents` gives one for each label; fails, naming the label, if one is
/// missing or of no tensor.
Result<KernelShape>
contiguousShape(const Kernel &kernel,
                const std::map<std::string, int64_t> &extents);

/// The kernel on tensors of that shape. Fails, naming the tensor, the index and
/// the number, if the kernel does not take it: if ranks or extents of an index
/// differ between tensors, if an extent is less than one, if extents, strides
/// and offset are not as the kernel requires, or if C would overlap itself. A
/// kernel whose shape was known when it was compiled takes no other one.
Result<Kernel> bindShape(const Kernel &kernel, const KernelShape &shape);

/// Distance of a shape from the one that a kernel was tuned for: the sum, over
/// all indices, of how often one extent has to be doubled to become the other.
double distanceOf(const Kernel &kernel, const KernelShape &shape);

/// Of a kernel and its versions, the number of that which takes the shape and
/// was tuned for the nearest one, the earlier if two are equally near. Fails
/// with the reason of the least demanding one if none takes it.
Result<size_t> chooseForShape(const Package &package, size_t number,
                              const KernelShape &shape);

/// The kernels of a package with a shape.
struct ShapedKernels {
  /// Those that take it, and their numbers in the package.
  std::vector<Kernel> kernels;
  std::vector<size_t> numbers;
  /// The entries of the others, and why.
  std::vector<std::pair<std::string, std::string>> refused;
  /// The entries that launches of kernels, which are no versions, take.
  std::vector<std::string> chosen;
};

/// Gives all kernels of a package the shape that `shapeFor` says for each.
/// Fails if one has no version that takes it.
Result<ShapedKernels>
bindAll(const Package &package,
        const std::function<Result<KernelShape>(const Kernel &)> &shapeFor);

/// The bytes of the arguments of a kernel's shape, for the one that it has;
/// none if it takes none.
std::vector<std::vector<std::byte>> shapeArguments(const Kernel &kernel);

/// Checks what a package says of a kernel that takes its shape at run time.
/// `path` is the kernel's in the description.
Status verifyDynamicShape(const std::string &path, const Kernel &kernel);

} // namespace tc::runtime

#endif // TC_PACKAGE_DYNAMICSHAPE_H
