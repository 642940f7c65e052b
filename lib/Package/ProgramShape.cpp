//===- ProgramShape.cpp - Programs for certain extents --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Package/ProgramShape.h"

#include "VerifierSupport.h"
#include "tc/Package/Geometry.h"
#include "tc/Package/Versions.h"
#include "tc/Support/Arithmetic.h"

#include <algorithm>
#include <cmath>
#include <set>

using namespace tc;
using namespace tc::runtime;

namespace {

/// Makes a program of one that takes extents.
class Binder {
public:
  Binder(const Package &package, const Program &program,
         const std::vector<int64_t> &extents)
      : package(package), program(program), extents(extents) {}

  Result<BoundProgram> run();

private:
  int64_t numberOf(int64_t extent) const {
    return extent < 0 ? extents[static_cast<size_t>(-1 - extent)] : extent;
  }
  Status checkExtents() const;
  void bindParameters();
  Status bindStep(size_t number);
  int64_t bytesAt(size_t number, size_t tensor) const;
  int64_t roomForSums(size_t number) const;
  Status placeSlots();

  const Package &package;
  const Program &program;
  const std::vector<int64_t> &extents;
  BoundProgram bound;
  /// A kernel for each step, of that shape.
  Package kernels;
};

} // namespace

Status Binder::checkExtents() const {
  if (extents.size() != program.extents.size())
    return Error{"program " + program.name + " takes " +
                 std::to_string(program.extents.size()) + " extents, and " +
                 std::to_string(extents.size()) + " are given"};
  for (size_t i = 0; i < extents.size(); ++i)
    if (extents[i] < 1)
      return Error{"the extent of index '" + program.extents[i].name + "' is " +
                   std::to_string(extents[i]) + ", but must be at least 1"};
  return {};
}

void Binder::bindParameters() {
  for (ProgramParameter &parameter : bound.program.parameters) {
    int64_t stride = 1;
    for (size_t dim = parameter.extents.size(); dim-- > 0;) {
      int64_t &extent = parameter.extents[dim];
      extent = numberOf(extent);
      parameter.strides[dim] = stride;
      stride = saturatingMultiply(stride, extent);
    }
  }
}

Status Binder::bindStep(size_t number) {
  ProgramStep &step = bound.program.steps[number];
  std::map<std::string, int64_t> numbers;
  for (const auto &[label, extent] : step.extents)
    numbers[label] = numberOf(extent);
  if (!step.kernel) {
    for (const ProgramIndex &index : step.extents)
      step.bytes = saturatingMultiply(step.bytes, numberOf(index.extent));
    step.extents.clear();
    kernels.kernels.emplace_back();
    bound.shapes.emplace_back();
    return {};
  }
  step.extents.clear();
  const Kernel &kernel = package.kernels[*step.kernel];
  Result<KernelShape> shape = contiguousShape(kernel, numbers);
  if (!shape)
    return Error{shape.error()};
  Result<size_t> chosen = chooseForShape(package, *step.kernel, *shape);
  if (!chosen)
    return Error{"kernel " + kernel.entry + ": " + chosen.error()};
  Kernel fitting = *bindShape(package.kernels[*chosen], *shape);
  // Among the others, it is one of known shape.
  fitting.dynamicShape.reset();
  fitting.versionOf.clear();
  kernels.kernels.push_back(std::move(fitting));
  bound.shapes.push_back(std::move(*shape));
  return {};
}

/// The bytes that a step uses of a tensor.
int64_t Binder::bytesAt(size_t number, size_t tensor) const {
  const ProgramStep &step = bound.program.steps[number];
  return step.kernel
             ? bufferBytesOf(*tensorsOf(kernels.kernels[number])[tensor])
             : step.bytes;
}

/// The bytes of the largest workspace that the kernel of a step, or a version
/// of it, needs for the step's shape: addresses decide which is launched.
int64_t Binder::roomForSums(size_t number) const {
  size_t original = *program.steps[number].kernel;
  const std::vector<Kernel> &all = package.kernels;
  int64_t most = 0;
  for (size_t i = original; i < all.size(); ++i) {
    if (!all[i].workspace ||
        (i != original && all[i].versionOf != all[original].entry))
      continue;
    if (Result<Kernel> fitting = bindShape(all[i], bound.shapes[number]))
      most = std::max(most, fitting->workspace->bytes);
  }
  return most;
}

/// A slot is as large as the largest tensor or workspace that is ever in it.
Status Binder::placeSlots() {
  std::vector<int64_t> bytes;
  auto reserve = [&](size_t slot, int64_t needed) {
    bytes.resize(std::max(bytes.size(), slot + 1));
    bytes[slot] = std::max(bytes[slot], needed);
  };
  auto forEachPlace = [&](auto visit) {
    for (size_t i = 0; i < bound.program.steps.size(); ++i)
      for (size_t tensor = 0; tensor < bound.program.steps[i].tensors.size();
           ++tensor) {
        ProgramPlace &place = bound.program.steps[i].tensors[tensor];
        if (place.kind == ProgramPlace::Kind::Workspace)
          visit(place, bytesAt(i, tensor));
      }
  };
  forEachPlace(
      [&](ProgramPlace &place, int64_t used) { reserve(place.slot, used); });
  for (size_t i = 0; i < program.steps.size(); ++i)
    if (const std::optional<int64_t> &slot = program.steps[i].workspace)
      reserve(static_cast<size_t>(*slot), roomForSums(i));
  std::vector<int64_t> offsets;
  int64_t end = 0, alignment = program.workspaceAlignment;
  for (int64_t slot : bytes) {
    offsets.push_back(end);
    end = saturatingAdd(end, saturatingAdd(slot, alignment - 1));
    if (end == saturated)
      return Error{"the workspace of program " + program.name +
                   " has more bytes than can be counted for these extents"};
    end = end / alignment * alignment;
  }
  bound.program.workspaceBytes = end;
  forEachPlace([&](ProgramPlace &place, int64_t) {
    place.offset = offsets[place.slot];
    place.slot = 0;
  });
  for (ProgramStep &step : bound.program.steps)
    if (step.workspace)
      step.workspace = offsets[static_cast<size_t>(*step.workspace)];
  return {};
}

Result<BoundProgram> Binder::run() {
  if (Status s = checkExtents(); !s)
    return Error{s.error()};
  bound.program = program;
  bound.program.extents.clear();
  bindParameters();
  for (size_t i = 0; i < program.steps.size(); ++i)
    if (Status s = bindStep(i); !s)
      return Error{s.error()};
  if (Status s = placeSlots(); !s)
    return Error{s.error()};
  // Checks that all steps take what those before have made of these extents.
  Program own = bound.program;
  for (size_t i = 0; i < own.steps.size(); ++i) {
    if (!own.steps[i].kernel)
      continue;
    own.steps[i].kernel = i;
    // It may be there for other versions alone.
    if (!kernels.kernels[i].workspace)
      own.steps[i].workspace.reset();
  }
  if (Status s = verifyProgram("program " + program.name, kernels, own); !s)
    return Error{s.error()};
  return std::move(bound);
}

Result<BoundProgram>
tc::runtime::bindProgram(const Package &package, const Program &program,
                         const std::vector<int64_t> &extents) {
  return Binder(package, program, extents).run();
}

Result<ShapedKernels>
tc::runtime::bindSteps(const Package &package, const Program &program,
                       const std::map<std::string, int64_t> &extents) {
  std::vector<int64_t> numbers;
  for (const ProgramExtent &extent : program.extents) {
    auto found = extents.find(extent.name);
    if (found == extents.end())
      return Error{"extent of index '" + extent.name + "' is missing"};
    numbers.push_back(found->second);
  }
  for (const auto &[name, number] : extents)
    if (std::none_of(program.extents.begin(), program.extents.end(),
                     [&, &known = name](const ProgramExtent &extent) {
                       return extent.name == known;
                     }))
      return Error{"program " + program.name + " takes no extent '" + name +
                   "'"};
  Result<BoundProgram> bound = bindProgram(package, program, numbers);
  if (!bound)
    return Error{bound.error()};
  std::map<std::string, KernelShape> shapes;
  for (size_t i = 0; i < program.steps.size(); ++i)
    if (const std::optional<size_t> &kernel = program.steps[i].kernel)
      shapes.emplace(package.kernels[*kernel].entry, bound->shapes[i]);
  return bindAll(package, [&](const Kernel &kernel) -> Result<KernelShape> {
    auto found =
        shapes.find(kernel.versionOf.empty() ? kernel.entry : kernel.versionOf);
    if (found == shapes.end())
      return Error{"no step of program " + program.name + " launches kernel " +
                   kernel.entry};
    return found->second;
  });
}

std::vector<int64_t> tc::runtime::representativesOf(const Program &program) {
  std::vector<int64_t> extents;
  extents.reserve(program.extents.size());
  for (const ProgramExtent &extent : program.extents)
    extents.push_back(extent.representative);
  return extents;
}

static Status verifyOpenExtent(const std::string &path, const Program &program,
                               int64_t extent) {
  if (extent > 0 || (extent < 0 && -1 - extent < static_cast<int64_t>(
                                                     program.extents.size())))
    return {};
  return fault(path, "expected a number from one on, or an extent of the "
                     "program");
}

/// As many slots as there can be, if each temporary and each workspace has one.
static size_t mostSlotsOf(const Program &program) {
  return 2 * program.steps.size();
}

/// Checks a copy, or a fill, by itself.
static Status verifyOpenCopy(const std::string &path, const Program &program,
                             const ProgramStep &step) {
  for (size_t i = 0; i < step.extents.size(); ++i)
    if (Status s = verifyOpenExtent(at(path + ".extents", i), program,
                                    step.extents[i].extent);
        !s)
      return s;
  // There is no place of so many other numbers.
  if (const model::Constant &number = step.tensors[0].constant;
      step.isFill() &&
      (number != model::Constant(0) || std::signbit(number.real())))
    return fault(path + ".constant",
                 "must be zero, as the program takes extents");
  for (const ProgramPlace &place : step.tensors)
    if (place.slot >= mostSlotsOf(program))
      return fault(path, "a slot must be less than twice the number of steps");
  return {};
}

/// Checks a step by itself.
static Status verifyOpenStep(const std::string &path, const Package &package,
                             const Program &program, const ProgramStep &step) {
  if (!step.kernel)
    return verifyOpenCopy(path, program, step);
  const Kernel &kernel = package.kernels[*step.kernel];
  if (!kernel.versionOf.empty() || !kernel.dynamicShape)
    return fault(path + ".kernel",
                 "\"" + kernel.entry + "\" " +
                     (kernel.dynamicShape ? "is a version of another one"
                                          : "takes no shape at run time, but "
                                            "the program takes extents"));
  std::vector<const TensorArgument *> tensors = tensorsOf(kernel);
  if (step.tensors.size() != tensors.size())
    return fault(path + ".tensors",
                 "expected A, B and C, and what the epilogue reads");
  for (const auto &[label, extent] : step.extents)
    if (Status s =
            verifyOpenExtent(path + ".extents." + label, program, extent);
        !s)
      return s;
  size_t mostSlots = mostSlotsOf(program);
  bool sharesSums =
      workspaceOfVersions(package.kernels, *step.kernel).has_value();
  if (step.workspace.has_value() != sharesSums)
    return fault(path, "kernel \"" + kernel.entry + "\", or a version of it, " +
                           "takes " + (sharesSums ? "a" : "no") + " workspace");
  if (step.workspace && static_cast<size_t>(*step.workspace) >= mostSlots)
    return fault(path + ".workspace",
                 "must be less than twice the number of steps");
  for (size_t i = 0; i < step.tensors.size(); ++i) {
    const ProgramPlace &place = step.tensors[i];
    if (place.slot >= mostSlots)
      return fault(at(path + ".tensors", i) + ".slot",
                   "must be less than twice the number of steps");
    // It would have the elements of one shape only.
    if (place.kind == ProgramPlace::Kind::Constant &&
        !tensors[i]->labels.empty())
      return fault(at(path + ".tensors", i),
                   "must not be a constant, as the program takes extents");
  }
  return {};
}

Status tc::runtime::verifyOpenProgram(const std::string &path,
                                      const Package &package,
                                      const Program &program) {
  std::set<std::string> names;
  for (size_t i = 0; i < program.extents.size(); ++i) {
    const ProgramExtent &extent = program.extents[i];
    if (extent.name.empty() || !names.insert(extent.name).second)
      return fault(at(path + ".extents", i) + ".name",
                   "\"" + extent.name + "\" is empty or occurs twice");
  }
  for (size_t i = 0; i < program.parameters.size(); ++i)
    for (int64_t extent : program.parameters[i].extents)
      if (Status s = verifyOpenExtent(at(path + ".parameters", i) + ".extents",
                                      program, extent);
          !s)
        return s;
  for (size_t i = 0; i < program.steps.size(); ++i)
    if (Status s = verifyOpenStep(at(path + ".steps", i), package, program,
                                  program.steps[i]);
        !s)
      return s;
  Result<BoundProgram> bound =
      bindProgram(package, program, representativesOf(program));
  if (!bound)
    return fault(path + ".extents",
                 "those that it is tuned for are none that it takes: " +
                     bound.error());
  return {};
}
