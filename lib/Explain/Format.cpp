//===- Format.cpp - Figures as text ---------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Format.h"

#include <cmath>
#include <cstdio>

using namespace tc;

namespace {

constexpr std::string_view dash = "-";

std::string print(const char *pattern, double value) {
  char buffer[64];
  std::snprintf(buffer, sizeof(buffer), pattern, value);
  return buffer;
}

/// Three significant digits of a number below 1000.
std::string threeDigits(double value) {
  if (value < 0.995)
    return print("%.2g", value); // less than the smallest prefix
  return print(value < 9.995 ? "%.2f" : value < 99.95 ? "%.1f" : "%.0f", value);
}

} // namespace

std::string explain::withPrefix(double value, std::string_view unit) {
  struct Prefix {
    double factor;
    std::string_view name;
  };
  constexpr Prefix prefixes[] = {{1e15, "P"}, {1e12, "T"}, {1e9, "G"},
                                 {1e6, "M"},  {1e3, "k"},  {1, ""},
                                 {1e-3, "m"}, {1e-6, "u"}, {1e-9, "n"}};
  if (!std::isfinite(value))
    return std::string(dash);
  Prefix chosen = prefixes[std::size(prefixes) - 1];
  if (value == 0)
    chosen = {1, ""};
  else
    for (const Prefix &prefix : prefixes)
      // A value that would be rounded to 1000 of the smaller prefix is 1.00 of
      // this.
      if (std::abs(value) >= 0.9995 * prefix.factor) {
        chosen = prefix;
        break;
      }
  std::string text =
      value == 0 ? "0" : threeDigits(std::abs(value) / chosen.factor);
  if (value < 0)
    text.insert(0, "-");
  std::string suffix = std::string(chosen.name) + std::string(unit);
  return suffix.empty() ? text : text + " " + suffix;
}

std::string explain::secondsText(double seconds) {
  return withPrefix(seconds, "s");
}

std::string explain::bytesText(double bytes) {
  return std::isfinite(bytes) && std::abs(bytes) < 1000
             ? print("%.0f B", bytes)
             : withPrefix(bytes, "B");
}

std::string explain::capacityText(int64_t bytes) {
  constexpr int64_t KiB = 1024, MiB = 1024 * KiB;
  if (bytes >= MiB)
    return print("%.4g MiB", static_cast<double>(bytes) / MiB);
  if (bytes >= KiB)
    return print("%.4g KiB", static_cast<double>(bytes) / KiB);
  return std::to_string(bytes) + " B";
}

std::string explain::countText(double count) {
  return std::isfinite(count) && std::abs(count) < 1e5 ? print("%.0f", count)
                                                       : withPrefix(count, "");
}

std::string explain::percentText(double fraction) {
  return std::isfinite(fraction) ? print("%.1f%%", 100 * fraction)
                                 : std::string(dash);
}

std::string explain::ratioText(double ratio) {
  if (!std::isfinite(ratio))
    return std::string(dash);
  if (ratio != 0 && std::abs(ratio) < 0.0995)
    return print("%.2g", ratio);
  return std::abs(ratio) < 1e5 ? print(ratio < 99.95 ? "%.2f" : "%.0f", ratio)
                               : withPrefix(ratio, "");
}

std::string explain::counted(int64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) +
         (count == 1 ? "" : "s");
}

std::string explain::typeset(std::string text) {
  constexpr std::string_view words[][2] = {{" us", " \xc2\xb5s"},
                                           {" x", " \xc3\x97"}};
  for (auto [plain, fine] : words)
    for (size_t at = 0; (at = text.find(plain, at)) != std::string::npos;) {
      size_t end = at + plain.size();
      // The end of a word only: " x" begins others.
      if (end == text.size() ||
          std::string_view(" ,.;)").find(text[end]) != std::string_view::npos)
        text.replace(at, plain.size(), fine);
      at = end;
    }
  return text;
}

std::string explain::escape(std::string_view text) {
  std::string escaped;
  for (char c : text) {
    switch (c) {
    case '&':
      escaped += "&amp;";
      break;
    case '<':
      escaped += "&lt;";
      break;
    case '>':
      escaped += "&gt;";
      break;
    case '"':
      escaped += "&quot;";
      break;
    case '\'':
      escaped += "&#39;";
      break;
    default:
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
        escaped += "\xef\xbf\xbd"; // U+FFFD
      else
        escaped += c;
    }
  }
  return escaped;
}
