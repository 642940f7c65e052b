//===- Classify.cpp - Writes the role of each index -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shows what Analysis/ContractionDims finds as an attribute.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TC/Transforms/Passes.h"

#include "tc/Analysis/ContractionDims.h"

namespace tc {
#define GEN_PASS_DEF_CLASSIFYPASS
#include "tc/Dialect/TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;
using model::Role;

namespace {

struct ClassifyPass : public tc::impl::ClassifyPassBase<ClassifyPass> {
  void runOnOperation() override {
    getOperation()->walk([](ContractOp op) {
      Builder builder(op.getContext());
      ContractionDims dims = inferContractionDims(op);
      auto toArray = [&](Role role) -> Attribute {
        return builder.getArrayAttr(
            SmallVector<Attribute>(dims[role].begin(), dims[role].end()));
      };
      op->setDiscardableAttr(
          "tc.roles", builder.getDictionaryAttr({
                          builder.getNamedAttr("batch", toArray(Role::Batch)),
                          builder.getNamedAttr("m", toArray(Role::M)),
                          builder.getNamedAttr("n", toArray(Role::N)),
                          builder.getNamedAttr("k", toArray(Role::K)),
                      }));
    });
  }
};

} // namespace
