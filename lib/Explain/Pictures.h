//===- Pictures.h - The pictures of an explanation --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function draws one picture and says beneath it what is to be seen. The
// `id` distinguishes the pictures of a page.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EXPLAIN_PICTURES_H
#define TC_LIB_EXPLAIN_PICTURES_H

#include "Facts.h"

namespace tc::explain {

/// An element of SVG, and XML for the line beneath it.
struct Figure {
  std::string picture, caption;
};

/// Tensors that hold the indices: three circles that overlap.
Figure drawIndices(const model::Contraction &contraction,
                   const std::string &id);

/// The planes of A, B and C as the blocks of the grid cut them.
Figure drawGrid(const Section &section, size_t candidate,
                const std::string &id);

/// One block's tiles as its warps and threads cut them.
Figure drawBlock(const Section &section, size_t candidate,
                 const std::string &id);

/// All candidates under the roofs of the target.
Figure drawRoofline(const Section &section, const std::string &id);

/// The time that each level is busy, for each candidate.
Figure drawLevels(const Section &section, const std::string &id);

/// Contents of a kernel's machine code, in its main loop and in all.
Figure drawCode(const CompiledCode &code, const std::string &id);

/// Candidates that the charts show at most.
inline constexpr size_t maxDrawn = 10;

} // namespace tc::explain

#endif // TC_LIB_EXPLAIN_PICTURES_H
