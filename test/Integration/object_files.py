#!/usr/bin/env python3
"""Compiles contractions to object files and calls them from C.

The caller includes the header, is built with AddressSanitizer and
UndefinedBehaviorSanitizer, and compares with loops, whose sums are exact.
"""

import os
import random
import shutil
import sys

import harness

# MLIR functions on memrefs, and the loops in C that compute the same.
CALLER = r"""
#include "contraction.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  enum { I = %(i)d, J = %(j)d, K = %(k)d };
  %(type)s *a = malloc(sizeof(*a) * I * J), *b = malloc(sizeof(*b) * J * K),
      *c = malloc(sizeof(*c) * I * K), *d = malloc(sizeof(*d) * I * K);
  for (int x = 0; x < I * J; ++x) a[x] = (x * 7 %% 13) - 6;
  for (int x = 0; x < J * K; ++x) b[x] = (x * 5 %% 11) - 5;
  for (int x = 0; x < I * K; ++x) d[x] = c[x] = x %% 3;
  for (int i = 0; i < I; ++i)
    for (int k = 0; k < K; ++k) {
      %(type)s sum = 0;
      for (int j = 0; j < J; ++j) sum += a[i * J + j] * b[j * K + k];
      d[i * K + k] = 3 * sum + 2 * d[i * K + k];
    }
  matmul_contraction(a, b, c, 2);
  int wrong = 0;
  for (int x = 0; x < I * K; ++x) wrong += !(c[x] == d[x]);
  free(a); free(b); free(c); free(d);
  printf("%%d wrong\n", wrong);
  return wrong != 0;
}
"""

MODULE = """
func.func @matmul(%A: memref<{i}x{j}x{type}>, %B: memref<{j}x{k}x{type}>,
                  %C: memref<{i}x{k}x{type}>, %beta: {type}) {{
  %alpha = arith.constant 3.0 : {type}
  tc.contract [i, j], [j, k] -> [i, k]
    ins(%A, %B : memref<{i}x{j}x{type}>, memref<{j}x{k}x{type}>)
    outs(%C : memref<{i}x{k}x{type}>) alpha(%alpha : {type}) beta(%beta : {type})
  return
}}
"""


def find_compiler():
    for name in ("clang-22", "clang", "cc"):
        if shutil.which(name):
            return name
    return None


def case(name, i, j, k, element_type, threads=1):
    def run(context):
        compiler = find_compiler()
        if not compiler:
            raise harness.Failure("no C compiler: clang-22, clang or cc")
        folder = f"{context.folder}/{name}"
        os.mkdir(folder)
        module = context.write(f"{name}/module.mlir", MODULE.format(
            i=i, j=j, k=k, type=element_type))
        lowered, output = f"{folder}/lowered.mlir", f"{folder}/contraction"
        context.call([context.tool("tc-opt"), "--tc-cpu-pipeline=outline "
                      f"threads={threads}", module, "-o", lowered])
        context.call([context.tool("tc-translate"), "--tc-to-object", lowered,
                      "-o", output + ".o"])
        context.call([context.tool("tc-translate"), "--tc-to-header", lowered,
                      "-o", output + ".h"])
        needs_openmp = f"Runs on {threads} threads" in open(
            output + ".h", encoding="utf-8").read()
        if needs_openmp != (threads > 1):
            raise harness.Failure("the header is wrong about threads")
        libraries = ["-L/usr/lib/llvm-22/lib", "-lomp"] if needs_openmp else []
        caller = context.write(f"{name}/caller.c", CALLER % {
            "i": i, "j": j, "k": k,
            "type": "double" if element_type == "f64" else "float"})
        context.call([compiler, "-O1", "-g", "-Wall", "-Werror",
                      "-fsanitize=address,undefined",
                      "-fno-sanitize-recover=all", caller, output + ".o",
                      *libraries, "-o", f"{folder}/caller"])
        context.call([f"{folder}/caller"])

    return harness.Case(name, run)


def main():
    arguments = harness.parser(__doc__).parse_args()
    rng = random.Random(1)
    shapes = [(1, 1, 1), (24, 24, 24), (64, 300, 48)]
    shapes += [tuple(rng.randint(1, 70) for _ in range(3)) for _ in range(5)]
    cases = [case(f"{i}x{j}x{k}-{element_type}", i, j, k, element_type)
             for i, j, k in shapes for element_type in ("f64", "f32")]
    cases += [case(f"{threads}-threads", 250, 300, 260, "f64", threads)
              for threads in (2, 3)]
    return harness.main(cases, arguments)


if __name__ == "__main__":
    sys.exit(main())
