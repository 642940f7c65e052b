//===- TransformFile.cpp - From one file to another -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Target/Common/TransformFile.h"

#include "tc/Support/Message.h"

#include "llvm/Support/raw_ostream.h"

using namespace tc;

static Status write(const std::string &output, std::string text,
                    OutputFiles &others) {
  if (output != "-") {
    others.add(output, std::move(text));
    return others.commit();
  }
  if (Status status = others.commit(); !status)
    return status;
  llvm::outs() << text;
  llvm::outs().flush();
  if (std::error_code error = llvm::outs().error()) {
    llvm::outs().clear_error();
    return Error{"standard output: " + error.message()};
  }
  return {};
}

LogicalResult tc::transformFile(StringRef tool, const std::string &input,
                                const std::string &output,
                                const Transformation &transform,
                                OutputFiles &others) {
  auto fail = [&](const std::string &message) {
    llvm::errs() << tool << ": " << cutMessage(message) << "\n";
    return failure();
  };
  Result<std::string> text =
      input == "-" ? readStandardInput() : readFile(input);
  if (!text)
    return fail(text.error());
  std::string result;
  llvm::raw_string_ostream os(result);
  if (failed(transform(llvm::MemoryBuffer::getMemBufferCopy(
                           *text, input == "-" ? "<stdin>" : input),
                       os)))
    return failure();
  if (Status status = write(output, std::move(result), others); !status)
    return fail(status.error());
  return success();
}
