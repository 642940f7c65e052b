//===- KernelLaunch.cpp - Launches of the project's kernels ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Judge/KernelLaunch.h"

#include "tc/Package/Geometry.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace tc;

/// The parameters of a kernel as they lie in constant memory: tensors at
/// addresses far from each other, then scalars, each aligned to its size.
static std::vector<std::byte> parametersOf(const runtime::Kernel &kernel,
                                           const runtime::Problem &problem) {
  std::vector<std::byte> bytes;
  auto append = [&](const std::byte *data, size_t size) {
    constexpr size_t widest = 8;
    size_t alignment = std::min(widest, size & (0 - size));
    bytes.resize((bytes.size() + alignment - 1) / alignment * alignment);
    bytes.insert(bytes.end(), data, data + size);
  };
  uint64_t address = uint64_t(1) << 44;
  auto appendPointer = [&] {
    append(reinterpret_cast<const std::byte *>(&address), sizeof(address));
    address += uint64_t(1) << 42;
  };
  for (size_t i = 0; i < tensorsOf(kernel).size(); ++i)
    appendPointer();
  for (const std::vector<std::byte> &scalar : scalarArguments(kernel, problem))
    append(scalar.data(), scalar.size());
  if (kernel.workspace)
    appendPointer();
  return bytes;
}

/// The bytes that all blocks together load, each byte once.
static double distinctBytesOf(const runtime::Kernel &kernel,
                              const runtime::Problem &problem) {
  double sum = 0;
  for (const runtime::TensorArgument *tensor : tensorsOf(kernel)) {
    bool isC = tensor == &kernel.tensors[2];
    if (isC ? problem.beta == 0.0 && !epilogueReadsC(kernel) : !tensor->isRead)
      continue;
    Result<runtime::Geometry> geometry = geometryOf(*tensor);
    if (geometry)
      sum += static_cast<double>(geometry->elements()) *
             static_cast<double>(model::byteWidth(tensor->type));
  }
  return sum;
}

/// Registers of a thread of a cubin, which ptxas has not reported here: as many
/// as its code names.
static int64_t registersNamedIn(const sass::Function &function) {
  int64_t most = 0;
  for (const sass::Instruction &instruction : function.code)
    for (const std::string &operand : instruction.operands)
      for (size_t i = 0; i + 1 < operand.size(); ++i) {
        bool isRegister = operand[i] == 'R' && llvm::isDigit(operand[i + 1]) &&
                          (i == 0 || !llvm::isAlpha(operand[i - 1]));
        int64_t number = 0;
        if (isRegister &&
            !llvm::StringRef(operand).substr(i + 1).consumeInteger(10, number))
          most = std::max(most, number);
      }
  // Operands of 128 bits are named by the first of four.
  return std::min<int64_t>(255, most + 4);
}

timing::Launch tc::launchOf(const runtime::Kernel &kernel,
                            const sass::Function &function,
                            const KernelResources *resources,
                            const runtime::Problem &problem) {
  timing::Launch launch;
  for (size_t i = 0; i < 3; ++i) {
    launch.grid[i] = static_cast<uint32_t>(kernel.grid[i]);
    launch.block[i] = static_cast<uint32_t>(kernel.block[i]);
  }
  launch.sharedBytes = kernel.staticSharedBytes + kernel.dynamicSharedBytes;
  launch.registers =
      resources ? resources->registers : registersNamedIn(function);
  launch.parameters = parametersOf(kernel, problem);
  launch.distinctBytes = distinctBytesOf(kernel, problem);
  return launch;
}
