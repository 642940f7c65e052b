//===- Numpy.h - Arrays in NumPy's format -----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files as numpy.save writes them (numpy.lib.format, versions 1 to 3), of
// little-endian numbers.
//
//===----------------------------------------------------------------------===//

#ifndef TC_FOREIGN_NUMPY_H
#define TC_FOREIGN_NUMPY_H

#include "tc/Package/Package.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tc::foreign {

class NumpyArray {
public:
  /// Parses a file's contents; `name` is for errors.
  static Result<NumpyArray> parse(std::string contents,
                                  const std::string &name);

  const std::vector<int64_t> &shape() const { return extents; }
  bool isComplex() const { return kind == 'c'; }
  /// A number of the element with that place in the order of the last index
  /// fastest; of complex elements, first the real and then the imaginary part.
  long double at(int64_t number) const;

private:
  /// 'f', 'i', 'u' or 'c', and the bytes of a number; a complex one has two.
  char kind = 'f';
  unsigned width = 8;
  bool isFortran = false;
  std::vector<int64_t> extents;
  std::string contents;
  size_t begin = 0; ///< of the numbers in `contents`
};

/// Reads an array beneath a folder that has the shape of a buffer.
Result<NumpyArray> loadArray(const std::string &folder, const std::string &path,
                             const runtime::TensorArgument &like);

} // namespace tc::foreign

#endif // TC_FOREIGN_NUMPY_H
