//===- FakeDriver.h - Inside the fake CUDA driver ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state that the functions of the fake driver share, and the beginning of
// each of them. FakeCuda.cpp states the driver's purpose.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_FAKECUDA_FAKEDRIVER_H
#define TC_TEST_FAKECUDA_FAKEDRIVER_H

#include "tc/Simulator/Simulator.h"

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace tc::fake {

enum Code : int {
  Success = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  NotInitialized = 3,
  InvalidDevice = 101,
  InvalidContext = 201,
  InvalidPtx = 218,
  InvalidHandle = 400,
  NotFound = 500,
  NotReady = 600,
  IllegalAddress = 700,
  OutOfResources = 701,
};

/// As the driver spells it; null for a number that is none of these.
const char *nameOf(int code);

constexpr int64_t sharedByDefault = 48 * 1024;
constexpr int64_t sharedByOptIn = 227 * 1024;

using Address = unsigned long long;

/// The primary context of a device, which is all that there is.
struct Context {
  int device = 0;
  int retained = 0;
};

struct FakeModule;

struct Function {
  FakeModule *module;
  std::string entry;
  int64_t dynamicShared = sharedByDefault;
};

struct FakeModule {
  FakeModule(sim::Module ptx, Context *context)
      : ptx(std::move(ptx)), context(context) {}
  sim::Module ptx;
  Context *context;
  std::map<std::string, Function> functions;
};

/// Work in the order in which it was queued.
struct Stream {
  Context *context = nullptr;
  /// True if it waits for the default stream, and that for it.
  bool isBlocking = true;
  /// While this is true, work is queued into `captured`.
  bool isCaptured = false;
  std::vector<std::function<void()>> captured;
  std::deque<std::function<void()>> queue;
  size_t queued = 0, done = 0;
};

struct Event {
  bool timed = true, recorded = false, waitedFor = false;
  std::chrono::steady_clock::time_point time;
  /// The work on a stream that has to be done before the event.
  std::shared_ptr<Stream> stream;
  size_t ticket = 0;
};

/// The work that a stream was given while it was captured.
struct Graph {
  Context *context = nullptr;
  std::vector<std::function<void()>> work;
};

/// Memory of a device.
struct Block {
  std::vector<std::byte> bytes;
  int device = 0;
};

/// The state of the driver.
struct Driver {
  std::recursive_mutex mutex;
  bool initialized = false;
  Context contexts[2];
  /// The error of an earlier kernel; every call that waits reports it.
  int pendingError = Success;
  std::set<FakeModule *> modules;
  std::set<Event *> events;
  /// Graphs, and those that can be launched.
  std::set<Graph *> graphs, executables;
  /// By handles. The default streams, of which each device has one, have none.
  std::map<void *, std::shared_ptr<Stream>> streams;
  std::shared_ptr<Stream> defaultStreams[2];
  /// Memory by device address.
  std::map<Address, Block> memory;
  /// Memory of the host that kernels may use, by its address, with its size.
  std::map<Address, size_t> registered;
  /// The part of it that the driver has allocated.
  std::map<Address, std::unique_ptr<std::byte[]>> managed;
  /// No memory of this process is there.
  static constexpr Address firstAddress = 0x900000000000;
  Address nextAddress = firstAddress;

  Driver();
  static Driver &get();
  /// Devices that there are.
  static int devices();

  /// The context that is current in this thread; null if none is.
  static std::vector<Context *> &contextStack();
  Context *current() const;

  /// The stream of a handle, in the current context if it is a default one;
  /// null if there is none. The default stream per thread is that of all.
  std::shared_ptr<Stream> findStream(void *handle);

  /// Puts work into a stream. It is done at once, or, where the driver is lazy,
  /// when somebody waits for it.
  void enqueue(const std::shared_ptr<Stream> &stream,
               std::function<void()> work);
  /// Does the work that was queued up to a point.
  static void drain(Stream &stream, size_t ticket);
  /// Does all that was queued in a context.
  void drainAll(const Context *context);

  /// The memory at an address of the device or of the host; null if the address
  /// is the device's, but the range is not.
  std::byte *resolve(Address address, size_t bytes);

  /// The buffer that a kernel's argument points into on that device, and the
  /// offset in it; no data if it is no pointer.
  sim::GlobalBuffer findBuffer(Address address, int device, size_t &offset);

  /// The allocation that holds the range, and the offset in it.
  Block *find(Address address, size_t bytes, size_t &offset);
};

/// Begins every function: the log, and the failure asked for.
int enter(const char *name, bool needsContext = true);

} // namespace tc::fake

/// Begins a function. The driver may be used by several threads.
#define ENTER(...)                                                             \
  std::lock_guard<std::recursive_mutex> enterLock(                             \
      ::tc::fake::Driver::get().mutex);                                        \
  if (int enterCode = ::tc::fake::enter(__VA_ARGS__))                          \
  return enterCode

#endif // TC_TEST_FAKECUDA_FAKEDRIVER_H
