//===- TestJson.h - Changing one value of a document ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_UNIT_BENCH_TESTJSON_H
#define TC_TEST_UNIT_BENCH_TESTJSON_H

#include <nlohmann/json.hpp>

#include <sstream>

namespace tc::bench {

/// The value at a path like "/cases/0/name"; a missing key is made.
inline nlohmann::ordered_json &valueAt(nlohmann::ordered_json &json,
                                       const std::string &path) {
  nlohmann::ordered_json *value = &json;
  std::istringstream words(path);
  std::string word;
  // Skips the text before the first slash.
  std::getline(words, word, '/');
  while (std::getline(words, word, '/'))
    value = value->is_array() ? &(*value)[std::stoul(word)] : &(*value)[word];
  return *value;
}

} // namespace tc::bench

#endif // TC_TEST_UNIT_BENCH_TESTJSON_H
