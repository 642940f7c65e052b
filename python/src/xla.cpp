//===- xla.cpp - Programs as custom calls of XLA --------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The handler that XLA calls on a CPU, by its foreign function interface
// (https://docs.jax.dev/en/latest/ffi.html). All that a call depends on is in
// its attributes, so that code which XLA keeps for another process runs there,
// too: the text of a program (tc._notation.terms), and how many threads it may
// use.
//
//===----------------------------------------------------------------------===//

#include "Buffers.h"
#include "Errors.h"
#include "Unlocked.h"

#include "tc-c/Program.h"

#include "xla/ffi/api/ffi.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace nb = nanobind;
namespace ffi = xla::ffi;

namespace {

struct Compiled {
  TcProgram *program = nullptr;
  /// Place of each parameter: an argument, or, from the bitwise complement on,
  /// a result.
  std::vector<int64_t> places;
};

/// The programs of this process, which live as long as it: XLA says nothing of
/// the end of what calls them.
class Programs {
public:
  /// Finds or compiles one; the error is the caller's.
  TcError *find(std::string_view text, int64_t threads, const Compiled *&found);

private:
  std::mutex mutex;
  std::unordered_map<std::string, std::unique_ptr<Compiled>> compiled;
};

/// The place of a parameter that is called X3 or R0.
int64_t placeOf(const char *name) {
  int64_t number = std::strtoll(name + 1, nullptr, 10);
  return *name == 'X' ? number : ~number;
}

TcError *Programs::find(std::string_view text, int64_t threads,
                        const Compiled *&found) {
  std::string key = std::to_string(threads) + ":" + std::string(text);
  {
    std::lock_guard<std::mutex> lock(mutex);
    auto it = compiled.find(key);
    if (it != compiled.end()) {
      found = it->second.get();
      return nullptr;
    }
  }
  // Others run meanwhile. Of two that compile the same, the first one's stays.
  TcOptions *options = nullptr;
  if (TcError *error = tcOptionsCreate(&options))
    return error;
  auto made = std::make_unique<Compiled>();
  TcError *error =
      tcOptionsSet(options, "threads", std::to_string(threads).c_str());
  // As XLA rounds numbers beyond the range of 8-bit floats.
  if (!error)
    error = tcOptionsSet(options, "saturate", "false");
  if (!error)
    error = tcProgramCompile(std::string(text).c_str(), "tensors", options,
                             &made->program);
  tcOptionsDestroy(options);
  if (error)
    return error;
  for (int32_t i = 0; i < tcProgramGetParameterCount(made->program); ++i)
    made->places.push_back(
        placeOf(tcProgramGetParameter(made->program, i)->name));
  std::lock_guard<std::mutex> lock(mutex);
  auto [it, isNew] = compiled.try_emplace(key, std::move(made));
  if (!isNew)
    tcProgramDestroy(made->program);
  found = it->second.get();
  return nullptr;
}

Programs &programs() {
  static auto *all = new Programs;
  return *all;
}

ffi::Error failed(TcError *error) {
  ffi::Error made(tcErrorGetCode(error) == TC_ERROR_OUT_OF_MEMORY
                      ? ffi::ErrorCode::kResourceExhausted
                      : ffi::ErrorCode::kInternal,
                  tcErrorGetMessage(error));
  tcErrorDestroy(error);
  return made;
}

/// Checks that a buffer, which is contiguous, is what a program takes: it reads
/// and writes what it was compiled for.
ffi::Error compare(const TcPackageTensor &tensor,
                   const ffi::AnyBuffer &buffer) {
  ffi::AnyBuffer::Dimensions extents = buffer.dimensions();
  if (std::equal(extents.begin(), extents.end(), tensor.extents,
                 tensor.extents + tensor.rank) &&
      static_cast<int64_t>(ffi::ByteWidth(buffer.element_type())) ==
          byteWidthOf(tensor.type))
    return ffi::Error::Success();
  auto spell = [](const auto &numbers) {
    std::string text;
    for (int64_t number : numbers)
      text += (text.empty() ? "" : ", ") + std::to_string(number);
    return "(" + text + ")";
  };
  return {ffi::ErrorCode::kInvalidArgument,
          std::string("tensor '") + tensor.name + "' has shape " +
              spell(extents) + ", but was compiled for " +
              spell(std::vector<int64_t>(tensor.extents,
                                         tensor.extents + tensor.rank)) +
              " and elements of " + std::to_string(byteWidthOf(tensor.type)) +
              " bytes"};
}

ffi::Error run(ffi::RemainingArgs arguments, ffi::RemainingRets results,
               std::string_view program, int64_t threads) {
  const Compiled *found = nullptr;
  if (TcError *error = programs().find(program, threads, found))
    return failed(error);
  std::vector<void *> pointers;
  for (int64_t place : found->places) {
    const TcPackageTensor &tensor = *tcProgramGetParameter(
        found->program, static_cast<int32_t>(pointers.size()));
    auto take = [&](const ffi::AnyBuffer &buffer) {
      pointers.push_back(buffer.untyped_data());
      return compare(tensor, buffer);
    };
    ffi::Error error;
    if (place >= 0) {
      auto buffer = arguments.get<ffi::AnyBuffer>(static_cast<size_t>(place));
      error = buffer.has_error() ? buffer.error() : take(*buffer);
    } else {
      auto buffer = results.get<ffi::AnyBuffer>(static_cast<size_t>(~place));
      error = buffer.has_error() ? buffer.error() : take(**buffer);
    }
    if (error.failure())
      return error;
  }
  TcError *error = tcProgramRun(found->program, pointers.data(),
                                static_cast<int32_t>(pointers.size()),
                                /*workspace=*/nullptr);
  return error ? failed(error) : ffi::Error::Success();
}

} // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(tcXlaProducts, run,
                              ffi::Ffi::Bind()
                                  .RemainingArgs()
                                  .RemainingRets()
                                  .Attr<std::string_view>("program")
                                  .Attr<int64_t>("threads"));

NB_MODULE(_xla, module) {
  module.doc() = "Programs as custom calls of XLA.";
  nb::set_leak_warnings(false);
  findExceptions();
  module.attr("INTERFACE") =
      nb::make_tuple(XLA_FFI_API_MAJOR, XLA_FFI_API_MINOR);
  module.def("handler", [] {
    return nb::capsule(reinterpret_cast<void *>(tcXlaProducts));
  });
  // Contractions that cannot be compiled are known before XLA compiles what
  // calls it.
  module.def(
      "prepare",
      [](const std::string &program, int64_t threads) {
        textOf(program, "the program");
        const Compiled *found = nullptr;
        TcError *error;
        {
          Unlocked unlocked;
          error = programs().find(program, threads, found);
        }
        check(error);
      },
      nb::arg("program"), nb::arg("threads"));
}
