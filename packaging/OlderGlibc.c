//===- OlderGlibc.c - Functions that glibc 2.34 has not -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of what the libraries of a wheel take of glibc, two functions have newer
// names than 2.34, which is the oldest version with all others.
//
//===----------------------------------------------------------------------===//

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#ifdef __aarch64__
#define TC_OLDEST_GLIBC "GLIBC_2.17"
#else
#define TC_OLDEST_GLIBC "GLIBC_2.2.5"
#endif

// Since 2.35 there is one that does not set errno, which nothing here reads.
// The linker has calls of hypot go to __wrap_hypot.
__asm__(".symver tcOldestHypot, hypot@" TC_OLDEST_GLIBC);
double tcOldestHypot(double x, double y);
double __wrap_hypot(double x, double y);
double __wrap_hypot(double x, double y) { return tcOldestHypot(x, y); }

/// Waits until there is entropy, whatever interrupts it. Sandboxes and old
/// kernels may refuse the system call.
static int drawFromKernel(uint32_t *bits) {
  ssize_t got;
  do
    got = getrandom(bits, sizeof(*bits), 0);
  while (got < 0 && errno == EINTR);
  return got == sizeof(*bits);
}

static int drawFromDevice(uint32_t *bits) {
  int file = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return 0;
  ssize_t got;
  do
    got = read(file, bits, sizeof(*bits));
  while (got < 0 && errno == EINTR);
  close(file);
  return got == sizeof(*bits);
}

// Since 2.36; LLVM draws names of temporary files with it.
uint32_t arc4random(void);
uint32_t arc4random(void) {
  uint32_t bits;
  // As glibc's, it has no way to say that there is no randomness at all.
  if (!drawFromKernel(&bits) && !drawFromDevice(&bits))
    abort();
  return bits;
}
