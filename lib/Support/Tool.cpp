//===- Tool.cpp - Messages and exit status of tools -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Support/Tool.h"

#include "tc/Support/Message.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

int tc::failTool(const char *tool, const std::string &message) {
  std::fprintf(stderr, "%s: %s\n", tool, cutMessage(message).c_str());
  return 1;
}

int tc::endTool(const char *tool, const std::string &output,
                const std::string &failure) {
  bool written =
      std::fwrite(output.data(), 1, output.size(), stdout) == output.size() &&
      std::fflush(stdout) == 0;
  if (!written)
    return failTool(tool, std::string("cannot write the report: ") +
                              std::strerror(errno));
  return failure.empty() ? 0 : failTool(tool, failure);
}
