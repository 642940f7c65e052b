//===- Problem.h - One kernel's operands ------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_BUFFERS_PROBLEM_H
#define TC_BUFFERS_PROBLEM_H

#include "tc/Buffers/HostTensor.h"

namespace tc::runtime {

struct ProblemOptions {
  uint64_t seed = 0;
  /// For kernels that take them as arguments.
  model::Constant alpha = 1, beta = 0;
  /// Threads; 0 means one a core.
  unsigned workers = 0;
  /// The part of C that will be written: little, where only some blocks run.
  Written written = Written::Much;
};

/// Fresh operands for one run of a kernel.
struct Problem {
  /// A, B, C and the auxiliary tensors. C is poison if it must not be read,
  /// else random.
  std::vector<HostTensor> tensors;
  /// As the kernel uses them: rounded to the type of the sums.
  model::Constant alpha = 1, beta = 0;
  uint64_t seed = 0;
  /// True if numbers beyond the range of an 8-bit float become its largest one.
  bool saturates = true;
  /// The workspace as a simulated kernel has left it.
  std::vector<std::byte> workspace;

  HostTensor &c() { return tensors[2]; }
  const HostTensor &c() const { return tensors[2]; }
};

/// Refuses tensors that take more memory than the machine has, or of which one
/// spans over 256 MiB of which less than a 64th are elements.
Status checkTensorMemory(const std::vector<const TensorArgument *> &tensors);

/// Makes operands for a kernel that has passed `verify`. Tensors of one seed
/// hold different numbers. Fails on a factor that the type of the sums does not
/// hold, and where `checkTensorMemory` does.
Result<Problem> makeProblem(const Kernel &kernel,
                            const ProblemOptions &options);

/// Refuses, naming what it is for, an amount of memory that the machine does
/// not have: the system might grant it and end the program later.
Status checkHostMemory(const std::string &what, int64_t bytes);

/// A seed that differs from run to run.
uint64_t freshSeed();

/// A number in a type that holds it, of a complex one the real part first.
std::vector<std::byte> bytesOf(const model::Constant &number,
                               model::ElementType type);

/// Makes bytes, which are a whole number of elements, that number.
void fill(std::byte *to, size_t bytes, const model::Constant &number,
          model::ElementType type);

/// The buffer of a tensor, all elements of which are that number.
std::vector<std::byte> makeConstant(const model::Constant &number,
                                    const TensorArgument &tensor);

/// The arguments of a kernel after its tensors: the bytes of alpha and of beta,
/// where they are arguments, and of its shape, if it takes it.
std::vector<std::vector<std::byte>> scalarArguments(const Kernel &kernel,
                                                    const Problem &problem);

} // namespace tc::runtime

#endif // TC_BUFFERS_PROBLEM_H
