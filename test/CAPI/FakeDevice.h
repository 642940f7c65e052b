/*===- FakeDevice.h - Device memory for tests of launches ---------*- C -*-===*\
|*                                                                            *|
|* Part of the tc project, under the Apache License v2.0 with LLVM            *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* What a program that uses the CUDA driver does beside launches. The driver  *|
|* is that of test/FakeCuda, whose kernels run in the simulator.              *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef TC_TEST_CAPI_FAKEDEVICE_H
#define TC_TEST_CAPI_FAKEDEVICE_H

#include "Expect.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

typedef unsigned long long Address;

static struct {
  int (*init)(unsigned);
  int (*retain)(void **, int);
  int (*release)(int);
  int (*setCurrent)(void *);
  int (*getCurrent)(void **);
  int (*synchronize)(void);
  int (*alloc)(Address *, size_t);
  int (*freeMemory)(Address);
  int (*allocManaged)(Address *, size_t, unsigned);
  int (*hostRegister)(void *, size_t, unsigned);
  int (*hostUnregister)(void *);
  int (*upload)(Address, const void *, size_t);
  int (*download)(void *, Address, size_t);
  int (*copyAsync)(Address, Address, size_t, void *);
  int (*streamCreate)(void **, unsigned);
  int (*streamDestroy)(void *);
  int (*streamSynchronize)(void *);
  int (*beginCapture)(void *, int);
} cuda;

static void findFunction(void *library, const char *name, void *function) {
  void *found = dlsym(library, name);
  if (!found) {
    printf("the fake driver has no %s\n", name);
    exit(2);
  }
  memcpy(function, &found, sizeof found);
}

/* Finds the driver. */
static void openDriver(void) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  if (!library) {
    printf("%s\n", dlerror());
    exit(2);
  }
  findFunction(library, "cuInit", &cuda.init);
  findFunction(library, "cuDevicePrimaryCtxRetain", &cuda.retain);
  findFunction(library, "cuDevicePrimaryCtxRelease_v2", &cuda.release);
  findFunction(library, "cuCtxSetCurrent", &cuda.setCurrent);
  findFunction(library, "cuCtxGetCurrent", &cuda.getCurrent);
  findFunction(library, "cuCtxSynchronize", &cuda.synchronize);
  findFunction(library, "cuMemAlloc_v2", &cuda.alloc);
  findFunction(library, "cuMemFree_v2", &cuda.freeMemory);
  findFunction(library, "cuMemAllocManaged", &cuda.allocManaged);
  findFunction(library, "cuMemHostRegister_v2", &cuda.hostRegister);
  findFunction(library, "cuMemHostUnregister", &cuda.hostUnregister);
  findFunction(library, "cuMemcpyHtoD_v2", &cuda.upload);
  findFunction(library, "cuMemcpyDtoH_v2", &cuda.download);
  findFunction(library, "cuMemcpyDtoDAsync_v2", &cuda.copyAsync);
  findFunction(library, "cuStreamCreate", &cuda.streamCreate);
  findFunction(library, "cuStreamDestroy_v2", &cuda.streamDestroy);
  findFunction(library, "cuStreamSynchronize", &cuda.streamSynchronize);
  findFunction(library, "cuStreamBeginCapture_v2", &cuda.beginCapture);
}

/* Makes a device's context current. */
static void *useDevice(int device) {
  void *context = NULL;
  EXPECT(cuda.init(0) == 0);
  EXPECT(cuda.retain(&context, device) == 0);
  EXPECT(cuda.setCurrent(context) == 0);
  return context;
}

/* Memory of the current device that holds what `data` does. */
static Address upload(const void *data, size_t bytes) {
  Address address = 0;
  EXPECT(cuda.alloc(&address, bytes) == 0);
  EXPECT(cuda.upload(address, data, bytes) == 0);
  return address;
}

static void *pointerTo(Address address) { return (void *)(uintptr_t)address; }

/* Numbers in [-1, 1) from a linear congruential generator. */
static double randomNumber(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(int64_t)(*state >> 12) * 0x1p-51 - 1;
}

#endif /* TC_TEST_CAPI_FAKEDEVICE_H */
