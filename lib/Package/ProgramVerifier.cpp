//===- ProgramVerifier.cpp - Programs against their kernels ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VerifierSupport.h"

#include "tc/Package/Geometry.h"
#include "tc/Package/PackageFormat.h"
#include "tc/Package/Versions.h"
#include "tc/Problem/Semiring.h"
#include "tc/Support/Arithmetic.h"

#include <set>

using namespace tc;
using namespace tc::runtime;

namespace {

/// Bytes of the workspace.
struct ByteRange {
  int64_t begin = 0, end = 0;

  bool overlaps(const ByteRange &other) const {
    return begin < other.end && other.begin < end;
  }
};

/// Bytes that are known to have been written of a workspace.
class WrittenBytes {
public:
  void add(ByteRange range);
  void remove(const ByteRange &range);
  bool contains(const ByteRange &range) const;

private:
  /// Without common bytes or neighbours, the end of each by its beginning.
  std::map<int64_t, int64_t> ranges;
};

/// Holds one program against its package.
class ProgramVerifier {
public:
  ProgramVerifier(const Package &package, const Program &program,
                  std::string path)
      : package(package), program(program), path(std::move(path)) {}

  Status run();

private:
  Status verifyParameter(const std::string &where,
                         const ProgramParameter &parameter);
  Status verifyPlace(const std::string &where, const ProgramPlace &place,
                     int64_t bytes, int64_t alignment) const;
  Status verifyAccess(const std::string &where, const ProgramPlace &place,
                      int64_t bytes, bool isRead, bool isWritten);
  Status verifyFill(const std::string &where, const ProgramStep &step);
  Status verifyCopy(const std::string &where, const ProgramStep &step);
  Status verifyFactors(const std::string &where, const Kernel &kernel,
                       const ProgramStep &step) const;
  Status verifyWorkspace(const std::string &where, const ProgramStep &step,
                         std::vector<ByteRange> &ranges);
  const std::optional<Workspace> &workspaceOf(size_t kernel);
  Status verifyLaunch(const std::string &where, const ProgramStep &step);

  const Package &package;
  const Program &program;
  std::string path;
  /// Of each parameter.
  std::vector<int64_t> bufferBytes;
  /// Of kernels that were asked for.
  std::map<size_t, std::optional<Workspace>> workspaces;
  WrittenBytes written;
};

} // namespace

void WrittenBytes::add(ByteRange range) {
  auto next = ranges.upper_bound(range.begin);
  if (next != ranges.begin() && std::prev(next)->second >= range.begin)
    --next;
  while (next != ranges.end() && next->first <= range.end) {
    range.begin = std::min(range.begin, next->first);
    range.end = std::max(range.end, next->second);
    next = ranges.erase(next);
  }
  ranges[range.begin] = range.end;
}

void WrittenBytes::remove(const ByteRange &range) {
  auto next = ranges.upper_bound(range.begin);
  if (next != ranges.begin())
    --next;
  while (next != ranges.end() && next->first < range.end) {
    ByteRange old = {next->first, next->second};
    if (!old.overlaps(range)) {
      ++next;
      continue;
    }
    next = ranges.erase(next);
    if (old.begin < range.begin)
      ranges[old.begin] = range.begin;
    if (range.end < old.end)
      next = ranges.emplace(range.end, old.end).first;
  }
}

bool WrittenBytes::contains(const ByteRange &range) const {
  auto next = ranges.upper_bound(range.begin);
  return next != ranges.begin() && std::prev(next)->second >= range.end;
}

/// The workspace's bytes of a place.
static ByteRange rangeOf(const ProgramPlace &place, int64_t bytes) {
  return {place.offset, saturatingAdd(place.offset, bytes)};
}

bool tc::runtime::readsOutput(const Kernel &kernel, const ProgramStep &step) {
  bool isUnused = kernel.beta.isArgument && step.beta &&
                  *step.beta == model::Constant(model::zeroOf(
                                    kernel.semiring, kernel.accumulatorType)) &&
                  !epilogueReadsC(kernel);
  return kernel.tensors[2].isRead && !isUnused;
}

Status ProgramVerifier::verifyParameter(const std::string &where,
                                        const ProgramParameter &parameter) {
  TensorArgument tensor;
  tensor.name = parameter.name;
  tensor.type = parameter.type;
  for (size_t i = 0; i < parameter.extents.size(); ++i)
    tensor.labels.push_back("i" + std::to_string(i));
  tensor.extents = parameter.extents;
  tensor.strides = parameter.strides;
  tensor.offset = parameter.offset;
  tensor.alignment = parameter.alignment;
  ExtentOfLabel extents;
  if (Status s = verifyTensor(where, tensor, parameter.name, extents); !s)
    return s;
  bufferBytes.push_back(bufferBytesOf(tensor));
  return {};
}

/// Checks that a tensor of so many bytes fits there, and is aligned.
Status ProgramVerifier::verifyPlace(const std::string &where,
                                    const ProgramPlace &place, int64_t bytes,
                                    int64_t alignment) const {
  if (place.kind == ProgramPlace::Kind::Constant)
    return bytes <= maxConstantBytes
               ? Status()
               : fault(where, "a constant of " + std::to_string(bytes) +
                                  " B, more than " +
                                  std::to_string(maxConstantBytes));
  bool isParameter = place.kind == ProgramPlace::Kind::Parameter;
  int64_t size =
      isParameter ? bufferBytes[place.parameter] : program.workspaceBytes;
  int64_t sizeAlignment = isParameter
                              ? program.parameters[place.parameter].alignment
                              : program.workspaceAlignment;
  std::string what =
      isParameter
          ? "parameter \"" + program.parameters[place.parameter].name + "\""
          : "the workspace";
  if (saturatingAdd(place.offset, bytes) > size)
    return fault(where, std::to_string(bytes) + " B from byte " +
                            std::to_string(place.offset) + " on are beyond " +
                            what + ", which has " + std::to_string(size));
  if (sizeAlignment % alignment != 0 || place.offset % alignment != 0)
    return fault(where, "byte " + std::to_string(place.offset) + " of " + what +
                            " is not known to be aligned to the " +
                            std::to_string(alignment) +
                            " bytes that the kernel needs");
  return {};
}

/// Nothing is read before it is written, and what is written may be.
Status ProgramVerifier::verifyAccess(const std::string &where,
                                     const ProgramPlace &place, int64_t bytes,
                                     bool isRead, bool isWritten) {
  if (place.kind == ProgramPlace::Kind::Constant)
    return isWritten ? fault(where, "a constant is written") : Status();
  if (place.kind == ProgramPlace::Kind::Parameter) {
    const ProgramParameter &parameter = program.parameters[place.parameter];
    if (isWritten && !parameter.isWritten)
      return fault(where, "parameter \"" + parameter.name +
                              "\" is written, which its access does not say");
    return {};
  }
  ByteRange range = rangeOf(place, bytes);
  if (isRead && !written.contains(range))
    return fault(where, "byte " + std::to_string(place.offset) +
                            " of the workspace is read, or one of the " +
                            std::to_string(bytes) +
                            " from there on, before a step writes it");
  if (isWritten)
    written.add(range);
  return {};
}

Status ProgramVerifier::verifyFill(const std::string &where,
                                   const ProgramStep &step) {
  int64_t width = model::byteWidth(step.type);
  if (step.bytes % width != 0)
    return fault(where, std::to_string(step.bytes) +
                            " B are no whole number of elements of " +
                            std::string(model::stringify(step.type)));
  const model::Constant &number = step.tensors[0].constant;
  if (Status s = model::checkConstant(number, step.type); !s)
    return fault(where + ".constant", s.error());
  // Zeros are not made before they are written.
  if (number != model::Constant(0))
    if (Status s = verifyPlace(where, step.tensors[0], step.bytes, 1); !s)
      return s;
  const ProgramPlace &to = step.tensors[1];
  if (to.kind != ProgramPlace::Kind::Constant)
    if (Status s = verifyPlace(where + ".to", to, step.bytes, 1); !s)
      return s;
  return verifyAccess(where + ".to", to, step.bytes, /*isRead=*/false,
                      /*isWritten=*/true);
}

Status ProgramVerifier::verifyCopy(const std::string &where,
                                   const ProgramStep &step) {
  for (auto [key, number] : {std::pair(".from", 0), std::pair(".to", 1)}) {
    const ProgramPlace &place = step.tensors[static_cast<size_t>(number)];
    if (place.kind == ProgramPlace::Kind::Constant)
      return fault(where + key, "expected a parameter or the workspace");
    if (Status s = verifyPlace(where + key, place, step.bytes, 1); !s)
      return s;
    if (Status s = verifyAccess(where + key, place, step.bytes, number == 0,
                                number == 1);
        !s)
      return s;
  }
  const ProgramPlace &from = step.tensors[0], &to = step.tensors[1];
  bool isSameBuffer = from.kind == to.kind && from.parameter == to.parameter;
  if (isSameBuffer &&
      rangeOf(from, step.bytes).overlaps(rangeOf(to, step.bytes)))
    return fault(where, "copies to where it copies from");
  return {};
}

Status ProgramVerifier::verifyFactors(const std::string &where,
                                      const Kernel &kernel,
                                      const ProgramStep &step) const {
  for (auto [name, factor, given] :
       {std::tuple("alpha", &kernel.alpha, &step.alpha),
        std::tuple("beta", &kernel.beta, &step.beta)}) {
    if (factor->isArgument != given->has_value())
      return fault(where, "kernel \"" + kernel.entry + "\" takes " +
                              (factor->isArgument ? "" : "no ") + name);
    if (!*given)
      continue;
    if (Status s = model::checkConstant(**given, kernel.accumulatorType); !s)
      return fault(where + "." + name, s.error());
  }
  return {};
}

/// The launched version follows from addresses that are not known yet.
const std::optional<Workspace> &ProgramVerifier::workspaceOf(size_t kernel) {
  auto [known, isNew] = workspaces.try_emplace(kernel);
  if (isNew)
    known->second = workspaceOfVersions(package.kernels, kernel);
  return known->second;
}

Status ProgramVerifier::verifyWorkspace(const std::string &where,
                                        const ProgramStep &step,
                                        std::vector<ByteRange> &ranges) {
  const std::optional<Workspace> &workspace = workspaceOf(*step.kernel);
  if (workspace.has_value() != step.workspace.has_value())
    return fault(where, "kernel \"" + package.kernels[*step.kernel].entry +
                            "\" takes " + (workspace ? "a" : "no") +
                            " workspace");
  if (!workspace)
    return {};
  ProgramPlace place;
  place.offset = *step.workspace;
  if (Status s = verifyPlace(where + ".workspace", place, workspace->bytes,
                             workspace->alignment);
      !s)
    return s;
  ranges.push_back(rangeOf(place, workspace->bytes));
  return {};
}

Status ProgramVerifier::verifyLaunch(const std::string &where,
                                     const ProgramStep &step) {
  const Kernel &kernel = package.kernels[*step.kernel];
  if (!kernel.versionOf.empty() || kernel.dynamicShape)
    return fault(where + ".kernel",
                 "\"" + kernel.entry + "\" " +
                     (kernel.dynamicShape ? "takes its shape at run time"
                                          : "is a version of another one"));
  std::vector<const TensorArgument *> tensors = tensorsOf(kernel);
  if (step.tensors.size() != tensors.size())
    return fault(where + ".tensors", "kernel \"" + kernel.entry + "\" takes " +
                                         std::to_string(tensors.size()) +
                                         " tensors, not " +
                                         std::to_string(step.tensors.size()));
  if (Status s = verifyFactors(where, kernel, step); !s)
    return s;
  // Its own workspace first, which nothing else may share.
  std::vector<ByteRange> ranges;
  if (Status s = verifyWorkspace(where, step, ranges); !s)
    return s;
  // Bytes that are read have been written by the steps before.
  for (bool isWrite : {false, true})
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (tensors[i]->isWritten != isWrite)
        continue;
      const ProgramPlace &place = step.tensors[i];
      std::string own = at(where + ".tensors", i);
      int64_t bytes = bufferBytesOf(*tensors[i]);
      if (Status s = verifyPlace(own, place, bytes, tensors[i]->alignment); !s)
        return s;
      if (place.kind == ProgramPlace::Kind::Parameter &&
          program.parameters[place.parameter].type != tensors[i]->type)
        return fault(own, "parameter \"" +
                              program.parameters[place.parameter].name +
                              "\" has elements of " +
                              std::string(model::stringify(
                                  program.parameters[place.parameter].type)) +
                              ", and tensor \"" + tensors[i]->name +
                              "\" of the kernel of " +
                              std::string(model::stringify(tensors[i]->type)));
      bool isRead = isWrite ? readsOutput(kernel, step) : tensors[i]->isRead;
      if (Status s = verifyAccess(own, place, bytes, isRead, isWrite); !s)
        return s;
      if (place.kind != ProgramPlace::Kind::Workspace)
        continue;
      ByteRange range = rangeOf(place, bytes);
      // Bytes that are read may share bytes, but not with the kernel's
      // workspace.
      size_t exclusive = isWrite ? ranges.size() : step.workspace ? 1 : 0;
      for (size_t other = 0; other < exclusive; ++other)
        if (range.overlaps(ranges[other]))
          return fault(own, "shares bytes of the workspace with what else the "
                            "kernel takes");
      ranges.push_back(range);
    }
  // The contents of the kernel's own workspace are not read later.
  if (step.workspace)
    written.remove(ranges.front());
  return {};
}

Status ProgramVerifier::run() {
  std::set<std::string> names;
  for (size_t i = 0; i < program.parameters.size(); ++i) {
    const ProgramParameter &parameter = program.parameters[i];
    std::string where = at(path + ".parameters", i);
    if (parameter.name.empty())
      return fault(where + ".name", "is empty");
    if (!names.insert(parameter.name).second)
      return fault(where + ".name", "\"" + parameter.name + "\" occurs twice");
    if (Status s = verifyParameter(where, parameter); !s)
      return s;
  }
  if (program.workspaceBytes < 0)
    return fault(path + ".workspace.bytes", "must be at least 0");
  if (!isPowerOfTwo(program.workspaceAlignment) ||
      program.workspaceAlignment > 4096)
    return fault(path + ".workspace.alignment",
                 "must be a power of two of at most 4096, not " +
                     std::to_string(program.workspaceAlignment));
  if (program.steps.empty())
    return fault(path + ".steps", "no steps");
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const ProgramStep &step = program.steps[i];
    std::string where = at(path + ".steps", i);
    if (Status s = step.kernel     ? verifyLaunch(where, step)
                   : step.isFill() ? verifyFill(where, step)
                                   : verifyCopy(where, step);
        !s)
      return s;
  }
  return {};
}

Status tc::runtime::verifyProgram(const std::string &path,
                                  const Package &package,
                                  const Program &program) {
  return ProgramVerifier(package, program, path).run();
}

Status tc::runtime::verifyPrograms(const Package &package) {
  std::set<std::string> names;
  for (size_t i = 0; i < package.programs.size(); ++i) {
    const Program &program = package.programs[i];
    std::string path = at("$.programs", i);
    if (program.name.empty())
      return fault(path + ".name", "is empty");
    if (!names.insert(program.name).second)
      return fault(path + ".name", "\"" + program.name + "\" occurs twice");
    Status s = program.extents.empty()
                   ? verifyProgram(path, package, program)
                   : verifyOpenProgram(path, package, program);
    if (!s)
      return s;
  }
  return {};
}
