//===- FuzzInterface.cpp - Fuzz target: the C interface ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Any bytes, read as a sequence of calls: objects are made, used, misused and
// destroyed in any order, with arguments that are right, NULL or nonsense. Each
// call succeeds, or fails with one line. Operands of contractions are as large
// as the shapes say.
//
//===----------------------------------------------------------------------===//

#include "Require.h"

#include "tc-c/Contraction.h"
#include "tc-c/Package.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

using namespace tc::fuzz;

namespace {

/// The input, which yields zeros where it ends.
class Bytes {
public:
  Bytes(const uint8_t *data, size_t size) : data(data), size(size) {}

  bool empty() const { return position >= size; }
  uint8_t next() { return empty() ? 0 : data[position++]; }
  size_t below(size_t bound) { return next() % bound; }
  /// One in eight.
  bool rarely() { return next() < 32; }

  template <typename T, size_t count> const T &oneOf(const T (&values)[count]) {
    return values[below(count)];
  }

  std::string text() {
    std::string result;
    for (size_t left = below(24); left > 0; --left)
      result += static_cast<char>(next());
    return result;
  }

private:
  const uint8_t *data;
  size_t size, position = 0;
};

/// A tensor with the arrays that its description points to.
struct Tensor {
  TcTensor description = {};
  std::vector<int64_t> extents, strides;

  /// Bytes from the first element to the end of the last one; 0 if a buffer
  /// cannot be made.
  size_t bytes() const {
    int64_t last = 0;
    for (size_t i = 0; i < extents.size(); ++i) {
      if (extents[i] < 1 || extents[i] > 64)
        return 0;
      if (!strides.empty() && (strides[i] < 0 || strides[i] > 4096))
        return 0;
      last += (extents[i] - 1) * (strides.empty() ? 0 : strides[i]);
    }
    if (strides.empty()) {
      last = 1;
      for (int64_t extent : extents)
        last *= extent;
      --last;
    }
    return (last + 1) * tcElementTypeGetBytes(description.type);
  }
};

struct Contraction {
  TcContraction *handle;
  std::array<size_t, 3> bytes;
};

const char *const specs[] = {"ij,jk->ik", "ik,kj->ij", "bij,bjk->bik",
                             "i,j->ij",   "ij->i",     "ijk,kj->i",
                             "ii,i->",    "i",         "ij,jk->ii",
                             "",          "->",        "a...,a->..."};

const char *const optionValues[][2] = {{"target", "cpu"},
                                       {"target", "sm_90"},
                                       {"target", "sm_75"},
                                       {"target", "sm_1"},
                                       {"threads", "1"},
                                       {"threads", "3"},
                                       {"threads", "-1"},
                                       {"strategy", "ttgt"},
                                       {"strategy", "loop_over_gemm"},
                                       {"strategy", "gett"},
                                       {"workspace-limit", "0"},
                                       {"precision", "tf32"},
                                       {"precision", "3xtf32"},
                                       {"semiring", "max_plus"},
                                       {"semiring", "xor_and"},
                                       {"product", "abs(x - y)"},
                                       {"combine", "max(x, y)"},
                                       {"identity", "-inf"},
                                       {"alpha", "2"},
                                       {"alpha", "argument"},
                                       {"alpha", "1.5"},
                                       {"alpha", "1e300"},
                                       {"beta", "1"},
                                       {"beta", "argument"},
                                       {"beta", "1-2i"},
                                       {"conjugate-a", "true"},
                                       {"allow-three-products", "true"},
                                       {"dynamic-shapes", "true"},
                                       {"offset-a", "3"},
                                       {"offset-b", "99"},
                                       {"prologue-a", "relu(x)"},
                                       {"prologue-b", "gelu(x)"},
                                       {"epilogue", "x + c"},
                                       {"epilogue", "relu(x + bias[i])"},
                                       {"epilogue", "x * bias[i] + row[k]"},
                                       {"name", "memcpy"},
                                       {"name", "WARP_SZ"},
                                       {"name", "__nv_exp"},
                                       {"name", ""},
                                       {"cache-size", "0"},
                                       {"schedule", "target = \"sm_90\""}};

/// The objects that are alive, and the calls on them.
class Session {
public:
  explicit Session(Bytes bytes) : bytes(bytes) {}
  ~Session() {
    for (TcOptions *options : allOptions)
      tcOptionsDestroy(options);
    for (Contraction &contraction : contractions)
      tcContractionDestroy(contraction.handle);
    for (TcPackage *package : packages)
      tcPackageDestroy(package);
  }

  void run() {
    while (!bytes.empty())
      call();
  }

private:
  void call();
  void setOption();
  void compile();
  void runContraction();
  void getArtifact();
  void makePackage();
  void askPackage();
  void destroy();
  void askTypes();

  /// Takes the outcome of a call.
  static bool succeeded(TcError *error) {
    if (!error)
      return true;
    std::string message = tcErrorGetMessage(error);
    require(tcErrorGetCode(error) > 0, "an error has a code");
    require(!message.empty(), "an error has a message");
    require(message.find('\n') == std::string::npos, message.c_str());
    require(message.size() < 4096, "a message is not endless");
    tcErrorDestroy(error);
    return false;
  }

  template <typename T> T *any(const std::vector<T *> &objects) {
    return objects.empty() || bytes.rarely()
               ? nullptr
               : objects[bytes.below(objects.size())];
  }
  Contraction anyContraction() {
    return contractions.empty() || bytes.rarely()
               ? Contraction{nullptr, {}}
               : contractions[bytes.below(contractions.size())];
  }
  Tensor anyTensor();
  int32_t anyNumber() {
    static constexpr int32_t numbers[] = {0, 0, 0,  1,         1,        2,
                                          3, 7, -1, INT32_MAX, INT32_MIN};
    return bytes.oneOf(numbers);
  }

  Bytes bytes;
  std::vector<TcOptions *> allOptions;
  std::vector<Contraction> contractions;
  std::vector<TcPackage *> packages;
};

} // namespace

Tensor Session::anyTensor() {
  Tensor tensor;
  static constexpr int64_t likely[] = {1, 2, 3, 3, 4, 5, 8, 17};
  static constexpr int64_t strange[] = {0, -1, 1000000007, INT64_MAX,
                                        INT64_MIN};
  size_t rank = bytes.below(4);
  for (size_t i = 0; i < rank; ++i)
    tensor.extents.push_back(bytes.rarely() && bytes.rarely()
                                 ? bytes.oneOf(strange)
                                 : bytes.oneOf(likely));
  if (bytes.rarely())
    for (size_t i = 0; i < rank; ++i)
      tensor.strides.push_back(bytes.rarely() ? bytes.oneOf(strange)
                                              : 17 * bytes.oneOf(likely));
  tensor.description.type =
      bytes.rarely() ? anyNumber() : static_cast<int32_t>(1 + bytes.below(11));
  tensor.description.rank =
      bytes.rarely() && bytes.rarely() ? anyNumber() : static_cast<int>(rank);
  // As many as are said to be there.
  if (tensor.description.rank > static_cast<int>(rank))
    tensor.description.rank = static_cast<int>(rank);
  tensor.description.extents = tensor.extents.data();
  if (!tensor.strides.empty())
    tensor.description.strides = tensor.strides.data();
  return tensor;
}

void Session::setOption() {
  TcOptions *options = any(allOptions);
  if (bytes.rarely()) {
    Tensor auxiliary = anyTensor();
    static const char *const names[] = {"bias", "row", "", "x"};
    (void)succeeded(tcOptionsSetAuxiliary(
        options, bytes.rarely() ? nullptr : bytes.oneOf(names),
        bytes.rarely() ? nullptr : &auxiliary.description));
    return;
  }
  auto [key, value] = bytes.oneOf(optionValues);
  std::string text = bytes.rarely() ? bytes.text() : value;
  (void)succeeded(tcOptionsSet(options, bytes.rarely() ? nullptr : key,
                               bytes.rarely() ? nullptr : text.c_str()));
}

void Session::compile() {
  TcContraction *made = nullptr;
  TcContraction **place = bytes.rarely() ? nullptr : &made;
  std::string spec = bytes.rarely() ? bytes.text() : bytes.oneOf(specs);
  const char *given = bytes.rarely() ? nullptr : spec.c_str();
  if (bytes.rarely()) {
    static const char *const notations[] = {"einsum", "tccg", "cogent", "mlir"};
    if (succeeded(tcContractionCompileText(given, bytes.oneOf(notations),
                                           any(allOptions), place)))
      contractions.push_back({made, {}});
    return;
  }
  Tensor tensors[3] = {anyTensor(), anyTensor(), anyTensor()};
  // Mostly matrices that fit one another.
  if (!bytes.rarely()) {
    int32_t type = static_cast<int32_t>(1 + bytes.below(11));
    int64_t extent = 1 + static_cast<int64_t>(bytes.below(20));
    for (Tensor &tensor : tensors) {
      tensor.extents = {extent, extent};
      tensor.strides.clear();
      tensor.description = {type, 2, tensor.extents.data(), nullptr};
    }
    given = "ij,jk->ik";
  }
  TcTensor descriptions[3];
  std::array<size_t, 3> sizes;
  for (size_t i = 0; i < 3; ++i) {
    descriptions[i] = tensors[i].description;
    sizes[i] = tensors[i].bytes();
  }
  if (succeeded(tcContractionCompile(given,
                                     bytes.rarely() ? nullptr : descriptions,
                                     any(allOptions), place)))
    contractions.push_back({made, sizes});
}

void Session::runContraction() {
  Contraction contraction = anyContraction();
  std::array<std::vector<uint8_t>, 3> buffers;
  std::array<void *, 3> pointers;
  bool isWhole = true;
  for (size_t i = 0; i < 3; ++i) {
    isWhole &= contraction.bytes[i] > 0;
    buffers[i].resize(contraction.bytes[i], bytes.next());
    pointers[i] = bytes.rarely() || !isWhole ? nullptr : buffers[i].data();
  }
  alignas(16) uint8_t factor[16] = {1};
  const void *alpha = bytes.rarely() ? factor : nullptr;
  const void *beta = bytes.rarely() ? factor : nullptr;
  // The auxiliaries' buffers are unknown, so that they are given as NULL only.
  TcAuxiliary auxiliaries[2] = {{"bias", nullptr}, {nullptr, nullptr}};
  switch (bytes.below(3)) {
  case 0:
    (void)succeeded(tcContractionRun(contraction.handle, pointers[0],
                                     pointers[1], pointers[2], alpha, beta));
    break;
  case 1:
    (void)succeeded(tcContractionRunWithAuxiliaries(
        contraction.handle, pointers[0], pointers[1], pointers[2], alpha, beta,
        bytes.rarely() ? nullptr : auxiliaries, anyNumber() % 3));
    break;
  default:
    (void)succeeded(tcContractionLaunch(
        contraction.handle, pointers[0], pointers[1], pointers[2], alpha, beta,
        bytes.rarely() ? nullptr : auxiliaries, anyNumber() % 3, nullptr));
  }
}

void Session::getArtifact() {
  Contraction contraction = anyContraction();
  const char *data = nullptr;
  size_t size = 0;
  if (succeeded(tcContractionGet(
          contraction.handle,
          bytes.rarely() ? anyNumber()
                         : static_cast<TcArtifact>(1 + bytes.below(12)),
          bytes.rarely() ? nullptr : &data,
          bytes.rarely() ? nullptr : &size)) &&
      data && size)
    require(memchr(data, 0, size) == nullptr || size > 16, "data are there");
  (void)tcContractionGetScalarType(contraction.handle);
  for (int32_t i = tcContractionGetAuxiliaryCount(contraction.handle); i-- > 0;)
    require(tcContractionGetAuxiliaryName(contraction.handle, i),
            "an auxiliary tensor is named");
  (void)tcContractionGetAuxiliaryName(contraction.handle, anyNumber());
}

void Session::makePackage() {
  Contraction contraction = anyContraction();
  const char *description = nullptr, *code = nullptr;
  size_t descriptionBytes = 0, codeBytes = 0;
  if (!succeeded(tcContractionGet(contraction.handle, TC_ARTIFACT_PACKAGE,
                                  &description, &descriptionBytes)) ||
      !succeeded(tcContractionGet(contraction.handle, TC_ARTIFACT_PTX, &code,
                                  &codeBytes)))
    return;
  // Spoilt in a place or two, now and then.
  std::string text(description, descriptionBytes);
  for (size_t left = bytes.below(3); left > 0 && !text.empty(); --left)
    text[(bytes.next() * 256 + bytes.next()) % text.size()] =
        static_cast<char>(bytes.next());
  TcPackage *package = nullptr;
  if (succeeded(tcPackageCreate(bytes.rarely() ? nullptr : text.c_str(),
                                bytes.rarely() ? nullptr : code,
                                bytes.rarely() ? codeBytes / 2 : codeBytes,
                                bytes.rarely() ? nullptr : &package)) &&
      package)
    packages.push_back(package);
}

void Session::askPackage() {
  TcPackage *package = any(packages);
  (void)tcPackageGetDescription(package);
  (void)tcPackageGetTarget(package);
  int32_t kernel = anyNumber();
  (void)tcPackageGetKernelName(package, kernel);
  for (int32_t i = tcPackageGetTensorCount(package, kernel); i-- > 0;)
    require(tcPackageGetTensor(package, kernel, i), "a tensor is there");
  (void)tcPackageGetTensor(package, kernel, anyNumber());
  (void)tcPackageGetScalarType(package, kernel);
  (void)tcPackageTakesAlpha(package, kernel);
  (void)tcPackageTakesBeta(package, kernel);
  void *tensors[4] = {};
  int32_t count = anyNumber() % 5;
  (void)succeeded(tcPackageLaunch(package, kernel,
                                  bytes.rarely() ? nullptr : tensors, count,
                                  nullptr, nullptr, nullptr));
  TcTensorShape shapes[4] = {};
  (void)succeeded(tcPackageLaunchShaped(
      package, kernel, bytes.rarely() ? nullptr : tensors, count,
      bytes.rarely() ? nullptr : shapes, nullptr, nullptr, nullptr));
}

void Session::destroy() {
  switch (bytes.below(4)) {
  case 0:
    if (TcOptions *options = any(allOptions)) {
      tcOptionsDestroy(options);
      allOptions.erase(
          std::find(allOptions.begin(), allOptions.end(), options));
    }
    break;
  case 1:
    if (!contractions.empty()) {
      size_t number = bytes.below(contractions.size());
      tcContractionDestroy(contractions[number].handle);
      contractions.erase(contractions.begin() + number);
    }
    break;
  case 2:
    if (TcPackage *package = any(packages)) {
      tcPackageDestroy(package);
      packages.erase(std::find(packages.begin(), packages.end(), package));
    }
    break;
  default:
    tcOptionsDestroy(nullptr);
    tcContractionDestroy(nullptr);
    tcPackageDestroy(nullptr);
    tcErrorDestroy(nullptr);
  }
}

void Session::askTypes() {
  int32_t a = anyNumber(), b = static_cast<int32_t>(bytes.below(14));
  (void)tcElementTypeGetName(a);
  (void)tcElementTypeGetBytes(a);
  (void)tcElementTypeGetCommon(a, b);
  (void)tcElementTypeGetSum(b);
  alignas(16) uint8_t one[16];
  static const char *const semirings[] = {"plus_times", "min_max", "", "x"};
  (void)succeeded(
      tcSemiringGetOne(bytes.rarely() ? nullptr : bytes.oneOf(semirings), b,
                       bytes.rarely() ? nullptr : one));
  int32_t ranks[3] = {anyNumber(), anyNumber(), anyNumber()};
  char buffer[16];
  size_t length = 0;
  std::string spec = bytes.rarely() ? bytes.text() : bytes.oneOf(specs);
  (void)succeeded(tcSubscriptsExpand(
      bytes.rarely() ? nullptr : spec.c_str(), bytes.rarely() ? nullptr : ranks,
      std::min(anyNumber(), 3), bytes.rarely() ? nullptr : buffer,
      sizeof(buffer), bytes.rarely() ? nullptr : &length));
  (void)tcTargetForCapability(anyNumber());
}

void Session::call() {
  switch (bytes.below(12)) {
  case 0: {
    TcOptions *options = nullptr;
    TcOptions **place = bytes.rarely() ? nullptr : &options;
    if (succeeded(tcOptionsCreate(place))) {
      // Code must not come from what other sessions have stored.
      (void)succeeded(tcOptionsSet(options, "cache", "off"));
      allOptions.push_back(options);
    }
    break;
  }
  case 1:
  case 2:
  case 3:
    return setOption();
  case 4:
  case 5:
    return compile();
  case 6:
  case 7:
    return runContraction();
  case 8:
    return getArtifact();
  case 9:
    makePackage();
    return askPackage();
  case 10:
    return destroy();
  default:
    return askTypes();
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // A call takes some bytes, and compiling some milliseconds.
  Session(Bytes(data, std::min<size_t>(size, 512))).run();
  return 0;
}
