//===- LoadedObject.cpp - Native code in this process ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/OnDemand/LoadedObject.h"

using namespace tc;

/// Calls a function with so many words.
template <size_t... Places>
static int64_t callWith(void *address, const uint64_t *words,
                        std::index_sequence<Places...> /*places*/) {
  using Function = int64_t(std::decay_t<decltype(words[Places])>...);
  (void)words;
  return reinterpret_cast<Function *>(address)(words[Places]...);
}

template <size_t... Counts>
static int64_t callWithSome(void *address, const std::vector<uint64_t> &words,
                            std::index_sequence<Counts...> /*counts*/) {
  using Caller = int64_t (*)(void *, const uint64_t *);
  static constexpr Caller callers[] = {[](void *function,
                                          const uint64_t *arguments) {
    return callWith(function, arguments, std::make_index_sequence<Counts>());
  }...};
  return callers[words.size()](address, words.data());
}

int64_t LoadedObject::callWords(size_t function,
                                const std::vector<uint64_t> &words) const {
  return callWithSome(addresses[function], words,
                      std::make_index_sequence<maxWords + 1>());
}
