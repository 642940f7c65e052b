//===- StepGroups.cpp - Steps that may run at the same time ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Looks for kernels that are launched in the same order again and again, and
// holds what they read against what they write.
//
//===----------------------------------------------------------------------===//

#include "StepGroups.h"

#include "tc/Package/Geometry.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

using namespace tc;
using namespace tc::runtime;

/// Steps of a group at most.
static constexpr size_t mostSteps = 64;

static bool overlap(const ByteRange &a, const ByteRange &b) {
  return a.first < b.second && b.first < a.second;
}

bool StepGroups::isOwn(int64_t offset) const {
  return std::any_of(own.begin(), own.end(), [&](const ByteRange &range) {
    return range.first <= offset && offset < range.second;
  });
}

namespace {

/// Finds groups, and whether they may run at the same time.
class GroupFinder {
public:
  GroupFinder(const Program &program, const std::vector<Kernel> &kernels)
      : program(program), kernels(kernels) {}

  /// The groups of the fewest steps that begin there; one if none repeat.
  StepGroups find(size_t first);
  /// True if none needs what another one makes; finds what they have to own.
  bool areApart(StepGroups &groups) const {
    return findOwn(groups) && writeApart(groups);
  }

private:
  /// A tensor of a step.
  struct Use {
    const ProgramPlace &place;
    const TensorArgument &tensor;
    bool isRead, isWritten;

    bool isIn(ProgramPlace::Kind kind) const { return place.kind == kind; }
    ByteRange range() const {
      return {place.offset, place.offset + bufferBytesOf(tensor)};
    }
    /// True if both are the same elements.
    bool isSame(const Use &other) const {
      return place.offset == other.place.offset &&
             tensor.offset == other.tensor.offset &&
             tensor.extents == other.tensor.extents &&
             tensor.strides == other.tensor.strides;
    }
  };

  std::vector<Use> usesOf(size_t step) const;
  bool repeats(size_t step, size_t other) const;
  bool findOwn(StepGroups &groups) const;
  bool isReadLater(const StepGroups &groups) const;
  bool writeApart(const StepGroups &groups) const;
  std::optional<std::vector<int64_t>> tileOf(const Use &use) const;

  const Program &program;
  const std::vector<Kernel> &kernels;
};

} // namespace

std::vector<GroupFinder::Use> GroupFinder::usesOf(size_t number) const {
  const ProgramStep &step = program.steps[number];
  const Kernel &kernel = kernels[*step.kernel];
  std::vector<const TensorArgument *> tensors = tensorsOf(kernel);
  std::vector<Use> uses;
  uses.reserve(tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i)
    uses.push_back(
        {step.tensors[i], *tensors[i],
         tensors[i]->isWritten ? readsOutput(kernel, step) : tensors[i]->isRead,
         tensors[i]->isWritten});
  return uses;
}

/// True if a step does with other parts of the same parameters what another one
/// does.
bool GroupFinder::repeats(size_t step, size_t other) const {
  const ProgramStep &a = program.steps[step], &b = program.steps[other];
  if (!a.kernel || a.kernel != b.kernel)
    return false;
  return std::equal(a.tensors.begin(), a.tensors.end(), b.tensors.begin(),
                    b.tensors.end(),
                    [](const ProgramPlace &x, const ProgramPlace &y) {
                      return x.kind == y.kind && x.parameter == y.parameter &&
                             (x.kind != ProgramPlace::Kind::Workspace ||
                              x.offset == y.offset);
                    });
}

/// Finds the bytes that the steps of the first group, and so of each, write to
/// the workspace. False where one reads a part of that, or what a group before
/// has left.
bool GroupFinder::findOwn(StepGroups &groups) const {
  for (size_t i = 0; i < groups.length; ++i)
    for (const Use &use : usesOf(groups.first + i))
      if (use.isIn(ProgramPlace::Kind::Workspace) && use.isWritten)
        groups.own.push_back(use.range());
  std::set<ByteRange> written;
  for (size_t i = 0; i < groups.length; ++i) {
    std::vector<Use> uses = usesOf(groups.first + i);
    for (const Use &use : uses) {
      if (!use.isIn(ProgramPlace::Kind::Workspace) || !use.isRead ||
          written.count(use.range()))
        continue;
      for (const ByteRange &own : groups.own)
        if (overlap(use.range(), own))
          return false;
    }
    for (const Use &use : uses)
      if (use.isIn(ProgramPlace::Kind::Workspace) && use.isWritten)
        written.insert(use.range());
  }
  return !isReadLater(groups);
}

/// True if a step behind the groups reads what they have left.
bool GroupFinder::isReadLater(const StepGroups &groups) const {
  auto reads = [&](const ProgramPlace &place, int64_t bytes) {
    return place.kind == ProgramPlace::Kind::Workspace &&
           std::any_of(
               groups.own.begin(), groups.own.end(), [&](const ByteRange &own) {
                 return overlap(own, {place.offset, place.offset + bytes});
               });
  };
  std::set<ByteRange> written;
  for (size_t i = groups.end(); i < program.steps.size(); ++i) {
    const ProgramStep &step = program.steps[i];
    if (!step.kernel) {
      if (reads(step.tensors[0], step.bytes))
        return true;
      continue;
    }
    std::vector<Use> uses = usesOf(i);
    for (const Use &use : uses)
      if (use.isRead && !written.count(use.range()) &&
          reads(use.place, bufferBytesOf(use.tensor)))
        return true;
    for (const Use &use : uses)
      if (use.isIn(ProgramPlace::Kind::Workspace) && use.isWritten)
        written.insert(use.range());
  }
  return false;
}

/// Block at which a part of a parameter begins along each dimension; nothing
/// unless it begins at a multiple of its extents.
std::optional<std::vector<int64_t>> GroupFinder::tileOf(const Use &use) const {
  const ProgramParameter &whole = program.parameters[use.place.parameter];
  if (whole.strides != use.tensor.strides)
    return std::nullopt;
  int64_t rest = use.place.offset / model::byteWidth(whole.type) +
                 use.tensor.offset - whole.offset;
  std::vector<int64_t> begin;
  int64_t outer = 0;
  for (size_t dim = 0; dim < whole.extents.size(); ++dim) {
    int64_t stride = whole.strides[dim], extent = whole.extents[dim];
    // Dimensions lie inside of one another.
    if (stride <= 0 || (dim > 0 && stride * extent > outer))
      return std::nullopt;
    outer = stride;
    begin.push_back(rest / stride);
    rest %= stride;
    int64_t length = use.tensor.extents[dim];
    if (begin.back() < 0 || begin.back() % length != 0 ||
        begin.back() + length > extent)
      return std::nullopt;
  }
  return rest == 0 ? std::optional(begin) : std::nullopt;
}

/// True if each group writes parts of parameters that no other one touches.
bool GroupFinder::writeApart(const StepGroups &groups) const {
  std::map<size_t, std::set<std::vector<int64_t>>> tiles;
  for (size_t group = 0; group < groups.count; ++group) {
    size_t first = groups.first + group * groups.length;
    std::map<size_t, Use> written;
    for (size_t i = 0; i < groups.length; ++i)
      for (const Use &use : usesOf(first + i)) {
        if (!use.isIn(ProgramPlace::Kind::Parameter) || !use.isWritten)
          continue;
        auto [found, isNew] = written.emplace(use.place.parameter, use);
        if (!isNew && !found->second.isSame(use))
          return false;
      }
    for (size_t i = 0; i < groups.length; ++i)
      for (const Use &use : usesOf(first + i)) {
        if (!use.isIn(ProgramPlace::Kind::Parameter) || !use.isRead)
          continue;
        auto found = written.find(use.place.parameter);
        if (found != written.end() && !found->second.isSame(use))
          return false;
      }
    for (const auto &[parameter, use] : written) {
      std::optional<std::vector<int64_t>> tile = tileOf(use);
      if (!tile || !tiles[parameter].insert(*tile).second)
        return false;
    }
  }
  return !tiles.empty();
}

StepGroups GroupFinder::find(size_t first) {
  size_t left = program.steps.size() - first;
  for (size_t length = 1; length <= std::min(mostSteps, left / 2); ++length) {
    StepGroups groups = {first, length, 0, {}};
    size_t step = first;
    while (step < program.steps.size() &&
           repeats(step, first + (step - first) % length))
      ++step;
    groups.count = (step - first) / length;
    if (groups.count > 1)
      return groups;
  }
  return {first, 1, 1, {}};
}

std::vector<StepGroups> tc::findStepGroups(const Program &program,
                                           const std::vector<Kernel> &kernels) {
  std::vector<StepGroups> all;
  GroupFinder finder(program, kernels);
  for (size_t step = 0; step < program.steps.size();) {
    StepGroups groups = finder.find(step);
    step = groups.end();
    if (groups.count > 1 && finder.areApart(groups))
      all.push_back(std::move(groups));
  }
  return all;
}
