//===- Background.cpp - Code that nobody waits for ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread is stopped by a signal, whose handler does not return where the
// thread was inside of the compiler. The signal is SIGURG: unless somebody
// handles it, it does nothing, to no thread.
//
//===----------------------------------------------------------------------===//

#include "tc/OnDemand/Background.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <mutex>

#include <link.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

using namespace tc;

namespace {

/// State of a thread.
enum class Doing : int {
  More,     ///< more than to compile: it is waited for
  Compile,  ///< it may be stopped
  Stopping, ///< the same, and it is to stop
  Nothing,  ///< it is stopped
};

/// A thread with background work.
struct BusyThread {
  std::atomic<pid_t> id{0};
  std::atomic<Doing> doing{Doing::More};
};

/// Machine code of the compiler.
struct CodeRange {
  std::atomic<uintptr_t> begin{0}, end{0};
};

} // namespace

/// Few at the same time: others wait for a place.
static std::array<BusyThread, 64> busyThreads;
static std::array<CodeRange, 16> compilerCode;
static std::atomic<bool> isEnd = false;
/// The place of the calling thread.
static thread_local BusyThread *ownThread = nullptr;
/// Handler of the signal before.
static struct sigaction formerAction;
static constexpr int stopSignal = SIGURG;

static void sendSignal(const BusyThread &thread) {
  syscall(SYS_tgkill, getpid(), thread.id.load(), stopSignal);
}

/// Does nothing until others let it go on. A signal handler may call this.
static void stopHere(BusyThread &thread) {
  sigset_t others;
  sigfillset(&others);
  sigset_t former;
  pthread_sigmask(SIG_SETMASK, &others, &former);
  sigdelset(&others, stopSignal);
  thread.doing = Doing::Nothing;
  while (thread.doing == Doing::Nothing)
    sigsuspend(&others);
  pthread_sigmask(SIG_SETMASK, &former, nullptr);
}

/// The instruction that was interrupted; zero where that is not known.
static uintptr_t instructionOf([[maybe_unused]] const void *context) {
#if defined(__x86_64__)
  return static_cast<uintptr_t>(
      static_cast<const ucontext_t *>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return static_cast<const ucontext_t *>(context)->uc_mcontext.pc;
#else
  return 0;
#endif
}

static bool isCompilerCode(uintptr_t address) {
  for (const CodeRange &range : compilerCode)
    if (address >= range.begin && address < range.end)
      return true;
  return false;
}

static void handleStop(int number, siginfo_t *info, void *context) {
  const int error = errno;
  BusyThread *thread = nullptr;
  for (BusyThread &each : busyThreads)
    if (each.id == gettid())
      thread = &each;
  if (thread) {
    if (thread->doing == Doing::Stopping &&
        isCompilerCode(instructionOf(context)))
      stopHere(*thread);
  } else if ((formerAction.sa_flags & SA_SIGINFO) != 0) {
    formerAction.sa_sigaction(number, info, context);
  } else if (formerAction.sa_handler != SIG_DFL &&
             formerAction.sa_handler != SIG_IGN) {
    formerAction.sa_handler(number);
  }
  errno = error;
}

/// Has that handler called, if it is not already.
static void handleSignal() {
  struct sigaction action = {};
  sigaction(stopSignal, nullptr, &action);
  if ((action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == handleStop)
    return;
  formerAction = action;
  action = {};
  action.sa_sigaction = handleStop;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigfillset(&action.sa_mask);
  sigaction(stopSignal, &action, nullptr);
}

/// Notes a library's machine code, if it is of the compiler.
static int noteCode(dl_phdr_info *info, size_t /*size*/, void *next) {
  const char *slash = std::strrchr(info->dlpi_name, '/');
  const char *name = slash ? slash + 1 : info->dlpi_name;
  bool isCompiler = false;
  for (const char *library : {"libtc_compiler", "libLLVM", "libMLIR"})
    isCompiler |= std::strncmp(name, library, std::strlen(library)) == 0;
  for (size_t i = 0; isCompiler && i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &header = info->dlpi_phdr[i];
    size_t &range = *static_cast<size_t *>(next);
    if (header.p_type != PT_LOAD || (header.p_flags & PF_X) == 0 ||
        range == compilerCode.size())
      continue;
    compilerCode[range].begin = info->dlpi_addr + header.p_vaddr;
    compilerCode[range].end = info->dlpi_addr + header.p_vaddr + header.p_memsz;
    ++range;
  }
  return 0;
}

static void waitAMoment() {
  const timespec moment = {0, 200'000};
  nanosleep(&moment, nullptr);
}

BackgroundWork::BackgroundWork() : isOutermost(!ownThread) {
  while (!ownThread) {
    for (BusyThread &thread : busyThreads) {
      pid_t nobody = 0;
      if (!ownThread && thread.id.compare_exchange_strong(nobody, gettid()))
        ownThread = &thread;
    }
    if (!ownThread)
      waitAMoment();
  }
  if (isOutermost && isEnd)
    stopHere(*ownThread);
}

BackgroundWork::~BackgroundWork() {
  if (!ownThread || !isOutermost)
    return;
  // Other libraries destroy the rest of its work.
  if (isEnd)
    stopHere(*ownThread);
  BusyThread &thread = *ownThread;
  ownThread = nullptr;
  thread.doing = Doing::More;
  thread.id = 0;
}

void tc::setMayBeStopped(bool mayBe) {
  if (!ownThread)
    return;
  if (mayBe) {
    static std::once_flag once;
    std::call_once(once, [] {
      size_t next = 0;
      dl_iterate_phdr(noteCode, &next);
    });
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, stopSignal);
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  }
  const Doing next = mayBe ? Doing::Compile : Doing::More;
  ownThread->doing = next;
  if (!isEnd)
    return;
  // Whoever ends the process may not have seen what it did.
  stopHere(*ownThread);
  ownThread->doing = next;
}

void tc::stopBackgroundWork() {
  isEnd = true;
  for (BusyThread &thread : busyThreads) {
    if (&thread == ownThread)
      continue;
    while (thread.id != 0 && thread.doing != Doing::Nothing) {
      Doing compiles = Doing::Compile;
      if (thread.doing.compare_exchange_strong(compiles, Doing::Stopping) ||
          compiles == Doing::Stopping) {
        handleSignal();
        sendSignal(thread);
      }
      waitAMoment();
    }
  }
}

void tc::resumeBackgroundWork() {
  if (!isEnd)
    return;
  for (BusyThread &thread : busyThreads) {
    Doing nothing = Doing::Nothing;
    if (thread.id != 0 &&
        thread.doing.compare_exchange_strong(nothing, Doing::Compile))
      sendSignal(thread);
  }
}

void tc::forgetBackgroundWork() {
  for (BusyThread &thread : busyThreads)
    thread.id = 0;
  ownThread = nullptr;
  isEnd = false;
}
