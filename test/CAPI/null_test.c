/*===- null_test.c - NULL for each pointer of each function ---------------===*\
|*                                                                            *|
|* Part of the tc project, under the Apache License v2.0 with LLVM            *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Usage: null_test FOLDER, which has the package matmul.json. Finds the fake *|
|* driver on LD_LIBRARY_PATH. Each call succeeds with all its pointers, those *|
|* within structures included. With NULL in the place of one of them, it      *|
|* fails in one line that says so, or succeeds, where NULL is allowed.        *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "FakeDevice.h"
#include "MakeOptions.h"

#include "tc-c/CpuRuntime.h"
#include "tc-c/Order.h"
#include "tc-c/Package.h"
#include "tc-c/Program.h"
#include "tc-c/Tuning.h"

#include <stdlib.h>
#include <unistd.h>

enum { M = 4, N = 3, K = 5, SPACE = 64 };

/* The number of the pointer that is NULL; -1 if none is. */
static int without;

#define POINTER(number, pointer) ((number) == without ? NULL : (pointer))

/* Arguments of the calls. */
static TcOptions *options;
static TcContraction *plain, *onHost, *onDevice, *shaped, *ofAnyShape;
static TcPackage *package, *shapedPackage;
static TcProgram *hostProgram, *deviceProgram;
static const char *folder;
static float a[SPACE], b[SPACE], c[SPACE], bias[N], one = 1;
static void *deviceA, *deviceB, *deviceC, *deviceBias;
static const int64_t extentsOfA[2] = {M, K}, extentsOfB[2] = {K, N},
                     extentsOfC[2] = {M, N}, stridesOfA[2] = {K, 1},
                     stridesOfB[2] = {N, 1}, stridesOfC[2] = {N, 1};
static const int64_t extentsOfBias[1] = {N}, stridesOfBias[1] = {1};

/*--- Functions that can fail ------------------------------------------------*/

static TcError *createOptions(void) {
  TcOptions *made = NULL;
  TcError *error = tcOptionsCreate(POINTER(0, &made));
  tcOptionsDestroy(made);
  return error;
}

static TcError *describeOptions(void) {
  char text[SPACE];
  size_t length;
  return tcOptionsDescribe(POINTER(0, text), sizeof text, POINTER(1, &length));
}

static TcError *setOption(void) {
  return tcOptionsSet(POINTER(0, options), POINTER(1, "threads"),
                      POINTER(2, "1"));
}

static TcError *setAuxiliary(void) {
  const TcTensor tensor = {TC_ELEMENT_F32, 1, POINTER(3, extentsOfBias),
                           POINTER(4, stridesOfBias)};
  return tcOptionsSetAuxiliary(POINTER(0, options), POINTER(1, "bias"),
                               POINTER(2, &tensor));
}

static TcError *getOne(void) {
  float got;
  return tcSemiringGetOne(POINTER(0, "max_plus"), TC_ELEMENT_F32,
                          POINTER(1, &got));
}

static TcError *expand(void) {
  const int32_t ranks[2] = {2, 2};
  char text[SPACE];
  size_t length;
  return tcSubscriptsExpand(POINTER(0, "ik,kj"), POINTER(1, ranks), 2,
                            POINTER(2, text), sizeof text, POINTER(3, &length));
}

static TcError *findOrder(void) {
  const TcTensor tensors[2] = {
      {TC_ELEMENT_F32, 2, POINTER(5, extentsOfA), POINTER(7, stridesOfA)},
      {TC_ELEMENT_F32, 2, POINTER(6, extentsOfB), POINTER(8, stridesOfB)}};
  char text[SPACE];
  size_t length;
  return tcOrderFind(POINTER(0, "ik,kj->ij"), POINTER(1, tensors), 2,
                     POINTER(2, options), POINTER(3, text), sizeof text,
                     POINTER(4, &length));
}

static TcError *findCandidates(void) {
  const TcTensor tensors[3] = {
      {TC_ELEMENT_F32, 2, POINTER(5, extentsOfA), POINTER(8, stridesOfA)},
      {TC_ELEMENT_F32, 2, POINTER(6, extentsOfB), POINTER(9, stridesOfB)},
      {TC_ELEMENT_F32, 2, POINTER(7, extentsOfC), POINTER(10, stridesOfC)}};
  char text[SPACE];
  size_t length;
  TcOptions *chosen = makeOptions();
  TcError *error = tcCandidatesFind(
      POINTER(0, "ik,kj->ij"), POINTER(1, tensors), POINTER(2, chosen), 1,
      POINTER(3, text), sizeof text, POINTER(4, &length));
  tcOptionsDestroy(chosen);
  return error;
}

/* An empty file, which is a database without evaluations. */
static char database[] = "/tmp/tc-null-test-XXXXXX";

static TcError *mergeTuning(void) {
  int64_t added;
  return tcTuningMerge(POINTER(0, database), POINTER(1, ""),
                       POINTER(2, &added));
}

static TcError *exportTuning(void) {
  char text[SPACE];
  size_t length;
  return tcTuningExport(POINTER(0, database), 0, POINTER(1, text), sizeof text,
                        POINTER(2, &length));
}

static TcError *compile(void) {
  const TcTensor tensors[3] = {
      {TC_ELEMENT_F32, 2, POINTER(4, extentsOfA), POINTER(7, stridesOfA)},
      {TC_ELEMENT_F32, 2, POINTER(5, extentsOfB), POINTER(8, stridesOfB)},
      {TC_ELEMENT_F32, 2, POINTER(6, extentsOfC), POINTER(9, stridesOfC)}};
  TcContraction *made = NULL;
  TcOptions *chosen = makeOptions();
  TcError *error =
      tcContractionCompile(POINTER(0, "ik,kj->ij"), POINTER(1, tensors),
                           POINTER(2, chosen), POINTER(3, &made));
  tcOptionsDestroy(chosen);
  tcContractionDestroy(made);
  return error;
}

static TcError *compileText(void) {
  TcContraction *made = NULL;
  TcOptions *chosen = makeOptions();
  TcError *error = tcContractionCompileText(
      POINTER(0, "ik,kj->ij\ni=4, k=5, j=3"), POINTER(1, "einsum"),
      POINTER(2, chosen), POINTER(3, &made));
  tcOptionsDestroy(chosen);
  tcContractionDestroy(made);
  return error;
}

static TcError *run(void) {
  return tcContractionRun(POINTER(0, plain), POINTER(1, a), POINTER(2, b),
                          POINTER(3, c), POINTER(4, &one), POINTER(5, &one));
}

static TcError *runWithAuxiliaries(void) {
  const TcAuxiliary side = {POINTER(7, "bias"), POINTER(8, bias)};
  return tcContractionRunWithAuxiliaries(
      POINTER(0, onHost), POINTER(1, a), POINTER(2, b), POINTER(3, c),
      POINTER(4, &one), POINTER(5, &one), POINTER(6, &side), 1);
}

static TcError *runShaped(void) {
  const TcTensorShape shapes[3] = {
      {POINTER(7, extentsOfA), NULL},
      {POINTER(8, extentsOfB), NULL},
      {POINTER(9, extentsOfC), POINTER(10, stridesOfC)}};
  return tcContractionRunShaped(POINTER(0, ofAnyShape), POINTER(6, shapes),
                                POINTER(1, a), POINTER(2, b), POINTER(3, c),
                                POINTER(4, &one), POINTER(5, &one));
}

/* Former names: messages have the new ones. */
static TcError *setSide(void) {
  return tcOptionsSetSide(POINTER(0, options), POINTER(1, "bias"), NULL);
}

static TcError *runWithSides(void) {
  const TcSide side = {POINTER(7, "bias"), POINTER(8, bias)};
  return tcContractionRunWithSides(
      POINTER(0, onHost), POINTER(1, a), POINTER(2, b), POINTER(3, c),
      POINTER(4, &one), POINTER(5, &one), POINTER(6, &side), 1);
}

static TcError *launch(void) {
  const TcAuxiliary side = {POINTER(7, "bias"), POINTER(8, deviceBias)};
  return tcContractionLaunch(POINTER(0, onDevice), POINTER(1, deviceA),
                             POINTER(2, deviceB), POINTER(3, deviceC),
                             POINTER(4, &one), POINTER(5, &one),
                             POINTER(6, &side), 1, NULL);
}

static TcError *get(void) {
  const char *data;
  size_t size;
  return tcContractionGet(POINTER(0, onHost), TC_ARTIFACT_MLIR,
                          POINTER(1, &data), POINTER(2, &size));
}

static TcError *load(void) {
  char path[4096];
  TcPackage *made = NULL;
  snprintf(path, sizeof path, "%s/matmul.json", folder);
  TcError *error = tcPackageLoad(POINTER(0, path), POINTER(1, &made));
  tcPackageDestroy(made);
  return error;
}

static TcError *createPackage(void) {
  TcPackage *made = NULL;
  TcError *error = tcPackageCreate(POINTER(0, tcPackageGetDescription(package)),
                                   POINTER(1, "nothing"), 7, POINTER(2, &made));
  tcPackageDestroy(made);
  return error;
}

/* The second kernel takes both factors. */
static TcError *launchPackage(void) {
  void *const tensors[3] = {POINTER(4, deviceA), POINTER(5, deviceB),
                            POINTER(6, deviceC)};
  return tcPackageLaunch(POINTER(0, package), 1, POINTER(1, tensors), 3,
                         POINTER(2, &one), POINTER(3, &one), NULL);
}

static TcError *launchShaped(void) {
  void *const tensors[3] = {POINTER(5, deviceA), POINTER(6, deviceB),
                            POINTER(7, deviceC)};
  const TcTensorShape shapes[3] = {
      {POINTER(8, extentsOfA), POINTER(9, stridesOfA)},
      {POINTER(10, extentsOfB), POINTER(11, stridesOfB)},
      {POINTER(12, extentsOfC), POINTER(13, stridesOfC)}};
  return tcPackageLaunchShaped(POINTER(0, shapedPackage), 0,
                               POINTER(1, tensors), 3, POINTER(2, shapes),
                               POINTER(3, &one), POINTER(4, &one), NULL);
}

static const char *programText = "type = f32\ni = 4, k = 5, j = 3\n"
                                 "T[i,j] = A[i,k] * B[k,j]\n"
                                 "C[i,j] = T[i,j] * s[]\n";

static TcError *compileProgram(void) {
  TcProgram *made = NULL;
  TcOptions *chosen = makeOptions();
  TcError *error =
      tcProgramCompile(POINTER(0, programText), POINTER(1, "tensors"),
                       POINTER(2, chosen), POINTER(3, &made));
  tcOptionsDestroy(chosen);
  tcProgramDestroy(made);
  return error;
}

static TcError *compileProduct(void) {
  const TcTensor tensors[2] = {
      {TC_ELEMENT_F32, 2, POINTER(4, extentsOfA), NULL},
      {TC_ELEMENT_F32, 2, POINTER(5, extentsOfB), NULL}};
  TcProgram *made = NULL;
  TcOptions *chosen = makeOptions();
  TcError *error =
      tcProgramCompileEinsum(POINTER(0, "ik,kj->ij"), POINTER(1, tensors), 2,
                             POINTER(2, chosen), POINTER(3, &made));
  tcOptionsDestroy(chosen);
  tcProgramDestroy(made);
  return error;
}

static TcError *describeProgram(void) {
  char text[SPACE];
  size_t length;
  return tcProgramDescribe(POINTER(0, programText), POINTER(1, "tensors"),
                           POINTER(2, text), sizeof text, POINTER(3, &length));
}

static TcError *runProgram(void) {
  void *const tensors[4] = {POINTER(2, a), POINTER(3, b), POINTER(4, bias),
                            POINTER(5, c)};
  return tcProgramRun(POINTER(0, hostProgram), POINTER(1, tensors), 4, NULL);
}

/* Of a program that takes no extents, as tcProgramRun. */
static TcError *runShapedProgram(void) {
  void *const tensors[4] = {POINTER(2, a), POINTER(3, b), POINTER(4, bias),
                            POINTER(5, c)};
  return tcProgramRunShaped(POINTER(0, hostProgram), NULL, 0,
                            POINTER(1, tensors), 4, NULL);
}

static TcError *getShapedBytes(void) {
  int64_t bytes;
  return tcProgramGetShapedWorkspaceBytes(POINTER(0, hostProgram), NULL, 0,
                                          POINTER(1, &bytes));
}

static TcError *getOfProgram(void) {
  const char *data;
  size_t size;
  return tcProgramGet(POINTER(0, hostProgram), TC_ARTIFACT_HEADER,
                      POINTER(1, &data), POINTER(2, &size));
}

static TcError *launchProgram(void) {
  void *const tensors[4] = {POINTER(2, deviceA), POINTER(3, deviceB),
                            POINTER(4, deviceBias), POINTER(5, deviceC)};
  return tcPackageRunProgram(POINTER(0, tcProgramGetPackage(deviceProgram)), 0,
                             POINTER(1, tensors), 4, NULL, NULL);
}

static TcError *createGraph(void) {
  void *const tensors[4] = {POINTER(3, deviceA), POINTER(4, deviceB),
                            POINTER(5, deviceBias), POINTER(6, deviceC)};
  TcProgramGraph *graph = NULL;
  TcError *error =
      tcProgramGraphCreate(POINTER(0, tcProgramGetPackage(deviceProgram)), 0,
                           POINTER(1, tensors), 4, NULL, POINTER(2, &graph));
  tcProgramGraphDestroy(graph);
  return error;
}

/* Of a program that takes no extents, as without. */
static TcError *launchShapedProgram(void) {
  void *const tensors[4] = {POINTER(2, deviceA), POINTER(3, deviceB),
                            POINTER(4, deviceBias), POINTER(5, deviceC)};
  return tcPackageRunShapedProgram(
      POINTER(0, tcProgramGetPackage(deviceProgram)), 0, NULL, 0,
      POINTER(1, tensors), 4, NULL, NULL);
}

static TcError *getBytesOfPackage(void) {
  int64_t bytes;
  return tcPackageGetShapedWorkspaceBytes(
      POINTER(0, tcProgramGetPackage(deviceProgram)), 0, NULL, 0,
      POINTER(1, &bytes));
}

static TcError *createShapedGraph(void) {
  void *const tensors[4] = {POINTER(3, deviceA), POINTER(4, deviceB),
                            POINTER(5, deviceBias), POINTER(6, deviceC)};
  TcProgramGraph *graph = NULL;
  TcError *error = tcShapedProgramGraphCreate(
      POINTER(0, tcProgramGetPackage(deviceProgram)), 0, NULL, 0,
      POINTER(1, tensors), 4, NULL, POINTER(2, &graph));
  tcProgramGraphDestroy(graph);
  return error;
}

static TcError *launchGraph(void) {
  void *const tensors[4] = {deviceA, deviceB, deviceBias, deviceC};
  TcProgramGraph *graph = NULL;
  SUCCEED(tcProgramGraphCreate(tcProgramGetPackage(deviceProgram), 0, tensors,
                               4, NULL, &graph));
  TcError *error = tcProgramGraphLaunch(POINTER(0, graph), NULL);
  tcProgramGraphDestroy(graph);
  return error;
}

static TcError *findDevice(void) {
  int32_t ordinal, capability;
  return tcPointerGetDevice(POINTER(0, deviceA), POINTER(1, &ordinal),
                            POINTER(2, &capability));
}

/* NULL is the default stream. */
static TcError *orderStreams(void) {
  void *stream = NULL;
  EXPECT(cuda.streamCreate(&stream, 0) == 0);
  TcError *error = tcStreamsOrder(0, POINTER(0, stream), POINTER(1, stream));
  EXPECT(cuda.streamDestroy(stream) == 0);
  return error;
}

/* Those that are allowed to be NULL are bits of `optional`. */
static const struct {
  const char *name;
  TcError *(*call)(void);
  int pointers;
  unsigned optional;
} functions[] = {
    {"tcOptionsCreate", createOptions, 1, 0},
    {"tcOptionsSet", setOption, 3, 0},
    {"tcOptionsDescribe", describeOptions, 2, 0},
    {"tcOptionsSetAuxiliary", setAuxiliary, 5, 1 << 2 | 1 << 4},
    {"tcSemiringGetOne", getOne, 2, 0},
    {"tcSubscriptsExpand", expand, 4, 0},
    {"tcOrderFind", findOrder, 9, 1 << 2 | 1 << 7 | 1 << 8},
    {"tcCandidatesFind", findCandidates, 11,
     1 << 2 | 1 << 8 | 1 << 9 | 1 << 10},
    {"tcTuningMerge", mergeTuning, 3, 1 << 2},
    {"tcTuningExport", exportTuning, 3, 0},
    {"tcContractionCompile", compile, 10, 1 << 2 | 1 << 7 | 1 << 8 | 1 << 9},
    {"tcContractionCompileText", compileText, 4, 1 << 2},
    {"tcContractionRun", run, 6, 0},
    {"tcContractionRunWithAuxiliaries", runWithAuxiliaries, 9, 0},
    {"tcOptionsSetAuxiliary", setSide, 2, 0},
    {"tcContractionRunWithAuxiliaries", runWithSides, 9, 0},
    {"tcContractionRunShaped", runShaped, 11, 1 << 10},
    {"tcContractionLaunch", launch, 9, 0},
    {"tcContractionGet", get, 3, 1 << 2},
    {"tcPackageLoad", load, 2, 0},
    {"tcPackageCreate", createPackage, 3, 0},
    // B is a single number: without it, it is one.
    {"tcPackageLaunch", launchPackage, 7, 1 << 5},
    {"tcPackageLaunchShaped", launchShaped, 14, 0},
    {"tcProgramCompile", compileProgram, 4, 1 << 2},
    {"tcProgramCompileEinsum", compileProduct, 6, 1 << 2},
    {"tcProgramDescribe", describeProgram, 4, 0},
    {"tcProgramRun", runProgram, 6, 0},
    {"tcProgramRunShaped", runShapedProgram, 6, 0},
    {"tcProgramGetShapedWorkspaceBytes", getShapedBytes, 2, 0},
    {"tcProgramGet", getOfProgram, 3, 1 << 2},
    {"tcPackageRunProgram", launchProgram, 6, 0},
    {"tcPackageRunShapedProgram", launchShapedProgram, 6, 0},
    {"tcPackageGetShapedWorkspaceBytes", getBytesOfPackage, 2, 0},
    {"tcProgramGraphCreate", createGraph, 7, 0},
    {"tcShapedProgramGraphCreate", createShapedGraph, 7, 0},
    {"tcProgramGraphLaunch", launchGraph, 1, 0},
    {"tcPointerGetDevice", findDevice, 3, 1 << 2},
    {"tcStreamsOrder", orderStreams, 2, 1 << 0 | 1 << 1},
};

static void testFunctions(void) {
  for (size_t f = 0; f < sizeof functions / sizeof *functions; ++f)
    for (without = -1; without < functions[f].pointers; ++without) {
      TcError *error = functions[f].call();
      int isAllowed = without < 0 || (functions[f].optional >> without & 1);
      const char *message = tcErrorGetMessage(error);
      int isRight =
          isAllowed
              ? !error
              : error && tcErrorGetCode(error) == TC_ERROR_INVALID_ARGUMENT &&
                    (strstr(message, "NULL") ||
                     strstr(message, "is not given")) &&
                    !strchr(message, '\n');
      if (!isRight) {
        printf("%s with NULL for pointer %d: %s\n", functions[f].name, without,
               error ? message : "no error");
        ++failures;
      }
      tcErrorDestroy(error);
    }
}

/*--- Functions that cannot --------------------------------------------------*/

static void testGetters(void) {
  FAIL(tcOptionsSet(NULL, NULL, NULL), INVALID_ARGUMENT,
       "tcOptionsSet: an argument is NULL");
  EXPECT(tcErrorGetCode(NULL) == 0);
  EXPECT(strcmp(tcErrorGetMessage(NULL), "") == 0);
  EXPECT(tcContractionGetScalarType(NULL) == 0);
  EXPECT(tcContractionGetAuxiliaryCount(NULL) == 0);
  EXPECT(tcContractionGetAuxiliaryName(NULL, 0) == NULL);
  EXPECT(tcContractionGetSideCount(NULL) == 0);
  EXPECT(tcContractionGetSideName(NULL, 0) == NULL);
  EXPECT(tcPackageGetDescription(NULL) == NULL);
  EXPECT(tcPackageGetTarget(NULL) == NULL);
  EXPECT(tcPackageGetKernelCount(NULL) == 0);
  EXPECT(tcPackageGetKernelName(NULL, 0) == NULL);
  EXPECT(tcPackageGetTensorCount(NULL, 0) == 0);
  EXPECT(tcPackageGetTensor(NULL, 0, 0) == NULL);
  EXPECT(tcPackageGetScalarType(NULL, 0) == 0);
  EXPECT(tcPackageTakesAlpha(NULL, 0) == 0);
  EXPECT(tcPackageTakesBeta(NULL, 0) == 0);
  EXPECT(tcPackageGetProgramCount(NULL) == 0);
  EXPECT(tcPackageGetProgramName(NULL, 0) == NULL);
  EXPECT(tcPackageGetExtentCount(NULL, 0) == 0);
  EXPECT(tcPackageGetExtentName(NULL, 0, 0) == NULL);
  EXPECT(tcPackageGetParameterCount(NULL, 0) == 0);
  EXPECT(tcPackageGetParameter(NULL, 0, 0) == NULL);
  EXPECT(tcPackageGetWorkspaceBytes(NULL, 0) == 0);
  EXPECT(tcPackageGetWorkspaceAlignment(NULL, 0) == 0);
  EXPECT(tcPackageGetStepCount(NULL, 0) == 0);
  EXPECT(tcProgramGetName(NULL) == NULL);
  EXPECT(tcProgramGetParameterCount(NULL) == 0);
  EXPECT(tcProgramGetParameter(NULL, 0) == NULL);
  EXPECT(tcProgramGetWorkspaceBytes(NULL) == 0);
  EXPECT(tcProgramGetWorkspaceAlignment(NULL) == 0);
  EXPECT(tcProgramGetPackage(NULL) == NULL);
  EXPECT(tcProgramGetExtentCount(NULL) == 0);
  EXPECT(tcProgramGetExtentName(NULL, 0) == NULL);
  EXPECT(tcCpuContract(NULL, 0, TC_ELEMENT_F32, TC_ELEMENT_F32, TC_ELEMENT_F32,
                       0, NULL, NULL, NULL, NULL, NULL,
                       1) == TC_ERROR_INVALID_ARGUMENT);
  EXPECT(tcCpuCombine(NULL, 0, TC_ELEMENT_F32, 0, NULL, NULL, NULL, NULL, NULL,
                      NULL, 1) == TC_ERROR_INVALID_ARGUMENT);
  EXPECT(tcCpuThreadsSet(0, NULL) == 0);
  EXPECT(tcCpuThreadsSetHere(0, NULL) == 0);
  tcProgramDestroy(NULL);
  tcProgramGraphDestroy(NULL);
  tcErrorDestroy(NULL);
  tcOptionsDestroy(NULL);
  tcContractionDestroy(NULL);
  tcPackageDestroy(NULL);
}

/*--- What the calls are made with -------------------------------------------*/

static TcContraction *make(const char *target, const char *epilogue,
                           const char *dynamicShapes) {
  const TcTensor tensors[3] = {{TC_ELEMENT_F32, 2, extentsOfA, NULL},
                               {TC_ELEMENT_F32, 2, extentsOfB, NULL},
                               {TC_ELEMENT_F32, 2, extentsOfC, NULL}};
  TcContraction *made = NULL;
  TcOptions *chosen = makeOptions();
  SUCCEED(tcOptionsSet(chosen, "target", target));
  SUCCEED(tcOptionsSet(chosen, "epilogue", epilogue));
  SUCCEED(tcOptionsSet(chosen, "dynamic-shapes", dynamicShapes));
  SUCCEED(tcOptionsSet(chosen, "alpha", "argument"));
  SUCCEED(tcOptionsSet(chosen, "beta", "argument"));
  SUCCEED(tcContractionCompile("ik,kj->ij", tensors, chosen, &made));
  tcOptionsDestroy(chosen);
  return made;
}

static TcProgram *makeProgram(const char *target) {
  TcProgram *made = NULL;
  TcOptions *chosen = makeOptions();
  SUCCEED(tcOptionsSet(chosen, "target", target));
  SUCCEED(tcProgramCompile(programText, "tensors", chosen, &made));
  tcOptionsDestroy(chosen);
  return made;
}

static void *onTheDevice(const void *data, size_t bytes) {
  return pointerTo(upload(data, bytes));
}

static void setUp(void) {
  uint64_t seed = 1;
  for (int i = 0; i < SPACE; ++i) {
    a[i] = (float)randomNumber(&seed);
    b[i] = (float)randomNumber(&seed);
  }
  openDriver();
  useDevice(0);
  deviceA = onTheDevice(a, sizeof a);
  deviceB = onTheDevice(b, sizeof b);
  deviceC = onTheDevice(c, sizeof c);
  deviceBias = onTheDevice(bias, sizeof bias);
  int file = mkstemp(database);
  EXPECT(file >= 0 && close(file) == 0);
  options = makeOptions();
  plain = make("cpu", "", "false");
  onHost = make("cpu", "x + bias[j]", "false");
  ofAnyShape = make("cpu", "", "true");
  onDevice = make("sm_80", "x + bias[j]", "false");
  shaped = make("sm_80", "", "true");
  hostProgram = makeProgram("cpu");
  deviceProgram = makeProgram("sm_80");
  char path[4096];
  snprintf(path, sizeof path, "%s/matmul.json", folder);
  SUCCEED(tcPackageLoad(path, &package));
  const char *description = NULL, *code = NULL;
  size_t codeBytes = 0;
  SUCCEED(tcContractionGet(shaped, TC_ARTIFACT_PACKAGE, &description, NULL));
  SUCCEED(tcContractionGet(shaped, TC_ARTIFACT_PTX, &code, &codeBytes));
  SUCCEED(tcPackageCreate(description, code, codeBytes, &shapedPackage));
}

static void tearDown(void) {
  remove(database);
  tcProgramDestroy(deviceProgram);
  tcProgramDestroy(hostProgram);
  tcPackageDestroy(shapedPackage);
  tcPackageDestroy(package);
  tcContractionDestroy(shaped);
  tcContractionDestroy(onDevice);
  tcContractionDestroy(onHost);
  tcContractionDestroy(ofAnyShape);
  tcContractionDestroy(plain);
  tcOptionsDestroy(options);
  void *const memory[] = {deviceA, deviceB, deviceC, deviceBias};
  for (int i = 0; i < 4; ++i)
    EXPECT(cuda.freeMemory((Address)(uintptr_t)memory[i]) == 0);
  EXPECT(cuda.release(0) == 0);
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  cache = "off";
  folder = argv[1];
  setUp();
  if (failures == 0) {
    testFunctions();
    testGetters();
  }
  tearDown();
  printf(failures == 0 ? "passed\n" : "%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
