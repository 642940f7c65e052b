//===- RooflineChart.cpp - The candidates under the target's roofs --------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The roofline model of Williams, Waterman and Patterson (CACM 2009): speed
// over operations a byte, both logarithmic. With two memory roofs, DRAM's and
// the L2 cache's, the chosen candidate is a point for the bytes of each.
//
//===----------------------------------------------------------------------===//

#include "Format.h"
#include "Picture.h"
#include "Pictures.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace tc;
using namespace tc::explain;
using namespace tc::model;

namespace {

constexpr double height = 338;
constexpr Box frame = {60, 14, 334, 280};

bool isPositive(double value) { return std::isfinite(value) && value > 0; }

/// Logarithmic axes.
class Axes {
public:
  /// Makes room for a point.
  void include(double x, double y) {
    if (!isPositive(x) || !isPositive(y))
      return;
    lowX = std::min(lowX, std::log10(x));
    highX = std::max(highX, std::log10(x));
    lowY = std::min(lowY, std::log10(y));
    highY = std::max(highY, std::log10(y));
  }

  /// Widens the ranges by so many decades.
  void widen(double byX, double byY) {
    lowX -= byX;
    highX += byX;
    lowY -= byY;
    highY += byY / 2;
  }

  Point at(double x, double y) const {
    auto part = [](double value, double low, double high) {
      return std::clamp((std::log10(value) - low) / (high - low), 0.0, 1.0);
    };
    return {frame.x + part(x, lowX, highX) * frame.width,
            frame.y + (1 - part(y, lowY, highY)) * frame.height};
  }

  double minX() const { return std::pow(10, lowX); }
  double maxX() const { return std::pow(10, highX); }
  double minY() const { return std::pow(10, lowY); }

  std::vector<double> ticksX() const { return ticks(lowX, highX); }
  std::vector<double> ticksY() const { return ticks(lowY, highY); }

private:
  /// The powers of ten, with 2 and 5 of each where there are few.
  static std::vector<double> ticks(double low, double high) {
    std::vector<double> values;
    for (auto decade = static_cast<int>(std::floor(low)); decade <= high;
         ++decade)
      for (double digit : {1, 2, 5}) {
        double value = digit * std::pow(10, decade);
        bool shown = digit == 1 || high - low < 2.5;
        if (shown && std::log10(value) >= low && std::log10(value) <= high)
          values.push_back(value);
      }
    return values;
  }

  double lowX = 1e9, highX = -1e9, lowY = 1e9, highY = -1e9;
};

/// A bound on speed that grows with the intensity.
struct Roof {
  std::string name;
  double bytesPerSecond;
  std::string look;
  bool namedAbove;
};

struct Mark {
  std::string name;
  bool chosen;
  /// Operations a second, and for each byte of DRAM and of L2 traffic.
  double speed, intensity, intensityL2;
};

/// Parts of the picture, worked out once.
struct Scene {
  Axes axes;
  double peak = 0, compulsory = 0;
  /// That of the fastest memory last.
  std::vector<Roof> roofs;
  /// The chosen candidate last: what is drawn later lies above.
  std::vector<Mark> marks;
};

Scene makeScene(const Section &section) {
  const Explanation &explanation = section.explanation;
  const Target &target = explanation.target;
  double work = flops(explanation.contraction);
  auto perCycle = static_cast<double>(
      target.fmaPerCycle(explanation.contraction.accumulatorType));
  Scene scene;
  scene.peak =
      2 * rateOf(explanation, Level::Pipe)
              .value_or(perCycle * target.multiprocessors * target.clockHertz);
  scene.compulsory = work / total(explanation.compulsoryBytes);
  scene.roofs = {{"DRAM", target.memoryBytesPerSecond, "roof", false}};
  if (std::optional<double> l2 = rateOf(explanation, Level::L2))
    scene.roofs.push_back({"L2", *l2, "roof l2", true});
  std::sort(scene.roofs.begin(), scene.roofs.end(),
            [](const Roof &a, const Roof &b) {
              return a.bytesPerSecond < b.bytesPerSecond;
            });

  size_t drawn = std::min(explanation.candidates.size(), maxDrawn);
  for (size_t i = 0; i < drawn; ++i) {
    const Cost &cost = explanation.candidates[i].cost;
    Mark mark = {candidateName(section, i), chosenCandidate(section) == i,
                 work / cost.seconds(), intensityOf(explanation, cost),
                 work / cost[Level::L2].work};
    if (!isPositive(mark.intensity) || !isPositive(mark.speed))
      continue;
    scene.axes.include(mark.intensity, mark.speed);
    scene.marks.push_back(mark);
  }
  std::partition(scene.marks.begin(), scene.marks.end(),
                 [](const Mark &mark) { return !mark.chosen; });
  scene.axes.include(scene.peak / target.memoryBytesPerSecond, scene.peak);
  scene.axes.include(scene.compulsory, scene.peak);
  scene.axes.widen(0.7, 0.6);
  return scene;
}

/// Finds room for labels beside points.
class Labels {
public:
  void block(const Box &box) { taken.push_back(box); }

  /// Writes the label where it covers nothing, if there is such a place.
  void write(Picture &picture, Point at, const std::string &text,
             std::string_view look) {
    double width = widthOf(text);
    for (Box box : {Box{at.x + 8, at.y - 7, width, 14},
                    Box{at.x - 8 - width, at.y - 7, width, 14},
                    Box{at.x - width / 2, at.y - 23, width, 14},
                    Box{at.x - width / 2, at.y + 9, width, 14},
                    Box{at.x + 7, at.y + 5, width, 14},
                    Box{at.x - 7 - width, at.y + 5, width, 14}}) {
      if (box.x < frame.x || box.x + box.width > frame.x + frame.width ||
          box.y < frame.y || box.y + box.height > frame.y + frame.height ||
          std::any_of(taken.begin(), taken.end(),
                      [&](const Box &other) { return overlap(box, other); }))
        continue;
      taken.push_back(box);
      picture.text({box.x, box.y + 11}, text, look, Anchor::Start);
      return;
    }
  }

private:
  static bool overlap(const Box &a, const Box &b) {
    return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height &&
           b.y < a.y + a.height;
  }

  std::vector<Box> taken;
};

/// One digit and zeros or a prefix: "0.05", "20", "5 T".
std::string tickText(double value) {
  constexpr double trillion = 1e12, billion = 1e9, million = 1e6;
  char buffer[64];
  auto print = [&](double unit, const char *name) {
    std::snprintf(buffer, sizeof(buffer), "%.12g%s", value / unit, name);
    return std::string(buffer);
  };
  if (value >= trillion)
    return print(trillion, " T");
  if (value >= billion)
    return print(billion, " G");
  return value >= million ? print(million, " M") : print(1, "");
}

void drawAxes(Picture &picture, const Axes &axes) {
  picture.box(frame, "frame");
  double bottom = frame.y + frame.height;
  for (double x : axes.ticksX()) {
    double at = axes.at(x, axes.minY()).x;
    picture.line({at, frame.y}, {at, bottom}, "grid");
    picture.text({at, bottom + 16}, tickText(x), "label");
  }
  for (double y : axes.ticksY()) {
    double at = axes.at(axes.minX(), y).y;
    picture.line({frame.x, at}, {frame.x + frame.width, at}, "grid");
    picture.text({frame.x - 6, at + 4}, tickText(y), "label", Anchor::End);
  }
  picture.text({frame.x + frame.width / 2, bottom + 36}, "operations a byte",
               "small");
  picture.turnedText({12, frame.y + frame.height / 2}, -90, "FLOP/s", "small");
}

/// The roof from the left edge (or the bottom) to where arithmetic takes over,
/// with its name along it.
void drawRoof(Picture &picture, const Axes &axes, const Roof &roof,
              double peak) {
  double ridge = peak / roof.bytesPerSecond;
  double begin = std::max(axes.minX(), axes.minY() / roof.bytesPerSecond);
  double end = std::min(ridge, axes.maxX());
  if (begin >= end)
    return;
  Point from = axes.at(begin, begin * roof.bytesPerSecond);
  Point to = axes.at(end, end * roof.bytesPerSecond);
  picture.lines({from, to}, roof.look);
  std::string name = roof.name + " " + withPrefix(roof.bytesPerSecond, "B/s");
  double length = std::hypot(to.x - from.x, to.y - from.y);
  double angle = std::atan2(to.y - from.y, to.x - from.x);
  if (length < widthOf(name) + 8)
    return;
  // At the lower end: points are rarer there.
  double along = widthOf(name) / 2 + 8;
  double above = roof.namedAbove ? 5 : -14;
  picture.turnedText(
      {from.x + along * std::cos(angle) + above * std::sin(angle),
       from.y + along * std::sin(angle) - above * std::cos(angle)},
      angle * 180 / std::acos(-1.0), name, "label");
}

void drawRoofs(Picture &picture, const Scene &scene) {
  for (const Roof &roof : scene.roofs)
    drawRoof(picture, scene.axes, roof, scene.peak);
  double ridge = scene.peak / scene.roofs.back().bytesPerSecond;
  Point flat = scene.axes.at(std::max(ridge, scene.axes.minX()), scene.peak);
  double end = frame.x + frame.width;
  picture.lines({flat, {end, flat.y}}, "roof");
  picture.text({end - 5, flat.y - 6}, withPrefix(scene.peak, "FLOP/s"), "label",
               Anchor::End);
}

void drawCompulsory(Picture &picture, const Scene &scene, Labels &labels) {
  if (!isPositive(scene.compulsory))
    return;
  double x = scene.axes.at(scene.compulsory, scene.peak).x;
  double bottom = frame.y + frame.height;
  picture.line({x, frame.y}, {x, bottom}, "compulsory");
  labels.block({x - 1, frame.y, 2, frame.height});
  std::string text = "compulsory " + ratioText(scene.compulsory);
  bool toLeft = x + widthOf(text) + 6 > frame.x + frame.width;
  picture.text({toLeft ? x - 5 : x + 5, bottom - 8}, text, "small",
               toLeft ? Anchor::End : Anchor::Start);
}

void drawMark(Picture &picture, const Scene &scene, const Mark &mark) {
  Point at = scene.axes.at(mark.intensity, mark.speed);
  if (mark.chosen && scene.roofs.size() > 1 && isPositive(mark.intensityL2)) {
    Point atL2 = scene.axes.at(mark.intensityL2, mark.speed);
    picture.line(at, atL2, "link");
    picture.circle(atL2, 4, "point l2",
                   mark.name + ": " + ratioText(mark.intensityL2) +
                       " operations a byte of L2 traffic");
  }
  picture.circle(
      at, mark.chosen ? 6 : 4.5, mark.chosen ? "point chosen" : "point",
      mark.name + ": " + withPrefix(mark.speed, "FLOP/s") + ", " +
          ratioText(mark.intensity) + " operations a byte of DRAM traffic");
}

} // namespace

Figure explain::drawRoofline(const Section &section, const std::string &id) {
  Scene scene = makeScene(section);
  std::string description =
      "Predicted speed over operations a byte of DRAM traffic.";
  for (const Mark &mark : scene.marks)
    description += " " + mark.name + ": " + withPrefix(mark.speed, "FLOP/s") +
                   " at " + ratioText(mark.intensity) + ".";
  Picture picture(id, "Roofline", description);
  Labels labels;
  drawAxes(picture, scene.axes);
  drawCompulsory(picture, scene, labels);
  drawRoofs(picture, scene);
  for (const Mark &mark : scene.marks) {
    Point at = scene.axes.at(mark.intensity, mark.speed);
    labels.block({at.x - 5, at.y - 5, 10, 10});
    drawMark(picture, scene, mark);
  }
  // The chosen one has the first choice of a place for its name.
  for (auto mark = scene.marks.rbegin(); mark != scene.marks.rend(); ++mark)
    labels.write(picture, scene.axes.at(mark->intensity, mark->speed),
                 mark->name, mark->chosen ? "strong" : "label");
  std::string caption = "Points: candidates, by their bytes to and from DRAM. "
                        "Dashed: each tensor moved once.";
  if (scene.roofs.size() > 1)
    caption += " Ring: the chosen one by its bytes from L2.";
  return {picture.finish(height), caption};
}
