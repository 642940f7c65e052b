//===- FieldJsonTest.cpp - Fields of records in JSON ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Support/FieldJson.h"

#include <gtest/gtest.h>

using namespace tc;

namespace tc::test {

enum class Shade { Dark, Light };

static std::string_view stringify(Shade shade) {
  return shade == Shade::Dark ? "dark" : "light";
}

struct Spot {
  Shade shade = Shade::Dark;
  std::array<int64_t, 2> place = {};
};

constexpr auto fieldsOf(const Spot *) {
  return std::make_tuple(field("shade", &Spot::shade),
                         field("place", &Spot::place));
}

struct Picture {
  std::string title;
  std::string_view painter = "nobody";
  std::vector<Spot> spots;
  std::optional<unsigned> year;
  int64_t copies = 1;
};

constexpr auto fieldsOf(const Picture *) {
  return std::make_tuple(
      field("title", &Picture::title), field("by", &Picture::painter),
      field("spots", &Picture::spots), field("year", &Picture::year),
      field("copies", &Picture::copies).orAbsent());
}

TEST(FieldJson, FieldsStandUnderTheirNames) {
  Picture picture;
  picture.title = "t";
  EXPECT_EQ(valueToJson(picture).dump(),
            R"({"title":"t","by":"nobody","spots":[],"year":null})");
  picture.spots = {{Shade::Light, {1, -2}}};
  picture.year = 1907;
  picture.copies = 0;
  nlohmann::ordered_json json = {{"before", true}};
  writeFields(json, picture);
  EXPECT_EQ(json.dump(),
            R"({"before":true,"title":"t","by":"nobody",)"
            R"("spots":[{"shade":"light","place":[1,-2]}],"year":1907,)"
            R"("copies":0})");
}

} // namespace tc::test
