//===- CHeader.cpp - Declarations of contractions in C --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/TCToCPU/Outlined.h"
#include "tc/Dialect/TC/IR/TCOps.h"
#include "tc/Target/CPU/CPUTranslations.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

using namespace tc;
namespace func = mlir::func;

/// "  A: extents 28 x 16, strides 16, 1, first element at 0".
static void describeTensor(raw_ostream &os, StringRef name, MemRefType type) {
  auto [strides, offset] = type.getStridesAndOffset();
  os << " * " << name << ": extents (";
  llvm::interleaveComma(type.getShape(), os);
  os << "), strides in elements (";
  llvm::interleaveComma(strides, os);
  os << ")";
  if (offset != 0)
    os << ", the first element " << offset << " elements after the pointer";
  os << "\n";
}

/// The type in C, with the space after it. Where it has none, of the same size.
static StringRef nameInC(Type type) {
  switch (*getModelElementType(type)) {
#define TC_ELEMENT_TYPE(TYPE, NAME, CXX, C, ...)                               \
  case model::ElementType::TYPE:                                               \
    return C " ";
#include "tc/Problem/ElementTypes.def"
  }
  llvm_unreachable("unknown element type");
}

static LogicalResult declare(raw_ostream &os, func::FuncOp function) {
  auto names =
      function->getAttrOfType<mlir::ArrayAttr>("tc.contraction.arguments");
  auto formula = function->getAttrOfType<StringAttr>(outlinedAttrName);
  if (!names || !formula || names.size() != function.getNumArguments())
    return function.emitOpError(
        "is not what --tc-outline-contractions made of a contraction");
  os << "\n/*\n * " << formula.getValue() << "\n";
  auto shapes =
      function->getAttrOfType<mlir::ArrayAttr>(outlinedShapesAttrName);
  size_t tensor = 0;
  std::string parameters;
  for (auto [attr, type] :
       llvm::zip_equal(names, function.getArgumentTypes())) {
    StringRef name = cast<StringAttr>(attr).getValue();
    auto memref = dyn_cast<MemRefType>(type);
    Type elementType = memref ? memref.getElementType() : type;
    if (memref && shapes)
      os << " * " << name << ": "
         << cast<StringAttr>(shapes[tensor++]).getValue() << "\n";
    else if (memref)
      describeTensor(os, name, memref);
    parameters += parameters.empty() ? "" : ", ";
    if (memref && name != "C")
      parameters += "const ";
    parameters += nameInC(elementType);
    parameters += memref ? "*" : "";
    parameters += name;
  }
  int64_t threads = 1;
  function.walk([&](mlir::omp::ParallelOp region) {
    llvm::APInt count;
    if (region.getNumThreads() &&
        mlir::matchPattern(region.getNumThreads(), mlir::m_ConstantInt(&count)))
      threads = count.getSExtValue();
  });
  if (threads > 1)
    os << " * Runs on " << threads
       << " threads: link LLVM's OpenMP runtime (-lomp).\n";
  auto callsRuntime = [](mlir::LLVM::CallOp call) {
    return call.getCallee() == cpuRuntimeFunction
               ? mlir::WalkResult::interrupt()
               : mlir::WalkResult::advance();
  };
  if (function.walk(callsRuntime).wasInterrupted())
    os << (shapes ? " * Its shape is known with each call"
                  : " * Ahead-of-time kernels compute it")
       << ": link -ltc_cpu_runtime.\n";
  os << " * C may overlap neither A nor B.\n */\nint " << function.getName()
     << "(" << parameters << ");\n";
  return success();
}

namespace {
/// The names of the parameters of a function in C.
class ParameterNames {
public:
  /// The name for that of a tensor or an extent, which is a legal one and no
  /// other's.
  std::string add(StringRef name);

private:
  llvm::StringSet<> given;
};
} // namespace

std::string ParameterNames::add(StringRef name) {
  static constexpr StringRef taken[] = {
      "alignas",  "alignof",  "and",       "asm",       "auto",     "bool",
      "break",    "case",     "catch",     "char",      "class",    "const",
      "continue", "default",  "delete",    "do",        "double",   "else",
      "enum",     "explicit", "export",    "extern",    "false",    "float",
      "for",      "friend",   "goto",      "if",        "inline",   "int",
      "long",     "mutable",  "namespace", "new",       "not",      "operator",
      "or",       "private",  "protected", "public",    "register", "restrict",
      "return",   "short",    "signed",    "sizeof",    "static",   "struct",
      "switch",   "template", "this",      "throw",     "true",     "try",
      "typedef",  "typename", "union",     "unsigned",  "using",    "virtual",
      "void",     "volatile", "while",     "workspace", "xor"};
  bool isPlain =
      !name.empty() && !llvm::isDigit(name.front()) &&
      llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  if (isPlain && !llvm::is_contained(taken, name) && given.insert(name).second)
    return name.str();
  std::string other = "tensor_";
  for (char c : name)
    other += llvm::isAlnum(c) ? c : '_';
  while (!given.insert(other).second)
    other += '_';
  return other;
}

/// Says of a program's workspace, and of what it writes, what holds of each.
static void describeRules(raw_ostream &os) {
  os << " at a multiple of " << hostWorkspaceAlignment
     << ", which may hold anything. It may be NULL if\n * that is 0.\n * What "
        "is written may overlap nothing else. Without memory, a part of the "
        "program\n * may have been run.\n */\n";
}

/// "  A: extents (extent_i, 8), contiguous".
static void describeShape(raw_ostream &os, StringRef name,
                          mlir::DenseI64ArrayAttr shape,
                          ArrayRef<std::string> extents) {
  os << " * " << name << ": extents (";
  llvm::interleaveComma(shape.asArrayRef(), os, [&](int64_t extent) {
    if (extent >= 0)
      os << extent;
    else if (mlir::ShapedType::isDynamic(extent))
      os << "computed";
    else
      os << extents[static_cast<size_t>(-1 - extent)];
  });
  os << "), contiguous\n";
}

/// Declares a function that runs several contractions.
static LogicalResult declareProgram(raw_ostream &os, func::FuncOp function) {
  auto names = function->getAttrOfType<mlir::ArrayAttr>(programAttrName);
  auto writes =
      function->getAttrOfType<mlir::DenseBoolArrayAttr>(programWritesAttrName);
  auto bytes =
      function->getAttrOfType<mlir::IntegerAttr>(programWorkspaceAttrName);
  // Either the size of the workspace is known, or the function takes extents.
  auto extents =
      function->getAttrOfType<mlir::ArrayAttr>(programExtentsAttrName);
  auto shapes = function->getAttrOfType<mlir::ArrayAttr>(programShapesAttrName);
  if (!names || !writes || !bytes == !extents || !extents != !shapes ||
      names.size() != writes.asArrayRef().size() ||
      names.size() + (extents ? extents.size() : 0) + 1 !=
          function.getNumArguments())
    return function.emitOpError("is not what --tc-outline-programs made");
  os << "\n/*\n * All contractions of a program, one after the other.\n";
  std::string parameters, numbers;
  ParameterNames inC;
  // Callers know extents by their names, which come first therefore.
  SmallVector<std::string> extentNames;
  for (Attribute extent : extents ? extents.getValue() : ArrayRef<Attribute>())
    extentNames.push_back(inC.add(cast<StringAttr>(extent).getValue()));
  for (auto [place, attr] : llvm::enumerate(names)) {
    std::string name = inC.add(cast<StringAttr>(attr).getValue());
    auto memref = cast<MemRefType>(function.getArgumentTypes()[place]);
    if (shapes)
      describeShape(os, name, cast<mlir::DenseI64ArrayAttr>(shapes[place]),
                    extentNames);
    else
      describeTensor(os, name, memref);
    parameters += writes[place] ? "" : "const ";
    parameters += nameInC(memref.getElementType());
    parameters += "*" + name + ", ";
  }
  for (const std::string &name : extentNames)
    numbers += (numbers.empty() ? "int64_t " : ", int64_t ") + name;
  os << " * workspace: ";
  if (bytes) {
    std::string macro = function.getName().upper() + "_WORKSPACE_BYTES";
    os << macro << " bytes";
    describeRules(os);
    os << "#define " << macro << " " << bytes.getInt() << "\n";
  } else {
    StringRef size = function.getName();
    size.consume_back("_run");
    os << "as many bytes as the first function says, INT64_MAX for more than "
          "that,\n *";
    describeRules(os);
    os << "int64_t " << size << "_workspace_bytes(" << numbers << ");\n";
    parameters += numbers + ", ";
  }
  os << "int " << function.getName() << "(" << parameters
     << "void *workspace);\n";
  return success();
}

FailureOr<std::string> tc::makeCHeader(ModuleOp module) {
  std::string header;
  llvm::raw_string_ostream os(header);
  auto number = [](CallStatus status) { return static_cast<int>(status); };
  os << "#pragma once\n\n#include <stdint.h>\n\n"
        "/* Results of these functions. On failure, C is as it was. */\n"
        "#ifndef TC_CONTRACTION_SUCCESS\n"
        "#define TC_CONTRACTION_SUCCESS "
     << number(CallStatus::Success) << "\n#define TC_CONTRACTION_OUT_OF_MEMORY "
     << number(CallStatus::OutOfMemory)
     << "\n#define TC_CONTRACTION_INVALID_ARGUMENT "
     << number(CallStatus::InvalidArgument)
     << "\n#define TC_CONTRACTION_INTERNAL_ERROR "
     << number(CallStatus::InternalError)
     << "\n#endif\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
  bool any = false;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function->hasAttr(outlinedAttrName))
      continue;
    any = true;
    if (failed(declare(os, function)))
      return failure();
  }
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(programAttrName) &&
        failed(declareProgram(os, function)))
      return failure();
  if (!any)
    return module.emitError("has no function of a contraction: run "
                            "--tc-cpu-pipeline=outline first");
  os << "\n#ifdef __cplusplus\n}\n#endif\n";
  return header;
}
