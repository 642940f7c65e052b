//===- FakeGraphs.cpp - Graphs of the fake driver -------------------------===//
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

int cuStreamBeginCapture_v2(void *handle, int /*mode*/) {
  ENTER("cuStreamBeginCapture");
  std::shared_ptr<Stream> stream = Driver::get().findStream(handle);
  // Default streams cannot be captured.
  if (!stream || stream == Driver::get().findStream(nullptr))
    return InvalidHandle;
  stream->isCaptured = true;
  return Success;
}

int cuStreamIsCapturing(void *handle, int *status) {
  ENTER("cuStreamIsCapturing");
  std::shared_ptr<Stream> stream = Driver::get().findStream(handle);
  if (!stream)
    return InvalidHandle;
  *status = stream->isCaptured;
  return Success;
}

int cuStreamEndCapture(void *handle, void **graph) {
  ENTER("cuStreamEndCapture");
  std::shared_ptr<Stream> stream = Driver::get().findStream(handle);
  if (!stream || !stream->isCaptured)
    return InvalidHandle;
  auto *made = new Graph{stream->context, std::move(stream->captured)};
  stream->isCaptured = false;
  stream->captured.clear();
  Driver::get().graphs.insert(made);
  *graph = made;
  return Success;
}

int cuGraphInstantiateWithFlags(void **handle, void *graphHandle,
                                unsigned long long flags) {
  ENTER("cuGraphInstantiate");
  auto *graph = static_cast<Graph *>(graphHandle);
  if (!Driver::get().graphs.count(graph) || flags)
    return InvalidValue;
  auto *made = new Graph(*graph);
  Driver::get().executables.insert(made);
  *handle = made;
  return Success;
}

int cuGraphLaunch(void *handle, void *streamHandle) {
  ENTER("cuGraphLaunch");
  Driver &driver = Driver::get();
  auto *graph = static_cast<Graph *>(handle);
  std::shared_ptr<Stream> stream = driver.findStream(streamHandle);
  if (!driver.executables.count(graph) || !stream ||
      stream->context != graph->context)
    return InvalidHandle;
  for (const std::function<void()> &work : graph->work)
    driver.enqueue(stream, work);
  return Success;
}

static int destroy(std::set<Graph *> &all, void *handle) {
  auto *graph = static_cast<Graph *>(handle);
  if (all.erase(graph) == 0)
    return InvalidHandle;
  delete graph;
  return Success;
}

int cuGraphDestroy(void *handle) {
  ENTER("cuGraphDestroy");
  return destroy(Driver::get().graphs, handle);
}

int cuGraphExecDestroy(void *handle) {
  ENTER("cuGraphExecDestroy");
  return destroy(Driver::get().executables, handle);
}

} // extern "C"
#pragma GCC visibility pop
