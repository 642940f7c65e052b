//===- ScheduleExplanation.cpp - Operations' schedules explained ----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/ScheduleExplanation.h"

#include "tc/Analysis/FormChoice.h"
#include "tc/Analysis/TargetLookup.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace tc;

/// "FILE:LINE:COLUMN", as far as it is known.
static std::string placeOf(Operation *op) {
  std::string place;
  op->getLoc()->walk([&](Location location) {
    auto file = dyn_cast<mlir::FileLineColLoc>(location);
    if (!file)
      return mlir::WalkResult::advance();
    place = file.getFilename().str() + ":" + std::to_string(file.getLine()) +
            ":" + std::to_string(file.getColumn());
    return mlir::WalkResult::interrupt();
  });
  return place;
}

FailureOr<explain::Section>
tc::explainSchedule(ContractOp op, const model::Target &target,
                    ScheduleAttr given, unsigned runnersUp,
                    const RepresentativeExtents &representatives) {
  model::Target machine = target;
  if (given) {
    Result<model::Target> named = lookUpTarget(op, given.getValue().target);
    if (!named)
      return op.emitOpError("schedule: ") << named.error();
    machine = std::move(*named);
  }
  FailureOr<model::Contraction> contraction =
      given ? toContraction(op, representatives, given.getValue())
            : chooseForm(op, machine, representatives);
  if (failed(contraction))
    return failure();
  Result<model::Explanation> explanation =
      given ? model::explain(*contraction, machine, given.getValue(), runnersUp)
            : model::explain(*contraction, machine, runnersUp);
  if (!explanation) {
    InFlightDiagnostic error = op.emitOpError();
    if (!given)
      error << "no schedule for " << machine.name << ": ";
    return error << explanation.error();
  }

  explain::Section section;
  section.place = placeOf(op);
  for (const model::ExplainedCandidate &candidate : explanation->candidates) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    stream << ScheduleAttr::get(op.getContext(), candidate.schedule);
    section.schedules.push_back(std::move(text));
  }
  section.explanation = std::move(*explanation);
  return section;
}

namespace {

/// A file that takes its name when all is written, and is gone if not.
class PendingFile {
public:
  explicit PendingFile(std::string path) : path(std::move(path)) {}
  ~PendingFile() {
    if (temporary)
      llvm::consumeError(temporary->discard());
  }
  PendingFile(const PendingFile &) = delete;

  Status write(const std::string &text) {
    // Renaming would put a file in the place of a device or a folder.
    if (llvm::sys::fs::exists(path) && !llvm::sys::fs::is_regular_file(path))
      return Error{path + ": is not a regular file"};
    llvm::Expected<llvm::sys::fs::TempFile> created =
        llvm::sys::fs::TempFile::create(path + ".tmp%%%%%%");
    if (!created)
      return fail(created.takeError());
    temporary.emplace(std::move(*created));
    llvm::raw_fd_ostream stream(temporary->FD, /*shouldClose=*/false);
    stream << text;
    stream.flush();
    if (std::error_code error = stream.error()) {
      stream.clear_error();
      return Error{path + ": " + error.message()};
    }
    return {};
  }

  Status keep() {
    llvm::Error error = temporary->keep(path);
    if (error)
      return fail(std::move(error));
    temporary.reset();
    return {};
  }

private:
  Status fail(llvm::Error error) const {
    std::error_code code = llvm::errorToErrorCode(std::move(error));
    return Error{path + ": " + code.message()};
  }

  std::string path;
  std::optional<llvm::sys::fs::TempFile> temporary;
};

} // namespace

Status tc::writeExplanations(const std::vector<explain::Section> &sections,
                             const ExplanationFiles &files) {
  std::vector<std::unique_ptr<PendingFile>> pending;
  auto write = [&](const std::string &path, auto render) -> Status {
    if (path.empty())
      return {};
    pending.push_back(std::make_unique<PendingFile>(path));
    return pending.back()->write(render(sections));
  };
  if (Status status = write(files.html, explain::renderHtml); !status)
    return status;
  if (Status status = write(files.json, explain::renderJson); !status)
    return status;
  for (const std::unique_ptr<PendingFile> &file : pending)
    if (Status status = file->keep(); !status)
      return status;
  return {};
}
