//===- Report.h - Reports on times of machine code --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TIMING_REPORT_H
#define TC_TIMING_REPORT_H

#include "tc/Timing/Timing.h"

#include <nlohmann/json_fwd.hpp>

namespace tc::timing {

/// Lines of a title and a text each: the time, its parts, its limit and the
/// unknowns.
std::vector<std::pair<std::string, std::string>>
linesOf(const Prediction &prediction, const sass::Function &function,
        const Machine &machine);

/// One row for the issue slot of a sub-core and for each unit that does
/// anything, over so many columns: the part of each stretch of time that is
/// busy.
std::string timelineText(const Timeline &timeline, unsigned columns = 64);

/// The same as a picture.
std::string timelineSvg(const Timeline &timeline);

nlohmann::ordered_json toJson(const Prediction &prediction,
                              const Machine &machine);

} // namespace tc::timing

#endif // TC_TIMING_REPORT_H
