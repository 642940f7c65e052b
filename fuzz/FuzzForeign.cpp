//===- FuzzForeign.cpp - Fuzz target: descriptions of foreign PTX ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Any text, read as a description, or as an array in NumPy's format if it
// begins as one. Accepted ones are used: buffers that are small are made,
// launches are laid out, and arrays are read to their ends.
//
//===----------------------------------------------------------------------===//

#include "Require.h"

#include "tc/Foreign/Numpy.h"
#include "tc/Foreign/Simulation.h"
#include "tc/Support/Arithmetic.h"

using namespace tc;
using namespace tc::fuzz;

static void readArray(std::string contents) {
  Result<foreign::NumpyArray> array =
      foreign::NumpyArray::parse(std::move(contents), "array");
  if (!array)
    return require(!array.error().empty(), "an error says something");
  int64_t numbers = array->isComplex() ? 2 : 1;
  for (int64_t extent : array->shape())
    numbers = saturatingMultiply(numbers, extent);
  long double sum = 0;
  for (int64_t i = 0; i < numbers; ++i)
    sum += array->at(i);
  require(sum == sum || sum != sum, "all numbers can be read");
}

static void makeBuffers(const foreign::Description &description) {
  constexpr int64_t most = 1 << 16;
  for (const foreign::Buffer &buffer : description.buffers) {
    Result<runtime::Geometry> geometry = runtime::geometryOf(buffer.tensor);
    require(bool(geometry), "a buffer has a geometry");
    if (geometry->bufferElements() > most || geometry->elements() > most ||
        std::holds_alternative<foreign::FileFill>(buffer.fill))
      continue;
    Result<runtime::HostTensor> tensor =
        foreign::makeTensor(buffer, /*seed=*/1, /*stream=*/0, "", 1);
    require(tensor || !tensor.error().empty(), "an error says something");
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string text(reinterpret_cast<const char *>(data), size);
  if (!text.empty() && text[0] == '\x93') {
    readArray(std::move(text));
    return 0;
  }
  Result<foreign::Description> description = foreign::fromJson(text);
  if (!description) {
    require(!description.error().empty(), "an error says something");
    return 0;
  }
  require(foreign::isDescription(text), "what is read is a description");
  makeBuffers(*description);
  for (const foreign::Launch &launch : description->launches) {
    // An entry with just these parameters.
    sim::EntryInfo entry;
    for (const foreign::Argument &argument : launch.arguments)
      entry.parameters.push_back(
          {"p", argument.bytes.size(), argument.bytes.size() % 8 ? 1u : 8u, 1});
    Result<std::vector<std::byte>> bytes = parametersOf(launch, entry);
    require(bool(bytes), "parameters lie one behind the other");
    require(bool(foreign::parseBlocks("first,middle,last", launch)),
            "every grid has blocks");
  }
  return 0;
}
