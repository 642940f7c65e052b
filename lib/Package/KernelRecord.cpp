//===- KernelRecord.cpp - Kernels and records of contractions ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Package/KernelRecord.h"

using namespace tc;
using namespace tc::runtime;
using model::Tensor;

static TensorArgument argumentOf(const model::TensorRecord &record,
                                 std::string name) {
  TensorArgument argument;
  argument.name = std::move(name);
  argument.type = record.type;
  argument.labels = record.labels;
  argument.extents = record.extents;
  argument.strides = record.strides;
  argument.offset = record.offset;
  return argument;
}

Kernel tc::runtime::kernelOf(const model::ContractionRecord &record) {
  Kernel kernel;
  for (Tensor tensor : model::allTensors) {
    auto number = static_cast<size_t>(tensor);
    kernel.tensors[number] =
        argumentOf(record.tensors[tensor], std::string(1, "ABC"[number]));
  }
  kernel.tensors[2].isRead = record.readsC;
  kernel.tensors[2].isWritten = true;
  kernel.accumulatorType = model::accumulatorTypeOf(record);
  if (record.factorType != record.tensors[Tensor::A].type &&
      !model::isComplex(record.factorType))
    kernel.factorType = record.factorType;
  kernel.precision = record.precision;
  kernel.semiring = record.semiring;
  kernel.identity = record.identity;
  kernel.alpha = {record.alpha.value, record.alpha.isArgument};
  kernel.beta = {record.beta.value, record.beta.isArgument};
  kernel.conjugatesA = record.conjugates[Tensor::A];
  kernel.conjugatesB = record.conjugates[Tensor::B];
  kernel.reduces = record.reducesC;
  return kernel;
}

model::ContractionRecord
tc::runtime::recordOf(const KernelContraction &contraction) {
  model::ContractionRecord record;
  for (Tensor tensor : model::allTensors) {
    const TensorArgument &from =
        contraction.tensors[static_cast<size_t>(tensor)];
    record.tensors[tensor] = {from.type,    from.labels, from.extents,
                              from.strides, from.offset, /*baseAlignment=*/0};
  }
  // Of a real and a complex factor, the product is complex.
  record.factorType = model::isComplex(contraction.accumulatorType)
                          ? contraction.accumulatorType
                          : factorTypeOf(contraction);
  record.precision = contraction.precision;
  record.semiring = contraction.semiring;
  record.identity = contraction.identity;
  record.alpha = {contraction.alpha.value, contraction.alpha.isArgument};
  record.beta = {contraction.beta.value, contraction.beta.isArgument};
  record.conjugates = {
      {contraction.conjugatesA, contraction.conjugatesB, false}};
  record.hasPrologue = {
      {!contraction.prologueA.empty(), !contraction.prologueB.empty(), false}};
  record.hasEpilogue = !contraction.epilogue.empty();
  record.readsC = contraction.tensors[2].isRead;
  record.epilogueReadsC =
      record.hasEpilogue && record.readsC && epilogueReadsC(contraction);
  return record;
}

model::ContractionRecord tc::runtime::recordOf(const Kernel &kernel) {
  model::ContractionRecord record =
      recordOf(static_cast<const KernelContraction &>(kernel));
  record.isTerm = groupOf(kernel).combinesSums();
  record.reducesC = kernel.reduces;
  if (kernel.dynamicShape)
    record.runTime =
        model::DynamicShape{/*multiples=*/1, kernel.dynamicShape->offsetBits};
  return record;
}
