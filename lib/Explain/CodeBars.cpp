//===- CodeBars.cpp - Contents of machine code ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two bars, of the main loop and of all code, each as long as the other: what
// matters is which part of the instructions multiplies.
//
//===----------------------------------------------------------------------===//

#include "Format.h"
#include "Picture.h"
#include "Pictures.h"

#include "tc/MachineCode/Report.h"

using namespace tc;
using namespace tc::explain;
using sass::Category;

namespace {

constexpr double top = 4, titleHeight = 20, barHeight = 22, gap = 14;

/// Categories that are drawn as one.
struct Part {
  const char *name, *look;
  std::vector<Category> categories;
};

const std::vector<Part> &parts() {
  static const std::vector<Part> all = {
      {"multiplies", "code-part multiply", {Category::Multiply}},
      {"moves and conversions",
       "code-part move",
       {Category::Move, Category::Conversion}},
      {"other arithmetic",
       "code-part arithmetic",
       {Category::Arithmetic, Category::Special}},
      {"addresses and predicates",
       "code-part address",
       {Category::Integer, Category::Predicate}},
      {"shared memory",
       "code-part shared",
       {Category::SharedLoad, Category::SharedStore}},
      {"global memory",
       "code-part global",
       {Category::GlobalLoad, Category::GlobalStore, Category::AsyncCopy,
        Category::ConstantLoad}},
      {"spills", "code-part spill", {Category::LocalAccess}},
      {"the rest",
       "code-part rest",
       {Category::Synchronise, Category::Control, Category::Nop,
        Category::Other}}};
  return all;
}

int64_t countOf(const sass::CodeCounts &counts, const Part &part) {
  int64_t count = 0;
  for (Category category : part.categories)
    count += counts[category];
  return count;
}

void drawBar(Picture &picture, double y, const std::string &title,
             const sass::CodeCounts &counts) {
  picture.text({0, y + 13}, title, "strong", Anchor::Start);
  picture.text({pictureWidth, y + 13},
               counted(counts.instructions, "instruction"), "label",
               Anchor::End);
  double x = 0;
  for (const Part &part : parts()) {
    int64_t count = countOf(counts, part);
    if (count == 0)
      continue;
    double width = pictureWidth * static_cast<double>(count) /
                   static_cast<double>(counts.instructions);
    picture.box({x, y + titleHeight, width, barHeight}, part.look,
                std::string(part.name) + ": " + std::to_string(count));
    x += width;
  }
}

} // namespace

Figure explain::drawCode(const CompiledCode &code, const std::string &id) {
  const sass::FunctionCounts &counts = code.counts;
  std::string description;
  double y = top;
  if (counts.mainLoop)
    description = "Main loop: " +
                  sass::categoriesText(
                      counts.main(), counts.loops[*counts.mainLoop].multiply) +
                  ". ";
  description +=
      "All code: " + sass::categoriesText(counts.counts, counts.multiply) + ".";
  Picture picture(id, "What the machine code consists of", description);
  if (counts.mainLoop) {
    drawBar(picture, y, "main loop", counts.main());
    y += titleHeight + barHeight + gap;
  }
  drawBar(picture, y, "all code", counts.counts);
  y += titleHeight + barHeight;

  std::string caption;
  for (const Part &part : parts())
    if (countOf(counts.counts, part) > 0)
      caption += "<span class=\"key\"><i class=\"" + std::string(part.look) +
                 "\"></i>" + part.name + "</span> ";
  return {picture.finish(y), caption};
}
