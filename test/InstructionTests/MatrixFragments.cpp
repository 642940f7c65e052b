//===- MatrixFragments.cpp - Matrices spread over a warp ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixFragments.h"
#include "NarrowFormat.h"

#include <cstring>

using namespace tc::isa;

static float asFloat(Bits bits) {
  auto narrow = static_cast<std::uint32_t>(bits);
  float value;
  std::memcpy(&value, &narrow, sizeof(value));
  return value;
}

static double asDouble(Bits bits) {
  double value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

static Bits bitsOf(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

static Bits bitsOf(double value) {
  Bits bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

static ElementType narrow(const std::string &name, int bits,
                          const NarrowFormat &format) {
  return {name, bits, false,
          [&format](double value) { return format.encode(value); },
          [&format](Bits value) {
            return format.decode(static_cast<std::uint32_t>(value));
          }};
}

static const ElementType f64Type{
    "f64", 64, false, [](double value) { return bitsOf(value); }, asDouble};
static const ElementType f32Type{
    "f32", 32, false,
    [](double value) { return bitsOf(static_cast<float>(value)); }, asFloat};
/// With the low bits, which are ignored, all set.
static const ElementType tf32Type{
    "tf32", 32, false,
    [](double value) { return bitsOf(static_cast<float>(value)) | 0x1fff; },
    [](Bits bits) { return asFloat(bits & ~0x1fffu); }};
static const ElementType f16Type = narrow("f16", 16, f16Format);
static const ElementType bf16Type = narrow("bf16", 16, bf16Format);
static const ElementType e4m3Type = narrow("e4m3", 8, e4m3Format);
static const ElementType e5m2Type = narrow("e5m2", 8, e5m2Format);
static const ElementType s8Type{
    "s8", 8, true,
    [](double value) {
      return static_cast<std::uint8_t>(static_cast<std::int8_t>(value));
    },
    [](Bits bits) { return static_cast<std::int8_t>(bits); }};
static const ElementType u8Type{
    "u8", 8, true,
    [](double value) { return static_cast<std::uint8_t>(value); },
    [](Bits bits) { return static_cast<double>(bits); }};
static const ElementType s32Type{
    "s32", 32, true,
    [](double value) {
      return static_cast<std::uint32_t>(static_cast<std::int32_t>(value));
    },
    [](Bits bits) { return static_cast<std::int32_t>(bits); }};

/// The tables of the PTX ISA, "Matrix Fragments for mma".
std::vector<MatrixProduct> tc::isa::allMatrixProducts() {
  Layout c8 = [](int i, int g, int t) { return Place(g, t * 2 + i); };
  Layout c16 = [](int i, int g, int t) {
    return Place(i < 2 ? g : g + 8, t * 2 + (i & 1));
  };
  Layout oneByThread = [](int, int g, int t) { return Place(g, t); };
  Layout oneByGroup = [](int, int g, int t) { return Place(t, g); };
  Layout aK4 = [](int i, int g, int t) { return Place(i == 0 ? g : g + 8, t); };
  Layout aK8 = [](int i, int g, int t) {
    return Place(i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4);
  };
  Layout bK8 = [](int i, int g, int t) { return Place(i == 0 ? t : t + 4, g); };
  Layout aK16 = [](int i, int g, int t) {
    return i % 2 == 0 ? Place(g, i * 2 + t) : Place(g + 8, i * 2 - 2 + t);
  };
  Layout bK16 = [](int i, int g, int t) { return Place(t + i * 4, g); };
  std::vector<MatrixProduct> products = {
      {"m8n8k4", 8, 4, f64Type, f64Type, f64Type, oneByThread, oneByGroup, c8},
      {"m16n8k4", 16, 4, f64Type, f64Type, f64Type, aK4, oneByGroup, c16},
      {"m16n8k8", 16, 8, f64Type, f64Type, f64Type, aK8, bK8, c16},
      {"m16n8k16", 16, 16, f64Type, f64Type, f64Type, aK16, bK16, c16},
      {"m16n8k4", 16, 4, tf32Type, tf32Type, f32Type, aK4, oneByGroup, c16},
      {"m16n8k8", 16, 8, tf32Type, tf32Type, f32Type, aK8, bK8, c16},
  };
  Layout pairsA8 = [](int i, int g, int t) {
    return Place(i < 2 ? g : g + 8, t * 2 + (i & 1));
  };
  Layout pairsB8 = [](int i, int g, int t) {
    return Place(t * 2 + (i & 1), g);
  };
  Layout pairsA16 = [](int i, int g, int t) {
    return Place(i < 2 || (4 <= i && i < 6) ? g : g + 8,
                 i < 4 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8);
  };
  Layout pairsB16 = [](int i, int g, int t) {
    return Place(i < 2 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8, g);
  };
  const std::pair<ElementType, ElementType> halves[] = {
      {f16Type, f32Type}, {f16Type, f16Type}, {bf16Type, f32Type}};
  for (const auto &[factor, sum] : halves) {
    products.push_back(
        {"m16n8k8", 16, 8, factor, factor, sum, pairsA8, pairsB8, c16});
    products.push_back(
        {"m16n8k16", 16, 16, factor, factor, sum, pairsA16, pairsB16, c16});
  }
  Layout bytesA8 = [](int i, int g, int t) { return Place(g, t * 4 + i); };
  Layout bytesA16 = [](int i, int g, int t) {
    return Place(i < 4 ? g : g + 8, t * 4 + (i & 3));
  };
  Layout bytesB16 = [](int i, int g, int t) {
    return Place(t * 4 + (i & 3), g);
  };
  Layout bytesA32 = [](int i, int g, int t) {
    return Place(i < 4 || (8 <= i && i < 12) ? g : g + 8,
                 i < 8 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16);
  };
  Layout bytesB32 = [](int i, int g, int t) {
    return Place(i < 4 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16, g);
  };
  auto addBytes = [&](const ElementType &a, const ElementType &b,
                      const ElementType &sum) {
    products.push_back(
        {"m16n8k16", 16, 16, a, b, sum, bytesA16, bytesB16, c16});
    products.push_back(
        {"m16n8k32", 16, 32, a, b, sum, bytesA32, bytesB32, c16});
  };
  for (const ElementType &a : {s8Type, u8Type})
    for (const ElementType &b : {s8Type, u8Type}) {
      products.push_back(
          {"m8n8k16", 8, 16, a, b, s32Type, bytesA8, bytesB16, c8});
      addBytes(a, b, s32Type);
    }
  for (const ElementType &a : {e4m3Type, e5m2Type})
    for (const ElementType &b : {e4m3Type, e5m2Type})
      for (const ElementType &sum : {f32Type, f16Type})
        addBytes(a, b, sum);
  return products;
}

std::string MatrixProduct::name() const {
  return shape + ".row.col." + c.name + "." + a.name + "." + b.name + "." +
         c.name;
}
