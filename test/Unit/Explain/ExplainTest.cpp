//===- ExplainTest.cpp - Tests of explanations ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestSections.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <limits>
#include <sstream>

using namespace tc;
using namespace tc::explain;
using namespace tc::explain::test;

using Json = nlohmann::ordered_json;

namespace {

std::vector<std::string> linesOf(const std::string &text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

testing::AssertionResult contains(const std::string &text,
                                  const std::string &part) {
  if (text.find(part) != std::string::npos)
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << "no '" << part << "' in\n" << text;
}

size_t count(const std::string &text, const std::string &part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + part.size()))
    ++found;
  return found;
}

std::vector<std::string> keysOf(const Json &json) {
  std::vector<std::string> keys;
  for (const auto &[key, value] : json.items())
    keys.push_back(key);
  return keys;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

TEST(ExplainText, TypesAndPrecision) {
  using model::ElementType;
  Section section = product();
  model::Contraction &contraction = section.explanation.contraction;
  auto expectTypes = [&](ElementType input, ElementType output,
                         model::Precision precision, const std::string &text) {
    contraction.elementType = {{input, input, output}};
    contraction.factorType = input;
    contraction.accumulatorType = model::accumulatorTypeOf(input);
    contraction.precision = precision;
    EXPECT_TRUE(
        contains(renderText(section, 100), "  types        " + text + "\n"));
  };
  expectTypes(ElementType::F16, ElementType::F16, model::Precision::IEEE,
              "A f16, B f16, C f16, sums f32");
  expectTypes(ElementType::BF16, ElementType::F32, model::Precision::IEEE,
              "A bf16, B bf16, C f32, sums f32");
  expectTypes(ElementType::F32, ElementType::F32, model::Precision::TF32x3,
              "f32, precision 3xtf32");
}

TEST(ExplainText, Everything) {
  EXPECT_EQ(renderText(product(), 100), R"(explanation of SPEC:1:1
  contraction  C[i,j] = A[i,k] * B[k,j]
    batch      none
    M          i=384
    N          j=200
    K          k=96
  types        f64
  target       sm_90, NVIDIA H200 SXM
  arithmetic   7.37 M multiply-adds, 13.87 operations a compulsory byte
  compulsory   1.06 MB: A 295 kB, B 154 kB, C 614 kB
  roofline     1.00 us, set by arithmetic

                                chosen             #2              #3
  tiles
    block M x N x K       64 x 64 x 16    32 x 64 x 8   128 x 32 x 16
      i (M)                         64             32             128
      j (N)                         64             64              32
      k (K)                         16              8              16
    register M x N               4 x 8          4 x 8           4 x 8
    instruction                    fma            fma             fma
    stages                           2              2               2
    useful part                  78.1%          78.1%           89.3%
  block and multiprocessor
    threads                        128             64             128
    registers a thread             138            138             136
    shared memory               36 KiB         14 KiB          44 KiB
    K steps                          6             12               6
    blocks                          24             48              21
    resident blocks                  2              2               2
      limited by             registers      registers       registers
    occupancy                    12.5%          12.5%           12.5%
    waves                        0.091           0.18            0.08
  levels
    DRAM, bytes                9.60 MB        10.1 MB         19.2 MB
      A                        4.80 MB        5.04 MB         9.60 MB
      B                        2.40 MB        2.52 MB         4.80 MB
      C                        2.40 MB        2.52 MB         4.80 MB
      of compulsory             9.03 x         9.48 x         18.06 x
      time                     2.00 us*       2.10 us         4.00 us*
    L2, bytes                  19.2 MB        20.2 MB         38.4 MB
      A                        9.60 MB        10.1 MB         19.2 MB
      B                        4.80 MB        5.04 MB         9.60 MB
      C                        4.80 MB        5.04 MB         9.60 MB
      time                     1.00 us        1.05 us         2.00 us
    lookup, lines               1.00 M         1.00 M          1.00 M
      time                     1.00 us        1.05 us         2.00 us
    shared, wavefronts          1.00 M         1.00 M          1.00 M
      time                     1.00 us        1.05 us         2.00 us
    issue, instructions         1.00 M         1.00 M          1.00 M
      time                     1.00 us        1.05 us         2.00 us
    FMA, multiply-adds          16.7 M         17.6 M          33.5 M
      time                     1.00 us        1.05 us         2.00 us
    blocks, wave by wave       1.50 us        2.50 us*        1.00 us
  prediction
    time                       2.00 us        2.50 us         4.00 us
    limit                         DRAM         blocks            DRAM
    speed                 7.37 TFLOP/s   5.90 TFLOP/s    3.69 TFLOP/s
    of the roofline              50.0%          40.0%           25.0%
  (* sets the time)

  chosen  moves the fewest bytes.
  #2      its last wave is nearly empty.
  #3      reads A seven times.

  chosen  #tc.schedule<first>
  #2      #tc.schedule<second>
  #3      #tc.schedule<third>
  search  120 block tiles considered, 34 not excluded by the bound, 56 kernels costed, in 2.10 ms;
          judged by the model
)");
}

TEST(ExplainText, CandidatesGoBelowOneAnotherWhereTheyAreTooMany) {
  Section section = product();
  section.schedules.clear();
  std::string text = renderText(section, 65);
  for (const std::string &line : linesOf(text))
    EXPECT_LE(line.size(), 65u) << line;
  EXPECT_EQ(count(text, "block M x N x K"), 2u);
  EXPECT_EQ(count(renderText(section, 100), "block M x N x K"), 1u);
  // The least width.
  EXPECT_EQ(renderText(section, 0), renderText(section, 60));
}

TEST(ExplainText, LongSentencesAreWrapped) {
  Section section = product();
  section.explanation.candidates[1].reason =
      "this sentence goes on for longer than one line of the terminal "
      "is wide, so that it continues below its beginning.";
  EXPECT_TRUE(contains(renderText(section, 80),
                       "\n  #2      this sentence goes on for longer "
                       "than one line of the terminal is\n"
                       "          wide, so that it continues below its "
                       "beginning.\n"));
}

TEST(ExplainText, AGivenScheduleComesFirst) {
  Section section = product();
  section.explanation.isGiven = true;
  std::string text = renderText(section, 100);
  EXPECT_TRUE(contains(text, "given         chosen              #2\n"));
  EXPECT_TRUE(contains(text, "\n  given   moves"));
  EXPECT_TRUE(contains(text, "\n  chosen  its last"));
  // One that nobody gave.
  section.explanation.givenName = "compiled";
  EXPECT_FALSE(contains(renderText(section, 100), "given"));
  EXPECT_TRUE(contains(renderText(section, 100), "\n  compiled moves"));
  EXPECT_TRUE(contains(renderHtml({section}), "The grid (compiled)"));
}

TEST(ExplainText, WhereIndicesComeFrom) {
  using model::Tensor;
  // C[a,b,u,c,e] = A[a,b,k,l,u] * B[k,l,c,e], of complex A.
  LabelledShapes written, collapsed;
  written[Tensor::A] = {{"a", "b", "k", "l", "u"}, {2, 3, 4, 5, 1}};
  written[Tensor::B] = {{"k", "l", "c", "e"}, {4, 5, 6, 7}};
  written[Tensor::C] = {{"a", "b", "u", "c", "e"}, {2, 3, 1, 6, 7}};
  collapsed[Tensor::A] = {{"ab", "k_l"}, {6, 20}};
  collapsed[Tensor::B] = {{"k_l", "c", "e"}, {20, 6, 7}};
  collapsed[Tensor::C] = {{"ab", "c", "e"}, {6, 6, 7}};
  model::Contraction compiled;
  for (const char *label : {"ab", "c", "e", "k_l", "re_im"})
    compiled.indices.push_back({label, 2, model::Role::M, {}});
  compiled.parts = model::ComplexParts{Tensor::A, 4, std::nullopt};
  IndexOrigins origins = findIndexOrigins(written, collapsed, compiled);
  EXPECT_EQ(originsText(origins),
            "ab = (a, b) collapsed; k_l = (k, l) collapsed; "
            "re_im = parts of numbers of A and C; u, of extent one, left out");
  // Joined with an index, and as three products.
  compiled.parts->output = 2;
  compiled.parts->summed = 4;
  EXPECT_EQ(originsText(findIndexOrigins(collapsed, collapsed, compiled)),
            "e = e with parts of numbers of A and C; "
            "re_im = parts of numbers of B");
  compiled.parts.reset();
  compiled.threeProducts = 4;
  EXPECT_EQ(originsText(findIndexOrigins(collapsed, collapsed, compiled)),
            "re_im = three products for a complex one");
  compiled.threeProducts.reset();
  EXPECT_TRUE(findIndexOrigins(collapsed, collapsed, compiled).empty());
  Section section = product();
  section.indices = origins;
  EXPECT_TRUE(contains(renderText(section, 200),
                       "\n  indices      ab = (a, b) collapsed; k_l"));
  EXPECT_TRUE(contains(renderHtml({section}), "Indices: ab = (a, b)"));
}

TEST(ExplainText, RolesMayBeMissing) {
  EXPECT_TRUE(contains(renderText(letters("ab", "b", "a"), 80),
                       "    M          a=24\n    N          none\n"
                       "    K          b=24\n"));
  EXPECT_TRUE(contains(renderText(letters("a", "b", "ab"), 80),
                       "    K          none\n"));
  EXPECT_TRUE(contains(renderText(letters("a", "a", ""), 80),
                       "  contraction  C[] = A[a] * B[a]\n"
                       "    batch      none\n"
                       "    M          none\n"
                       "    N          none\n"
                       "    K          a=24\n"));
  EXPECT_TRUE(contains(renderText(letters("xab", "xb", "xa"), 80),
                       "    batch      x=24\n"));
  EXPECT_TRUE(contains(renderText(letters("abcd", "dc", "ab"), 80),
                       "    M          a=24 b=24 (576 in all)\n"));
}

TEST(ExplainText, ReadingCAndMixedTypesShow) {
  Section section = product();
  model::Contraction &contraction = section.explanation.contraction;
  contraction.readsC = true;
  contraction.elementType[model::Tensor::A] = model::ElementType::F32;
  std::string text = renderText(section, 100);
  EXPECT_TRUE(contains(text, "C[i,j] = A[i,k] * B[k,j] + C[i,j]\n"));
  EXPECT_TRUE(contains(text, "A f32, B f64, C f64, sums f64\n"));
}

TEST(ExplainText, AJudgeBehindTheModel) {
  Section section = product();
  section.explanation.judge = "the clock";
  section.explanation.candidates[0].judgedSeconds = 1.5e-6;
  std::string text = renderText(section, 200);
  EXPECT_TRUE(contains(text, "; judged by the clock\n"));
  EXPECT_TRUE(contains(text, "    to the judge               1.50 us      not "
                             "known       not known\n"))
      << text;
  Json json = Json::parse(renderJson({section}))["explanations"][0];
  EXPECT_EQ(json["judge"], "the clock");
  EXPECT_EQ(json["candidates"][0]["judged_seconds"], 1.5e-6);
  EXPECT_TRUE(json["candidates"][1]["judged_seconds"].is_null());
}

TEST(ExplainText, WithoutCandidates) {
  Section section = product();
  section.explanation.candidates.clear();
  section.schedules.clear();
  EXPECT_FALSE(contains(renderText(section, 80), "sets the time"));
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

TEST(ExplainJson, MembersInOrder) {
  Json json = Json::parse(renderJson({product()}));
  EXPECT_EQ(keysOf(json),
            (std::vector<std::string>{"format", "version", "explanations"}));
  const Json &section = json["explanations"][0];
  EXPECT_EQ(keysOf(section),
            (std::vector<std::string>{"place", "contraction", "target",
                                      "compulsory_bytes", "roofline_seconds",
                                      "judge", "candidates", "search"}));
  EXPECT_EQ(keysOf(section["candidates"][0]),
            (std::vector<std::string>{"name",
                                      "schedule",
                                      "tiles",
                                      "block_tile",
                                      "register_tile",
                                      "instruction",
                                      "stages",
                                      "mapping",
                                      "useful_fraction",
                                      "threads",
                                      "registers_per_thread",
                                      "shared_bytes",
                                      "steps",
                                      "blocks",
                                      "occupancy",
                                      "levels",
                                      "execution_seconds",
                                      "seconds",
                                      "judged_seconds",
                                      "limit",
                                      "compulsory_ratio",
                                      "flops_per_dram_byte",
                                      "flops_per_second",
                                      "roofline_fraction",
                                      "reason"}));
}

TEST(ExplainJson, Figures) {
  Json json = Json::parse(renderJson({product()}))["explanations"][0];
  EXPECT_EQ(json["contraction"]["formula"], "C[i,j] = A[i,k] * B[k,j]");
  EXPECT_EQ(json["contraction"]["indices"][2],
            Json::parse(R"({"label": "k", "role": "K", "extent": 96,
                            "strides": {"A": 1, "B": 200, "C": 0},
                            "from": ["k"]})"));
  EXPECT_EQ(json["contraction"]["extents"]["N"], 200);
  EXPECT_EQ(json["compulsory_bytes"]["A"], 8 * 384 * 96);
  EXPECT_EQ(json["search"]["expanded"], 34);
  const Json &chosen = json["candidates"][0];
  EXPECT_EQ(chosen["name"], "chosen");
  EXPECT_EQ(chosen["schedule"], "#tc.schedule<first>");
  EXPECT_EQ(chosen["tiles"]["m"],
            Json::parse(R"([{"index": "i", "extent": 64}])"));
  EXPECT_EQ(chosen["block_tile"]["k"], 16);
  EXPECT_EQ(chosen["instruction"], "fma");
  EXPECT_EQ(chosen["stages"], 2);
  EXPECT_EQ(chosen["mapping"]["stationary"], "output");
  EXPECT_EQ(chosen["levels"].size(), model::numLevels);
  EXPECT_EQ(chosen["levels"][0]["level"], "DRAM");
  EXPECT_EQ(chosen["levels"][0]["seconds"], 2e-6);
  EXPECT_EQ(chosen["levels"][0]["bytes"]["A"], 4800000);
  EXPECT_TRUE(chosen["levels"][4]["bytes"].is_null());
  EXPECT_EQ(chosen["seconds"], 2e-6);
  EXPECT_EQ(chosen["limit"], "DRAM");
  EXPECT_EQ(chosen["roofline_fraction"], 0.5);
  EXPECT_EQ(chosen["occupancy"]["limited_by"], "registers");
  EXPECT_EQ(json["candidates"][1]["limit"], "latency and waves");
}

TEST(ExplainJson, WhatIsNotFiniteOrNotKnownIsNull) {
  Section section = product();
  section.explanation.candidates[0].cost.executionSeconds =
      std::numeric_limits<double>::infinity();
  section.schedules.clear();
  Json candidate =
      Json::parse(renderJson({section}))["explanations"][0]["candidates"][0];
  EXPECT_TRUE(candidate["seconds"].is_null());
  EXPECT_TRUE(candidate["schedule"].is_null());
}

TEST(ExplainJson, SeveralSections) {
  Json json = Json::parse(renderJson({product(), letters("a", "a", "")}));
  EXPECT_EQ(json["explanations"].size(), 2u);
}

//===----------------------------------------------------------------------===//
// The page
//===----------------------------------------------------------------------===//

TEST(ExplainHtml, PicturesOfEachSection) {
  std::string one = renderHtml({product()});
  EXPECT_EQ(count(one, "<svg "), 5u);
  EXPECT_EQ(count(one, "<section "), 1u);
  EXPECT_TRUE(contains(one, "<title>C[i,j] = A[i,k] * B[k,j]</title>"));
  EXPECT_TRUE(contains(one, "moves the fewest bytes."));
  EXPECT_TRUE(contains(one, "9.60 MB at 4.80 TB/s"));
  std::string two = renderHtml({product(), letters("a", "a", "")});
  EXPECT_EQ(count(two, "<svg "), 10u);
  EXPECT_TRUE(contains(two, "href=\"#c2\""));
  EXPECT_TRUE(contains(two, "id=\"c2-grid-title\""));
}

TEST(ExplainHtml, NothingFromOutsideIsMarkup) {
  Section section = product();
  std::string evil = "<script>&\"'x";
  section.place = evil;
  section.schedules[1] = evil;
  section.explanation.candidates[1].reason = evil;
  section.explanation.contraction.indices[0].label = evil;
  section.explanation.target.product = evil;
  std::string page = renderHtml({section});
  EXPECT_FALSE(contains(page, "<script"));
  EXPECT_FALSE(contains(page, "&\"'x"));
  EXPECT_GE(count(page, "&lt;script&gt;&amp;&quot;&#39;x"), 6u);
}

TEST(ExplainHtml, RolesMayBeMissing) {
  for (const Section &section :
       {letters("ab", "b", "a"), letters("a", "b", "ab"), letters("a", "a", ""),
        letters("xab", "xb", "xa"), letters("ay", "az", "")}) {
    std::string page = renderHtml({section});
    EXPECT_EQ(count(page, "<svg "), 5u);
    EXPECT_FALSE(contains(page, "nan"));
    EXPECT_FALSE(contains(page, "inf"));
  }
}

TEST(ExplainHtml, ManyIndicesAndCandidates) {
  Section section = letters("abcdefghijklmn", "ab", "cdefghijklmn", 2);
  EXPECT_TRUE(contains(renderHtml({section}), "and others"));
  section = product();
  std::vector<model::ExplainedCandidate> &candidates =
      section.explanation.candidates;
  while (candidates.size() < 12)
    candidates.push_back(candidates.back());
  EXPECT_TRUE(
      contains(renderHtml({section}), "The first 10 of 12 candidates."));
}

TEST(ExplainHtml, HugeExtents) {
  Section section = product();
  model::ExplainedCandidate &candidate = section.explanation.candidates.front();
  candidate.layout.steps = model::maxSteps;
  candidate.layout.blocks = model::maxBlocks;
  std::string page = renderHtml({section});
  EXPECT_TRUE(contains(page, "longer sides are cut"));
}

} // namespace
