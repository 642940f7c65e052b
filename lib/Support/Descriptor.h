//===- Descriptor.h - An open file ------------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_SUPPORT_DESCRIPTOR_H
#define TC_LIB_SUPPORT_DESCRIPTOR_H

#include "tc/Support/Message.h"
#include "tc/Support/Result.h"

#include <cerrno>
#include <cstring>
#include <string>
#include <unistd.h>
#include <utility>

namespace tc {

/// The error that `errno` gives for a path.
inline Error systemError(const std::string &path) {
  int number = errno;
  return {inOneLine(path) + ": " + std::strerror(number)};
}

/// Closes a file at the end of its scope.
class Descriptor {
public:
  explicit Descriptor(int number = -1) : number(number) {}
  Descriptor(Descriptor &&other) noexcept
      : number(std::exchange(other.number, -1)) {}
  Descriptor &operator=(Descriptor &&other) noexcept {
    std::swap(number, other.number);
    return *this;
  }
  ~Descriptor() {
    if (number >= 0)
      ::close(number);
  }

  bool isOpen() const { return number >= 0; }
  int get() const { return number; }
  /// Closes the file, and says whether that went well.
  bool close() { return ::close(std::exchange(number, -1)) == 0; }

private:
  int number;
};

} // namespace tc

#endif // TC_LIB_SUPPORT_DESCRIPTOR_H
