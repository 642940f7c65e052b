//===- ModelReport.cpp - The model against the simulator, as a page -------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints a section of docs/model-report.md.
// Usage: TCModelReport accesses | ranking [SCHEDULES [SEED]]
//
//===----------------------------------------------------------------------===//

#include "Comparison.h"
#include "Machine/TestTargets.h"
#include "Problem/Suites.h"
#include "Ranking.h"

#include "tc/Gpu/Search/ScheduleSearch.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>

using namespace tc;
using namespace tc::model;
using namespace tc::model::test;

namespace {

constexpr const char *chip = "sm_90";

/// The comparison of one contraction.
struct Row {
  std::string name;
  std::vector<Quantity> quantities;
  sim::Counters counters;
};

bool fail(const std::string &name, const std::string &error) {
  std::fprintf(stderr, "%s: %s\n", name.c_str(), error.c_str());
  return false;
}

bool compareOne(mlir::MLIRContext &context, const SuiteCase &entry,
                std::vector<Row> &rows) {
  const Contraction &contraction = entry.contraction;
  Result<Schedule> schedule = searchSchedule(contraction, target(chip));
  if (!schedule)
    return fail(entry.name, schedule.error());
  Result<SimulatedKernel> kernel =
      SimulatedKernel::compile(context, contraction, *schedule, 0);
  if (!kernel)
    return fail(entry.name, kernel.error());
  Result<std::vector<int64_t>> blocks =
      kernel->blocks("first,middle,last,edge");
  if (!blocks)
    return fail(entry.name, blocks.error());
  Result<sim::Counters> counters =
      kernel->run(ZeroTensors(contraction), *blocks);
  if (!counters)
    return fail(entry.name, counters.error());
  AccessCounts predicted =
      countAccesses(contraction, kernel->layout(), target(chip), *blocks);
  rows.push_back({entry.name,
                  compare(contraction, kernel->layout(), predicted, *counters),
                  *counters});
  return true;
}

std::string integer(double value) {
  return std::to_string(static_cast<int64_t>(value));
}

/// "predicted/counted", or one figure if they are equal.
std::string both(const Row &row, const std::string &name) {
  for (const Quantity &quantity : row.quantities)
    if (quantity.name == name)
      return quantity.predicted == quantity.counted
                 ? integer(quantity.counted)
                 : integer(quantity.predicted) + "/" +
                       integer(quantity.counted);
  return "?";
}

void printDeviations(const std::vector<Row> &rows) {
  std::map<Quantity::Part, std::pair<double, std::string>> largest;
  size_t equal = 0, all = 0;
  for (const Row &row : rows) {
    for (const Quantity &quantity : row.quantities) {
      ++all;
      equal += quantity.predicted == quantity.counted;
      auto &entry = largest[quantity.part];
      if (quantity.deviation() >= entry.first && quantity.deviation() > 0)
        entry = {quantity.deviation(), quantity.name + " of " + row.name};
    }
  }
  std::printf("%zu of %zu figures are equal. Largest deviations:\n\n", equal,
              all);
  for (auto [part, name] :
       {std::pair(Quantity::Part::Tensors, "accesses to tensors"),
        std::pair(Quantity::Part::PanelStores, "stores to shared memory"),
        std::pair(Quantity::Part::PanelLoads, "loads from shared memory"),
        std::pair(Quantity::Part::Products, "multiply-adds"),
        std::pair(Quantity::Part::Barriers, "barriers")}) {
    const auto &[deviation, where] = largest[part];
    if (deviation == 0)
      std::printf("- %s: none\n", name);
    else
      std::printf("- %s: %.2f%% (%s)\n", name, 100 * deviation, where.c_str());
  }
}

void printTable(const std::vector<Row> &rows) {
  std::printf(
      "\n| contraction | blocks | sectors of A | of B | of C | wavefronts "
      "read | written | conflicts reading | writing | fma | mma | "
      "cp.async | ld.global | st.global | ld.shared | st.shared | barrier | "
      "integer | "
      "branch | other |\n"
      "| --- |%s\n",
      [] {
        std::string cells;
        for (int i = 0; i < 19; ++i)
          cells += " ---: |";
        return cells;
      }()
          .c_str());
  for (const Row &row : rows) {
    std::string line =
        "| " + row.name + " | " + std::to_string(row.counters.blocks) + " |";
    for (const char *name :
         {"A load sectors", "B load sectors", "C store sectors",
          "shared load wavefronts", "shared store wavefronts",
          "shared load conflicts", "shared store conflicts", "fma", "mma",
          "cp.async", "ld.global", "st.global", "ld.shared", "st.shared",
          "barrier"})
      line += " " + both(row, name) + " |";
    for (sim::InstructionKind kind :
         {sim::InstructionKind::Integer, sim::InstructionKind::Branch,
          sim::InstructionKind::Other})
      line += " " + std::to_string(row.counters[kind]) + " |";
    std::printf("%s\n", line.c_str());
  }
}

bool reportAccesses() {
  auto context = makeContext();
  for (ElementType type : {ElementType::F64, ElementType::F32}) {
    std::vector<Row> rows;
    for (const SuiteCase &entry : tccgSuite(type)) {
      if (!compareOne(*context, entry, rows))
        return false;
      std::fprintf(stderr, ".");
    }
    std::printf("### %s\n\n", std::string(stringify(type)).c_str());
    printDeviations(rows);
    printTable(rows);
    std::printf("\n");
  }
  return true;
}

bool reportRanking(unsigned schedules, unsigned seed) {
  auto context = makeContext();
  std::vector<SuiteCase> suite = tccgSuite(ElementType::F64);
  std::printf("%u schedules each, seed %u.\n\n"
              "| contraction | accesses | traffic |\n| --- | ---: | ---: |\n",
              schedules, seed);
  bool ok = true;
  for (size_t i = 1; i < suite.size(); i += 4) {
    std::mt19937 random(seed + static_cast<unsigned>(i));
    Result<Ranking> ranking = rankRandomSchedules(
        *context, suite[i].contraction, target(chip), schedules, random);
    if (!ranking)
      return fail(suite[i].name, ranking.error());
    double accesses = rankCorrelation(ranking->accesses, ranking->counted);
    std::printf("| %s | %.4f | %.4f |\n", suite[i].name.c_str(), accesses,
                rankCorrelation(ranking->traffic, ranking->counted));
    std::fflush(stdout);
    ok = ok && accesses >= 0.95;
  }
  return ok;
}

} // namespace

int main(int argc, char **argv) {
  std::string section = argc > 1 ? argv[1] : "";
  if (section == "accesses")
    return reportAccesses() ? 0 : 1;
  if (section == "ranking")
    return reportRanking(argc > 2 ? std::atoi(argv[2]) : 200,
                         argc > 3 ? std::atoi(argv[3]) : 1)
               ? 0
               : 1;
  std::fprintf(stderr,
               "usage: TCModelReport accesses | ranking [SCHEDULES [SEED]]\n");
  return 1;
}
