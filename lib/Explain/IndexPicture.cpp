//===- IndexPicture.cpp - Tensors that hold the indices -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A circle for each tensor. An index lies where the circles of those that hold
// it overlap, so that the overlaps are the roles.
//
//===----------------------------------------------------------------------===//

#include "Format.h"
#include "Picture.h"
#include "Pictures.h"

#include <algorithm>

using namespace tc;
using namespace tc::explain;
using namespace tc::model;

namespace {

constexpr double radius = 125, height = 386, lineHeight = 15;
constexpr PerTensor<Point> centers = {
    {Point{130, 132}, Point{270, 132}, Point{200, 253}}};

/// Letters of a line, and lines, that fit where circles overlap.
constexpr size_t lettersOfLine = 11, linesOfRegion = 3;

/// The indices of one region as lines; what does not fit is counted.
std::vector<std::string> pack(const Contraction &contraction,
                              const std::vector<unsigned> &positions) {
  std::vector<std::string> lines;
  size_t shown = 0;
  for (unsigned position : positions) {
    const Index &index = contraction.indices[position];
    std::string token = index.label + "=" + std::to_string(index.extent);
    if (token.size() > lettersOfLine)
      token = token.substr(0, lettersOfLine - 1) + "\xe2\x80\xa6"; // ellipsis
    if (!lines.empty() &&
        widthOf(lines.back()) + widthOf(token) + letterWidth <=
            static_cast<double>(lettersOfLine) * letterWidth)
      lines.back() += " " + token;
    else if (lines.size() < linesOfRegion)
      lines.push_back(token);
    else
      break;
    ++shown;
  }
  if (shown < positions.size()) {
    // The last line makes room for the count.
    lines.back() = "and others";
  }
  return lines;
}

double productOf(const Contraction &contraction,
                 const std::vector<unsigned> &positions) {
  double product = 1;
  for (unsigned position : positions)
    product *= static_cast<double>(contraction.indices[position].extent);
  return product;
}

/// Indices of one role around a point.
void drawRegion(Picture &picture, Point center, const std::string &name,
                const Contraction &contraction,
                const std::vector<unsigned> &positions) {
  std::vector<std::string> lines = pack(contraction, positions);
  double firstLine =
      center.y - static_cast<double>(lines.size()) * lineHeight / 2 + 4;
  if (positions.empty()) {
    picture.text({center.x, firstLine}, name, "faint");
    return;
  }
  picture.text({center.x, firstLine},
               name + " " + countText(productOf(contraction, positions)),
               "strong");
  for (size_t i = 0; i < lines.size(); ++i)
    picture.text(
        {center.x, firstLine + static_cast<double>(i + 1) * lineHeight},
        lines[i], "code");
}

} // namespace

Figure explain::drawIndices(const Contraction &contraction,
                            const std::string &id) {
  // Sums within one input are K too, but lie in one circle alone.
  std::vector<unsigned> both, onlyA, onlyB;
  for (unsigned position : contraction.withRole(Role::K)) {
    const Index &index = contraction.indices[position];
    bool inA = index.stride[Tensor::A] != 0, inB = index.stride[Tensor::B] != 0;
    (inA == inB ? both : inA ? onlyA : onlyB).push_back(position);
  }

  std::string description = formulaText(contraction) + ".";
  for (Role role : allRoles) {
    std::string list;
    for (unsigned position : contraction.withRole(role))
      list += " " + contraction.indices[position].label + "=" +
              std::to_string(contraction.indices[position].extent);
    description += " " + std::string(stringify(role)) + ":" +
                   (list.empty() ? " none" : list) + ".";
  }
  Picture picture(id, "Indices and the tensors that hold them", description);
  constexpr PerTensor<std::string_view> looks = {{"set a", "set b", "set c"}};
  for (Tensor tensor : allTensors)
    picture.circle(centers[tensor], radius, looks[tensor]);

  auto drawTensor = [&](Tensor tensor, Point at, std::string_view look,
                        const std::vector<unsigned> &summed) {
    picture.text(at, nameOf(tensor), look);
    picture.text({at.x, at.y + 18},
                 bytesText(contraction.elements(tensor) *
                           static_cast<double>(
                               byteWidth(contraction.elementType[tensor]))),
                 "small");
    if (!summed.empty())
      drawRegion(picture, {at.x + 4, at.y + 54}, "K", contraction, summed);
  };
  drawTensor(Tensor::A, {56, 84}, "tensor a", onlyA);
  drawTensor(Tensor::B, {344, 84}, "tensor b", onlyB);
  drawTensor(Tensor::C, {200, 336}, "tensor c", {});
  drawRegion(picture, {200, 86}, "K", contraction, both);
  drawRegion(picture, {130, 218}, "M", contraction,
             contraction.withRole(Role::M));
  drawRegion(picture, {270, 218}, "N", contraction,
             contraction.withRole(Role::N));
  drawRegion(picture, {200, 166}, "batch", contraction,
             contraction.withRole(Role::Batch));
  return {picture.finish(height),
          "What two tensors share decides what can be reused: C while K is "
          "walked, B along M, A along N."};
}
