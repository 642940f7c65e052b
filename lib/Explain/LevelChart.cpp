//===- LevelChart.cpp - The time that each level is busy ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bars in groups: a group a level, a bar a candidate, all to one scale of time.
//
//===----------------------------------------------------------------------===//

#include "Format.h"
#include "Picture.h"
#include "Pictures.h"

#include <algorithm>
#include <cmath>

using namespace tc;
using namespace tc::explain;
using namespace tc::model;

namespace {

constexpr double left = 62, right = 10, top = 8;
constexpr double titleHeight = 20, barHeight = 12, barPitch = 16, groupGap = 10;

struct Group {
  std::string title;
  /// The level, or nothing for the blocks' execution.
  std::optional<Level> level;
};

double secondsOf(const Cost &cost, const Group &group) {
  double seconds =
      group.level ? cost[*group.level].seconds : cost.executionSeconds;
  return std::isfinite(seconds) && seconds > 0 ? seconds : 0;
}

} // namespace

Figure explain::drawLevels(const Section &section, const std::string &id) {
  const std::vector<ExplainedCandidate> &all = section.explanation.candidates;
  size_t drawn = std::min(all.size(), maxDrawn);
  std::vector<Group> groups;
  groups.reserve(std::size(allLevels) + 1);
  for (Level level : allLevels)
    groups.push_back({std::string(stringify(level)), level});
  groups.push_back({"blocks, wave by wave", std::nullopt});

  double longest = 0;
  std::string description = "Bars of time.";
  for (const Group &group : groups)
    for (size_t i = 0; i < drawn; ++i)
      longest = std::max(longest, secondsOf(all[i].cost, group));
  for (size_t i = 0; i < drawn; ++i)
    description += " " + candidateName(section, i) + ": " +
                   secondsText(all[i].cost.seconds()) + ", set by " +
                   std::string(all[i].cost.limit()) + ".";
  Picture picture(id, "Time of each level", description);

  // The longest bar leaves room for its figure.
  double room = pictureWidth - left - right - widthOf("99.9 ms.");
  double perSecond = longest > 0 ? room / longest : 0;
  double y = top;
  for (const Group &group : groups) {
    picture.text({0, y + 13}, group.title, "strong", Anchor::Start);
    y += titleHeight;
    double begin = y;
    for (size_t i = 0; i < drawn; ++i, y += barPitch) {
      const Cost &cost = all[i].cost;
      double seconds = secondsOf(cost, group);
      bool limits = limitOf(cost) == group.level;
      bool chosen = chosenCandidate(section) == i;
      std::string look = limits ? "bar limit" : "bar";
      if (chosen)
        look += " chosen";
      picture.text({left - 6, y + 10.5}, candidateName(section, i),
                   chosen ? "label chosen" : "label", Anchor::End);
      picture.box({left, y, std::max(1.0, seconds * perSecond), barHeight},
                  look,
                  candidateName(section, i) + ", " + group.title + ": " +
                      secondsText(seconds));
      picture.text({left + seconds * perSecond + 6, y + 10.5},
                   secondsText(seconds), limits ? "label limit" : "label",
                   Anchor::Start);
    }
    picture.line({left, begin - 2}, {left, y - barPitch + barHeight + 2},
                 "axis");
    y += groupGap;
  }
  std::string caption =
      "<span class=\"key\"><i class=\"bar limit\"></i>sets the candidate's "
      "time</span> The levels work at the same time; a candidate takes as "
      "long as the slowest.";
  if (drawn < all.size())
    caption += " The first " + std::to_string(drawn) + " of " +
               std::to_string(all.size()) + " candidates.";
  return {picture.finish(y), caption};
}
