//===- Tool.h - Messages and exit status of tools ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_TOOL_H
#define TC_SUPPORT_TOOL_H

#include <string>

namespace tc {

/// Prints why a tool fails, in one line of a bounded length that begins with
/// its name. Returns the exit status.
int failTool(const char *tool, const std::string &message);

/// Prints the report of a tool, and then the reason for its failure, if it
/// fails. Returns the exit status.
int endTool(const char *tool, const std::string &output,
            const std::string &failure = "");

} // namespace tc

#endif // TC_SUPPORT_TOOL_H
