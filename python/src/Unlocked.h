//===- Unlocked.h - Work beside the interpreter -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_PYTHON_UNLOCKED_H
#define TC_PYTHON_UNLOCKED_H

#include <nanobind/nanobind.h>

#include <unistd.h>

/// Lets other threads use the interpreter for as long as this lives.
class Unlocked {
public:
  Unlocked() : state(PyEval_SaveThread()) {}
  Unlocked(const Unlocked &) = delete;
  Unlocked &operator=(const Unlocked &) = delete;
  ~Unlocked() {
    // CPython before 3.14 ends the thread by unwinding its stack if the
    // interpreter goes down meanwhile, which no destructor survives. The
    // process is about to end, and the thread with it, if it waits here.
    try {
      PyEval_RestoreThread(state);
    } catch (...) {
      while (true)
        pause();
    }
  }

private:
  PyThreadState *state;
};

#endif // TC_PYTHON_UNLOCKED_H
