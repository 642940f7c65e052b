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

#include "tc/Import/Notations.h"

#include <unordered_map>

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

/// Compiles the program that `parse` makes of options for that.
///
/// @param path  of the only product; empty where the model is to choose
template <typename Parse>
static TcError *compileParsed(Parse parse, const char *name,
                              const model::ContractionPath &path,
                              const TcOptions &options, TcProgram **program) {
  if (std::optional<std::string> wrong = findOptionOfContractions(options))
    return invalid("option '" + *wrong +
                   "' is of a single contraction, and this is a program");
  notation::ParseOptions parsing;
  parsing.source = name;
  options.describeTo(parsing);
  Source source;
  source.name = name;
  source.saturates = options.saturates;
  notation::Diagnostic diagnostic;
  source.program = parse(parsing, diagnostic);
  if (!source.program)
    return invalid(diagnostic.str());
  source.program->steps.front().path = path;
  const TcOptions defaults;
  if (options.name != defaults.name)
    source.program->name = options.name;
  auto made = std::make_unique<TcProgram>();
  Status status = options.target == "cpu"
                      ? made->compileForHost(source, options)
                      : made->compileForDevice(source, options);
  if (!status)
    return makeError(TC_ERROR_UNSUPPORTED, status.error());
  for (const runtime::ProgramParameter &parameter : made->program().parameters)
    made->parameters.push_back(describe(parameter));
  *program = made.release();
  return nullptr;
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
    const TcOptions chosen = options ? *options : TcOptions();
    if (chosen.path)
      return invalid("option 'path' is of one product, and this is a program "
                     "of statements");
    auto parse = [&](const notation::ParseOptions &parsing,
                     notation::Diagnostic &diagnostic) {
      return notation::parseProgram(*kind, text, parsing, diagnostic);
    };
    return compileParsed(parse, "text", /*path=*/{}, chosen, program);
  });
}

namespace {

/// A product as a specification and tensors say it.
struct Product {
  /// Of the operands and the result.
  std::vector<std::vector<std::string>> labels;
  std::vector<notation::Extent> extents;
  model::ElementType type;
};

} // namespace

static Result<Product>
describeProduct(const char *spec, const TcTensor *tensors, size_t operands) {
  std::vector<size_t> ranks;
  for (size_t i = 0; i < operands; ++i) {
    std::string name = "operand " + std::to_string(i);
    Result<TensorDescription> tensor = copy(tensors[i]);
    if (!tensor)
      return Error{name + ": " + tensor.error()};
    if (tensor->strides)
      return Error{name + ": has strides, and operands of a program are "
                          "contiguous"};
    if (tensor->type != tensors[0].type)
      return Error{name + ": its element type is not that of operand 0"};
    ranks.push_back(tensor->extents.size());
  }
  const std::optional<model::ElementType> type = toModel(tensors[0].type);
  if (!type)
    return Error{"unknown element type " + std::to_string(tensors[0].type)};
  notation::Diagnostic diagnostic;
  auto lists = notation::expandSubscripts(spec, ranks, "spec", diagnostic);
  if (!lists)
    return Error{diagnostic.str()};
  Product product;
  product.labels = std::move(*lists);
  product.type = *type;
  // Labels may be letters that no text of a program could have.
  std::unordered_map<std::string, size_t> numbers;
  for (size_t i = 0; i < operands; ++i)
    for (size_t dim = 0; dim < product.labels[i].size(); ++dim) {
      std::string &label = product.labels[i][dim];
      const int64_t extent = tensors[i].extents[dim];
      auto [known, isNew] = numbers.emplace(label, numbers.size());
      if (isNew)
        product.extents.push_back(
            {"i" + std::to_string(known->second), extent, {}});
      const notation::Extent &first = product.extents[known->second];
      if (first.extent != extent)
        return Error{"index '" + label + "' has extent " +
                     std::to_string(first.extent) + ", but " +
                     std::to_string(extent) + " in operand " +
                     std::to_string(i)};
      label = first.label;
    }
  // Those that no operand has are found fault with.
  for (std::string &label : product.labels.back())
    if (auto known = numbers.find(label); known != numbers.end())
      label = product.extents[known->second].label;
  return product;
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
    const TcOptions chosen = options ? *options : TcOptions();
    model::ContractionPath path;
    if (chosen.path) {
      Result<model::ContractionPath> pairs =
          pairsOf(*chosen.path, static_cast<size_t>(operands));
      if (!pairs)
        return invalid(pairs.error());
      path = std::move(*pairs);
    }
    auto parse = [&](const notation::ParseOptions &parsing,
                     notation::Diagnostic &diagnostic) {
      return notation::makeProduct(std::move(product->labels),
                                   std::move(product->extents), product->type,
                                   parsing, diagnostic);
    };
    return compileParsed(parse, "spec", path, chosen, program);
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
