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
#include "tc/Problem/Group.h"

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

/// Cover of one output index by the grid's blocks.
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

/// Arguments and requirements of a kernel that takes its shape at run time.
/// Extents, strides and offsets of the package are representative: those that
/// it was tuned for.
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

/// A contraction of a kernel, C = alpha * sum A * B, with its fused code.
struct KernelContraction {
  /// Those that are no operands of the kernel have the shapes that follow from
  /// the tensors that they are.
  std::array<TensorArgument, 3> tensors;
  /// Type in which products are summed; with K it bounds the rounding error.
  model::ElementType accumulatorType = model::ElementType::F64;
  /// Precision that the user allowed; it bounds the error of a product.
  model::Precision precision = model::Precision::IEEE;
  model::Semiring semiring = model::Semiring::PlusTimes;
  /// Product of two factors and combination of two sums (x and y) of a
  /// user-defined semiring, in the syntax of tc/Problem/Expression.h, and its
  /// identity.
  std::string product, combine;
  model::Constant identity;
  Scalar alpha{1.0, false}, beta{0.0, false};
  /// True if factors of A or of B are conjugated.
  bool conjugatesA = false, conjugatesB = false;
  /// Expressions applied to elements of A and B before they are multiplied, and
  /// those of the result before they are stored (x, and c for what C held), in
  /// the syntax of tc/Problem/Expression.h; empty for nothing. The checker
  /// computes it.
  std::string prologueA, prologueB, epilogue;
  /// The type of the elements of A and B after their prologues, if that is not
  /// the one of A's elements.
  std::optional<model::ElementType> factorType;
  /// True if there is such code that no expression says: no package describes
  /// it.
  bool hasOtherCode = false;
  /// The schedule in the syntax of #tc.schedule, for people.
  std::string schedule;
};

/// One kernel: a contraction C = alpha * sum A * B + beta * C, whose elements
/// may be added up, and the others of its group. Its parameters are pointers:
/// the first three of `model::Group::operands`, the auxiliary tensors and the
/// other operands; then alpha and beta (of the accumulator's type) where they
/// are arguments, then its shape if it takes it at run time, then the workspace
/// if there is one.
struct Kernel : KernelContraction {
  /// Name of the kernel; unique in its package.
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
  /// True if numbers beyond the range of an 8-bit float become infinite, or NaN
  /// without infinities, and not the largest one: of all that a kernel
  /// computes.
  bool nonsaturating = false;
  /// The tensors that the epilogue may read besides, by their names.
  std::vector<TensorArgument> auxiliaries;
  /// True if all elements of the result, as they would be stored, are added up
  /// (in model::reductionTypeOf of C's type): C holds the sum, and its strides
  /// are zero. Each block leaves its part after the zeroed bytes of the
  /// workspace, in their order.
  bool reduces = false;
  /// A tile's number is in mixed radix over these, fastest first. Unless the
  /// mapping is plain, those along M come first, then N, then the batch.
  std::vector<GridDim> gridDims;
  /// Order of the tiles of a block; see tc/Gpu/Layout/GridOrder.h.
  model::GridMapping mapping;
  std::optional<Workspace> workspace;
  std::optional<DynamicShape> dynamicShape;
  /// The nodes of the group after the kernel's own contraction, which is number
  /// zero. Their alpha is no argument, and their beta is zero.
  std::vector<KernelContraction> others;
  std::vector<model::GroupEdge> edges;
};

/// Gives a kernel the other contractions of its group, and their tensors the
/// names of `model::nameOf`. Tensors that are no operands become what they are:
/// an output that is added up the kernel's, a shared input the one that is
/// shared, with the wider of their alignments, and the output of a producer
/// the consumer's input, whose elements lie densely.
void setGroup(Kernel &kernel, std::vector<KernelContraction> others,
              std::vector<model::GroupEdge> edges);

/// Group that a kernel's contractions form.
model::Group groupOf(const Kernel &kernel);

/// A node of a kernel's group.
const KernelContraction &contractionAt(const Kernel &kernel, unsigned node);
KernelContraction &contractionAt(Kernel &kernel, unsigned node);

/// The name of a kernel's entry in the code.
inline const std::string &symbolOf(const Kernel &kernel) {
  return kernel.symbol.empty() ? kernel.entry : kernel.symbol;
}

/// All tensors that a kernel takes, in the order of its parameters.
std::vector<const TensorArgument *> tensorsOf(const Kernel &kernel);

/// The places of those that it writes: the outputs that are operands.
std::vector<size_t> outputsOf(const Kernel &kernel);

/// The places of a node's A, B and C among these; none for one that stays on
/// the chip.
std::array<std::optional<size_t>, 3> placesOf(const Kernel &kernel,
                                              unsigned node);

/// The kernel as it stores the output of one of its nodes, without the others
/// that are stored.
Kernel kernelStoring(const Kernel &kernel, unsigned node);

/// The type of the elements of A and B after their prologues.
inline model::ElementType factorTypeOf(const KernelContraction &kernel) {
  return kernel.factorType.value_or(kernel.tensors[0].type);
}

/// The auxiliary tensor of that name, null if there is none.
const TensorArgument *findAuxiliary(const Kernel &kernel,
                                    std::string_view name);

/// The epilogue of a kernel that has been verified, if it has one.
std::optional<model::Expression> epilogueOf(const KernelContraction &kernel);

/// True if the epilogue of such a kernel uses what C held.
bool epilogueReadsC(const KernelContraction &kernel);

/// True if a step reads what C of its kernel holds: not where a beta that is an
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
  /// Programs that the kernels are steps of, where that is known.
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
  /// File in which the code was found.
  std::string codePath;
};

/// Reads a description and its code from files.
Result<LoadedPackage> loadPackage(const std::string &path);

} // namespace tc::runtime

#endif // TC_PACKAGE_PACKAGE_H
