//===- AccessWalk.h - The accesses of a copy, lane by lane ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block copies a tile in rounds: thread t makes the access of number
// round * threads + t, whose digits in mixed radix say where it lies. Lanes are
// served in groups of consecutive threads, so a group's offsets depend on few
// of the digits; the others repeat what these do, shifted.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_GPU_LAYOUT_ACCESSWALK_H
#define TC_LIB_GPU_LAYOUT_ACCESSWALK_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tc::model {

/// One digit of an access's number.
struct AccessDigit {
  int64_t radix;  ///< values in the tile
  int64_t inside; ///< values that are in the tensor
  int64_t stride; ///< the offset that a step of the digit adds
};

/// The accesses to one tile. `digits` are fastest first, of which there is at
/// least one; `lanes` are served at a time; shifts by multiples of `granule`
/// make no difference.
class AccessWalk {
public:
  AccessWalk(std::vector<AccessDigit> allDigits, int64_t threads, int64_t lanes,
             int64_t granule)
      : digits(std::move(allDigits)), threads(threads), lanes(lanes) {
    size_t irregular = digits.size();
    while (irregular > 0 && digits[irregular - 1].stride % granule == 0)
      --irregular;
    // Digits are left out that step over whole groups, and over whole rounds or
    // over a part of a round of whole groups. The first of them may be a part
    // of a digit.
    int64_t walked = 1;
    for (size_t i = 0; i < digits.size(); ++i) {
      AccessDigit &digit = digits[i];
      int64_t part = i < irregular ? digit.radix : minPart(digit, walked);
      walked *= part;
      if (i < irregular || !startsOver(walked))
        continue;
      int64_t parts = part < digit.radix ? digit.inside / part : 1;
      repetitions = static_cast<double>(parts);
      for (size_t outer = i + 1; outer < digits.size(); ++outer)
        repetitions *= static_cast<double>(digits[outer].inside);
      digit.radix = part;
      digit.inside = std::min(part, digit.inside);
      digits.resize(i + 1);
    }
  }

  /// The number of times that the accesses that `run` visits happen in all.
  double repeats() const { return repetitions; }

  /// Calls `lane` with the offset of every access inside the tensor, and
  /// `group` after the last one of a group.
  template <typename Lane, typename Group>
  void run(Lane lane, Group group) const {
    std::vector<int64_t> digit(digits.size(), 0);
    int64_t thread = 0, left = std::min(lanes, threads);
    const AccessDigit &front = digits.front();
    while (true) {
      int64_t base = 0;
      bool inside = true;
      for (size_t i = 1; i < digits.size(); ++i) {
        base += digit[i] * digits[i].stride;
        inside &= digit[i] < digits[i].inside;
      }
      for (int64_t i = 0; i < front.radix; ++i) {
        if (inside && i < front.inside)
          lane(base + i * front.stride);
        ++thread;
        if (--left == 0) {
          group();
          thread = thread == threads ? 0 : thread;
          left = std::min(lanes, threads - thread);
        }
      }
      size_t i = 1;
      while (i < digits.size() && ++digit[i] == digits[i].radix)
        digit[i++] = 0;
      if (i >= digits.size())
        break;
    }
    group();
  }

private:
  /// Returns true if groups after that many accesses do as those from the first
  /// do.
  bool startsOver(int64_t accesses) const {
    return accesses % threads == 0 ||
           (threads % lanes == 0 && accesses % lanes == 0);
  }

  /// The least part of a digit that starts over, or all of it. The digits below
  /// it make that many accesses.
  int64_t minPart(const AccessDigit &digit, int64_t below) const {
    for (int64_t part = 1; part < digit.radix; ++part)
      if (digit.radix % part == 0 && digit.inside % part == 0 &&
          startsOver(below * part))
        return part;
    return digit.radix;
  }

  std::vector<AccessDigit> digits;
  int64_t threads, lanes;
  double repetitions = 1;
};

} // namespace tc::model

#endif // TC_LIB_GPU_LAYOUT_ACCESSWALK_H
