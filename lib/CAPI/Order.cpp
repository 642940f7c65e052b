//===- Order.cpp - The order of contractions of many tensors ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc-c/Order.h"
#include "ElementTypes.h"
#include "Error.h"
#include "Options.h"
#include "Problem.h"
#include "TextBuffer.h"

#include "tc/Import/Notations.h"
#include "tc/Machine/CpuTarget.h"
#include "tc/Machine/Target.h"
#include "tc/Machine/TargetFile.h"
#include "tc/Problem/Semiring.h"
#include "tc/Program/OrderText.h"
#include "tc/Support/ProcessMemory.h"

#include <algorithm>
#include <unordered_map>

using namespace tc;
using namespace tc::capi;

static_assert(TC_MOST_SLICES == model::mostSlices);

/// Copies an operand, after what was copied before it.
static Status add(const TcTensor &tensor,
                  std::vector<TensorDescription> &shapes) {
  Result<TensorDescription> shape = copy(tensor);
  if (!shape)
    return Error{shape.error()};
  if (!toModel(shape->type))
    return Error{"unknown element type " + std::to_string(shape->type)};
  if (!shapes.empty() && shape->type != shapes.front().type)
    return Error{"its element type is not that of operand 0"};
  for (size_t dim = 0; dim < shape->extents.size(); ++dim)
    if (shape->extents[dim] < 0)
      return Error{"extent " + std::to_string(shape->extents[dim]) +
                   " of dimension " + std::to_string(dim) + " is negative"};
  shapes.push_back(std::move(*shape));
  return {};
}

/// The network that a specification and shapes describe.
static Result<model::Network> makeNetwork(const char *spec,
                                          const TcTensor *tensors,
                                          int32_t operands,
                                          const TcOptions &options) {
  std::vector<size_t> ranks;
  std::vector<TensorDescription> shapes;
  for (int32_t i = 0; i < operands; ++i) {
    if (Status status = add(tensors[i], shapes); !status)
      return Error{"operand " + std::to_string(i) + ": " + status.error()};
    ranks.push_back(shapes.back().extents.size());
  }
  notation::Diagnostic diagnostic;
  auto lists = notation::expandSubscripts(spec, ranks, specName, diagnostic);
  if (!lists)
    return Error{diagnostic.str()};
  std::vector<std::string> output = std::move(lists->back());
  lists->pop_back();
  std::vector<std::pair<std::string, int64_t>> extents;
  std::unordered_map<std::string, size_t> places;
  for (size_t i = 0; i < lists->size(); ++i)
    for (size_t dim = 0; dim < (*lists)[i].size(); ++dim) {
      const std::string &label = (*lists)[i][dim];
      int64_t extent = shapes[i].extents[dim];
      auto [place, isNew] = places.try_emplace(label, extents.size());
      if (isNew)
        extents.push_back({label, extent});
      int64_t &known = extents[place->second].second;
      if (known == 1)
        known = extent;
      else if (extent != 1 && extent != known)
        return Error{"index '" + label + "' has extent " +
                     std::to_string(known) + ", but " + std::to_string(extent) +
                     " in operand " + std::to_string(i)};
    }
  // Nothing is to be computed along an empty index.
  for (auto &[label, extent] : extents)
    extent = std::max<int64_t>(extent, 1);
  model::ElementType type = *toModel(shapes.front().type);
  if (!model::appliesTo(options.chosenPrecision(), type))
    return Error{"precision " +
                 std::string(model::stringify(options.chosenPrecision())) +
                 " applies to f32, but the element type is " +
                 std::string(model::stringify(type))};
  if (!model::appliesTo(options.chosenSemiring(), type))
    return Error{
        "semiring " + std::string(model::stringify(options.chosenSemiring())) +
        " applies to " + std::string(model::typesOf(options.chosenSemiring())) +
        ", but the element type is " + std::string(model::stringify(type))};
  Result<model::Network> network =
      model::makeNetwork(*lists, output, extents, type);
  if (!network)
    return network;
  network->precision = options.chosenPrecision();
  network->semiring = options.chosenSemiring();
  return network;
}

static Result<std::string> findOrder(const model::Network &network,
                                     const TcOptions &options) {
  model::OrderOptions search;
  if (options.memoryLimit)
    search.memoryLimit = static_cast<double>(*options.memoryLimit);
  search.cutting = options.cutting;
  search.searchSeconds = options.searchSeconds();
  model::CpuTarget cpu;
  std::unique_ptr<model::StepTimes> times;
  if (options.target == "cpu") {
    Result<model::CpuTarget> found = model::loadCpuTarget("");
    if (!found)
      return Error{found.error()};
    cpu = std::move(*found);
    // That of one thread is what products are computed in, whatever threads
    // they may use, if nobody asks for another one.
    times = makeStepTimes(cpu, network.type, options.threads.value_or(1));
  } else {
    times = makeStepTimes(**model::findTarget(options.target), network.type,
                          network.precision);
  }
  Result<model::OrderResult> found =
      model::searchOrder(network, *times, search);
  if (!found)
    return Error{found.error()};
  nlohmann::ordered_json json = orderToJson(network, *found);
  json["text"] = orderText(network, *found, options.target);
  return json.dump();
}

int64_t tcGetDefaultMemoryLimit(void) { return memoryOfProcess() / 2; }

TcError *tcOrderFind(const char *spec, const TcTensor *tensors,
                     int32_t operands, const TcOptions *options, char *buffer,
                     size_t size, size_t *length) {
  return guard([&]() -> TcError * {
    if (!spec || !tensors || !length || (size > 0 && !buffer))
      return invalid("tcOrderFind: an argument is NULL");
    if (operands < 1 || operands > static_cast<int64_t>(notation::maxOperands))
      return invalid("there are " + std::to_string(operands) +
                     " operands, but 1 to " +
                     std::to_string(notation::maxOperands) + " are possible");
    const TcOptions chosen = options ? *options : TcOptions();
    if (chosen.userSemiring.any())
      return invalid("a semiring of product and combine takes two operands");
    Result<model::Network> network =
        makeNetwork(spec, tensors, operands, chosen);
    if (!network)
      return invalid(network.error());
    Result<std::string> text = findOrder(*network, chosen);
    if (!text)
      return makeError(TC_ERROR_UNSUPPORTED, text.error());
    writeText(*text, buffer, size, length);
    return nullptr;
  });
}
