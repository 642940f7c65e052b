//===- DLPack.h - Tensors of other libraries --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The structures of DLPack, whose layouts its specification fixes
// (https://dmlc.github.io/dlpack/latest/c_api.html), and what is read of them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PYTHON_DLPACK_H
#define TC_PYTHON_DLPACK_H

#include <nanobind/nanobind.h>

#include <cstdint>

namespace dlpack {

struct Device {
  int32_t type, id;
};

struct DataType {
  uint8_t code, bits;
  uint16_t lanes;
};

struct Tensor {
  void *data;
  Device device;
  int32_t rank;
  DataType dtype;
  int64_t *shape;
  /// In elements; null where the tensor is contiguous.
  int64_t *strides;
  uint64_t byteOffset;
};

/// Contents of a capsule "dltensor".
struct Managed {
  Tensor tensor;
  void *context;
  void (*deleter)(Managed *);
};

/// Contents of a capsule "dltensor_versioned".
struct Versioned {
  uint32_t major, minor;
  void *context;
  void (*deleter)(Versioned *);
  uint64_t flags;
  Tensor tensor;
};

constexpr uint64_t readOnlyFlag = 1;
constexpr uint32_t knownMajor = 1;

/// The address of the first element, shape, strides in elements, code, bits and
/// lanes of the type, type and number of the device, and whether the tensor is
/// read-only. The capsule keeps the tensor, and its owner's destructor is
/// called when it dies.
inline nanobind::tuple read(nanobind::handle capsule) {
  namespace nb = nanobind;
  const Tensor *tensor = nullptr;
  bool isReadOnly = false;
  if (PyCapsule_IsValid(capsule.ptr(), "dltensor")) {
    tensor =
        &static_cast<Managed *>(PyCapsule_GetPointer(capsule.ptr(), "dltensor"))
             ->tensor;
  } else if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned")) {
    auto *versioned = static_cast<Versioned *>(
        PyCapsule_GetPointer(capsule.ptr(), "dltensor_versioned"));
    if (versioned->major != knownMajor)
      throw nb::buffer_error("its version of DLPack is unknown");
    tensor = &versioned->tensor;
    isReadOnly = versioned->flags & readOnlyFlag;
  } else {
    throw nb::buffer_error("__dlpack__ returned no capsule with a tensor");
  }
  nb::list shape, strides;
  int64_t contiguous = 1;
  for (int32_t i = tensor->rank; i-- > 0;) {
    shape.insert(0, tensor->shape[i]);
    strides.insert(0, tensor->strides ? tensor->strides[i] : contiguous);
    contiguous *= tensor->shape[i] > 0 ? tensor->shape[i] : 1;
  }
  auto address = reinterpret_cast<uintptr_t>(tensor->data);
  if (tensor->data)
    address += tensor->byteOffset;
  return nb::make_tuple(address, nb::tuple(shape), nb::tuple(strides),
                        tensor->dtype.code, tensor->dtype.bits,
                        tensor->dtype.lanes, tensor->device.type,
                        tensor->device.id, isReadOnly);
}

} // namespace dlpack

#endif // TC_PYTHON_DLPACK_H
