//===- ContractionDimsTest.cpp - Tests of index roles and strides ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks the model's record of an operation against extents, strides and roles
// worked out by hand.
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/ContractionDims.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace tc;
using model::Contraction;
using model::Role;
using model::Tensor;

namespace {

class ContractionDimsTest : public ::testing::Test {
protected:
  ContractionDimsTest() {
    context.loadDialect<TCDialect, mlir::func::FuncDialect,
                        mlir::arith::ArithDialect>();
    context.getDiagEngine().registerHandler(
        [this](mlir::Diagnostic &diagnostic) {
          diagnostics += diagnostic.str() + "\n";
        });
  }

  /// The first contraction of a function with these arguments and this body.
  ContractOp parse(const std::string &arguments, const std::string &body) {
    module = mlir::parseSourceString<ModuleOp>(
        "func.func @f(" + arguments + ") {\n" + body + "\nreturn\n}", &context);
    EXPECT_TRUE(module) << diagnostics;
    ContractOp found;
    if (module)
      module->walk([&](ContractOp op) { found = op; });
    EXPECT_TRUE(found);
    return found;
  }

  /// A contraction of memrefs of these types.
  ContractOp parseMemrefs(const std::string &lists, const std::string &a,
                          const std::string &b, const std::string &c) {
    return parse("%a: " + a + ", %b: " + b + ", %c: " + c,
                 "tc.contract " + lists + " ins(%a, %b : " + a + ", " + b +
                     ") outs(%c : " + c + ")");
  }

  IndexListAttr list(ArrayRef<StringRef> labels) {
    return IndexListAttr::get(&context, labels);
  }

  MLIRContext context;
  mlir::OwningOpRef<ModuleOp> module;
  std::string diagnostics;
};

std::string spell(const ContractionDims::Labels &labels) {
  std::string text;
  for (StringAttr label : labels)
    text += label.str();
  return text;
}

void expectIndex(const Contraction &contraction, const std::string &label,
                 int64_t extent, Role role, std::array<int64_t, 3> strides) {
  std::optional<unsigned> position = contraction.find(label);
  ASSERT_TRUE(position) << label;
  const model::Index &index = contraction.indices[*position];
  EXPECT_EQ(index.extent, extent) << label;
  EXPECT_EQ(index.role, role) << label;
  for (Tensor tensor : model::allTensors)
    EXPECT_EQ(index.stride[tensor], strides[static_cast<unsigned>(tensor)])
        << label << " in " << static_cast<unsigned>(tensor);
}

TEST_F(ContractionDimsTest, RolesFollowFromLists) {
  // One row for every set of roles that may be empty or not.
  struct Case {
    std::vector<StringRef> a, b, c;
    std::string batch, m, n, k;
  };
  const Case cases[] = {
      {{"i", "k"}, {"k", "j"}, {"i", "j"}, "", "i", "j", "k"},
      {{"b", "i", "k"}, {"k", "j", "b"}, {"j", "b", "i"}, "b", "i", "j", "k"},
      {{"b", "i", "k"}, {"b", "k"}, {"b", "i"}, "b", "i", "", "k"},
      {{"b", "k"}, {"b", "k", "j"}, {"b", "j"}, "b", "", "j", "k"},
      {{"b", "i"}, {"b", "j"}, {"b", "i", "j"}, "b", "i", "j", ""},
      {{"b", "i"}, {"b"}, {"i", "b"}, "b", "i", "", ""},
      {{"b"}, {"j", "b"}, {"b", "j"}, "b", "", "j", ""},
      {{"b", "k"}, {"k", "b"}, {"b"}, "b", "", "", "k"},
      {{"b", "c"}, {"c", "b"}, {"c", "b"}, "cb", "", "", ""},
      {{"i", "k"}, {"k"}, {"i"}, "", "i", "", "k"},
      {{"k"}, {"k", "j"}, {"j"}, "", "", "j", "k"},
      {{"i"}, {"j"}, {"i", "j"}, "", "i", "j", ""},
      {{"k"}, {"k"}, {}, "", "", "", "k"},
      {{"i", "j"}, {}, {"j", "i"}, "", "ji", "", ""},
      {{}, {"i", "j"}, {"j", "i"}, "", "", "ji", ""},
      {{}, {}, {}, "", "", "", ""},
      // Summed within one input.
      {{"p", "i"}, {"j", "q"}, {"i", "j"}, "", "i", "j", "pq"},
      // Diagonals.
      {{"i", "i"}, {"k", "k"}, {"i"}, "", "i", "", "k"},
  };
  for (const Case &test : cases) {
    ContractionDims dims =
        inferContractionDims(list(test.a), list(test.b), list(test.c));
    EXPECT_EQ(spell(dims.batch()), test.batch);
    EXPECT_EQ(spell(dims.m()), test.m);
    EXPECT_EQ(spell(dims.n()), test.n);
    EXPECT_EQ(spell(dims.k()), test.k);
  }
}

TEST_F(ContractionDimsTest, TensorsAreContiguous) {
  ContractOp op =
      parse("%a: tensor<2x3x4xf32>, %b: tensor<4x5xf32>, %c: tensor<5x3x2xf32>",
            "%d = tc.contract [i, j, k], [k, n] -> [n, j, i]"
            " ins(%a, %b : tensor<2x3x4xf32>, tensor<4x5xf32>)"
            " outs(%c : tensor<5x3x2xf32>) -> tensor<5x3x2xf32>");
  FailureOr<Contraction> contraction = toContraction(op);
  ASSERT_TRUE(succeeded(contraction)) << diagnostics;
  ASSERT_EQ(contraction->indices.size(), 4u);
  // The order of the iteration space.
  EXPECT_EQ(contraction->indices[0].label, "n");
  EXPECT_EQ(contraction->indices[3].label, "k");
  expectIndex(*contraction, "n", 5, Role::N, {0, 1, 6});
  expectIndex(*contraction, "j", 3, Role::M, {4, 0, 2});
  expectIndex(*contraction, "i", 2, Role::M, {12, 0, 1});
  expectIndex(*contraction, "k", 4, Role::K, {1, 5, 0});
  EXPECT_EQ(contraction->elementType[Tensor::A], model::ElementType::F32);
  EXPECT_EQ(contraction->accumulatorType, model::ElementType::F32);
  EXPECT_FALSE(contraction->readsC);
}

TEST_F(ContractionDimsTest, AgreesWithTheModel) {
  ContractOp op = parse(
      "%a: tensor<6x3x4xf64>, %b: tensor<4x5x6xf64>, %c: tensor<5x6x3xf64>",
      "%d = tc.contract [b, i, k], [k, j, b] -> [j, b, i]"
      " ins(%a, %b : tensor<6x3x4xf64>, tensor<4x5x6xf64>)"
      " outs(%c : tensor<5x6x3xf64>) -> tensor<5x6x3xf64>");
  FailureOr<Contraction> contraction = toContraction(op);
  ASSERT_TRUE(succeeded(contraction)) << diagnostics;
  Result<Contraction> expected = model::makeContiguous(
      {{{{"b", "i", "k"}, {"k", "j", "b"}, {"j", "b", "i"}}}},
      {{"b", 6}, {"i", 3}, {"k", 4}, {"j", 5}}, model::ElementType::F64);
  ASSERT_TRUE(expected) << expected.error();
  ASSERT_EQ(contraction->indices.size(), expected->indices.size());
  for (const model::Index &index : expected->indices)
    expectIndex(*contraction, index.label, index.extent, index.role,
                index.stride);
}

TEST_F(ContractionDimsTest, MemrefsHaveStridesAndOffsets) {
  ContractOp op = parseMemrefs("[i, k], [k, j] -> [i, j]",
                               "memref<4x8xf64, strided<[1, 10], offset: 3>>",
                               "memref<8x2xf64, strided<[0, -1], offset: 1>>",
                               "memref<4x2xf64>");
  FailureOr<Contraction> contraction = toContraction(op);
  ASSERT_TRUE(succeeded(contraction)) << diagnostics;
  expectIndex(*contraction, "i", 4, Role::M, {1, 0, 2});
  expectIndex(*contraction, "k", 8, Role::K, {10, 0, 0});
  expectIndex(*contraction, "j", 2, Role::N, {0, -1, 1});
  EXPECT_EQ(contraction->offset[Tensor::A], 3);
  EXPECT_EQ(contraction->offset[Tensor::B], 1);
  EXPECT_EQ(contraction->offset[Tensor::C], 0);
}

TEST_F(ContractionDimsTest, StridesOfADiagonalAddUp) {
  ContractOp op =
      parseMemrefs("[i, k, i], [k, k, k] -> [i]", "memref<4x8x4xf32>",
                   "memref<8x8x8xf32>", "memref<4xf32>");
  FailureOr<Contraction> contraction = toContraction(op);
  ASSERT_TRUE(succeeded(contraction)) << diagnostics;
  expectIndex(*contraction, "i", 4, Role::M, {33, 0, 1});
  expectIndex(*contraction, "k", 8, Role::K, {4, 73, 0});
}

TEST_F(ContractionDimsTest, StridesOfUnitExtentsDoNotMatter) {
  ContractOp op =
      parseMemrefs("[i, k], [k] -> [i]", "memref<1x8xf32, strided<[?, 1]>>",
                   "memref<8xf32>", "memref<1xf32, strided<[5]>>");
  FailureOr<Contraction> contraction = toContraction(op);
  ASSERT_TRUE(succeeded(contraction)) << diagnostics;
  expectIndex(*contraction, "i", 1, Role::M, {0, 0, 0});
}

TEST_F(ContractionDimsTest, AnotherOperandMayKnowTheExtent) {
  ContractOp op =
      parseMemrefs("[i, k], [k] -> [i]", "memref<?x8xf32, strided<[8, 1]>>",
                   "memref<?xf32>", "memref<4xf32>");
  FailureOr<Contraction> contraction = toContraction(op);
  ASSERT_TRUE(succeeded(contraction)) << diagnostics;
  expectIndex(*contraction, "i", 4, Role::M, {8, 0, 1});
  expectIndex(*contraction, "k", 8, Role::K, {1, 1, 0});
}

// Then it knows the strides that follow as well.
TEST_F(ContractionDimsTest, KnownExtentsGiveStrides) {
  ContractOp op = parseMemrefs("[i, k], [k] -> [i]", "memref<4x?xf32>",
                               "memref<8xf32>", "memref<4xf32>");
  FailureOr<Contraction> contraction = toContraction(op);
  ASSERT_TRUE(succeeded(contraction)) << diagnostics;
  expectIndex(*contraction, "i", 4, Role::M, {8, 0, 1});
}

TEST_F(ContractionDimsTest, RepresentativesStandForUnknownExtents) {
  ContractOp op = parseMemrefs("[i, k], [k, j] -> [i, j]", "memref<?x?xf32>",
                               "memref<?x16xf32>", "memref<?x?xf32>");
  FailureOr<Contraction> contraction =
      toContraction(op, {{"i", 32}, {"j", 99}, {"k", 8}});
  ASSERT_TRUE(succeeded(contraction)) << diagnostics;
  expectIndex(*contraction, "i", 32, Role::M, {8, 0, 16});
  // Known extents are not replaced.
  expectIndex(*contraction, "j", 16, Role::N, {0, 1, 1});
  expectIndex(*contraction, "k", 8, Role::K, {1, 16, 0});
  RepresentativeExtents onlyOne = {{"i", 32}};
  EXPECT_TRUE(failed(toContraction(op, onlyOne)));
  EXPECT_NE(diagnostics.find("extent of index 'k' is unknown at compile time"),
            std::string::npos);
}

TEST_F(ContractionDimsTest, ReadsCUnlessBetaIsZero) {
  const std::string arguments = "%m: memref<2xf32>, %s: memref<f32>, %x: f32";
  const std::string contract =
      "tc.contract [i], [] -> [i] ins(%m, %s : memref<2xf32>, memref<f32>)"
      " outs(%m : memref<2xf32>)";
  auto readsC = [&](const std::string &body) {
    FailureOr<Contraction> contraction = toContraction(parse(arguments, body));
    EXPECT_TRUE(succeeded(contraction)) << diagnostics;
    return contraction->readsC;
  };
  EXPECT_FALSE(readsC(contract));
  EXPECT_TRUE(readsC(contract + " beta(%x : f32)"));
  EXPECT_FALSE(
      readsC("%b = arith.constant 0.0 : f32\n" + contract + " beta(%b : f32)"));
  EXPECT_TRUE(
      readsC("%b = arith.constant 0.5 : f32\n" + contract + " beta(%b : f32)"));
}

TEST_F(ContractionDimsTest, UnknownOffsetsAreFromTheLowestElement) {
  ContractOp op = parseMemrefs("[i, k], [k, j] -> [i, j]", "memref<4x8xf32>",
                               "memref<8x2xf32, strided<[-2, 1], offset: ?>>",
                               "memref<4x2xf32, strided<[9, 1], offset: ?>>");
  FailureOr<Contraction> contraction = toContraction(op);
  ASSERT_TRUE(succeeded(contraction)) << diagnostics;
  EXPECT_EQ(contraction->offset, (model::PerTensor<int64_t>{{0, 14, 0}}));
  EXPECT_EQ(contraction->baseAlignment, (model::PerTensor<int64_t>{{0, 1, 1}}));
}

TEST_F(ContractionDimsTest, LowestElementsAreThoseOfTheBufferNotOfItsDiagonal) {
  // The diagonal ascends by 10 elements, but the buffer begins 2 before it.
  ContractOp op = parseMemrefs("[i, i], [] -> [i]",
                               "memref<3x3xf32, strided<[11, -1], offset: ?>>",
                               "memref<f32>", "memref<3xf32>");
  FailureOr<Contraction> contraction = toContraction(op);
  ASSERT_TRUE(succeeded(contraction)) << diagnostics;
  EXPECT_EQ(contraction->offset[model::Tensor::A], 2);
}

TEST_F(ContractionDimsTest, UnknownsAndZerosAreErrors) {
  struct Case {
    std::string a, b, c, message;
  };
  const Case cases[] = {
      {"memref<?x8xf32>", "memref<8x2xf32>", "memref<?x2xf32>",
       "extent of index 'i' is unknown at compile time"},
      {"memref<4x0xf32>", "memref<0x2xf32>", "memref<4x2xf32>",
       "index 'k' has extent 0, so that nothing is multiplied"},
      {"memref<4x8xf32, strided<[?, 1]>>", "memref<8x2xf32>", "memref<4x2xf32>",
       "stride of A along index 'i' is unknown at compile time"},
  };
  for (const Case &test : cases) {
    diagnostics.clear();
    ContractOp op =
        parseMemrefs("[i, k], [k, j] -> [i, j]", test.a, test.b, test.c);
    EXPECT_TRUE(failed(toContraction(op)));
    EXPECT_NE(diagnostics.find(test.message), std::string::npos) << diagnostics;
  }
}

TEST_F(ContractionDimsTest, HalvesAreSummedInSinglePrecision) {
  ContractOp op = parse("%a: tensor<2xbf16>, %b: tensor<2xbf16>, "
                        "%c: tensor<f32>",
                        "%d = tc.contract [k], [k] -> []"
                        " ins(%a, %b : tensor<2xbf16>, tensor<2xbf16>)"
                        " outs(%c : tensor<f32>) -> tensor<f32>");
  FailureOr<Contraction> contraction = toContraction(op);
  ASSERT_TRUE(succeeded(contraction)) << diagnostics;
  using model::ElementType;
  EXPECT_EQ(contraction->elementType[Tensor::A], ElementType::BF16);
  EXPECT_EQ(contraction->elementType[Tensor::B], ElementType::BF16);
  EXPECT_EQ(contraction->elementType[Tensor::C], ElementType::F32);
  EXPECT_EQ(contraction->accumulatorType, ElementType::F32);
  EXPECT_EQ(contraction->precision, model::Precision::IEEE);
}

TEST_F(ContractionDimsTest, PrecisionIsTheOperations) {
  ContractOp op = parse("%a: tensor<2xf32>, %c: tensor<f32>",
                        "%d = tc.contract [k], [k] -> []"
                        " ins(%a, %a : tensor<2xf32>, tensor<2xf32>)"
                        " outs(%c : tensor<f32>) precision = \"3xtf32\""
                        " -> tensor<f32>");
  FailureOr<Contraction> contraction = toContraction(op);
  ASSERT_TRUE(succeeded(contraction)) << diagnostics;
  EXPECT_EQ(contraction->precision, model::Precision::TF32x3);
}

TEST_F(ContractionDimsTest, ChecksListsAgainstTypes) {
  auto f32 = mlir::Float32Type::get(&context);
  auto i16 = IntegerType::get(&context, 16);
  auto convert = [&](Type a, ArrayRef<StringRef> b) {
    diagnostics.clear();
    model::PerTensor<IndexListAttr> lists = {
        {list({"i", "k"}), list(b), list({"i"})}};
    model::PerTensor<ShapedType> types = {{MemRefType::get({4, 8}, a),
                                           MemRefType::get({8}, f32),
                                           MemRefType::get({4}, f32)}};
    return readTensors(
        [&] { return emitError(mlir::UnknownLoc::get(&context)); }, lists,
        types);
  };
  auto tensors = convert(f32, {"k"});
  ASSERT_TRUE(succeeded(tensors)) << diagnostics;
  EXPECT_EQ((*tensors)[Tensor::A].strides, (std::vector<int64_t>{8, 1}));
  EXPECT_TRUE(failed(convert(i16, {"k"})));
  EXPECT_EQ(diagnostics, "element type of A must be f8e4m3fn, f8e5m2, f16, "
                         "bf16, f32, f64, i8, i32, "
                         "i64, c32 or c64, but is 'i16'\n");
  EXPECT_TRUE(failed(convert(f32, {"k", "j"})));
  EXPECT_EQ(diagnostics, "index list of B has 2 labels, but its rank is 1\n");
}

TEST_F(ContractionDimsTest, SchedulesAreUniquedByValue) {
  model::Schedule schedule;
  schedule.target = "sm_90";
  schedule.m = {{"i", 4}};
  schedule.registerM = 2;
  auto first = ScheduleAttr::get(&context, schedule);
  EXPECT_EQ(first, ScheduleAttr::get(&context, schedule));
  schedule.m = {{"i", 8}};
  EXPECT_NE(first, ScheduleAttr::get(&context, schedule));
  EXPECT_EQ(first,
            parseSchedule("target = \"sm_90\", m = [i: 4], n = [], k = [], "
                          "register = [2, 1]",
                          &context));
  EXPECT_FALSE(parseSchedule("#tc.indices<[i]>", &context));
  EXPECT_FALSE(parseSchedule("target = \"sm_90\"> x", &context));
  diagnostics.clear();
  schedule.mapping.splitK = 2;
  EXPECT_NE(first, ScheduleAttr::get(&context, schedule));
  schedule.mapping.splitK = 0;
  EXPECT_FALSE(ScheduleAttr::getChecked(
      [&] { return emitError(mlir::UnknownLoc::get(&context)); }, &context,
      schedule));
  EXPECT_EQ(diagnostics, "'split_k' must be at least 1, but is 0\n");
}

} // namespace
