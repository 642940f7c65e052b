/*===- fake_iomp5.c - Stands in for Intel's OpenMP runtime ----------------===*\
|*                                                                            *|
|* Part of the tc project, under the Apache License v2.0 with LLVM            *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* A library that openmp_test loads by the name of Intel's runtime: regions   *|
|* are counted and have one thread.                                           *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include <stdarg.h>
#include <stdint.h>

int regions(void);
int32_t __kmpc_global_thread_num(void *place);
void __kmpc_push_num_threads(void *place, int32_t thread, int32_t count);
typedef void Body(int32_t *, int32_t *, void *);
void __kmpc_fork_call(void *place, int32_t count, Body *body, ...);

static int forked = 0;

int regions(void) { return forked; }

int32_t __kmpc_global_thread_num(void *place) {
  (void)place;
  return 0;
}

void __kmpc_push_num_threads(void *place, int32_t thread, int32_t count) {
  (void)place;
  (void)thread;
  (void)count;
}

void __kmpc_fork_call(void *place, int32_t count, Body *body, ...) {
  (void)place;
  (void)count;
  va_list arguments;
  va_start(arguments, body);
  int32_t thread = 0;
  ++forked;
  body(&thread, &thread, va_arg(arguments, void *));
  va_end(arguments);
}
