//===- TestKernels.h - Descriptions that tests start from -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_UNIT_PACKAGE_TESTKERNELS_H
#define TC_TEST_UNIT_PACKAGE_TESTKERNELS_H

#include "tc/Package/Package.h"

#include <map>

namespace tc::runtime::test {

using Extents = std::map<std::string, int64_t>;
using Labels = std::vector<std::string>;

/// A row-major contiguous tensor.
inline TensorArgument makeTensor(const std::string &name, const Labels &labels,
                                 const Extents &extents,
                                 model::ElementType type) {
  TensorArgument tensor;
  tensor.name = name;
  tensor.type = type;
  tensor.labels = labels;
  tensor.strides.resize(labels.size());
  int64_t stride = 1;
  for (size_t i = labels.size(); i-- > 0;) {
    tensor.strides[i] = stride;
    stride *= extents.at(labels[i]);
  }
  for (const std::string &label : labels)
    tensor.extents.push_back(extents.at(label));
  return tensor;
}

/// A kernel that computes C = A * B with one tile over the whole of C.
inline Kernel makeKernel(const Labels &a, const Labels &b, const Labels &c,
                         const Extents &extents,
                         model::ElementType type = model::ElementType::F64) {
  Kernel kernel;
  kernel.entry = "contract";
  kernel.block = {32, 1, 1};
  kernel.tensors = {makeTensor("A", a, extents, type),
                    makeTensor("B", b, extents, type),
                    makeTensor("C", c, extents, type)};
  kernel.tensors[2].isRead = false;
  kernel.tensors[2].isWritten = true;
  kernel.accumulatorType = model::accumulatorTypeOf(type);
  for (const std::string &label : c) {
    bool known = false;
    for (const GridDim &dim : kernel.gridDims)
      known |= dim.label == label;
    if (!known)
      kernel.gridDims.push_back({label, extents.at(label), extents.at(label)});
  }
  return kernel;
}

/// Cuts C's indices into tiles and makes the grid fit.
inline void setTiles(Kernel &kernel, const Extents &tiles) {
  int64_t blocks = 1;
  for (GridDim &dim : kernel.gridDims) {
    dim.tile = tiles.at(dim.label);
    blocks *= dim.tiles();
  }
  kernel.grid = {blocks, 1, 1};
}

inline void setBeta(Kernel &kernel, Scalar beta) {
  kernel.beta = beta;
  kernel.tensors[2].isRead = beta.isArgument || beta.value != 0.0;
}

inline Package makePackage(Kernel kernel) {
  Package package;
  package.name = "example";
  package.target = "sm_90";
  package.codeFile = "example.ptx";
  package.kernels.push_back(std::move(kernel));
  return package;
}

/// C[i,j] = A[i,k] * B[k,j], 5 x 7 x 3, in tiles of 2 x 4.
inline Kernel matmulKernel() {
  Kernel kernel = makeKernel({"i", "k"}, {"k", "j"}, {"i", "j"},
                             {{"i", 5}, {"j", 7}, {"k", 3}});
  setTiles(kernel, {{"i", 2}, {"j", 4}});
  return kernel;
}

/// C[i,j] = 2 A[i,k] B[k,j] - A1[y,z] B1[z,x] + C[i,j] with x = i and y = j.
inline Kernel sumKernel(model::ElementType type = model::ElementType::F64) {
  Kernel kernel = makeKernel({"i", "k"}, {"k", "j"}, {"i", "j"},
                             {{"i", 5}, {"j", 7}, {"k", 3}}, type);
  setTiles(kernel, {{"i", 2}, {"j", 4}});
  kernel.alpha.value = 2;
  setBeta(kernel, {1.0, false});
  Kernel term = makeKernel({"y", "z"}, {"z", "x"}, {"x", "y"},
                           {{"x", 5}, {"y", 7}, {"z", 4}}, type);
  term.alpha.value = -1;
  term.schedule = "#tc.schedule<>";
  setGroup(kernel, {term}, {model::accumulateEdge(1)});
  return kernel;
}

/// C[i,j] = sum over k of A[i,k] B[k,j] with A[x,y] = 2 |sum over z of A1[x,z]
/// B1[z,y]|, which is called A[i,k] then.
inline Kernel chainKernel(model::ElementType type = model::ElementType::F64) {
  Kernel kernel = makeKernel({"i", "k"}, {"k", "j"}, {"i", "j"},
                             {{"i", 5}, {"j", 7}, {"k", 3}}, type);
  Kernel link = makeKernel({"x", "z"}, {"z", "y"}, {"x", "y"},
                           {{"x", 5}, {"y", 3}, {"z", 4}}, type);
  link.alpha.value = 2;
  link.epilogue = "abs(x)";
  link.schedule = "#tc.schedule<>";
  setGroup(kernel, {link}, {model::feedEdge(1, 0, model::Tensor::A)});
  return kernel;
}

/// C[i,j] = A[i,k] B[k,j] and C1[y,x] = 2 A1[y,z] A[x,z] in three tiles of two
/// rows of A, which they share.
inline Kernel sharingKernel(model::ElementType type = model::ElementType::F64) {
  Kernel kernel = makeKernel({"i", "k"}, {"k", "j"}, {"i", "j"},
                             {{"i", 5}, {"j", 7}, {"k", 3}}, type);
  setTiles(kernel, {{"i", 2}, {"j", 7}});
  Kernel other = makeKernel({"y", "z"}, {"x", "z"}, {"y", "x"},
                            {{"x", 5}, {"y", 2}, {"z", 3}}, type);
  other.alpha.value = 2;
  other.schedule = "#tc.schedule<>";
  setGroup(kernel, {other},
           {model::shareEdge(model::Tensor::A, 1, model::Tensor::B)});
  return kernel;
}

/// The sum over i and j of 2 A[i,k] B[k,j], in six tiles.
inline Kernel reducingKernel(model::ElementType type = model::ElementType::F64,
                             const std::string &epilogue = "") {
  Kernel kernel = makeKernel({"i", "k"}, {"k", "j"}, {"i", "j"},
                             {{"i", 5}, {"j", 7}, {"k", 3}}, type);
  setTiles(kernel, {{"i", 2}, {"j", 4}});
  kernel.alpha.value = 2;
  kernel.epilogue = epilogue;
  kernel.reduces = true;
  kernel.tensors[2].strides = {0, 0};
  kernel.workspace = Workspace{
      128 + 6 * model::byteWidth(model::reductionTypeOf(type)), 128, 128};
  return kernel;
}

} // namespace tc::runtime::test

#endif // TC_TEST_UNIT_PACKAGE_TESTKERNELS_H
