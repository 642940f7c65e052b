//===- ContractionDims.h - The roles of a contraction's indices -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From index lists to batch, M, N and K, and from an operation to the model's
// contraction. Any of the sets may be empty: matrix-vector, outer and inner
// products and full contractions to a scalar are contractions like any other.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_CONTRACTIONDIMS_H
#define TC_ANALYSIS_CONTRACTIONDIMS_H

#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Problem/ComplexParts.h"
#include "tc/Problem/ContractionRecord.h"

#include "llvm/ADT/StringMap.h"

#include <array>

namespace tc {

/// The labels of each role, each set in the order of the iteration space: the
/// order of C, then for K that of A, then of B.
class ContractionDims {
public:
  using Labels = SmallVector<StringAttr>;

  Labels &operator[](model::Role role) {
    return labels[static_cast<unsigned>(role)];
  }
  const Labels &operator[](model::Role role) const {
    return labels[static_cast<unsigned>(role)];
  }

  const Labels &batch() const { return (*this)[model::Role::Batch]; }
  const Labels &m() const { return (*this)[model::Role::M]; }
  const Labels &n() const { return (*this)[model::Role::N]; }
  const Labels &k() const { return (*this)[model::Role::K]; }

private:
  std::array<Labels, 4> labels;
};

/// The role of a label that at least one of the lists holds. A label that is in
/// one input only and not in the output is summed within that input: it is K.
model::Role inferRole(StringAttr label, IndexListAttr a, IndexListAttr b,
                      IndexListAttr c);

ContractionDims inferContractionDims(IndexListAttr a, IndexListAttr b,
                                     IndexListAttr c);
ContractionDims inferContractionDims(ContractOp op);

/// Extents by label, to be taken where one is unknown at compile time.
using RepresentativeExtents = llvm::StringMap<int64_t>;

/// Reads entries like "m=4096", as the option 'representative-extents' of
/// passes has them.
FailureOr<RepresentativeExtents>
readRepresentatives(function_ref<InFlightDiagnostic()> emitError,
                    ArrayRef<std::string> entries);

/// The tensors of a contraction. Tensors count as contiguous. An extent that
/// one operand's type leaves open is taken from another's, or else from
/// `representatives`.
///
/// A tensor whose offset is unknown has a base pointer that is aligned to an
/// element only, and the offset from its lowest element: what lowerings make
/// of it (tc/Dialect/TC/Utils/PartsView.h).
///
/// Emits an error if an extent is zero, and if an extent or a stride is
/// unknown. Apart from element types and ranks, which are checked here as
/// well, lists and types must satisfy the verifier of tc.contract. With
/// `isRunTime`, the shape is representative, and strides along extents of one
/// matter, too.
FailureOr<model::PerTensor<model::TensorRecord>>
readTensors(function_ref<InFlightDiagnostic()> emitError,
            const model::PerTensor<IndexListAttr> &indices,
            const model::PerTensor<ShapedType> &types,
            const RepresentativeExtents &representatives = {},
            bool isRunTime = false);

/// The record of an operation.
FailureOr<model::ContractionRecord>
toRecord(ContractOp op, const RepresentativeExtents &representatives = {});

/// The type that an operand stands for in a contraction whose shape is known at
/// run time: with the representative extents, the strides that its type says or
/// those of a contiguous tensor, and the offset that its type says or none.
MemRefType representativeType(MemRefType type, IndexListAttr indices,
                              const model::Contraction &contraction);

/// Returns true if some extent or stride of an operand is known at run time
/// only.
bool hasUnknownShape(ShapedType type);

/// Returns true if that is so of any operand.
bool hasUnknownShape(ContractOp op);

/// The extent of an index that the type of some operand says, or nothing.
std::optional<int64_t> findExtent(ContractOp op, StringAttr label);

/// Elements to whose multiples the base pointer of a contraction's operand is
/// aligned; zero for 16 bytes. What a dynamic shape promises counts, too.
int64_t getOperandAlignment(ContractOp op, Value buffer);

/// The contraction as the model sees it. Complex tensors are seen as their real
/// parts (tc/Problem/ComplexParts.h), in the form of its schedule.
FailureOr<model::Contraction>
toContraction(ContractOp op, const RepresentativeExtents &representatives = {});

/// The same in the form of any other schedule.
FailureOr<model::Contraction>
toContraction(ContractOp op, const RepresentativeExtents &representatives,
              const model::Schedule &schedule);

/// The same in any form.
FailureOr<model::Contraction>
toContraction(ContractOp op, const RepresentativeExtents &representatives,
              model::ComplexForm form);

/// The same as CPUs compute it, in the form of a schedule for these: parts of
/// complex numbers are joined with an index where they can be.
FailureOr<model::Contraction> toContraction(ContractOp op,
                                            const model::CpuSchedule &schedule);

/// The forms that an operation allows CPUs, that with four products of parts
/// of complex numbers first.
FailureOr<std::vector<model::Contraction>> toCpuForms(ContractOp op);

} // namespace tc

#endif // TC_ANALYSIS_CONTRACTIONDIMS_H
