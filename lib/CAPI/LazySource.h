//===- LazySource.h - Sources made on demand ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CAPI_LAZYSOURCE_H
#define TC_LIB_CAPI_LAZYSOURCE_H

#include "tc/OnDemand/Source.h"

#include <functional>
#include <memory>
#include <mutex>

namespace tc::capi {

/// A source that copies share. To write down that of a product takes as long as
/// ahead-of-time kernels take for small tensors, and most are never compiled:
/// so it may be made by the first who asks for it. Any number of threads may.
class LazySource {
public:
  explicit LazySource(Source source)
      : shared(std::make_shared<Shared>(std::move(source), nullptr)) {}
  explicit LazySource(std::function<Source()> make)
      : shared(std::make_shared<Shared>(Source(), std::move(make))) {}

  const Source &get() const {
    std::call_once(shared->isMade, [this] {
      if (!shared->make)
        return;
      shared->source = shared->make();
      shared->make = nullptr;
    });
    return shared->source;
  }

private:
  struct Shared {
    Shared(Source source, std::function<Source()> make)
        : source(std::move(source)), make(std::move(make)) {}

    Source source;
    std::function<Source()> make;
    std::once_flag isMade;
  };
  std::shared_ptr<Shared> shared;
};

} // namespace tc::capi

#endif // TC_LIB_CAPI_LAZYSOURCE_H
