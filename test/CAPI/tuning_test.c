/*===- tuning_test.c - Schedules that are measured, from C ----------------===*\
|*                                                                            *|
|* Part of the tc project, under the Apache License v2.0 with LLVM            *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "MakeOptions.h"

#include "tc-c/Tuning.h"

#include <stdio.h>
#include <stdlib.h>

static const int64_t extentsOfA[2] = {64, 32}, extentsOfB[2] = {32, 48},
                     extentsOfC[2] = {64, 48}, empty[2] = {64, 0};
static const TcTensor tensors[3] = {{TC_ELEMENT_F32, 2, extentsOfA, NULL},
                                    {TC_ELEMENT_F32, 2, extentsOfB, NULL},
                                    {TC_ELEMENT_F32, 2, extentsOfC, NULL}};
static const char *spec = "ik,kj->ij";
static char database[4096];
enum { SPACE = 1 << 20 };
static char text[SPACE];

static TcOptions *makeOptionsFor(const char *target) {
  TcOptions *options = makeOptions();
  SUCCEED(tcOptionsSet(options, "target", target));
  SUCCEED(tcOptionsSet(options, "threads", "1"));
  return options;
}

static int count(const char *whole, const char *part) {
  int found = 0;
  while ((whole = strstr(whole, part))) {
    ++found;
    ++whole;
  }
  return found;
}

/* Copies the JSON string that follows `"key":`, with its quotes, from the last
 * place at which it stands. */
static void copyLast(const char *json, const char *key, char *to) {
  char pattern[64];
  const char *place = NULL;
  snprintf(pattern, sizeof pattern, "\"%s\":\"", key);
  for (const char *next = json; (next = strstr(next, pattern)); ++next)
    place = next;
  EXPECT(place != NULL);
  if (!place)
    exit(1);
  place += strlen(pattern) - 1;
  do {
    if (*place == '\\')
      *to++ = *place++;
    *to++ = *place++;
  } while (*place != '"');
  *to++ = '"';
  *to = 0;
}

static void testCandidates(void) {
  for (int i = 0; i < 2; ++i) {
    TcOptions *options = makeOptionsFor(i ? "sm_80" : "cpu");
    size_t length = 0, whole = 0;
    SUCCEED(tcCandidatesFind(spec, tensors, options, 1, text, SPACE, &length));
    EXPECT(count(text, "\"stored\":") == 1);
    EXPECT(length == strlen(text));
    SUCCEED(tcCandidatesFind(spec, tensors, options, 12, text, SPACE, &whole));
    EXPECT(count(text, "\"schedule\":\"#tc.") == 12);
    EXPECT(count(text, "\"stored\":\"#tc.") == 12);
    EXPECT(count(text, "\"block_k\":") == 12);
    EXPECT(strstr(text, "{\"contraction\":\"{") == text);
    EXPECT(!i || strstr(text, "\"machine\":\"sm_80\",\"syntax\":1,"));
    char start[8] = "";
    SUCCEED(tcCandidatesFind(spec, tensors, options, 12, start, sizeof start,
                             &length));
    EXPECT(strcmp(start, "{\"contr") == 0 && length == whole);
    SUCCEED(tcCandidatesFind(spec, tensors, NULL, 2, NULL, 0, &length));
    tcOptionsDestroy(options);
  }
}

static void testCandidateErrors(void) {
  size_t length;
  FAIL(tcCandidatesFind(spec, tensors, NULL, 0, text, SPACE, &length),
       INVALID_ARGUMENT,
       "tcCandidatesFind: 'most' is 0, but must be from 1 to 65536");
  FAIL(tcCandidatesFind(spec, tensors, NULL, 65537, text, SPACE, &length),
       INVALID_ARGUMENT,
       "tcCandidatesFind: 'most' is 65537, but must be from 1 to 65536");
  FAIL(tcCandidatesFind("ik,kj->il", tensors, NULL, 1, text, SPACE, &length),
       INVALID_ARGUMENT,
       "spec:1:9: error: index 'l' is in the output but in no input");
  TcTensor none[3] = {tensors[0], tensors[1], tensors[2]};
  none[0].extents = empty;
  none[1].extents = extentsOfB;
  none[1].rank = 0;
  none[2].rank = 1;
  FAIL(tcCandidatesFind("ik,->i", none, NULL, 1, text, SPACE, &length),
       UNSUPPORTED,
       "spec: 0 contractions in it need a schedule; only one can be tuned at "
       "a time");
  TcOptions *options = makeOptionsFor("sm_80");
  SUCCEED(tcOptionsSet(options, "dynamic-shapes", "true"));
  FAIL(tcCandidatesFind(spec, tensors, options, 1, text, SPACE, &length),
       INVALID_ARGUMENT,
       "option 'dynamic-shapes': schedules of kernels that take their shape "
       "at run time are not listed");
  tcOptionsDestroy(options);
}

/* Writes a line that says that the last of five candidates is the fastest, and
 * copies its schedule, with quotes. */
static void makeLine(const char *target, char *line, size_t size,
                     char *schedule) {
  static char contraction[SPACE], machine[4096], stored[4096];
  TcOptions *options = makeOptionsFor(target);
  size_t length;
  SUCCEED(tcCandidatesFind(spec, tensors, options, 5, text, SPACE, &length));
  copyLast(text, "contraction", contraction);
  copyLast(text, "machine", machine);
  copyLast(text, "stored", stored);
  copyLast(text, "schedule", schedule);
  snprintf(line, size,
           "{\"key\":{\"contraction\":%s,\"machine\":%s,\"syntax\":1},"
           "\"schedule\":%s,\"seconds\":1e-06,\"kind\":\"measured\","
           "\"date\":\"2026-11-25T19:30:08Z\",\"version\":\"0.1.0\",\"seed\":1,"
           "\"search\":\"test\"}\n",
           contraction, machine, stored);
  tcOptionsDestroy(options);
}

static void testDatabase(const char *target) {
  static char line[SPACE], schedule[4096], quoted[4096];
  size_t length;
  int64_t added = -1;
  remove(database);
  makeLine(target, line, sizeof line, schedule);
  SUCCEED(tcTuningMerge(database, "", &added));
  EXPECT(added == 0);
  SUCCEED(tcTuningExport(database, 0, text, SPACE, &length));
  EXPECT(length == 0 && !*text);
  SUCCEED(tcTuningMerge(database, line, &added));
  EXPECT(added == 1);
  SUCCEED(tcTuningMerge(database, line, NULL));
  SUCCEED(tcTuningExport(database, 0, text, SPACE, &length));
  EXPECT(strcmp(text, line) == 0 && length == strlen(line));
  SUCCEED(tcTuningExport(database, 1, text, SPACE, &length));
  EXPECT(strcmp(text, line) == 0);

  TcOptions *options = makeOptionsFor(target);
  SUCCEED(tcOptionsSet(options, "tuned", database));
  TcContraction *contraction;
  SUCCEED(tcContractionCompile(spec, tensors, options, &contraction));
  const char *got;
  SUCCEED(tcContractionGet(contraction, TC_ARTIFACT_SCHEDULE, &got, NULL));
  /* Its quotes are escaped in JSON. */
  char *end = quoted;
  *end++ = '"';
  for (; *got; *end++ = *got++)
    if (*got == '"')
      *end++ = '\\';
  *end++ = '"';
  *end = 0;
  EXPECT(strcmp(quoted, schedule) == 0);
  SUCCEED(tcContractionGet(contraction, TC_ARTIFACT_EXPLANATION, &got, NULL));
  EXPECT(strstr(got, "tuned "));
  EXPECT(strstr(got, "measured 1 us by tc 0.1.0, search test"));
  tcContractionDestroy(contraction);
  SUCCEED(tcOptionsSet(options, "tuned", "off"));
  SUCCEED(tcContractionCompile(spec, tensors, options, &contraction));
  SUCCEED(tcContractionGet(contraction, TC_ARTIFACT_EXPLANATION, &got, NULL));
  EXPECT(!strstr(got, "tuned "));
  tcContractionDestroy(contraction);
  tcOptionsDestroy(options);
}

static void testErrors(void) {
  char message[8192];
  size_t length;
  int64_t added;
  FAIL(tcTuningMerge(database, "{}", &added), INVALID_ARGUMENT,
       "evaluations:1: $: missing key \"key\"");
  remove(database);
  snprintf(message, sizeof message, "the tuning database %s does not exist",
           database);
  FAIL(tcTuningExport(database, 0, text, SPACE, &length), UNSUPPORTED, message);
  TcOptions *options = makeOptionsFor("cpu");
  TcContraction *contraction;
  SUCCEED(tcOptionsSet(options, "tuned", database));
  FAIL(tcContractionCompile(spec, tensors, options, &contraction), UNSUPPORTED,
       message);
  FILE *file = fopen(database, "w");
  fputs("this is no database, but a text that is longer than its header", file);
  fclose(file);
  snprintf(message, sizeof message,
           "the tuning database %s is damaged: file is not a database",
           database);
  FAIL(tcTuningMerge(database, "", &added), UNSUPPORTED, message);
  FAIL(tcTuningExport(database, 1, text, SPACE, &length), UNSUPPORTED, message);
  FAIL(tcContractionCompile(spec, tensors, options, &contraction), UNSUPPORTED,
       message);
  tcOptionsDestroy(options);
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  cache = argv[1];
  snprintf(database, sizeof database, "%s.sqlite", cache);
  testCandidates();
  testCandidateErrors();
  testDatabase("cpu");
  testDatabase("sm_80");
  testErrors();
  printf(failures == 0 ? "passed\n" : "%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
