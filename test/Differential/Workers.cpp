//===- Workers.cpp - Cases in processes of their own ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Workers.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <list>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace tc;
using namespace tc::differential;

/// Memory of a process that compiles grows with each case, and goes with it.
static constexpr size_t casesPerProcess = 50;

/// Messages of a process: a kind, then text up to a zero.
enum Message : char { Entered = 'e', Passed = 'p', Failed = 'f' };

static void send(int pipe, Message kind, std::string_view text) {
  std::string message(1, kind);
  message.append(text).push_back('\0');
  for (size_t sent = 0; sent < message.size();) {
    ssize_t now = write(pipe, message.data() + sent, message.size() - sent);
    // Nobody is left to be told.
    if (now < 0 && errno != EINTR)
      _exit(1);
    sent += now > 0 ? static_cast<size_t>(now) : 0;
  }
}

namespace {

using Clock = std::chrono::steady_clock;

struct Worker {
  pid_t process = 0;
  int pipe = -1;
  /// The case that it is at, and the end of its chunk.
  size_t next = 0, end = 0;
  std::string stage, received;
  Clock::time_point deadline;
  bool isLate = false;
};

class Pool {
public:
  Pool(size_t count, const WorkerOptions &options, const RunNumber &run,
       const Report &report)
      : count(count), options(options), run(run), report(report) {}

  Status start(size_t begin, size_t end);
  Status startFreshChunks();
  Status wait();
  bool isIdle() const { return workers.empty(); }

private:
  void receive(Worker &worker);
  void take(Worker &worker, std::string_view message);
  Status end(std::list<Worker>::iterator worker);

  size_t count;
  const WorkerOptions &options;
  const RunNumber &run;
  const Report &report;
  size_t started = 0;
  std::list<Worker> workers;
};

} // namespace

Status Pool::start(size_t begin, size_t end) {
  int ends[2];
  if (pipe(ends) != 0)
    return Error{std::string("pipe: ") + std::strerror(errno)};
  pid_t process = fork();
  if (process < 0)
    return Error{std::string("fork: ") + std::strerror(errno)};
  if (process == 0) {
    close(ends[0]);
    for (size_t number = begin; number < end; ++number) {
      Status status = run(number, [&](std::string_view stage) {
        send(ends[1], Entered, stage);
      });
      send(ends[1], status ? Passed : Failed, status ? "" : status.error());
    }
    _exit(0);
  }
  close(ends[1]);
  Worker &worker = workers.emplace_back();
  worker.process = process;
  worker.pipe = ends[0];
  worker.next = begin;
  worker.end = end;
  worker.deadline = Clock::now() + std::chrono::seconds(options.seconds);
  return {};
}

Status Pool::startFreshChunks() {
  while (started < count && workers.size() < options.jobs) {
    size_t begin = started;
    started = std::min(count, begin + casesPerProcess);
    if (Status status = start(begin, started); !status)
      return status;
  }
  return {};
}

void Pool::take(Worker &worker, std::string_view message) {
  worker.deadline = Clock::now() + std::chrono::seconds(options.seconds);
  std::string text(message.substr(1));
  if (message.front() == Entered)
    worker.stage = text;
  else
    report(worker.next++, text);
}

void Pool::receive(Worker &worker) {
  size_t begin = 0;
  for (size_t end;
       (end = worker.received.find('\0', begin)) != std::string::npos;
       begin = end + 1)
    take(worker, std::string_view(worker.received).substr(begin, end - begin));
  worker.received.erase(0, begin);
}

/// Reaps a process whose pipe is closed; goes on behind the case that ended it.
Status Pool::end(std::list<Worker>::iterator worker) {
  int status = 0;
  waitpid(worker->process, &status, 0);
  close(worker->pipe);
  size_t next = worker->next, end = worker->end;
  if (next < end) {
    std::string how =
        worker->isLate
            ? "not done after " + std::to_string(options.seconds) + " s"
        : WIFSIGNALED(status)
            ? std::string("crashed: ") + strsignal(WTERMSIG(status))
            : "exit status " + std::to_string(WEXITSTATUS(status));
    report(next++, worker->stage + ": " + how);
  }
  workers.erase(worker);
  return next < end ? start(next, end) : Status();
}

Status Pool::wait() {
  std::vector<pollfd> polled;
  for (const Worker &worker : workers)
    polled.push_back({worker.pipe, POLLIN, 0});
  if (poll(polled.data(), polled.size(), /*milliseconds=*/1000) < 0 &&
      errno != EINTR)
    return Error{std::string("poll: ") + std::strerror(errno)};
  auto ready = polled.begin();
  for (auto worker = workers.begin(); ready != polled.end(); ++ready) {
    auto current = worker++;
    if (ready->revents != 0) {
      char buffer[4096];
      ssize_t size = read(current->pipe, buffer, sizeof(buffer));
      if (size > 0) {
        current->received.append(buffer, static_cast<size_t>(size));
        receive(*current);
      } else if (Status status = end(current); !status)
        return status;
    } else if (Clock::now() > current->deadline && !current->isLate) {
      current->isLate = true;
      kill(current->process, SIGKILL);
    }
  }
  return {};
}

Status differential::runInWorkers(size_t count, const WorkerOptions &options,
                                  const RunNumber &run, const Report &report) {
  Pool pool(count, options, run, report);
  for (;;) {
    if (Status status = pool.startFreshChunks(); !status)
      return status;
    if (pool.isIdle())
      return {};
    if (Status status = pool.wait(); !status)
      return status;
  }
}
