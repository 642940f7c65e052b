//===- FilesTest.cpp - Arrays and code beside descriptions ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ForeignTest.h"
#include "Support/TemporaryFolder.h"

#include <cstring>

using namespace tc;
using namespace tc::foreign;
using namespace tc::foreign::test;

/// A file as numpy.save writes it.
template <typename T>
static std::string array(const std::string &type, const std::string &shape,
                         const std::vector<T> &numbers,
                         const std::string &order = "False") {
  std::string header = "{'descr': '" + type + "', 'fortran_order': " + order +
                       ", 'shape': " + shape + ", }\n";
  std::string text = "\x93NUMPY";
  text += '\1';
  text += '\0';
  text += static_cast<char>(header.size());
  text += '\0';
  text += header;
  text.append(reinterpret_cast<const char *>(numbers.data()),
              numbers.size() * sizeof(T));
  return text;
}

static Buffer bufferOf(model::ElementType type, std::vector<int64_t> extents) {
  Buffer buffer;
  buffer.tensor.name = "x";
  buffer.tensor.type = type;
  int64_t stride = 1;
  for (size_t i = extents.size(); i-- > 0; stride *= extents[i])
    buffer.tensor.strides.insert(buffer.tensor.strides.begin(), stride);
  for (size_t i = 0; i < extents.size(); ++i)
    buffer.tensor.labels.push_back("d" + std::to_string(i));
  buffer.tensor.extents = std::move(extents);
  buffer.fill = FileFill{"x.npy"};
  return buffer;
}

template <typename T>
static std::vector<T> filled(const Buffer &buffer, const std::string &file) {
  TemporaryFolder folder;
  folder.write("x.npy", file);
  Result<runtime::HostTensor> tensor =
      makeTensor(buffer, 1, 0, folder.name(), 1);
  EXPECT_TRUE(tensor) << (tensor ? "" : tensor.error());
  if (!tensor)
    return {};
  return {tensor->as<T>(), tensor->as<T>() + tensor->bytes() / sizeof(T)};
}

static std::string fillError(const Buffer &buffer, const std::string &file) {
  TemporaryFolder folder;
  folder.write("x.npy", file);
  Result<runtime::HostTensor> tensor =
      makeTensor(buffer, 1, 0, folder.name(), 1);
  return tensor ? "" : tensor.error();
}

TEST(Arrays, Types) {
  using model::ElementType;
  const std::vector<float> expected = {1, -2, 3};
  Buffer buffer = bufferOf(ElementType::F32, {3});
  EXPECT_EQ(filled<float>(buffer, array<double>("<f8", "(3,)", {1, -2, 3})),
            expected);
  EXPECT_EQ(filled<float>(buffer, array<float>("<f4", "(3,)", {1, -2, 3})),
            expected);
  EXPECT_EQ(filled<float>(buffer, array<uint16_t>("<f2", "(3,)",
                                                  {0x3c00, 0xc000, 0x4200})),
            expected);
  EXPECT_EQ(filled<float>(buffer, array<int8_t>("|i1", "(3,)", {1, -2, 3})),
            expected);
  EXPECT_EQ(filled<float>(buffer, array<int16_t>("<i2", "(3,)", {1, -2, 3})),
            expected);
  EXPECT_EQ(filled<float>(buffer, array<int32_t>("<i4", "(3,)", {1, -2, 3})),
            expected);
  EXPECT_EQ(filled<int64_t>(
                bufferOf(ElementType::I64, {2}),
                array<int64_t>("<i8", "(2,)", {INT64_MIN, INT64_MAX - 1})),
            (std::vector<int64_t>{INT64_MIN, INT64_MAX - 1}));
  Buffer bytes = bufferOf(ElementType::I32, {2});
  const std::vector<int32_t> unsignedNumbers = {200, 7};
  EXPECT_EQ(filled<int32_t>(bytes, array<uint8_t>("|u1", "(2,)", {200, 7})),
            unsignedNumbers);
  EXPECT_EQ(filled<int32_t>(bytes, array<uint16_t>("<u2", "(2,)", {200, 7})),
            unsignedNumbers);
  EXPECT_EQ(filled<int32_t>(bytes, array<uint32_t>("<u4", "(2,)", {200, 7})),
            unsignedNumbers);
  EXPECT_EQ(filled<int32_t>(bytes, array<uint64_t>("<u8", "(2,)", {200, 7})),
            unsignedNumbers);
  EXPECT_EQ(filled<double>(bufferOf(ElementType::C64, {1}),
                           array<double>("<c16", "(1,)", {1.5, 2.5})),
            (std::vector<double>{1.5, 2.5}));
  EXPECT_EQ(filled<float>(bufferOf(ElementType::C32, {1}),
                          array<float>("<c8", "(1,)", {1.5, 2.5})),
            (std::vector<float>{1.5, 2.5}));
}

TEST(Arrays, Order) {
  Buffer buffer = bufferOf(model::ElementType::I32, {2, 3});
  EXPECT_EQ(filled<int32_t>(
                buffer, array<int32_t>("<i4", "(2, 3)", {1, 2, 3, 4, 5, 6})),
            (std::vector<int32_t>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(filled<int32_t>(buffer, array<int32_t>("<i4", "(2, 3)",
                                                   {1, 2, 3, 4, 5, 6}, "True")),
            (std::vector<int32_t>{1, 3, 5, 2, 4, 6}));
  buffer.tensor.strides = {1, 2};
  EXPECT_EQ(filled<int32_t>(
                buffer, array<int32_t>("<i4", "(2, 3)", {1, 2, 3, 4, 5, 6})),
            (std::vector<int32_t>{1, 4, 2, 5, 3, 6}));
}

TEST(Arrays, Errors) {
  Buffer buffer = bufferOf(model::ElementType::I32, {2});
  const std::string good = array<int32_t>("<i4", "(2,)", {1, 2});
  EXPECT_EQ(fillError(buffer, ""), "x.npy: is no array in NumPy's format");
  EXPECT_EQ(fillError(buffer, "some text, which is long enough"),
            "x.npy: is no array in NumPy's format");
  std::string other = good;
  other[6] = 4;
  EXPECT_EQ(fillError(buffer, other),
            "x.npy: version 4 of NumPy's format is not supported");
  EXPECT_EQ(fillError(buffer, good.substr(0, 20)), "x.npy: ends in its header");
  EXPECT_EQ(fillError(buffer, good.substr(0, good.size() - 1)),
            "x.npy: has 7 bytes of numbers, not what its shape needs");
  EXPECT_EQ(fillError(buffer, array<int32_t>("<i4", "(3,)", {1, 2, 3})),
            "x.npy: does not have the shape of buffer \"x\"");
  EXPECT_EQ(fillError(buffer, array<double>("<c16", "(2,)", {1, 2, 3, 4})),
            "x.npy: is complex, and buffer \"x\" is not");
  EXPECT_EQ(fillError(buffer, array<int32_t>(">i4", "(2,)", {1, 2})),
            "x.npy: elements of type '>i4' are not supported");
  EXPECT_EQ(fillError(buffer, array<int32_t>("<i4", "(2", {1, 2})),
            "x.npy: has a malformed header");
  EXPECT_EQ(fillError(buffer, array<int32_t>("<i4", "(2,)", {1, 2}, "None")),
            "x.npy: has a malformed header");
  EXPECT_EQ(fillError(buffer, array<double>("<f8", "(2,)", {1, 0.5})),
            "buffer \"x\": element 1 of what it is filled with is no i32");
  EXPECT_EQ(fillError(bufferOf(model::ElementType::C32, {2}), good),
            "x.npy: is real, and buffer \"x\" is not");
}

TEST(Files, CodeAndArraysLieBeneathTheFolder) {
  TemporaryFolder folder;
  folder.write("k.ptx", "code");
  const std::string path = folder.name() + "/k.json";
  const std::string buffer =
      R"({"name": "x", "type": "f32", "extents": [2], "access": "read",
          "fill": {"file": "../x.npy"}})";
  const std::string text = describe(buffer, "");
  Result<LoadedDescription> loaded = load(text, path);
  ASSERT_TRUE(loaded) << loaded.error();
  EXPECT_EQ(loaded->code, "code");
  Result<Simulation> run = Simulation::create(*loaded, 1, 1);
  ASSERT_FALSE(run);
  EXPECT_NE(run.error().find("../x.npy"), std::string::npos);
  std::filesystem::remove(folder.name() + "/k.ptx");
  std::filesystem::create_directory(folder.name() + "/k.ptx");
  EXPECT_NE(load(text, path).error().find("k.json: $.code: "),
            std::string::npos);
}

/// A kernel that writes the contents of a file, or nearly.
TEST(Files, ReferencesAreHeldAgainstOutputs) {
  const std::string ptx = R"(.version 7.0
.target sm_80
.address_size 64
.entry k(.param .u64 y)
{
  .reg .b32 %r<4>; .reg .b64 %rd<3>; .reg .f32 %f;
  ld.param.u64 %rd0, [y];
  mov.u32 %r0, %ctaid.x; mov.u32 %r1, %tid.x; mad.lo.u32 %r2, %r0, 32, %r1;
  mul.wide.u32 %rd1, %r2, 4; add.s64 %rd2, %rd0, %rd1;
  cvt.rn.f32.u32 %f, %r2; st.global.f32 [%rd2], %f;
  ret;
}
)";
  TemporaryFolder folder;
  std::vector<double> numbers(64);
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = static_cast<double>(i);
  auto errorWith = [&](std::vector<double> expected, double tolerance) {
    folder.write("y.npy", array<double>("<f8", "(64,)", expected));
    LoadedDescription loaded{
        *fromJson(describe(
            R"({"name": "y", "type": "f32", "extents": [64],
                "access": "write"})",
            R"({"buffer": "y"})",
            R"({"output": "y", "file": "y.npy", "tolerance": )" +
                std::to_string(tolerance) + "}")),
        ptx, "k.ptx", folder.name()};
    Result<sim::Module> module = sim::Module::parse(ptx, "k.ptx");
    Result<Simulation> run = Simulation::create(loaded, 1, 1);
    Result<sim::Counters> counters = run->simulate(0, *module, {});
    EXPECT_TRUE(counters) << (counters ? "" : counters.error());
    return *run->check(loaded.description.checks[0], std::nullopt);
  };
  EXPECT_EQ(errorWith(numbers, 0).relativeError, 0);
  EXPECT_TRUE(errorWith(numbers, 0).passed());
  std::vector<double> others = numbers;
  others[63] = 64;
  EXPECT_FALSE(errorWith(others, 0.001).passed());
  EXPECT_TRUE(errorWith(others, 0.01).passed());
  others[0] = std::nan("");
  EXPECT_FALSE(errorWith(others, 0.01).passed());
}
