//===- tc-translate.cpp - Into and out of MLIR ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Translates contraction notations to the tc dialect, and kernels to PTX and
// cubins. Has the options of mlir-translate; unlike that, it reads regular
// files only, and writes all of its files or none.
//
//===----------------------------------------------------------------------===//

#include "../Version.h"

#include "tc/Import/ImportToTC.h"
#include "tc/Support/Message.h"
#include "tc/Target/CPU/CPUTranslations.h"
#include "tc/Target/Common/TransformFile.h"
#include "tc/Target/PTX/PTXExport.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/ToolUtilities.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"

using namespace tc;
namespace cl = llvm::cl;
using Verifier = mlir::SourceMgrDiagnosticVerifierHandler;

namespace {

struct Options {
  cl::opt<std::string> input{cl::Positional, cl::desc("<input file>"),
                             cl::init("-")};
  cl::opt<std::string> output{"o", cl::desc("Output filename"),
                              cl::value_desc("filename"), cl::init("-")};
  cl::opt<bool> allowsUnregistered{
      "allow-unregistered-dialect",
      cl::desc("Allow operations of dialects that are not registered")};
  cl::opt<std::string> splitMarker{
      "split-input-file", cl::ValueOptional,
      cl::callback([this](const std::string &marker) {
        if (marker.empty())
          splitMarker.setValue(mlir::kDefaultSplitMarker);
      }),
      cl::desc("Translate the parts of the input that this marker separates "
               "one by one")};
  cl::opt<std::string> outputMarker{
      "output-split-marker", cl::desc("What separates the parts of the output"),
      cl::init(mlir::kDefaultSplitMarker)};
  cl::opt<Verifier::Level> verifies{
      "verify-diagnostics", cl::ValueOptional,
      cl::desc("Check that diagnostics are those of expected-* lines"),
      cl::values(clEnumValN(Verifier::Level::All, "all", "all of them"),
                 clEnumValN(Verifier::Level::All, "", "all of them"),
                 clEnumValN(Verifier::Level::OnlyExpected, "only-expected",
                            "those that are expected"))};
  cl::opt<bool> errorsOnly{"error-diagnostics-only",
                           cl::desc("Print no diagnostics but errors")};
  cl::opt<const mlir::Translation *, false, mlir::TranslationParser>
      translation{"", cl::desc("Translation to perform"), cl::Required};
};

/// Passes lines on to standard error, long ones without their middle.
class CutLines : public llvm::raw_ostream {
public:
  CutLines() { SetUnbuffered(); }
  ~CutLines() override { llvm::errs() << cutMessage(std::move(line)); }

private:
  void write_impl(const char *data, size_t size) override {
    position += size;
    StringRef text(data, size);
    for (size_t end; (end = text.find('\n')) != StringRef::npos;
         text = text.drop_front(end + 1)) {
      line += text.take_front(end);
      llvm::errs() << cutMessage(std::exchange(line, {})) << '\n';
    }
    line += text;
  }
  uint64_t current_pos() const override { return position; }

  std::string line;
  uint64_t position = 0;
};

/// Keeps back diagnostics that are no errors.
class ErrorsOnly : public mlir::ScopedDiagnosticHandler {
public:
  explicit ErrorsOnly(mlir::MLIRContext *context)
      : ScopedDiagnosticHandler(context) {
    setHandler([](mlir::Diagnostic &diagnostic) {
      return failure(diagnostic.getSeverity() ==
                     mlir::DiagnosticSeverity::Error);
    });
  }
};

} // namespace

/// Prints a diagnostic with as much of a long line as a terminal shows, around
/// its place, and a long message without its middle.
static void printDiagnostic(const llvm::SMDiagnostic &diagnostic, void *) {
  constexpr size_t longestLine = 160;
  StringRef line = diagnostic.getLineContents();
  StringRef message = diagnostic.getMessage();
  if (line.size() <= longestLine && message.size() <= longestMessage) {
    diagnostic.print(/*ProgName=*/nullptr, llvm::errs());
    return;
  }
  std::string place = diagnostic.getFilename().str();
  bool hasPlace = diagnostic.getLineNo() > 0 && diagnostic.getColumnNo() >= 0;
  if (hasPlace)
    place += ":" + std::to_string(diagnostic.getLineNo()) + ":" +
             std::to_string(diagnostic.getColumnNo() + 1);
  llvm::SMDiagnostic(place, diagnostic.getKind(), cutMessage(message.str()))
      .print(/*ProgName=*/nullptr, llvm::errs());
  if (!hasPlace)
    return;
  auto column = static_cast<size_t>(diagnostic.getColumnNo());
  size_t begin = column > longestLine / 2 ? column - longestLine / 2 : 0;
  bool isCut = begin + longestLine < line.size();
  StringRef before = begin > 0 ? "..." : "";
  llvm::errs() << before << line.substr(begin, longestLine)
               << (isCut ? "..." : "") << "\n";
  llvm::errs().indent(before.size() + column - begin) << "^\n";
}

static LogicalResult translate(const Options &options,
                               std::unique_ptr<llvm::MemoryBuffer> part,
                               raw_ostream &os) {
  mlir::MLIRContext context;
  context.allowUnregisteredDialects(options.allowsUnregistered);
  context.printOpOnDiagnostic(options.verifies == Verifier::Level::None);
  auto source = std::make_shared<llvm::SourceMgr>();
  source->AddNewSourceBuffer(std::move(part), llvm::SMLoc());
  if (options.verifies == Verifier::Level::None) {
    source->setDiagHandler(printDiagnostic);
    CutLines diagnostics;
    mlir::SourceMgrDiagnosticHandler handler(*source, &context, diagnostics);
    std::optional<ErrorsOnly> filter;
    if (options.errorsOnly)
      filter.emplace(&context);
    return (*options.translation)(source, os, &context);
  }
  Verifier verifier(*source, &context, options.verifies);
  // A failure may be what is expected.
  (void)(*options.translation)(source, os, &context);
  return verifier.verify();
}

int main(int argc, char **argv) {
  setVersionOf("tc-translate");
  registerImportTranslations();
  registerTCToObjectTranslations();
  registerTCToPTXTranslations();
  llvm::InitLLVM guard(argc, argv);
  mlir::registerAsmPrinterCLOptions();
  mlir::registerMLIRContextCLOptions();
  mlir::registerTranslationCLOptions();
  Options options;
  cl::ParseCommandLineOptions(argc, argv, "tc translation driver\n");
  auto run = [&](std::unique_ptr<llvm::MemoryBuffer> input, raw_ostream &os) {
    auto translatePart = [&](std::unique_ptr<llvm::MemoryBuffer> part,
                             raw_ostream &partOs) {
      return translate(options, std::move(part), partOs);
    };
    return mlir::splitAndProcessBuffer(std::move(input), translatePart, os,
                                       options.splitMarker,
                                       options.outputMarker);
  };
  return failed(transformFile("tc-translate", options.input, options.output,
                              run, translationOutputs()));
}
