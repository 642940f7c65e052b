//===- Picture.cpp - Shapes of one SVG picture ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Picture.h"
#include "Format.h"

#include <cassert>
#include <cmath>
#include <cstdio>

using namespace tc;
using namespace tc::explain;

namespace {

std::string number(double value) {
  assert(std::isfinite(value) && "a coordinate must be finite");
  char buffer[64];
  std::snprintf(buffer, sizeof(buffer), "%.1f", value);
  return buffer;
}

std::string attribute(std::string_view name, double value) {
  return " " + std::string(name) + "=\"" + number(value) + "\"";
}

std::string position(Point at) {
  return attribute("x", at.x) + attribute("y", at.y);
}

std::string anchorText(Anchor anchor) {
  switch (anchor) {
  case Anchor::Start:
    return "";
  case Anchor::Middle:
    return " text-anchor=\"middle\"";
  case Anchor::End:
    return " text-anchor=\"end\"";
  }
  return "";
}

std::string hintElement(std::string_view hint) {
  return hint.empty()
             ? ""
             : "<title>" + escape(typeset(std::string(hint))) + "</title>";
}

} // namespace

double explain::widthOf(std::string_view text) {
  size_t letters = 0;
  for (char c : text)
    // A byte that continues a letter of UTF-8 is none itself.
    letters += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  return static_cast<double>(letters) * letterWidth;
}

Picture::Picture(std::string_view id, std::string_view title,
                 std::string_view description)
    : id(id), title(title), description(description) {}

void Picture::add(const std::string &element, std::string_view look,
                  std::string_view content) {
  std::string name = element.substr(0, element.find(' '));
  shapes += "<" + element + " class=\"" + std::string(look) + "\"";
  shapes += content.empty() ? "/>\n"
                            : ">" + std::string(content) + "</" + name + ">\n";
}

void Picture::box(const Box &box, std::string_view look,
                  std::string_view hint) {
  add("rect" + position({box.x, box.y}) + attribute("width", box.width) +
          attribute("height", box.height),
      look, hintElement(hint));
}

void Picture::line(Point from, Point to, std::string_view look) {
  add("line" + attribute("x1", from.x) + attribute("y1", from.y) +
          attribute("x2", to.x) + attribute("y2", to.y),
      look, {});
}

void Picture::lines(const std::vector<Point> &points, std::string_view look) {
  std::string list;
  for (const Point &point : points)
    list += (list.empty() ? "" : " ") + number(point.x) + "," + number(point.y);
  add("polyline points=\"" + list + "\"", look, {});
}

void Picture::circle(Point center, double radius, std::string_view look,
                     std::string_view hint) {
  add("circle" + attribute("cx", center.x) + attribute("cy", center.y) +
          attribute("r", radius),
      look, hintElement(hint));
}

void Picture::text(Point at, std::string_view text, std::string_view look,
                   Anchor anchor) {
  add("text" + position(at) + anchorText(anchor), look,
      escape(typeset(std::string(text))));
}

void Picture::turnedText(Point at, double degrees, std::string_view text,
                         std::string_view look) {
  add("text" + position(at) + anchorText(Anchor::Middle) +
          " transform=\"rotate(" + number(degrees) + " " + number(at.x) + " " +
          number(at.y) + ")\"",
      look, escape(typeset(std::string(text))));
}

std::string Picture::finish(double height) const {
  return "<svg viewBox=\"0 0 " + number(pictureWidth) + " " + number(height) +
         "\" role=\"img\" aria-labelledby=\"" + id + "-title " + id +
         "-text\">\n<title id=\"" + id + "-title\">" + escape(title) +
         "</title>\n<desc id=\"" + id + "-text\">" + escape(description) +
         "</desc>\n" + shapes + "</svg>\n";
}
