//===- FakeContraction.h - Contractions of the fake libraries ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// C = alpha * sum A * B + beta * C on memory of the fake driver, one term after
// the other, in f64 and f32.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_FAKECUDA_FAKECONTRACTION_H
#define TC_TEST_FAKECUDA_FAKECONTRACTION_H

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

// Of the fake driver, which the fake libraries are linked with.
extern "C" int cuMemcpyDtoH_v2(void *to, unsigned long long from, size_t bytes);
extern "C" int cuMemcpyHtoD_v2(unsigned long long to, const void *from,
                               size_t bytes);

namespace tc::fake {

struct Mode {
  int32_t name;
  int64_t extent, stride;
};

struct Tensor {
  std::vector<Mode> modes;
  const void *address = nullptr;

  int64_t elements() const {
    int64_t last = 0;
    for (const Mode &mode : modes)
      last += (mode.extent - 1) * mode.stride;
    return last + 1;
  }
  int64_t strideOf(int32_t name) const {
    int64_t stride = 0;
    for (const Mode &mode : modes)
      if (mode.name == name)
        stride += mode.stride;
    return stride;
  }
};

/// Appends the name of a call to FAKE_CUDA_LOG, as the driver does, and tells
/// whether FAKE_PEER_FAIL asks for it to fail.
inline bool fails(const char *call) {
  if (const char *path = std::getenv("FAKE_CUDA_LOG"))
    if (std::FILE *log = std::fopen(path, "a")) {
      std::fprintf(log, "%s\n", call);
      std::fclose(log);
    }
  const char *failing = std::getenv("FAKE_PEER_FAIL");
  return failing && std::string(failing) == call;
}

/// Returns whether the driver knows the memory. With FAKE_PEER_SPOIL=CALL the
/// result of that call is wrong.
template <typename T>
bool contract(const char *call, T alpha, const Tensor &a, const Tensor &b,
              T beta, const Tensor &c) {
  auto fetch = [](const Tensor &tensor, std::vector<T> &host) {
    host.resize(tensor.elements());
    return cuMemcpyDtoH_v2(host.data(),
                           reinterpret_cast<unsigned long long>(tensor.address),
                           host.size() * sizeof(T)) == 0;
  };
  std::vector<T> hostA, hostB, hostC;
  if (!fetch(a, hostA) || !fetch(b, hostB) || !fetch(c, hostC))
    return false;
  std::map<int32_t, int64_t> extents;
  for (const Tensor *tensor : {&a, &b, &c})
    for (const Mode &mode : tensor->modes)
      extents[mode.name] = mode.extent;
  struct Index {
    int64_t extent, a, b, c, value;
  };
  std::vector<Index> indices;
  for (auto [name, extent] : extents)
    indices.push_back(
        {extent, a.strideOf(name), b.strideOf(name), c.strideOf(name), 0});
  // Elements are not read if beta is zero.
  for (T &element : hostC)
    element = beta == 0 ? T(0) : beta * element;
  for (;;) {
    int64_t atA = 0, atB = 0, atC = 0;
    for (const Index &index : indices) {
      atA += index.value * index.a;
      atB += index.value * index.b;
      atC += index.value * index.c;
    }
    hostC[atC] += alpha * hostA[atA] * hostB[atB];
    size_t i = 0;
    while (i < indices.size() && ++indices[i].value == indices[i].extent)
      indices[i++].value = 0;
    if (i == indices.size())
      break;
  }
  const char *spoiled = std::getenv("FAKE_PEER_SPOIL");
  if (spoiled && std::string(spoiled) == call)
    hostC[0] += 1;
  return cuMemcpyHtoD_v2(reinterpret_cast<unsigned long long>(c.address),
                         hostC.data(), hostC.size() * sizeof(T)) == 0;
}

/// The same with scalars behind pointers, by the number of the element type (1
/// for f64, 0 for f32).
inline bool contract(const char *call, int type, const void *alpha,
                     const Tensor &a, const Tensor &b, const void *beta,
                     const Tensor &c) {
  if (type == 1)
    return contract(call, *static_cast<const double *>(alpha), a, b,
                    *static_cast<const double *>(beta), c);
  return type == 0 && contract(call, *static_cast<const float *>(alpha), a, b,
                               *static_cast<const float *>(beta), c);
}

} // namespace tc::fake

#endif // TC_TEST_FAKECUDA_FAKECONTRACTION_H
