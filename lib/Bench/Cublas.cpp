//===- Cublas.cpp - cuBLAS as a contender -----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Own declarations; names, signatures and values are those of the cuBLAS
// library's documentation.
//
//===----------------------------------------------------------------------===//

#include "DynamicLibrary.h"
#include "PeerTypes.h"
#include "tc/Bench/Contender.h"
#include "tc/Package/Geometry.h"

#include <limits>

using namespace tc;
using namespace tc::bench;
using namespace tc::runtime;

namespace {

/// Calls X(member, symbol, parameters) for every function in use.
#define TC_CUBLAS_FUNCTIONS(X)                                                 \
  X(create, cublasCreate_v2, (void **))                                        \
  X(destroy, cublasDestroy_v2, (void *))                                       \
  X(getVersion, cublasGetVersion_v2, (void *, int *))                          \
  X(gemmStridedBatched, cublasGemmStridedBatchedEx,                            \
    (void *, int, int, int, int, int, const void *, const void *, int, int,    \
     long long, const void *, int, int, long long, const void *, void *, int,  \
     int, long long, int, int, int))

struct CublasApi {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a declaration.
#define TC_CUBLAS_MEMBER(member, symbol, parameters) int(*member) parameters;
  TC_CUBLAS_FUNCTIONS(TC_CUBLAS_MEMBER)
#undef TC_CUBLAS_MEMBER
  const char *(*getStatusString)(int) = nullptr;
  std::string file;

  static Result<CublasApi> load(const std::string &path) {
    Result<DynamicLibrary> library = DynamicLibrary::open(
        path.empty()
            ? std::vector<std::string>{"libcublas.so.13", "libcublas.so.12",
                                       "libcublas.so"}
            : std::vector<std::string>{path});
    if (!library)
      return Error{library.error()};
    CublasApi api;
    api.file = library->name();
#define TC_CUBLAS_LOAD(member, symbol, parameters)                             \
  api.member = reinterpret_cast<decltype(api.member)>(library->find(#symbol)); \
  if (!api.member)                                                             \
    return Error{api.file + ": has no " #symbol};
    TC_CUBLAS_FUNCTIONS(TC_CUBLAS_LOAD)
#undef TC_CUBLAS_LOAD
    api.getStatusString = reinterpret_cast<decltype(api.getStatusString)>(
        library->find("cublasGetStatusString"));
    return api;
  }

  Status check(int status, const char *call) const {
    if (status == 0)
      return {};
    std::string text = std::string(call) + ": ";
    if (const char *name = getStatusString ? getStatusString(status) : nullptr)
      return Error{text + name};
    return Error{text + "status " + std::to_string(status)};
  }
};

/// A library with its handle.
struct CublasSession {
  explicit CublasSession(CublasApi api) : api(std::move(api)) {}
  CublasSession(const CublasSession &) = delete;
  CublasSession &operator=(const CublasSession &) = delete;
  ~CublasSession() {
    if (handle)
      api.destroy(handle);
  }

  CublasApi api;
  void *handle = nullptr;
};

/// Values of cublasComputeType_t.
enum ComputeType : int {
  Compute32F = 68,
  Compute64F = 70,
  Compute32FFastTF32 = 77,
};

class MatrixProduct final : public Contender {
public:
  MatrixProduct(std::shared_ptr<const CublasSession> session, Kernel product,
                model::Precision precision)
      : Contender("cublas", std::move(product)), session(std::move(session)) {
    const Kernel &definition = this->definition();
    const auto &[a, b, c] = definition.tensors;
    m = static_cast<int>(a.extents[0]);
    k = static_cast<int>(a.extents[1]);
    n = static_cast<int>(b.extents[1]);
    batch = static_cast<int>(c.extents[2]);
    compute = Compute32F;
    if (model::realTypeOf(definition.accumulatorType) ==
        model::ElementType::F64)
      compute = Compute64F;
    else if (precision == model::Precision::TF32)
      compute = Compute32FFastTF32;
  }

  bool computesTheCase() const override { return false; }

  Status launch(const Operands &operands) override {
    constexpr int noTranspose = 0, defaultAlgorithm = -1;
    const Kernel &product = definition();
    int type = cudaTypeOf(product.tensors[0].type);
    PeerScalar alpha(product.alpha.value, product.accumulatorType);
    PeerScalar beta(product.beta.value, product.accumulatorType);
    auto pointer = [](DeviceAddress address) {
      return reinterpret_cast<void *>(address);
    };
    return session->api.check(
        session->api.gemmStridedBatched(
            session->handle, noTranspose, noTranspose, m, n, k, alpha.address(),
            pointer(operands[0]), type, m, int64_t(m) * k, pointer(operands[1]),
            type, k, int64_t(k) * n, beta.address(), pointer(operands[2]),
            cudaTypeOf(product.tensors[2].type), m, int64_t(m) * n, batch,
            compute, defaultAlgorithm),
        "cublasGemmStridedBatchedEx");
  }

  Json details() const override {
    return {{"m", m}, {"n", n}, {"k", k}, {"batch", batch}};
  }

private:
  std::shared_ptr<const CublasSession> session;
  int m, n, k, batch;
  ComputeType compute;
};

class Cublas final : public Peer {
public:
  explicit Cublas(std::shared_ptr<const CublasSession> session, int version)
      : session(std::move(session)), number(version) {}

  std::string version() const override {
    // 10000 times major plus 100 times minor plus patch.
    return std::to_string(number / 10000) + "." +
           std::to_string(number / 100 % 100) + "." +
           std::to_string(number % 100);
  }
  std::string file() const override { return session->api.file; }

  Result<std::unique_ptr<Contender>> prepare(const Task &task) override {
    Result<Kernel> product = matrixProductOf(task.definition);
    if (!product)
      return Error{product.error()};
    for (const TensorArgument &tensor : product->tensors)
      for (int64_t extent : tensor.extents)
        if (extent > std::numeric_limits<int>::max())
          return Error{"an extent of the matrix product is " +
                       std::to_string(extent) + ", more than an int holds"};
    return std::unique_ptr<Contender>(std::make_unique<MatrixProduct>(
        session, std::move(*product), task.precision));
  }

private:
  std::shared_ptr<const CublasSession> session;
  int number;
};

} // namespace

Result<std::unique_ptr<Peer>> bench::openCublas(const Device &device,
                                                const std::string &path) {
  Result<CublasApi> api = CublasApi::load(path);
  if (!api)
    return Error{api.error()};
  auto session = std::make_shared<CublasSession>(std::move(*api));
  // The handle belongs to the context that is current: the device's.
  if (Status s = session->api.check(session->api.create(&session->handle),
                                    "cublasCreate");
      !s)
    return Error{session->api.file + ": " + s.error()};
  int version = 0;
  if (Status s =
          session->api.check(session->api.getVersion(session->handle, &version),
                             "cublasGetVersion");
      !s)
    return Error{session->api.file + ": " + s.error()};
  return std::unique_ptr<Peer>(
      std::make_unique<Cublas>(std::move(session), version));
}
