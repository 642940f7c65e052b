//===- Cutensor.cpp - cuTENSOR as a contender -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CutensorApi.h"
#include "PeerTypes.h"
#include "tc/Bench/Contender.h"
#include "tc/Bench/Statistics.h"
#include "tc/Package/Geometry.h"

using namespace tc;
using namespace tc::bench;
using namespace tc::runtime;

namespace {

struct CutensorSession {
  CutensorSession(CutensorApi api, const Device &device)
      : api(std::move(api)), device(device) {}
  CutensorSession(const CutensorSession &) = delete;
  CutensorSession &operator=(const CutensorSession &) = delete;
  ~CutensorSession() {
    if (handle)
      api.destroy(handle);
  }

  CutensorApi api;
  Device device;
  void *handle = nullptr;
};

/// An object of the library, given back by its own function.
class Object {
public:
  explicit Object(int (*destroy)(void *)) : destroy(destroy) {}
  Object(Object &&other) noexcept
      : destroy(other.destroy), pointer(std::exchange(other.pointer, nullptr)) {
  }
  Object &operator=(Object &&other) noexcept {
    std::swap(destroy, other.destroy);
    std::swap(pointer, other.pointer);
    return *this;
  }
  ~Object() {
    if (pointer)
      destroy(pointer);
  }
  void **out() { return &pointer; }
  void *get() const { return pointer; }

private:
  int (*destroy)(void *);
  void *pointer = nullptr;
};

/// The choices with which a plan is asked for.
struct PlanChoice {
  int algorithm = AlgorithmDefault;
  /// Place in the order of the library's model, the best being 0.
  int32_t kernelRank = 0;

  const char *algorithmName() const {
    switch (algorithm) {
    case AlgorithmDefaultPatient:
      return "default_patient";
    case AlgorithmGett:
      return "gett";
    case AlgorithmTgett:
      return "tgett";
    case AlgorithmTtgt:
      return "ttgt";
    default:
      return "default";
    }
  }
};

/// A plan with the workspace that it takes.
struct Plan {
  PlanChoice choice;
  Object object;
  uint64_t workspaceBytes = 0;
  std::optional<DeviceBuffer> workspace;
};

class Contraction final : public Contender {
public:
  static Result<std::unique_ptr<Contender>>
  prepare(std::shared_ptr<const CutensorSession> session, const Task &task,
          bool tunes);

  Status launch(const Operands &operands) override {
    return enqueue(*plan, operands);
  }
  Status tune(const Operands &operands, const Stopwatch &stopwatch) override;

  Json details() const override {
    Json json = {{"algorithm", plan->choice.algorithmName()},
                 {"kernel_rank", plan->choice.kernelRank},
                 {"workspace_bytes", plan->workspaceBytes}};
    if (tunes)
      json["plans_timed"] = plansTimed;
    return json;
  }

private:
  Contraction(std::shared_ptr<const CutensorSession> session, const Task &task,
              bool tunes)
      : Contender(tunes ? "cutensor-best" : "cutensor", task.definition),
        session(std::move(session)), tunes(tunes),
        operation(this->session->api.destroyOperation) {}

  const CutensorApi &api() const { return session->api; }
  Status describe(model::Precision precision);
  Result<Plan> makePlan(const PlanChoice &choice) const;
  Status enqueue(const Plan &plan, const Operands &operands) const;
  Result<double> timePlan(const Plan &plan, const Operands &operands,
                          const Stopwatch &stopwatch) const;

  std::shared_ptr<const CutensorSession> session;
  bool tunes;
  std::vector<Object> tensors;
  Object operation;
  std::optional<Plan> plan;
  int plansTimed = 0;
};

} // namespace

/// Makes the descriptors of the tensors and of the contraction.
Status Contraction::describe(model::Precision precision) {
  // Addresses from cuMemAlloc are aligned to more than that.
  constexpr uint32_t alignmentBytes = 128;
  const Kernel &kernel = definition();
  model::Contraction contraction = contractionOf(kernel);
  std::array<std::vector<int32_t>, 3> modes;
  for (size_t i = 0; i < 3; ++i) {
    const TensorArgument &tensor = kernel.tensors[i];
    for (const std::string &label : tensor.labels)
      modes[i].push_back(
          static_cast<int32_t>(contraction.find(label).value_or(0)));
    tensors.emplace_back(api().destroyTensor);
    if (Status s = api().check(
            api().createTensor(session->handle, tensors[i].out(),
                               tensor.labels.size(), tensor.extents.data(),
                               tensor.strides.data(), cudaTypeOf(tensor.type),
                               alignmentBytes),
            "cutensorCreateTensorDescriptor");
        !s)
      return s;
  }
  void *compute = api().compute32F;
  if (model::realTypeOf(kernel.accumulatorType) == model::ElementType::F64)
    compute = api().compute64F;
  else if (precision == model::Precision::TF32)
    compute = api().computeTF32;
  else if (precision != model::Precision::IEEE)
    // 3xTF32 is more precise than bf16x3, too.
    compute = api().compute3xTF32;
  void *c = tensors[2].get();
  return api().check(api().createContraction(
                         session->handle, operation.out(), tensors[0].get(),
                         modes[0].data(), cutensorIdentity, tensors[1].get(),
                         modes[1].data(), cutensorIdentity, c, modes[2].data(),
                         cutensorIdentity, c, modes[2].data(), compute),
                     "cutensorCreateContraction");
}

Result<Plan> Contraction::makePlan(const PlanChoice &choice) const {
  void *handle = session->handle;
  Object preference(api().destroyPreference);
  if (Status s =
          api().check(api().createPreference(handle, preference.out(),
                                             choice.algorithm, cutensorNoJit),
                      "cutensorCreatePlanPreference");
      !s)
    return Error{s.error()};
  if (choice.kernelRank != 0)
    if (Status s = api().check(
            api().setPreference(handle, preference.get(), cutensorKernelRank,
                                &choice.kernelRank, sizeof(choice.kernelRank)),
            "cutensorPlanPreferenceSetAttribute");
        !s)
      return Error{s.error()};
  uint64_t limit = 0;
  if (Status s = api().check(
          api().estimateWorkspace(handle, operation.get(), preference.get(),
                                  cutensorWorkspaceDefault, &limit),
          "cutensorEstimateWorkspaceSize");
      !s)
    return Error{s.error()};
  Plan made{choice, Object(api().destroyPlan), 0, std::nullopt};
  if (Status s = api().check(api().createPlan(handle, made.object.out(),
                                              operation.get(), preference.get(),
                                              limit),
                             "cutensorCreatePlan");
      !s)
    return Error{s.error()};
  if (Status s =
          api().check(api().getPlanAttribute(
                          handle, made.object.get(), cutensorRequiredWorkspace,
                          &made.workspaceBytes, sizeof(made.workspaceBytes)),
                      "cutensorPlanGetAttribute");
      !s)
    return Error{s.error()};
  if (made.workspaceBytes > 0) {
    Result<DeviceBuffer> workspace = DeviceBuffer::allocate(
        session->device, made.workspaceBytes, "cuTENSOR's workspace");
    if (!workspace)
      return Error{workspace.error()};
    made.workspace = std::move(*workspace);
  }
  return made;
}

Status Contraction::enqueue(const Plan &chosen,
                            const Operands &operands) const {
  const Kernel &kernel = definition();
  PeerScalar alpha(kernel.alpha.value, kernel.accumulatorType);
  PeerScalar beta(kernel.beta.value, kernel.accumulatorType);
  auto pointer = [](DeviceAddress address) {
    return reinterpret_cast<void *>(address);
  };
  void *workspace =
      chosen.workspace ? pointer(chosen.workspace->address()) : nullptr;
  return api().check(
      api().contract(session->handle, chosen.object.get(), alpha.address(),
                     pointer(operands[0]), pointer(operands[1]), beta.address(),
                     pointer(operands[2]), pointer(operands[2]), workspace,
                     chosen.workspaceBytes, /*stream=*/nullptr),
      "cutensorContract");
}

Result<std::unique_ptr<Contender>>
Contraction::prepare(std::shared_ptr<const CutensorSession> session,
                     const Task &task, bool tunes) {
  std::unique_ptr<Contraction> contraction(
      new Contraction(std::move(session), task, tunes));
  if (Status s = contraction->describe(task.precision); !s)
    return Error{s.error()};
  Result<Plan> plan = contraction->makePlan({});
  if (!plan)
    return Error{plan.error()};
  contraction->plan = std::move(*plan);
  return std::unique_ptr<Contender>(std::move(contraction));
}

/// Times the default plan, the one of the patient search, and of each algorithm
/// the plans that the library's model ranks highest. Plans that cannot be made
/// are passed over: the library says so by failing.
Status Contraction::tune(const Operands &operands, const Stopwatch &stopwatch) {
  if (!tunes)
    return {};
  constexpr int32_t maxRanks = 8;
  std::optional<double> least;
  for (int algorithm : {AlgorithmDefault, AlgorithmDefaultPatient,
                        AlgorithmGett, AlgorithmTgett, AlgorithmTtgt}) {
    bool isSearch =
        algorithm == AlgorithmDefault || algorithm == AlgorithmDefaultPatient;
    for (int32_t rank = 0; rank < (isSearch ? 1 : maxRanks); ++rank) {
      Result<Plan> candidate = makePlan({algorithm, rank});
      if (!candidate)
        break;
      Result<double> seconds = timePlan(*candidate, operands, stopwatch);
      if (!seconds)
        return Error{seconds.error()};
      ++plansTimed;
      if (!least || *seconds < *least) {
        least = *seconds;
        plan = std::move(*candidate);
      }
    }
  }
  return {};
}

/// The median of a few runs.
Result<double> Contraction::timePlan(const Plan &timed,
                                     const Operands &operands,
                                     const Stopwatch &stopwatch) const {
  constexpr int runs = 3;
  std::vector<double> samples;
  for (int i = 0; i < runs; ++i) {
    Result<double> seconds =
        stopwatch([&] { return enqueue(timed, operands); });
    if (!seconds)
      return Error{seconds.error()};
    samples.push_back(*seconds);
  }
  return summarize(samples).median;
}

namespace {

class Cutensor final : public Peer {
public:
  Cutensor(std::shared_ptr<const CutensorSession> session, bool tunes)
      : session(std::move(session)), tunes(tunes) {}

  std::string version() const override {
    if (!session->api.getVersion)
      return "";
    // 10000 times major plus 100 times minor plus patch.
    size_t number = session->api.getVersion();
    return std::to_string(number / 10000) + "." +
           std::to_string(number / 100 % 100) + "." +
           std::to_string(number % 100);
  }
  std::string file() const override { return session->api.file; }

  Result<std::unique_ptr<Contender>> prepare(const Task &task) override {
    return Contraction::prepare(session, task, tunes);
  }

private:
  std::shared_ptr<const CutensorSession> session;
  bool tunes;
};

} // namespace

Result<std::unique_ptr<Peer>>
bench::openCutensor(const Device &device, const std::string &path, bool tunes) {
  Result<CutensorApi> api = CutensorApi::load(path);
  if (!api)
    return Error{api.error()};
  auto session = std::make_shared<CutensorSession>(std::move(*api), device);
  if (Status s = session->api.check(session->api.create(&session->handle),
                                    "cutensorCreate");
      !s)
    return Error{session->api.file + ": " + s.error()};
  return std::unique_ptr<Peer>(
      std::make_unique<Cutensor>(std::move(session), tunes));
}
