//===- FusedKernelTest.cpp - Kernels with fused code, executed ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles matrix products with fused code and runs them in the simulator. All
// numbers are small integers or halves of them, so that sums are exact and
// results have to be equal to those worked out here.
//
//===----------------------------------------------------------------------===//

#include "SimulatedKernel.h"

#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/InitAll.h"
#include "tc/Target/PTX/PTXExport.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include "gtest/gtest.h"

#include <functional>
#include <limits>

using namespace tc;
using namespace tc::model;
using namespace tc::model::test;

namespace {

struct Extents {
  int64_t m, n, k;
};

/// A tensor besides A, B and C, with some of C's indices.
struct Side {
  std::string labels; ///< "", "m", "n", "mn" or "nm"
  std::vector<float> data;

  float at(const Extents &extents, int64_t m, int64_t n) const {
    int64_t position = 0;
    for (char label : labels)
      position = position * (label == 'm' ? extents.m : extents.n) +
                 (label == 'm' ? m : n);
    return data[static_cast<size_t>(position)];
  }
};

/// The code around the matrix product, as text of the operation and as C++.
struct Fusion {
  std::string epilogue;
  std::vector<std::string> auxiliaries;
  std::function<float(float sum, float old,
                      const std::vector<float> &auxiliaries)>
      result;
  /// Bytes that are loaded of each auxiliary tensor for one vector of four
  /// numbers of C that is stored.
  std::vector<uint64_t> sideBytes;
  bool readsC = false;
  std::string prologueA = {}, prologueB = {};
  std::function<float(float)> factorA = {}, factorB = {};
  bool bytesInB = false; ///< elements of B are i8
};

float number(int64_t position, int64_t salt) {
  return static_cast<float>((position * 7 + salt * 13) % 11 - 5);
}

std::vector<float> numbers(int64_t count, int64_t salt) {
  std::vector<float> result;
  for (int64_t i = 0; i < count; ++i)
    result.push_back(number(i, salt));
  return result;
}

int64_t sizeOf(const std::string &labels, const Extents &extents) {
  int64_t size = 1;
  for (char label : labels)
    size *= label == 'm' ? extents.m : extents.n;
  return size;
}

std::string memrefOf(const std::string &labels, const Extents &extents,
                     const std::string &type = "f32") {
  std::string shape;
  for (char label : labels)
    shape += std::to_string(label == 'm'   ? extents.m
                            : label == 'n' ? extents.n
                                           : extents.k) +
             "x";
  return "memref<" + shape + type + ">";
}

std::string listOf(const std::string &labels) {
  std::string list;
  for (char label : labels)
    list += (list.empty() ? "" : ", ") + std::string(1, label);
  return "[" + list + "]";
}

std::string moduleText(const Extents &extents, const Fusion *fusion,
                       const std::string &schedule) {
  std::string typeB = fusion && fusion->bytesInB ? "i8" : "f32";
  std::string a = memrefOf("mk", extents), b = memrefOf("kn", extents, typeB),
              c = memrefOf("mn", extents);
  std::string parameters = "%A: " + a + ", %B: " + b + ", %C: " + c;
  std::string auxiliaries, arguments = "%sum: f32, %old: f32";
  if (fusion)
    for (size_t i = 0; i < fusion->auxiliaries.size(); ++i) {
      std::string name = "%s" + std::to_string(i);
      std::string type = memrefOf(fusion->auxiliaries[i], extents);
      parameters += ", " + name + ": " + type;
      auxiliaries += (i ? ", " : "") + name + " " +
                     listOf(fusion->auxiliaries[i]) + " : " + type;
      arguments += ", %x" + std::to_string(i) + ": f32";
    }
  std::string fused;
  if (!auxiliaries.empty())
    fused += " auxiliaries(" + auxiliaries + ")";
  auto addPrologue = [&](const char *name, const std::string &type,
                         const std::string &code) {
    if (!code.empty())
      fused += std::string(" ") + name + " {\n^bb0(%x: " + type + "):\n" +
               code + "}";
  };
  if (fusion) {
    addPrologue("prologue_a", "f32", fusion->prologueA);
    addPrologue("prologue_b", typeB, fusion->prologueB);
  }
  if (fusion && !fusion->epilogue.empty())
    fused += " epilogue {\n^bb0(" + arguments + "):\n" + fusion->epilogue + "}";
  return "func.func @fused(" + parameters +
         ") {\n  tc.contract [m, k], [k, n] -> [m, n] ins(%A, %B : " + a +
         ", " + b + ") outs(%C : " + c + ")" + fused +
         " {schedule = #tc.schedule<target = \"sm_90\", " + schedule +
         ">}\n  return\n}\n";
}

/// A product whose kernel has been run.
struct Outcome {
  std::vector<float> c;
  sim::Counters counters;
};

class FusedKernel : public testing::Test {
protected:
  Outcome run(const Extents &extents, const Fusion *fusion,
              const std::vector<Side> &auxiliaries,
              const std::string &schedule) {
    std::string messages;
    mlir::ScopedDiagnosticHandler handler(context.get(),
                                          [&](mlir::Diagnostic &diagnostic) {
                                            messages += diagnostic.str() + "\n";
                                            return mlir::success();
                                          });
    auto module =
        mlir::parseSourceString<ModuleOp>(moduleText(extents, fusion, schedule),
                                          mlir::ParserConfig(context.get()));
    Outcome result;
    mlir::PassManager manager(context.get());
    buildTCToGPU(manager);
    if (!module || failed(manager.run(*module))) {
      ADD_FAILURE() << messages;
      return result;
    }
    FailureOr<CompiledModule> compiled = translateToPTX(*module);
    if (failed(compiled)) {
      ADD_FAILURE() << messages;
      return result;
    }
    Result<sim::Module> parsed = sim::Module::parse(compiled->ptx, "PTX");
    if (!parsed) {
      ADD_FAILURE() << parsed.error();
      return result;
    }
    return launch(extents, fusion, auxiliaries,
                  compiled->package.kernels.front(), *parsed);
  }

  /// C before the launch.
  static std::vector<float> before(const Extents &extents) {
    return numbers(extents.m * extents.n, 3);
  }

private:
  static Outcome launch(const Extents &extents, const Fusion *fusion,
                        std::vector<Side> auxiliaries,
                        const runtime::Kernel &kernel,
                        const sim::Module &module) {
    Outcome result;
    std::vector<float> a = numbers(extents.m * extents.k, 1),
                       b = numbers(extents.k * extents.n, 2);
    std::vector<int8_t> bytes(b.begin(), b.end());
    result.c = before(extents);
    std::vector<sim::GlobalBuffer> buffers;
    auto add = [&](const std::string &name, auto &data, bool isOutput) {
      sim::GlobalBuffer buffer;
      buffer.name = name;
      buffer.data = reinterpret_cast<std::byte *>(data.data());
      buffer.size = data.size() * sizeof(data.front());
      buffer.writable = isOutput;
      buffer.mustBeWritten = isOutput;
      // Buffers that must not be read are uninitialized.
      buffer.isUninitialized = isOutput && !(fusion && fusion->readsC);
      buffers.push_back(buffer);
    };
    add("A", a, false);
    if (fusion && fusion->bytesInB)
      add("B", bytes, false);
    else
      add("B", b, false);
    add("C", result.c, true);
    for (Side &auxiliary : auxiliaries)
      add("auxiliary", auxiliary.data, false);
    std::vector<std::byte> workspace;
    if (kernel.workspace) {
      workspace.resize(static_cast<size_t>(kernel.workspace->bytes));
      buffers.push_back({"workspace", workspace.data(), workspace.size()});
    }
    std::vector<sim::KernelArgument> arguments;
    for (size_t i = 0; i < buffers.size(); ++i)
      arguments.push_back(sim::KernelArgument::address(i));
    sim::LaunchConfig config;
    for (size_t i = 0; i < 3; ++i) {
      config.grid[i] = static_cast<uint32_t>(kernel.grid[i]);
      config.block[i] = static_cast<uint32_t>(kernel.block[i]);
    }
    config.dynamicSharedBytes = kernel.dynamicSharedBytes;
    config.workers = 1;
    Result<sim::Counters> counters =
        sim::launch(module, symbolOf(kernel), config, buffers, arguments);
    if (counters)
      result.counters = *counters;
    else
      ADD_FAILURE() << counters.error();
    return result;
  }

  std::unique_ptr<mlir::MLIRContext> context = makeContext();
};

/// The product of A and B, after their prologues.
float productAt(const Fusion &fusion, const Extents &extents, int64_t m,
                int64_t n) {
  auto factor = [](const std::function<float(float)> &prologue, float element) {
    return prologue ? prologue(element) : element;
  };
  float sum = 0;
  for (int64_t k = 0; k < extents.k; ++k)
    sum += factor(fusion.factorA, number(m * extents.k + k, 1)) *
           factor(fusion.factorB, number(k * extents.n + n, 2));
  return sum;
}

constexpr const char *plain =
    "m = [m: 16], n = [n: 16], k = [k: 8], register = [2, 4]";
constexpr const char *shared =
    "m = [m: 16], n = [n: 16], k = [k: 4], register = [2, 4], split_k = 2";
constexpr const char *persistent =
    "m = [m: 16], n = [n: 16], k = [k: 16], register = [2, 4], "
    "stationary = a, tiles_per_block = 2";

const Fusion leakyReLU = {"  %slope = arith.constant 0.5 : f32\n"
                          "  %zero = arith.constant 0.0 : f32\n"
                          "  %leak = arith.mulf %sum, %slope : f32\n"
                          "  %positive = arith.cmpf ogt, %sum, %zero : f32\n"
                          "  %r = arith.select %positive, %sum, %leak : f32\n"
                          "  tc.yield %r : f32\n",
                          {},
                          [](float sum, float, const std::vector<float> &) {
                            return sum > 0 ? sum : sum * 0.5f;
                          },
                          {}};

Fusion bias(const std::string &labels, uint64_t bytes) {
  return {"  %r = arith.addf %sum, %x0 : f32\n  tc.yield %r : f32\n",
          {labels},
          [](float sum, float, const std::vector<float> &auxiliaries) {
            return sum + auxiliaries[0];
          },
          {bytes}};
}

const Fusion bothBiases = {
    "  %t = arith.addf %sum, %x0 : f32\n"
    "  %r = arith.addf %t, %x1 : f32\n  tc.yield %r : f32\n",
    {"m", "n"},
    [](float sum, float, const std::vector<float> &auxiliaries) {
      return sum + auxiliaries[0] + auxiliaries[1];
    },
    {4, 16}};

const Fusion scaled = {
    "  %r = arith.mulf %sum, %x0 : f32\n  tc.yield %r : f32\n",
    {""},
    [](float sum, float, const std::vector<float> &auxiliaries) {
      return sum * auxiliaries[0];
    },
    {4}};

const Fusion residual = {
    "  %zero = arith.constant 0.0 : f32\n"
    "  %t = arith.addf %sum, %old : f32\n"
    "  %r = arith.maximumf %t, %zero : f32\n  tc.yield %r : f32\n",
    {},
    [](float sum, float old, const std::vector<float> &) {
      return std::max(sum + old, 0.0f);
    },
    {},
    /*readsC=*/true};

const char *halveNegative =
    "  %slope = arith.constant 0.5 : f32\n"
    "  %leak = arith.mulf %x, %slope : f32\n"
    "  %r = arith.maximumf %x, %leak : f32\n  tc.yield %r : f32\n";
const char *addOne = "  %one = arith.constant 1.0 : f32\n"
                     "  %r = arith.addf %x, %one : f32\n"
                     "  tc.yield %r : f32\n";

Fusion prologues(const char *a, std::function<float(float)> factorA,
                 const char *b, std::function<float(float)> factorB) {
  Fusion fusion;
  fusion.prologueA = a;
  fusion.factorA = std::move(factorA);
  fusion.prologueB = b;
  fusion.factorB = std::move(factorB);
  return fusion;
}

float halved(float x) { return x < 0 ? x * 0.5f : x; }
float successor(float x) { return x + 1; }

/// Weights of eight bits.
Fusion weights() {
  Fusion fusion = prologues("", nullptr,
                            "  %n = arith.sitofp %x : i8 to f32\n"
                            "  %half = arith.constant 0.5 : f32\n"
                            "  %r = arith.mulf %n, %half : f32\n"
                            "  tc.yield %r : f32\n",
                            [](float x) { return x * 0.5f; });
  fusion.bytesInB = true;
  return fusion;
}

/// Code everywhere.
Fusion everything() {
  Fusion fusion = prologues(addOne, successor, halveNegative, halved);
  fusion.epilogue = leakyReLU.epilogue;
  fusion.result = leakyReLU.result;
  return fusion;
}

class FusedKernels
    : public FusedKernel,
      public testing::WithParamInterface<std::pair<Fusion, std::string>> {};

/// Runs with extents that tiles divide, and with such that they do not, in each
/// mapping of tiles to blocks.
TEST_P(FusedKernels, ComputeWhatTheRegionSays) {
  const Fusion &fusion = GetParam().first;
  for (const Extents &extents : {Extents{32, 48, 16}, Extents{19, 37, 13}})
    for (const char *schedule : {plain, shared, persistent}) {
      SCOPED_TRACE(schedule + std::string(" at ") + std::to_string(extents.m));
      std::vector<Side> auxiliaries;
      for (const std::string &labels : fusion.auxiliaries)
        auxiliaries.push_back(
            {labels, numbers(sizeOf(labels, extents),
                             5 + int64_t(auxiliaries.size()))});
      Outcome result = run(extents, &fusion, auxiliaries, schedule);
      ASSERT_FALSE(HasFailure());
      std::vector<float> before = FusedKernel::before(extents);
      for (int64_t m = 0; m < extents.m; ++m)
        for (int64_t n = 0; n < extents.n; ++n) {
          std::vector<float> elements;
          for (const Side &auxiliary : auxiliaries)
            elements.push_back(auxiliary.at(extents, m, n));
          auto at = static_cast<size_t>(m * extents.n + n);
          float product = productAt(fusion, extents, m, n);
          float expected = fusion.result
                               ? fusion.result(product, before[at], elements)
                               : product;
          ASSERT_EQ(result.c[at], expected) << "at " << m << ", " << n;
        }
    }
}

/// Fused code moves what its tensors hold and nothing else.
TEST_P(FusedKernels, MoveNoMoreThanTheirAuxiliaries) {
  const Fusion &fusion = GetParam().first;
  Extents extents = {32, 48, 16};
  std::vector<Side> auxiliaries;
  for (const std::string &labels : fusion.auxiliaries)
    auxiliaries.push_back({labels, numbers(sizeOf(labels, extents), 1)});
  sim::Counters fused = run(extents, &fusion, auxiliaries, plain).counters;
  sim::Counters product = run(extents, nullptr, {}, plain).counters;
  ASSERT_FALSE(HasFailure());
  for (size_t i = 0; i < 2; ++i) {
    uint64_t share = i == 1 && fusion.bytesInB ? sizeof(float) : 1;
    EXPECT_EQ(fused.buffers[i].loadBytes * share, product.buffers[i].loadBytes);
    if (share == 1)
      EXPECT_EQ(fused.buffers[i].loadSectors, product.buffers[i].loadSectors);
  }
  auto stored = static_cast<uint64_t>(extents.m * extents.n) * sizeof(float);
  EXPECT_EQ(fused.buffers[2].storeBytes, stored);
  EXPECT_EQ(fused.buffers[2].storeSectors, product.buffers[2].storeSectors);
  EXPECT_EQ(fused.buffers[2].loadBytes, fusion.readsC ? stored : 0);
  // The accesses of C are of 16 bytes.
  for (size_t i = 0; i < auxiliaries.size(); ++i) {
    EXPECT_EQ(fused.buffers[3 + i].loadBytes,
              stored / 16 * fusion.sideBytes[i]);
    EXPECT_EQ(fused.buffers[3 + i].storeBytes, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Epilogues, FusedKernels,
    testing::Values(std::pair(leakyReLU, "LeakyReLU"),
                    std::pair(bias("m", 4), "BiasAlongM"),
                    std::pair(bias("n", 16), "BiasAlongN"),
                    std::pair(bias("mn", 16), "AddAMatrix"),
                    std::pair(bias("nm", 16), "AddATransposedMatrix"),
                    std::pair(bothBiases, "BothBiases"),
                    std::pair(scaled, "ScaleByANumber"),
                    std::pair(residual, "Residual")),
    [](const auto &info) { return info.param.second; });

INSTANTIATE_TEST_SUITE_P(
    Prologues, FusedKernels,
    testing::Values(
        std::pair(prologues(halveNegative, halved, "", nullptr), "OfA"),
        std::pair(prologues("", nullptr, addOne, successor), "OfB"),
        std::pair(prologues(addOne, successor, addOne, successor), "OfBoth"),
        std::pair(weights(), "Weights"), std::pair(everything(), "Everything")),
    [](const auto &info) { return info.param.second; });

} // namespace
