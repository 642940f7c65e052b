//===- PackageTest.cpp - Launch descriptions --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/TemporaryFolder.h"
#include "TestKernels.h"

#include "tc/Buffers/Problem.h"

#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>

#include <cmath>
#include <sstream>

using namespace tc;
using namespace tc::runtime;
using namespace tc::runtime::test;
using nlohmann::ordered_json;

/// A package that uses every feature of the format.
static Package richPackage() {
  Kernel kernel = makeKernel(
      {"b", "i", "k", "k"}, {"b", "k", "j"}, {"b", "j", "i"},
      {{"b", 3}, {"i", 4}, {"j", 5}, {"k", 6}}, model::ElementType::F32);
  kernel.staticSharedBytes = 1024;
  kernel.dynamicSharedBytes = 65536;
  kernel.alpha = {0, true};
  setBeta(kernel, {0, true});
  kernel.accumulatorType = model::ElementType::F64;
  kernel.precision = model::Precision::TF32x3;
  kernel.tensors[0].offset = 7;
  kernel.tensors[0].alignment = 8;
  // A view that walks backwards along j, with gaps.
  kernel.tensors[1].strides = {100, 10, -2};
  kernel.tensors[1].offset = 8;
  setTiles(kernel, {{"b", 1}, {"i", 3}, {"j", 2}});
  kernel.schedule = "#tc.schedule<\"quoted\">";
  Package package = makePackage(kernel);
  Kernel second = matmulKernel();
  second.entry = "second";
  second.alpha = {-1.0 / 3, false};
  setBeta(second, {1e-300, false});
  package.kernels.push_back(second);
  Kernel halves =
      makeKernel({"k"}, {"k"}, {}, {{"k", 8}}, model::ElementType::F16);
  halves.entry = "halves";
  halves.alpha = {0, true};
  halves.tensors[1].type = model::ElementType::BF16;
  package.kernels.push_back(halves);
  package.codeKind = CodeKind::Cubin;
  package.codeFile = "folder/example.cubin";
  return package;
}

static void expectEqual(const Scalar &a, const Scalar &b) {
  EXPECT_EQ(a.isArgument, b.isArgument);
  if (!a.isArgument)
    EXPECT_EQ(a.value, b.value);
}

TEST(PackageTest, RoundTripKeepsEverything) {
  Package before = richPackage();
  std::string text = toJson(before);
  Result<Package> after = fromJson(text);
  ASSERT_TRUE(after) << after.error();

  EXPECT_EQ(after->name, before.name);
  EXPECT_EQ(after->codeKind, before.codeKind);
  EXPECT_EQ(after->codeFile, before.codeFile);
  EXPECT_EQ(after->target, before.target);
  ASSERT_EQ(after->kernels.size(), before.kernels.size());
  for (size_t k = 0; k < before.kernels.size(); ++k) {
    const Kernel &a = after->kernels[k], &b = before.kernels[k];
    EXPECT_EQ(a.entry, b.entry);
    EXPECT_EQ(a.grid, b.grid);
    EXPECT_EQ(a.block, b.block);
    EXPECT_EQ(a.staticSharedBytes, b.staticSharedBytes);
    EXPECT_EQ(a.dynamicSharedBytes, b.dynamicSharedBytes);
    EXPECT_EQ(a.accumulatorType, b.accumulatorType);
    EXPECT_EQ(a.precision, b.precision);
    EXPECT_EQ(a.schedule, b.schedule);
    expectEqual(a.alpha, b.alpha);
    expectEqual(a.beta, b.beta);
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(a.tensors[i].name, b.tensors[i].name);
      EXPECT_EQ(a.tensors[i].type, b.tensors[i].type);
      EXPECT_EQ(a.tensors[i].labels, b.tensors[i].labels);
      EXPECT_EQ(a.tensors[i].extents, b.tensors[i].extents);
      EXPECT_EQ(a.tensors[i].strides, b.tensors[i].strides);
      EXPECT_EQ(a.tensors[i].offset, b.tensors[i].offset);
      EXPECT_EQ(a.tensors[i].alignment, b.tensors[i].alignment);
      EXPECT_EQ(a.tensors[i].isRead, b.tensors[i].isRead);
      EXPECT_EQ(a.tensors[i].isWritten, b.tensors[i].isWritten);
    }
    EXPECT_EQ(a.mapping, b.mapping);
    ASSERT_EQ(a.workspace.has_value(), b.workspace.has_value());
    if (b.workspace) {
      EXPECT_EQ(a.workspace->bytes, b.workspace->bytes);
      EXPECT_EQ(a.workspace->zeroedBytes, b.workspace->zeroedBytes);
      EXPECT_EQ(a.workspace->alignment, b.workspace->alignment);
    }
    ASSERT_EQ(a.gridDims.size(), b.gridDims.size());
    for (size_t i = 0; i < b.gridDims.size(); ++i) {
      EXPECT_EQ(a.gridDims[i].label, b.gridDims[i].label);
      EXPECT_EQ(a.gridDims[i].extent, b.gridDims[i].extent);
      EXPECT_EQ(a.gridDims[i].tile, b.gridDims[i].tile);
    }
  }
  // Writing is a function of the contents.
  EXPECT_EQ(toJson(*after), text);
}

TEST(PackageTest, ScalarsThatAreNotFiniteSurvive) {
  for (double value : {INFINITY, -INFINITY, NAN}) {
    Package package = makePackage(matmulKernel());
    package.kernels[0].alpha.value = value;
    Result<Package> after = fromJson(toJson(package));
    ASSERT_TRUE(after) << after.error();
    double got = after->kernels[0].alpha.value.real();
    EXPECT_TRUE(got == value || (std::isnan(got) && std::isnan(value)));
  }
}

/// A kernel whose epilogue reads C and a row of numbers.
static Kernel fusedKernel() {
  Kernel kernel = matmulKernel();
  kernel.prologueB = "abs(x)";
  kernel.epilogue = "max(x + bias[j], c)";
  kernel.tensors[2].isRead = true;
  TensorArgument side = kernel.tensors[2];
  side.name = "bias";
  side.isWritten = false;
  side.labels = {"j"};
  side.extents = {side.extents[1]};
  side.strides = {1};
  kernel.auxiliaries = {side};
  return kernel;
}

TEST(PackageTest, FusedCodeSurvives) {
  std::string text = toJson(makePackage(fusedKernel()));
  Result<Package> after = fromJson(text);
  ASSERT_TRUE(after) << after.error();
  const Kernel &kernel = after->kernels[0];
  EXPECT_EQ(kernel.prologueA, "");
  EXPECT_EQ(kernel.prologueB, "abs(x)");
  EXPECT_EQ(kernel.epilogue, "max(x + bias[j], c)");
  ASSERT_EQ(kernel.auxiliaries.size(), 1u);
  EXPECT_EQ(kernel.auxiliaries[0].name, "bias");
  EXPECT_TRUE(epilogueReadsC(kernel));
  EXPECT_EQ(toJson(*after), text);
}

TEST(PackageTest, VersionOneIsRead) {
  ordered_json json = ordered_json::parse(toJson(makePackage(matmulKernel())));
  json["version"] = 1;
  json["kernels"][0].erase("precision");
  json["kernels"][0].erase("mapping");
  Result<Package> package = fromJson(json.dump());
  ASSERT_TRUE(package) << package.error();
  EXPECT_EQ(package->kernels[0].precision, model::Precision::IEEE);
  EXPECT_EQ(package->kernels[0].mapping, model::GridMapping());
  EXPECT_FALSE(package->kernels[0].workspace);
}

TEST(PackageTest, KeysAreInTheDocumentedOrder) {
  ordered_json json = ordered_json::parse(toJson(makePackage(matmulKernel())));
  auto keys = [](const ordered_json &object) {
    std::vector<std::string> result;
    for (const auto &item : object.items())
      result.push_back(item.key());
    return result;
  };
  using Keys = std::vector<std::string>;
  EXPECT_EQ(keys(json),
            (Keys{"format", "version", "name", "target", "code", "kernels"}));
  EXPECT_EQ(
      keys(json["kernels"][0]),
      (Keys{"entry", "grid", "block", "static_shared_bytes",
            "dynamic_shared_bytes", "arguments", "accumulator", "precision",
            "alpha", "beta", "grid_dims", "mapping", "schedule"}));
  EXPECT_EQ(keys(json["kernels"][0]["mapping"]),
            (Keys{"raster_m", "stationary", "tiles_per_block", "split_k"}));
  EXPECT_EQ(keys(json["kernels"][0]["arguments"][0]),
            (Keys{"kind", "name", "type", "indices", "extents", "strides",
                  "offset", "alignment", "access"}));
}

//===----------------------------------------------------------------------===//
// Strictness
//===----------------------------------------------------------------------===//

namespace {

/// One change of a good description, and the error that it must cause.
struct BadCase {
  const char *name;
  /// JSON pointer (RFC 6901) of the value to replace, or to remove if there
  /// is no new one.
  const char *pointer;
  const char *value;
  const char *error;
};

class BadPackageTest : public testing::TestWithParam<BadCase> {};

const BadCase badCases[] = {
    {"UnknownFormat", "/format", "\"zip\"",
     "$.format: expected \"tc-package\", not \"zip\""},
    {"MissingFormat", "/format", nullptr, "$.format: missing"},
    {"UnknownVersion", "/version", "6",
     "$.version: unknown version 6; this program reads versions 1 to 5"},
    {"VersionZero", "/version", "0",
     "$.version: unknown version 0; this program reads versions 1 to 5"},
    {"KeysOfVersion2", "/version", "1",
     "$.kernels[0]: unknown key \"precision\""},
    {"VersionOfWrongType", "/version", "\"1\"",
     "$.version: expected an integer of at most 64 bits"},
    {"ExtraKey", "/extra", "1", "$: unknown key \"extra\""},
    {"MissingKey", "/name", nullptr, "$: missing key \"name\""},
    {"NameOfWrongType", "/name", "[]", "$.name: expected a string"},
    {"UnknownChip", "/target", "\"gfx90a\"",
     "$.target: \"gfx90a\" is not a chip like \"sm_90\""},
    {"ChipWithoutNumber", "/target", "\"sm_a\"",
     "$.target: \"sm_a\" is not a chip like \"sm_90\""},
    {"CodeKind", "/code/kind", "\"elf\"",
     "$.code.kind: expected \"ptx\" or \"cubin\""},
    {"CodeKeys", "/code/size", "1", "$.code: unknown key \"size\""},
    {"NoCodeFile", "/code/file", "\"\"",
     "$.code.file: \"\" is not a path below the folder of the description"},
    {"AbsoluteCodeFile", "/code/file", "\"/etc/passwd\"",
     "$.code.file: \"/etc/passwd\" is not a path below the folder of the "
     "description"},
    {"ClimbingCodeFile", "/code/file", "\"a/../../b\"",
     "$.code.file: \"a/../../b\" is not a path below the folder of the "
     "description"},
    {"NoKernels", "/kernels", "[]", "$.kernels: no kernels"},
    {"KernelsOfWrongType", "/kernels", "{}", "$.kernels: expected an array"},
    {"KernelOfWrongType", "/kernels/0", "1",
     "$.kernels[0]: expected an object"},
    {"KernelKeys", "/kernels/0/stream", "1",
     "$.kernels[0]: unknown key \"stream\""},
    {"Entry", "/kernels/0/entry", "\"9lives\"",
     "$.kernels[0].entry: \"9lives\" is not the name of a PTX entry"},
    {"GridOfTwo", "/kernels/0/grid", "[6, 1]",
     "$.kernels[0].grid: expected three integers"},
    {"GridOfZero", "/kernels/0/grid", "[6, 0, 1]",
     "$.kernels[0].grid[1]: must be at least 1, not 0"},
    {"GridTooLarge", "/kernels/0/grid", "[2147483648, 1, 1]",
     "$.kernels[0].grid[0]: must be between 1 and 2147483647, not 2147483648"},
    {"GridNotTheTiles", "/kernels/0/grid", "[5, 1, 1]",
     "$.kernels[0].grid: expected [6, 1, 1], the number of tiles in grid_dims, "
     "not [5, 1, 1]"},
    {"FractionalGrid", "/kernels/0/grid", "[6.5, 1, 1]",
     "$.kernels[0].grid[0]: expected an integer of at most 64 bits"},
    {"BlockTooLarge", "/kernels/0/block", "[1025, 1, 1]",
     "$.kernels[0].block[0]: must be between 1 and 1024, not 1025"},
    {"TooManyThreads", "/kernels/0/block", "[64, 32, 1]",
     "$.kernels[0].block: 2048 threads, more than 1024"},
    {"NegativeSharedMemory", "/kernels/0/static_shared_bytes", "-1",
     "$.kernels[0].static_shared_bytes: must be at least 0, not -1"},
    {"TooMuchSharedMemory", "/kernels/0/dynamic_shared_bytes", "4294967296",
     "$.kernels[0].dynamic_shared_bytes: must be between 0 and 2^31 - 1, not "
     "4294967296"},
    {"IntegerOf65Bits", "/kernels/0/dynamic_shared_bytes",
     "9223372036854775808",
     "$.kernels[0].dynamic_shared_bytes: expected an integer of at most 64 "
     "bits"},
    {"TwoTensors", "/kernels/0/arguments/2", nullptr,
     "$.kernels[0].arguments: expected the tensors A, B and C"},
    {"ScalarAmongTensors", "/kernels/0/arguments/1/kind", "\"scalar\"",
     "$.kernels[0].arguments[1].kind: the first three arguments must be "
     "tensors"},
    {"TensorNames", "/kernels/0/arguments/0/name", "\"B\"",
     "$.kernels[0].arguments[0].name: expected \"A\", not \"B\""},
    {"UnknownType", "/kernels/0/arguments/0/type", "\"f128\"",
     "$.kernels[0].arguments[0].type: unknown element type \"f128\""},
    {"BadLabel", "/kernels/0/arguments/0/indices/1", "\"k!\"",
     "$.kernels[0].arguments[0].indices[1]: \"k!\" is not an index name"},
    {"TooFewExtents", "/kernels/0/arguments/0/extents", "[5]",
     "$.kernels[0].arguments[0].extents: 1 extents for 2 indices"},
    {"TooManyStrides", "/kernels/0/arguments/0/strides", "[3, 1, 1]",
     "$.kernels[0].arguments[0].strides: 3 strides for 2 indices"},
    {"ZeroExtent", "/kernels/0/arguments/0/extents/0", "0",
     "$.kernels[0].arguments[0].extents[0]: must be at least 1, not 0"},
    {"ExtentsDiffer", "/kernels/0/arguments/1/extents/0", "4",
     "$.kernels[0].arguments[1].extents[0]: index \"k\" has extent 4 here and "
     "3 before"},
    {"NegativeOffset", "/kernels/0/arguments/0/offset", "-1",
     "$.kernels[0].arguments[0].offset: must be at least 0, not -1"},
    {"BeforeBase", "/kernels/0/arguments/0/strides/0", "-3",
     "$.kernels[0].arguments[0]: tensor A reaches position -12, which is "
     "before its base pointer"},
    {"StrideOverflows", "/kernels/0/arguments/0/strides/0",
     "4611686018427387904",
     "$.kernels[0].arguments[0]: tensor A spans more than 2^63 - 1 bytes"},
    {"BytesOverflow", "/kernels/0/arguments/0/offset", "1152921504606846976",
     "$.kernels[0].arguments[0]: tensor A spans more than 2^63 - 1 bytes"},
    {"LeastStride", "/kernels/0/arguments/0/strides/0", "-9223372036854775808",
     "$.kernels[0].arguments[0]: tensor A spans more than 2^63 - 1 bytes"},
    {"AlignmentNoPower", "/kernels/0/arguments/0/alignment", "24",
     "$.kernels[0].arguments[0].alignment: must be a power of two between 8 "
     "and 4096, not 24"},
    {"AlignmentBelowType", "/kernels/0/arguments/0/alignment", "4",
     "$.kernels[0].arguments[0].alignment: must be a power of two between 8 "
     "and 4096, not 4"},
    {"UnknownAccess", "/kernels/0/arguments/0/access", "\"rw\"",
     "$.kernels[0].arguments[0].access: expected \"read\", \"write\" or "
     "\"read_write\""},
    {"WrittenInput", "/kernels/0/arguments/1/access", "\"read_write\"",
     "$.kernels[0].arguments[1].access: expected \"read\", not "
     "\"read_write\""},
    {"ReadOutput", "/kernels/0/arguments/2/access", "\"read_write\"",
     "$.kernels[0].arguments[2].access: expected \"write\", not "
     "\"read_write\", because beta is the constant 0"},
    {"UnreadOutput", "/kernels/0/beta/value", "1",
     "$.kernels[0].arguments[2].access: expected \"read_write\", not "
     "\"write\", because beta is not the constant 0"},
    {"LabelOnlyInOutput", "/kernels/0/arguments/2/indices/1", "\"z\"",
     "$.kernels[0].arguments[2].indices[1]: index \"z\" of C is in neither A "
     "nor B"},
    {"OverlappingOutput", "/kernels/0/arguments/2/strides/0", "6",
     "$.kernels[0].arguments[2].strides: elements of C overlap"},
    {"BroadcastOutput", "/kernels/0/arguments/2/strides/0", "0",
     "$.kernels[0].arguments[2].strides: elements of C overlap"},
    {"Accumulator", "/kernels/0/accumulator", "\"int\"",
     "$.kernels[0].accumulator: unknown element type \"int\""},
    {"HalfAccumulator", "/kernels/0/accumulator", "\"bf16\"",
     "$.kernels[0].accumulator: sums are in f32, f64, i32, i64, c32 or c64, "
     "not in bf16"},
    {"ComplexOutput", "/kernels/0/arguments/2/type", "\"c64\"",
     "$.kernels[0].arguments[2].type: must be f64, the type of the sums, not "
     "c64"},
    {"ComplexAccumulator", "/kernels/0/accumulator", "\"c64\"",
     "$.kernels[0].arguments[1].type: must be c64, the type of the sums, not "
     "f64"},
    {"ConjugateOfReals", "/kernels/0/conjugate_a", "true",
     "$.kernels[0].conjugate_a: applies to complex numbers, but A has f64"},
    {"ConjugateNoBoolean", "/kernels/0/conjugate_b", "1",
     "$.kernels[0].conjugate_b: expected true or false"},
    {"ComplexAlpha", "/kernels/0/alpha", R"({"value": 1, "imaginary": 2})",
     "$.kernels[0].alpha: '1+2i' is complex, which no f64 is"},
    {"ImaginaryOfArgument", "/kernels/0/alpha",
     R"({"argument": 3, "imaginary": 2})",
     "$.kernels[0].alpha.imaginary: belongs to a \"value\""},
    {"UnknownPrecision", "/kernels/0/precision", "\"tf64\"",
     "$.kernels[0].precision: expected ieee, tf32, 3xtf32 or bf16x3, not "
     "\"tf64\""},
    {"PrecisionOfDoubles", "/kernels/0/precision", "\"tf32\"",
     "$.kernels[0].precision: tf32 applies to factors of f32, but they have "
     "f64"},
    {"AlphaTwice", "/kernels/0/alpha", R"({"value": 1, "argument": 3})",
     "$.kernels[0].alpha: expected either \"value\" or \"argument\""},
    {"AlphaNothing", "/kernels/0/alpha", "{}",
     "$.kernels[0].alpha: expected either \"value\" or \"argument\""},
    {"AlphaKeys", "/kernels/0/alpha/unit", "1",
     "$.kernels[0].alpha: unknown key \"unit\""},
    {"AlphaNoNumber", "/kernels/0/alpha/value", "null",
     "$.kernels[0].alpha.value: expected a number"},
    {"AlphaNoArgument", "/kernels/0/alpha", R"({"argument": 3})",
     "$.kernels[0].alpha.argument: expected the position of \"alpha\" in the "
     "arguments, which are the tensors, then alpha, then beta"},
    {"ArgumentWithoutUse", "/kernels/0/arguments/-",
     R"({"kind": "scalar", "name": "alpha", "type": "f64"})",
     "$.kernels[0].arguments[3]: argument that neither alpha nor beta refers "
     "to"},
    {"GridDimKeys", "/kernels/0/grid_dims/0/step", "1",
     "$.kernels[0].grid_dims[0]: unknown key \"step\""},
    {"GridDimOfInput", "/kernels/0/grid_dims/0/index", "\"k\"",
     "$.kernels[0].grid_dims[0].index: \"k\" is not an index of C"},
    {"GridDimTwice", "/kernels/0/grid_dims/1/index", "\"i\"",
     "$.kernels[0].grid_dims[1].index: \"i\" occurs twice"},
    {"GridDimExtent", "/kernels/0/grid_dims/1/extent", "8",
     "$.kernels[0].grid_dims[1].extent: index \"j\" of C has extent 7, not 8"},
    {"TileTooLarge", "/kernels/0/grid_dims/1/tile", "8",
     "$.kernels[0].grid_dims[1].tile: must be between 1 and the extent 7, not "
     "8"},
    {"GridDimMissing", "/kernels/0/grid_dims/1", nullptr,
     "$.kernels[0].grid_dims: index \"j\" of C is missing"},
    {"MappingMissing", "/kernels/0/mapping", nullptr,
     "$.kernels[0]: missing key \"mapping\""},
    {"MappingKeys", "/kernels/0/mapping/steps", "1",
     "$.kernels[0].mapping: unknown key \"steps\""},
    {"NegativeRaster", "/kernels/0/mapping/raster_m", "-1",
     "$.kernels[0].mapping.raster_m: must be at least 0, not -1"},
    {"NoTiles", "/kernels/0/mapping/tiles_per_block", "0",
     "$.kernels[0].mapping.tiles_per_block: must be at least 1, not 0"},
    {"Stationary", "/kernels/0/mapping/stationary", "\"A\"",
     "$.kernels[0].mapping.stationary: expected \"output\", \"a\" or \"b\""},
    {"TilesOfOutput", "/kernels/0/mapping/tiles_per_block", "2",
     "$.kernels[0].mapping.tiles_per_block: must be 1 where the output is "
     "stationary, not "
     "2"},
    {"GridOfTileLoop", "/kernels/0/mapping",
     R"({"raster_m": 0, "stationary": "a", "tiles_per_block": 2, "split_k": 1})",
     "$.kernels[0].grid: expected [3, 1, 1], the blocks that grid_dims and "
     "mapping ask for, not [6, 1, 1]"},
    {"OrderOfGridDims", "/kernels/0",
     R"({"entry": "contract", "grid": [6, 1, 1], "block": [32, 1, 1],
         "static_shared_bytes": 0, "dynamic_shared_bytes": 0, "arguments": [
         {"kind": "tensor", "name": "A", "type": "f64", "indices": ["i", "k"],
          "extents": [5, 3], "strides": [3, 1], "offset": 0, "alignment": 16,
          "access": "read"},
         {"kind": "tensor", "name": "B", "type": "f64", "indices": ["k", "j"],
          "extents": [3, 7], "strides": [7, 1], "offset": 0, "alignment": 16,
          "access": "read"},
         {"kind": "tensor", "name": "C", "type": "f64", "indices": ["i", "j"],
          "extents": [5, 7], "strides": [7, 1], "offset": 0, "alignment": 16,
          "access": "write"}], "accumulator": "f64", "precision": "ieee",
         "alpha": {"value": 1},
         "beta": {"value": 0}, "grid_dims": [
         {"index": "j", "extent": 7, "tile": 4},
         {"index": "i", "extent": 5, "tile": 2}], "mapping": {"raster_m": 2,
         "stationary": "output", "tiles_per_block": 1, "split_k": 1}, "schedule": ""})",
     "$.kernels[0].grid_dims[1].index: \"i\" is out of place: indices of M "
     "come first, then those of N, then the batch"},
    {"SplitWithoutWorkspace", "/kernels/0/mapping/split_k", "2",
     "$.kernels[0].mapping.split_k: is 2, but there is no workspace for the "
     "partial sums"},
    {"WorkspaceKeys", "/kernels/0/arguments/-",
     R"({"kind": "workspace", "bytes": 64, "zeroed_bytes": 0})",
     "$.kernels[0].arguments[3]: missing key \"alignment\""},
    {"WorkspaceOfNothing", "/kernels/0/arguments/-",
     R"({"kind": "workspace", "bytes": 0, "zeroed_bytes": 0, "alignment": 1})",
     "$.kernels[0].arguments[3].bytes: must be at least 1, not 0"},
    {"ZeroedBytes", "/kernels/0/arguments/-",
     R"({"kind": "workspace", "bytes": 9, "zeroed_bytes": 10, "alignment": 1})",
     "$.kernels[0].arguments[3].zeroed_bytes: must be between 0 and the 9 "
     "bytes of the workspace, not 10"},
    {"WorkspaceAlignment", "/kernels/0/arguments/-",
     R"({"kind": "workspace", "bytes": 9, "zeroed_bytes": 0, "alignment": 3})",
     "$.kernels[0].arguments[3].alignment: must be a power of two between 1 "
     "and 4096, not 3"},
    {"WorkspaceWithoutUse", "/kernels/0/arguments/-",
     R"({"kind": "workspace", "bytes": 9, "zeroed_bytes": 0, "alignment": 4})",
     "$.kernels[0].arguments[3].bytes: blocks share no sums, so there is no "
     "use for a workspace"},
    {"Symbol", "/kernels/0/symbol", R"("9lives")",
     "$.kernels[0].symbol: \"9lives\" is not the name of a PTX entry"},
    {"Schedule", "/kernels/0/schedule", "{}",
     "$.kernels[0].schedule: expected a string"},
};

} // namespace

/// Replaces, appends ("-") or removes the value that the case points at.
static void apply(const BadCase &bad, ordered_json &json) {
  ordered_json *parent = &json;
  std::istringstream pointer(bad.pointer + 1);
  std::string step, next;
  for (std::getline(pointer, step, '/'); std::getline(pointer, next, '/');
       step = next)
    parent =
        parent->is_array() ? &(*parent)[std::stoul(step)] : &(*parent)[step];
  if (!bad.value && parent->is_array())
    parent->erase(std::stoul(step));
  else if (!bad.value)
    parent->erase(step);
  else if (step == "-")
    parent->push_back(ordered_json::parse(bad.value));
  else if (parent->is_array())
    (*parent)[std::stoul(step)] = ordered_json::parse(bad.value);
  else
    (*parent)[step] = ordered_json::parse(bad.value);
}

TEST(PackageTest, ComplexNumbers) {
  Kernel kernel =
      makeKernel({"i", "k"}, {"k", "j"}, {"i", "j"},
                 {{"i", 5}, {"j", 7}, {"k", 3}}, model::ElementType::C64);
  kernel.alpha = {{0.5, -2}, false};
  kernel.conjugatesB = true;
  setBeta(kernel, {0, true});
  Result<Package> after = fromJson(toJson(makePackage(kernel)));
  ASSERT_TRUE(after) << after.error();
  const Kernel &read = after->kernels[0];
  EXPECT_EQ(read.alpha.value, kernel.alpha.value);
  EXPECT_FALSE(read.conjugatesA);
  EXPECT_TRUE(read.conjugatesB);
  EXPECT_EQ(read.accumulatorType, model::ElementType::C64);
  // An argument has both parts.
  Problem problem = std::move(*makeProblem(read, {}));
  ASSERT_EQ(scalarArguments(read, problem).size(), 1u);
  EXPECT_EQ(scalarArguments(read, problem)[0].size(), 16u);

  Kernel wrong = kernel;
  wrong.semiring = model::Semiring::MaxPlus;
  EXPECT_EQ(verify(makePackage(wrong)).error(),
            "$.kernels[0].semiring: max_plus applies to real numbers, but "
            "factors have c64");
  wrong = kernel;
  wrong.epilogue = "relu(x)";
  EXPECT_EQ(verify(makePackage(wrong)).error(),
            "$.kernels[0].epilogue: applies to real numbers");
}

TEST_P(BadPackageTest, IsRejected) {
  const BadCase &bad = GetParam();
  ordered_json json = ordered_json::parse(toJson(makePackage(matmulKernel())));
  ASSERT_TRUE(fromJson(json.dump()));
  apply(bad, json);
  Result<Package> package = fromJson(json.dump());
  ASSERT_FALSE(package);
  EXPECT_EQ(package.error(), bad.error);
}

INSTANTIATE_TEST_SUITE_P(All, BadPackageTest, testing::ValuesIn(badCases),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });

TEST(PackageTest, BadFusedCode) {
  auto errorOf = [](const char *pointer, const char *value) {
    ordered_json json = ordered_json::parse(toJson(makePackage(fusedKernel())));
    apply({"", pointer, value, ""}, json);
    Result<Package> package = fromJson(json.dump());
    return package ? std::string() : package.error();
  };
  EXPECT_EQ(errorOf("/kernels/0/prologue_b", "\"y\""),
            "$.kernels[0].prologue_b: column 1: unknown variable 'y'");
  EXPECT_EQ(
      errorOf("/kernels/0/prologue_a", "\"x + bias[j]\""),
      "$.kernels[0].prologue_a: column 5: 'bias[': no auxiliary tensors can be "
      "read here");
  EXPECT_EQ(errorOf("/kernels/0/epilogue", "\"x + bias[i]\""),
            "$.kernels[0].epilogue: \"bias\" has other indices as an argument");
  EXPECT_EQ(errorOf("/kernels/0/epilogue", "\"x + scale[j] + c\""),
            "$.kernels[0].epilogue: no argument is called \"scale\"");
  EXPECT_EQ(errorOf("/kernels/0/epilogue", "\"x + bias[j]\""),
            "$.kernels[0].arguments[2].access: expected \"write\", not "
            "\"read_write\", because beta is the constant 0");
  EXPECT_EQ(errorOf("/kernels/0/arguments/2/access", "\"write\""),
            "$.kernels[0].arguments[2].access: expected \"read_write\", not "
            "\"write\", because the epilogue uses c");
  EXPECT_EQ(errorOf("/kernels/0/arguments/3/name", "\"c\""),
            "$.kernels[0].arguments[3].name: \"c\" is no name for another "
            "tensor");
  EXPECT_EQ(errorOf("/kernels/0/arguments/3/indices/0", "\"k\""),
            "$.kernels[0].arguments[3].extents[0]: index \"k\" has extent 7 "
            "here and 3 before");
  EXPECT_EQ(errorOf("/kernels/0/arguments/3/access", "\"write\""),
            "$.kernels[0].arguments[3].access: expected \"read\"");
  Package package = makePackage(matmulKernel());
  package.kernels[0].hasOtherCode = true;
  Status status = verify(package);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error(),
            "$.kernels[0]: has fused code that no expression describes");
}

static Kernel distanceKernel() {
  Kernel kernel = matmulKernel();
  kernel.semiring = model::Semiring::UserDefined;
  kernel.product = "abs(x - y)";
  kernel.combine = "max(x, y)";
  kernel.identity = -std::numeric_limits<double>::infinity();
  kernel.alpha = {1.0, false};
  kernel.beta = {0.0, false};
  kernel.tensors[2].isRead = false;
  return kernel;
}

TEST(PackageTest, UserSemiringsAreKept) {
  Result<Package> after = fromJson(toJson(makePackage(distanceKernel())));
  ASSERT_TRUE(after) << after.error();
  const Kernel &kernel = after->kernels[0];
  EXPECT_EQ(kernel.semiring, model::Semiring::UserDefined);
  EXPECT_EQ(kernel.product, "abs(x - y)");
  EXPECT_EQ(kernel.combine, "max(x, y)");
  EXPECT_EQ(kernel.identity, -std::numeric_limits<double>::infinity());
}

TEST(PackageTest, BadUserSemirings) {
  auto errorOf = [](const std::function<void(ordered_json &)> &change) {
    ordered_json json =
        ordered_json::parse(toJson(makePackage(distanceKernel())));
    change(json["kernels"][0]);
    Result<Package> package = fromJson(json.dump());
    return package ? std::string() : package.error();
  };
  EXPECT_EQ(errorOf([](ordered_json &json) { json.erase("combine"); }),
            "$.kernels[0].combine: is missing, but semiring is user_defined");
  EXPECT_EQ(errorOf([](ordered_json &json) { json.erase("identity"); }),
            "$.kernels[0]: expected \"identity\" where the semiring is "
            "user_defined, and nowhere else");
  EXPECT_EQ(errorOf([](ordered_json &json) {
              json.erase("semiring");
              json.erase("identity");
            }),
            "$.kernels[0].product: belongs to semiring user_defined");
  EXPECT_EQ(errorOf([](ordered_json &json) { json["product"] = "x * c"; }),
            "$.kernels[0].product: column 5: unknown variable 'c'");
  EXPECT_EQ(errorOf([](ordered_json &json) { json["identity"] = "nan"; }),
            "$.kernels[0].identity: 'nan' is no number");
  EXPECT_EQ(errorOf([](ordered_json &json) { json["alpha"]["value"] = 2; }),
            "$.kernels[0].alpha: must be the constant 1 where semiring is "
            "user_defined");
  EXPECT_EQ(errorOf([](ordered_json &json) { json["beta"]["value"] = 1; }),
            "$.kernels[0].beta: must be the constant 0 where semiring is "
            "user_defined");
  EXPECT_EQ(errorOf([](ordered_json &json) {
              for (int i = 0; i < 3; ++i)
                json["arguments"][i]["type"] = "i32";
              json["accumulator"] = "i32";
              json["product"] = "sqrt(x)";
            }),
            "$.kernels[0].product: 'sqrt' is not defined for integers");
  auto makeIntegers = [](ordered_json &json, const char *type) {
    for (int i = 0; i < 3; ++i)
      json["arguments"][i]["type"] = type;
    json["accumulator"] = type;
  };
  EXPECT_EQ(errorOf([&](ordered_json &json) {
              makeIntegers(json, "i32");
              json["combine"] = "max(x, y + 2147483648)";
            }),
            "$.kernels[0].combine: '2147483648' is no i32");
  EXPECT_EQ(errorOf([&](ordered_json &json) {
              makeIntegers(json, "i64");
              json["identity"] = 0.5;
            }),
            "$.kernels[0].identity: '0.5' is no i64");
}

TEST(PackageTest, FactorsAreOfTheTypeOfSums) {
  auto read = [](const char *type, const ordered_json &factor) {
    ordered_json json =
        ordered_json::parse(toJson(makePackage(matmulKernel())));
    ordered_json &kernel = json["kernels"][0];
    for (int i = 0; i < 3; ++i)
      kernel["arguments"][i]["type"] = type;
    kernel["accumulator"] = type;
    kernel["alpha"] = {{"value", factor}};
    return fromJson(json.dump());
  };
  EXPECT_EQ(read("i32", 1.5).error(), "$.kernels[0].alpha: '1.5' is no i32");
  EXPECT_EQ(read("i32", int64_t(1) << 31).error(),
            "$.kernels[0].alpha: '2147483648' is no i32");
  EXPECT_EQ(read("i64", 0x1p63).error(),
            "$.kernels[0].alpha: '9223372036854775808' is no i64");
  EXPECT_EQ(read("f32", 1e40).error(),
            "$.kernels[0].alpha: '1e+40' is too large for f32");
  for (int64_t exact :
       {(int64_t(1) << 53) + 1, std::numeric_limits<int64_t>::max(),
        std::numeric_limits<int64_t>::min()}) {
    Result<Package> package = read("i64", exact);
    ASSERT_TRUE(package) << package.error();
    EXPECT_EQ(package->kernels[0].alpha.value.integer(), exact);
    Result<Package> again = fromJson(toJson(*package));
    ASSERT_TRUE(again) << again.error();
    EXPECT_EQ(again->kernels[0].alpha.value.integer(), exact);
  }
  // Beyond integers of 64 bits, it is a number all the same.
  Result<Package> wide = read("f64", ~uint64_t(0));
  ASSERT_TRUE(wide) << wide.error();
  EXPECT_EQ(wide->kernels[0].alpha.value, 0x1p64);
}

TEST(PackageTest, EntriesAreUnique) {
  Package package = makePackage(matmulKernel());
  package.kernels.push_back(package.kernels[0]);
  Result<Package> read = fromJson(toJson(package));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error(), "$.kernels[1].entry: \"contract\" occurs twice");
}

TEST(PackageTest, NumberOfElementsMayNotOverflow) {
  // All elements of an input at one position: few bytes, many coordinates.
  Kernel kernel =
      makeKernel({"i", "x", "y"}, {"i"}, {"i"}, {{"i", 1}, {"x", 1}, {"y", 1}});
  kernel.tensors[0].extents = {1, int64_t(1) << 32, int64_t(1) << 32};
  kernel.tensors[0].strides = {0, 0, 0};
  Status status = verify(makePackage(kernel));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error(), "$.kernels[0].arguments[0].extents: the number of "
                            "elements overflows");
}

TEST(PackageTest, MalformedTextIsLocated) {
  struct {
    const char *text, *error;
  } cases[] = {
      {"", "line 1, column 1: malformed JSON"},
      {"{\n  \"format\": }", "line 2, column 13: malformed JSON"},
      {"{} {}", "line 1, column 4: malformed JSON"},
      {"{\"a\": 1, \"a\": 2}", "key \"a\" occurs twice in one object"},
      {"[]", "$.format: missing"},
      {"\xff", "line 1, column 1: malformed JSON"},
  };
  for (const auto &test : cases) {
    Result<Package> package = fromJson(test.text);
    ASSERT_FALSE(package) << test.text;
    EXPECT_EQ(package.error(), test.error) << test.text;
  }
  Result<Package> deep = fromJson(std::string(100000, '['));
  ASSERT_FALSE(deep);
  EXPECT_EQ(deep.error(), "JSON nested more than 32 levels deep");
}

TEST(PackageTest, TakesFormerNamesOfKeys) {
  Kernel kernel = matmulKernel();
  kernel.mapping = {0, model::Stationary::A, 2, 1};
  kernel.grid[0] = 3;
  nlohmann::json json = nlohmann::json::parse(toJson(makePackage(kernel)));
  nlohmann::json &mapping = json["kernels"][0]["mapping"];
  mapping["walk"] = mapping["tiles_per_block"];
  mapping.erase("tiles_per_block");
  Result<Package> package = fromJson(json.dump());
  ASSERT_TRUE(package) << package.error();
  EXPECT_EQ(package->kernels[0].mapping.tilesPerBlock, 2);

  mapping.erase("walk");
  package = fromJson(json.dump());
  ASSERT_FALSE(package);
  EXPECT_EQ(package.error(),
            "$.kernels[0].mapping: missing key \"tiles_per_block\"");
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

TEST(PackageTest, LoadsCodeBesideDescription) {
  const TemporaryFolder folder;
  const std::string path = folder.path("test.json");
  Package package = makePackage(matmulKernel());
  package.codeFile = "test.ptx";
  folder.write("test.json", toJson(package));

  Result<LoadedPackage> missing = loadPackage(path);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().rfind(path + ": $.code.file: ", 0), 0u)
      << missing.error();

  folder.write("test.ptx", "code\n");
  Result<LoadedPackage> loaded = loadPackage(path);
  ASSERT_TRUE(loaded) << loaded.error();
  EXPECT_EQ(loaded->code, "code\n");
  EXPECT_EQ(loaded->package.kernels.size(), 1u);

  folder.write("test.json", "{");
  Result<LoadedPackage> malformed = loadPackage(path);
  ASSERT_FALSE(malformed);
  EXPECT_EQ(malformed.error(), path + ": line 1, column 2: malformed JSON");

  EXPECT_FALSE(loadPackage(folder.path("no-such-file.json")));
  EXPECT_FALSE(loadPackage(folder.name()));
}

TEST(PackageTest, ComputeCapabilities) {
  EXPECT_EQ(computeCapabilityOf("sm_75"), 75u);
  EXPECT_EQ(computeCapabilityOf("sm_90a"), 90u);
  EXPECT_EQ(computeCapabilityOf("sm_120"), 120u);
  for (const char *bad : {"", "sm_", "sm_a", "sm_90ab", "sm_90 ", "compute_90"})
    EXPECT_FALSE(computeCapabilityOf(bad)) << bad;
}
