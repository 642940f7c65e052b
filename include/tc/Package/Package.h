//===- Package.h - Compiled kernels and how to launch them ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A package is machine code (a cubin, or PTX) and a JSON launch description.
// This is the description: all that a program without a compiler needs to run
// the kernels and to check what they compute. docs/package.md has the format.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PACKAGE_PACKAGE_H
#define TC_PACKAGE_PACKAGE_H

#include "tc/Gpu/Layout/DynamicShape.h"
#include "tc/Gpu/Layout/Schedule.h"
#include "tc/Package/Program.h"
#include "tc/Problem/Contraction.h"
#include "tc/Problem/Expression.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tc::runtime {

using Dim3 = std::array<int64_t, 3>;

/// A tensor that a kernel takes, as a pointer to its (offset) base.
struct TensorArgument {
  std::string name; ///< "A", "B" or "C", or what the epilogue calls it
  model::ElementType type = model::ElementType::F64;
  /// One label, extent and stride (in elements) per dimension. A label may
  /// occur twice (a diagonal).
  std::vector<std::string> labels;
  std::vector<int64_t> extents, strides;
  /// Elements from the base pointer to the first element.
  int64_t offset = 0;
  /// The base pointer must be a multiple of this many bytes (a power of two).
  int64_t alignment = 16;
  bool isRead = true, isWritten = false;
};

/// alpha or beta: known when the kernel was compiled, or its argument.
struct Scalar {
  model::Constant value;
  bool isArgument = false;
};

/// How the grid's blocks cover one output index.
struct GridDim {
  std::string label;
  int64_t extent = 1;
  int64_t tile = 1;
  int64_t tiles() const { return (extent + tile - 1) / tile; }
};

/// Global memory that a kernel's blocks use among themselves, as a pointer.
struct Workspace {
  int64_t bytes = 0;
  /// Bytes at its beginning that must be zero when the kernel is launched, and
  /// are zero again when it has ended. The others may hold anything.
  int64_t zeroedBytes = 0;
  /// The pointer must be a multiple of this many bytes (a power of two).
  int64_t alignment = 16;
};

/// An argument of a kernel that takes its shape at run time; see
/// tc/Gpu/Layout/DynamicShape.h. Indices go by their labels, tensors by their
/// numbers.
struct ShapeArgument {
  model::RunTimeQuantity quantity = model::RunTimeQuantity::Extent;
  std::string label;
  size_t tensor = 0;
  bool isReciprocal = false;
  int64_t bytes = 4;
};

/// What such a kernel takes, and what it requires. Extents, strides and offsets
/// of the package are representative: those that it was tuned for.
struct DynamicShape {
  struct Index {
    std::string label;
    int64_t tile = 1;
    /// Extents must be multiples of it.
    int64_t multiple = 1;
  };
  struct Tensor {
    /// The offset, and all strides but that one, must be multiples of it.
    int64_t multiple = 1;
    /// The index along which the stride must be one, if there is one.
    std::string strideOne;
  };
  /// Of all indices.
  std::vector<Index> indices;
  /// Of A, B and C, and then of the auxiliary tensors.
  std::vector<Tensor> tensors;
  /// Offsets into a tensor must fit in a signed integer of that many bits.
  int64_t offsetBits = 64;
  /// In their order.
  std::vector<ShapeArgument> arguments;
};

/// One kernel, which computes C = alpha * sum A * B + beta * C, or adds up the
/// elements of that. Its parameters are the pointers of A, B and C, of the
/// auxiliary tensors and of the A and B of each other term, then alpha and beta
/// (of the accumulator's type) where they are arguments, then its shape if it
/// takes it at run time, then the workspace if there is one. In a chain, the
/// pointer in the place of the input that is chained is that of the first
/// link's A, and after the auxiliary tensors come those of its B and of the
/// other input of each further link; in a fan, those of each branch's other
/// input and of its C.
struct Kernel {
  /// What the kernel is called; unique in its package.
  std::string entry;
  /// The name of the entry in the code, where that is another one.
  std::string symbol;
  /// The entry of an earlier kernel, in place of which this one is launched if
  /// pointers are not aligned, or extents and strides not such, as that one
  /// takes them to be, or if it is tuned for a shape that is closer: it
  /// computes the same of the same tensors. Empty if it stands for itself.
  std::string versionOf;
  Dim3 grid = {1, 1, 1}, block = {1, 1, 1};
  int64_t staticSharedBytes = 0, dynamicSharedBytes = 0;
  std::array<TensorArgument, 3> tensors;
  /// Type in which products are summed; with K it bounds the rounding error.
  model::ElementType accumulatorType = model::ElementType::F64;
  /// What the user allowed; it bounds the error of a product.
  model::Precision precision = model::Precision::IEEE;
  model::Semiring semiring = model::Semiring::PlusTimes;
  /// What a user-defined semiring makes of two factors, and of two sums (x and
  /// y), in the syntax of tc/Problem/Expression.h, and its identity.
  std::string product, combine;
  model::Constant identity;
  Scalar alpha{1.0, false}, beta{0.0, false};
  /// Whether factors of A or of B are conjugated.
  bool conjugatesA = false, conjugatesB = false;
  /// Whether numbers beyond the range of an 8-bit float become infinite, or NaN
  /// without infinities, and not the largest one: of all that a kernel
  /// computes.
  bool nonsaturating = false;
  /// What elements of A and B become before they are multiplied, and those of
  /// the result before they are stored (x, and c for what C held), in the
  /// syntax of tc/Problem/Expression.h; empty for nothing. The checker computes
  /// it.
  std::string prologueA, prologueB, epilogue;
  /// The type of the elements of A and B after their prologues, if that is not
  /// the one of A's elements.
  std::optional<model::ElementType> factorType;
  /// The tensors that the epilogue may read besides, by their names.
  std::vector<TensorArgument> auxiliaries;
  /// Whether there is such code that no expression says: no package describes
  /// it.
  bool hasOtherCode = false;
  /// Whether all elements of the result, as they would be stored, are added up
  /// (in model::reductionTypeOf of C's type): C holds the sum, and its strides
  /// are zero. Each block leaves its part after the zeroed bytes of the
  /// workspace, in their order.
  bool reduces = false;
  /// A tile's number is in mixed radix over these, fastest first. Unless the
  /// mapping is plain, those along M come first, then N, then the batch.
  std::vector<GridDim> gridDims;
  /// Which tiles a block works on; see tc/Gpu/Layout/GridOrder.h.
  model::GridMapping mapping;
  std::optional<Workspace> workspace;
  std::optional<DynamicShape> dynamicShape;
  /// The schedule in the syntax of #tc.schedule, for people.
  std::string schedule;
  /// The input (0 for A, 1 for B) that is no argument, for the last of `links`
  /// computes it, or the link before if this is one itself.
  std::optional<size_t> chainedInput;
  /// Whether its softmax along all that is summed over takes the place of that
  /// input, before any prologue. Of no link.
  bool softmax = false;
  /// Contractions that are computed before, each of which but the first has an
  /// input that the one before computes: a chain. They have inputs (called
  /// "A1", "B1", "B2" and so on), of which none is an argument that is chained,
  /// an output of which no element is stored, an alpha that is no argument, and
  /// fused code; nothing else counts.
  std::vector<Kernel> links;
  /// The input (0 or 1) that a kernel has in common with all of its `branches`,
  /// or that one of these has with it.
  std::optional<size_t> sharedInput;
  /// Contractions that are computed, too, each of which has an input in common
  /// with the kernel's own, with labels of its own, and an output of its own: a
  /// fan. They have another input and a C (called "A1" or "B1", "C1" and so
  /// on), an alpha that is no argument, and fused code; nothing else counts.
  std::vector<Kernel> branches;
  /// Other contractions, whose alpha * sum A * B is added to C, too, before any
  /// epilogue. They have inputs (called "A1", "B1", "A2" and so on), a C that
  /// is the kernel's with labels of their own, an alpha that is no argument,
  /// prologues and types of factors; nothing else counts.
  std::vector<Kernel> terms;
};

/// The name of a kernel's entry in the code.
inline const std::string &symbolOf(const Kernel &kernel) {
  return kernel.symbol.empty() ? kernel.entry : kernel.symbol;
}

/// All tensors that a kernel takes, in the order of its parameters: A, B and C,
/// the auxiliary tensors, and the inputs of the other terms or links, or the
/// input and the output of each branch.
std::vector<const TensorArgument *> tensorsOf(const Kernel &kernel);

/// The places of those that it writes: C, and the C of each branch.
std::vector<size_t> outputsOf(const Kernel &kernel);

/// The places of A, B and C of a branch.
std::array<size_t, 3> placesOfBranch(const Kernel &kernel, size_t branch);

/// A branch as a kernel of its own, whose blocks are those of the whole one.
Kernel branchOf(const Kernel &kernel, size_t branch);

/// The type of the elements of A and B after their prologues.
inline model::ElementType factorTypeOf(const Kernel &kernel) {
  return kernel.factorType.value_or(kernel.tensors[0].type);
}

/// The auxiliary tensor of that name, null if there is none.
const TensorArgument *findAuxiliary(const Kernel &kernel,
                                    std::string_view name);

/// The epilogue of a kernel that has been verified, if it has one.
std::optional<model::Expression> epilogueOf(const Kernel &kernel);

/// Whether the epilogue of such a kernel uses what C held.
bool epilogueReadsC(const Kernel &kernel);

/// Whether a step reads what C of its kernel holds: not where a beta that is an
/// argument is the semiring's zero.
bool readsOutput(const Kernel &kernel, const ProgramStep &step);

enum class CodeKind { PTX, Cubin };
/// "ptx" or "cubin".
std::string_view stringify(CodeKind kind);

struct Package {
  std::string name;
  CodeKind codeKind = CodeKind::PTX;
  /// File that holds the code, relative to the description's folder.
  std::string codeFile;
  /// Chip that the code was made for ("sm_90").
  std::string target;
  /// In order of execution.
  std::vector<Kernel> kernels;
  /// What they compute together, where that is known.
  std::vector<Program> programs;
};

/// Writes the description as JSON (pretty-printed, keys in a fixed order).
std::string toJson(const Package &package);

/// Reads a description, strictly (no key missing, repeated or unknown), and
/// verifies it. Errors name the JSON path at fault.
Result<Package> fromJson(std::string_view text);

/// Checks a description against itself: counts, signs, overflow of sizes, the
/// agreement of extents, of grid and tiles, of access and beta. Errors name the
/// JSON path at fault.
Status verify(const Package &package);

/// Ten times major plus minor of a chip's name (90 for "sm_90" and "sm_90a").
std::optional<unsigned> computeCapabilityOf(std::string_view target);

/// A description and the code that it belongs to.
struct LoadedPackage {
  Package package;
  /// PTX text or cubin bytes.
  std::string code;
  /// Where the code was found.
  std::string codePath;
};

/// Reads a description and its code from files.
Result<LoadedPackage> loadPackage(const std::string &path);

} // namespace tc::runtime

#endif // TC_PACKAGE_PACKAGE_H
