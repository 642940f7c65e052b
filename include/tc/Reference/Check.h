//===- Check.h - Judging what a kernel wrote --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two questions. Was every element that should have been written written, and
// nothing else? And are the numbers right? docs/package.md ("Checking") argues
// for the tolerances.
//
//===----------------------------------------------------------------------===//

#ifndef TC_REFERENCE_CHECK_H
#define TC_REFERENCE_CHECK_H

#include "tc/Buffers/Problem.h"

#include <cstdint>
#include <functional>

namespace tc::runtime {

/// The bounds of rounding errors that docs/package.md argues for.
struct ErrorBounds {
  /// Of the norm of all errors, beside that of what they are measured by.
  double norm = 0;
  /// Of one element's error, beside its magnitude.
  double element = 0;
};

/// The bounds for elements that add up so many products.
ErrorBounds errorBounds(model::ElementType sums, model::Precision precision,
                        int64_t sumLength, bool sumsAreShort = false);

/// Value that is stored of a number as one of that type, before it is rounded:
/// 8-bit floats saturate.
long double clampToRange(model::ElementType type, long double value);

/// Error that storing a value of the type of the sums may add.
long double outputRounding(model::ElementType sums, model::ElementType output,
                           long double value);

struct CheckOptions {
  /// Elements to compare with the reference, chosen at random; 0 means all.
  int64_t samples = 0;
  /// The blocks that ran; empty means all. Only what they own may have been
  /// written.
  std::vector<int64_t> blocks;
  /// Threads; 0 means one a core.
  unsigned workers = 0;
  /// The contraction as it was before the compiler rewrote its indices, on the
  /// same buffers. If there is one, the problem was made for it, and it is what
  /// the result is compared with.
  const Kernel *definition = nullptr;
  /// True if a device computed the result, whose tensor cores add products of
  /// 8-bit floats up in fewer bits than f32 has.
  bool ranOnDevice = false;
  /// Is told how many elements of all that are compared are done, by one thread
  /// at a time; null if nobody wants to know.
  std::function<void(uint64_t done, uint64_t all)> progress;
};

/// Elements with one kind of fault.
struct Fault {
  int64_t count = 0;
  /// Coordinates of the first one, like "C[a=0,b=3]", or its position where
  /// there is no element.
  std::string first;
};

struct CheckReport {
  /// Elements of C that the blocks own, and how many of them were compared; of
  /// complex ones, both parts count for one.
  int64_t owned = 0, compared = 0;
  /// Sums that were compared where elements are added up: that of all, or of
  /// each block that ran. Errors are those of the sums then, and the largest
  /// one is a multiple of what the sum may be off by.
  int64_t sums = 0;
  /// ||out - ref|| / ||ref|| over the elements compared, and its bound.
  double relativeError = 0, tolerance = 0;
  /// The largest |out - ref| / magnitude of one element, less what rounding to
  /// a type narrower than the sums' explains, and its bound.
  double largestError = 0, largestTolerance = 0;
  std::string largestAt;
  /// Owned elements that still hold poison; only known where C was poison.
  Fault unwritten;
  /// Elements that the blocks do not own, or gaps between elements, that do
  /// not hold what they held before.
  Fault stray;
  /// Elements compared that are infinite or NaN where finite ones are due. Of a
  /// sample, the first 4096 of all that are infinite or NaN are compared, too.
  Fault nonFinite;

  /// Adds what was found of another output of the same kernel: of errors, those
  /// that are nearest to their bounds, or farthest beyond them.
  void add(const CheckReport &other);
  bool passed() const;
  /// The verdict in one line.
  std::string summary() const;
};

/// Compares C's buffer, and those of other products that share an input, with
/// the reference. The kernel and the definition, if there is one, must have the
/// same buffers.
CheckReport checkOutput(const Kernel &kernel, const Problem &problem,
                        const CheckOptions &options);

/// Samples for which comparing takes seconds at most: 0 (all) where that is
/// cheap.
int64_t affordableSamples(const Kernel &kernel,
                          const std::vector<int64_t> &blocks);

} // namespace tc::runtime

#endif // TC_REFERENCE_CHECK_H
