//===- FakeStreams.cpp - Streams of the fake driver -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeDriver.h"

using namespace tc;
using namespace tc::fake;

#pragma GCC visibility push(default)
extern "C" {

int cuStreamCreate(void **handle, unsigned flags) {
  ENTER("cuStreamCreate");
  if (flags > 1)
    return InvalidValue;
  auto stream = std::make_shared<Stream>();
  stream->context = Driver::get().current();
  stream->isBlocking = flags == 0;
  *handle = stream.get();
  Driver::get().streams[*handle] = std::move(stream);
  return Success;
}

int cuStreamDestroy_v2(void *handle) {
  ENTER("cuStreamDestroy");
  auto found = Driver::get().streams.find(handle);
  if (found == Driver::get().streams.end())
    return InvalidHandle;
  Driver::drain(*found->second, found->second->queued);
  Driver::get().streams.erase(found);
  return Success;
}

int cuStreamSynchronize(void *handle) {
  ENTER("cuStreamSynchronize");
  std::shared_ptr<Stream> stream = Driver::get().findStream(handle);
  if (!stream)
    return InvalidHandle;
  Driver::drain(*stream, stream->queued);
  return Driver::get().pendingError;
}

int cuStreamWaitEvent(void *handle, void *eventHandle, unsigned flags) {
  ENTER("cuStreamWaitEvent");
  Driver &driver = Driver::get();
  std::shared_ptr<Stream> stream = driver.findStream(handle);
  auto *event = static_cast<Event *>(eventHandle);
  if (!stream || flags || !driver.events.count(event))
    return InvalidHandle;
  // An event that was never recorded is over.
  if (std::shared_ptr<Stream> other = event->stream)
    driver.enqueue(stream, [other, ticket = event->ticket] {
      Driver::drain(*other, ticket);
    });
  return Success;
}

int cuEventCreate(void **handle, unsigned flags) {
  ENTER("cuEventCreate");
  auto *event = new Event;
  event->timed = !(flags & 2);
  Driver::get().events.insert(event);
  *handle = event;
  return Success;
}

int cuEventDestroy_v2(void *handle) {
  ENTER("cuEventDestroy");
  auto *event = static_cast<Event *>(handle);
  if (!Driver::get().events.erase(event))
    return InvalidHandle;
  delete event;
  return Success;
}

int cuEventRecord(void *handle, void *streamHandle) {
  ENTER("cuEventRecord");
  Driver &driver = Driver::get();
  auto *event = static_cast<Event *>(handle);
  std::shared_ptr<Stream> stream = driver.findStream(streamHandle);
  if (!driver.events.count(event) || !stream)
    return InvalidHandle;
  event->recorded = true;
  event->waitedFor = false;
  driver.enqueue(stream, [] {});
  event->time = std::chrono::steady_clock::now();
  event->stream = stream;
  event->ticket = stream->queued;
  return Success;
}

int cuEventSynchronize(void *handle) {
  ENTER("cuEventSynchronize");
  auto *event = static_cast<Event *>(handle);
  if (!Driver::get().events.count(event))
    return InvalidHandle;
  if (event->stream)
    Driver::drain(*event->stream, event->ticket);
  event->waitedFor = true;
  return Driver::get().pendingError;
}

int cuEventElapsedTime(float *milliseconds, void *startHandle,
                       void *stopHandle) {
  ENTER("cuEventElapsedTime");
  auto *start = static_cast<Event *>(startHandle);
  auto *stop = static_cast<Event *>(stopHandle);
  if (!start->timed || !stop->timed || !start->recorded || !stop->recorded)
    return InvalidHandle;
  if (!stop->waitedFor)
    return NotReady;
  *milliseconds =
      std::chrono::duration<float, std::milli>(stop->time - start->time)
          .count();
  return Success;
}

} // extern "C"
#pragma GCC visibility pop
