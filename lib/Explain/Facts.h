//===- Facts.h - Conclusions from an explanation ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Derived figures and names that text, JSON and the page share.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EXPLAIN_FACTS_H
#define TC_LIB_EXPLAIN_FACTS_H

#include "tc/Explain/Explain.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tc::explain {

inline constexpr std::array<model::Level, model::numLevels> allLevels = {
    model::Level::DRAM,   model::Level::L2,    model::Level::Lookup,
    model::Level::Shared, model::Level::Issue, model::Level::Pipe};

inline constexpr std::array<model::Role, 4> allRoles = {
    model::Role::Batch, model::Role::M, model::Role::N, model::Role::K};

/// True if the level's work is bytes, each of which belongs to a tensor.
bool countsBytes(model::Level level);

/// "A", "B" or "C".
std::string_view nameOf(model::Tensor tensor);

/// The positions of a tensor's indices, the one with the longest stride first.
std::vector<unsigned> indicesOf(const model::Contraction &contraction,
                                model::Tensor tensor);

/// "A[i,k]".
std::string accessText(const model::Contraction &contraction,
                       model::Tensor tensor);

/// "C[i,j] = A[i,k] * B[k,j]", with "+ C[i,j]" if C is read.
std::string formulaText(const model::Contraction &contraction);

/// "f64", or what each tensor and the sums are if they differ.
std::string typesText(const model::Contraction &contraction);

/// Additions and multiplications in all.
double flops(const model::Contraction &contraction);

/// The sum over the tensors.
double total(const model::PerTensor<double> &bytes);

/// Work of a level in a second if it is busy all the time, in units of its
/// work; nothing if the candidates have no work for it.
std::optional<double> rateOf(const model::Explanation &explanation,
                             model::Level level);

/// Operations for every byte that a candidate moves to and from DRAM.
double intensityOf(const model::Explanation &explanation,
                   const model::Cost &cost);

/// DRAM bytes over the compulsory bytes.
double compulsoryRatio(const model::Explanation &explanation,
                       const model::Cost &cost);

/// The part of the roofline's speed that a candidate has.
double rooflineFraction(const model::Explanation &explanation,
                        const model::Cost &cost);

/// True if moving the compulsory bytes takes longer than the arithmetic.
bool memoryBounds(const model::Explanation &explanation);

/// The level that sets the candidate's time, if it is one.
std::optional<model::Level> limitOf(const model::Cost &cost);

/// The part of the multiply-adds of full tiles that the tensors need.
double usefulFraction(const model::Contraction &contraction,
                      const model::KernelLayout &layout);

/// "given" or what it is called instead, "chosen", and "#2", "#3" and so on for
/// the runners-up.
std::string candidateName(const Section &section, size_t candidate);

/// The position of the candidate that the search chose; none if all there is
/// was given.
std::optional<size_t> chosenCandidate(const Section &section);

/// One line of the table of candidates.
struct Row {
  std::string label;
  /// One a candidate.
  std::vector<std::string> cells;
  /// One a candidate: whether this figure is what sets its time.
  std::vector<bool> limits;
};

/// Lines that belong together.
struct RowGroup {
  std::string title;
  std::vector<Row> rows;
};

/// All figures of all candidates.
std::vector<RowGroup> candidateTable(const Section &section);

/// One line about the search.
std::string searchText(const model::Explanation &explanation);

} // namespace tc::explain

#endif // TC_LIB_EXPLAIN_FACTS_H
