//===- Program.cpp - Programs of several statements in C ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc-c/Program.h"
#include "Ahead.h"
#include "CompiledProgram.h"
#include "ElementTypes.h"
#include "Error.h"
#include "Product.h"

#include "tc/Import/Notations.h"

using namespace tc;
using namespace tc::capi;

/// Option of single contractions, and not the default.
static std::optional<std::string> findOptionOfContractions(const TcOptions &o) {
  for (auto [name, factor] :
       {std::pair("alpha", &o.alpha), std::pair("beta", &o.beta)})
    if (factor->isArgument || factor->value)
      return name;
  if (!o.schedule.empty())
    return "schedule";
  if (o.dynamicShapes)
    return "dynamic-shapes";
  if (o.userSemiring.any())
    return "product";
  if (!o.auxiliaries.empty())
    return "auxiliary tensors";
  for (int64_t offset : o.offsets())
    if (offset != 0)
      return "offset-a, offset-b or offset-c";
  return std::nullopt;
}

static const TcOptions &optionsByDefault() {
  static const TcOptions options;
  return options;
}

/// The options that a program's text obeys.
static notation::ParseOptions parseOptions(const char *name,
                                           const TcOptions &options) {
  notation::ParseOptions parsing;
  parsing.source = name;
  options.describeTo(parsing);
  return parsing;
}

/// The name of a program for which nobody has chosen one, and then that.
static std::string nameOf(std::string name, const TcOptions &options) {
  return options.name == optionsByDefault().name ? name : options.name;
}

/// The source of a program that was read with such options.
///
/// @param path  of the only product; empty where the model is to choose
static Source sourceOf(const char *name,
                       std::optional<notation::ParsedProgram> program,
                       const model::ContractionPath &path,
                       const TcOptions &options) {
  Source source;
  source.name = name;
  source.saturates = options.saturates;
  source.program = std::move(program);
  if (!source.program)
    return source;
  source.program->steps.front().path = path;
  source.program->name = nameOf(std::move(source.program->name), options);
  return source;
}

/// Compiles a program, which may be that of a product, by options for that.
static TcError *compile(LazySource source, std::optional<ProductAhead> product,
                        const TcOptions &options, TcProgram **program) {
  auto made = std::make_unique<TcProgram>(std::move(source));
  Status status = options.target == "cpu"
                      ? made->compileForHost(options, std::move(product))
                      : made->compileForDevice(options);
  if (!status)
    return makeError(TC_ERROR_UNSUPPORTED, status.error());
  for (const runtime::ProgramParameter &parameter : made->program().parameters)
    made->parameters.push_back(describe(parameter));
  *program = made.release();
  return nullptr;
}

/// The error of options of single contractions.
static TcError *refuseOptions(const TcOptions &options) {
  std::optional<std::string> wrong = findOptionOfContractions(options);
  return wrong ? invalid("option '" + *wrong +
                         "' is of a single contraction, and this is a program")
               : nullptr;
}

TcError *tcProgramCompile(const char *text, const char *notation,
                          const TcOptions *options, TcProgram **program) {
  return guard([&]() -> TcError * {
    if (!text || !notation || !program)
      return invalid("tcProgramCompile: an argument is NULL");
    auto kind =
        notation::programNotationOfFile("text." + std::string(notation));
    if (!kind)
      return invalid("notation '" + std::string(notation) +
                     "' is none of tensors and octopi");
    const TcOptions &chosen = options ? *options : optionsByDefault();
    if (chosen.path)
      return invalid("option 'path' is of one product, and this is a program "
                     "of statements");
    if (TcError *error = refuseOptions(chosen))
      return error;
    notation::Diagnostic diagnostic;
    Source source =
        sourceOf("text",
                 notation::parseProgram(
                     *kind, text, parseOptions("text", chosen), diagnostic),
                 /*path=*/{}, chosen);
    if (!source.program)
      return invalid(diagnostic.str());
    return compile(LazySource(std::move(source)), std::nullopt, chosen,
                   program);
  });
}

/// The path of which each step takes two operands, for that which is given.
static Result<model::ContractionPath>
pairsOf(const model::ContractionPath &path, size_t operands) {
  // The operands do not matter.
  model::Network network;
  network.inputs.resize(operands);
  Result<model::ContractionTree> tree = model::treeOf(network, path);
  if (!tree)
    return Error{"option 'path': " + tree.error()};
  return operands < 3 ? model::ContractionPath() : model::pathOf(*tree);
}

TcError *tcProgramCompileEinsum(const char *spec, const TcTensor *tensors,
                                int32_t operands, const TcOptions *options,
                                TcProgram **program) {
  return guard([&]() -> TcError * {
    if (!spec || !tensors || !program)
      return invalid("tcProgramCompileEinsum: an argument is NULL");
    constexpr auto most = static_cast<int32_t>(notation::maxOperands);
    if (operands < 1 || operands > most)
      return invalid("there are " + std::to_string(operands) +
                     " operands, but 1 to " + std::to_string(most) +
                     " are possible");
    Result<Product> product =
        describeProduct(spec, tensors, static_cast<size_t>(operands));
    if (!product)
      return invalid(product.error());
    const TcOptions &chosen = options ? *options : optionsByDefault();
    model::ContractionPath path;
    if (chosen.path) {
      Result<model::ContractionPath> pairs =
          pairsOf(*chosen.path, static_cast<size_t>(operands));
      if (!pairs)
        return invalid(pairs.error());
      path = std::move(*pairs);
    }
    if (TcError *error = refuseOptions(chosen))
      return error;
    std::optional<ProductAhead> ahead;
    if (auto network = networkAhead(*product, chosen))
      ahead = {nameOf("program", chosen), std::move(*network), path};
    auto write = [asked = chosen, path = std::move(path),
                  product =
                      std::move(*product)](notation::Diagnostic &diagnostic) {
      return sourceOf(
          "spec",
          notation::makeProduct(product.labels(), product.extents, product.type,
                                parseOptions("spec", asked), diagnostic),
          path, asked);
    };
    notation::Diagnostic diagnostic;
    if (ahead)
      return compile(LazySource([write = std::move(write)] {
                       notation::Diagnostic none;
                       return write(none);
                     }),
                     std::move(ahead), chosen, program);
    Source source = write(diagnostic);
    if (!source.program)
      return invalid(diagnostic.str());
    return compile(LazySource(std::move(source)), std::nullopt, chosen,
                   program);
  });
}

void tcProgramDestroy(TcProgram *program) { delete program; }

const char *tcProgramGetName(const TcProgram *program) {
  return program ? program->program().name.c_str() : nullptr;
}

int32_t tcProgramGetParameterCount(const TcProgram *program) {
  return program ? static_cast<int32_t>(program->parameters.size()) : 0;
}

const TcPackageTensor *tcProgramGetParameter(const TcProgram *program,
                                             int32_t parameter) {
  if (parameter < 0 || parameter >= tcProgramGetParameterCount(program))
    return nullptr;
  return &program->parameters[static_cast<size_t>(parameter)];
}

int64_t tcProgramGetWorkspaceBytes(const TcProgram *program) {
  return program ? program->program().workspaceBytes : 0;
}

int64_t tcProgramGetWorkspaceAlignment(const TcProgram *program) {
  return program ? program->program().workspaceAlignment : 0;
}

/// Checks the pointers of a run.
static std::optional<std::string>
findFault(const runtime::Program &program,
          const std::vector<const void *> &bases, const void *workspace) {
  auto isAligned = [](const void *pointer, int64_t bytes) {
    return reinterpret_cast<uintptr_t>(pointer) %
               static_cast<uintptr_t>(bytes) ==
           0;
  };
  if (bases.size() != program.parameters.size())
    return "program " + program.name + " takes " +
           std::to_string(program.parameters.size()) + " tensors, and " +
           std::to_string(bases.size()) + " are given";
  for (size_t i = 0; i < bases.size(); ++i) {
    const runtime::ProgramParameter &parameter = program.parameters[i];
    if (!bases[i])
      return "the pointer of " + parameter.name + " is NULL";
    if (!isAligned(bases[i], parameter.alignment))
      return "the pointer of " + parameter.name + " is no multiple of the " +
             std::to_string(parameter.alignment) + " bytes of an element";
  }
  if (!isAligned(workspace, program.workspaceAlignment))
    return "the workspace's address is no multiple of " +
           std::to_string(program.workspaceAlignment) + " bytes";
  return std::nullopt;
}

TcError *tcProgramRun(const TcProgram *program, void *const *tensors,
                      int32_t count, void *workspace) {
  return guard([&]() -> TcError * {
    if (!program || count < 0 || (count > 0 && !tensors))
      return invalid("tcProgramRun: an argument is NULL");
    if (program->package)
      return makeError(TC_ERROR_UNSUPPORTED,
                       "the program is compiled for " +
                           program->package->launcher.package().package.target +
                           ": launch its package");
    if (!program->extents().empty())
      return invalid("program " + program->program().name +
                     " takes extents: run it by tcProgramRunShaped");
    std::vector<const void *> bases =
        basesOf(program->program(), tensors, static_cast<size_t>(count));
    if (auto fault = findFault(program->program(), bases, workspace))
      return invalid(*fault);
    if (Status status = program->run(bases, workspace); !status)
      return makeError(TC_ERROR_OUT_OF_MEMORY, status.error());
    return nullptr;
  });
}

int32_t tcProgramGetExtentCount(const TcProgram *program) {
  return program ? static_cast<int32_t>(program->extents().size()) : 0;
}

const char *tcProgramGetExtentName(const TcProgram *program, int32_t extent) {
  if (extent < 0 || extent >= tcProgramGetExtentCount(program))
    return nullptr;
  return program->extents()[static_cast<size_t>(extent)].c_str();
}

/// Fault of the extents that a call says.
static std::optional<std::string>
findFaultOfExtents(const TcProgram &program,
                   const std::vector<int64_t> &extents) {
  if (extents.size() != program.extents().size())
    return "program " + program.program().name + " takes " +
           std::to_string(program.extents().size()) + " extents, and " +
           std::to_string(extents.size()) + " are given";
  for (size_t i = 0; i < extents.size(); ++i)
    if (extents[i] < 0)
      return "the extent of index '" + program.extents()[i] +
             "' is negative: " + std::to_string(extents[i]);
  return std::nullopt;
}

TcError *tcProgramGetShapedWorkspaceBytes(const TcProgram *program,
                                          const int64_t *extents, int32_t count,
                                          int64_t *bytes) {
  return guard([&]() -> TcError * {
    if (!program || !bytes || count < 0 || (count > 0 && !extents))
      return invalid("tcProgramGetShapedWorkspaceBytes: an argument is NULL");
    std::vector<int64_t> given(extents, extents + count);
    if (auto fault = findFaultOfExtents(*program, given))
      return invalid(*fault);
    if (program->package)
      return tcPackageGetShapedWorkspaceBytes(program->package.get(), 0,
                                              extents, count, bytes);
    Result<int64_t> found = given.empty()
                                ? program->program().workspaceBytes
                                : program->host->workspaceBytes(given);
    if (!found)
      return makeError(TC_ERROR_OUT_OF_MEMORY, found.error());
    *bytes = *found;
    return nullptr;
  });
}

/// The kind of a failure.
static TcErrorCode codeOf(CallStatus status) {
  switch (status) {
  case CallStatus::OutOfMemory:
    return TC_ERROR_OUT_OF_MEMORY;
  case CallStatus::InvalidArgument:
    return TC_ERROR_INVALID_ARGUMENT;
  case CallStatus::Success:
  case CallStatus::InternalError:
    break;
  }
  return TC_ERROR_INTERNAL;
}

TcError *tcProgramRunShaped(const TcProgram *program, const int64_t *extents,
                            int32_t extentCount, void *const *tensors,
                            int32_t count, void *workspace) {
  return guard([&]() -> TcError * {
    if (!program || extentCount < 0 || (extentCount > 0 && !extents) ||
        count < 0 || (count > 0 && !tensors))
      return invalid("tcProgramRunShaped: an argument is NULL");
    std::vector<int64_t> given(extents, extents + extentCount);
    if (auto fault = findFaultOfExtents(*program, given))
      return invalid(*fault);
    if (given.empty() || program->package)
      return tcProgramRun(program, tensors, count, workspace);
    std::vector<const void *> bases(tensors, tensors + count);
    if (auto fault = findFault(program->program(), bases, workspace))
      return invalid(*fault);
    std::optional<RunError> error = program->host->run(bases, given, workspace);
    return error ? makeError(codeOf(error->status), error->message) : nullptr;
  });
}

const TcPackage *tcProgramGetPackage(const TcProgram *program) {
  return program ? program->package.get() : nullptr;
}

TcError *tcProgramGet(const TcProgram *program, TcArtifact artifact,
                      const char **data, size_t *size) {
  return guard([&]() -> TcError * {
    if (!program || !data)
      return invalid("tcProgramGet: an argument is NULL");
    Result<const std::string *> made = program->find(artifact);
    if (!made)
      return makeError(TC_ERROR_UNSUPPORTED, made.error());
    const std::string *found = *made;
    if (!found)
      return makeError(TC_ERROR_NOT_AVAILABLE,
                       program->ahead
                           ? describeUncompiled(artifact)
                           : "artifact " + std::to_string(artifact) +
                                 " of a program does not exist for this "
                                 "target");
    *data = found->c_str();
    if (size)
      *size = found->size();
    return nullptr;
  });
}
