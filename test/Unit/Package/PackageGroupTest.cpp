//===- PackageGroupTest.cpp - Kernels of several contractions -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BrokenPackage.h"

#include "tc/Package/PackageFields.h"

#include <gtest/gtest.h>

using namespace tc;
using namespace tc::runtime;
using namespace tc::runtime::test;
using model::Tensor;

static std::string faultOf(const Kernel &kernel) {
  Status status = verify(makePackage(kernel));
  return status ? "" : status.error();
}

/// The kernel as its description is read, which is the same as the kernel.
static Kernel readBack(const Kernel &kernel) {
  std::string text = toJson(makePackage(kernel));
  Result<Package> package = fromJson(text);
  if (!package) {
    ADD_FAILURE() << package.error() << "\n" << text;
    return kernel;
  }
  EXPECT_EQ(toJson(*package), text);
  EXPECT_EQ(keyOf(package->kernels[0]), keyOf(kernel));
  return package->kernels[0];
}

static Labels namesOf(const Kernel &kernel) {
  Labels names;
  for (const TensorArgument *tensor : tensorsOf(kernel))
    names.push_back(tensor->name);
  return names;
}

using Places = std::array<std::optional<size_t>, 3>;

static const std::string kernelPath = "$.kernels[0]",
                         otherPath = kernelPath + ".contractions[0]",
                         edgePath = kernelPath + ".edges[0]";

//===----------------------------------------------------------------------===//
// Descriptions, written and read
//===----------------------------------------------------------------------===//

TEST(PackageGroupTest, ReadsSums) {
  Kernel kernel = sumKernel(model::ElementType::F32);
  KernelContraction term = kernel.others[0];
  term.precision = model::Precision::TF32x3;
  term.prologueA = "relu(x)";
  term.factorType = model::ElementType::F32;
  term.tensors[0].type = model::ElementType::F16;
  setGroup(kernel, {term, term},
           {model::accumulateEdge(1), model::accumulateEdge(2)});
  Kernel read = readBack(kernel);
  EXPECT_EQ(read.others[1].tensors[2].labels, (Labels{"x", "y"}));
  EXPECT_EQ(read.others[1].precision, model::Precision::TF32x3);
  EXPECT_EQ(namesOf(read), (Labels{"A", "B", "C", "A1", "B1", "A2", "B2"}));
  EXPECT_EQ(outputsOf(read), (std::vector<size_t>{2}));
  EXPECT_EQ(placesOf(read, 2), (Places{5, 6, 2}));
}

TEST(PackageGroupTest, ReadsChains) {
  Kernel kernel = chainKernel(model::ElementType::F32);
  // A second one, whose B is what the first one computes.
  Kernel second =
      makeKernel({"q", "p"}, {"p", "r"}, {"p", "q"},
                 {{"p", 5}, {"q", 3}, {"r", 3}}, model::ElementType::F32);
  second.tensors[0] = makeTensor("A2", {"r", "q"}, {{"q", 3}, {"r", 3}},
                                 model::ElementType::F32);
  second.schedule = "#tc.schedule<>";
  setGroup(
      kernel, {kernel.others[0], second},
      {model::feedEdge(1, 2, Tensor::B), model::feedEdge(2, 0, Tensor::A)});
  Kernel read = readBack(kernel);
  EXPECT_EQ(read.others[0].epilogue, "abs(x)");
  EXPECT_EQ(read.others[1].tensors[1].labels, (Labels{"p", "r"}));
  EXPECT_EQ(read.others[1].tensors[1].extents, (std::vector<int64_t>{5, 3}));
  EXPECT_EQ(read.others[1].tensors[1].strides, (std::vector<int64_t>{3, 1}));
  // An operand takes the place of the one that is computed.
  EXPECT_EQ(namesOf(read), (Labels{"A1", "B", "C", "B1", "A2"}));
  EXPECT_EQ(placesOf(read, 0), (Places{std::nullopt, 1, 2}));
  EXPECT_EQ(placesOf(read, 1), (Places{0, 3, std::nullopt}));
  // The order of the edges does not matter.
  std::swap(kernel.edges[0], kernel.edges[1]);
  readBack(kernel);
}

TEST(PackageGroupTest, ReadsSharedInputs) {
  Kernel read = readBack(sharingKernel());
  EXPECT_EQ(read.others[0].tensors[1].labels, (Labels{"x", "z"}));
  EXPECT_EQ(read.others[0].tensors[1].extents, (std::vector<int64_t>{5, 3}));
  // The input in common is an argument once.
  EXPECT_EQ(namesOf(read), (Labels{"A", "B", "C", "A1", "C1"}));
  EXPECT_EQ(outputsOf(read), (std::vector<size_t>{2, 4}));
  EXPECT_EQ(placesOf(read, 1), (Places{3, 0, 4}));
}

TEST(PackageGroupTest, ReadsSoftmax) {
  Kernel kernel = chainKernel();
  kernel.edges[0].through = model::EdgeFunction::Softmax;
  EXPECT_TRUE(readBack(kernel).edges[0].through ==
              model::EdgeFunction::Softmax);
}

TEST(PackageGroupTest, ReadsComplexNumbers) {
  Kernel kernel = chainKernel(model::ElementType::C64);
  kernel.others[0].epilogue.clear();
  kernel.others[0].alpha.value = {0.5, -2};
  kernel.others[0].conjugatesA = true;
  Kernel read = readBack(kernel);
  EXPECT_EQ(read.others[0].alpha.value, model::Constant(0.5, -2));
  EXPECT_TRUE(read.others[0].conjugatesA);
  EXPECT_FALSE(read.others[0].conjugatesB);
}

/// The description of a kernel as versions before groups wrote it.
static std::string olderText(const Kernel &kernel, const char *key,
                             const char *list) {
  using Json = nlohmann::ordered_json;
  Json json = Json::parse(toJson(makePackage(kernel)));
  json["version"] = 4;
  Json &own = json["kernels"][0];
  own.erase("contractions");
  own.erase("edges");
  own[key] = Json::parse(list);
  return json.dump();
}

TEST(PackageGroupTest, ReadsOlderVersions) {
  auto expectRead = [](const Kernel &kernel, const char *key,
                       const char *list) {
    Result<Package> package = fromJson(olderText(kernel, key, list));
    ASSERT_TRUE(package) << package.error();
    EXPECT_EQ(keyOf(package->kernels[0]), keyOf(kernel)) << key;
  };
  const char *terms = R"([{"output": ["x", "y"], "alpha": {"value": -1.0},
      "precision": "ieee", "schedule": "#tc.schedule<>"}])";
  expectRead(sumKernel(), "terms", terms);
  Kernel softmax = chainKernel();
  softmax.edges[0].through = model::EdgeFunction::Softmax;
  expectRead(softmax, "links",
             R"json([{"output": ["x", "y"], "alpha": {"value": 2.0},
      "precision": "ieee", "epilogue": "abs(x)", "schedule": "#tc.schedule<>",
      "accumulator": "f64", "feeds": {"input": "a", "type": "f64",
      "indices": ["i", "k"], "through": "softmax"}}])json");
  expectRead(sharingKernel(), "branches",
             R"([{"shares": {"input": "a", "as": "b", "indices": ["x", "z"]},
      "accumulator": "f64", "alpha": {"value": 2.0}, "precision": "ieee",
      "schedule": "#tc.schedule<>"}])");

  auto errorOfOlder = [](const Kernel &kernel, const char *key,
                         const char *list) {
    Result<Package> package = fromJson(olderText(kernel, key, list));
    return package ? "" : package.error();
  };
  EXPECT_EQ(errorOfOlder(sumKernel(), "terms", "[]"),
            kernelPath + ".terms: expected an array of 1 to 4096 contractions");
  EXPECT_EQ(errorOfOlder(sumKernel(), "terms", "[1]"),
            kernelPath + ".terms[0]: expected an object");
  EXPECT_EQ(errorOfOlder(chainKernel(), "links", "[{}]"),
            otherPath + ": missing key \"accumulator\"");
  EXPECT_EQ(errorOfOlder(sharingKernel(), "branches",
                         R"([{"shares": {"input": "c"}}])"),
            otherPath + ": missing key \"accumulator\"");
  EXPECT_EQ(errorOfOlder(sumKernel(), "terms", "null"),
            kernelPath + ".terms: expected an array of 1 to 4096 contractions");
  EXPECT_EQ(errorOfOlder(sumKernel(), "contractions", "[]"),
            kernelPath +
                ": unknown key \"contractions\", which versions from 5 "
                "on have");
  EXPECT_EQ(errorOfOlder(sumKernel(), "terms", R"([{"accumulator": "f64"}])"),
            kernelPath + ".terms[0]: unknown key \"accumulator\"");
  EXPECT_EQ(errorOfOlder(chainKernel(), "links", R"([{"feeds": {"x": 1}}])"),
            kernelPath + ".links[0]: unknown key \"x\"");
  // The new keys are the only ones of the current version.
  EXPECT_EQ(errorWith(sumKernel(), {"terms"}, terms),
            kernelPath + ": unknown key \"terms\"");
}

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

TEST(PackageGroupTest, BadSums) {
  auto errorOfSum = [](const std::vector<std::string> &at, const char *value) {
    return errorWith(sumKernel(), at, value);
  };
  EXPECT_EQ(errorOfSum({"contractions"}, "[]"),
            kernelPath + ".contractions: expected at least one");
  EXPECT_EQ(errorOfSum({"contractions"}, nullptr),
            kernelPath + ".contractions: missing");
  EXPECT_EQ(errorOfSum({"edges"}, "[]"),
            kernelPath +
                ".edges: contraction 1 is not connected to the others");
  EXPECT_EQ(errorOfSum({"arguments", "4"}, nullptr),
            kernelPath +
                ".arguments: expected 5 tensors for the contractions and "
                "their edges");
  EXPECT_EQ(errorOfSum({"contractions", "0", "semiring"}, "\"plus_times\""),
            otherPath + ": unknown key \"semiring\"");
  EXPECT_EQ(errorOfSum({"contractions", "0", "epilogue"}, "\"x\""),
            otherPath + ": must have no epilogue, which is that of the sum");
  EXPECT_EQ(errorOfSum({"contractions", "0", "alpha"}, "{\"argument\": 5}"),
            otherPath + ".alpha: missing key \"value\"");
  EXPECT_EQ(errorOfSum({"edges", "0", "from"}, "\"C01\""),
            edgePath +
                ".from: expected the name of a tensor, as \"A\", \"B1\" or "
                "\"C2\"");
  EXPECT_EQ(errorOfSum({"edges", "0", "from"}, "\"C2\""),
            kernelPath +
                ".edges: contraction 0 has an edge of contraction 2, but "
                "there are 2");
  EXPECT_EQ(errorOfSum({"edges", "0", "to"}, "\"C1\""),
            kernelPath + ".edges: contraction 1 adds to the output of another "
                         "contraction than the kernel's own");
  EXPECT_EQ(errorOfSum({"edges", "0", "from_indices"}, nullptr),
            edgePath + ": missing key \"from_indices\"");
  EXPECT_EQ(errorOfSum({"edges", "0", "to_indices"}, "[\"x\", \"y\"]"),
            edgePath + ": unexpected key \"to_indices\"");
  EXPECT_EQ(errorOfSum({"edges", "0", "through"}, "\"softmax\""),
            kernelPath +
                ".edges: contraction 1 must not pass its output through a "
                "softmax: only the kernel's own contraction takes one");
  EXPECT_EQ(errorOfSum({"edges", "0", "from_indices"}, "[\"x\"]"),
            edgePath +
                ".from_indices: expected as many as the tensor has that it "
                "is, 2");
  EXPECT_EQ(errorOfSum({"edges", "0", "from_indices"}, "[\"x\", \"w\"]"),
            edgePath + ": C1 has index \"w\", which neither input has");
  EXPECT_EQ(errorOfSum({"edges", "0", "from_indices"}, "[\"y\", \"x\"]"),
            edgePath +
                ".extents[0]: index \"y\" has extent 5 here and 7 before");
  EXPECT_EQ(errorOfSum({"arguments", "3", "name"}, "\"A\""),
            kernelPath + ".arguments[3].name: expected \"A1\", not \"A\"");
  EXPECT_EQ(errorOfSum({"arguments", "4", "access"}, "\"write\""),
            kernelPath + ".arguments[4].access: expected \"read\"");
  EXPECT_EQ(errorOfSum({"arguments", "4", "extents"}, "[5, 5]"),
            kernelPath +
                ".arguments[4].extents[0]: index \"z\" has extent 5 here "
                "and 4 before");
  EXPECT_EQ(errorOfSum({"arguments", "3", "type"}, "\"f32\""),
            otherPath +
                ".accumulator: is not the type of sums of products of f32");
  Kernel looping = sumKernel();
  looping.mapping.stationary = model::Stationary::A;
  looping.mapping.tilesPerBlock = 2;
  looping.grid = {3, 1, 1};
  EXPECT_EQ(faultOf(looping),
            kernelPath + ".mapping: must neither loop over tiles nor split K "
                         "where there are several contractions");
  Kernel kernel = sumKernel();
  ASSERT_EQ(faultOf(kernel), "");
  kernel.alpha.isArgument = true;
  EXPECT_EQ(faultOf(kernel),
            kernelPath + ": must have an alpha that is constant");
  kernel = sumKernel();
  kernel.semiring = model::Semiring::MaxPlus;
  EXPECT_EQ(faultOf(kernel),
            kernelPath +
                ": must have the semiring plus_times, as it is in a kernel "
                "with others");
  kernel = sumKernel(model::ElementType::C64);
  EXPECT_EQ(faultOf(kernel), otherPath +
                                 ": must not be of complex numbers, as it "
                                 "is in a sum of contractions");
  kernel = sumKernel();
  kernel.others[0].beta.value = 1;
  EXPECT_EQ(faultOf(kernel), otherPath + ": must have a beta of zero");
  // A diagonal of the output.
  Kernel square = makeKernel({"i", "k"}, {"k", "j"}, {"i", "j"},
                             {{"i", 5}, {"j", 5}, {"k", 3}});
  Kernel diagonal =
      makeKernel({"x", "z"}, {"z"}, {"x", "x"}, {{"x", 5}, {"z", 4}});
  setGroup(square, {diagonal}, {model::accumulateEdge(1)});
  EXPECT_EQ(faultOf(square), edgePath + ": C1 has index \"x\" twice");
}

TEST(PackageGroupTest, BadChains) {
  auto errorOfChain = [](const std::vector<std::string> &at,
                         const char *value) {
    return errorWith(chainKernel(), at, value);
  };
  EXPECT_EQ(errorOfChain({"edges", "0", "to"}, "\"B2\""),
            kernelPath +
                ".edges: contraction 0 has an edge of contraction 2, but "
                "there are 2");
  EXPECT_EQ(errorOfChain({"edges", "0", "type"}, nullptr),
            edgePath + ": missing key \"type\"");
  EXPECT_EQ(errorOfChain({"edges", "0", "to_indices"}, "[\"i\"]"),
            edgePath +
                ".to_indices: expected as many as the tensor has that it is, "
                "2");
  EXPECT_EQ(errorOfChain({"edges", "0", "from_indices"}, "[\"x\", \"w\"]"),
            edgePath +
                ": index \"w\" is in neither input of the contraction that "
                "computes it");
  EXPECT_EQ(errorOfChain({"edges", "0", "through"}, "\"max\""),
            edgePath + ".through: expected \"softmax\"");
  EXPECT_EQ(errorOfChain({"contractions", "0", "epilogue"}, "\"x + c\""),
            otherPath +
                ".epilogue: must only use x: it is that of the kernel's "
                "own contraction that may use other elements");
  EXPECT_EQ(errorOfChain({"contractions", "0", "accumulator"}, "\"f32\""),
            otherPath +
                ".accumulator: is not the type of sums of products of f64");
  EXPECT_EQ(errorOfChain({"contractions", "0", "conjugate_b"}, "true"),
            otherPath +
                ".conjugate_b: applies to complex numbers, but B1 has f64");
  EXPECT_EQ(errorOfChain({"contractions", "0", "conjugate_b"}, "1"),
            otherPath + ".conjugate_b: expected true or false");
  EXPECT_EQ(errorOfChain({"arguments", "3", "name"}, "\"B2\""),
            kernelPath + ".arguments[3].name: expected \"B1\", not \"B2\"");
  EXPECT_EQ(errorOfChain({"arguments", "3", "access"}, "\"read_write\""),
            kernelPath + ".arguments[3].access: expected \"read\"");
  Kernel complexNumbers = chainKernel(model::ElementType::C64);
  EXPECT_EQ(faultOf(complexNumbers),
            otherPath + ".epilogue: applies to real numbers");
  complexNumbers.others[0].epilogue.clear();
  complexNumbers.edges[0].through = model::EdgeFunction::Softmax;
  EXPECT_EQ(faultOf(complexNumbers),
            edgePath +
                ": C1 passes through a softmax, but its numbers are complex");
  Kernel kept = makeKernel({"i"}, {"j"}, {"i", "j"}, {{"i", 5}, {"j", 7}});
  Kernel row = makeKernel({"x", "z"}, {"z"}, {"x"}, {{"x", 5}, {"z", 3}});
  setGroup(kept, {row},
           {model::feedEdge(1, 0, Tensor::A, model::EdgeFunction::Softmax)});
  EXPECT_EQ(faultOf(kept), edgePath +
                               ": C1 passes through a softmax, but none of "
                               "its indices is summed over");
  Kernel mixed = chainKernel();
  mixed.others.push_back(sumKernel().others[0]);
  mixed.edges.push_back(model::accumulateEdge(2));
  EXPECT_EQ(faultOf(mixed), kernelPath +
                                ".contractions[0]: must compute an input of "
                                "the contraction after it");
  mixed.edges = {model::feedEdge(1, 2, Tensor::A), model::accumulateEdge(2)};
  EXPECT_EQ(faultOf(mixed),
            kernelPath + ".contractions[1]: is connected to the others in "
                         "another way than they are to each other");
  mixed.edges = {model::feedEdge(1, 2, Tensor::A),
                 model::feedEdge(1, 2, Tensor::B)};
  EXPECT_EQ(faultOf(mixed), otherPath + ": is connected to the others twice");
  mixed.edges = {model::feedEdge(0, 1, Tensor::A),
                 model::feedEdge(1, 2, Tensor::A)};
  EXPECT_EQ(faultOf(mixed),
            kernelPath +
                ": is the kernel's own, so no edge may lead from its output");
}

TEST(PackageGroupTest, BadSharedInputs) {
  auto errorOfIt = [](const std::vector<std::string> &at, const char *value) {
    return errorWith(sharingKernel(), at, value);
  };
  EXPECT_EQ(errorOfIt({"edges", "0", "to"}, "\"C1\""),
            kernelPath + ".edges: contraction 1 must share an input with the "
                         "kernel's own contraction");
  EXPECT_EQ(errorOfIt({"edges", "0", "to_indices"}, "[\"x\"]"),
            edgePath +
                ".to_indices: expected as many as the tensor has that it is, "
                "2");
  EXPECT_EQ(errorOfIt({"arguments", "4", "access"}, "\"read_write\""),
            kernelPath + ".arguments[4].access: expected \"write\"");
  EXPECT_EQ(errorOfIt({"arguments", "3", "name"}, "\"B1\""),
            kernelPath + ".arguments[3].name: expected \"A1\", not \"B1\"");
  EXPECT_EQ(errorOfIt({"arguments", "4", "indices"}, "[\"y\", \"w\"]"),
            kernelPath +
                ".arguments[4].indices[1]: index \"w\" of C is in neither A "
                "nor B");
  // The rows of B that a block owns are unknown.
  Kernel columns = sharingKernel();
  columns.gridDims = {{"i", 5, 5}, {"j", 7, 3}};
  EXPECT_EQ(faultOf(columns),
            edgePath +
                ": index \"j\" of the kernel has several tiles, so it must "
                "be one of the input in common, and of C1");
  Kernel integers = sharingKernel(model::ElementType::I64);
  EXPECT_EQ(faultOf(integers),
            kernelPath +
                ".arguments[3]: A1 must have floating-point numbers, but "
                "has i64");
  // A diagonal of B's would be cut across blocks.
  Kernel diagonal = sharingKernel();
  diagonal.tensors[0] = makeTensor("A", {"i", "k"}, {{"i", 5}, {"k", 5}},
                                   model::ElementType::F64);
  diagonal.tensors[1] = makeTensor("B", {"k", "j"}, {{"k", 5}, {"j", 7}},
                                   model::ElementType::F64);
  diagonal.others[0].tensors[0] = makeTensor(
      "A1", {"y", "x"}, {{"y", 2}, {"x", 5}}, model::ElementType::F64);
  diagonal.others[0].tensors[1] =
      makeTensor("A", {"x", "x"}, {{"x", 5}}, model::ElementType::F64);
  EXPECT_EQ(faultOf(diagonal),
            edgePath +
                ": index \"i\" of the kernel has several tiles, so it must "
                "be once in the input in common, here and there");
  Kernel reading = sharingKernel();
  setBeta(reading, {1.0, false});
  EXPECT_EQ(faultOf(reading), kernelPath + ": must not read C");
  Kernel three = sharingKernel();
  setGroup(three, {three.others[0], three.others[0]},
           {model::shareEdge(Tensor::A, 1, Tensor::B),
            model::shareEdge(Tensor::B, 2, Tensor::B)});
  EXPECT_EQ(faultOf(three), kernelPath +
                                ".contractions[1]: must share the input "
                                "that the others share");
}

TEST(PackageGroupTest, StoringKernelsOwnTheTilesOfTheSharedInput) {
  Kernel storing = kernelStoring(sharingKernel(), 1);
  ASSERT_EQ(storing.gridDims.size(), 1u);
  EXPECT_EQ(storing.gridDims[0].label, "x");
  EXPECT_EQ(storing.gridDims[0].extent, 5);
  EXPECT_EQ(storing.gridDims[0].tile, 2);
  EXPECT_EQ(storing.grid, (Dim3{3, 1, 1}));
  EXPECT_EQ(storing.alpha.value, 2.0);
  EXPECT_TRUE(kernelStoring(sharingKernel(), 0).others.empty());
  EXPECT_EQ(kernelStoring(sumKernel(), 0).others.size(), 1u);
}

TEST(PackageGroupTest, KernelsMayHaveManyContractions) {
  Kernel kernel = sumKernel();
  std::vector<KernelContraction> terms(1000, kernel.others[0]);
  std::vector<model::GroupEdge> edges;
  for (unsigned node = 1; node <= terms.size(); ++node)
    edges.push_back(model::accumulateEdge(node));
  setGroup(kernel, terms, edges);
  Kernel read = readBack(kernel);
  EXPECT_EQ(tensorsOf(read).size(), 2003u);
  EXPECT_EQ(placesOf(read, 1000), (Places{2001, 2002, 2}));
}
