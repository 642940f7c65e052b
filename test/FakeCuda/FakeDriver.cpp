//===- FakeDriver.cpp - A CUDA driver that is none --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeDriver.h"

#include <cstdio>
#include <cstdlib>

using namespace tc;
using namespace tc::fake;

const char *tc::fake::nameOf(int code) {
  switch (code) {
  case Success:
    return "CUDA_SUCCESS";
  case InvalidValue:
    return "CUDA_ERROR_INVALID_VALUE";
  case OutOfMemory:
    return "CUDA_ERROR_OUT_OF_MEMORY";
  case NotInitialized:
    return "CUDA_ERROR_NOT_INITIALIZED";
  case InvalidDevice:
    return "CUDA_ERROR_INVALID_DEVICE";
  case InvalidContext:
    return "CUDA_ERROR_INVALID_CONTEXT";
  case InvalidPtx:
    return "CUDA_ERROR_INVALID_PTX";
  case InvalidHandle:
    return "CUDA_ERROR_INVALID_HANDLE";
  case NotFound:
    return "CUDA_ERROR_NOT_FOUND";
  case NotReady:
    return "CUDA_ERROR_NOT_READY";
  case IllegalAddress:
    return "CUDA_ERROR_ILLEGAL_ADDRESS";
  case OutOfResources:
    return "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES";
  default:
    return nullptr;
  }
}

static int numberIn(const char *variable, int otherwise) {
  const char *text = std::getenv(variable);
  return text ? std::atoi(text) : otherwise;
}

Driver::Driver() {
  for (int device : {0, 1}) {
    contexts[device].device = device;
    defaultStreams[device] = std::make_shared<Stream>();
    defaultStreams[device]->context = &contexts[device];
  }
}

Driver &Driver::get() {
  static Driver driver;
  return driver;
}

int Driver::devices() { return numberIn("FAKE_CUDA_DEVICES", 1); }

std::vector<Context *> &Driver::contextStack() {
  thread_local std::vector<Context *> stack;
  return stack;
}

Context *Driver::current() const {
  const std::vector<Context *> &stack = contextStack();
  return stack.empty() || stack.back()->retained == 0 ? nullptr : stack.back();
}

std::shared_ptr<Stream> Driver::findStream(void *handle) {
  // 1 and 2 are the default stream by name, the latter that of the thread.
  if (reinterpret_cast<size_t>(handle) <= 2)
    return defaultStreams[current()->device];
  auto found = streams.find(handle);
  return found == streams.end() ? nullptr : found->second;
}

void Driver::enqueue(const std::shared_ptr<Stream> &stream,
                     std::function<void()> work) {
  if (stream->isCaptured)
    return stream->captured.push_back(std::move(work));
  // The default stream and blocking ones wait for each other.
  std::vector<std::pair<std::shared_ptr<Stream>, size_t>> before;
  const std::shared_ptr<Stream> &common =
      defaultStreams[stream->context->device];
  if (stream == common) {
    for (const auto &[handle, other] : streams)
      if (other->isBlocking && other->context == stream->context)
        before.emplace_back(other, other->queued);
  } else if (stream->isBlocking) {
    before.emplace_back(common, common->queued);
  }
  stream->queue.push_back([before = std::move(before), work = std::move(work)] {
    for (const auto &[other, ticket] : before)
      drain(*other, ticket);
    work();
  });
  ++stream->queued;
  if (!std::getenv("FAKE_CUDA_LAZY"))
    drain(*stream, stream->queued);
}

void Driver::drain(Stream &stream, size_t ticket) {
  while (stream.done < ticket) {
    std::function<void()> work = std::move(stream.queue.front());
    stream.queue.pop_front();
    ++stream.done;
    work();
  }
}

void Driver::drainAll(const Context *context) {
  for (const auto &[handle, stream] : streams)
    if (stream->context == context)
      drain(*stream, stream->queued);
  Stream &common = *defaultStreams[context->device];
  drain(common, common.queued);
}

std::byte *Driver::resolve(Address address, size_t bytes) {
  size_t offset = 0;
  if (Block *block = find(address, bytes, offset))
    return block->bytes.data() + offset;
  bool isDevices = address >= firstAddress && address < nextAddress;
  return isDevices ? nullptr : reinterpret_cast<std::byte *>(address);
}

sim::GlobalBuffer Driver::findBuffer(Address address, int device,
                                     size_t &offset) {
  if (Block *block = find(address, 1, offset))
    // The memory of another device is no memory of a kernel's.
    return {"", block->device == device ? block->bytes.data() : nullptr,
            block->bytes.size()};
  auto next = registered.upper_bound(address);
  if (next == registered.begin())
    return {"", nullptr, 0};
  auto &[base, bytes] = *std::prev(next);
  offset = address - base;
  if (offset >= bytes)
    return {"", nullptr, 0};
  sim::GlobalBuffer buffer{"", reinterpret_cast<std::byte *>(base), bytes};
  buffer.misalignment = base % 512;
  return buffer;
}

Block *Driver::find(Address address, size_t bytes, size_t &offset) {
  auto next = memory.upper_bound(address);
  if (next == memory.begin())
    return nullptr;
  auto &[base, block] = *std::prev(next);
  offset = address - base;
  size_t size = block.bytes.size();
  return offset <= size && size - offset >= bytes ? &block : nullptr;
}

int tc::fake::enter(const char *name, bool needsContext) {
  if (const char *path = std::getenv("FAKE_CUDA_LOG"))
    if (std::FILE *log = std::fopen(path, "a")) {
      std::fprintf(log, "%s\n", name);
      std::fclose(log);
    }
  const char *failing = std::getenv("FAKE_CUDA_FAIL");
  if (failing && std::string(failing) == name)
    return std::string(name) == "cuMemAlloc" ? OutOfMemory : InvalidValue;
  Driver &driver = Driver::get();
  if (!driver.initialized && std::string(name) != "cuInit")
    return NotInitialized;
  if (needsContext && !driver.current())
    return InvalidContext;
  return Success;
}
