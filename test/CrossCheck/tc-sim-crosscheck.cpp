//===- tc-sim-crosscheck.cpp - The simulator against a GPU ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the table of instruction tests on a CUDA device and in the simulator,
// and compares the results bit for bit with each other and with the
// definitions.
//
//===----------------------------------------------------------------------===//

#include "TestDevice.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <ctime>
#include <fstream>
#include <map>

using namespace tc;
using namespace tc::crosscheck;
using namespace tc::isa;
using Json = nlohmann::ordered_json;

namespace {

enum ExitStatus { Same = 0, Different = 1, NoDevice = 2, BadUsage = 3 };

struct Options {
  int device = 0;
  std::string json, filter, emitTo;
  bool markdown = false;
};

/// The outcome of one test.
struct Outcome {
  const Instruction *test;
  std::string skipped; ///< why it did not run
  std::string failure; ///< why it has no results
  /// Of the device and the simulator with each other, and of each with the
  /// definition.
  Verdict difference, device, simulator;

  bool isGood() const {
    return failure.empty() && difference.wrong == 0 && device.wrong == 0 &&
           simulator.wrong == 0;
  }
};

} // namespace

static const char usage[] =
    "usage: tc-sim-crosscheck [options]\n"
    "\n"
    "Runs every PTX instruction that the simulator understands on a CUDA "
    "device\n"
    "and in the simulator, on edge values, and compares the results bit for\n"
    "bit.\n"
    "\n"
    "  --device=N        number of the device (0)\n"
    "  --filter=TEXT     only instructions with TEXT in their names\n"
    "  --json=FILE       also write a log\n"
    "  --emit-ptx=DIR    write the kernels to files, and run nothing\n"
    "  --markdown        print the table of instructions, and run nothing\n"
    "  --help            print this\n"
    "\n"
    "The exit status is 0 if all agree, 1 if not, 2 if there is no device,\n"
    "3 if the command line is wrong.\n";

static Outcome runTest(const TestModule &module, std::size_t number,
                       const sim::Module &parsed, const TestDevice &device,
                       runtime::cuda::CUmodule handle) {
  const Instruction &test = *module.instructions[number];
  Outcome outcome{&test, "", "", {}, {}, {}};
  Result<std::vector<Bits>> simulated = simulate(parsed, module, number);
  if (!simulated) {
    outcome.failure = "simulator: " + simulated.error();
    return outcome;
  }
  Result<std::vector<Bits>> measured = device.run(handle, module, number);
  if (!measured) {
    outcome.failure = "device: " + measured.error();
    return outcome;
  }
  std::vector<Row> rows = rowsOf(test);
  outcome.difference = compare(test, rows, *measured, *simulated);
  outcome.device = judge(test, rows, *measured, /*isSimulator=*/false);
  outcome.simulator = judge(test, rows, *simulated, /*isSimulator=*/true);
  return outcome;
}

static std::vector<Outcome> runModule(const TestModule &module,
                                      const TestDevice &device) {
  std::vector<Outcome> outcomes;
  auto all = [&](const std::string &skipped, const std::string &failure) {
    for (const Instruction *test : module.instructions)
      outcomes.push_back({test, skipped, failure, {}, {}, {}});
    return outcomes;
  };
  if (module.sm > device.computeCapability())
    return all("needs sm_" + std::to_string(module.sm), "");
  if (!module.instructions[0]->stopsWith.empty())
    return all("would end the device's context", "");
  Result<sim::Module> parsed =
      sim::Module::parse(module.text, module.name + ".ptx");
  if (!parsed)
    return all("", "simulator: " + parsed.error());
  Result<runtime::cuda::CUmodule> handle = device.load(module);
  if (!handle)
    return all("", "device: " + handle.error());
  for (std::size_t i = 0; i < module.instructions.size(); ++i)
    outcomes.push_back(runTest(module, i, *parsed, device, *handle));
  device.unload(*handle);
  return outcomes;
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

static void printRow(const std::string &name, const std::string &section,
                     const std::string &cases, const std::string &equal,
                     const std::string &differing, const std::string &note) {
  std::printf("%-44s %-14s %8s %8s %9s  %s\n", name.c_str(), section.c_str(),
              cases.c_str(), equal.c_str(), differing.c_str(), note.c_str());
}

static void printOutcome(const Outcome &outcome) {
  const Instruction &test = *outcome.test;
  if (!outcome.skipped.empty() || !outcome.failure.empty())
    return printRow(test.name, test.section.number, "-", "-", "-",
                    outcome.failure.empty() ? "skipped: " + outcome.skipped
                                            : "FAILED: " + outcome.failure);
  std::string note = outcome.difference.firstWrong;
  for (const auto &[who, verdict] : {std::pair{"the device", &outcome.device},
                                     {"the simulator", &outcome.simulator}})
    if (verdict->wrong != 0)
      note += (note.empty() ? "" : "; ") + std::string(who) +
              " is not as defined: " + verdict->firstWrong;
  if (note.empty() && outcome.difference.unspecified != 0)
    note = std::to_string(outcome.difference.unspecified) +
           " differ where the PTX ISA leaves it open";
  printRow(test.name, test.section.number,
           std::to_string(outcome.difference.results),
           std::to_string(outcome.difference.results -
                          outcome.difference.wrong -
                          outcome.difference.unspecified),
           std::to_string(outcome.difference.wrong), note);
}

static std::string today() {
  std::time_t now = std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  return text;
}

static Json toJson(const Outcome &outcome) {
  const Instruction &test = *outcome.test;
  Json json = {{"instruction", test.name},
               {"section", test.section.number},
               {"title", test.section.title},
               {"agreement", test.agreement}};
  if (!outcome.skipped.empty()) {
    json["skipped"] = outcome.skipped;
    return json;
  }
  if (!outcome.failure.empty()) {
    json["failure"] = outcome.failure;
    return json;
  }
  const Verdict &difference = outcome.difference;
  json["cases"] = difference.results;
  json["differing"] = difference.wrong;
  json["differing_where_unspecified"] = difference.unspecified;
  json["device_not_as_defined"] = outcome.device.wrong;
  json["simulator_not_as_defined"] = outcome.simulator.wrong;
  for (const auto &[key, verdict] :
       {std::pair{"first_difference", &difference},
        {"first_of_device", &outcome.device},
        {"first_of_simulator", &outcome.simulator}})
    if (verdict->wrong != 0)
      json[key] = verdict->firstWrong;
  return json;
}

/// The version of the kernel's driver, as in "580.65.06", or null.
static Json driverVersion() {
  std::ifstream file("/proc/driver/nvidia/version");
  for (std::string word; file >> word;)
    if (word.find_first_not_of("0123456789.") == std::string::npos &&
        word.find('.') != std::string::npos)
      return word;
  return nullptr;
}

static bool writeFile(const std::string &path, const std::string &text) {
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file)
    std::fprintf(stderr, "tc-sim-crosscheck: cannot write %s\n", path.c_str());
  return bool(file);
}

static int crossCheck(const std::vector<TestModule> &modules,
                      const Options &options) {
  Result<TestDevice> device = TestDevice::open(options.device);
  if (!device) {
    std::fprintf(stderr, "tc-sim-crosscheck: %s\n", device.error().c_str());
    return NoDevice;
  }
  std::printf("device %d, %s, sm_%u, CUDA %s\n", options.device,
              device->name().c_str(), device->computeCapability(),
              device->cudaVersion().c_str());
  printRow("instruction", "PTX ISA 9.0", "cases", "equal", "differing",
           "first difference");
  Json log = {{"program", "tc-sim-crosscheck"},
              {"version", TC_VERSION},
              {"date", today()},
              {"device",
               {{"name", device->name()},
                {"compute_capability", device->computeCapability()},
                {"cuda_version", device->cudaVersion()},
                {"driver_version", driverVersion()}}},
              {"tests", Json::array()}};
  std::size_t ran = 0, bad = 0, skipped = 0, cases = 0;
  for (const TestModule &module : modules)
    for (const Outcome &outcome : runModule(module, *device)) {
      printOutcome(outcome);
      log["tests"].push_back(toJson(outcome));
      if (!outcome.skipped.empty()) {
        ++skipped;
        continue;
      }
      ++ran;
      bad += !outcome.isGood();
      cases += outcome.difference.results;
    }
  std::printf("%zu of %zu instructions agree in all of %zu cases, %zu "
              "skipped\n",
              ran - bad, ran, cases, skipped);
  log["summary"] = {{"instructions", ran},
                    {"agree", ran - bad},
                    {"cases", cases},
                    {"skipped", skipped}};
  if (!options.json.empty() && !writeFile(options.json, log.dump(2) + "\n"))
    return Different;
  return bad == 0 && ran != 0 ? Same : Different;
}

int main(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    std::size_t equals = std::min(argument.find('='), argument.size());
    std::string name = argument.substr(0, equals);
    std::string value = argument.substr(std::min(equals + 1, argument.size()));
    const std::map<std::string, std::string *> texts = {
        {"--json", &options.json},
        {"--filter", &options.filter},
        {"--emit-ptx", &options.emitTo}};
    auto text = texts.find(name);
    if (text != texts.end() && !value.empty()) {
      *text->second = value;
    } else if (name == "--device" && !value.empty() &&
               value.find_first_not_of("0123456789") == std::string::npos &&
               value.size() < 6) {
      options.device = std::stoi(value);
    } else if (argument == "--markdown") {
      options.markdown = true;
    } else if (argument == "--help") {
      std::fputs(usage, stdout);
      return Same;
    } else {
      std::fprintf(stderr,
                   "tc-sim-crosscheck: unknown option or missing value: %s; "
                   "--help lists the options\n",
                   argument.c_str());
      return BadUsage;
    }
  }
  std::vector<Instruction> tests;
  for (const Instruction &test : allInstructions())
    if (test.name.find(options.filter) != std::string::npos)
      tests.push_back(test);
  if (tests.empty()) {
    std::fprintf(stderr,
                 "tc-sim-crosscheck: no instruction has '%s' in its "
                 "name\n",
                 options.filter.c_str());
    return BadUsage;
  }
  if (options.markdown) {
    std::fputs(toMarkdown(tests).c_str(), stdout);
    return Same;
  }
  std::vector<TestModule> modules = makeModules(tests);
  if (!options.emitTo.empty()) {
    for (const TestModule &module : modules)
      if (!writeFile(options.emitTo + "/" + module.name + ".ptx", module.text))
        return Different;
    return Same;
  }
  return crossCheck(modules, options);
}
