//===- Nvdisasm.cpp - From a cubin to a listing ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs NVIDIA's disassembler.
//
//===----------------------------------------------------------------------===//

#include "CudaProgram.h"

#include "tc/Target/PTX/MachineCode.h"

using namespace tc;

Result<std::string> tc::findNvdisasm() {
  return findCudaProgram("nvdisasm", "TC_NVDISASM");
}

Result<sass::Listing> tc::disassemble(StringRef cubin) {
  // First bytes of every ELF file; nvdisasm has no clear word for others.
  if (!cubin.starts_with("\x7f"
                         "ELF"))
    return Error{"the code is no cubin, which nvdisasm disassembles"};
  Result<std::string> program = findNvdisasm();
  if (!program)
    return Error{program.error()};
  Result<TemporaryFile> input = TemporaryFile::create("cubin");
  if (!input)
    return Error{input.error()};
  if (Status status = input->write(cubin); !status)
    return Error{status.error()};
  // Without the analysis of data flow, which the listing has nothing of.
  Result<ProgramOutput> output =
      runProgram(*program, {"-c", "-hex", "-ndf", input->path()});
  if (!output)
    return Error{"nvdisasm failed: " + output.error()};
  return sass::parseListing(output->standardOutput, "nvdisasm");
}

Result<MachineCode> tc::machineCodeOf(StringRef cubin) {
  Result<sass::Listing> listing = disassemble(cubin);
  if (!listing)
    return Error{listing.error()};
  Result<sass::ModuleCounts> counts = sass::count(*listing);
  if (!counts)
    return Error{counts.error()};
  return MachineCode{std::move(*listing), std::move(*counts)};
}
