//===- Text.cpp - An explanation for the terminal -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Facts.h"
#include "Format.h"

#include "tc/MachineCode/Report.h"

#include <algorithm>

using namespace tc;
using namespace tc::explain;
using namespace tc::model;

namespace {

constexpr size_t minWidth = 60;

std::string padded(std::string text, size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text;
}

std::string rightAligned(const std::string &text, size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

/// Breaks at blanks. The first line starts with `first`, the others with as
/// many blanks. Words that are longer than a line are left whole.
std::string wrapped(const std::string &first, const std::string &text,
                    size_t width) {
  std::string result, line = first;
  bool hasWord = false;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find(' ', begin), text.size());
    std::string word = text.substr(begin, end - begin);
    if (hasWord && line.size() + 1 + word.size() > width) {
      result += line + "\n";
      line = std::string(first.size(), ' ');
      hasWord = false;
    }
    line += (hasWord ? " " : "") + word;
    hasWord = true;
    begin = end + 1;
  }
  return result + line + "\n";
}

/// The contraction, what it must move, and the best that the target could do.
std::string headText(const Section &section, size_t width) {
  const Explanation &explanation = section.explanation;
  const Contraction &contraction = explanation.contraction;
  auto line = [&](const std::string &title, const std::string &text) {
    return wrapped("  " + padded(title, 13), text, width);
  };
  std::string text =
      section.place.empty() ? "" : "explanation of " + section.place + "\n";
  text += line("contraction", formulaText(contraction));
  for (Role role : allRoles) {
    std::string list;
    for (unsigned position : contraction.withRole(role)) {
      const Index &index = contraction.indices[position];
      list += (list.empty() ? "" : " ") + index.label + "=" +
              std::to_string(index.extent);
    }
    std::string product = std::to_string(contraction.extent(role));
    text += line("  " + std::string(stringify(role)),
                 list.empty() ? "none"
                 : contraction.withRole(role).size() == 1
                     ? list
                     : list + " (" + product + " in all)");
  }
  if (!section.indices.empty())
    text += line("indices", originsText(section.indices));
  text += line("types", typesText(contraction));
  text += line("target",
               explanation.target.name + ", " + explanation.target.product);
  std::string shares;
  for (Tensor tensor : allTensors)
    shares += (shares.empty() ? "" : ", ") + std::string(nameOf(tensor)) + " " +
              bytesText(explanation.compulsoryBytes[tensor]);
  double compulsory = total(explanation.compulsoryBytes);
  text += line("arithmetic", countText(contraction.fusedMultiplyAdds()) +
                                 " multiply-adds, " +
                                 ratioText(flops(contraction) / compulsory) +
                                 " operations a compulsory byte");
  text += line("compulsory", bytesText(compulsory) + ": " + shares);
  text +=
      line("roofline", secondsText(explanation.rooflineSeconds) + ", set by " +
                           (memoryBounds(explanation) ? "DRAM" : "arithmetic"));
  if (!section.origin.empty())
    text += line("tuned", section.origin);
  if (section.kernel)
    text += line("kernel", kernelPartText(*section.kernel));
  return text;
}

/// The table, for the candidates from `begin` to `end`.
std::string tablePart(const Section &section,
                      const std::vector<RowGroup> &groups, size_t labelWidth,
                      const std::vector<size_t> &widths, size_t begin,
                      size_t end) {
  std::string text(labelWidth, ' ');
  for (size_t i = begin; i < end; ++i)
    text += rightAligned(candidateName(section, i), widths[i]) + " ";
  text += "\n";
  for (const RowGroup &group : groups) {
    text += "  " + group.title + "\n";
    for (const Row &row : group.rows) {
      text += padded("    " + row.label, labelWidth);
      for (size_t i = begin; i < end; ++i)
        text +=
            rightAligned(row.cells[i], widths[i]) + (row.limits[i] ? "*" : " ");
      text += "\n";
    }
  }
  return text;
}

/// Without the blanks at the ends of lines.
std::string trimmed(const std::string &text) {
  std::string result;
  for (char c : text) {
    if (c == '\n')
      result.resize(result.find_last_not_of(' ') + 1);
    result += c;
  }
  return result;
}

std::string tableText(const Section &section, size_t width) {
  std::vector<RowGroup> groups = candidateTable(section);
  size_t candidates = section.explanation.candidates.size(), labelWidth = 0;
  std::vector<size_t> widths;
  widths.reserve(candidates);
  for (size_t i = 0; i < candidates; ++i)
    widths.push_back(candidateName(section, i).size());
  for (const RowGroup &group : groups)
    for (const Row &row : group.rows) {
      labelWidth = std::max(labelWidth, row.label.size() + 4);
      for (size_t i = 0; i < candidates; ++i)
        widths[i] = std::max(widths[i], row.cells[i].size());
    }
  for (size_t &column : widths)
    column += 2;

  std::string text;
  for (size_t begin = 0, end = 0; begin < candidates; begin = end) {
    size_t used = labelWidth;
    while (end < candidates &&
           (end == begin || used + widths[end] + 1 <= width))
      used += widths[end++] + 1;
    text += "\n" + tablePart(section, groups, labelWidth, widths, begin, end);
  }
  return trimmed(text) + "  (* sets the time)\n";
}

} // namespace

std::string explain::renderText(const Section &section, unsigned width) {
  size_t columns = std::max<size_t>(width, minWidth);
  const Explanation &explanation = section.explanation;
  std::string text = headText(section, columns);
  if (!explanation.candidates.empty())
    text += tableText(section, columns);
  text += "\n";
  for (size_t i = 0; i < explanation.candidates.size(); ++i)
    text += wrapped("  " + padded(candidateName(section, i) + " ", 8),
                    explanation.candidates[i].reason, columns);
  text += "\n";
  if (section.code) {
    const sass::FunctionCounts &counts = section.code->counts;
    const sass::CodeCounts &main = counts.main();
    std::string multiply = counts.mainLoop
                               ? counts.loops[*counts.mainLoop].multiply
                               : counts.multiply;
    text += wrapped(counts.mainLoop ? "  main loop  " : "  all code   ",
                    std::to_string(main.instructions) + " instructions: " +
                        sass::categoriesText(main, multiply) + "; " +
                        sass::figuresText(main) +
                        "; busy cycles: " + sass::pipesText(main),
                    columns) +
            "\n";
  }
  for (size_t i = 0; i < section.schedules.size(); ++i)
    text += "  " + padded(candidateName(section, i) + " ", 8) +
            section.schedules[i] + "\n";
  return text + wrapped("  search  ", searchText(explanation), columns);
}
