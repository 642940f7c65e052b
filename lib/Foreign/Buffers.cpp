//===- Buffers.cpp - Initial contents of buffers --------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Foreign/Numpy.h"

#include "tc/Foreign/Simulation.h"
#include "tc/Support/Files.h"

#include <cmath>
#include <limits>

using namespace tc;
using namespace tc::foreign;
using runtime::HostTensor;

Result<NumpyArray> tc::foreign::loadArray(const std::string &folder,
                                          const std::string &path,
                                          const runtime::TensorArgument &like) {
  Result<std::string> contents = readFileBeneath(folder, path);
  if (!contents)
    return Error{contents.error()};
  Result<NumpyArray> array = NumpyArray::parse(std::move(*contents), path);
  if (!array)
    return array;
  if (array->shape() != like.extents)
    return Error{path + ": does not have the shape of buffer \"" + like.name +
                 "\""};
  if (array->isComplex() != model::isComplex(like.type))
    return Error{path + ": " +
                 (array->isComplex() ? "is complex, and buffer \""
                                     : "is real, and buffer \"") +
                 like.name + "\" is not"};
  return array;
}

/// The number as an element of a type. Floats are rounded to the nearest;
/// integers must be exact.
template <typename T> static bool convert(long double number, T &element) {
  if constexpr (std::is_integral_v<T>) {
    using Limits = std::numeric_limits<T>;
    if (!(number >= static_cast<long double>(Limits::min()) &&
          number <= static_cast<long double>(Limits::max())) ||
        number != std::floor(number))
      return false;
    element = static_cast<T>(number);
  } else {
    element = static_cast<T>(static_cast<double>(number));
  }
  return true;
}

/// Gives each element the number that `numberOf` has for its place in the order
/// of the last index fastest; the place of the first that its type does not
/// hold.
template <typename NumberOf>
static std::optional<int64_t> fill(HostTensor &tensor, NumberOf numberOf) {
  std::optional<int64_t> wrong;
  runtime::dispatch(tensor.type(), [&](auto zero) {
    using T = decltype(zero);
    int64_t place = 0;
    runtime::forEachPosition(
        tensor.geometry(), 0, tensor.geometry().elements(),
        [&](int64_t position) {
          if (!convert<T>(numberOf(place), tensor.as<T>()[position]) && !wrong)
            wrong = place;
          ++place;
        });
  });
  tensor.keepAsInitial();
  return wrong;
}

namespace {

/// Puts the contents of a fill into a buffer.
class Filler {
public:
  Filler(HostTensor &tensor, const Buffer &buffer, uint64_t seed,
         uint32_t stream, const std::string &folder)
      : tensor(tensor), buffer(buffer), random(seed, stream), folder(folder) {}

  Status operator()(const RandomFill &) { return {}; }
  Status operator()(const IntegerFill &range) {
    auto count = static_cast<uint64_t>(range.high - range.low) + 1;
    return judge(fill(tensor, [&](int64_t place) {
      auto offset = static_cast<int64_t>(random.bits(uint64_t(place)) % count);
      return static_cast<long double>(range.low + offset);
    }));
  }
  Status operator()(const ConstantFill &constant) {
    return judge(fill(tensor, [&](int64_t) {
      return static_cast<long double>(constant.value);
    }));
  }
  Status operator()(const FileFill &file) {
    Result<NumpyArray> array = loadArray(folder, file.path, buffer.tensor);
    if (!array)
      return Error{array.error()};
    return judge(fill(tensor, [&](int64_t place) { return array->at(place); }));
  }

private:
  Status judge(std::optional<int64_t> wrong) {
    if (!wrong)
      return {};
    return Error{"buffer \"" + buffer.tensor.name + "\": element " +
                 std::to_string(*wrong) + " of what it is filled with is no " +
                 std::string(model::stringify(buffer.tensor.type))};
  }

  HostTensor &tensor;
  const Buffer &buffer;
  runtime::Random random;
  const std::string &folder;
};

} // namespace

Result<HostTensor> tc::foreign::makeTensor(const Buffer &buffer, uint64_t seed,
                                           uint32_t stream,
                                           const std::string &folder,
                                           unsigned workers) {
  Result<HostTensor> tensor =
      HostTensor::create(buffer.tensor,
                         buffer.tensor.isRead ? runtime::Contents::Random
                                              : runtime::Contents::Poison,
                         runtime::Random(seed, stream), workers);
  if (!tensor || !buffer.tensor.isRead)
    return tensor;
  if (Status status = std::visit(Filler(*tensor, buffer, seed, stream, folder),
                                 buffer.fill);
      !status)
    return Error{status.error()};
  return tensor;
}
