//===- CPUExport.h - From contractions to native code -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What --tc-to-cpu made becomes an object file for this machine or another one,
// and an object file for this machine becomes functions that can be called.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TARGET_CPU_CPUEXPORT_H
#define TC_TARGET_CPU_CPUEXPORT_H

#include "tc/Conversion/TCToCPU/Outlined.h"
#include "tc/Support/MLIR/LLVM.h"
#include "tc/Support/Result.h"

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

/// Makes the translations of the dialects that code for a CPU is lowered to,
/// and their conversions to LLVM, known to a context created from the registry.
void registerCPUExportDialects(DialectRegistry &registry);

/// What native code is made for, in LLVM's terms: a triple; a CPU, or none for
/// the least of the triple; and features that it has besides, or lacks, with a
/// sign each and separated by commas.
struct CodeTarget {
  std::string triple, cpu, features;
};

/// This machine with all that it can do, its features in order.
CodeTarget hostCodeTarget();

/// Compiles a module, in which no operation of this project is left. The module
/// is lowered to the LLVM dialect in place. Its context must have been created
/// with `registerCPUExportDialects`. Emits an error and fails if something does
/// not lower, or if LLVM knows no such target, or none with addresses of 64
/// bits.
FailureOr<CompiledObject> compileToObject(ModuleOp module,
                                          const CodeTarget &target);

/// Functions in this process's memory, for as long as the object lives.
class LoadedObject {
public:
  /// Links an object file into this process; one for several threads with the
  /// OpenMP runtime that the process has, or else with LLVM's, which is loaded,
  /// as is glibc's library of functions on vectors where the code calls some.
  /// Fails if it is damaged or needs a symbol that is not found.
  static Result<LoadedObject> load(const CompiledObject &compiled);
  LoadedObject(LoadedObject &&) noexcept;
  LoadedObject &operator=(LoadedObject &&) noexcept;
  ~LoadedObject();

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

  struct Linker;
  LoadedObject();

  std::unique_ptr<Linker> linker;
  std::vector<void *> addresses;
};

} // namespace tc

#endif // TC_TARGET_CPU_CPUEXPORT_H
