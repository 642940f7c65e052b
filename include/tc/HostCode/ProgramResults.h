//===- ProgramResults.h - Results of functions as parameters ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program takes pointers to all its tensors: results of the function that it
// is made of become parameters.
//
//===----------------------------------------------------------------------===//

#ifndef TC_HOSTCODE_PROGRAMRESULTS_H
#define TC_HOSTCODE_PROGRAMRESULTS_H

#include "tc/Support/MLIR/LLVM.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <set>
#include <string>

namespace tc {

/// The role of a function's result.
enum class ResultRole {
  Argument,  ///< that parameter which is the argument that is returned
  Parameter, ///< one of its own, in place of one that the function allocates
  Copy,      ///< one of its own, to which what is returned is copied in the end
  Update,    ///< the argument of its name, to which it is copied in the end
};

/// Decides the roles of a function's results, from the first to the last. A
/// result that is allocated becomes a parameter; an argument is that parameter
/// if it has the result's name. Another argument, or a result that is returned
/// twice, is copied, and so is one that has the name of another argument.
class ProgramResults {
public:
  explicit ProgramResults(mlir::func::FuncOp function) : function(function) {}

  /// The name of a result's parameter.
  std::string nameOf(unsigned number) const;

  /// The number of the argument that has a result's name, if one has.
  std::optional<unsigned> argumentOf(unsigned number) const;

  /// @param buffer       tells what is returned from what else is
  /// @param argument     the name of that argument, if it is one
  /// @param isAllocated  whether the function allocates it
  ResultRole roleOf(unsigned number, uintptr_t buffer,
                    std::optional<StringRef> argument, bool isAllocated);

private:
  StringAttr findName(unsigned number) const;

  mutable mlir::func::FuncOp function;
  std::set<uintptr_t> taken;
};

} // namespace tc

#endif // TC_HOSTCODE_PROGRAMRESULTS_H
