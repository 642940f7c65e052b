//===- Translation.cpp - Importers as translations ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers the importers with mlir-translate's driver.
//
//===----------------------------------------------------------------------===//

#include "tc/Import/FusedExpressions.h"
#include "tc/Import/ImportToTC.h"
#include "tc/Import/Notations.h"

#include "tc/Dialect/TC/IR/TCDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace tc;

namespace {

/// The command-line options that the importers share. They are made when the
/// importers are registered, so that other programs that link them don't get
/// them.
struct CommandLineOptions {
  // Options keep no copy of their descriptions.
  std::string typeHelp = "Element type, in place of the input's (default: "
                         "f64): " +
                         model::elementTypeNames();
  llvm::cl::opt<std::string> extents{
      "extents", llvm::cl::value_desc("a=24,b=16"),
      llvm::cl::desc("Extents of indices, in place of those in the input")};
  llvm::cl::opt<std::string> shapes{
      "shapes", llvm::cl::value_desc("8x3x4,8x4x5"),
      llvm::cl::desc("Shapes of the operands of an einsum specification")};
  llvm::cl::opt<std::string> type{"type", llvm::cl::value_desc("type"),
                                  llvm::cl::desc(typeHelp)};
  llvm::cl::opt<std::string> typeA{
      "type-a", llvm::cl::value_desc("type"),
      llvm::cl::desc("Element type of A, where it has another")};
  llvm::cl::opt<std::string> typeB{
      "type-b", llvm::cl::value_desc("type"),
      llvm::cl::desc("Element type of B, where it has another")};
  llvm::cl::opt<std::string> precision{
      "precision", llvm::cl::value_desc("ieee|tf32|3xtf32|bf16x3"),
      llvm::cl::desc("Least precise arithmetic that is allowed (default: "
                     "ieee)")};
  llvm::cl::opt<std::string> semiring{
      "semiring", llvm::cl::value_desc("plus_times|max_plus|..."),
      llvm::cl::desc("What combines products, and what multiplies (default: "
                     "plus_times)")};
  llvm::cl::opt<std::string> product{
      "product", llvm::cl::value_desc("expression"),
      llvm::cl::desc("What factors x and y become in place of x * y, with "
                     "--combine and --identity")};
  llvm::cl::opt<std::string> combine{
      "combine", llvm::cl::value_desc("expression"),
      llvm::cl::desc("What sums x and y become in place of x + y")};
  llvm::cl::opt<std::string> identity{
      "identity", llvm::cl::value_desc("number"),
      llvm::cl::desc("What --combine changes nothing with, as in -inf")};
  llvm::cl::opt<bool> conjugateA{
      "conjugate-a",
      llvm::cl::desc("Multiply the complex conjugates of A's elements")};
  llvm::cl::opt<bool> conjugateB{
      "conjugate-b",
      llvm::cl::desc("Multiply the complex conjugates of B's elements")};
  llvm::cl::opt<bool> allowThreeProducts{
      "allow-three-products",
      llvm::cl::desc("Complex products may be computed by three real ones")};
  llvm::cl::opt<std::string> prologueA{
      "prologue-a", llvm::cl::value_desc("expression"),
      llvm::cl::desc("What an element x of A becomes before it is multiplied, "
                     "as in relu(x)")};
  llvm::cl::opt<std::string> prologueB{
      "prologue-b", llvm::cl::value_desc("expression"),
      llvm::cl::desc("What an element x of B becomes before it is multiplied")};
  llvm::cl::opt<std::string> epilogue{
      "epilogue", llvm::cl::value_desc("expression"),
      llvm::cl::desc(
          "What an element x of the result becomes before it is "
          "stored, as in relu(x + bias[j]); c is what C held there")};
  llvm::cl::opt<std::string> layout{
      "layout", llvm::cl::value_desc("row|col"),
      llvm::cl::desc("Whether the last (row) or the first (col) index of a "
                     "list has stride one, in place of the notation's own")};
  llvm::cl::opt<bool> useTensors{
      "use-tensors", llvm::cl::init(false),
      llvm::cl::desc("Import functions on tensors rather than on memrefs")};
};

} // namespace

static LogicalResult emitDiagnostic(MLIRContext *context,
                                    const notation::Diagnostic &diagnostic) {
  return emitError(FileLineColLoc::get(context, diagnostic.source,
                                       diagnostic.position.line,
                                       diagnostic.position.column))
         << diagnostic.message;
}

namespace {

/// Reads the options that were given. Each is a buffer of the source manager,
/// so that diagnostics show it like a file.
class OptionReader {
public:
  OptionReader(llvm::SourceMgr &sourceMgr, MLIRContext *context,
               notation::ParseOptions &options)
      : sourceMgr(sourceMgr), context(context), options(options) {}

  LogicalResult readExtents(const llvm::cl::opt<std::string> &option) {
    if (!isGiven(option))
      return success();
    notation::Diagnostic diagnostic;
    auto extents = notation::parseExtents(option, source(option), diagnostic);
    if (!extents)
      return emitDiagnostic(context, diagnostic);
    options.extents = std::move(*extents);
    options.extentsSource = source(option);
    return success();
  }

  LogicalResult readShapes(const llvm::cl::opt<std::string> &option) {
    if (!isGiven(option))
      return success();
    notation::Diagnostic diagnostic;
    auto shapes = notation::parseShapes(option, source(option), diagnostic);
    if (!shapes)
      return emitDiagnostic(context, diagnostic);
    options.shapes = std::move(*shapes);
    options.shapesSource = source(option);
    return success();
  }

  LogicalResult readType(const llvm::cl::opt<std::string> &option,
                         std::optional<model::ElementType> &type) {
    if (!isGiven(option))
      return success();
    type = model::symbolizeElementType(option);
    if (type)
      return success();
    return emitDiagnostic(context,
                          {source(option),
                           {},
                           "unsupported element type '" + option.getValue() +
                               "': expected " + model::elementTypeNames()});
  }

  /// An option whose value is the name of one, of which `symbolize` knows all.
  template <typename Value, typename Symbolize>
  LogicalResult readNamed(const llvm::cl::opt<std::string> &option,
                          StringRef what, Symbolize symbolize,
                          const std::string &names, Value &result) {
    if (!isGiven(option))
      return success();
    if (auto value = symbolize(option.getValue())) {
      result = *value;
      return success();
    }
    return emitDiagnostic(context,
                          {source(option),
                           {},
                           "unknown " + what.str() + " '" + option.getValue() +
                               "': expected " + names});
  }

  LogicalResult readCode(const llvm::cl::opt<std::string> &option,
                         Result<model::Expression> (*parse)(std::string_view),
                         std::optional<model::Expression> &result) {
    if (!isGiven(option))
      return success();
    Result<model::Expression> expression = parse(option.getValue());
    if (!expression)
      return emitDiagnostic(context, {source(option), {}, expression.error()});
    result = std::move(*expression);
    return success();
  }

  LogicalResult readSemiring(const llvm::cl::opt<std::string> &product,
                             const llvm::cl::opt<std::string> &combine,
                             const llvm::cl::opt<std::string> &identity) {
    notation::SemiringTexts texts;
    for (auto [option, text] : {std::pair(&product, &texts.product),
                                std::pair(&combine, &texts.combine),
                                std::pair(&identity, &texts.identity)})
      if (option->getNumOccurrences())
        *text = option->getValue();
    if (!texts.any())
      return success();
    Result<notation::SemiringExpressions> semiring =
        notation::parseSemiringExpressions(texts);
    if (!semiring)
      return mlir::emitError(mlir::UnknownLoc::get(context))
             << "--" << semiring.error();
    options.fused.semiring = std::move(*semiring);
    return success();
  }

  LogicalResult readLayout(const llvm::cl::opt<std::string> &option) {
    if (!isGiven(option))
      return success();
    options.layout = notation::symbolizeLayout(option.getValue());
    if (options.layout)
      return success();
    return emitDiagnostic(context, {source(option),
                                    {},
                                    "unknown layout '" + option.getValue() +
                                        "': expected 'row' or 'col'"});
  }

private:
  static std::string source(const llvm::cl::Option &option) {
    return "--" + option.ArgStr.str();
  }

  bool isGiven(const llvm::cl::opt<std::string> &option) {
    if (!option.getNumOccurrences())
      return false;
    sourceMgr.AddNewSourceBuffer(
        llvm::MemoryBuffer::getMemBufferCopy(option.getValue(), source(option)),
        llvm::SMLoc());
    return true;
  }

  llvm::SourceMgr &sourceMgr;
  MLIRContext *context;
  notation::ParseOptions &options;
};

} // namespace

static LogicalResult readOptions(const CommandLineOptions &commandLine,
                                 OptionReader reader,
                                 notation::ParseOptions &options) {
  options.conjugatesA = commandLine.conjugateA;
  options.conjugatesB = commandLine.conjugateB;
  options.allowsThreeProducts = commandLine.allowThreeProducts;
  return success(
      succeeded(reader.readExtents(commandLine.extents)) &&
      succeeded(reader.readShapes(commandLine.shapes)) &&
      succeeded(reader.readType(commandLine.type, options.elementType)) &&
      succeeded(reader.readType(commandLine.typeA, options.elementTypeA)) &&
      succeeded(reader.readType(commandLine.typeB, options.elementTypeB)) &&
      succeeded(reader.readNamed(commandLine.precision, "precision",
                                 model::symbolizePrecision,
                                 model::precisionNames(), options.precision)) &&
      succeeded(reader.readNamed(commandLine.semiring, "semiring",
                                 model::symbolizeSemiring,
                                 model::semiringNames(), options.semiring)) &&
      succeeded(reader.readSemiring(commandLine.product, commandLine.combine,
                                    commandLine.identity)) &&
      succeeded(reader.readCode(commandLine.prologueA, model::parsePrologue,
                                options.fused.prologueA)) &&
      succeeded(reader.readCode(commandLine.prologueB, model::parsePrologue,
                                options.fused.prologueB)) &&
      succeeded(reader.readCode(commandLine.epilogue, model::parseEpilogue,
                                options.fused.epilogue)) &&
      succeeded(reader.readLayout(commandLine.layout)));
}

static OwningOpRef<ModuleOp> importAs(notation::Notation notation,
                                      StringRef text, MLIRContext *context,
                                      const notation::ParseOptions &options,
                                      const ImportOptions &importOptions,
                                      notation::Diagnostic &diagnostic) {
  auto contractions = notation::parse(notation, text, options, diagnostic);
  if (!contractions)
    return {};
  return importContractions(context, *contractions, importOptions);
}

static OwningOpRef<ModuleOp> importAs(notation::ProgramNotation notation,
                                      StringRef text, MLIRContext *context,
                                      const notation::ParseOptions &options,
                                      const ImportOptions &importOptions,
                                      notation::Diagnostic &diagnostic) {
  auto program = notation::parseProgram(notation, text, options, diagnostic);
  if (!program)
    return {};
  return importProgram(context, *program, importOptions);
}

template <typename Notation>
static OwningOpRef<Operation *>
importText(Notation notation, const CommandLineOptions &commandLine,
           llvm::SourceMgr &sourceMgr, MLIRContext *context) {
  const llvm::MemoryBuffer *buffer =
      sourceMgr.getMemoryBuffer(sourceMgr.getMainFileID());
  notation::ParseOptions options;
  options.source = buffer->getBufferIdentifier().str();
  if (failed(readOptions(commandLine, OptionReader(sourceMgr, context, options),
                         options)))
    return {};
  ImportOptions importOptions;
  importOptions.source = options.source;
  importOptions.useTensors = commandLine.useTensors;
  notation::Diagnostic diagnostic;
  OwningOpRef<ModuleOp> module =
      importAs(notation, buffer->getBuffer(), context, options, importOptions,
               diagnostic);
  if (!module) {
    (void)emitDiagnostic(context, diagnostic);
    return {};
  }
  if (failed(verify(*module)))
    return {};
  return module;
}

template <typename Notation>
static void registerImporter(StringLiteral name, StringLiteral description,
                             Notation notation,
                             const CommandLineOptions &commandLine) {
  TranslateToMLIRRegistration(
      name, description,
      [notation,
       &commandLine](const std::shared_ptr<llvm::SourceMgr> &sourceMgr,
                     MLIRContext *context) {
        return importText(notation, commandLine, *sourceMgr, context);
      },
      [](DialectRegistry &registry) {
        registry.insert<arith::ArithDialect, func::FuncDialect,
                        math::MathDialect, TCDialect>();
      });
}

void tc::registerImportTranslations() {
  static CommandLineOptions commandLine;
  registerImporter("import-einsum", "Import an einsum specification",
                   notation::Notation::Einsum, commandLine);
  registerImporter("import-tccg", "Import an input file of TCCG",
                   notation::Notation::TCCG, commandLine);
  registerImporter("import-cogent", "Import statements of COGENT",
                   notation::Notation::Cogent, commandLine);
  registerImporter("import-program", "Import statements with temporaries",
                   notation::ProgramNotation::Tensors, commandLine);
  registerImporter("import-octopi", "Import statements of OCTOPI",
                   notation::ProgramNotation::Octopi, commandLine);
}
