//===- Table.cpp - The figures of all candidates --------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table that the terminal and the page show alike: one column a candidate.
//
//===----------------------------------------------------------------------===//

#include "Facts.h"
#include "Format.h"

#include <algorithm>

using namespace tc;
using namespace tc::explain;
using namespace tc::model;

namespace {

/// Adds lines over the same candidates.
class GroupBuilder {
public:
  GroupBuilder(const Explanation &explanation, std::string title)
      : candidates(explanation.candidates), group{std::move(title), {}} {}

  /// A line whose cells `text` gives for each candidate, and of which `limits`
  /// says whether it sets the candidate's time.
  template <typename Text, typename Limits>
  void add(std::string label, Text text, Limits limits) {
    Row row{std::move(label), {}, {}};
    for (const ExplainedCandidate &candidate : candidates) {
      row.cells.push_back(text(candidate));
      row.limits.push_back(limits(candidate));
    }
    group.rows.push_back(std::move(row));
  }

  template <typename Text> void add(std::string label, Text text) {
    add(std::move(label), text,
        [](const ExplainedCandidate &) { return false; });
  }

  RowGroup take() { return std::move(group); }

private:
  const std::vector<ExplainedCandidate> &candidates;
  RowGroup group;
};

std::string product(std::initializer_list<int64_t> factors) {
  std::string text;
  for (int64_t factor : factors)
    text += (text.empty() ? "" : " x ") + std::to_string(factor);
  return text;
}

/// The tile of one index, "-" where the schedule does not cut it.
std::string tileText(const Schedule &schedule, const std::string &label) {
  for (const auto *list : {&schedule.m, &schedule.n, &schedule.k})
    for (const TileExtent &tile : *list)
      if (tile.label == label)
        return std::to_string(tile.extent);
  return "-";
}

/// Assignment of tiles to blocks, where any candidate does it otherwise than in
/// one group, output stationary, each tile to one block.
void addMapping(const Explanation &explanation, GroupBuilder &rows) {
  if (std::all_of(explanation.candidates.begin(), explanation.candidates.end(),
                  [](const ExplainedCandidate &candidate) {
                    return candidate.schedule.mapping == GridMapping();
                  }))
    return;
  rows.add("M tiles a group", [](const ExplainedCandidate &candidate) {
    int64_t group = candidate.schedule.mapping.rasterM;
    return group == 0 ? "all" : std::to_string(group);
  });
  rows.add("stationary", [](const ExplainedCandidate &candidate) {
    return std::string(stringify(candidate.schedule.mapping.stationary));
  });
  rows.add("tiles a block", [](const ExplainedCandidate &candidate) {
    return std::to_string(candidate.schedule.mapping.tilesPerBlock);
  });
  rows.add("blocks a sum", [](const ExplainedCandidate &candidate) {
    return std::to_string(candidate.schedule.mapping.splitK);
  });
}

RowGroup tileRows(const Explanation &explanation) {
  GroupBuilder rows(explanation, "tiles");
  rows.add("block M x N x K", [](const ExplainedCandidate &candidate) {
    const KernelLayout &layout = candidate.layout;
    return product({layout.blockM, layout.blockN, layout.blockK});
  });
  for (Role role : {Role::M, Role::N, Role::K})
    for (unsigned position : explanation.contraction.withRole(role)) {
      const Index &index = explanation.contraction.indices[position];
      rows.add("  " + index.label + " (" + std::string(stringify(role)) + ")",
               [&](const ExplainedCandidate &candidate) {
                 return tileText(candidate.schedule, index.label);
               });
    }
  rows.add("register M x N", [](const ExplainedCandidate &candidate) {
    return product({candidate.layout.registerM, candidate.layout.registerN});
  });
  rows.add("instruction", [](const ExplainedCandidate &candidate) {
    return std::string(stringify(candidate.schedule.instruction));
  });
  rows.add("stages", [](const ExplainedCandidate &candidate) {
    return std::to_string(candidate.schedule.stages);
  });
  addMapping(explanation, rows);
  rows.add("useful part", [&](const ExplainedCandidate &candidate) {
    return percentText(
        usefulFraction(explanation.contraction, candidate.layout));
  });
  return rows.take();
}

RowGroup resourceRows(const Explanation &explanation) {
  GroupBuilder rows(explanation, "block and multiprocessor");
  auto count = [&](const char *label, int64_t KernelLayout::*figure) {
    rows.add(label, [figure](const ExplainedCandidate &candidate) {
      return std::to_string(candidate.layout.*figure);
    });
  };
  count("threads", &KernelLayout::threads);
  count("registers a thread", &KernelLayout::registers);
  rows.add("shared memory", [](const ExplainedCandidate &candidate) {
    return capacityText(candidate.layout.sharedBytes);
  });
  count("K steps", &KernelLayout::steps);
  count("blocks", &KernelLayout::blocks);
  rows.add("resident blocks", [](const ExplainedCandidate &candidate) {
    return std::to_string(candidate.cost.occupancy.residentBlocks);
  });
  rows.add("  limited by", [](const ExplainedCandidate &candidate) {
    return std::string(candidate.cost.occupancy.limitedBy);
  });
  rows.add("occupancy", [](const ExplainedCandidate &candidate) {
    return percentText(candidate.cost.occupancy.fraction);
  });
  rows.add("waves", [](const ExplainedCandidate &candidate) {
    return ratioText(candidate.cost.occupancy.waves);
  });
  return rows.take();
}

bool isLimit(const ExplainedCandidate &candidate, std::optional<Level> level) {
  return limitOf(candidate.cost) == level;
}

RowGroup levelRows(const Explanation &explanation) {
  GroupBuilder rows(explanation, "levels");
  for (Level level : allLevels) {
    bool inBytes = countsBytes(level);
    rows.add(std::string(stringify(level)) + ", " + std::string(unitOf(level)),
             [&](const ExplainedCandidate &candidate) {
               double work = candidate.cost[level].work;
               return inBytes ? bytesText(work) : countText(work);
             });
    for (Tensor tensor : allTensors)
      if (inBytes)
        rows.add("  " + std::string(nameOf(tensor)),
                 [&](const ExplainedCandidate &candidate) {
                   return bytesText(candidate.cost[level].bytes[tensor]);
                 });
    if (level == Level::DRAM)
      rows.add("  of compulsory", [&](const ExplainedCandidate &candidate) {
        return ratioText(compulsoryRatio(explanation, candidate.cost)) + " x";
      });
    rows.add(
        "  time",
        [&](const ExplainedCandidate &candidate) {
          return secondsText(candidate.cost[level].seconds);
        },
        [&](const ExplainedCandidate &candidate) {
          return isLimit(candidate, level);
        });
  }
  rows.add(
      "blocks, wave by wave",
      [](const ExplainedCandidate &candidate) {
        return secondsText(candidate.cost.executionSeconds);
      },
      [](const ExplainedCandidate &candidate) {
        return isLimit(candidate, std::nullopt);
      });
  return rows.take();
}

RowGroup predictionRows(const Explanation &explanation) {
  GroupBuilder rows(explanation, "prediction");
  rows.add("time", [](const ExplainedCandidate &candidate) {
    return secondsText(candidate.cost.seconds());
  });
  if (!explanation.judge.empty())
    rows.add("to the judge", [](const ExplainedCandidate &candidate) {
      return candidate.judgedSeconds ? secondsText(*candidate.judgedSeconds)
                                     : "not known";
    });
  rows.add("limit", [](const ExplainedCandidate &candidate) {
    std::optional<Level> limit = limitOf(candidate.cost);
    return limit ? std::string(stringify(*limit)) : "blocks";
  });
  rows.add("speed", [&](const ExplainedCandidate &candidate) {
    return withPrefix(flops(explanation.contraction) / candidate.cost.seconds(),
                      "FLOP/s");
  });
  rows.add("of the roofline", [&](const ExplainedCandidate &candidate) {
    return percentText(rooflineFraction(explanation, candidate.cost));
  });
  return rows.take();
}

} // namespace

std::vector<RowGroup> explain::candidateTable(const Section &section) {
  const Explanation &explanation = section.explanation;
  return {tileRows(explanation), resourceRows(explanation),
          levelRows(explanation), predictionRows(explanation)};
}
