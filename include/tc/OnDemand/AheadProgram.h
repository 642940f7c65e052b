//===- AheadProgram.h - Products by ahead-of-time kernels -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes a product of many tensors in pairs, each by ahead-of-time
// kernels (docs/cpu-runtime.md), so that nothing is compiled before it is
// computed for the first time.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ONDEMAND_AHEADPROGRAM_H
#define TC_ONDEMAND_AHEADPROGRAM_H

#include "tc/Import/ParsedProgram.h"
#include "tc/OnDemand/CompileOptions.h"
#include "tc/Package/Program.h"
#include "tc/Program/Network.h"

#include <memory>
#include <string>

namespace tc {

/// A product whose order is chosen. Any number of threads may run it at once.
class AheadProgram {
public:
  /// The type of results between the steps of a product: that of elements, or
  /// of sums, which is wider than floats of 16 and 8 bits.
  enum class Between { Elements, Sums };

  /// The order is searched for before the first run; or, of a product that is
  /// computed in less time than that takes, once its runs have taken as long:
  /// until then, they are in one that is found at once. The last bits of the
  /// result may change then.
  enum class Search { First, WhenItPays };

  /// Nothing unless the program is one product of two tensors and more, with
  /// sums and products of numbers of one type, and no extent below one; nor of
  /// floats whose results between are to be rounded to a type that is not that
  /// of sums; nor if no workspace keeps the limit of memory,
  /// for which the product may be cut into slices. Threads are as
  /// `cpu::Contraction` has them, and an order is searched for as long as the
  /// options ask for.
  static std::unique_ptr<AheadProgram>
  make(const notation::ParsedProgram &program, const CompileOptions &options,
       Between between = Between::Elements, Search search = Search::First);

  /// The same of the program that `notation::makeProduct` makes, of which no
  /// more is known than the network, with the type of results between, and
  /// perhaps a path.
  static std::unique_ptr<AheadProgram>
  make(std::string name, model::Network network, model::ContractionPath path,
       const CompileOptions &options, Search search);
  AheadProgram(const AheadProgram &) = delete;
  AheadProgram &operator=(const AheadProgram &) = delete;
  ~AheadProgram();

  /// Its name, parameters and workspace; it has no steps.
  const runtime::Program &program() const { return described; }

  /// Time that a run takes, as `cpu::Contraction` tells it, in the first order.
  double seconds() const;

  /// False while the order is still to be searched for, or is, by a run.
  bool isSearchDone() const;

  /// Computes the product of tensors that are given by their base pointers.
  /// Without a workspace, or if a later order takes a larger one, it has one
  /// that no other thread uses, and keeps it.
  /// Fails where memory is short, with the result as it was, but for slices
  /// before the one that finds none.
  Status run(const std::vector<const void *> &tensors, void *workspace) const;

private:
  struct State;

  AheadProgram();

  runtime::Program described;
  std::unique_ptr<State> state;
};

} // namespace tc

#endif // TC_ONDEMAND_AHEADPROGRAM_H
