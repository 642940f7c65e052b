/*===- launch_test.c - Launches on a device, from C -----------------------===*\
|*                                                                            *|
|* Part of the tc project, under the Apache License v2.0 with LLVM            *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Usage: launch_test FOLDER, for the driver's log. Finds the fake driver on  *|
|* LD_LIBRARY_PATH, except that "launch_test FOLDER none" expects no driver.  *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "FakeDevice.h"
#include "MakeOptions.h"

#include "tc-c/Package.h"

#include <math.h>
#include <pthread.h>

static char logFile[4096];

/* Number of calls of the driver's function since the log began. */
static int countCalls(const char *log, const char *function) {
  char line[128];
  int count = 0;
  FILE *file = fopen(log, "r");
  if (!file)
    return 0;
  while (fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = 0;
    count += strcmp(line, function) == 0;
  }
  fclose(file);
  return count;
}

/* Of all numbers here: C[i,j] = sum A[i,k] * B[k,j]. */
enum { M = 13, N = 11, K = 31, SPACE = 2048 };

/* Places of the three tensors in their memory, in elements. */
typedef struct {
  int64_t offsets[3];
  int64_t strides[3][2];
} Layout;

static const Layout contiguous = {{0, 0, 0}, {{K, 1}, {N, 1}, {N, 1}}};

static TcContraction *compile(const Layout *layout, TcOptions *options) {
  static const int64_t extents[3][2] = {{M, K}, {K, N}, {M, N}};
  TcTensor tensors[3];
  TcContraction *contraction = NULL;
  for (int t = 0; t < 3; ++t) {
    const TcTensor tensor = {TC_ELEMENT_F64, 2, extents[t], layout->strides[t]};
    tensors[t] = tensor;
  }
  SUCCEED(tcOptionsSet(options, "target", "sm_80"));
  SUCCEED(tcContractionCompile("ik,kj->ij", tensors, options, &contraction));
  tcOptionsDestroy(options);
  if (!contraction)
    exit(1);
  return contraction;
}

static TcContraction *compileSplit(void) {
  TcOptions *options = makeOptions();
  SUCCEED(tcOptionsSet(options, "schedule",
                       "target = \"sm_80\", m = [i: 4], n = [j: 4], k = [k: "
                       "4], register = [2, 2], split_k = 3"));
  return compile(&contiguous, options);
}

typedef struct {
  double host[3][SPACE];
  Address device[3];
} Data;

static Data *makeData(uint64_t seed) {
  Data *data = malloc(sizeof *data);
  for (int t = 0; t < 3; ++t) {
    for (int i = 0; i < SPACE; ++i)
      data->host[t][i] = randomNumber(&seed);
    data->device[t] = upload(data->host[t], sizeof data->host[t]);
  }
  return data;
}

static void freeData(Data *data) {
  for (int t = 0; t < 3; ++t)
    EXPECT(cuda.freeMemory(data->device[t]) == 0);
  free(data);
}

static void *zeroOf(const Data *data, const Layout *layout, int t) {
  return pointerTo(data->device[t] + 8 * (Address)layout->offsets[t]);
}

static TcError *launch(const TcContraction *contraction, const Data *data,
                       const Layout *layout, const double *alpha,
                       const double *beta, void *stream) {
  return tcContractionLaunch(contraction, zeroOf(data, layout, 0),
                             zeroOf(data, layout, 1), zeroOf(data, layout, 2),
                             alpha, beta, NULL, 0, stream);
}

/* Compares all of C's memory with the definition; `shift` is added to each sum
 * by an epilogue. */
static void checkResult(const Data *data, const Layout *layout, double alpha,
                        double beta, const double *shift, int line) {
  double got[SPACE], want[SPACE];
  int wrong = 0;
  EXPECT(cuda.download(got, data->device[2], sizeof got) == 0);
  memcpy(want, data->host[2], sizeof want);
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) {
      double sum = 0;
      for (int k = 0; k < K; ++k)
        sum += data->host[0][layout->offsets[0] + i * layout->strides[0][0] +
                             k * layout->strides[0][1]] *
               data->host[1][layout->offsets[1] + k * layout->strides[1][0] +
                             j * layout->strides[1][1]];
      double *element = &want[layout->offsets[2] + i * layout->strides[2][0] +
                              j * layout->strides[2][1]];
      *element = alpha * sum + (beta != 0 ? beta * *element : 0) +
                 (shift ? shift[j] : 0);
    }
  for (int i = 0; i < SPACE; ++i)
    wrong += !(fabs(got[i] - want[i]) < 1e-12);
  if (wrong > 0) {
    printf("%s:%d: %d numbers of C's memory are wrong\n", __FILE__, line,
           wrong);
    ++failures;
  }
}

static void testNumbers(void) {
  /* Contiguous; permuted with gaps; reversed, with a broadcast B. */
  const Layout layouts[] = {
      contiguous,
      {{0, 0, 0}, {{1, M + 3}, {1, K + 1}, {2, 2 * M}}},
      {{M * K - 1, (K - 1) * N, (M - 1) * N}, {{-K, -1}, {-N, 0}, {-N, 1}}}};
  for (int i = 0; i < 3; ++i) {
    TcContraction *plain = compile(&layouts[i], makeOptions());
    Data *data = makeData((uint64_t)i);
    SUCCEED(launch(plain, data, &layouts[i], NULL, NULL, NULL));
    checkResult(data, &layouts[i], 1, 0, NULL, __LINE__);
    freeData(data);
    tcContractionDestroy(plain);

    TcOptions *options = makeOptions();
    SUCCEED(tcOptionsSet(options, "alpha", "argument"));
    SUCCEED(tcOptionsSet(options, "beta", "argument"));
    TcContraction *scaled = compile(&layouts[i], options);
    const double alpha = 0.5, beta = -2;
    data = makeData(100 + (uint64_t)i);
    SUCCEED(launch(scaled, data, &layouts[i], &alpha, &beta, NULL));
    checkResult(data, &layouts[i], alpha, beta, NULL, __LINE__);
    FAIL(launch(scaled, data, &layouts[i], &alpha, NULL, NULL),
         INVALID_ARGUMENT, "beta is NULL, but is an argument");
    freeData(data);
    tcContractionDestroy(scaled);
  }
}

static void testAuxiliaries(void) {
  TcOptions *options = makeOptions();
  SUCCEED(tcOptionsSet(options, "epilogue", "x + bias[j]"));
  TcContraction *contraction = compile(&contiguous, options);
  Data *data = makeData(7);
  double bias[N];
  uint64_t seed = 8;
  for (int j = 0; j < N; ++j)
    bias[j] = randomNumber(&seed);
  Address onDevice = upload(bias, sizeof bias);
  TcAuxiliary side = {"bias", pointerTo(onDevice)};
  void *a = zeroOf(data, &contiguous, 0), *b = zeroOf(data, &contiguous, 1),
       *c = zeroOf(data, &contiguous, 2);
  SUCCEED(
      tcContractionLaunch(contraction, a, b, c, NULL, NULL, &side, 1, NULL));
  checkResult(data, &contiguous, 1, 0, bias, __LINE__);
  FAIL(tcContractionLaunch(contraction, a, b, c, NULL, NULL, NULL, 0, NULL),
       INVALID_ARGUMENT, "auxiliary tensor 'bias' is not given");
  FAIL(tcContractionLaunch(contraction, a, b, c, NULL, NULL, NULL, 1, NULL),
       INVALID_ARGUMENT,
       "tcContractionLaunch: auxiliaries is NULL, but there are 1");
  side.data = bias;
  FAIL(tcContractionLaunch(contraction, a, b, c, NULL, NULL, &side, 1, NULL),
       INVALID_ARGUMENT,
       "auxiliary tensor 'bias' lies in the host's memory, not on a device");
  side.data = NULL;
  FAIL(tcContractionLaunch(contraction, a, b, c, NULL, NULL, &side, 1, NULL),
       INVALID_ARGUMENT, "the pointer of auxiliary tensor 'bias' is NULL");
  EXPECT(cuda.freeMemory(onDevice) == 0);
  freeData(data);
  tcContractionDestroy(contraction);
}

/* A transposition, whose B nobody gives, and sums of nothing. */
static void testOneOperandAndNone(void) {
  const int64_t extents[] = {M, N}, swapped[] = {N, M}, none[] = {M, 0};
  const int64_t noRows[] = {0, N};
  TcTensor tensors[3] = {{TC_ELEMENT_F64, 2, extents, NULL},
                         {TC_ELEMENT_F64, 2, noRows, NULL},
                         {TC_ELEMENT_F64, 2, swapped, NULL}};
  double got[SPACE];
  TcOptions *options = makeOptions();
  TcContraction *contraction = NULL;
  Data *data = makeData(9);
  void *a = pointerTo(data->device[0]), *b = pointerTo(data->device[1]),
       *c = pointerTo(data->device[2]);
  SUCCEED(tcOptionsSet(options, "target", "sm_90"));
  SUCCEED(tcContractionCompile("ij->ji", tensors, options, &contraction));
  for (int run = 0; run < 2; ++run)
    SUCCEED(tcContractionLaunch(contraction, a, NULL, c, NULL, NULL, NULL, 0,
                                NULL));
  EXPECT(cuda.download(got, data->device[2], sizeof got) == 0);
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j)
      EXPECT(got[j * M + i] == data->host[0][i * N + j]);
  FAIL(tcContractionLaunch(contraction, a, b, c, NULL, NULL, NULL, 0, NULL),
       INVALID_ARGUMENT, "b is given, but the specification has one operand");
  tcContractionDestroy(contraction);

  tensors[0].extents = none;
  tensors[2].extents = extents;
  SUCCEED(tcContractionCompile("ik,kj->ij", tensors, options, &contraction));
  SUCCEED(tcContractionLaunch(contraction, NULL, NULL, c, NULL, NULL, NULL, 0,
                              NULL));
  EXPECT(cuda.download(got, data->device[2], sizeof got) == 0);
  for (int i = 0; i < SPACE; ++i)
    EXPECT(got[i] == (i < M * N ? 0 : data->host[2][i]));
  FAIL(tcContractionLaunch(contraction, NULL, NULL, got, NULL, NULL, NULL, 0,
                           NULL),
       INVALID_ARGUMENT, "C lies in the host's memory, not on a device");
  FAIL(tcContractionLaunch(contraction, NULL, NULL, NULL, NULL, NULL, NULL, 0,
                           NULL),
       INVALID_ARGUMENT, "the pointer of C is NULL");
  tcContractionDestroy(contraction);
  SUCCEED(tcOptionsSet(options, "beta", "2"));
  SUCCEED(tcContractionCompile("ik,kj->ij", tensors, options, &contraction));
  FAIL(tcContractionLaunch(contraction, NULL, NULL, c, NULL, NULL, NULL, 0,
                           NULL),
       UNSUPPORTED,
       "an extent that is summed over is zero: on a device C can be filled "
       "with zeros then, if it has no gaps, beta is zero, the semiring is "
       "plus_times and there is no epilogue");
  tcContractionDestroy(contraction);
  tcOptionsDestroy(options);
  freeData(data);
}

/* Work that is queued on a stream is done in its order; the fake driver is
 * lazy. */
static void testStreams(void) {
  TcContraction *contraction = compile(&contiguous, makeOptions());
  void *streams[2];
  Data *data = makeData(10), *source = makeData(11);
  EXPECT(cuda.streamCreate(&streams[0], 1) == 0);
  EXPECT(cuda.streamCreate(&streams[1], 1) == 0);
  setenv("FAKE_CUDA_LAZY", "1", 1);
  EXPECT(cuda.copyAsync(data->device[0], source->device[0],
                        sizeof data->host[0], streams[0]) == 0);
  memcpy(data->host[0], source->host[0], sizeof data->host[0]);
  SUCCEED(launch(contraction, data, &contiguous, NULL, NULL, streams[0]));
  EXPECT(cuda.streamSynchronize(streams[0]) == 0);
  checkResult(data, &contiguous, 1, 0, NULL, __LINE__);

  /* The same from one stream to another. */
  EXPECT(cuda.copyAsync(data->device[1], source->device[1],
                        sizeof data->host[1], streams[0]) == 0);
  memcpy(data->host[1], source->host[1], sizeof data->host[1]);
  SUCCEED(tcStreamsOrder(0, streams[0], streams[1]));
  SUCCEED(launch(contraction, data, &contiguous, NULL, NULL, streams[1]));
  EXPECT(cuda.streamSynchronize(streams[1]) == 0);
  checkResult(data, &contiguous, 1, 0, NULL, __LINE__);
  unsetenv("FAKE_CUDA_LAZY");

  /* The default streams by name. */
  for (uintptr_t name = 1; name <= 2; ++name) {
    Data *other = makeData(12 + name);
    SUCCEED(launch(contraction, other, &contiguous, NULL, NULL, (void *)name));
    checkResult(other, &contiguous, 1, 0, NULL, __LINE__);
    freeData(other);
  }
  FAIL(launch(contraction, data, &contiguous, NULL, NULL, data), DRIVER,
       "kernel contract: cuLaunchKernel: CUDA_ERROR_INVALID_HANDLE (text of "
       "the error)");
  FAIL(tcStreamsOrder(0, data, NULL), DRIVER,
       "cuEventRecord: CUDA_ERROR_INVALID_HANDLE (text of the error)");
  FAIL(tcStreamsOrder(5, NULL, NULL), DRIVER,
       "no CUDA device 5; the driver sees 2");
  freeData(source);
  freeData(data);
  tcContractionDestroy(contraction);
  EXPECT(cuda.streamDestroy(streams[0]) == 0);
  EXPECT(cuda.streamDestroy(streams[1]) == 0);
}

/* Blocks that share sums need a workspace that is zero: one for each stream,
 * but no more than 16. */
static void testWorkspaces(void) {
  enum { STREAMS = 20 };
  TcContraction *contraction = compileSplit();
  void *streams[STREAMS];
  Data *data[STREAMS];
  for (int i = 0; i < STREAMS; ++i) {
    data[i] = makeData(20 + (uint64_t)i);
    EXPECT(cuda.streamCreate(&streams[i], 1) == 0);
  }
  setenv("FAKE_CUDA_LOG", logFile, 1);
  setenv("FAKE_CUDA_LAZY", "1", 1);
  for (int run = 0; run < 2; ++run) {
    remove(logFile);
    for (int i = 0; i < STREAMS; ++i)
      SUCCEED(
          launch(contraction, data[i], &contiguous, NULL, NULL, streams[i]));
    EXPECT(countCalls(logFile, "cuModuleLoadDataEx") == (run == 0));
    EXPECT(countCalls(logFile, "cuMemAlloc") == (run == 0 ? 16 : 0));
    EXPECT(countCalls(logFile, "cuMemsetD8Async") == (run == 0 ? 16 : 0));
    EXPECT(countCalls(logFile, "cuStreamWaitEvent") ==
           (run == 0 ? STREAMS - 16 : STREAMS));
    for (int i = STREAMS; i-- > 0;) {
      EXPECT(cuda.streamSynchronize(streams[i]) == 0);
      checkResult(data[i], &contiguous, 1, 0, NULL, __LINE__);
    }
  }
  unsetenv("FAKE_CUDA_LAZY");
  EXPECT(cuda.beginCapture(streams[0], 0) == 0);
  FAIL(launch(contraction, data[0], &contiguous, NULL, NULL, streams[0]),
       UNSUPPORTED,
       "kernel contract has a workspace, and cannot be captured in a graph");
  /* Memory that is taken is given back. */
  remove(logFile);
  tcContractionDestroy(contraction);
  EXPECT(countCalls(logFile, "cuCtxSynchronize") == 1);
  EXPECT(countCalls(logFile, "cuMemFree") == 16);
  EXPECT(countCalls(logFile, "cuEventDestroy") == 16);
  EXPECT(countCalls(logFile, "cuModuleUnload") == 1);
  EXPECT(countCalls(logFile, "cuDevicePrimaryCtxRelease") == 1);
  unsetenv("FAKE_CUDA_LOG");
  for (int i = 0; i < STREAMS; ++i) {
    freeData(data[i]);
    EXPECT(cuda.streamDestroy(streams[i]) == 0);
  }
}

typedef struct {
  TcContraction *contraction;
  void *context;
  int number;
} Job;

static void *launchInThread(void *argument) {
  const Job *job = argument;
  void *stream = NULL, *current = NULL;
  Data *data;
  /* Half of the threads have no context when they launch. */
  EXPECT(cuda.setCurrent(job->context) == 0);
  data = makeData(50 + (uint64_t)job->number);
  EXPECT(cuda.streamCreate(&stream, 0) == 0);
  void *mine = job->number % 2 ? job->context : NULL;
  EXPECT(cuda.setCurrent(mine) == 0);
  for (int run = 0; run < 3; ++run)
    SUCCEED(launch(job->contraction, data, &contiguous, NULL, NULL, stream));
  EXPECT(cuda.getCurrent(&current) == 0 && current == mine);
  EXPECT(cuda.setCurrent(job->context) == 0);
  EXPECT(cuda.streamSynchronize(stream) == 0);
  checkResult(data, &contiguous, 1, 0, NULL, __LINE__);
  freeData(data);
  EXPECT(cuda.streamDestroy(stream) == 0);
  EXPECT(cuda.setCurrent(NULL) == 0);
  return NULL;
}

static void testThreads(void *context) {
  enum { THREADS = 6 };
  pthread_t threads[THREADS];
  Job jobs[THREADS];
  TcContraction *contraction = compileSplit();
  remove(logFile);
  setenv("FAKE_CUDA_LOG", logFile, 1);
  for (int i = 0; i < THREADS; ++i) {
    const Job job = {contraction, context, i};
    jobs[i] = job;
    pthread_create(&threads[i], NULL, launchInThread, &jobs[i]);
  }
  for (int i = 0; i < THREADS; ++i)
    pthread_join(threads[i], NULL);
  EXPECT(countCalls(logFile, "cuModuleLoadDataEx") == 1);
  EXPECT(countCalls(logFile, "cuDevicePrimaryCtxRetain") == 1);
  unsetenv("FAKE_CUDA_LOG");
  tcContractionDestroy(contraction);
}

/* A contraction may be used on several devices, but each time on one. */
static void testDevices(void *first) {
  TcContraction *contraction = compile(&contiguous, makeOptions());
  void *current = NULL, *second = NULL;
  int32_t ordinal = -1, capability = -1;
  EXPECT(cuda.retain(&second, 1) == 0);
  Data *here = makeData(60);
  EXPECT(cuda.setCurrent(second) == 0);
  Data *there = makeData(61);
  EXPECT(cuda.setCurrent(first) == 0);
  remove(logFile);
  setenv("FAKE_CUDA_LOG", logFile, 1);
  for (int run = 0; run < 2; ++run) {
    SUCCEED(launch(contraction, here, &contiguous, NULL, NULL, NULL));
    SUCCEED(launch(contraction, there, &contiguous, NULL, NULL, NULL));
  }
  EXPECT(countCalls(logFile, "cuModuleLoadDataEx") == 2);
  unsetenv("FAKE_CUDA_LOG");
  EXPECT(cuda.getCurrent(&current) == 0 && current == first);
  checkResult(here, &contiguous, 1, 0, NULL, __LINE__);
  checkResult(there, &contiguous, 1, 0, NULL, __LINE__);
  FAIL(tcContractionLaunch(
           contraction, pointerTo(here->device[0]), pointerTo(there->device[1]),
           pointerTo(here->device[2]), NULL, NULL, NULL, 0, NULL),
       INVALID_ARGUMENT, "B lies on device 1, but A on device 0");
  SUCCEED(
      tcPointerGetDevice(pointerTo(there->device[1]), &ordinal, &capability));
  EXPECT(ordinal == 1 && capability == 90);
  SUCCEED(tcPointerGetDevice(pointerTo(here->device[1]), &ordinal, NULL));
  EXPECT(ordinal == 0);
  FAIL(tcPointerGetDevice(&ordinal, &ordinal, NULL), INVALID_ARGUMENT,
       "the memory lies in the host's memory, not on a device");

  /* Managed memory goes along. */
  Address managed = 0;
  EXPECT(cuda.allocManaged(&managed, sizeof there->host[0], 1) == 0);
  memcpy(pointerTo(managed), there->host[0], sizeof there->host[0]);
  SUCCEED(tcContractionLaunch(
      contraction, pointerTo(managed), pointerTo(there->device[1]),
      pointerTo(there->device[2]), NULL, NULL, NULL, 0, NULL));
  EXPECT(cuda.freeMemory(managed) == 0);
  freeData(here);
  freeData(there);
  tcContractionDestroy(contraction);
  EXPECT(cuda.release(1) == 0);
}

/* There is nothing in no package. */
static void testNoPackage(void) {
  EXPECT(tcPackageGetDescription(NULL) == NULL);
  EXPECT(tcPackageGetTarget(NULL) == NULL);
  EXPECT(tcPackageGetKernelCount(NULL) == 0);
  EXPECT(tcPackageGetKernelName(NULL, 0) == NULL);
  EXPECT(tcPackageGetTensorCount(NULL, 0) == 0);
  EXPECT(tcPackageGetTensor(NULL, 0, 0) == NULL);
  EXPECT(tcPackageGetScalarType(NULL, 0) == 0);
  EXPECT(tcPackageTakesAlpha(NULL, 0) == 0 && tcPackageTakesBeta(NULL, 0) == 0);
  tcPackageDestroy(NULL);
}

static void testErrors(void) {
  TcContraction *contraction = compile(&contiguous, makeOptions());
  Data *data = makeData(70);
  double got[SPACE];
  char *a = pointerTo(data->device[0]), *b = pointerTo(data->device[1]),
       *c = pointerTo(data->device[2]);
#define LAUNCH(a, b, c)                                                        \
  tcContractionLaunch(contraction, a, b, c, NULL, NULL, NULL, 0, NULL)
  FAIL(LAUNCH(NULL, b, c), INVALID_ARGUMENT, "the pointer of A is NULL");
  FAIL(LAUNCH(a, data->host[1], c), INVALID_ARGUMENT,
       "B lies in the host's memory, not on a device");
  EXPECT(cuda.hostRegister(data->host[2], sizeof data->host[2], 0) == 0);
  FAIL(LAUNCH(a, b, data->host[2]), INVALID_ARGUMENT,
       "C lies in the host's memory, not on a device");
  EXPECT(cuda.hostUnregister(data->host[2]) == 0);
  FAIL(LAUNCH(a, b + 4, c), INVALID_ARGUMENT,
       "the pointer of B is no multiple of the 8 bytes of an element");
  const double one = 1;
  FAIL(launch(contraction, data, &contiguous, &one, NULL, NULL),
       INVALID_ARGUMENT,
       "alpha is given, but was compiled in: set option 'alpha' to "
       "'argument'");
  FAIL(tcContractionLaunch(NULL, a, b, c, NULL, NULL, NULL, 0, NULL),
       INVALID_ARGUMENT, "tcContractionLaunch: contraction is NULL");
  setenv("FAKE_CUDA_CAPABILITY", "75", 1);
  FAIL(LAUNCH(a, b, c), UNSUPPORTED,
       "contract.ptx: the ptx is for sm_80, device 0 (Fake GPU) is sm_75");
  unsetenv("FAKE_CUDA_CAPABILITY");
  const char *calls[] = {"cuPointerGetAttributes", "cuDevicePrimaryCtxRetain",
                         "cuCtxPushCurrent",       "cuModuleLoadDataEx",
                         "cuModuleGetFunction",    "cuLaunchKernel"};
  for (int i = 0; i < 6; ++i) {
    char message[256];
    setenv("FAKE_CUDA_FAIL", calls[i], 1);
    TcError *error = LAUNCH(a, b, c);
    snprintf(message, sizeof message, "%s: CUDA_ERROR_INVALID_VALUE", calls[i]);
    EXPECT(error && tcErrorGetCode(error) == TC_ERROR_DRIVER &&
           strstr(tcErrorGetMessage(error), message));
    tcErrorDestroy(error);
  }
  unsetenv("FAKE_CUDA_FAIL");
  EXPECT(cuda.download(got, data->device[2], sizeof got) == 0);
  EXPECT(memcmp(got, data->host[2], sizeof got) == 0);
  /* After all of that it works. */
  SUCCEED(LAUNCH(a, b, c));
  checkResult(data, &contiguous, 1, 0, NULL, __LINE__);
  tcContractionDestroy(contraction);

  contraction = compileSplit();
  const char *pool[] = {"cuMemAlloc", "cuEventCreate", "cuMemsetD8Async",
                        "cuStreamIsCapturing"};
  for (int i = 0; i < 4; ++i) {
    setenv("FAKE_CUDA_FAIL", pool[i], 1);
    TcError *error = LAUNCH(a, b, c);
    EXPECT(error && tcErrorGetCode(error) ==
                        (i == 0 ? TC_ERROR_OUT_OF_MEMORY : TC_ERROR_DRIVER));
    EXPECT(error && strstr(tcErrorGetMessage(error), pool[i]));
    tcErrorDestroy(error);
  }
  unsetenv("FAKE_CUDA_FAIL");
  SUCCEED(LAUNCH(a, b, c));
  checkResult(data, &contiguous, 1, 0, NULL, __LINE__);
  tcContractionDestroy(contraction);

  TcOptions *options = makeOptions();
  const int64_t one1[] = {1};
  const TcTensor scalar = {TC_ELEMENT_F64, 1, one1, NULL};
  const TcTensor scalars[] = {scalar, scalar, scalar};
  SUCCEED(tcContractionCompile("i,i->i", scalars, options, &contraction));
  FAIL(LAUNCH(a, b, c), UNSUPPORTED,
       "the contraction is compiled for target 'cpu': run it with "
       "tcContractionRun, or compile for a GPU");
  tcContractionDestroy(contraction);
  tcOptionsDestroy(options);
  freeData(data);
}

/* Views that begin behind an aligned address. */
static void testOffsets(void) {
  const Layout layout = {{3, (K - 1) * N + 1, 5}, {{K, 1}, {-N, 1}, {N, 1}}};
  TcOptions *options = makeOptions();
  TcContraction *contraction = NULL;
  FAIL(tcOptionsSet(options, "offset-a", "16"), INVALID_ARGUMENT,
       "option 'offset-a': '16' is no integer from 0 to 15");
  SUCCEED(tcOptionsSet(options, "offset-a", "3"));
  const int64_t extents[] = {4, 4};
  const TcTensor tensor = {TC_ELEMENT_F64, 2, extents, NULL};
  const TcTensor tensors[] = {tensor, tensor, tensor};
  FAIL(tcContractionCompile("ik,kj->ij", tensors, options, &contraction),
       INVALID_ARGUMENT,
       "A: an offset from an aligned address is for GPUs, and the target is "
       "'cpu'");
  SUCCEED(tcOptionsSet(options, "offset-b", "1"));
  SUCCEED(tcOptionsSet(options, "offset-c", "5"));
  contraction = compile(&layout, options);
  Data *data = makeData(80);
  SUCCEED(launch(contraction, data, &layout, NULL, NULL, NULL));
  checkResult(data, &layout, 1, 0, NULL, __LINE__);
  freeData(data);
  tcContractionDestroy(contraction);
}

/* Code that reads 16 bytes at once needs tensors that begin there. */
static void testAlignment(void) {
  const int64_t extents[] = {64, 64};
  const TcTensor tensor = {TC_ELEMENT_F16, 2, extents, NULL};
  const TcTensor tensors[] = {tensor, tensor, tensor};
  static char zeros[64 * 64 * 2 + 16];
  TcOptions *options = makeOptions();
  TcContraction *contraction = NULL;
  SUCCEED(tcOptionsSet(options, "target", "sm_90"));
  SUCCEED(tcContractionCompile("ik,kj->ij", tensors, options, &contraction));
  Address memory = upload(zeros, sizeof zeros);
  void *c = pointerTo(upload(zeros, sizeof zeros));
  SUCCEED(LAUNCH(pointerTo(memory + 16), pointerTo(memory), c));
  FAIL(LAUNCH(pointerTo(memory), pointerTo(memory + 2), c), INVALID_ARGUMENT,
       "the least address of B is no multiple of the 16 bytes to which the "
       "code for sm_90 takes it to be aligned");
  tcContractionDestroy(contraction);
  SUCCEED(tcOptionsSet(options, "offset-b", "1"));
  SUCCEED(tcContractionCompile("ik,kj->ij", tensors, options, &contraction));
  SUCCEED(LAUNCH(pointerTo(memory), pointerTo(memory + 2), c));
  tcContractionDestroy(contraction);
  tcOptionsDestroy(options);
  EXPECT(cuda.freeMemory(memory) == 0);
  EXPECT(cuda.freeMemory((Address)(uintptr_t)c) == 0);
}

static const char *textOf(const TcContraction *contraction, TcArtifact artifact,
                          size_t *size) {
  const char *text = NULL;
  SUCCEED(tcContractionGet(contraction, artifact, &text, size));
  return text;
}

/* Kernels that take their shape at run time, as they were compiled for one and
 * on others. */
static void testShapes(void) {
  TcOptions *options = makeOptions();
  SUCCEED(tcOptionsSet(options, "dynamic-shapes", "true"));
  TcContraction *contraction = compile(&contiguous, options);
  Data *data = makeData(11);
  SUCCEED(launch(contraction, data, &contiguous, NULL, NULL, NULL));
  checkResult(data, &contiguous, 1, 0, NULL, __LINE__);

  size_t size, codeSize;
  const char *why = textOf(contraction, TC_ARTIFACT_EXPLANATION, &size);
  EXPECT(strstr(why, "C[i,j] = A[i,k] * B[k,j]") && !strstr(why, "given"));
  TcPackage *package = NULL;
  const char *description = textOf(contraction, TC_ARTIFACT_PACKAGE, &size);
  const char *code = textOf(contraction, TC_ARTIFACT_PTX, &codeSize);
  SUCCEED(tcPackageCreate(description, code, codeSize, &package));
  /* B upside down, C with gaps; all in the memory of before. */
  const Layout views[] = {
      {{0, 0, 0}, {{K, 1}, {N, 1}, {N, 1}}},
      {{3, (K - 1) * N, 5}, {{2 * K, 2}, {-N, 1}, {3 * N + 1, 3}}}};
  const int64_t extents[3][2] = {{M, K}, {K, N}, {M, N}};
  for (int v = 0; v < 2; ++v) {
    TcTensorShape shapes[3];
    void *tensors[3];
    for (int t = 0; t < 3; ++t) {
      const TcTensorShape shape = {extents[t], views[v].strides[t]};
      shapes[t] = shape;
      tensors[t] = zeroOf(data, &views[v], t);
    }
    EXPECT(cuda.upload(data->device[2], data->host[2], sizeof data->host[2]) ==
           0);
    SUCCEED(tcPackageLaunchShaped(package, 0, tensors, 3, shapes, NULL, NULL,
                                  NULL));
    checkResult(data, &views[v], 1, 0, NULL, __LINE__);
    const int64_t wrong[2] = {K + 1, N};
    shapes[1].extents = wrong;
    FAIL(
        tcPackageLaunchShaped(package, 0, tensors, 3, shapes, NULL, NULL, NULL),
        INVALID_ARGUMENT,
        "extent of B along index 'k' is 32, but elsewhere 31");
    shapes[1].strides = NULL;
    FAIL(
        tcPackageLaunchShaped(package, 0, tensors, 3, shapes, NULL, NULL, NULL),
        INVALID_ARGUMENT, "the shape of B is NULL");
    FAIL(tcPackageLaunchShaped(package, 0, tensors, 3, NULL, NULL, NULL, NULL),
         INVALID_ARGUMENT, "tcPackageLaunchShaped: an argument is NULL");
    FAIL(
        tcPackageLaunchShaped(package, 5, tensors, 3, shapes, NULL, NULL, NULL),
        INVALID_ARGUMENT, "there is no kernel 5: the package has 2");
  }
  tcPackageDestroy(package);
  freeData(data);
  tcContractionDestroy(contraction);
}

static void testNoDriver(void) {
  TcContraction *contraction = compile(&contiguous, makeOptions());
  double data[2] = {0};
  int32_t ordinal = 0;
  const char *expected =
      "no CUDA driver: libcuda.so.1: cannot open shared object file: No such "
      "file or directory";
  FAIL(LAUNCH(data, data, data), DRIVER, expected);
  FAIL(tcPointerGetDevice(data, &ordinal, NULL), DRIVER, expected);
  tcContractionDestroy(contraction);
}

int main(int argc, char **argv) {
  if (argc < 2)
    return 2;
  cache = "off";
  snprintf(logFile, sizeof logFile, "%s/fake-cuda.log", argv[1]);
  if (argc > 2 && strcmp(argv[2], "none") == 0) {
    testNoDriver();
  } else {
    setenv("FAKE_CUDA_DEVICES", "2", 1);
    openDriver();
    void *context = useDevice(0);
    testNumbers();
    testAuxiliaries();
    testOneOperandAndNone();
    testStreams();
    testWorkspaces();
    testThreads(context);
    testDevices(context);
    testErrors();
    testNoPackage();
    testOffsets();
    testAlignment();
    testShapes();
    EXPECT(cuda.release(0) == 0);
  }
  printf(failures == 0 ? "passed\n" : "%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
