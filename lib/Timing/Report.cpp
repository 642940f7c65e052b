//===- Report.cpp - Reports on times of machine code ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Timing/Report.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace tc;
using namespace tc::timing;
using Json = nlohmann::ordered_json;

namespace {

struct Names {
  std::string_view key, words;
};

constexpr Names spentNames[numSpent] = {
    {"issue", "issuing"},
    {"stall", "stall counts"},
    {"banks", "register banks"},
    {"fetch", "code to be fetched"},
    {"tensor", "the tensor pipe"},
    {"fma", "the fma pipe"},
    {"alu", "the alu pipe"},
    {"fp64", "the fp64 pipe"},
    {"other_pipes", "other pipes"},
    {"queue", "a full queue to memory"},
    {"results", "scoreboards of arithmetic"},
    {"shared", "scoreboards of shared memory"},
    {"global", "scoreboards of global memory"},
    {"barrier", "barriers"},
    {"idle", "nothing left to do"},
};

constexpr Names unitNames[numUnits] = {
    {"tensor", "tensor pipe"}, {"fma", "fma pipe"},         {"alu", "alu pipe"},
    {"fp64", "fp64 pipe"},     {"shared", "shared memory"}, {"l2", "L2 cache"},
    {"dram", "DRAM"},
};

template <typename... T> std::string format(const char *pattern, T... values) {
  char buffer[160];
  std::snprintf(buffer, sizeof(buffer), pattern, values...);
  return buffer;
}

std::string microseconds(double seconds) {
  return format("%.4g us", seconds * 1e6);
}

std::string hexOf(std::uint64_t offset) {
  return format("0x%04llx", static_cast<unsigned long long>(offset));
}

/// The parts of a whole that are worth a word, the largest first.
std::string partsText(const double *parts, std::size_t count,
                      const Names *names, double whole) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < count; ++i)
    if (whole > 0 && parts[i] >= 0.005 * whole)
      order.push_back(i);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return parts[a] != parts[b] ? parts[a] > parts[b] : a < b;
  });
  std::string text;
  for (std::size_t i : order)
    text += (text.empty() ? "" : ", ") + std::string(names[i].words) + " " +
            format("%.0f%%", 100 * parts[i] / whole);
  return text;
}

/// The parts of `count` equal stretches of the timeline that events fill.
std::vector<double> fillOf(const std::vector<Event> &events,
                           const Timeline &timeline, std::size_t count) {
  std::vector<double> fill(count, 0);
  double width = (timeline.end - timeline.begin) / static_cast<double>(count);
  if (!(width > 0))
    return fill;
  for (const Event &event : events) {
    double begin = std::max(event.begin, timeline.begin),
           end = std::min(event.end, timeline.end);
    auto first = static_cast<std::size_t>((begin - timeline.begin) / width);
    for (std::size_t i = first; i < count; ++i) {
      double from = timeline.begin + static_cast<double>(i) * width;
      if (from >= end)
        break;
      fill[i] +=
          std::max(0.0, std::min(end, from + width) - std::max(begin, from)) /
          width;
    }
  }
  return fill;
}

struct Row {
  std::string_view name;
  const std::vector<Event> *events;
};

std::vector<Row> rowsOf(const Timeline &timeline) {
  std::vector<Row> rows = {{"issue", &timeline.issue}};
  for (std::size_t i = 0; i < numUnits; ++i)
    if (!timeline.units[i].empty())
      rows.push_back({unitNames[i].words, &timeline.units[i]});
  return rows;
}

} // namespace

std::string_view timing::stringify(Spent spent) {
  return spentNames[static_cast<std::size_t>(spent)].key;
}
std::string_view timing::describe(Spent spent) {
  return spentNames[static_cast<std::size_t>(spent)].words;
}
std::string_view timing::stringify(Unit unit) {
  return unitNames[static_cast<std::size_t>(unit)].key;
}

std::string Prediction::limit() const {
  if (isSustainedRate)
    return "the rate that the best library sustains";
  // A unit that works most of the time sets it.
  constexpr double most = 0.8;
  auto unit = static_cast<std::size_t>(
      std::max_element(run.busy.begin(), run.busy.end()) - run.busy.begin());
  double issue = run.spent[static_cast<std::size_t>(Spent::Issue)];
  if (run.busy[unit] >= most * run.cycles && run.busy[unit] >= issue)
    return std::string(unitNames[unit].words);
  if (issue >= most * run.cycles)
    return "issuing";
  auto spent = static_cast<std::size_t>(
      std::max_element(run.spent.begin() + 1, run.spent.end()) -
      run.spent.begin());
  if (static_cast<Spent>(spent) == Spent::Idle)
    return "too little work for all sub-cores";
  return "waiting for " + std::string(spentNames[spent].words);
}

std::vector<std::pair<std::string, std::string>>
timing::linesOf(const Prediction &prediction, const sass::Function &function,
                const Machine &machine) {
  const Run &run = prediction.run;
  std::vector<std::pair<std::string, std::string>> lines;
  lines.emplace_back(
      "time", microseconds(prediction.seconds) + " predicted, after " +
                  microseconds(prediction.launchSeconds) + " for the launch");
  lines.emplace_back(
      "blocks", std::to_string(prediction.blocksPerMultiprocessor) +
                    " on the multiprocessor that has most, of which it holds " +
                    std::to_string(prediction.residentBlocks) + " at once (" +
                    prediction.limitedBy + "); " + format("%.6g", run.cycles) +
                    " cycles, " + format("%.4g", run.instructions) +
                    " warp instructions");
  if (prediction.kinds > 1)
    lines.emplace_back("kinds",
                       std::to_string(prediction.kinds) +
                           " of blocks, by what they do; loops and the "
                           "timeline are of the most common");
  lines.emplace_back("issue slots", partsText(run.spent.data(), numSpent,
                                              spentNames, run.cycles));
  lines.emplace_back("units busy", partsText(run.busy.data(), numUnits,
                                             unitNames, run.cycles));
  lines.emplace_back("limited by", prediction.limit());
  if (prediction.loop)
    lines.emplace_back(
        "long loop",
        "at " + hexOf(function.code[*prediction.loop].offset) + ", " +
            std::to_string(prediction.trips) + " rounds of " +
            format("%.6g", prediction.cyclesPerTrip) + " cycles, " +
            std::to_string(prediction.simulatedTrips) + " of them simulated");
  lines.emplace_back("from DRAM", format("%.3g%%", 100 * prediction.dramPart) +
                                      " of what is loaded from the L2 cache");
  if (!prediction.undecided.empty()) {
    std::string places;
    for (std::size_t i = 0; i < prediction.undecided.size() && i < 4; ++i)
      places += (i == 0 ? "" : ", ") +
                hexOf(function.code[prediction.undecided[i]].offset);
    lines.emplace_back("not known",
                       std::to_string(prediction.undecided.size()) +
                           " jumps depend on data and are not taken: at " +
                           places +
                           (prediction.undecided.size() > 4 ? ", ..." : ""));
  }
  if (prediction.unknownAccesses > 0)
    lines.emplace_back("not known",
                       std::to_string(prediction.unknownAccesses) +
                           " accesses of a block depend on data and are taken "
                           "to be contiguous");
  return lines;
}

std::string timing::timelineText(const Timeline &timeline, unsigned columns) {
  constexpr std::string_view shades = " .:+#";
  constexpr std::size_t titleWidth = 13;
  std::string text = "cycles " + format("%.0f", timeline.begin) + " to " +
                     format("%.0f", timeline.end) +
                     ", sub-core 0: ' ' idle, '.' up to a quarter, ':' a half, "
                     "'+' three quarters, '#' more\n";
  for (const Row &row : rowsOf(timeline)) {
    std::string title(row.name);
    title.resize(titleWidth, ' ');
    text += title + " |";
    for (double fill : fillOf(*row.events, timeline, columns)) {
      auto shade = fill < 0.005 ? 0.0 : std::ceil(std::min(fill, 1.0) * 4);
      text += shades[static_cast<std::size_t>(std::max(shade, 0.0))];
    }
    text += "|\n";
  }
  return text;
}

std::string timing::timelineSvg(const Timeline &timeline) {
  constexpr double rowHeight = 22, left = 110, width = 760, top = 26;
  constexpr std::size_t columns = 380;
  std::vector<Row> rows = rowsOf(timeline);
  double height = top + rowHeight * static_cast<double>(rows.size()) + 8;
  std::string svg =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 880 " +
      format("%.0f", height) +
      "\" font-family=\"system-ui, sans-serif\" font-size=\"13\">\n"
      "<title>One round of the long loop on sub-core 0</title>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n<text x=\"" +
      format("%.0f", left) + "\" y=\"17\" fill=\"#59626e\">cycles " +
      format("%.0f to %.0f", timeline.begin, timeline.end) + "</text>\n";
  double y = top;
  for (const Row &row : rows) {
    svg += "<text x=\"8\" y=\"" + format("%.0f", y + 15) +
           "\" fill=\"#1a1e24\">" + std::string(row.name) + "</text>\n" +
           "<rect x=\"" + format("%.0f", left) + "\" y=\"" +
           format("%.0f", y + 2) + "\" width=\"" + format("%.0f", width) +
           "\" height=\"" + format("%.0f", rowHeight - 4) +
           "\" fill=\"#f0f1f3\"/>\n";
    std::vector<double> fill = fillOf(*row.events, timeline, columns);
    double step = width / static_cast<double>(columns);
    for (std::size_t i = 0; i < columns; ++i)
      if (fill[i] >= 0.005)
        svg += "<rect x=\"" +
               format("%.1f", left + step * static_cast<double>(i)) +
               "\" y=\"" + format("%.0f", y + 2) + "\" width=\"" +
               format("%.1f", step) + "\" height=\"" +
               format("%.0f", rowHeight - 4) +
               "\" fill=\"#2b6cd4\" fill-opacity=\"" +
               format("%.2f", std::min(fill[i], 1.0)) + "\"/>\n";
    y += rowHeight;
  }
  return svg + "</svg>\n";
}

Json timing::toJson(const Prediction &prediction, const Machine &machine) {
  const Run &run = prediction.run;
  Json json;
  json["seconds"] = prediction.seconds;
  json["launch_seconds"] = prediction.launchSeconds;
  json["limited_by"] = prediction.limit();
  json["cycles"] = run.cycles;
  json["clock_hertz"] = machine.target.clockHertz;
  json["warp_instructions"] = run.instructions;
  json["warp_instructions_of_grid"] = prediction.instructions;
  json["blocks_per_multiprocessor"] = prediction.blocksPerMultiprocessor;
  json["resident_blocks"] = prediction.residentBlocks;
  json["kinds_of_blocks"] = prediction.kinds;
  json["occupancy_limited_by"] = prediction.limitedBy;
  json["dram_part_of_loads"] = prediction.dramPart;
  Json &spent = json["issue_slots"] = Json::object();
  for (std::size_t i = 0; i < numSpent; ++i)
    spent[std::string(spentNames[i].key)] = run.spent[i];
  Json &busy = json["busy_cycles"] = Json::object();
  for (std::size_t i = 0; i < numUnits; ++i)
    busy[std::string(unitNames[i].key)] = run.busy[i];
  Json &loop = json["long_loop"] = Json();
  if (prediction.loop) {
    loop["first_instruction"] = *prediction.loop;
    loop["rounds"] = prediction.trips;
    loop["simulated_rounds"] = prediction.simulatedTrips;
    loop["cycles_per_round"] = prediction.cyclesPerTrip;
  }
  json["undecided_jumps"] = prediction.undecided;
  json["unknown_accesses"] = prediction.unknownAccesses;
  return json;
}
