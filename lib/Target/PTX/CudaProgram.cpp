//===- CudaProgram.cpp - Programs of the CUDA Toolkit ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaProgram.h"

#include "tc/Support/Files.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <dlfcn.h>

using namespace tc;

SmallVector<std::string> tc::cudaToolkits() {
  SmallVector<std::string> toolkits;
  // In a Python package, this is tc/lib/libtc.so.0, and NVIDIA's packages are
  // beside tc.
  Dl_info self;
  SmallString<128> folder;
  if (dladdr(reinterpret_cast<void *>(&cudaToolkits), &self) &&
      !llvm::sys::fs::real_path(self.dli_fname, folder)) {
    llvm::sys::path::remove_filename(folder);
    if (folder.str().ends_with("/tc/lib")) {
      folder = llvm::sys::path::parent_path(
          llvm::sys::path::parent_path(folder.str()));
      llvm::sys::path::append(folder, "nvidia", "cu13");
      toolkits.push_back(folder.str().str());
    }
  }
  toolkits.push_back("/usr/local/cuda");
  return toolkits;
}

Result<std::string> tc::findCudaProgram(StringRef name, const char *variable) {
  if (const char *path = std::getenv(variable)) {
    if (llvm::sys::fs::can_execute(path))
      return std::string(path);
    return Error{std::string(variable) + " is '" + path +
                 "', which is not a program"};
  }
  if (auto found = llvm::sys::findProgramByName(name))
    return *found;
  std::string places;
  for (const std::string &toolkit : cudaToolkits()) {
    std::string folder = toolkit + "/bin";
    if (auto found = llvm::sys::findProgramByName(name, {folder}))
      return *found;
    places += ", nor in " + folder;
  }
  return Error{name.str() + " not found: neither " + variable +
               ", nor on PATH" + places};
}

Result<TemporaryFile> TemporaryFile::create(StringRef suffix) {
  SmallString<128> path;
  if (std::error_code code =
          llvm::sys::fs::createTemporaryFile("tc", suffix, path))
    return Error{"cannot create a temporary file: " + code.message()};
  return TemporaryFile(path);
}

Status TemporaryFile::write(StringRef contents) const {
  std::error_code code;
  llvm::raw_fd_ostream file(name, code);
  file << contents;
  file.close();
  if (!code && !file.has_error())
    return {};
  file.clear_error();
  return Error{"cannot write " + name};
}

Result<std::string> TemporaryFile::read() const { return readFile(name); }

Result<ProgramOutput> tc::runProgram(const std::string &path,
                                     ArrayRef<StringRef> arguments) {
  Result<TemporaryFile> output = TemporaryFile::create("out");
  Result<TemporaryFile> errors = TemporaryFile::create("log");
  for (const Result<TemporaryFile> *file : {&output, &errors})
    if (!*file)
      return Error{file->error()};
  SmallVector<StringRef> line = {path};
  line.append(arguments.begin(), arguments.end());
  std::optional<StringRef> redirects[] = {StringRef(""), output->path(),
                                          errors->path()};
  std::string message;
  int status = llvm::sys::ExecuteAndWait(path, line, std::nullopt, redirects, 0,
                                         0, &message);
  Result<std::string> out = output->read(), log = errors->read();
  for (const Result<std::string> *text : {&out, &log})
    if (!*text)
      return Error{text->error()};
  if (status == 0)
    return ProgramOutput{std::move(*out), std::move(*log)};
  // Programs print their complaints to either stream.
  StringRef complaint = StringRef(*log).trim();
  if (complaint.empty())
    complaint = StringRef(*out).trim();
  return Error{!message.empty() ? message
               : !complaint.empty()
                   ? complaint.str()
                   : llvm::sys::path::filename(path).str() +
                         " ended with status " + std::to_string(status)};
}
