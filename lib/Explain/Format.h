//===- Format.h - Figures as text -------------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three significant digits with the prefix that suits them. What is not a
// finite number is a dash.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EXPLAIN_FORMAT_H
#define TC_LIB_EXPLAIN_FORMAT_H

#include <cstdint>
#include <string>
#include <string_view>

namespace tc::explain {

inline double toDouble(int64_t value) { return static_cast<double>(value); }

/// "1.23 ms": the value with a decimal prefix (n, u, m, none, k, M, G, T, P)
/// and the unit.
std::string withPrefix(double value, std::string_view unit);

/// "12.3 us".
std::string secondsText(double seconds);
/// Traffic, in powers of ten: "1.23 GB".
std::string bytesText(double bytes);
/// A capacity, in powers of two: "24 KiB", "512 B".
std::string capacityText(int64_t bytes);
/// In full below 100 000, else with a prefix: "18432", "1.23 M".
std::string countText(double count);
/// "87.3%".
std::string percentText(double fraction);
/// "1.35", "0.0038".
std::string ratioText(double ratio);
/// "1 block", "2 blocks".
std::string counted(int64_t count, std::string_view noun);

/// Text of the above in letters beyond ASCII: "12.3 µs", "1.35 ×".
std::string typeset(std::string text);

/// Text as the content of an element or the value of an attribute of XML.
/// Control characters, which XML cannot hold, are replaced.
std::string escape(std::string_view text);

} // namespace tc::explain

#endif // TC_LIB_EXPLAIN_FORMAT_H
