//===- Planes.cpp - A, B and C as the sides of a matrix product -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Planes.h"
#include "Format.h"

#include <algorithm>

using namespace tc;
using namespace tc::explain;

namespace {

/// The most that M and N, and that K, take in the picture.
constexpr double longest = 220, deepest = 80;
/// The least that a tile takes along M or N, if that leaves the whole tile in
/// the picture, and that any part takes.
constexpr double shortest = 5, thinnest = 1.5;
constexpr double gap = 12, topMargin = 26, bottomMargin = 24;
/// Room for the extent of M to the left, and the name of B to the right.
constexpr double leftMargin = 68, rightMargin = 20;

void place(Side &side, double scale, double most) {
  double wanted = toDouble(side.extent) * scale;
  side.cut = wanted > most * 1.001;
  side.pixels = std::clamp(wanted, thinnest, most);
}

/// Two short strokes across a line.
void drawCut(Picture &picture, Point at, bool acrossRows) {
  for (double shift : {-3.0, 1.0}) {
    Point from{at.x + shift - 2, at.y + 5}, to{at.x + shift + 4, at.y - 5};
    if (!acrossRows) {
      from = {at.x - 5, at.y + shift + 4};
      to = {at.x + 5, at.y + shift - 2};
    }
    picture.line(from, to, "cut");
  }
}

} // namespace

Planes::Planes(Side m, Side n, Side k) : m(m), n(n), k(k) {
  double fitting = std::min(longest / toDouble(std::max(m.extent, n.extent)),
                            deepest / toDouble(k.extent));
  double visible = shortest / toDouble(std::min(m.tile, n.tile));
  double wholeTiles = std::min({longest / toDouble(std::max(m.tile, n.tile)),
                                deepest / toDouble(k.tile)});
  scale = std::min(std::max(fitting, visible), wholeTiles);
  place(this->m, scale, longest);
  place(this->n, scale, longest);
  place(this->k, scale, deepest);
  double used = this->k.pixels + gap + this->n.pixels;
  double room = pictureWidth - leftMargin - rightMargin;
  corner = {leftMargin + (room - used) / 2 + this->k.pixels + gap,
            topMargin + this->k.pixels + gap};
}

Planes::Span Planes::span(const Side &side, double begin, double length) const {
  double from = std::min(begin * scale, side.pixels);
  double to = std::min((begin + length) * scale, side.pixels);
  if (from < side.pixels && to - from < thinnest) {
    from = std::min(from, side.pixels - thinnest);
    to = from + thinnest;
  }
  return {from, to - from};
}

Box Planes::inC(double mBegin, double nBegin, double rows,
                double columns) const {
  Span y = span(m, mBegin, rows), x = span(n, nBegin, columns);
  return {corner.x + x.begin, corner.y + y.begin, x.length, y.length};
}

Box Planes::inA(double mBegin, double kBegin, double rows, double depth) const {
  Span y = span(m, mBegin, rows), x = span(k, kBegin, depth);
  return {corner.x - gap - k.pixels + x.begin, corner.y + y.begin, x.length,
          y.length};
}

Box Planes::inB(double kBegin, double nBegin, double depth,
                double columns) const {
  Span y = span(k, kBegin, depth), x = span(n, nBegin, columns);
  return {corner.x + x.begin, corner.y - gap - k.pixels + y.begin, x.length,
          y.length};
}

Box Planes::wholeA() const {
  return {corner.x - gap - k.pixels, corner.y, k.pixels, m.pixels};
}

Box Planes::wholeB() const {
  return {corner.x, corner.y - gap - k.pixels, n.pixels, k.pixels};
}

Box Planes::wholeC() const { return {corner.x, corner.y, n.pixels, m.pixels}; }

void Planes::drawBack(Picture &picture) const {
  Box a = wholeA(), b = wholeB(), c = wholeC();
  picture.box(a, "plane a");
  picture.box(b, "plane b");
  picture.box(c, "plane c");
  picture.text({a.x + a.width / 2, a.y + a.height + 18}, "A", "tensor a");
  picture.text({b.x + b.width + 10, b.y + b.height / 2 + 5}, "B", "tensor b");
  picture.text({c.x + c.width / 2, c.y + c.height + 18}, "C", "tensor c");
  auto label = [](const char *name, const Side &side) {
    return name + countText(toDouble(side.used));
  };
  std::string alongN = label("N=", n);
  double half = widthOf(alongN) / 2;
  picture.text({std::min(c.x + c.width / 2, pictureWidth - half), b.y - 8},
               alongN, "code");
  picture.text({a.x - 8, a.y + a.height / 2 + 4}, label("M=", m), "code",
               Anchor::End);
  picture.text({c.x - gap - 2, a.y - 6}, label("K=", k), "code", Anchor::End);
}

void Planes::drawFront(Picture &picture) const {
  Box a = wholeA(), b = wholeB(), c = wholeC();
  for (const Box &plane : {a, b, c})
    picture.box(plane, "outline");
  if (n.cut)
    for (const Box &plane : {b, c})
      for (double y : {plane.y, plane.y + plane.height})
        drawCut(picture, {plane.x + plane.width - 9, y}, true);
  if (m.cut)
    for (const Box &plane : {a, c})
      for (double x : {plane.x, plane.x + plane.width})
        drawCut(picture, {x, plane.y + plane.height - 9}, false);
  if (k.cut) {
    for (double y : {a.y, a.y + a.height})
      drawCut(picture, {a.x + a.width - 9, y}, true);
    for (double x : {b.x, b.x + b.width})
      drawCut(picture, {x, b.y + b.height - 9}, false);
  }
}

double Planes::height() const { return corner.y + m.pixels + bottomMargin; }
