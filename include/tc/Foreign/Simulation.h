//===- Simulation.h - Foreign PTX in the simulator --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes the buffers of a description, runs its launches on them, and compares
// the results with the expected ones.
//
//===----------------------------------------------------------------------===//

#ifndef TC_FOREIGN_SIMULATION_H
#define TC_FOREIGN_SIMULATION_H

#include "tc/Foreign/Description.h"
#include "tc/PackageSimulation/PackageSimulation.h"
#include "tc/Reference/Check.h"

namespace tc::foreign {

/// Makes a buffer, with other random numbers for each stream. Files are those
/// of a folder.
Result<runtime::HostTensor> makeTensor(const Buffer &buffer, uint64_t seed,
                                       uint32_t stream,
                                       const std::string &folder,
                                       unsigned workers);

/// The blocks of a launch that a list names, as `runtime::parseBlocks` reads
/// it; the middle one is that of the middle number.
Result<std::vector<int64_t>> parseBlocks(std::string_view text,
                                         const Launch &launch);

/// The parameters of a launch as they lie in memory, where buffer number n is
/// at the address (n + 16) * 2^40.
Result<std::vector<std::byte>> parametersOf(const Launch &launch,
                                            const sim::EntryInfo &entry);

/// One run of a description: its buffers, in the state that launches leave.
class Simulation {
public:
  /// Fails where buffers take more memory than the machine has, and on files.
  static Result<Simulation> create(const LoadedDescription &loaded,
                                   uint64_t seed, unsigned workers);

  /// Runs the launch of that number.
  Result<sim::Counters> simulate(size_t number, const sim::Module &module,
                                 const runtime::SimulationOptions &options);

  /// Compares an output with its reference once all launches have run:
  /// `samples` of its elements where that is costly, 0 for all, none for as
  /// many as are affordable.
  Result<runtime::CheckReport> check(const Check &check,
                                     std::optional<int64_t> samples);

  std::vector<std::string> bufferNames() const;

private:
  Simulation(const LoadedDescription &loaded, uint64_t seed, unsigned workers)
      : loaded(loaded), seed(seed), workers(workers) {}

  Result<runtime::CheckReport> checkContraction(const ContractionCheck &check,
                                                size_t output,
                                                std::optional<int64_t> samples);
  Result<runtime::CheckReport> checkFile(const FileCheck &check, size_t output);

  const LoadedDescription &loaded;
  uint64_t seed;
  unsigned workers;
  std::vector<runtime::HostTensor> tensors;
};

} // namespace tc::foreign

#endif // TC_FOREIGN_SIMULATION_H
