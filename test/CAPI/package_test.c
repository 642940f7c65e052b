/*===- package_test.c - Packages without a compiler, from C ---------------===*\
|*                                                                            *|
|* Part of the tc project, under the Apache License v2.0 with LLVM            *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Usage: package_test FOLDER, which has the package matmul.json. Links       *|
|* libtc_launch, and finds the fake driver on LD_LIBRARY_PATH.                *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "FakeDevice.h"

#include "tc-c/Package.h"

#include <math.h>

enum { M = 5, N = 7, K = 3 };

static char *readFile(const char *folder, const char *name) {
  static char text[1 << 16];
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "rb");
  if (!file)
    exit(2);
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  return text;
}

static TcPackage *loadExample(const char *folder) {
  char path[4096];
  TcPackage *package = NULL;
  snprintf(path, sizeof path, "%s/matmul.json", folder);
  SUCCEED(tcPackageLoad(path, &package));
  if (!package)
    exit(1);
  return package;
}

static void testDescription(const TcPackage *package) {
  EXPECT(strcmp(tcPackageGetTarget(package), "sm_80") == 0);
  EXPECT(strstr(tcPackageGetDescription(package), "\"tc-package\"") != NULL);
  EXPECT(tcPackageGetKernelCount(package) == 2);
  EXPECT(strcmp(tcPackageGetKernelName(package, 0), "matmul") == 0);
  EXPECT(strcmp(tcPackageGetKernelName(package, 1), "scale") == 0);
  EXPECT(tcPackageGetKernelName(package, 2) == NULL);
  EXPECT(tcPackageGetKernelName(package, -1) == NULL);
  EXPECT(tcPackageGetTensorCount(package, 0) == 3);
  EXPECT(tcPackageGetTensorCount(package, 2) == 0);
  const TcPackageTensor *b = tcPackageGetTensor(package, 0, 1);
  EXPECT(b && strcmp(b->name, "B") == 0 && b->type == TC_ELEMENT_F64 &&
         b->rank == 2 && b->extents[0] == K && b->extents[1] == N &&
         b->strides[0] == N && b->strides[1] == 1 && b->alignment == 16 &&
         b->isRead && !b->isWritten);
  const TcPackageTensor *c = tcPackageGetTensor(package, 0, 2);
  EXPECT(c && !c->isRead && c->isWritten);
  EXPECT(tcPackageGetTensor(package, 0, 3) == NULL);
  EXPECT(tcPackageGetTensor(package, 2, 0) == NULL);
  EXPECT(tcPackageGetScalarType(package, 0) == TC_ELEMENT_F64);
  EXPECT(tcPackageGetScalarType(package, 1) == TC_ELEMENT_F32);
  EXPECT(tcPackageGetScalarType(package, 2) == 0);
  EXPECT(!tcPackageTakesAlpha(package, 0) && tcPackageTakesAlpha(package, 1));
  EXPECT(!tcPackageTakesBeta(package, 0) && tcPackageTakesBeta(package, 1));
  EXPECT(strcmp(tcTargetForCapability(90), "sm_90") == 0);
  EXPECT(strcmp(tcTargetForCapability(87), "sm_86") == 0);
  EXPECT(strcmp(tcTargetForCapability(999), "sm_121") == 0);
  EXPECT(tcTargetForCapability(70) == NULL);
}

static void testNumbers(const TcPackage *package) {
  double a[M * K], b[K * N], c[M * N] = {0};
  uint64_t seed = 1;
  for (int i = 0; i < M * K; ++i)
    a[i] = randomNumber(&seed);
  for (int i = 0; i < K * N; ++i)
    b[i] = randomNumber(&seed);
  Address memory[] = {upload(a, sizeof a), upload(b, sizeof b),
                      upload(c, sizeof c)};
  void *tensors[] = {pointerTo(memory[0]), pointerTo(memory[1]),
                     pointerTo(memory[2])};
  SUCCEED(tcPackageLaunch(package, 0, tensors, 3, NULL, NULL, NULL));
  EXPECT(cuda.download(c, memory[2], sizeof c) == 0);
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) {
      double sum = 0;
      for (int k = 0; k < K; ++k)
        sum += a[i * K + k] * b[k * N + j];
      EXPECT(fabs(c[i * N + j] - sum) < 1e-14);
    }

  FAIL(tcPackageLaunch(package, 0, tensors, 2, NULL, NULL, NULL),
       INVALID_ARGUMENT, "kernel matmul takes 3 tensors, and 2 are given");
  FAIL(tcPackageLaunch(package, 2, tensors, 3, NULL, NULL, NULL),
       INVALID_ARGUMENT, "there is no kernel 2: the package has 2");
  FAIL(tcPackageLaunch(package, 0, tensors, 3, a, NULL, NULL), INVALID_ARGUMENT,
       "alpha is given, but was compiled in");
  FAIL(tcPackageLaunch(package, 1, tensors, 3, a, NULL, NULL), INVALID_ARGUMENT,
       "beta is NULL, but is an argument");
  tensors[1] = pointerTo(memory[1] + 8);
  FAIL(tcPackageLaunch(package, 0, tensors, 3, NULL, NULL, NULL),
       INVALID_ARGUMENT,
       "the least address of B is no multiple of the 16 bytes to which the "
       "code for sm_80 takes it to be aligned");
  for (int t = 0; t < 3; ++t)
    EXPECT(cuda.freeMemory(memory[t]) == 0);
}

static void testScalars(const TcPackage *package) {
  float a[M], b[1], c[M], old[M];
  const float alpha = 0.5f, beta = -3;
  uint64_t seed = 2;
  b[0] = (float)randomNumber(&seed);
  for (int i = 0; i < M; ++i) {
    a[i] = (float)randomNumber(&seed);
    old[i] = c[i] = (float)randomNumber(&seed);
  }
  Address memory[] = {upload(a, sizeof a), upload(b, sizeof b),
                      upload(c, sizeof c)};
  void *tensors[] = {pointerTo(memory[0]), pointerTo(memory[1]),
                     pointerTo(memory[2])};
  SUCCEED(tcPackageLaunch(package, 1, tensors, 3, &alpha, &beta, NULL));
  EXPECT(cuda.download(c, memory[2], sizeof c) == 0);
  for (int i = 0; i < M; ++i)
    EXPECT(fabsf(c[i] - (alpha * a[i] * b[0] + beta * old[i])) < 1e-6f);
  for (int t = 0; t < 3; ++t)
    EXPECT(cuda.freeMemory(memory[t]) == 0);
}

/* From memory, and what is no package. */
static void testCreate(const char *folder) {
  static char description[1 << 16];
  TcPackage *package = NULL;
  strcpy(description, readFile(folder, "matmul.json"));
  const char *code = readFile(folder, "matmul.ptx");
  SUCCEED(tcPackageCreate(description, code, strlen(code), &package));
  if (package)
    testNumbers(package);
  tcPackageDestroy(package);
  SUCCEED(tcPackageCreate(description, "nonsense", 8, &package));
  double zeros[64] = {0};
  Address memory = upload(zeros, sizeof zeros);
  void *tensors[] = {pointerTo(memory), pointerTo(memory + 128),
                     pointerTo(memory + 256)};
  TcError *error = tcPackageLaunch(package, 0, tensors, 3, NULL, NULL, NULL);
  EXPECT(error && tcErrorGetCode(error) == TC_ERROR_DRIVER);
  EXPECT(error && strstr(tcErrorGetMessage(error),
                         "matmul.ptx: cuModuleLoadDataEx: "
                         "CUDA_ERROR_INVALID_PTX (text of the error): ptx:1:"));
  tcErrorDestroy(error);
  tcPackageDestroy(package);
  EXPECT(cuda.freeMemory(memory) == 0);
  FAIL(tcPackageCreate("{}", code, 1, &package), INVALID_ARGUMENT,
       "$.format: missing");
  FAIL(tcPackageLoad("/nowhere.json", &package), INVALID_ARGUMENT,
       "/nowhere.json: No such file or directory");
  FAIL(tcPackageLoad(NULL, &package), INVALID_ARGUMENT,
       "tcPackageLoad: an argument is NULL");
  FAIL(tcPackageCreate(description, NULL, 0, &package), INVALID_ARGUMENT,
       "tcPackageCreate: an argument is NULL");
  tcPackageDestroy(NULL);
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  openDriver();
  useDevice(0);
  TcPackage *package = loadExample(argv[1]);
  testDescription(package);
  testNumbers(package);
  testScalars(package);
  tcPackageDestroy(package);
  testCreate(argv[1]);
  EXPECT(cuda.release(0) == 0);
  printf(failures == 0 ? "passed\n" : "%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
