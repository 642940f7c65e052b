//===- Html.cpp - An explanation as a page --------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One page that needs no network and no script. What comes from outside
// (labels, places, schedules) goes through `escape`.
//
//===----------------------------------------------------------------------===//

#include "Format.h"
#include "PageStyle.h"
#include "Pictures.h"

#include "tc/MachineCode/Report.h"

#include <algorithm>
#include <numeric>

using namespace tc;
using namespace tc::explain;
using namespace tc::model;

namespace {

std::string shown(std::string_view text) {
  return escape(typeset(std::string(text)));
}

std::string headline(const Contraction &contraction) {
  constexpr PerTensor<std::string_view> looks = {{"a", "b", "c"}};
  auto access = [&](Tensor tensor) {
    return "<span class=\"" + std::string(looks[tensor]) + "\">" +
           escape(accessText(contraction, tensor)) + "</span>";
  };
  std::string c = access(Tensor::C);
  return "<h1 class=\"formula\">" + c + " = " + access(Tensor::A) +
         " \xc2\xb7 " + access(Tensor::B) +
         (contraction.readsC ? " + " + c : "") + "</h1>\n";
}

/// One figure that stands for itself, with a line that explains it. `extra` is
/// markup between the two.
std::string fact(std::string_view title, std::string_view figure,
                 std::string_view note, bool isLimit = false,
                 std::string_view extra = {}) {
  return "<div><dt>" + shown(title) + "</dt><dd><div class=\"figure" +
         (isLimit ? " words is-limit" : "") + "\">" + shown(figure) + "</div>" +
         std::string(extra) + "<div class=\"note\">" + shown(note) +
         "</div></dd></div>\n";
}

/// A bar that is filled so far.
std::string meter(double fraction) {
  double filled = fraction > 0 ? std::min(fraction, 1.0) : 0;
  return "<div class=\"meter\"><i style=\"width:" + percentText(filled) +
         "\"></i></div>";
}

/// Work that the limit is busy with.
std::string limitNote(const Cost &cost) {
  std::optional<Level> limit = limitOf(cost);
  if (!limit)
    return "blocks wait, or too few are there at the end";
  const LevelCost &level = cost[*limit];
  if (countsBytes(*limit))
    return bytesText(level.work) + " at " +
           withPrefix(level.work / level.seconds, "B/s");
  return countText(level.work) + " " + std::string(unitOf(*limit));
}

std::string facts(const Section &section, size_t candidate) {
  const Explanation &explanation = section.explanation;
  const ExplainedCandidate &shown = explanation.candidates[candidate];
  const Cost &cost = shown.cost;
  double dram = cost[Level::DRAM].work;
  return "<dl class=\"facts\">\n" +
         fact("Predicted time", secondsText(cost.seconds()),
              withPrefix(flops(explanation.contraction) / cost.seconds(),
                         "FLOP/s")) +
         fact("Set by", cost.limit(), limitNote(cost), true) +
         fact("Of the roofline",
              percentText(rooflineFraction(explanation, cost)),
              secondsText(explanation.rooflineSeconds) + " at best, by " +
                  (memoryBounds(explanation) ? "DRAM" : "arithmetic"),
              false, meter(rooflineFraction(explanation, cost))) +
         fact("DRAM traffic", bytesText(dram),
              ratioText(compulsoryRatio(explanation, cost)) +
                  " x the compulsory " +
                  bytesText(total(explanation.compulsoryBytes))) +
         fact("Occupancy", percentText(cost.occupancy.fraction),
              counted(cost.occupancy.residentBlocks, "block") +
                  " a multiprocessor, limited by " +
                  std::string(cost.occupancy.limitedBy),
              false, meter(cost.occupancy.fraction)) +
         fact("Waves", ratioText(cost.occupancy.waves),
              counted(shown.layout.blocks, "block") + " of " +
                  counted(shown.layout.threads, "thread")) +
         "</dl>\n";
}

std::string figureElement(std::string_view title, const Figure &figure) {
  return "<figure><h3>" + escape(title) + "</h3>\n" + figure.picture +
         "<figcaption>" + figure.caption + "</figcaption></figure>\n";
}

std::string pictures(const Section &section, size_t candidate,
                     const std::string &id) {
  const Explanation &explanation = section.explanation;
  std::string name =
      explanation.isGiven ? " (" + escape(explanation.givenName) + ")" : "";
  return "<div class=\"figures\">\n" +
         figureElement("Indices and the tensors that hold them",
                       drawIndices(explanation.contraction, id + "-indices")) +
         figureElement("The grid" + name,
                       drawGrid(section, candidate, id + "-grid")) +
         figureElement("One block" + name,
                       drawBlock(section, candidate, id + "-block")) +
         figureElement("Roofline", drawRoofline(section, id + "-roofline")) +
         figureElement("Time of each level",
                       drawLevels(section, id + "-levels")) +
         "</div>\n";
}

std::string tableElement(const Section &section) {
  size_t candidates = section.explanation.candidates.size();
  auto look = [&](size_t i, bool limit) {
    std::string name = chosenCandidate(section) == i ? "chosen" : "";
    if (limit)
      name += name.empty() ? "is-limit" : " is-limit";
    return name.empty() ? "" : " class=\"" + name + "\"";
  };
  std::string text = "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
                     "aria-label=\"All figures\"><table>\n<thead><tr><th></th>";
  for (size_t i = 0; i < candidates; ++i)
    text += "<th scope=\"col\"" + look(i, false) + ">" +
            escape(candidateName(section, i)) + "</th>";
  text += "</tr></thead>\n";
  for (const RowGroup &group : candidateTable(section)) {
    text += "<tbody>\n<tr><th class=\"group\" scope=\"rowgroup\">" +
            escape(group.title) + "</th>";
    for (size_t i = 0; i < candidates; ++i)
      text += "<td" + look(i, false) + "></td>";
    text += "</tr>\n";
    for (const Row &row : group.rows) {
      bool isPart = row.label.front() == ' ';
      text += std::string("<tr><th scope=\"row\"") +
              (isPart ? " class=\"part\"" : "") + ">" + shown(row.label) +
              "</th>";
      for (size_t i = 0; i < candidates; ++i)
        text += "<td" + look(i, row.limits[i]) + ">" + shown(row.cells[i]) +
                "</td>";
      text += "</tr>\n";
    }
    text += "</tbody>\n";
  }
  return text + "</table></div>\n";
}

std::string reasonsElement(const Section &section) {
  const std::vector<ExplainedCandidate> &candidates =
      section.explanation.candidates;
  std::string text = "<ul class=\"reasons\">\n";
  for (size_t i = 0; i < candidates.size(); ++i) {
    text += "<li><b>" + escape(candidateName(section, i)) + "</b><div>" +
            shown(candidates[i].reason);
    if (i < section.schedules.size())
      text += "<code>" + escape(section.schedules[i]) + "</code>";
    text += "</div></li>\n";
  }
  return text + "</ul>\n";
}

std::string codeElement(const CompiledCode &code, const std::string &id) {
  const sass::FunctionCounts &counts = code.counts;
  const sass::CodeCounts &main = counts.main();
  const std::string &multiply = counts.mainLoop
                                    ? counts.loops[*counts.mainLoop].multiply
                                    : counts.multiply;
  std::vector<uint32_t> instructions = code.mainInstructions();
  // Line by line, whose ends are no characters of a text elsewhere.
  std::string listing;
  for (uint32_t instruction : instructions) {
    std::string line = sass::listingText(code.function, {instruction});
    line.pop_back();
    listing += escape(line) + "\n";
  }
  std::string title = counts.mainLoop ? "The main loop" : "All instructions";
  return "<h2>Machine code</h2>\n<p class=\"verdict\">" +
         shown(title + ", for " + code.architecture + ": " +
               sass::categoriesText(main, multiply) + "; " +
               sass::figuresText(main) +
               "; busy cycles of a warp: " + sass::pipesText(main) + ".") +
         "</p>\n" + "<div class=\"figures\">\n" +
         figureElement("What the instructions are for",
                       drawCode(code, id + "-code")) +
         "</div>\n"
         "<details class=\"listing\"><summary>" +
         shown(title + ", " +
               counted(static_cast<int64_t>(instructions.size()),
                       "instruction")) +
         "</summary><div class=\"scroll\"><pre>" + listing +
         "</pre></div></details>\n";
}

std::string sectionElement(const Section &section, const std::string &id) {
  const Explanation &explanation = section.explanation;
  const Target &target = explanation.target;
  std::string eyebrow = target.name + ", " + target.product + " \xc2\xb7 " +
                        typesText(explanation.contraction) + " \xc2\xb7 " +
                        countText(explanation.contraction.fusedMultiplyAdds()) +
                        " multiply-adds";
  if (!section.place.empty())
    eyebrow = section.place + " \xc2\xb7 " + eyebrow;
  std::string text = "<section id=\"" + id + "\">\n<p class=\"eyebrow\">" +
                     escape(eyebrow) + "</p>\n" +
                     headline(explanation.contraction);
  if (!section.indices.empty())
    text += "<p class=\"verdict\">" +
            shown("Indices: " + originsText(section.indices) + ".") + "</p>\n";
  if (section.kernel)
    text += "<p class=\"verdict\">" +
            shown("Kernel: " + kernelPartText(*section.kernel) + ".") +
            "</p>\n";
  if (!explanation.candidates.empty()) {
    text += "<p class=\"verdict\">" +
            shown(explanation.candidates.front().reason) + "</p>\n" +
            (section.origin.empty()
                 ? ""
                 : "<p class=\"verdict\">" +
                       shown("Tuned schedule: " + section.origin + ".") +
                       "</p>\n") +
            facts(section, 0) + pictures(section, 0, id) +
            "<h2>Why this one, and why not the others</h2>\n" +
            reasonsElement(section) + "<h2>All figures</h2>\n" +
            tableElement(section);
  }
  if (section.code)
    text += codeElement(*section.code, id);
  return text + "<p class=\"search\">" +
         shown("Search: " + searchText(explanation)) + ".</p>\n</section>\n";
}

} // namespace

std::vector<uint32_t> CompiledCode::mainInstructions() const {
  if (counts.mainLoop)
    return counts.loops[*counts.mainLoop].instructions;
  std::vector<uint32_t> all(function.code.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::string explain::renderHtml(const std::vector<Section> &sections) {
  std::string title =
      sections.size() == 1
          ? formulaText(sections[0].explanation.contraction)
          : counted(static_cast<int64_t>(sections.size()), "contraction");
  std::string body;
  auto idOf = [](size_t i) { return "c" + std::to_string(i + 1); };
  if (sections.size() != 1) {
    body += "<header class=\"page\"><p class=\"eyebrow\">" + escape(title) +
            "</p><ol>\n";
    for (size_t i = 0; i < sections.size(); ++i)
      body += "<li><a class=\"mono\" href=\"#" + idOf(i) + "\">" +
              escape(formulaText(sections[i].explanation.contraction)) +
              "</a></li>\n";
    body += "</ol></header>\n";
  }
  for (size_t i = 0; i < sections.size(); ++i)
    body += sectionElement(sections[i], idOf(i));
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
         "<meta charset=\"utf-8\" />\n"
         "<meta name=\"viewport\" content=\"width=device-width, "
         "initial-scale=1\" />\n<title>" +
         escape(title) + "</title>\n<style>" + pageStyle +
         "</style>\n</head>\n<body>\n<main>\n" + body +
         "</main>\n</body>\n</html>\n";
}
