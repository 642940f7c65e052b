//===- SimulationTest.cpp - Foreign PTX in the simulator ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ForeignTest.h"

using namespace tc;
using namespace tc::foreign;
using namespace tc::foreign::test;

static const char *const header =
    ".version 7.0\n.target sm_80\n.address_size 64\n";

/// y[i] = factor * x[i] + y[i] of 50 numbers.
static const std::string saxpy = std::string(header) + R"(
.const .align 4 .f32 factor = 0f40000000;
.entry k(.param .u64 .ptr .align 16 y, .param .u64 x, .param .u32 n)
{
  .reg .pred %p; .reg .b32 %i, %r<4>; .reg .b64 %y, %x, %o; .reg .f32 %f<3>;
  ld.param.u64 %y, [y]; ld.param.u64 %x, [x]; ld.param.u32 %r0, [n];
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
  mad.lo.u32 %i, %r1, %r2, %r3;
  setp.ge.u32 %p, %i, %r0;
  @%p bra end;
  mul.wide.u32 %o, %i, 4;
  add.s64 %y, %y, %o; add.s64 %x, %x, %o;
  ld.const.f32 %f0, [factor];
  ld.global.f32 %f1, [%x]; ld.global.f32 %f2, [%y];
  fma.rn.f32 %f2, %f0, %f1, %f2;
  st.global.f32 [%y], %f2;
end:
  ret;
}
)";
static const std::string vectors =
    R"({"name": "y", "type": "f32", "extents": [50], "access": "read_write"},
       {"name": "x", "type": "f32", "extents": [50], "access": "read"})";
static const std::string arguments =
    R"({"buffer": "y"}, {"buffer": "x"}, {"type": "u32", "value": 50})";

static std::string sumCheck(const std::string &factors) {
  return R"({"output": "y", "contraction":
             {"einsum": "i->i", "inputs": ["x"], )" +
         factors + "}}";
}

namespace {

/// The outcome of a description and its PTX.
struct Outcome {
  Outcome(std::string error = "") : error(std::move(error)) {}

  std::string error;
  std::optional<runtime::CheckReport> check;
  std::optional<sim::Counters> counters;

  bool passed() const { return check && check->passed(); }
};

} // namespace

static Outcome runAll(const std::string &text, const std::string &ptx,
                      const std::string &folder = "",
                      const runtime::SimulationOptions &options = {}) {
  Result<Description> description = fromJson(text);
  if (!description)
    return {description.error()};
  LoadedDescription loaded{std::move(*description), ptx, "k.ptx", folder};
  Result<sim::Module> module = sim::Module::parse(ptx, "k.ptx");
  if (!module)
    return {module.error()};
  Result<Simulation> run =
      Simulation::create(loaded, /*seed=*/1, /*workers=*/1);
  if (!run)
    return {run.error()};
  Outcome outcome;
  for (size_t i = 0; i < loaded.description.launches.size(); ++i) {
    Result<sim::Counters> counters = run->simulate(i, *module, options);
    if (!counters)
      return {counters.error()};
    outcome.counters = std::move(*counters);
  }
  for (const Check &check : loaded.description.checks) {
    Result<runtime::CheckReport> report = run->check(check, std::nullopt);
    if (!report)
      return {report.error()};
    outcome.check = std::move(*report);
  }
  return outcome;
}

TEST(ForeignSimulation, Contraction) {
  Outcome right =
      runAll(describe(vectors, arguments, sumCheck(R"("alpha": 2, "beta": 1)")),
             saxpy);
  EXPECT_EQ(right.error, "");
  EXPECT_TRUE(right.passed());
  EXPECT_EQ(right.check->compared, 50);
  EXPECT_EQ(right.counters->blocks, 2u);
  EXPECT_EQ(right.counters->buffers[1].loadBytes, 200u);
  // The check fails where any part of it says something else.
  for (const char *wrong : {R"("alpha": 2)", R"("alpha": 3, "beta": 1)",
                            R"("alpha": 2, "beta": -1)"}) {
    Outcome outcome =
        runAll(describe(vectors, arguments, sumCheck(wrong)), saxpy);
    EXPECT_EQ(outcome.error, "");
    EXPECT_FALSE(outcome.passed()) << wrong;
  }
}

TEST(ForeignSimulation, Fills) {
  const std::string filled =
      R"({"name": "y", "type": "f32", "extents": [50], "access": "read_write",
          "fill": {"constant": 0.5}},
         {"name": "x", "type": "f32", "extents": [50], "access": "read",
          "fill": {"integers": [-3, 3]}})";
  Outcome outcome = runAll(
      describe(filled, arguments, sumCheck(R"("alpha": 2, "beta": 1)")), saxpy);
  EXPECT_EQ(outcome.error, "");
  EXPECT_TRUE(outcome.passed());
  EXPECT_EQ(outcome.check->relativeError, 0);
}

TEST(ForeignSimulation, IntegerFillsReachBothEnds) {
  Buffer buffer;
  buffer.tensor.name = "x";
  buffer.tensor.type = model::ElementType::I8;
  buffer.tensor.labels = {"d0"};
  buffer.tensor.extents = {1000};
  buffer.tensor.strides = {1};
  buffer.fill = IntegerFill{-3, 2};
  Result<runtime::HostTensor> tensor = makeTensor(buffer, 1, 0, "", 1);
  ASSERT_TRUE(tensor) << tensor.error();
  int least = 100, most = -100;
  for (int64_t i = 0; i < 1000; ++i) {
    least = std::min<int>(least, tensor->as<int8_t>()[i]);
    most = std::max<int>(most, tensor->as<int8_t>()[i]);
  }
  EXPECT_EQ(least, -3);
  EXPECT_EQ(most, 2);
  buffer.fill = ConstantFill{200};
  Result<runtime::HostTensor> tooLarge = makeTensor(buffer, 1, 0, "", 1);
  ASSERT_FALSE(tooLarge);
  EXPECT_EQ(tooLarge.error(),
            "buffer \"x\": element 0 of what it is filled with is no i8");
}

TEST(ForeignSimulation, Variables) {
  // 0x40400000 is 3.
  const std::string three =
      R"(, "variables": [{"name": "factor", "bytes": "00004040"}])";
  EXPECT_TRUE(runAll(describe(vectors, arguments,
                              sumCheck(R"("alpha": 3, "beta": 1)"), three),
                     saxpy)
                  .passed());
  EXPECT_EQ(runAll(describe(vectors, arguments, "",
                            R"(, "variables": [{"name": "z", "bytes": ""}])"),
                   saxpy)
                .error,
            "k.ptx: entry 'k': variable 'z' is not in the module");
  EXPECT_EQ(runAll(describe(vectors, arguments, "",
                            R"(, "variables": [{"name": "factor",
                               "bytes": "0000000000"}])"),
                   saxpy)
                .error,
            "k.ptx: entry 'k': variable 'factor' has 4 bytes, not 5");
}

/// y = x of 64 numbers, whose places are in a structure in memory.
TEST(ForeignSimulation, PointersInStructuresAndVariables) {
  const std::string text = std::string(header) + R"(
.global .align 8 .u64 target;
.entry k(.param .align 8 .b8 s[24])
{
  .reg .b32 %r<4>; .reg .b64 %rd<6>; .reg .f64 %f;
  mov.b64 %rd0, s; ld.param.u64 %rd1, [%rd0+8];
  mov.b64 %rd2, target; ld.global.u64 %rd3, [%rd2];
  mov.u32 %r0, %ctaid.x; mov.u32 %r1, %tid.x; mad.lo.u32 %r2, %r0, 32, %r1;
  mul.wide.u32 %rd4, %r2, 8;
  add.s64 %rd1, %rd1, %rd4; add.s64 %rd3, %rd3, %rd4;
  ld.global.f64 %f, [%rd1]; st.global.f64 [%rd3], %f;
  ret;
}
)";
  const std::string buffers =
      R"({"name": "x", "type": "f64", "extents": [65], "access": "read"},
         {"name": "y", "type": "f64", "extents": [64], "access": "write",
          "write_once": true})";
  const std::string structure =
      R"({"bytes": "000000000000000000000000000000000000000000000000",
          "pointers": [{"at": 8, "buffer": "x", "offset_bytes": 8}]})";
  const std::string variable =
      R"(, "variables": [{"name": "target", "bytes": "0000000000000000",
          "pointers": [{"at": 0, "buffer": "y"}]}])";
  Outcome outcome = runAll(describe(buffers, structure, "", variable), text);
  EXPECT_EQ(outcome.error, "");
  EXPECT_EQ(outcome.counters->buffers[0].loadBytes, 512u);
  EXPECT_EQ(outcome.counters->buffers[1].storeBytes, 512u);
  // Null is no address of a buffer.
  EXPECT_NE(runAll(describe(buffers, structure), text)
                .error.find("is outside every buffer"),
            std::string::npos);
}

TEST(ForeignSimulation, DetectorsWatchBuffers) {
  // Nothing may be read of a buffer that is only written, and all must be.
  const std::string unread =
      R"({"name": "y", "type": "f32", "extents": [50], "access": "write"},
         {"name": "x", "type": "f32", "extents": [50], "access": "read"})";
  EXPECT_NE(runAll(describe(unread, arguments), saxpy)
                .error.find("which nothing has initialized or written"),
            std::string::npos)
      << runAll(describe(unread, arguments), saxpy).error;
  const std::string longer =
      R"({"name": "y", "type": "f32", "extents": [50], "access": "read"},
         {"name": "x", "type": "f32", "extents": [50], "access": "read"})";
  EXPECT_NE(runAll(describe(longer, arguments), saxpy)
                .error.find("of the read-only buffer 'y'"),
            std::string::npos);
}

TEST(ForeignSimulation, LeastAligned) {
  runtime::SimulationOptions options;
  options.leastAligned = true;
  const std::string aligned =
      R"({"name": "y", "type": "f32", "extents": [50], "alignment": 4,
          "access": "read_write"},
         {"name": "x", "type": "f32", "extents": [50], "access": "read"})";
  EXPECT_EQ(runAll(describe(aligned, arguments), saxpy, "", options).error,
            "k.ptx: entry 'k': argument 0 ('y') must be a multiple of 16 "
            "bytes");
  EXPECT_EQ(runAll(describe(aligned, arguments), saxpy).error, "");
}

TEST(ForeignSimulation, ArgumentsThatDoNotFit) {
  EXPECT_EQ(runAll(describe(vectors, R"({"buffer": "y"})"), saxpy).error,
            "k.ptx: entry 'k': takes 3 arguments, not 1");
  EXPECT_EQ(runAll(describe(vectors, R"({"buffer": "y"}, {"buffer": "x"},
                                        {"type": "u64", "value": 50})"),
                   saxpy)
                .error,
            "k.ptx: entry 'k': argument 2 ('n') has 8 bytes, the parameter has "
            "4");
}

TEST(ForeignSimulation, Blocks) {
  Result<Description> description = fromJson(describe(vectors, arguments));
  ASSERT_TRUE(description) << description.error();
  Launch launch = description->launches[0];
  launch.grid = {2, 3, 5};
  EXPECT_EQ(*foreign::parseBlocks("all", launch), std::vector<int64_t>());
  EXPECT_EQ(*foreign::parseBlocks("last,first,middle,7", launch),
            (std::vector<int64_t>{0, 7, 15, 29}));
  EXPECT_EQ(foreign::parseBlocks("30", launch).error(),
            "block 30 is outside the grid of 30 blocks");
}

TEST(ForeignSimulation, ParametersAsTheyLieInMemory) {
  Result<Description> description =
      fromJson(describe(vectors, R"({"type": "u8", "value": 1},
                  {"buffer": "x", "offset_bytes": 4})"));
  ASSERT_TRUE(description) << description.error();
  sim::EntryInfo entry;
  entry.name = "k";
  entry.parameters = {{"a", 1, 1, 1}, {"b", 8, 8, 1}};
  const Launch &launch = description->launches[0];
  Result<std::vector<std::byte>> bytes = parametersOf(launch, entry);
  ASSERT_TRUE(bytes) << bytes.error();
  ASSERT_EQ(bytes->size(), 16u);
  EXPECT_EQ((*bytes)[0], std::byte(1));
  uint64_t address = 0;
  std::memcpy(&address, bytes->data() + 8, 8);
  EXPECT_EQ(address, (uint64_t(17) << 40) + 4);
  entry.parameters[0].size = 2;
  EXPECT_EQ(parametersOf(launch, entry).error(),
            "entry 'k': argument 0 has 1 bytes, the parameter has 2");
  entry.parameters.pop_back();
  EXPECT_EQ(parametersOf(launch, entry).error(),
            "entry 'k': takes 1 arguments, not 2");
}

TEST(ForeignSimulation, SeveralLaunches) {
  const std::string launch =
      R"({"entry": "k", "grid": [2, 1, 1], "block": [32, 1, 1],
          "arguments": [)" +
      arguments + "]}";
  const std::string text =
      R"({"format": "tc-foreign-ptx", "version": 1, "name": "test",
          "code": "k.ptx", "buffers": [)" +
      vectors + R"(], "launches": [)" + launch + "," + launch +
      R"(], "checks": [)" + sumCheck(R"("alpha": 4, "beta": 1)") + "]}";
  Outcome outcome = runAll(text, saxpy);
  EXPECT_EQ(outcome.error, "");
  EXPECT_TRUE(outcome.passed());
}
