//===- Result.h - A value or the reason why there is none -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The error channel of the libraries that must not depend on LLVM (model,
// runtime, simulator). Code that has LLVM uses FailureOr and diagnostics.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_RESULT_H
#define TC_SUPPORT_RESULT_H

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace tc {

/// The reason why an operation failed, as one line that names the thing and its
/// place.
struct Error {
  std::string message;
};

/// Either a `T` or an `Error`.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : state(std::move(value)) {}
  Result(Error error) : state(std::move(error)) {}

  explicit operator bool() const { return std::holds_alternative<T>(state); }
  T &operator*() { return std::get<T>(state); }
  const T &operator*() const { return std::get<T>(state); }
  T *operator->() { return &std::get<T>(state); }
  const T *operator->() const { return &std::get<T>(state); }

  /// The message of a failed result.
  const std::string &error() const { return std::get<Error>(state).message; }

private:
  std::variant<T, Error> state;
};

/// Success, or an `Error`.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(Error error) : failure(std::move(error.message)), failed(true) {}

  explicit operator bool() const { return !failed; }
  const std::string &error() const {
    assert(failed && "no error in a success");
    return failure;
  }

private:
  std::string failure;
  bool failed = false;
};

} // namespace tc

#endif // TC_SUPPORT_RESULT_H
