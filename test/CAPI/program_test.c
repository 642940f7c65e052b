/*===- program_test.c - Programs of several statements, from C ------------===*\
|*                                                                            *|
|* Part of the tc project, under the Apache License v2.0 with LLVM            *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Finds the fake driver on LD_LIBRARY_PATH.                                  *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "Expect.h"
#include "FakeDevice.h"

#include "tc-c/Program.h"

#include <stdlib.h>

enum { I = 5, J = 7, K = 3 };

/* T = A B, and y += 2 T x. */
static const char *text = "i = 5, j = 7, k = 3\n"
                          "T[i,k] = A[i,j] * B[j,k]\n"
                          "y[i] += 2 * T[i,k] * x[k]\n";
/* The same; what two statements read is stored, and no kernel computes all. */
static const char *stored = "i = 5, j = 7, k = 3\n"
                            "T[i,k] = A[i,j] * B[j,k]\n"
                            "y[i] += T[i,k] * x[k]\n"
                            "y[i] += T[i,k] * x[k]\n";

static double a[I * J], b[J * K], x[K], y[I];

/* Small integers, of which all sums are exact. */
static void fill(void) {
  uint64_t seed = 1;
  for (int i = 0; i < I * J; ++i)
    a[i] = (int)(8 * randomNumber(&seed));
  for (int i = 0; i < J * K; ++i)
    b[i] = (int)(8 * randomNumber(&seed));
  for (int i = 0; i < K; ++i)
    x[i] = i + 1;
  for (int i = 0; i < I; ++i)
    y[i] = 10 * i;
}

/* Value of y[i] when the program has run so many times. */
static double expected(int i, int runs) {
  double sum = 0;
  for (int j = 0; j < J; ++j)
    for (int k = 0; k < K; ++k)
      sum += a[i * J + j] * b[j * K + k] * x[k];
  return 10 * i + 2 * sum * runs;
}

static void check(const double *result, int runs, int line) {
  for (int i = 0; i < I; ++i)
    if (result[i] != expected(i, runs)) {
      printf("%s:%d: y[%d] is %g, not %g\n", __FILE__, line, i, result[i],
             expected(i, runs));
      ++failures;
    }
}
#define CHECK(result, runs) check(result, runs, __LINE__)

static void testHost(void) {
  TcProgram *program = NULL;
  SUCCEED(tcProgramCompile(text, "tensors", NULL, &program));
  EXPECT(strcmp(tcProgramGetName(program), "program") == 0);
  EXPECT(tcProgramGetParameterCount(program) == 4);
  const TcPackageTensor *parameter = tcProgramGetParameter(program, 2);
  EXPECT(parameter && strcmp(parameter->name, "y") == 0);
  EXPECT(parameter && parameter->isRead && parameter->isWritten);
  EXPECT(parameter && parameter->rank == 1 && parameter->extents[0] == I);
  EXPECT(!tcProgramGetParameter(program, 4));
  EXPECT(!tcProgramGetParameter(program, -1));
  EXPECT(tcProgramGetWorkspaceBytes(program) == I * K * sizeof(double) ||
         tcProgramGetWorkspaceBytes(program) == K * J * sizeof(double) ||
         tcProgramGetWorkspaceBytes(program) == J * sizeof(double));
  EXPECT(!tcProgramGetPackage(program));

  fill();
  void *tensors[] = {a, b, y, x};
  SUCCEED(tcProgramRun(program, tensors, 4, NULL));
  CHECK(y, 1);
  size_t alignment = (size_t)tcProgramGetWorkspaceAlignment(program);
  char *workspace = aligned_alloc(alignment, 4096);
  memset(workspace, 255, 4096);
  SUCCEED(tcProgramRun(program, tensors, 4, workspace));
  CHECK(y, 2);

  FAIL(tcProgramRun(program, tensors, 3, NULL), INVALID_ARGUMENT,
       "program program takes 4 tensors, and 3 are given");
  FAIL(tcProgramRun(program, tensors, 4, workspace + 8), INVALID_ARGUMENT,
       "the workspace's address is no multiple of 64 bytes");
  void *missing[] = {a, NULL, y, x};
  FAIL(tcProgramRun(program, missing, 4, NULL), INVALID_ARGUMENT,
       "the pointer of B is NULL");
  void *odd[] = {(char *)a + 4, b, y, x};
  FAIL(tcProgramRun(program, odd, 4, NULL), INVALID_ARGUMENT,
       "the pointer of A is no multiple of the 8 bytes of an element");
  CHECK(y, 2);
  free(workspace);

  const char *data = NULL;
  size_t size = 0;
  SUCCEED(tcProgramGet(program, TC_ARTIFACT_HEADER, &data, &size));
  EXPECT(data && strstr(data, "int program_run(const double *A, "));
  SUCCEED(tcProgramGet(program, TC_ARTIFACT_OBJECT, &data, &size));
  EXPECT(size > 64 && memcmp(data, "\177ELF", 4) == 0);
  FAIL(tcProgramGet(program, TC_ARTIFACT_PTX, &data, &size), NOT_AVAILABLE,
       "artifact 8 of a program does not exist for this target");
  tcProgramDestroy(program);
}

static TcOptions *makeOptions(const char *key, const char *value) {
  TcOptions *options;
  SUCCEED(tcOptionsCreate(&options));
  SUCCEED(tcOptionsSet(options, key, value));
  return options;
}

static void *onDevice(const double *values, size_t count) {
  return pointerTo(upload(values, count * sizeof(double)));
}

static void download(double *result, const void *memory) {
  EXPECT(cuda.synchronize() == 0);
  EXPECT(cuda.download(result, (Address)(uintptr_t)memory,
                       I * sizeof(double)) == 0);
}

static void testDevice(void) {
  openDriver();
  useDevice(0);
  TcOptions *options = makeOptions("target", "sm_80");
  TcProgram *program = NULL;
  SUCCEED(tcProgramCompile(stored, "tensors", options, &program));
  const TcPackage *package = tcProgramGetPackage(program);
  EXPECT(tcPackageGetProgramCount(package) == 1);
  EXPECT(strcmp(tcPackageGetProgramName(package, 0), "program") == 0);
  EXPECT(!tcPackageGetProgramName(package, 1));
  EXPECT(tcPackageGetParameterCount(package, 0) == 4);
  EXPECT(strcmp(tcPackageGetParameter(package, 0, 3)->name, "x") == 0);
  EXPECT(!tcPackageGetParameter(package, 0, 4));
  EXPECT(tcPackageGetStepCount(package, 0) == 2);
  int64_t bytes = tcPackageGetWorkspaceBytes(package, 0);
  EXPECT(bytes > 0 && bytes == tcProgramGetWorkspaceBytes(program));
  EXPECT(tcPackageGetWorkspaceAlignment(package, 0) == 256);

  fill();
  void *tensors[] = {onDevice(a, I * J), onDevice(b, J * K), onDevice(y, I),
                     onDevice(x, K)};
  double result[I];
  FAIL(tcProgramRun(program, tensors, 4, NULL), UNSUPPORTED,
       "the program is compiled for sm_80: launch its package");
  SUCCEED(tcPackageRunProgram(package, 0, tensors, 4, NULL, NULL));
  download(result, tensors[2]);
  CHECK(result, 1);
  char room[1024] = {0};
  EXPECT((size_t)bytes <= sizeof room);
  void *workspace = pointerTo(upload(room, (size_t)bytes));
  SUCCEED(tcPackageRunProgram(package, 0, tensors, 4, workspace, NULL));
  download(result, tensors[2]);
  CHECK(result, 2);

  for (int own = 0; own < 2; ++own) {
    TcProgramGraph *graph = NULL;
    SUCCEED(tcProgramGraphCreate(package, 0, tensors, 4, own ? NULL : workspace,
                                 &graph));
    download(result, tensors[2]);
    CHECK(result, 2 + 2 * own);
    SUCCEED(tcProgramGraphLaunch(graph, NULL));
    SUCCEED(tcProgramGraphLaunch(graph, NULL));
    download(result, tensors[2]);
    CHECK(result, 4 + 2 * own);
    tcProgramGraphDestroy(graph);
  }

  FAIL(tcPackageRunProgram(package, 1, tensors, 4, NULL, NULL),
       INVALID_ARGUMENT, "there is no program 1: the package has 1");
  FAIL(tcPackageRunProgram(package, 0, tensors, 2, NULL, NULL),
       INVALID_ARGUMENT, "program program takes 4 tensors, and 2 are given");
  void *missing[] = {tensors[0], NULL, tensors[2], tensors[3]};
  FAIL(tcPackageRunProgram(package, 0, missing, 4, NULL, NULL),
       INVALID_ARGUMENT, "the pointer of B is NULL");
  void *onHost[] = {tensors[0], b, tensors[2], tensors[3]};
  FAIL(tcPackageRunProgram(package, 0, onHost, 4, NULL, NULL), INVALID_ARGUMENT,
       "the memory of B lies in the host's memory, not on a device");
  FAIL(tcPackageRunProgram(package, 0, tensors, 4, (char *)workspace + 8, NULL),
       INVALID_ARGUMENT, "the workspace's address is no multiple of 256 bytes");
  tcProgramDestroy(program);
  tcOptionsDestroy(options);
  for (int i = 0; i < 4; ++i)
    EXPECT(cuda.freeMemory((Address)(uintptr_t)tensors[i]) == 0);
  EXPECT(cuda.freeMemory((Address)(uintptr_t)workspace) == 0);
  EXPECT(cuda.release(0) == 0);
}

static const int64_t ofA[2] = {I, J}, ofB[2] = {J, K}, ofX[1] = {K};

/* A product of three, by an einsum specification. */
static void testEinsum(void) {
  TcTensor tensors[3] = {{TC_ELEMENT_F64, 2, ofA, NULL},
                         {TC_ELEMENT_F64, 2, ofB, NULL},
                         {TC_ELEMENT_F64, 1, ofX, NULL}};
  TcProgram *program = NULL;
  SUCCEED(tcProgramCompileEinsum("ij,jk,k->i", tensors, 3, NULL, &program));
  fill();
  double result[I];
  void *pointers[] = {a, b, x, result};
  SUCCEED(tcProgramRun(program, pointers, 4, NULL));
  for (int i = 0; i < I; ++i)
    EXPECT(2 * result[i] + 10 * i == expected(i, 1));
  tcProgramDestroy(program);

  tensors[2].type = TC_ELEMENT_F32;
  FAIL(tcProgramCompileEinsum("ij,jk,k->i", tensors, 3, NULL, &program),
       INVALID_ARGUMENT,
       "operand 2: its element type is not that of operand 0");
  tensors[2].type = TC_ELEMENT_F64;
  FAIL(tcProgramCompileEinsum("ij,ik,k->i", tensors, 3, NULL, &program),
       INVALID_ARGUMENT, "index 'i' has extent 5, but 7 in operand 1");
  FAIL(tcProgramCompileEinsum("ij,jk,k->i", tensors, 0, NULL, &program),
       INVALID_ARGUMENT, "there are 0 operands, but 1 to 16384 are possible");
}

/* The same in orders that are given, which temporaries tell apart. */
static void testPaths(void) {
  const TcTensor tensors[3] = {{TC_ELEMENT_F64, 2, ofA, NULL},
                               {TC_ELEMENT_F64, 2, ofB, NULL},
                               {TC_ELEMENT_F64, 1, ofX, NULL}};
  const struct {
    const char *path;
    int64_t elements;
  } good[] = {{"1,2 0,1", J},         {" 2,1  1,0 ", J}, {"0,1 0,1", I * K},
              {"0,2 0,1", I * J * K}, {"0,1,2", I * K},  {"0 0,1 0,1", J}};
  fill();
  for (size_t i = 0; i < sizeof good / sizeof *good; ++i) {
    TcOptions *options = makeOptions("path", good[i].path);
    TcProgram *program = NULL;
    SUCCEED(
        tcProgramCompileEinsum("ij,jk,k->i", tensors, 3, options, &program));
    if (tcProgramGetWorkspaceBytes(program) !=
        good[i].elements * (int64_t)sizeof(double)) {
      printf("%s:%d: path %s has %d bytes of temporaries\n", __FILE__, __LINE__,
             good[i].path, (int)tcProgramGetWorkspaceBytes(program));
      ++failures;
    }
    double result[I];
    void *pointers[] = {a, b, x, result};
    SUCCEED(tcProgramRun(program, pointers, 4, NULL));
    for (int j = 0; j < I; ++j)
      EXPECT(2 * result[j] + 10 * j == expected(j, 1));
    tcProgramDestroy(program);
    tcOptionsDestroy(options);
  }

  const struct {
    const char *path, *message;
  } bad[] = {
      {"0,1 0,2", "option 'path': step 1 of the path names operand 2, but "
                  "there are 2"},
      {"0,0 0,1", "option 'path': step 0 of the path names operand 0 twice"},
      {"0,1", "option 'path': the path leaves 2 operands that are not "
              "contracted"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    TcOptions *options = makeOptions("path", bad[i].path);
    TcProgram *program = NULL;
    FAIL(tcProgramCompileEinsum("ij,jk,k->i", tensors, 3, options, &program),
         INVALID_ARGUMENT, bad[i].message);
    EXPECT(!program);
    tcOptionsDestroy(options);
  }
  TcOptions *options = makeOptions("path", "0,1");
  TcProgram *program = NULL;
  SUCCEED(tcProgramCompileEinsum("ij,jk", tensors, 2, options, &program));
  tcProgramDestroy(program);
  program = NULL;
  FAIL(tcProgramCompile(text, "tensors", options, &program), INVALID_ARGUMENT,
       "option 'path' is of one product, and this is a program of statements");
  EXPECT(!program);
  FAIL(tcOptionsSet(options, "path", "0,1 0;1"), INVALID_ARGUMENT,
       "option 'path': step 1 is '0;1', not positions with commas between "
       "them");
  FAIL(tcOptionsSet(options, "path", "0,-1"), INVALID_ARGUMENT,
       "option 'path': step 0 is '0,-1', not positions with commas between "
       "them");
  SUCCEED(tcOptionsSet(options, "path", ""));
  SUCCEED(tcProgramCompile(text, "tensors", options, &program));
  tcProgramDestroy(program);
  tcOptionsDestroy(options);
}

/* Programs that are made from a name, of which one program may have several. */
/* 300 * 300 is beyond f16, and that times 2^-10 is not. */
static void testKeptSums(void) {
  const int64_t one[2] = {1, 1};
  TcTensor tensors[3];
  for (int i = 0; i < 3; ++i) {
    TcTensor tensor = {TC_ELEMENT_F16, 2, one, NULL};
    tensors[i] = tensor;
  }
  const uint16_t large = 0x5cb0, small = 0x1400, infinite = 0x7c00;
  TcOptions *options = makeOptions("path", "0,1 0,1");
  for (int keeps = 0; keeps < 2; ++keeps) {
    SUCCEED(tcOptionsSet(options, "keep-sums", keeps ? "true" : "false"));
    TcProgram *program = NULL;
    SUCCEED(
        tcProgramCompileEinsum("ij,jk,kl->il", tensors, 3, options, &program));
    uint16_t result = 0;
    void *pointers[4] = {(void *)&large, (void *)&large, (void *)&small,
                         &result};
    SUCCEED(tcProgramRun(program, pointers, 4, NULL));
    /* 87.890625, in steps of 1/16. */
    EXPECT(result == (keeps ? 0x557e : infinite));
    tcProgramDestroy(program);
  }
  tcOptionsDestroy(options);
  options = makeOptions("keep-sums", "true");
  TcProgram *program = NULL;
  FAIL(tcProgramCompile(text, "tensors", options, &program), UNSUPPORTED,
       "text: option 'keep-sums' is of one product that ahead-of-time "
       "kernels compute");
  SUCCEED(tcOptionsSet(options, "target", "sm_90"));
  FAIL(tcProgramCompile(text, "tensors", options, &program), UNSUPPORTED,
       "option 'keep-sums' is for CPUs only");
  tcOptionsDestroy(options);
}

static void testNames(void) {
  TcOptions *options = makeOptions("name", "energy");
  TcProgram *program = NULL;
  SUCCEED(tcProgramCompile(text, "tensors", options, &program));
  EXPECT(strcmp(tcProgramGetName(program), "energy") == 0);
  const char *data = NULL;
  SUCCEED(tcProgramGet(program, TC_ARTIFACT_HEADER, &data, NULL));
  EXPECT(data && strstr(data, "int energy_run(const double *A, "));
  EXPECT(data && !strstr(data, "program_"));
  tcProgramDestroy(program);
  SUCCEED(tcOptionsSet(options, "target", "sm_80"));
  SUCCEED(tcProgramCompile(text, "tensors", options, &program));
  EXPECT(strcmp(tcProgramGetName(program), "energy") == 0);
  EXPECT(strcmp(tcPackageGetProgramName(tcProgramGetPackage(program), 0),
                "energy") == 0);
  tcProgramDestroy(program);
  tcOptionsDestroy(options);
}

/* With extents of each call: of the arrays, those parts are used. */
static void testShapes(void) {
  static const char *shaped = "i = ?100, j = 7, k = ?\n"
                              "T[i,k] = A[i,j] * B[j,k]\n"
                              "y[i] += 2 * T[i,k] * x[k]\n";
  TcProgram *program = NULL;
  SUCCEED(tcProgramCompile(shaped, "tensors", NULL, &program));
  if (!program)
    return;
  EXPECT(tcProgramGetExtentCount(program) == 2);
  EXPECT(strcmp(tcProgramGetExtentName(program, 0), "i") == 0);
  EXPECT(strcmp(tcProgramGetExtentName(program, 1), "k") == 0);
  EXPECT(tcProgramGetExtentName(program, 2) == NULL);
  EXPECT(tcProgramGetParameterCount(program) == 4);
  const TcPackageTensor *ofProgram = tcProgramGetParameter(program, 1);
  EXPECT(strcmp(ofProgram->name, "B") == 0 && ofProgram->rank == 2 &&
         ofProgram->extents[0] == J && ofProgram->extents[1] == -2);
  void *const tensors[4] = {a, b, y, x};
  const int64_t shapes[][2] = {{I, K}, {1, K}, {I, 1}, {0, K}, {I, 0}, {3, 2}};
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; ++s) {
    int64_t m = shapes[s][0], k = shapes[s][1], bytes = -1;
    fill();
    SUCCEED(tcProgramGetShapedWorkspaceBytes(program, shapes[s], 2, &bytes));
    EXPECT(bytes >= m * k * (int64_t)sizeof(double) && bytes % 64 == 0);
    char *memory = malloc((size_t)bytes + 64);
    char *workspace = memory + (64 - (uintptr_t)memory % 64);
    for (int run = 0; run < 2; ++run)
      SUCCEED(tcProgramRunShaped(program, shapes[s], 2, tensors, 4,
                                 run == 0 ? workspace : NULL));
    free(memory);
    for (int64_t i = 0; i < I; ++i) {
      double sum = 0;
      for (int64_t j = 0; i < m && j < J; ++j)
        for (int64_t l = 0; l < k; ++l)
          sum += a[i * J + j] * b[j * k + l] * x[l];
      EXPECT(y[i] == expected((int)i, 0) + 4 * sum);
    }
  }
  int64_t wrong[2] = {2, -1};
  FAIL(tcProgramRunShaped(program, wrong, 2, tensors, 4, NULL),
       INVALID_ARGUMENT, "the extent of index 'k' is negative: -1");
  FAIL(tcProgramRunShaped(program, wrong, 1, tensors, 4, NULL),
       INVALID_ARGUMENT, "program program takes 2 extents, and 1 are given");
  /* The workspace of more than 2^63 bytes; without elements, it has none. */
  const int64_t large[2] = {INT64_C(1) << 32, INT64_C(1) << 31};
  int64_t bytes = -1;
  FAIL(tcProgramGetShapedWorkspaceBytes(program, large, 2, &bytes),
       OUT_OF_MEMORY,
       "the program's workspace has more bytes than can be counted for these "
       "extents");
  FAIL(tcProgramRunShaped(program, large, 2, tensors, 4, NULL), OUT_OF_MEMORY,
       "the program's workspace has more bytes than can be counted for these "
       "extents");
  const int64_t largest[2] = {INT64_MAX, 0};
  SUCCEED(tcProgramGetShapedWorkspaceBytes(program, largest, 2, &bytes));
  EXPECT(bytes == 0);
  FAIL(tcProgramRun(program, tensors, 4, NULL), INVALID_ARGUMENT,
       "program program takes extents: run it by tcProgramRunShaped");
  tcProgramDestroy(program);
}

/* The same on a device, in all ways, where no extent is zero. */
static void testShapesOnDevice(void) {
  static const char *shaped = "i = ?100, j = 7, k = ?\n"
                              "T[i,k] = A[i,j] * B[j,k]\n"
                              "y[i] += T[i,k] * x[k]\n"
                              "y[i] += T[i,k] * x[k]\n";
  openDriver();
  useDevice(0);
  TcOptions *options = makeOptions("target", "sm_80");
  TcProgram *program = NULL;
  SUCCEED(tcProgramCompile(shaped, "tensors", options, &program));
  EXPECT(tcProgramGetExtentCount(program) == 2);
  EXPECT(strcmp(tcProgramGetExtentName(program, 1), "k") == 0);
  const TcPackage *package = tcProgramGetPackage(program);
  EXPECT(tcPackageGetExtentCount(package, 0) == 2);
  EXPECT(tcPackageGetExtentCount(package, 1) == 0);
  EXPECT(strcmp(tcPackageGetExtentName(package, 0, 0), "i") == 0);
  EXPECT(!tcPackageGetExtentName(package, 0, 2));
  EXPECT(tcPackageGetParameter(package, 0, 1)->extents[1] == -2);
  fill();
  void *tensors[] = {onDevice(a, I * J), onDevice(b, J * K), onDevice(y, I),
                     onDevice(x, K)};
  double start[I], result[I];
  memcpy(start, y, sizeof y);
  const int64_t shapes[][2] = {{I, K}, {1, K}, {I, 1}, {3, 2}, {1, 1}};
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; ++s) {
    int64_t m = shapes[s][0], k = shapes[s][1], bytes = -1, same = -1;
    SUCCEED(tcPackageGetShapedWorkspaceBytes(package, 0, shapes[s], 2, &bytes));
    SUCCEED(tcProgramGetShapedWorkspaceBytes(program, shapes[s], 2, &same));
    EXPECT(bytes == same && bytes >= m * k * (int64_t)sizeof(double));
    char room[1024] = {0};
    EXPECT((size_t)bytes <= sizeof room);
    void *workspace = pointerTo(upload(room, (size_t)bytes));
    SUCCEED(tcPackageRunShapedProgram(package, 0, shapes[s], 2, tensors, 4,
                                      NULL, NULL));
    SUCCEED(tcPackageRunShapedProgram(package, 0, shapes[s], 2, tensors, 4,
                                      workspace, NULL));
    TcProgramGraph *graph = NULL;
    SUCCEED(tcShapedProgramGraphCreate(package, 0, shapes[s], 2, tensors, 4,
                                       NULL, &graph));
    SUCCEED(tcProgramGraphLaunch(graph, NULL));
    download(result, tensors[2]);
    tcProgramGraphDestroy(graph);
    EXPECT(cuda.freeMemory((Address)(uintptr_t)workspace) == 0);
    for (int64_t i = 0; i < I; ++i) {
      double sum = 0;
      for (int64_t j = 0; i < m && j < J; ++j)
        for (int64_t l = 0; l < k; ++l)
          sum += a[i * J + j] * b[j * k + l] * x[l];
      start[i] += 6 * sum;
      EXPECT(result[i] == start[i]);
    }
  }
  int64_t wrong[2] = {2, 0}, bytes;
  FAIL(tcPackageRunShapedProgram(package, 0, wrong, 2, tensors, 4, NULL, NULL),
       INVALID_ARGUMENT,
       "the extent of index 'k' is 0, but must be at least 1");
  FAIL(tcPackageRunProgram(package, 0, tensors, 4, NULL, NULL),
       INVALID_ARGUMENT, "program program takes 2 extents, and 0 are given");
  FAIL(tcPackageGetShapedWorkspaceBytes(package, 1, wrong, 2, &bytes),
       INVALID_ARGUMENT, "there is no program 1: the package has 1");
  FAIL(tcProgramRunShaped(program, shapes[0], 2, tensors, 4, NULL), UNSUPPORTED,
       "the program is compiled for sm_80: launch its package");
  tcProgramDestroy(program);
  SUCCEED(tcOptionsSet(options, "memory-limit", "100"));
  FAIL(tcProgramCompile(shaped, "tensors", options, &program), UNSUPPORTED,
       "text: option 'memory-limit' bounds no temporaries whose extents each "
       "run says");
  tcOptionsDestroy(options);
  for (int i = 0; i < 4; ++i)
    EXPECT(cuda.freeMemory((Address)(uintptr_t)tensors[i]) == 0);
  EXPECT(cuda.release(0) == 0);
}

static void testDescriptions(void) {
  char said[2048];
  size_t length;
  SUCCEED(tcProgramDescribe("i = 5, j = ?7, type = f32\n"
                            "y[j] += -2 * A[i,j] * x[i] + z[j]",
                            "tensors", said, sizeof said, &length));
  EXPECT(
      strcmp(said,
             "{\"name\":\"program\",\"tensors\":["
             "{\"name\":\"y\",\"element_type\":2,\"extents\":[7]},"
             "{\"name\":\"A\",\"element_type\":2,\"extents\":[5,7]},"
             "{\"name\":\"x\",\"element_type\":2,\"extents\":[5]},"
             "{\"name\":\"z\",\"element_type\":2,\"extents\":[7]}],\"steps\":["
             "{\"inputs\":[{\"tensor\":1,\"indices\":[\"i\",\"j\"]},"
             "{\"tensor\":2,\"indices\":[\"i\"]}],\"output\":0,"
             "\"indices\":[\"j\"],\"factor\":-2.0,\"accumulates\":true},"
             "{\"inputs\":[{\"tensor\":3,\"indices\":[\"j\"]}],\"output\":0,"
             "\"indices\":[\"j\"],\"factor\":1.0,\"accumulates\":true}],"
             "\"arguments\":[0,1,2,3],\"results\":[0],\"unknown\":[\"j\"]}") ==
      0);
  EXPECT(length == strlen(said));
  FAIL(tcProgramDescribe(text, "einsum", said, sizeof said, &length),
       INVALID_ARGUMENT, "notation 'einsum' is none of tensors and octopi");
  FAIL(tcProgramDescribe("i = 2\nT[i] = A[j]", "tensors", said, sizeof said,
                         &length),
       INVALID_ARGUMENT,
       "text:2:3: error: index 'i' is in the output but in no input");
}

static void testErrors(void) {
  TcProgram *program = NULL;
  FAIL(tcProgramCompile(text, "einsum", NULL, &program), INVALID_ARGUMENT,
       "notation 'einsum' is none of tensors and octopi");
  FAIL(tcProgramCompile("i = 2\nT[i] = A[j]", "tensors", NULL, &program),
       INVALID_ARGUMENT,
       "text:2:3: error: index 'i' is in the output but in no input");
  TcOptions *options = makeOptions("alpha", "2");
  FAIL(tcProgramCompile(text, "tensors", options, &program), INVALID_ARGUMENT,
       "option 'alpha' is of a single contraction, and this is a program");
  tcOptionsDestroy(options);
  options = makeOptions("dynamic-shapes", "true");
  FAIL(tcProgramCompile(text, "tensors", options, &program), INVALID_ARGUMENT,
       "option 'dynamic-shapes' is of a single contraction, and this is a "
       "program");
  tcOptionsDestroy(options);
  options = makeOptions("refine", "2");
  FAIL(tcProgramCompile(text, "tensors", options, &program), UNSUPPORTED,
       "option 'refine' is for GPUs only");
  tcOptionsDestroy(options);
  options = makeOptions("threads", "1");
  FAIL(tcOptionsSet(options, "tile-chains", "often"), INVALID_ARGUMENT,
       "option 'tile-chains': 'often' is none of auto, always and never");
  tcOptionsDestroy(options);
  EXPECT(!program);
}

int main(void) {
  testHost();
  testDevice();
  testEinsum();
  testPaths();
  testKeptSums();
  testNames();
  testShapes();
  testShapesOnDevice();
  testDescriptions();
  testErrors();
  printf(failures == 0 ? "passed\n" : "%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
