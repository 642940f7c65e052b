//===- tc-time.cpp - Time of a listing of machine code --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Predicts the time of any kernel from the output of nvdisasm for it and from
// its launch. Needs no device and no compiler.
//
//===----------------------------------------------------------------------===//

#include "tc/Support/CommandLine.h"
#include "tc/Support/Files.h"
#include "tc/Support/Tool.h"
#include "tc/Timing/Report.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>

using namespace tc;
using namespace tc::timing;

static const char *const usage =
    R"(OVERVIEW: predict the time of a kernel from its machine code

USAGE: tc-time [options] LISTING

LISTING is what "nvdisasm -c -hex" prints of a cubin.

OPTIONS:
  --kernel=NAME        the function, where the listing has several
  --grid=X[,Y[,Z]]     blocks of the grid (1)
  --block=X[,Y[,Z]]    threads of a block (1)
  --registers=N        registers of a thread (32)
  --shared=BYTES       shared memory of a block (0)
  --parameters=HEX     the kernel's parameters, two digits for each byte
  --constants=BANK:FILE
                       what lies in a bank of constant memory but for 0, whose
                       contents are the parameters; once for each
  --memory=ADDRESS:FILE
                       what lies in global memory there, where places are looked
                       up in it; once for each table
  --distinct=BYTES     bytes of global memory that the whole grid loads
  --target-file=FILE   the machine, as tc-run --target-info prints it with
                       --json; by default the one that is built in for the
                       listing's architecture
  --timeline           also draw one round of the long loop
  --svg=FILE           draw it into a file
  --json               report as one JSON object
  --help               this text
  --version            the version
)";

namespace {

struct Options {
  std::string listing, kernel, targetFile, svg;
  Launch launch;
  bool json = false, timeline = false, help = false, version = false;
};

} // namespace

static Status readExtents(std::string_view option, std::string_view text,
                          std::array<std::uint32_t, 3> &extents) {
  extents = {1, 1, 1};
  for (std::size_t i = 0; i < extents.size(); ++i) {
    std::size_t comma = text.find(',');
    if (Status status = assign(
            extents[i],
            parseInteger<std::uint32_t>(option, text.substr(0, comma), 1));
        !status)
      return status;
    if (comma == text.npos)
      return {};
    text.remove_prefix(comma + 1);
  }
  return Error{"--" + std::string(option) + ": more than three extents"};
}

static Status readBytes(std::string_view text, std::vector<std::byte> &bytes) {
  constexpr std::size_t most = 32768; // of parameters
  if (text.size() % 2 != 0 || text.size() / 2 > most)
    return Error{"--parameters: not two digits for each of at most " +
                 std::to_string(most) + " bytes"};
  bytes.clear();
  for (std::size_t i = 0; i < text.size(); i += 2) {
    unsigned byte = 0;
    const char *begin = text.data() + i;
    auto [end, code] = std::from_chars(begin, begin + 2, byte, 16);
    if (code != std::errc() || end != begin + 2)
      return Error{"--parameters: '" + std::string(text.substr(i, 2)) +
                   "' is not a byte"};
    bytes.push_back(static_cast<std::byte>(byte));
  }
  return {};
}

static Status readContents(const std::string &path,
                           std::vector<std::byte> &bytes) {
  Result<std::string> text = readFile(path);
  if (!text)
    return Error{text.error()};
  bytes.resize(text->size());
  std::transform(text->begin(), text->end(), bytes.begin(), [](char c) {
    return static_cast<std::byte>(static_cast<unsigned char>(c));
  });
  return {};
}

/// 0x7f0000000000:table.bin: the place that the contents of a file go to.
static Status readTable(std::string_view option, std::string_view text,
                        std::map<std::uint64_t, std::vector<std::byte>> &memory,
                        std::uint64_t most) {
  std::size_t colon = text.find(':');
  std::string_view digits = text.substr(0, colon);
  if (digits.substr(0, 2) == "0x")
    digits.remove_prefix(2);
  std::uint64_t place = 0;
  const char *end = digits.data() + digits.size();
  auto [stop, code] = std::from_chars(digits.data(), end, place, 16);
  if (code != std::errc() || stop != end || colon == text.npos || place > most)
    return Error{"--" + std::string(option) + ": '" + std::string(text) +
                 "' is not a hexadecimal number, a colon and a file"};
  return readContents(std::string(text.substr(colon + 1)), memory[place]);
}

static Status applyOption(Options &options, std::string_view option,
                          const char *value) {
  Launch &launch = options.launch;
  if (option == "grid")
    return readExtents(option, value, launch.grid);
  if (option == "block")
    return readExtents(option, value, launch.block);
  if (option == "registers")
    return assign(launch.registers,
                  parseInteger<std::int64_t>(option, value, 1));
  if (option == "shared")
    return assign(launch.sharedBytes,
                  parseInteger<std::int64_t>(option, value, 0));
  if (option == "parameters")
    return readBytes(value, launch.parameters);
  constexpr std::uint64_t lastBank = 31, lastAddress = ~std::uint64_t(0);
  if (option == "constants")
    return readTable(option, value, launch.constants, lastBank);
  if (option == "memory")
    return readTable(option, value, launch.memory, lastAddress);
  if (option == "distinct")
    return assign(launch.distinctBytes, parseReal(option, value));
  if (option == "kernel")
    options.kernel = value;
  else if (option == "target-file")
    options.targetFile = value;
  else if (option == "svg")
    options.svg = value;
  else if (option == "json")
    options.json = true;
  else if (option == "timeline")
    options.timeline = true;
  else if (option == "help")
    options.help = true;
  else if (option == "version")
    options.version = true;
  return {};
}

static Result<const sass::Function *>
chooseFunction(const sass::Listing &listing, const Options &options) {
  if (!options.kernel.empty()) {
    if (const sass::Function *function = listing.find(options.kernel))
      return function;
    return Error{options.listing + ": has no function '" + options.kernel +
                 "'"};
  }
  if (listing.functions.size() > 1)
    return Error{options.listing +
                 ": has several functions; --kernel says which"};
  return &listing.functions.front();
}

static Result<std::string> report(const Options &options) {
  Result<std::string> text = readFile(options.listing);
  if (!text)
    return text;
  Result<sass::Listing> listing = sass::parseListing(*text, options.listing);
  if (!listing)
    return Error{listing.error()};
  Result<const sass::Function *> function = chooseFunction(*listing, options);
  if (!function)
    return Error{function.error()};
  Result<Machine> machine = machineFor(*listing, options.targetFile);
  if (!machine)
    return Error{machine.error()};
  Result<Prediction> prediction = predict(**function, options.launch, *machine);
  if (!prediction)
    return Error{prediction.error()};
  if (!options.svg.empty())
    if (Status written =
            replaceFile(options.svg, timelineSvg(prediction->timeline));
        !written)
      return Error{written.error()};
  if (options.json) {
    nlohmann::ordered_json json = toJson(*prediction, *machine);
    return json.dump(2) + "\n";
  }
  std::string lines =
      (*function)->name + " for " + machine->target.product + "\n";
  for (auto &[title, content] : linesOf(*prediction, **function, *machine)) {
    std::string padded = title;
    padded.resize(12, ' ');
    lines += "  " + padded + " " + content + "\n";
  }
  return options.timeline ? lines + timelineText(prediction->timeline) : lines;
}

int main(int argc, char **argv) {
  const std::vector<OptionSpec> known = {{"kernel", OptionValue::Required},
                                         {"grid", OptionValue::Required},
                                         {"block", OptionValue::Required},
                                         {"registers", OptionValue::Required},
                                         {"shared", OptionValue::Required},
                                         {"parameters", OptionValue::Required},
                                         {"constants", OptionValue::Required},
                                         {"memory", OptionValue::Required},
                                         {"distinct", OptionValue::Required},
                                         {"target-file", OptionValue::Required},
                                         {"svg", OptionValue::Required},
                                         {"timeline", OptionValue::None},
                                         {"json", OptionValue::None},
                                         {"help", OptionValue::None},
                                         {"version", OptionValue::None}};
  Options options;
  Status status = readCommandLine(
      argc, argv, known,
      [&](std::string_view option, const char *value) {
        return applyOption(options, option, value);
      },
      [&](const char *operand) -> Status {
        if (!options.listing.empty())
          return Error{std::string("unexpected argument \"") + operand + "\""};
        options.listing = operand;
        return {};
      });
  if (!status)
    return failTool("tc-time", status.error());
  if (options.help || options.version) {
    std::fputs(options.help ? usage : "tc-time " TC_VERSION "\n", stdout);
    return 0;
  }
  if (options.listing.empty())
    return failTool("tc-time", "no listing given; --help shows the usage");
  if (!(options.launch.distinctBytes >= 0))
    return failTool("tc-time", "--distinct: less than no bytes");
  Result<std::string> text = report(options);
  if (!text)
    return failTool("tc-time", text.error());
  return endTool("tc-time", *text);
}
