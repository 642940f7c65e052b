//===- LoadedObject.h - Native code in this process -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_ONDEMAND_LOADEDOBJECT_H
#define TC_ONDEMAND_LOADEDOBJECT_H

#include "tc/OnDemand/CallStatus.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tc {

/// Native code, and the functions in it by their names.
struct CompiledObject {
  /// The bytes of a relocatable object file.
  std::string object;
  /// The functions that `tc-outline-contractions` made, in order. Each takes
  /// the base pointers of A, B and C, then alpha and beta where they are no
  /// constants, complex ones as two numbers each, and returns a CallStatus.
  std::vector<std::string> functions;
};

/// Functions in this process's memory, for as long as the object lives.
class LoadedObject {
public:
  /// Of functions at these addresses, which are there as long as the owner.
  LoadedObject(std::shared_ptr<const void> owner, std::vector<void *> addresses)
      : owner(std::move(owner)), addresses(std::move(addresses)) {}
  LoadedObject(LoadedObject &&) noexcept = default;
  LoadedObject &operator=(LoadedObject &&) noexcept = default;

  /// The most auxiliary tensors, and the most numbers that factors are, that
  /// `call` can pass.
  static constexpr size_t maxAuxiliaries = 8, maxFactors = 4;

  /// Calls a function with A, B and C, the factors that it takes, all of one
  /// type, and its auxiliary tensors.
  template <typename T>
  [[nodiscard]] CallStatus
  call(size_t function, void *a, void *b, void *c,
       const std::vector<T> &factors,
       const std::vector<void *> &auxiliaries = {}) const {
    return callWithFactors(addresses[function], a, b, c, factors, auxiliaries,
                           std::make_index_sequence<maxFactors>());
  }

  /// The most arguments that `callWords` can pass.
  static constexpr size_t maxWords = 64;

  /// Calls a function of addresses and integers of 64 bits, and returns what it
  /// does, of which a shorter number are the lowest bits.
  int64_t callWords(size_t function, const std::vector<uint64_t> &words) const;

private:
  template <typename T, size_t> using Repeated = T;

  /// Passes as many factors as there are.
  template <typename T, size_t... Factors>
  static CallStatus callWithFactors(void *address, void *a, void *b, void *c,
                                    const std::vector<T> &factors,
                                    const std::vector<void *> &auxiliaries,
                                    std::index_sequence<Factors...> numbers) {
    if constexpr (sizeof...(Factors) > 0)
      if (factors.size() < sizeof...(Factors))
        return callWithFactors(
            address, a, b, c, factors, auxiliaries,
            std::make_index_sequence<sizeof...(Factors) - 1>());
    return callWithAuxiliaries(address, a, b, c, factors, auxiliaries, numbers,
                               std::make_index_sequence<maxAuxiliaries>());
  }

  /// Passes as many auxiliary tensors as there are.
  template <typename T, size_t... Factors, size_t... Sides>
  static CallStatus callWithAuxiliaries(void *address, void *a, void *b,
                                        void *c, const std::vector<T> &factors,
                                        const std::vector<void *> &auxiliaries,
                                        std::index_sequence<Factors...> numbers,
                                        std::index_sequence<Sides...>) {
    if constexpr (sizeof...(Sides) > 0)
      if (auxiliaries.size() < sizeof...(Sides))
        return callWithAuxiliaries(
            address, a, b, c, factors, auxiliaries, numbers,
            std::make_index_sequence<sizeof...(Sides) - 1>());
    using Function = int32_t(void *, void *, void *, Repeated<T, Factors>...,
                             Repeated<void *, Sides>...);
    return static_cast<CallStatus>(reinterpret_cast<Function *>(address)(
        a, b, c, factors[Factors]..., auxiliaries[Sides]...));
  }

  std::shared_ptr<const void> owner;
  std::vector<void *> addresses;
};

} // namespace tc

#endif // TC_ONDEMAND_LOADEDOBJECT_H
