//===- Background.h - Code that nobody waits for ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A process that ends does not wait for code that is made in the background,
// which may take long: it stops the threads that make it. They cannot just be
// left alone, as LLVM's global objects are destroyed then.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ONDEMAND_BACKGROUND_H
#define TC_ONDEMAND_BACKGROUND_H

namespace tc {

/// Code that the calling thread makes in the background while this lives.
class BackgroundWork {
public:
  BackgroundWork();
  BackgroundWork(const BackgroundWork &) = delete;
  BackgroundWork &operator=(const BackgroundWork &) = delete;
  ~BackgroundWork();

private:
  bool isOutermost;
};

/// Says whether from now on the calling thread does nothing but compile: it may
/// be stopped for good, as it holds no lock that others need and writes no
/// file. Of a thread without background work, this means nothing.
void setMayBeStopped(bool mayBe);

/// Stops the threads with background work but the calling one, those that do
/// more than compile as soon as they have done that, and each that has such
/// work later. Only where the machine code that a thread runs is the
/// compiler's own is it stopped at once: anywhere else, it may hold the lock of
/// an allocator. Where that cannot be told, it is waited for.
void stopBackgroundWork();

/// Lets threads that were stopped go on, as somebody needs the compiler after
/// all, of which they may hold a lock.
void resumeBackgroundWork();

/// Forgets the threads of the process that this one is a fork of.
void forgetBackgroundWork();

} // namespace tc

#endif // TC_ONDEMAND_BACKGROUND_H
