//===- ThreadLimits.cpp - Numbers of threads that users say ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/CpuRuntime/ThreadLimits.h"

#include "tc/Support/Cores.h"
#include "tc/Support/Message.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <utility>

using namespace tc;

std::optional<unsigned> cpu::parseThreads(std::string_view text) {
  constexpr std::string_view blanks = " \t\n\v\f\r";
  const size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos)
    return std::nullopt;
  text = text.substr(first, text.find_last_not_of(blanks) + 1 - first);
  unsigned threads = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), threads);
  if (error != std::errc() || end != text.data() + text.size() ||
      threads == 0 || threads > mostThreads)
    return std::nullopt;
  return threads;
}

cpu::ThreadVariables cpu::readThreadVariables() {
  ThreadVariables variables;
  auto textOf = [](const char *name) {
    const char *text = std::getenv(name);
    return std::string_view(text ? text : "");
  };
  if (std::string_view own = textOf("TC_NUM_THREADS"); !own.empty()) {
    variables.own = parseThreads(own);
    if (!variables.own)
      variables.warning = "tc: warning: TC_NUM_THREADS is '" +
                          cutMessage(std::string(own)) +
                          "', which is no number from 1 to " +
                          std::to_string(mostThreads) + ", and is ignored";
  }
  // OpenMP's runtimes say what is wrong with theirs. A list has a number for
  // each level of parallel regions.
  std::string_view openMP = textOf("OMP_NUM_THREADS");
  variables.openMP = parseThreads(openMP.substr(0, openMP.find(',')));
  variables.limit = parseThreads(textOf("OMP_THREAD_LIMIT"));
  return variables;
}

/// The environment, as it was when it was first asked.
static const cpu::ThreadVariables &variables() {
  static const cpu::ThreadVariables read = [] {
    cpu::ThreadVariables found = cpu::readThreadVariables();
    if (!found.warning.empty())
      std::fprintf(stderr, "%s\n", found.warning.c_str());
    return found;
  }();
  return read;
}

/// The number that was set for the process, or else zero.
static std::atomic<unsigned> ofProcess = 0;
/// True once anything was set for a thread.
static std::atomic<bool> isSetForThreads = false;
static thread_local unsigned ofThread = 0;

std::optional<unsigned> cpu::threadsOfOpenMP() { return variables().openMP; }

unsigned cpu::threadLimit() { return variables().limit.value_or(mostThreads); }

unsigned cpu::threadsUnset() {
  static const unsigned unset =
      std::min(threadLimit(), variables().own      ? *variables().own
                              : variables().openMP ? *variables().openMP
                                                   : coresOfProcess());
  return unset;
}

unsigned cpu::threadsOfProcess() {
  const unsigned threads = ofProcess.load(std::memory_order_relaxed);
  return threads == 0 ? threadsUnset() : std::min(threadLimit(), threads);
}

unsigned cpu::threadsByDefault() {
  if (isSetForThreads.load(std::memory_order_relaxed) && ofThread != 0)
    return std::min(threadLimit(), ofThread);
  return threadsOfProcess();
}

unsigned cpu::setThreads(unsigned threads) {
  return ofProcess.exchange(threads);
}

unsigned cpu::setThreadsHere(unsigned threads) {
  isSetForThreads = true;
  return std::exchange(ofThread, threads);
}
