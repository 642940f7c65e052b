//===- Comparison.cpp - Predicted and counted figures ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pairs the model's counts with the simulator's.
//
//===----------------------------------------------------------------------===//

#include "Comparison.h"

#include <cmath>

namespace tc::model::test {

double Quantity::deviation() const {
  if (predicted == counted)
    return 0;
  return counted == 0 ? 1 : std::abs(predicted - counted) / counted;
}

std::vector<Quantity> compare(const Contraction &contraction,
                              const KernelLayout &layout,
                              const AccessCounts &predicted,
                              const sim::Counters &counted) {
  using Part = Quantity::Part;
  using sim::InstructionKind;
  std::vector<Quantity> quantities;
  auto add = [&](std::string name, Part part, double model,
                 uint64_t simulator) {
    quantities.push_back(
        {std::move(name), part, model, static_cast<double>(simulator)});
  };

  constexpr PerTensor<const char *> names = {{"A", "B", "C"}};
  double loads = 0;
  for (Tensor tensor : allTensors) {
    const sim::BufferTraffic &traffic =
        counted.buffers[static_cast<unsigned>(tensor)];
    std::string name = names[tensor];
    bool isC = tensor == Tensor::C;
    GlobalRequests stores = isC ? predicted.stores : GlobalRequests();
    add(name + " load sectors", Part::Tensors, predicted.loads[tensor].sectors,
        traffic.loadSectors);
    add(name + " load bytes", Part::Tensors, predicted.loads[tensor].bytes,
        traffic.loadBytes);
    add(name + " store sectors", Part::Tensors, stores.sectors,
        traffic.storeSectors);
    add(name + " store bytes", Part::Tensors, stores.bytes, traffic.storeBytes);
    loads += predicted.loads[tensor].instructions;
  }

  // Counting a block in loads and stores its counter.
  constexpr double counterBytes = 4;
  const sim::BufferTraffic workspace =
      counted.buffers.size() > allTensors.size()
          ? counted.buffers[allTensors.size()]
          : sim::BufferTraffic();
  auto addPartialSums = [&](std::string name, Part part,
                            const GlobalRequests &model, uint64_t sectors,
                            uint64_t bytes) {
    add(name + " sectors", part, model.sectors + predicted.atomics, sectors);
    add(name + " bytes", part, model.bytes + predicted.atomics * counterBytes,
        bytes);
  };
  addPartialSums("workspace load", Part::PartLoads, predicted.partLoads,
                 workspace.loadSectors, workspace.loadBytes);
  addPartialSums("workspace store", Part::PartStores, predicted.partStores,
                 workspace.storeSectors, workspace.storeBytes);
  add("atomic", Part::PartStores, predicted.atomics,
      counted[InstructionKind::Atomic]);
  loads += predicted.partLoads.instructions;

  const sim::SharedTraffic &shared = counted.shared;
  add("shared load wavefronts", Part::PanelLoads,
      predicted.sharedLoads.wavefronts, shared.loadWavefronts);
  add("shared load conflicts", Part::PanelLoads,
      predicted.sharedLoads.conflicts(),
      shared.loadWavefronts - shared.idealLoadWavefronts);
  add("shared load bytes", Part::PanelLoads, predicted.sharedLoads.bytes,
      shared.loadBytes);
  add("shared store wavefronts", Part::PanelStores,
      predicted.sharedStores.wavefronts, shared.storeWavefronts);
  add("shared store conflicts", Part::PanelStores,
      predicted.sharedStores.conflicts(),
      shared.storeWavefronts - shared.idealStoreWavefronts);
  add("shared store bytes", Part::PanelStores, predicted.sharedStores.bytes,
      shared.storeBytes);

  // Scaling C takes a multiply-add for each element.
  double scalings = 0, threadScalings = 0;
  if (contraction.readsC) {
    scalings =
        predicted.stores.instructions * static_cast<double>(layout.widthC);
    threadScalings =
        predicted.stores.bytes /
        static_cast<double>(byteWidth(contraction.elementType[Tensor::C]));
  }
  bool isF64 = contraction.accumulatorType == ElementType::F64;
  add("fma", Part::Products, predicted.fmaInstructions + scalings,
      counted[isF64 ? InstructionKind::FmaF64 : InstructionKind::FmaF32]);
  add("thread FMAs", Part::Products, predicted.threadFmas + threadScalings,
      isF64 ? counted.fmaF64 : counted.fmaF32);
  add("mma", Part::Products, predicted.matrixInstructions,
      counted[InstructionKind::MmaF64]);
  add("cp.async", Part::Tensors, predicted.asynchronousCopies,
      counted[InstructionKind::CopyAsync]);
  add("ld.global", Part::Tensors, loads, counted[InstructionKind::LoadGlobal]);
  add("st.global", Part::Tensors,
      predicted.stores.instructions + predicted.partStores.instructions,
      counted[InstructionKind::StoreGlobal]);
  add("ld.shared", Part::PanelLoads, predicted.sharedLoads.instructions,
      counted[InstructionKind::LoadShared]);
  add("st.shared", Part::PanelStores, predicted.sharedStores.instructions,
      counted[InstructionKind::StoreShared]);
  add("barrier", Part::Barriers, predicted.barrierInstructions,
      counted[InstructionKind::Barrier]);
  add("barriers of blocks", Part::Barriers, predicted.barriers,
      counted.barriers);
  return quantities;
}

std::string describe(const Quantity &quantity) {
  return quantity.name + ": predicted " +
         std::to_string(static_cast<int64_t>(quantity.predicted)) +
         ", counted " + std::to_string(static_cast<int64_t>(quantity.counted));
}

} // namespace tc::model::test
