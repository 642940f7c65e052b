//===- EinsumTest.cpp - Tests of the einsum notation ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The forms that the parser reads, and every diagnostic with its place.
//
//===----------------------------------------------------------------------===//

#include "NotationTest.h"

using namespace tc;
using namespace tc::notation;
using namespace tc::notation::test;

static ParsedContraction einsum(std::string_view text,
                                std::string_view extents = "",
                                ParseOptions options = {}) {
  Contractions result =
      parseValid(Notation::Einsum, text, extents, std::move(options));
  EXPECT_EQ(result.size(), 1u);
  return result.front();
}

TEST(Einsum, ReadsListsAndExtents) {
  ParsedContraction c = einsum("abc,cd->abd", "a=24,b=16,c=8,d=4");
  EXPECT_EQ(labelsOf(c, Tensor::A), List({"a", "b", "c"}));
  EXPECT_EQ(labelsOf(c, Tensor::B), List({"c", "d"}));
  EXPECT_EQ(labelsOf(c, Tensor::C), List({"a", "b", "d"}));
  EXPECT_EQ(extentsOf(c), Extents({{"a", 24}, {"b", 16}, {"d", 4}, {"c", 8}}));
  EXPECT_EQ(c.record.factorType, model::ElementType::F64);
  EXPECT_EQ(c.record.alpha.value, 1.0);
  EXPECT_EQ(c.record.beta.value, 0.0);
  EXPECT_EQ(c.name, "contract");
}

TEST(Einsum, ReadsSettings) {
  ParsedContraction c = einsum("# a product\r\n"
                               "\n"
                               "  ab , b c -> c a   # transposed\n"
                               "a = 2, b=3;c = 4\n"
                               "type = f32\n"
                               "layout = col\n"
                               "alpha = -2.5e-1\n"
                               "beta = 3\n"
                               "name = product");
  EXPECT_EQ(columnMajorLabelsOf(c, Tensor::B), List({"b", "c"}));
  EXPECT_EQ(columnMajorLabelsOf(c, Tensor::C), List({"c", "a"}));
  EXPECT_EQ(labelsOf(c, Tensor::C), List({"a", "c"}));
  EXPECT_EQ(c.record.factorType, model::ElementType::F32);
  EXPECT_EQ(c.record.alpha.value, -0.25);
  EXPECT_EQ(c.record.beta.value, 3.0);
  EXPECT_EQ(c.name, "product");
  EXPECT_EQ(c.position.line, 3u);
  EXPECT_EQ(c.position.column, 3u);
}

TEST(Einsum, ReadsSymbols) {
  // A digit, a Greek letter, a blank and an arrow of Unicode's, and one of the
  // last plane.
  ParsedContraction c = einsum("1\xce\xb1\xe1\x9a\x80, \xe1\x9a\x80"
                               "\xe2\x86\x92"
                               "2\xf4\x8f\xbf\xbf",
                               "1=2, 2=3, \xce\xb1=4, \xe1\x9a\x80=5,"
                               "\xe2\x86\x92=6; u10ffff=7");
  EXPECT_EQ(labelsOf(c, Tensor::A), List({"u31", "u3b1", "u1680"}));
  EXPECT_EQ(labelsOf(c, Tensor::B), List({"u1680", "u2192", "u32", "u10ffff"}));
  // By numbers, which names are not sorted by.
  EXPECT_EQ(labelsOf(c, Tensor::C),
            List({"u31", "u32", "u3b1", "u2192", "u10ffff"}));
}

TEST(Einsum, OptionsTakePrecedence) {
  ParseOptions options;
  options.elementType = model::ElementType::F64;
  options.layout = Layout::ColumnMajor;
  ParsedContraction c =
      einsum("ab,bc->ac\na=2,b=3,c=4,type=f32", "b=5", options);
  EXPECT_EQ(extentsOf(c).at("a"), 2);
  EXPECT_EQ(extentsOf(c).at("b"), 5);
  EXPECT_EQ(c.record.factorType, model::ElementType::F64);
  EXPECT_EQ(labelsOf(c, Tensor::A), List({"b", "a"}));
}

TEST(Einsum, InfersTheOutput) {
  EXPECT_EQ(labelsOf(einsum("zb,bA", "z=1,b=2,A=3"), Tensor::C),
            List({"A", "z"}));
  EXPECT_EQ(labelsOf(einsum("ab,ab", "a=1,b=2"), Tensor::C), List());
  EXPECT_EQ(labelsOf(einsum("aab,c", "a=1,b=2,c=3"), Tensor::C),
            List({"b", "c"}));
}

TEST(Einsum, ReadsLongNames) {
  ParsedContraction c = einsum("[h7,p4] , [h3 , h7] -> [h3,p4]\n"
                               "h7 = 4, p4 = 5, h3 = 6");
  EXPECT_EQ(labelsOf(c, Tensor::A), List({"h7", "p4"}));
  EXPECT_EQ(labelsOf(c, Tensor::B), List({"h3", "h7"}));
  EXPECT_EQ(labelsOf(c, Tensor::C), List({"h3", "p4"}));
}

TEST(Einsum, ReadsScalars) {
  ParsedContraction c = einsum(",->");
  for (Tensor t : model::allTensors)
    EXPECT_TRUE(labelsOf(c, t).empty());
  EXPECT_EQ(labelsOf(einsum("a,->a", "a=3"), Tensor::A), List({"a"}));
  EXPECT_EQ(labelsOf(einsum("a,[]->a", "a=3"), Tensor::B), List());
}

TEST(Einsum, TakesAnExtentOfZero) {
  EXPECT_EQ(extentsOf(einsum("ab,bc->ac", "a=2,b=0,c=4")).at("b"), 0);
}

TEST(Einsum, TakesManyOperands) {
  ParsedContraction c = einsum("ab,bc,cd,de->ae", "a=2,b=3,c=4,d=5,e=6", [] {
    ParseOptions options;
    options.layout = Layout::ColumnMajor;
    options.elementType = model::ElementType::F16;
    return options;
  }());
  EXPECT_EQ(c.operands, 4u);
  EXPECT_EQ(columnMajorLabelsOf(c, Tensor::A), List({"a", "b"}));
  EXPECT_EQ(columnMajorLabelsOf(c, Tensor::B), List({"b", "c"}));
  EXPECT_EQ(columnMajorLabelsOf(c, Tensor::C), List({"a", "e"}));
  ASSERT_EQ(c.further.size(), 2u);
  EXPECT_EQ(c.further[0].labels, List({"d", "c"}));
  EXPECT_EQ(c.further[1].labels, List({"e", "d"}));
  EXPECT_EQ(c.further[1].extents, (std::vector<int64_t>{6, 5}));
  EXPECT_EQ(c.further[1].strides, (std::vector<int64_t>{5, 1}));
  EXPECT_EQ(c.further[1].type, model::ElementType::F16);
  EXPECT_TRUE(einsum("ab,bc->ac", "a=2,b=3,c=4").further.empty());
}

TEST(Einsum, RefusesForManyOperandsWhatIsOfTwo) {
  auto refused = [](auto change) {
    ParseOptions options;
    Diagnostic diagnostic;
    options.elementType = model::ElementType::C64;
    change(options);
    options.extents = *parseExtents("a=2,b=3,c=4,d=5", "", diagnostic);
    EXPECT_FALSE(parse(Notation::Einsum, "ab,bc,cd->ad", options, diagnostic));
    return diagnostic.message;
  };
  EXPECT_EQ(refused([](ParseOptions &options) { options.conjugatesB = true; }),
            "conjugates are of two operands, but the specification has 3");
  EXPECT_EQ(
      refused(
          [](ParseOptions &options) { options.allowsThreeProducts = true; }),
      "three real products for a complex one are of two operands, but the "
      "specification has 3");
  EXPECT_EQ(
      refused([](ParseOptions &options) {
        options.elementType = model::ElementType::F64;
        options.elementTypeB = model::ElementType::F32;
      }),
      "types that differ are of two operands, but the specification has 3");
  EXPECT_EQ(
      refused([](ParseOptions &options) {
        options.elementType = model::ElementType::F64;
        options.fused.epilogue = *model::parseEpilogue("relu(x)");
      }),
      "prologues, epilogues and semirings of your own are of two operands, "
      "but the specification has 3");
}

TEST(Einsum, TakesTheLargestTensor) {
  // 2^31 * 2^29 * 8 bytes would be 2^63.
  EXPECT_EQ(extentsOf(einsum("ab,b->a", "a=2147483648,b=536870911")).at("b"),
            536870911);
}

TEST(Einsum, RefusesWrongSpecifications) {
  const Refusal refusals[] = {
      {"", "1:1: expected an einsum specification such as 'ab,bc->ac', found "
           "end of input"},
      {"\n# nothing\n", "3:1: expected an einsum specification such as "
                        "'ab,bc->ac', found end of input"},
      {"ab,bc,cd->ae", "1:12: index 'e' is in the output but in no input",
       "a=2,b=3,c=4,d=5"},
      {"ab,bc,cd->ad", "1:12: index 'd' has no extent: give it as 'd=...'",
       "a=2,b=3,c=4"},
      {"ab,bc,cd->ad", "1:7: tensor 'operand 2' has 2^63 - 1 bytes or more",
       "a=2,b=3,c=2147483648,d=536870912"},
      {"a,ab...->b",
       "1:3: B has '...', which takes its shape: give the shapes of all "
       "operands, as in shapes=8x3x4,8x4x5"},
      {"...a...,ab->b", "1:5: '...' occurs twice in one list"},
      {"[...,a,...],ab->b", "1:8: '...' occurs twice in one list"},
      {"a..,ab->b", "1:2: expected ',', '->' or the end of the line, found "
                    "'.'"},
      {"a1.5,ab->b",
       "1:3: '.' is not a letter, and an index is one letter here"},
      {"a_,ab->b", "1:2: '_' is not a letter, and an index is one letter here"},
      {"1_a,ab->b",
       "1:2: '_' is not a letter, and an index is one letter here"},
      {"ab,bc->ac->", "1:10: expected the end of the line, found '->'"},
      {"ab,bc)->ac",
       "1:6: expected ',', '->' or the end of the line, found ')'"},
      {"ab,bc->ac,", "1:10: expected the end of the line, found ','"},
      {"[a,b,bc->ac", "1:8: expected ',' or ']', found '->'"},
      {"[a,b", "1:5: expected ',' or ']', found end of input"},
      {"[a,", "1:4: expected the name of an index, found end of input"},
      {"[a,31],b->a", "1:4: expected the name of an index, found '31'"},
      {"[alpha],b->b", "1:2: index 'alpha' has the name of a setting"},
      {"a\xc3,b->b",
       "1:2: expected ',', '->' or the end of the line, found '\\xc3'"},
      {"\xce\xb1\xce\xb2,b->a",
       "1:7: index 'a' is in the output but in no input"},
      // Too many bytes, half of a pair, beyond Unicode, and too few bytes.
      {"a\xc1\xa1,b->b",
       "1:2: expected ',', '->' or the end of the line, found '\\xc1'"},
      {"a\xed\xa0\x80,b->b",
       "1:2: expected ',', '->' or the end of the line, found '\\xed'"},
      {"a\xf4\x90\x80\x80,b->b",
       "1:2: expected ',', '->' or the end of the line, found '\\xf4'"},
      {"a\xe2\x86",
       "1:2: expected ',', '->' or the end of the line, found '\\xe2'"},
      {"ab,bc->aac", "1:9: index 'a' occurs twice in the output"},
      {"ab,bc->\tdac", "1:9: index 'd' is in the output but in no input"},
  };
  checkRefusals(Notation::Einsum, refusals);
}

TEST(Einsum, ReadsOneOperand) {
  struct {
    const char *text;
    List a, c;
  } cases[] = {
      {"ij->ji", {"i", "j"}, {"j", "i"}},
      {"ii->i", {"i", "i"}, {"i"}},
      {"ii", {"i", "i"}, {}},
      {"ji", {"j", "i"}, {"i", "j"}},
      {"iji->j", {"i", "j", "i"}, {"j"}},
  };
  for (const auto &expected : cases) {
    ParsedContraction c =
        einsum(expected.text, std::string(expected.text).find('j') == 1 ||
                                      expected.text[0] == 'j'
                                  ? "i=3,j=2"
                                  : "i=3");
    EXPECT_EQ(labelsOf(c, Tensor::A), expected.a) << expected.text;
    EXPECT_EQ(labelsOf(c, Tensor::B), List()) << expected.text;
    EXPECT_EQ(labelsOf(c, Tensor::C), expected.c) << expected.text;
  }
  EXPECT_EQ(labelsOf(einsum("->"), Tensor::A), List());
}

/// Reads an einsum specification for operands of those shapes.
static ParsedContraction shaped(std::string_view text,
                                std::string_view shapes) {
  Diagnostic diagnostic;
  ParseOptions options;
  auto list = parseShapes(shapes, "--shapes", diagnostic);
  EXPECT_TRUE(list) << diagnostic.str();
  options.shapes = list.value_or(std::vector<Shape>());
  return einsum(text, "", options);
}

TEST(Einsum, ExpandsEllipses) {
  ParsedContraction c = shaped("...ij,...jk->...ik", "8x3x4,8x4x5");
  EXPECT_EQ(labelsOf(c, Tensor::A), List({"ellipsis0", "i", "j"}));
  EXPECT_EQ(labelsOf(c, Tensor::B), List({"ellipsis0", "j", "k"}));
  EXPECT_EQ(labelsOf(c, Tensor::C), List({"ellipsis0", "i", "k"}));
  EXPECT_EQ(extentsOf(c),
            Extents({{"ellipsis0", 8}, {"i", 3}, {"k", 5}, {"j", 4}}));

  // Ellipses end together, and the output's stands for the longest.
  c = shaped("i...,...->...i", "2x5,7x6x5");
  EXPECT_EQ(labelsOf(c, Tensor::A), List({"i", "ellipsis0"}));
  EXPECT_EQ(labelsOf(c, Tensor::B),
            List({"ellipsis2", "ellipsis1", "ellipsis0"}));
  EXPECT_EQ(labelsOf(c, Tensor::C),
            List({"ellipsis2", "ellipsis1", "ellipsis0", "i"}));

  // Without an arrow, it comes before the letters.
  c = shaped("z...b,b", "2x5x3,3");
  EXPECT_EQ(labelsOf(c, Tensor::C), List({"ellipsis0", "z"}));

  // It may stand for nothing, and in a list of names.
  EXPECT_EQ(labelsOf(shaped("a...,a->...", "2,2"), Tensor::A), List({"a"}));
  EXPECT_EQ(labelsOf(einsum("ij,jk->...ik", "i=1,j=2,k=3"), Tensor::C),
            List({"i", "k"}));
  c = einsum("[...,row] , [ellipsis0,row] -> [...,ellipsis0]\n"
             "shapes = 4x3, 5x3, name = p");
  EXPECT_EQ(labelsOf(c, Tensor::A), List({"ellipsis0_", "row"}));
  EXPECT_EQ(labelsOf(c, Tensor::C), List({"ellipsis0_", "ellipsis0"}));
  EXPECT_EQ(c.name, "p");
  EXPECT_EQ(labelsOf(shaped("...", "2x3"), Tensor::C),
            List({"ellipsis1", "ellipsis0"}));
}

TEST(Einsum, Broadcasts) {
  ParsedContraction c = shaped("...ij,...jk->...ik", "1x3x4,8x4x5");
  EXPECT_EQ(labelsOf(c, Tensor::A), List({"ellipsis0_A", "i", "j"}));
  EXPECT_EQ(labelsOf(c, Tensor::B), List({"ellipsis0", "j", "k"}));
  EXPECT_EQ(extentsOf(c).at("ellipsis0"), 8);
  EXPECT_EQ(extentsOf(c).at("ellipsis0_A"), 1);

  // Named indices, too, to an extent of zero as well, and where all have one.
  c = shaped("ij,jk->ik", "2x3,1x4");
  EXPECT_EQ(labelsOf(c, Tensor::B), List({"j_B", "k"}));
  EXPECT_EQ(extentsOf(shaped("i,i->i", "0,1")).at("i"), 0);
  EXPECT_EQ(labelsOf(shaped("i,i->i", "1,1"), Tensor::B), List({"i"}));
  EXPECT_EQ(labelsOf(shaped("ii,i->i", "1x1,3"), Tensor::A),
            List({"i_A", "i_A"}));
  c = shaped("[i,i_A],[i,i_A]->[i]", "1x2,3x2");
  EXPECT_EQ(labelsOf(c, Tensor::A), List({"i_A_", "i_A"}));
}

TEST(Einsum, ExpandsAnyNumberOfOperands) {
  Diagnostic diagnostic;
  auto lists = expandSubscripts("...a,a...,b", {2, 1, 1}, "spec", diagnostic);
  ASSERT_TRUE(lists) << diagnostic.str();
  EXPECT_EQ(*lists,
            std::vector<List>(
                {{"ellipsis0", "a"}, {"a"}, {"b"}, {"ellipsis0", "b"}}));
  const std::pair<std::string_view, std::vector<size_t>> cases[] = {
      {"spec:1:1: error: the specification names 3 operands, but 2 are given",
       {2, 1}},
      {"spec:1:6: error: operand 1 has 0 dimensions, but 1 are named for it",
       {2, 0, 1}},
      {"spec:1:1: error: operand 0 has 65 dimensions, and at most 64 are "
       "possible",
       {65, 1, 1}},
  };
  for (const auto &[message, ranks] : cases) {
    EXPECT_FALSE(expandSubscripts("...a,a...,b", ranks, "spec", diagnostic));
    EXPECT_EQ(diagnostic.str(), message);
  }
  EXPECT_FALSE(expandSubscripts("a,b,c->cx", {1, 1, 1}, "spec", diagnostic));
  EXPECT_EQ(diagnostic.str(),
            "spec:1:9: error: index 'x' is in the output but in no input");
  EXPECT_FALSE(expandSubscripts("...a,b,c", {64, 1, 1}, "spec", diagnostic));
  EXPECT_EQ(diagnostic.str(), "spec:1:1: error: more than 64 indices");
}

TEST(Einsum, RefusesWrongShapes) {
  const Refusal refusals[] = {
      {"ij,jk->ik",
       "--shapes:1:5: index 'j' has extent 3 in dimension 1 of A "
       "and 4 in dimension 0 of B",
       "", "2x3,4x5"},
      {"ij,jk->ik\nshapes=2x3,4x5",
       "2:12: index 'j' has extent 3 in dimension 1 of A and 4 in dimension 0 "
       "of B"},
      // As in NumPy, a diagonal is no place for broadcasting.
      {"ii->i",
       "--shapes:1:1: index 'i' has extent 1 in dimension 0 of A and 3 "
       "in dimension 1 of A",
       "", "1x3"},
      {"ij->ji", "--shapes:1:1: 2 shapes, but the specification has 1 operand",
       "", "1x3,3"},
      {"ij,jk", "--shapes:1:1: 1 shapes, but the specification has 2 operands",
       "", "1x3"},
      {"ij,jk", "1:4: B has 3 dimensions, but 2 are named for it", "",
       "1x3,3x4x5"},
      {"ij,j...k", "1:4: B has 1 dimensions, but 2 are named for it", "",
       "1x3,3"},
      {"...j,jk->jk",
       "1:10: the output has no '...', but that of an operand "
       "stands for 1 dimensions",
       "", "2x3,3x4"},
      {"ij,jk\nk=4,j=2", "2:5: index 'j' has extent 2, but by the shapes 3", "",
       "1x3,3x4"},
      {"ij,jk", "--extents:1:5: index 'k' has extent 5, but by the shapes 4",
       "i=2,k=5", "2x3,3x4"},
      {"ij,jk\nshapes=2x3,shapes=3", "2:12: 'shapes' is given twice"},
      {"ij,jk\nshapes 2x3", "2:8: expected '=', found '2x3'"},
      {"a,a->a\nshapes=9223372036854775807,1",
       "1:6: tensor 'C' has 2^63 - 1 bytes or more"},
  };
  checkRefusals(Notation::Einsum, refusals);
  EXPECT_EQ(parseInvalid(Notation::TCCG, "ac-ab-bc", "", " 2x3"),
            "--shapes:1:2: shapes are of einsum specifications; here indices "
            "have extents");
}

TEST(Einsum, RefusesWrongExtents) {
  const Refusal refusals[] = {
      {"ab,bc->ac\na=1,b=2",
       "1:9: index 'c' has no extent: give it as 'c=...'"},
      {"ab,bc->ac", "1:2: index 'b' has no extent: give it as 'b=...'",
       "a=1,c=3"},
      {"ab,bc->ac\na=1,b=2,c=3,x=4", "2:13: index 'x' is in no tensor"},
      {"ab,bc->ac\na=1,b=2,c=3", "--extents:1:5: index 'x' is in no tensor",
       "a=1,x=3"},
      {"ab,bc->ac\na=1\na=1", "3:1: extent of 'a' is given twice"},
      {"ab,bc->ac\na=-1", "2:3: extent of 'a' is negative: -1"},
      {"ab,bc->ac\na=1.5", "2:3: extent of 'a' is not an integer: 1.5"},
      {"ab,bc->ac\na=9223372036854775808",
       "2:3: extent of 'a' is above 2^63 - 1"},
      {"ab,bc->ac\na=", "2:3: expected the extent of 'a', found end of input"},
      {"ab,bc->ac\na 1", "2:3: expected '=', found '1'"},
      {"ab,bc->ac\na=1 b=2", "2:5: expected ',' or a new line, found 'b'"},
      {"ab,bc->ac\na=1e", "2:3: expected the extent of 'a', found '1e'"},
      {"ab,bc->ac\n=1", "2:1: expected the name of an index or of a setting, "
                        "found '='"},
      {"ab,b->a\na=2147483648,b=536870912",
       "1:1: tensor 'A' has 2^63 - 1 bytes or more"},
      {"a,ab->a\na=9223372036854775807,b=0",
       "1:7: tensor 'C' has 2^63 - 1 bytes or more"},
      {"ab,b->\na=0,b=9223372036854775807",
       "1:1: tensor 'A' has 2^63 - 1 bytes or more"},
  };
  checkRefusals(Notation::Einsum, refusals);
}

TEST(Einsum, RefusesWrongSettings) {
  const Refusal refusals[] = {
      {",->\ntype=f8", "2:6: unsupported element type 'f8': expected f8e4m3fn, "
                       "f8e5m2, f16, bf16, f32, f64, i8, i32, i64, c32 or c64"},
      {",->\ntype=64", "2:6: expected an element type, found '64'"},
      {",->\nlayout=column",
       "2:8: unknown layout 'column': expected 'row' or 'col'"},
      {",->\nalpha=x", "2:7: expected a number, found 'x'"},
      {",->\nalpha=1e999", "2:7: number '1e999' is out of range"},
      {",->\nalpha=1e99,type=f32", "2:7: alpha: '1e+99' is too large for f32"},
      {",->\nbeta=-1e99,type=f32", "2:6: beta: '-1e+99' is too large for f32"},
      {",->\ntype=i64,alpha=0.5", "2:16: alpha: '0.5' is no i64"},
      {",->\nbeta=2147483648,type=i8", "2:6: beta: '2147483648' is no i32"},
      {",->\nalpha=9223372036854775808,type=i64",
       "2:7: alpha: '9223372036854775808' is no i64"},
      {",->\nalpha=1.0000000000000000000001,type=i32",
       "2:7: alpha: nearly '1' is no i32"},
      {",->\nbeta=1,beta=1", "2:8: 'beta' is given twice"},
      {",->\nname=1", "2:6: expected a name, found '1'"},
  };
  checkRefusals(Notation::Einsum, refusals);
}

TEST(Einsum, FactorsOfIntegersAreExact) {
  for (const char *alpha : {"9007199254740993", "-9223372036854775808"}) {
    Diagnostic diagnostic;
    auto parsed =
        parse(Notation::Einsum, ",->\ntype=i64,alpha=" + std::string(alpha), {},
              diagnostic);
    ASSERT_TRUE(parsed) << diagnostic.str();
    EXPECT_EQ(stringify(parsed->front().record.alpha.value), alpha);
  }
}

TEST(Einsum, NumbersOfCodeAreOfItsType) {
  auto errorOf = [](model::ElementType type, FusedExpressions fused) {
    ParseOptions options;
    options.elementType = type;
    options.fused = std::move(fused);
    Diagnostic diagnostic;
    auto parsed = parse(Notation::Einsum, ",->", options, diagnostic);
    return parsed ? "" : diagnostic.message;
  };
  FusedExpressions fused;
  fused.prologueB = *model::parsePrologue("x * 1e40");
  EXPECT_EQ(errorOf(model::ElementType::F16, fused),
            "prologue-b: '1e+40' is too large for f32");
  EXPECT_EQ(errorOf(model::ElementType::F64, fused), "");
  fused = {};
  fused.epilogue = *model::parseEpilogue("max(x, -1e40)");
  EXPECT_EQ(errorOf(model::ElementType::F32, fused),
            "epilogue: '-1e+40' is too large for f32");
  fused = {};
  fused.semiring =
      *parseSemiringExpressions({"x + 2147483648", "max(x, y)", "-inf"});
  EXPECT_EQ(errorOf(model::ElementType::I32, fused),
            "product: '2147483648' is no i32");
  EXPECT_EQ(errorOf(model::ElementType::I64, fused), "");
  fused.semiring = *parseSemiringExpressions({"x", "max(x, y)", "-1e40"});
  EXPECT_EQ(errorOf(model::ElementType::F32, fused),
            "identity: '-1e+40' is too large for f32");
  EXPECT_EQ(errorOf(model::ElementType::I64, fused),
            "identity: '-1e+40' is no i64");
}

TEST(Einsum, KeepsLimits) {
  std::string letters;
  for (unsigned i = 0; i < 65; ++i)
    letters += static_cast<char>('a' + i % 26);
  EXPECT_EQ(parseInvalid(Notation::Einsum, letters + ",a->a"),
            "1:65: more than 64 indices");
  std::string longName(65, 'x');
  EXPECT_EQ(parseInvalid(Notation::Einsum, "[" + longName + "],a->a"),
            "1:2: name is longer than 64 characters");
  EXPECT_EQ(parseInvalid(Notation::Einsum, ",->\nname=" + longName),
            "2:6: name is longer than 64 characters");
  EXPECT_EQ(parseInvalid(Notation::Einsum, ",->" + std::string(1 << 20, ' ')),
            "1:1: text has more than 1048576 bytes");
  std::string many = ",->\n";
  for (unsigned i = 0; i <= 16384; ++i)
    many += "x" + std::to_string(i) + "=1\n";
  EXPECT_EQ(parseInvalid(Notation::Einsum, many),
            "16386:1: more than 16384 extents");
}
