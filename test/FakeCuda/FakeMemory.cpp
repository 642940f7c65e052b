//===- FakeMemory.cpp - Memory of the fake driver ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeDriver.h"

#include <cstring>

using namespace tc;
using namespace tc::fake;

/// Copies in the order of the default stream, and waits for it.
static int copyNow(std::byte *to, const std::byte *from, size_t bytes) {
  Driver &driver = Driver::get();
  if (!to || !from)
    return InvalidValue;
  std::shared_ptr<Stream> stream = driver.findStream(nullptr);
  driver.enqueue(stream, [=] { std::memcpy(to, from, bytes); });
  Driver::drain(*stream, stream->queued);
  return driver.pendingError;
}

/// Queues writing a value over and over.
template <typename T>
static int fill(Address to, T value, size_t count, void *handle) {
  Driver &driver = Driver::get();
  size_t offset = 0;
  Block *block = driver.find(to, sizeof(T) * count, offset);
  std::shared_ptr<Stream> stream = driver.findStream(handle);
  if (!block || to % sizeof(T) != 0 || !stream)
    return InvalidValue;
  driver.enqueue(stream, [=] {
    for (size_t i = 0; i < count; ++i)
      std::memcpy(block->bytes.data() + offset + sizeof(T) * i, &value,
                  sizeof(T));
  });
  return Success;
}

#pragma GCC visibility push(default)
extern "C" {

int cuMemAlloc_v2(Address *address, size_t bytes) {
  ENTER("cuMemAlloc");
  if (bytes == 0)
    return InvalidValue;
  Driver &driver = Driver::get();
  *address = driver.nextAddress;
  // Memory that nobody has written holds no zeros.
  driver.memory[*address] = {std::vector<std::byte>(bytes, std::byte(0xA5)),
                             driver.current()->device};
  driver.nextAddress += (bytes + 4095) / 4096 * 4096 + (1 << 20);
  return Success;
}

int cuMemFree_v2(Address address) {
  ENTER("cuMemFree");
  Driver &driver = Driver::get();
  driver.drainAll(driver.current());
  if (driver.managed.erase(address))
    driver.registered.erase(address);
  else if (!driver.memory.erase(address))
    return InvalidValue;
  return Success;
}

int cuMemcpyHtoD_v2(Address to, const void *from, size_t bytes) {
  ENTER("cuMemcpyHtoD");
  size_t offset = 0;
  Block *block = Driver::get().find(to, bytes, offset);
  return copyNow(block ? block->bytes.data() + offset : nullptr,
                 static_cast<const std::byte *>(from), bytes);
}

int cuMemcpyDtoH_v2(void *to, Address from, size_t bytes) {
  ENTER("cuMemcpyDtoH");
  size_t offset = 0;
  Block *block = Driver::get().find(from, bytes, offset);
  return copyNow(static_cast<std::byte *>(to),
                 block ? block->bytes.data() + offset : nullptr, bytes);
}

int cuMemcpyDtoDAsync_v2(Address to, Address from, size_t bytes, void *handle) {
  ENTER("cuMemcpyDtoDAsync");
  Driver &driver = Driver::get();
  size_t toOffset = 0, fromOffset = 0;
  Block *target = driver.find(to, bytes, toOffset);
  Block *source = driver.find(from, bytes, fromOffset);
  std::shared_ptr<Stream> stream = driver.findStream(handle);
  if (!target || !source || !stream)
    return InvalidValue;
  driver.enqueue(stream, [=] {
    std::memmove(target->bytes.data() + toOffset,
                 source->bytes.data() + fromOffset, bytes);
  });
  return Success;
}

int cuMemsetD8Async(Address to, unsigned char value, size_t count,
                    void *stream) {
  ENTER("cuMemsetD8Async");
  return fill(to, value, count, stream);
}

int cuMemsetD16Async(Address to, unsigned short value, size_t count,
                     void *stream) {
  ENTER("cuMemsetD16Async");
  return fill(to, value, count, stream);
}

int cuMemsetD32Async(Address to, unsigned value, size_t count, void *stream) {
  ENTER("cuMemsetD32Async");
  return fill(to, value, count, stream);
}

int cuMemcpyAsync(Address to, Address from, size_t bytes, void *handle) {
  ENTER("cuMemcpyAsync");
  Driver &driver = Driver::get();
  std::byte *target = driver.resolve(to, bytes);
  std::byte *source = driver.resolve(from, bytes);
  std::shared_ptr<Stream> stream = driver.findStream(handle);
  if (!target || !source || !stream)
    return InvalidValue;
  driver.enqueue(stream, [=] { std::memmove(target, source, bytes); });
  return driver.pendingError;
}

int cuPointerGetAttributes(unsigned count, int *attributes, void **data,
                           Address pointer) {
  ENTER("cuPointerGetAttributes", false);
  enum { MemoryType = 2, IsManaged = 8, DeviceOrdinal = 9 };
  Driver &driver = Driver::get();
  size_t offset = 0;
  Block *block = driver.find(pointer, 1, offset);
  sim::GlobalBuffer shared = driver.findBuffer(pointer, 0, offset);
  bool isManaged = shared.data &&
                   driver.managed.count(reinterpret_cast<Address>(shared.data));
  for (unsigned i = 0; i < count; ++i) {
    auto *value = static_cast<int *>(data[i]);
    switch (attributes[i]) {
    case MemoryType:
      // 1 is the host's, 2 is a device's; 0 is an address that the driver does
      // not know.
      *value = block || isManaged ? 2 : shared.data ? 1 : 0;
      break;
    case IsManaged:
      *value = isManaged;
      break;
    case DeviceOrdinal:
      *value = block ? block->device : shared.data ? 0 : -2;
      break;
    default:
      return InvalidValue;
    }
  }
  return Success;
}

int cuMemAllocManaged(Address *address, size_t bytes, unsigned flags) {
  ENTER("cuMemAllocManaged");
  if (bytes == 0 || flags != 1)
    return InvalidValue;
  // The host has to see it at the same address.
  auto *memory = new std::byte[bytes];
  std::memset(memory, 0xA5, bytes);
  *address = reinterpret_cast<Address>(memory);
  Driver::get().managed[*address].reset(memory);
  Driver::get().registered[*address] = bytes;
  return Success;
}

int cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned flags) {
  ENTER("cuMemHostRegister");
  auto address = reinterpret_cast<Address>(pointer);
  if (!pointer || bytes == 0 || flags != 0 ||
      Driver::get().registered.count(address))
    return InvalidValue;
  Driver::get().registered[address] = bytes;
  return Success;
}

int cuMemHostUnregister(void *pointer) {
  ENTER("cuMemHostUnregister");
  auto address = reinterpret_cast<Address>(pointer);
  return Driver::get().registered.erase(address) ? Success : InvalidValue;
}

} // extern "C"
#pragma GCC visibility pop
