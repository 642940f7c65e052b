//===- Shapes.cpp - The shapes that kernels run with ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Shapes.h"
#include "Input.h"

#include "tc/Import/Notations.h"
#include "tc/Package/ProgramShape.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace tc;
using namespace tc::run;
using namespace tc::runtime;

Result<std::map<std::string, int64_t>>
run::readExtents(const Options &options) {
  std::map<std::string, int64_t> extents;
  if (!options.extents)
    return extents;
  notation::Diagnostic diagnostic;
  auto parsed =
      notation::parseExtents(*options.extents, "--extents", diagnostic);
  if (!parsed)
    return Error{diagnostic.str()};
  for (const notation::Extent &extent : *parsed)
    extents[extent.label] = extent.extent;
  return extents;
}

/// Puts the strides that the user gives in a shape. Base pointers are those of
/// the elements with the lowest addresses.
static Status readStrides(const std::string &text, const Kernel &kernel,
                          KernelShape &shape) {
  SmallVector<StringRef> lists;
  StringRef(text).split(lists, ';');
  if (lists.size() != kernel.tensors.size() && lists.size() != shape.size()) {
    std::string auxiliaries = kernel.auxiliaries.empty() ? "" : ", maybe also";
    for (const TensorArgument &auxiliary : kernel.auxiliaries)
      auxiliaries += " " + auxiliary.name;
    return Error{"--strides: expected a list each for A, B and C" +
                 auxiliaries + ", between semicolons, not '" + text + "'"};
  }
  for (auto [number, list] : llvm::enumerate(lists)) {
    TensorShape &tensor = shape[number];
    const std::string &name = shapedTensorsOf(kernel)[number]->name;
    SmallVector<StringRef> strides;
    if (!list.empty())
      list.split(strides, ',');
    if (strides.size() != tensor.extents.size())
      return Error{"--strides: " + name + " has " +
                   std::to_string(tensor.extents.size()) + " indices, but '" +
                   list.str() + "' are " + std::to_string(strides.size()) +
                   " strides"};
    for (auto [dim, stride] : llvm::enumerate(strides)) {
      // Products with extents must not overflow.
      constexpr int64_t most = int64_t(1) << 40;
      int64_t value;
      if (stride.getAsInteger(10, value) || std::abs(value) > most)
        return Error{"--strides: '" + stride.str() + "' is no number from -" +
                     std::to_string(most) + " to " + std::to_string(most)};
      tensor.strides[dim] = value;
      if (value < 0 && tensor.extents[dim] < most)
        tensor.offset -= value * (tensor.extents[dim] - 1);
    }
  }
  return {};
}

/// The shape that a kernel is to run with.
static Result<KernelShape>
shapeFor(const Kernel &kernel, const std::map<std::string, int64_t> &extents,
         const Options &options) {
  KernelShape shape = shapeOf(kernel);
  if (!extents.empty()) {
    Result<KernelShape> contiguous = contiguousShape(kernel, extents);
    if (!contiguous)
      return Error{"--extents: " + contiguous.error()};
    shape = std::move(*contiguous);
  }
  if (options.strides)
    if (Status status = readStrides(*options.strides, kernel, shape); !status)
      return Error{status.error()};
  return shape;
}

/// The definition on the kernel's tensors.
static Kernel onTensorsOf(const Kernel &kernel, Kernel definition) {
  for (auto [tensor, bound] :
       llvm::zip_equal(definition.tensors, kernel.tensors)) {
    tensor.extents = bound.extents;
    tensor.strides = bound.strides;
    tensor.offset = bound.offset;
  }
  definition.auxiliaries = kernel.auxiliaries;
  return definition;
}

Result<CompiledProgram> run::applyShapes(const CompiledProgram &program,
                                         const Options &options,
                                         Report &report) {
  const Package &package = program.loaded.package;
  bool anyTakes = llvm::any_of(package.kernels, [](const Kernel &kernel) {
    return kernel.dynamicShape.has_value();
  });
  if (!anyTakes) {
    if (options.strides)
      return Error{"--strides: no kernel of " + options.input +
                   " takes them as arguments"};
    if (options.extents && *kindOf(options.input) == InputKind::Package)
      return Error{"--extents: no kernel of " + options.input +
                   " takes them as arguments"};
    return program;
  }
  Result<std::map<std::string, int64_t>> extents = readExtents(options);
  if (!extents)
    return Error{extents.error()};
  if (program.hasGivenExtents)
    extents->clear();
  // Extents of a program are those of its tensors.
  auto open = llvm::find_if(package.programs, [](const Program &each) {
    return !each.extents.empty();
  });
  bool areOfProgram = open != package.programs.end();
  if (areOfProgram && options.strides)
    return Error{"--strides: the tensors of program " + open->name +
                 " are contiguous"};
  Result<ShapedKernels> bound =
      areOfProgram && !extents->empty()
          ? bindSteps(package, *open, *extents)
          : bindAll(package, [&](const Kernel &kernel) {
              return shapeFor(kernel, *extents, options);
            });
  if (!bound)
    return Error{(areOfProgram && !extents->empty() ? "--extents: " : "") +
                 bound.error()};
  CompiledProgram shaped = program;
  shaped.definitions.clear();
  for (auto [kernel, number] : llvm::zip_equal(bound->kernels, bound->numbers))
    if (!program.definitions.empty())
      shaped.definitions.push_back(
          onTensorsOf(kernel, program.definitions[number]));
  report.text += shapedKernelsText(*bound);
  addShapedKernels(*bound, report.json);
  shaped.loaded.package.kernels = std::move(bound->kernels);
  return shaped;
}
