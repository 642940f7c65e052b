//===- OlderGlibcTest.c - Random bits without getrandom -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The wheel's arc4random where the system call is interrupted, and where it is
// refused.
//
//===----------------------------------------------------------------------===//

#include <stddef.h>
#include <sys/random.h>

static ssize_t interruptedOrRefused(void *bits, size_t bytes, unsigned flags);
#define getrandom interruptedOrRefused
#include "../../packaging/OlderGlibc.c"
#undef getrandom

#include <stdio.h>

static int calls = 0, refused = ENOSYS;

static ssize_t interruptedOrRefused(void *bits, size_t bytes, unsigned flags) {
  errno = ++calls % 3 != 0 ? EINTR : refused;
  return errno == 0 ? getrandom(bits, bytes, flags) : -1;
}

/// Returns true if several draws differ, each after two interruptions.
static int draws(int drawn) {
  int before = calls;
  uint32_t differing = 0;
  for (int i = 0; i < drawn; ++i)
    differing |= arc4random() ^ arc4random();
  return differing != 0 && calls == before + 6 * drawn;
}

int main(void) {
  int ofDevice = draws(8);
  refused = 0;
  int ofKernel = draws(8);
  if (!ofDevice || !ofKernel)
    printf("of the device: %d, of the kernel: %d\n", ofDevice, ofKernel);
  return ofDevice && ofKernel ? 0 : 1;
}
