/*===- options_test.c - Table of options, from C --------------------------===*\
|*                                                                            *|
|* Part of the tc project, under the Apache License v2.0 with LLVM            *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "Expect.h"

#include "tc-c/Contraction.h"

enum { SPACE = 1 << 14, MOST = 64 };

static char text[SPACE];

/* Copies the text in quotes behind a name; what follows, or NULL. */
static const char *copyQuoted(const char *from, const char *name, char *to) {
  const char *begin = strstr(from, name);
  if (!begin)
    return NULL;
  begin += strlen(name);
  size_t length = strcspn(begin, "\"");
  EXPECT(length < MOST);
  memcpy(to, begin, length);
  to[length] = '\0';
  return begin + length;
}

/* Each key is taken with its default, and refused with what none of them has.
 */
static void testKeys(void) {
  TcOptions *options;
  SUCCEED(tcOptionsCreate(&options));
  char key[MOST], value[MOST], kind[MOST];
  int keys = 0;
  for (const char *rest = text;
       (rest = copyQuoted(rest, "{\"key\":\"", key)) != NULL; ++keys) {
    rest = copyQuoted(rest, "\"kind\":\"", kind);
    rest = copyQuoted(rest, "\"default\":\"", value);
    SUCCEED(tcOptionsSet(options, key, value));
    if (strcmp(kind, "text") == 0)
      continue;
    TcError *error = tcOptionsSet(options, key, "@");
    EXPECT(error != NULL);
    tcErrorDestroy(error);
  }
  EXPECT(keys > 30);
  tcOptionsDestroy(options);
}

static void expectText(const char *part) {
  if (strstr(text, part))
    return;
  printf("no %s in %s\n", part, text);
  ++failures;
}

int main(void) {
  size_t length = 0;
  FAIL(tcOptionsDescribe(NULL, 1, &length), INVALID_ARGUMENT,
       "tcOptionsDescribe: an argument is NULL");
  SUCCEED(tcOptionsDescribe(NULL, 0, &length));
  EXPECT(length < sizeof text);
  SUCCEED(tcOptionsDescribe(text, sizeof text, &length));
  EXPECT(length == strlen(text));
  testKeys();
  expectText("{\"key\":\"threads\",\"kind\":\"integer\",\"default\":\"0\","
             "\"least\":0,\"most\":65536,\"machine\":\"cpu\","
             "\"changes_code\":true,\"help\":\"Threads that ");
  expectText("{\"key\":\"dynamic-shapes\",\"former_key\":\"any-shape\","
             "\"kind\":\"flag\",\"default\":\"false\",\"machine\":");
  expectText("{\"key\":\"precision\",\"kind\":\"choice\",\"default\":\"ieee\","
             "\"values\":[\"ieee\",\"tf32\",\"3xtf32\",\"bf16x3\"],");
  expectText("\"specialize\",\"kind\":\"choice\",\"default\":\"always\",");
  expectText("{\"key\":\"cache-size\",\"kind\":\"integer\","
             "\"default\":\"256\",\"least\":1,\"most\":1048576,"
             "\"machine\":\"cpu\",\"changes_code\":false,");
  expectText("{\"key\":\"name\",\"kind\":\"text\",\"default\":\"contract\",");
  printf(failures == 0 ? "passed\n" : "%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
