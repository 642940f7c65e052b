//===- Report.h - Reports on the contents of machine code -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_MACHINECODE_REPORT_H
#define TC_MACHINECODE_REPORT_H

#include "tc/MachineCode/Analysis.h"

#include <nlohmann/json_fwd.hpp>

namespace tc::sass {

/// "multiplies 64 (DMMA.16x8x8), shared loads 54, ...", those that there are.
std::string categoriesText(const CodeCounts &counts,
                           const std::string &multiply);
/// "others per multiply 4.11, stall counts 2186 cycles, ...".
std::string figuresText(const CodeCounts &counts);
/// "tensor 2048, memory 216, ...", the busiest first.
std::string pipesText(const CodeCounts &counts);

/// One line an instruction: its offset, control bits and text. The control bits
/// are the scoreboards that it waits for, the one that it raises until its
/// operands are read, the one until its result is written, "Y" if it yields,
/// and its stall count, as in "--2--5:-:1:-:04".
std::string listingText(const Function &function,
                        const std::vector<std::uint32_t> &instructions);

/// The figures of a function and of its loops.
nlohmann::ordered_json toJson(const FunctionCounts &counts);
/// The same with the instructions of each loop.
nlohmann::ordered_json toJson(const FunctionCounts &counts,
                              const Function &function);

} // namespace tc::sass

#endif // TC_MACHINECODE_REPORT_H
