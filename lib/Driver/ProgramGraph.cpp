//===- ProgramGraph.cpp - Programs as CUDA graphs -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackageOnDevice.h"

using namespace tc;
using namespace tc::runtime;
using namespace tc::runtime::cuda;

struct ProgramGraph::State {
  explicit State(Device device) : device(std::move(device)) {}
  State(const State &) = delete;
  State &operator=(const State &) = delete;
  ~State();

  const Api &api() const { return *device.state()->api; }

  Device device;
  CUgraphExec graph = nullptr;
  /// The graph's own workspace.
  DeviceAddress workspace = 0;
};

ProgramGraph::State::~State() {
  ScopedContext context(device);
  if (context.status())
    return;
  api().ctxSynchronize();
  if (graph)
    api().graphExecDestroy(graph);
  if (workspace)
    api().memFree(workspace);
}

ProgramGraph::ProgramGraph() = default;
ProgramGraph::~ProgramGraph() = default;

/// Captures what a function queues on a stream.
static LaunchStatus capture(const Api &api,
                            const std::function<LaunchStatus(CUstream)> &queue,
                            CUgraph &graph) {
  CUstream stream = nullptr;
  if (LaunchStatus s = statusOf(api, api.streamCreate(&stream, NonBlocking),
                                "cuStreamCreate"))
    return s;
  LaunchStatus s =
      statusOf(api, api.streamBeginCapture(stream, CaptureThreadLocal),
               "cuStreamBeginCapture");
  if (!s) {
    s = queue(stream);
    // The stream is to leave its state in any case; the first error counts.
    LaunchStatus ended = statusOf(api, api.streamEndCapture(stream, &graph),
                                  "cuStreamEndCapture");
    if (!s)
      s = std::move(ended);
  }
  api.streamDestroy(stream);
  return s;
}

LaunchStatus ProgramGraph::make(const PackageLauncher &launcher, size_t number,
                                const ProgramArguments &arguments) {
  ProgramRun run;
  if (LaunchStatus s = launcher.prepareProgram(number, arguments, run))
    return s;
  auto made = std::make_unique<State>(run.onDevice->get());
  const Api &api = made->api();
  ScopedContext context(made->device);
  if (LaunchStatus s = context.status())
    return s;
  const Program &program = run.bound->program;
  auto bytes = static_cast<size_t>(program.workspaceBytes);
  DeviceAddress workspace = addressOf(arguments.workspace);
  if (bytes > 0 && !arguments.workspace) {
    if (LaunchStatus s =
            statusOf(api, api.memAlloc(&made->workspace, bytes), "cuMemAlloc",
                     "cannot allocate " + std::to_string(bytes) +
                         " bytes on the device for the workspace of program " +
                         program.name))
      return s;
    workspace = made->workspace;
  }
  CUgraph graph = nullptr;
  LaunchStatus s = capture(
      api,
      [&](CUstream stream) {
        return run.onDevice->run(run, workspace, stream);
      },
      graph);
  if (!s)
    s = statusOf(api, api.graphInstantiate(&made->graph, graph, 0),
                 "cuGraphInstantiateWithFlags");
  if (graph)
    api.graphDestroy(graph);
  if (s)
    return s;
  state = std::move(made);
  return {};
}

LaunchStatus ProgramGraph::launch(void *stream) const {
  if (!state)
    return invalid("there is no graph to launch");
  ScopedContext context(state->device);
  if (LaunchStatus s = context.status())
    return s;
  return statusOf(state->api(),
                  state->api().graphLaunch(state->graph, streamOf(stream)),
                  "cuGraphLaunch");
}
