//===- Launch.cpp - Launching kernels -------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks a launch, lays out memory, and spreads the blocks over threads of the
// host.
//
//===----------------------------------------------------------------------===//

#include "GlobalShadow.h"
#include "Interpreter.h"
#include "Limits.h"

#include "tc/Support/Cores.h"
#include "tc/Support/Threads.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>

using namespace tc::sim;

namespace {

/// A launch on its way from its description to the numbers that it counted.
class Launch {
public:
  Launch(const ModuleImpl &module, const Kernel &kernel,
         const LaunchConfig &config, std::vector<GlobalBuffer> &buffers)
      : module(module), kernel(kernel), config(config), buffers(buffers) {}

  tc::Status checkShape();
  tc::Status layOutMemory();
  tc::Status setVariables();
  tc::Status bindArguments(const std::vector<KernelArgument> &arguments);
  tc::Status watchMemory();
  tc::Result<Counters> run();

private:
  tc::Status placeAddresses(const KernelArgument &argument, std::byte *bytes,
                            const std::string &which) const;
  tc::Error fail(const std::string &message) const {
    return {module.fileName + ": entry '" + kernel.info.name + "': " + message};
  }
  unsigned countWorkers() const;
  void tellProgress();
  void work(Interpreter &interpreter);
  tc::Status judge(const std::vector<Interpreter> &interpreters) const;

  const ModuleImpl &module;
  const Kernel &kernel;
  const LaunchConfig &config;
  std::vector<GlobalBuffer> &buffers;

  Memory memory;
  std::vector<std::unique_ptr<GlobalShadow>> shadows;
  std::vector<std::vector<std::byte>> variables; ///< of the module
  std::vector<std::uint64_t> addresses;          ///< of the buffers
  std::uint64_t gridBlocks = 0;
  std::uint64_t blockCount = 0; ///< to run

  BlockOrder order;
  Releases releases;
  std::atomic<std::uint64_t> nextBlock{0};
  std::atomic<std::uint64_t> firstFailed{~std::uint64_t(0)};
  std::mutex failureMutex, progressMutex;
  std::string failure;
  std::uint64_t blocksDone = 0;
};

} // namespace

static std::string spell(const std::array<std::uint32_t, 3> &dim) {
  return std::to_string(dim[0]) + "x" + std::to_string(dim[1]) + "x" +
         std::to_string(dim[2]);
}

tc::Status Launch::checkShape() {
  constexpr std::array<std::uint32_t, 3> maxBlock = {1024, 1024, 64};
  constexpr std::array<std::uint32_t, 3> maxGrid = {0x7fffffff, 65535, 65535};
  std::uint64_t threads = 1;
  gridBlocks = 1;
  for (int i = 0; i < 3; ++i) {
    if (config.block[i] == 0 || config.block[i] > maxBlock[i])
      return fail("a block of " + spell(config.block) +
                  " threads is not possible");
    if (config.grid[i] == 0 || config.grid[i] > maxGrid[i])
      return fail("a grid of " + spell(config.grid) +
                  " blocks is not possible");
    threads *= config.block[i];
    gridBlocks *= config.grid[i];
  }
  if (threads > maxThreadsPerBlock)
    return fail("a block of " + spell(config.block) + " has more than " +
                std::to_string(maxThreadsPerBlock) + " threads");
  if (kernel.info.requiredThreads &&
      *kernel.info.requiredThreads != config.block)
    return fail("a block of " + spell(config.block) + " threads is not the " +
                spell(*kernel.info.requiredThreads) +
                " that .reqntid requires");
  if (kernel.info.maxThreads) {
    // As in hardware, only the product counts.
    const auto &most = *kernel.info.maxThreads;
    if (threads > std::uint64_t(most[0]) * most[1] * most[2])
      return fail("a block of " + spell(config.block) +
                  " threads is more than the " + spell(most) +
                  " that .maxntid allows");
  }
  std::uint64_t shared = kernel.info.staticSharedBytes;
  if (config.dynamicSharedBytes > maxSharedBytes - shared)
    return fail(std::to_string(shared) + " + " +
                std::to_string(config.dynamicSharedBytes) +
                " bytes of shared memory are more than " +
                std::to_string(maxSharedBytes));
  if ((threads + warpSize - 1) / warpSize * kernel.registerBytes >
      maxBlockRegisterBytes)
    return fail("the registers of a block of " + std::to_string(threads) +
                " threads take too much memory");
  for (std::uint64_t block : config.blocks)
    if (block >= gridBlocks)
      return fail("block " + std::to_string(block) +
                  " is outside the grid of " + spell(config.grid));
  blockCount = config.blocks.empty() ? gridBlocks : config.blocks.size();
  return {};
}

tc::Status Launch::layOutMemory() {
  auto others = static_cast<std::uint32_t>(buffers.size());
  for (const Variable *placed : module.placed) {
    const Variable &variable = *placed;
    std::vector<std::byte> bytes = variable.initializer;
    bytes.resize(variable.size);
    variables.push_back(std::move(bytes));
    bool isConst = variable.space == StateSpace::Const;
    memory.regions.push_back({variable.offset, variable.size,
                              variables.back().data(), !isConst, isConst,
                              others, variable.name});
  }
  std::uint64_t address = module.bufferBase;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const GlobalBuffer &buffer = buffers[i];
    if (buffer.size > (std::uint64_t(1) << 46) ||
        address > (std::uint64_t(1) << 47))
      return fail("buffer '" + buffer.name +
                  "' does not fit the address space");
    if (buffer.misalignment >= bufferAlignment)
      return fail("buffer '" + buffer.name + "' is misaligned by " +
                  std::to_string(buffer.misalignment) +
                  " bytes, but less than " + std::to_string(bufferAlignment) +
                  " are possible");
    address += buffer.misalignment;
    addresses.push_back(address);
    memory.regions.push_back({address, buffer.size, buffer.data,
                              buffer.writable, /*isConst=*/false,
                              static_cast<std::uint32_t>(i), buffer.name});
    address = nextBufferAddress(address, buffer.size);
  }
  return {};
}

/// Puts the addresses of a structure over its bytes.
tc::Status Launch::placeAddresses(const KernelArgument &argument,
                                  std::byte *bytes,
                                  const std::string &which) const {
  std::size_t size = argument.scalarBytes().size();
  for (const KernelArgument::Member &member : argument.addresses()) {
    if (member.buffer >= buffers.size())
      return fail(which + "names buffer " + std::to_string(member.buffer) +
                  " of " + std::to_string(buffers.size()));
    std::uint64_t address = addresses[member.buffer] + member.byteOffset;
    if (size < sizeof(address) || member.place > size - sizeof(address))
      return fail(which + "has " + std::to_string(size) +
                  " bytes, too few for an address at byte " +
                  std::to_string(member.place));
    std::memcpy(bytes + member.place, &address, sizeof(address));
  }
  return {};
}

tc::Status Launch::setVariables() {
  for (const VariableContents &given : config.variables) {
    std::string which = "variable '" + given.name + "' ";
    const std::vector<std::byte> &bytes = given.contents.scalarBytes();
    auto found = std::find_if(
        module.placed.begin(), module.placed.end(),
        [&](const Variable *variable) { return variable->name == given.name; });
    if (found == module.placed.end())
      return fail(which + "is not in the module");
    auto number = static_cast<std::size_t>(found - module.placed.begin());
    if (bytes.size() > variables[number].size())
      return fail(which + "has " + std::to_string(variables[number].size()) +
                  " bytes, not " + std::to_string(bytes.size()));
    std::copy(bytes.begin(), bytes.end(), variables[number].begin());
    if (tc::Status status =
            placeAddresses(given.contents, variables[number].data(), which);
        !status)
      return status;
  }
  return {};
}

tc::Status Launch::bindArguments(const std::vector<KernelArgument> &arguments) {
  const std::vector<ParameterInfo> &parameters = kernel.info.parameters;
  if (arguments.size() != parameters.size())
    return fail("takes " + std::to_string(parameters.size()) +
                " arguments, not " + std::to_string(arguments.size()));
  // Loads of parameters are checked against their sizes, but the block of them
  // may end in padding.
  memory.parameters.resize(kernel.parameterBytes);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const ParameterInfo &parameter = parameters[i];
    const KernelArgument &argument = arguments[i];
    std::string which =
        "argument " + std::to_string(i) + " ('" + parameter.name + "') ";
    std::uint64_t address = 0;
    const void *bytes = argument.scalarBytes().data();
    std::size_t size = argument.scalarBytes().size();
    if (argument.isAddress()) {
      if (argument.buffer() >= buffers.size())
        return fail(which + "names buffer " +
                    std::to_string(argument.buffer()) + " of " +
                    std::to_string(buffers.size()));
      address = addresses[argument.buffer()] + argument.byteOffset();
      if (address % parameter.pointerAlignment != 0)
        return fail(which + "must be a multiple of " +
                    std::to_string(parameter.pointerAlignment) + " bytes");
      bytes = &address;
      size = sizeof(address);
    }
    if (size != parameter.size)
      return fail(which + "has " + std::to_string(size) +
                  " bytes, the parameter has " +
                  std::to_string(parameter.size));
    std::byte *place = memory.parameters.data() + kernel.parameterOffsets[i];
    std::memcpy(place, bytes, size);
    if (tc::Status status = placeAddresses(argument, place, which); !status)
      return status;
  }
  return {};
}

unsigned Launch::countWorkers() const {
  std::uint64_t count =
      config.workers != 0 ? config.workers : tc::coresOfProcess();
  std::uint64_t warps =
      (std::uint64_t(config.block[0]) * config.block[1] * config.block[2] +
       warpSize - 1) /
      warpSize;
  std::uint64_t bytes =
      std::max<std::uint64_t>(1, warps * kernel.registerBytes);
  count = std::min(
      {count, blockCount, maxRegisterBytes / bytes, std::uint64_t(maxWorkers)});
  return static_cast<unsigned>(std::max<std::uint64_t>(1, count));
}

void Launch::tellProgress() {
  if (!config.progress)
    return;
  std::lock_guard<std::mutex> lock(progressMutex);
  config.progress(++blocksDone, blockCount);
}

/// Takes blocks in their order until there are none left before the first that
/// failed; so the failure that is reported does not depend on the timing.
void Launch::work(Interpreter &interpreter) {
  for (;;) {
    std::uint64_t position = nextBlock++;
    if (position >= blockCount || position > firstFailed)
      return;
    std::uint64_t block =
        config.blocks.empty() ? position : config.blocks[position];
    if (interpreter.runBlock(block, position)) {
      order.end(position);
      tellProgress();
      continue;
    }
    order.fail(position);
    std::lock_guard<std::mutex> lock(failureMutex);
    if (position < firstFailed) {
      firstFailed = position;
      failure = module.fileName + ":" + interpreter.message();
    }
    return;
  }
}

/// Gives the regions that detectors watch their shadows.
tc::Status Launch::watchMemory() {
  const Detectors &detectors = config.detectors;
  for (Region &region : memory.regions) {
    if (!region.writable || region.size == 0)
      continue;
    GlobalWatch watch;
    watch.races = detectors.globalRaces && blockCount > 1;
    if (region.traffic < buffers.size()) {
      const GlobalBuffer &buffer = buffers[region.traffic];
      watch.uninitialized = detectors.uninitialized && buffer.isUninitialized;
      watch.initializedBytes = buffer.initializedBytes;
      watch.rewrites = detectors.rewrites && buffer.isWrittenOnce;
      watch.unwritten =
          detectors.unwritten && buffer.mustBeWritten && config.blocks.empty();
    }
    if (!watch.any() && !detectors.globalRaces)
      continue;
    if (gridBlocks > GlobalAccess::blocks)
      return fail("a grid of " + spell(config.grid) +
                  " blocks is more than detectors of global memory can watch");
    shadows.push_back(std::make_unique<GlobalShadow>(
        region, kernel, watch, config.grid, config.block));
    region.shadow = shadows.back().get();
  }
  return {};
}

/// The findings of detectors of global memory, once all blocks have run: races
/// first, because other findings are certain only where there is none.
tc::Status Launch::judge(const std::vector<Interpreter> &interpreters) const {
  auto failAt = [&](const GlobalError &error) {
    return tc::Error{module.fileName + ":" +
                     describeFault(kernel, error.access.pc(), config.grid,
                                   error.access.block(), config.block,
                                   error.access.thread(), error.message)};
  };
  for (const std::unique_ptr<GlobalShadow> &shadow : shadows)
    if (std::optional<GlobalError> race = shadow->findRace())
      return failAt(*race);
  auto least = [&](auto member) {
    std::optional<GlobalFinding> found;
    for (const Interpreter &interpreter : interpreters) {
      const std::optional<GlobalFinding> &its = (interpreter.*member)();
      if (its && (!found || *its < *found))
        found = its;
    }
    return found;
  };
  if (auto found = least(&Interpreter::uninitializedRead))
    return failAt(found->region->shadow->describeUninitialized(*found));
  if (auto found = least(&Interpreter::changedSource))
    return failAt(found->region->shadow->describeChangedSource(*found));
  if (auto found = least(&Interpreter::rewrite))
    return failAt(found->region->shadow->describeRewrite(*found));
  for (const std::unique_ptr<GlobalShadow> &shadow : shadows)
    if (std::optional<std::string> message = shadow->findUnwritten())
      return fail(*message);
  return {};
}

tc::Result<Counters> Launch::run() {
  std::vector<Interpreter> interpreters;
  unsigned workers = countWorkers();
  interpreters.reserve(workers);
  for (unsigned i = 0; i < workers; ++i)
    interpreters.emplace_back(kernel, memory, config, buffers.size() + 1, order,
                              releases);
  std::atomic<unsigned> next = 0;
  tc::runOnThreads(workers, [&] { work(interpreters[next++]); });
  if (firstFailed != ~std::uint64_t(0))
    return tc::Error{failure};
  if (tc::Status status = judge(interpreters); !status)
    return tc::Error{status.error()};
  Counters counters;
  counters.buffers.resize(buffers.size());
  if (config.profile)
    counters.profile = makeProfile(module, kernel);
  for (const Interpreter &interpreter : interpreters)
    interpreter.addTo(counters);
  if (counters.profile)
    countLoops(*counters.profile);
  return counters;
}

tc::Result<Counters>
tc::sim::launch(const Module &module, std::string_view entry,
                const LaunchConfig &config, std::vector<GlobalBuffer> &buffers,
                const std::vector<KernelArgument> &arguments) {
  const ModuleImpl &impl = module.impl();
  for (const Kernel &kernel : impl.kernels) {
    if (kernel.info.name != entry)
      continue;
    Launch launch(impl, kernel, config, buffers);
    if (Status status = launch.checkShape(); !status)
      return Error{status.error()};
    if (Status status = launch.layOutMemory(); !status)
      return Error{status.error()};
    if (Status status = launch.setVariables(); !status)
      return Error{status.error()};
    if (Status status = launch.bindArguments(arguments); !status)
      return Error{status.error()};
    if (Status status = launch.watchMemory(); !status)
      return Error{status.error()};
    return launch.run();
  }
  return Error{impl.fileName + ": there is no entry '" + std::string(entry) +
               "'"};
}
