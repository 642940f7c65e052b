//===- DescriptionTest.cpp - Reading descriptions of foreign PTX ----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ForeignTest.h"

using namespace tc;
using namespace tc::foreign;
using namespace tc::foreign::test;

static const std::string a =
    R"({"name": "A", "type": "f32", "extents": [4, 8], "access": "read"})";
static const std::string c =
    R"({"name": "C", "type": "f32", "extents": [4], "access": "write"})";

static std::string errorOf(const std::string &text) {
  Result<Description> description = fromJson(text);
  return description ? "" : description.error();
}

static std::string bufferError(const std::string &buffer) {
  return errorOf(describe(buffer, ""));
}

static std::string argumentError(const std::string &argument) {
  return errorOf(describe(a + "," + c, argument));
}

static std::string checkError(const std::string &check) {
  return errorOf(describe(a + "," + c, "", check));
}

static std::string contractionError(const std::string &contraction) {
  return checkError(R"({"output": "C", "contraction": )" + contraction + "}");
}

TEST(Description, Buffers) {
  Result<Description> description = fromJson(describe(
      a + "," +
          R"({"name": "B", "type": "i8", "extents": [3, 2], "strides": [1, -3],
              "offset": 3, "alignment": 4, "access": "read_write",
              "fill": {"integers": [-2, 2]}, "write_once": true})",
      ""));
  ASSERT_TRUE(description) << description.error();
  const Buffer &first = description->buffers[0];
  EXPECT_EQ(first.tensor.strides, (std::vector<int64_t>{8, 1}));
  EXPECT_EQ(first.tensor.labels, (std::vector<std::string>{"d0", "d1"}));
  EXPECT_EQ(first.tensor.alignment, 256);
  EXPECT_TRUE(std::holds_alternative<RandomFill>(first.fill));
  EXPECT_FALSE(first.isWrittenOnce);
  const Buffer &second = description->buffers[1];
  EXPECT_EQ(second.tensor.strides, (std::vector<int64_t>{1, -3}));
  EXPECT_EQ(second.tensor.offset, 3);
  EXPECT_TRUE(second.tensor.isRead && second.tensor.isWritten);
  EXPECT_EQ(std::get<IntegerFill>(second.fill).low, -2);
  EXPECT_TRUE(second.isWrittenOnce);
}

TEST(Description, Arguments) {
  Result<Description> description = fromJson(describe(
      a, R"({"buffer": "A", "offset_bytes": 16}, {"type": "s32", "value": -2},
            {"type": "u64", "value": 18446744073709551615},
            {"type": "bf16", "value": 1.5},
            {"bytes": "0102ff0000000000000000aa",
             "pointers": [{"at": 3, "buffer": "A", "offset_bytes": 8}]})"));
  ASSERT_TRUE(description) << description.error();
  const std::vector<Argument> &arguments = description->launches[0].arguments;
  ASSERT_EQ(arguments.size(), 5u);
  EXPECT_EQ(arguments[0].pointers[0].offset, 16u);
  EXPECT_EQ(arguments[1].bytes,
            (std::vector<std::byte>{std::byte(0xfe), std::byte(0xff),
                                    std::byte(0xff), std::byte(0xff)}));
  EXPECT_EQ(arguments[2].bytes, std::vector<std::byte>(8, std::byte(0xff)));
  EXPECT_EQ(arguments[3].bytes,
            (std::vector<std::byte>{std::byte(0xc0), std::byte(0x3f)}));
  EXPECT_EQ(arguments[4].pointers[0].at, 3u);
  EXPECT_EQ(arguments[4].bytes[2], std::byte(0xff));
  EXPECT_EQ(arguments[4].bytes[11], std::byte(0xaa));
}

TEST(Description, OutputsHaveTheLabelsOfTheirContraction) {
  Result<Description> description =
      fromJson(describe(a + "," + c, "", R"({"output": "C", "contraction":
          {"einsum": "ij->i", "inputs": ["A"], "alpha": 2}})"));
  ASSERT_TRUE(description) << description.error();
  EXPECT_EQ(description->buffers[1].tensor.labels,
            (std::vector<std::string>{"i"}));
  const auto &check =
      std::get<ContractionCheck>(description->checks[0].reference);
  EXPECT_EQ(check.alpha, 2);
  EXPECT_EQ(check.sums, model::ElementType::F32);
}

TEST(Description, IsRecognised) {
  EXPECT_TRUE(isDescription(R"({"format": "tc-foreign-ptx"})"));
  EXPECT_FALSE(isDescription(R"({"format": "tc-package"})"));
  EXPECT_FALSE(isDescription(R"({"version": 1})"));
  EXPECT_FALSE(isDescription("[]"));
  EXPECT_FALSE(isDescription("{"));
}

TEST(DescriptionErrors, Documents) {
  EXPECT_EQ(errorOf("{"), "line 1, column 2: malformed JSON");
  EXPECT_EQ(errorOf(R"({"format": "x"})"),
            "$.format: expected \"tc-foreign-ptx\", not \"x\"");
  EXPECT_EQ(errorOf(R"({"format": "tc-foreign-ptx", "version": 2})"),
            "$.version: unknown version 2; this program reads version 1");
  EXPECT_EQ(errorOf(R"({"format": "tc-foreign-ptx", "version": 1,
                        "name": "", "code": "", "buffers": []})"),
            "$: missing key \"launches\"");
  EXPECT_EQ(errorOf(R"({"format": "tc-foreign-ptx", "version": 1, "name": "",
                        "code": "", "buffers": [], "launches": []})"),
            "$.code: no file is named");
  EXPECT_EQ(errorOf(R"({"format": "tc-foreign-ptx", "version": 1, "name": "",
                        "code": "k", "buffers": [], "launches": []})"),
            "$.launches: expected 1 to 1024");
  EXPECT_EQ(errorOf(R"({"format": "tc-foreign-ptx", "version": 1, "name": "",
                        "code": "k", "buffers": [], "launches": [{"entry": "k",
                        "grid": [1, 1], "block": [1, 1, 1],
                        "arguments": []}]})"),
            "$.launches[0].grid: expected three integers");
  EXPECT_EQ(errorOf(R"({"format": "tc-foreign-ptx", "version": 1, "name": "",
                        "code": "k", "buffers": [], "launches": [{"entry": "k",
                        "grid": [1, 1, 4294967296], "block": [1, 1, 1],
                        "arguments": []}]})"),
            "$.launches[0].grid: expected integers of at most 2^31 - 1");
}

TEST(DescriptionErrors, Buffers) {
  EXPECT_EQ(bufferError(R"({"name": "", "type": "f32", "extents": [],
                            "access": "read"})"),
            "$.buffers[0].name: is empty");
  EXPECT_EQ(bufferError(R"({"name": "A", "type": "f17", "extents": [],
                            "access": "read"})")
                .substr(0, 58),
            "$.buffers[0].type: unknown element type \"f17\"; expected f8");
  EXPECT_EQ(bufferError(R"({"name": "A", "type": "f32", "extents": [0],
                            "access": "read"})"),
            "$.buffers[0].extents[0]: must be at least 1, not 0");
  EXPECT_EQ(bufferError(R"({"name": "A", "type": "f32", "extents": [2, 2],
                            "strides": [1], "access": "read"})"),
            "$.buffers[0].strides: expected one for each of the 2 extents");
  EXPECT_EQ(bufferError(R"({"name": "A", "type": "f32", "access": "read",
                            "extents": [4294967296, 4294967296]})"),
            "$.buffers[0].extents: the buffer has more than 2^63 - 1 elements");
  EXPECT_EQ(bufferError(R"({"name": "A", "type": "f32", "extents": [2],
                            "alignment": 24, "access": "read"})"),
            "$.buffers[0].alignment: expected a power of two of at most 512");
  EXPECT_EQ(bufferError(R"({"name": "A", "type": "f32", "extents": [2],
                            "access": "w"})"),
            "$.buffers[0].access: expected \"read\", \"write\" or "
            "\"read_write\"");
  EXPECT_EQ(
      bufferError(R"({"name": "A", "type": "f32", "extents": [2],
                            "strides": [-1], "access": "read"})"),
      "$.buffers[0]: tensor A reaches position -1, which is before its base "
      "pointer");
  EXPECT_EQ(errorOf(describe(a + "," + a, "")),
            "$.buffers[1].name: another buffer is called \"A\"");
}

TEST(DescriptionErrors, Fills) {
  auto fillError = [](const std::string &fill, const std::string &others = "") {
    return bufferError(
        R"({"name": "A", "type": "i32", "extents": [2], "fill": )" + fill +
        others + (others.empty() ? R"(, "access": "read"})" : "}"));
  };
  EXPECT_EQ(fillError("\"zero\""),
            "$.buffers[0].fill: expected \"random\" or an object");
  EXPECT_EQ(fillError("{}"), "$.buffers[0].fill: expected one of "
                             "\"integers\", \"constant\" and \"file\"");
  EXPECT_EQ(fillError(R"({"integers": [2, 1]})"),
            "$.buffers[0].fill.integers: expected two integers of at most "
            "2^53, the lesser first");
  EXPECT_EQ(fillError(R"({"constant": 0.5})"),
            "$.buffers[0].fill.constant: is no integer");
  EXPECT_EQ(fillError(R"({"file": ""})"),
            "$.buffers[0].fill.file: no file is named");
  EXPECT_EQ(fillError("\"random\"", R"(, "access": "write")"),
            "$.buffers[0].fill: nothing may be read that was there before");
  EXPECT_EQ(
      fillError(R"({"constant": 1})", R"(, "access": "read", "strides": [0])"),
      "$.buffers[0].fill: elements share memory, so they can only be "
      "random");
}

TEST(DescriptionErrors, Arguments) {
  EXPECT_EQ(argumentError(R"({"buffer": "B"})"),
            "$.launches[0].arguments[0].buffer: there is no buffer \"B\"");
  EXPECT_EQ(argumentError(R"({"buffer": "A", "value": 1})"),
            "$.launches[0].arguments[0]: unknown key \"value\"");
  EXPECT_EQ(argumentError(R"({"buffer": "A", "offset_bytes": -1})"),
            "$.launches[0].arguments[0].offset_bytes: must be at least 0, not "
            "-1");
  EXPECT_EQ(argumentError(R"({"type": "s33", "value": 1})"),
            "$.launches[0].arguments[0].type: unknown type \"s33\"; expected "
            "s8, u8, s16, u16, s32, u32, s64, u64, f16, bf16, f32 or f64");
  EXPECT_EQ(argumentError(R"({"type": "u8", "value": 256})"),
            "$.launches[0].arguments[0].value: expected an integer from 0 to "
            "255");
  EXPECT_EQ(argumentError(R"({"type": "u8", "value": -1})"),
            "$.launches[0].arguments[0].value: expected an integer from 0 to "
            "255");
  EXPECT_EQ(argumentError(R"({"type": "s16", "value": 1.5})"),
            "$.launches[0].arguments[0].value: expected an integer from -32768 "
            "to 32767");
  EXPECT_EQ(argumentError(R"({"type": "f32", "value": []})"),
            "$.launches[0].arguments[0].value: expected a number");
  EXPECT_EQ(argumentError(R"({"bytes": "123"})"),
            "$.launches[0].arguments[0].bytes: expected two digits for each of "
            "at most 32764 bytes");
  EXPECT_EQ(argumentError(R"({"bytes": "1g"})"),
            "$.launches[0].arguments[0].bytes: \"1g\" is not a byte");
  EXPECT_EQ(argumentError(R"({"bytes": "0000000000000000",
                              "pointers": [{"at": 1, "buffer": "A"}]})"),
            "$.launches[0].arguments[0].pointers[0].at: 8 bytes from 1 are "
            "outside the 8 of \"bytes\"");
  EXPECT_EQ(argumentError(R"({"bytes": "00", "pointers":
                              [{"at": 0, "buffer": "A"}]})"),
            "$.launches[0].arguments[0].pointers[0].at: 8 bytes from 0 are "
            "outside the 1 of \"bytes\"");
  EXPECT_EQ(argumentError(R"({"bytes": "00000000000000000000000000000000",
                              "pointers": [{"at": 0, "buffer": "A"},
                                           {"at": 4, "buffer": "A"}]})"),
            "$.launches[0].arguments[0].pointers[1].at: two pointers overlap");
}

TEST(DescriptionErrors, Variables) {
  EXPECT_EQ(errorOf(describe(
                a, "", "", R"(, "variables": [{"name": "x", "bytes": "0"}])")),
            "$.variables[0].bytes: expected two digits for each of at most "
            "67108864 bytes");
  EXPECT_EQ(errorOf(describe(a, "", "",
                             R"(, "variables": [{"name": "x", "bytes": ""},
                                {"name": "x", "bytes": ""}])")),
            "$.variables[1].name: variable \"x\" is set twice");
}

TEST(DescriptionErrors, Checks) {
  EXPECT_EQ(checkError(R"({"output": "D", "file": "x"})"),
            "$.checks[0].output: there is no buffer \"D\"");
  EXPECT_EQ(checkError(R"({"output": "A", "file": "x", "tolerance": 0})"),
            "$.checks[0].output: buffer \"A\" is not written");
  EXPECT_EQ(checkError(R"({"output": "C"})"),
            "$.checks[0]: expected one of \"contraction\" and \"file\"");
  EXPECT_EQ(checkError(R"({"output": "C", "file": "x"})"),
            "$.checks[0]: missing key \"tolerance\"");
  EXPECT_EQ(checkError(R"({"output": "C", "file": "x", "tolerance": -1})"),
            "$.checks[0].tolerance: is negative");
  EXPECT_EQ(checkError(R"({"output": "C", "file": "x", "tolerance": "nan"})"),
            "$.checks[0].tolerance: is negative");
  const std::string check = R"({"output": "C", "file": "x", "tolerance": 0})";
  EXPECT_EQ(checkError(check + "," + check),
            "$.checks[1].output: buffer \"C\" is checked twice");
  EXPECT_EQ(checkError(R"({"output": "C", "tolerance": 1, "contraction": {}})"),
            "$.checks[0].tolerance: a contraction's follows from its sums");
  EXPECT_EQ(errorOf(describe(R"({"name": "C", "type": "f32", "extents": [2, 2],
                                 "strides": [1, 1], "access": "write"})",
                             "", check)),
            "$.checks[0].output: elements of buffer \"C\" share memory");
}

TEST(DescriptionErrors, Contractions) {
  const std::string at = "$.checks[0].contraction";
  auto einsumError = [&](const std::string &einsum) {
    return contractionError(R"({"inputs": ["A"], "einsum": ")" + einsum +
                            "\"}");
  };
  EXPECT_EQ(einsumError("ij"),
            at + ".einsum: expected subscripts as in \"ik,kj->ij\"");
  EXPECT_EQ(einsumError("i.->i"),
            at + ".einsum: expected letters, commas and \"->\" only");
  EXPECT_EQ(einsumError("ij,i->i"),
            at + ".einsum: expected a list for each input and one for the "
                 "output");
  EXPECT_EQ(einsumError("ijk->i"),
            at + ".einsum: buffer \"A\" has 2 dimensions, not 3");
  EXPECT_EQ(einsumError("ii->i"),
            at + ".einsum: index i has the extents 4 and 8");
  EXPECT_EQ(einsumError("ij->k"), at + ".einsum: index k is in no input");
  EXPECT_EQ(einsumError("ij->ii"),
            at + ".einsum: index i is twice in the output");
  EXPECT_EQ(einsumError("ij->j"),
            at + ".einsum: index j has the extents 8 and 4");
  EXPECT_EQ(contractionError(R"({"inputs": [], "einsum": "->"})"),
            at + ".inputs: expected one or two buffers");
  EXPECT_EQ(contractionError(R"({"inputs": ["C"], "einsum": "i->i"})"),
            at + ".inputs: buffer \"C\" holds nothing before the launch");
  EXPECT_EQ(
      contractionError(R"({"inputs": ["A"], "einsum": "ij->i", "beta": 1})"),
      at + ".beta: output \"C\" holds nothing before the launch");
  EXPECT_EQ(contractionError(
                R"({"inputs": ["A"], "einsum": "ij->i", "alpha": "inf"})"),
            at + ".alpha: is not finite");
  EXPECT_EQ(contractionError(
                R"({"inputs": ["A"], "einsum": "ij->i", "sums": "i32"})"),
            at + ".sums: is not of the kind of the inputs");
  EXPECT_EQ(contractionError(
                R"({"inputs": ["A"], "einsum": "ij->i", "precision": "x"})"),
            at +
                ".precision: expected ieee, tf32, 3xtf32 or bf16x3, not \"x\"");
}

TEST(DescriptionErrors, ContractionTypes) {
  const std::string i = R"({"name": "I", "type": "i32", "extents": [4],
                            "access": "read"},)";
  auto typeError = [&](const std::string &contraction) {
    return errorOf(
        describe(i + a + "," + c, "",
                 R"({"output": "C", "contraction": )" + contraction + "}"));
  };
  EXPECT_EQ(typeError(R"({"inputs": ["I"], "einsum": "i->i"})"),
            "$.checks[0].contraction: output \"C\" is not of the kind of the "
            "inputs");
  EXPECT_EQ(typeError(R"({"inputs": ["A", "I"], "einsum": "ij,i->i"})"),
            "$.checks[0].contraction.inputs: the inputs differ in type");
}
