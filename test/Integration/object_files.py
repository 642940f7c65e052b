#!/usr/bin/env python3
"""Compiles contractions to object files and calls them from C.

--machine=aarch64 compiles for another machine, with NEON, and runs the caller
in QEMU; the pages are guarded there, too, but there are no sanitizers.

Drawn are products of matrices and random contractions, with strides, factors
that are constants and such that are arguments; every other one is compiled for
a CPU with tiny caches, so that it takes many blocks.

The caller includes the header, is built with AddressSanitizer and
UndefinedBehaviorSanitizer, and compares with loops, whose sums are exact. The
sanitizers do not see into the object file. So each tensor lies between pages
that nobody may touch: once its first element begins right after one, once its
last element ends right before one. The gaps between elements of A and B hold
NaNs, and those between elements of C have to stay as they were.
"""

import dataclasses
import json
import os
import random
import re
import shutil
import sys

import harness
import random_contractions
from random_contractions import Contraction, Operand

# The loops go over all indices. An element lies `offset` plus the sum of its
# coordinates times strides after its tensor's pointer.
CALLER = r"""
#define _GNU_SOURCE
#include "contraction.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef %(type)s T;
enum { RANK = %(rank)d };
static const long extents[RANK + 1] = {%(extents)s};
static const long strides[3][RANK + 1] = {%(strides)s};
static const long offsets[3] = {%(offsets)s};
static const long first[3] = {%(first)s}, last[3] = {%(last)s};

/* Space for the elements from the first to the last of a tensor. */
static T *allocate(int tensor, int at_end) {
  size_t page = sysconf(_SC_PAGESIZE);
  size_t bytes = (last[tensor] - first[tensor] + 1) * sizeof(T);
  size_t inner = (bytes + page - 1) / page * page;
  char *map = mmap(NULL, inner + 2 * page, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED || mprotect(map + page, inner, PROT_READ | PROT_WRITE))
    exit(2);
  return (T *)(map + page + (at_end ? inner - bytes : 0));
}

/* Calls visit with the positions in A, B and C for all values of all indices. */
static void walk(void (*visit)(const long *position)) {
  long counter[RANK + 1] = {0};
  for (;;) {
    long position[3];
    for (int t = 0; t < 3; ++t) {
      position[t] = offsets[t] - first[t];
      for (int i = 0; i < RANK; ++i)
        position[t] += counter[i] * strides[t][i];
    }
    visit(position);
    int i = RANK - 1;
    while (i >= 0 && ++counter[i] == extents[i])
      counter[i--] = 0;
    if (i < 0)
      return;
  }
}

static T *tensors[3], *before;
static double *sums;
static char *owned;

static void fill(const long *position) {
  for (int t = 0; t < 3; ++t)
    tensors[t][position[t]] = (T)((position[t] * 7 + t) %% 13 - 6);
}
static void forget(const long *position) { tensors[2][position[2]] = NAN; }
static void add(const long *position) {
  sums[position[2]] += (double)tensors[0][position[0]] * tensors[1][position[1]];
  owned[position[2]] = 1;
}

static long check(int at_end) {
  long elements = last[2] - first[2] + 1, wrong = 0;
  for (int t = 0; t < 3; ++t) {
    tensors[t] = allocate(t, at_end);
    for (long i = 0; i <= last[t] - first[t]; ++i)
      tensors[t][i] = t < 2 ? NAN : 77;
  }
  sums = calloc(elements, sizeof(*sums));
  owned = calloc(elements, 1);
  before = malloc(elements * sizeof(T));
  walk(fill);
  /* Without beta, C is not read. */
  if (!%(reads)d)
    walk(forget);
  walk(add);
  memcpy(before, tensors[2], elements * sizeof(T));
  contraction_contraction(tensors[0] - first[0], tensors[1] - first[1],
                          tensors[2] - first[2]%(arguments)s);
  for (long i = 0; i < elements; ++i) {
    double expected = owned[i] ? %(alpha)s * sums[i] : 77;
    if (owned[i] && %(reads)d)
      expected += %(beta)s * before[i];
    wrong += !(tensors[2][i] == (T)expected);
  }
  free(sums);
  free(owned);
  free(before);
  return wrong;
}

int main(void) {
  long wrong = check(0) + check(1);
  printf("%%ld wrong\n", wrong);
  return wrong != 0;
}
"""

# The value of a factor that is an argument.
ARGUMENTS = {"alpha": 3.0, "beta": -2.0}


@dataclasses.dataclass
class Machine:
    """A machine to run callers on: its compiler, the compiler's options, and the
    program that runs them; options of tc-translate, and the known properties of
    the CPU."""
    compiler: list
    options: list
    runner: list
    code: list
    target: dict = dataclasses.field(default_factory=dict)

    @staticmethod
    def aarch64():
        return Machine(
            ["aarch64-linux-gnu-gcc"], ["-static"], ["qemu-aarch64"],
            ["--mtriple=aarch64-linux-gnu", "--mcpu=neoverse-n1"],
            {"name": "neoverse-n1", "vector_bytes": 16,
             "vector_registers": 32, "fma_per_cycle_f64": 4,
             "fma_per_cycle_f32": 8})

    @staticmethod
    def host():
        return Machine(harness.find_c_compiler() or [],
                       ["-g", "-fsanitize=address,undefined",
                        "-fno-sanitize-recover=all"], [], [])


def numbers(values):
    return ", ".join(map(str, [*values, 0]))


def caller(contraction: Contraction):
    """The program in C."""
    labels = sorted(contraction.extents)
    strides, first, last = [], [], []
    for operand in contraction.operands.values():
        along = dict.fromkeys(labels, 0)
        running = 1
        own = operand.strides or []
        if operand.strides is None:
            for extent in reversed(operand.extents):
                own.insert(0, running)
                running *= extent
        for label, stride in zip(operand.labels, own):
            along[label] += stride
        reach = [(contraction.extents[label] - 1) * stride
                 for label, stride in along.items()]
        first.append(operand.offset + sum(r for r in reach if r < 0))
        last.append(operand.offset + sum(r for r in reach if r > 0))
        strides.append("{" + numbers(along.values()) + "}")
    values = {name: ARGUMENTS[name] if value == "argument" else value
              for name, value in contraction.factors.items()}
    arguments = [str(ARGUMENTS[name])
                 for name, value in contraction.factors.items()
                 if value == "argument"]
    reads = contraction.factors["beta"] not in (None, 0.0)
    return CALLER % {
        "type": "double" if contraction.input_type == "f64" else "float",
        "rank": len(labels),
        "extents": numbers(contraction.extents[label] for label in labels),
        "strides": ", ".join(strides),
        "offsets": ", ".join(str(operand.offset)
                             for operand in contraction.operands.values()),
        "first": ", ".join(map(str, first)),
        "last": ", ".join(map(str, last)),
        "arguments": "".join(f", {value}" for value in arguments),
        "reads": reads,
        "alpha": 1.0 if values["alpha"] is None else values["alpha"],
        "beta": values["beta"] or 0.0}


def describe(context, machine, name, in_blocks):
    """The option for a description of the machine, where it is not this one or
    its caches are to be tiny."""
    if not machine.target and not in_blocks:
        return ""
    path = context.small_cpu(name)
    with open(path, encoding="utf-8") as file:
        target = {**json.load(file), **machine.target}
    if not in_blocks:
        for cache, size in zip(target["caches"], (65536, 1 << 20, 1 << 25)):
            cache["bytes"] = size
    with open(path, "w", encoding="utf-8") as file:
        json.dump(target, file)
    return f" target-file={path}"


def case(name, contraction: Contraction, machine: Machine, in_blocks,
         threads=1, uses=None):
    """`threads` may be used; `uses` are, if that is known."""
    def run(context):
        for program in (*machine.compiler[:1], *machine.runner):
            if not shutil.which(program):
                raise harness.Failure(f"no {program} here")
        if not machine.compiler:
            raise harness.Failure("no clang-22, clang or cc here")
        folder = f"{context.folder}/{name}"
        os.mkdir(folder)
        module = context.write(f"{name}/module.mlir", contraction.module())
        lowered, output = f"{folder}/lowered.mlir", f"{folder}/contraction"
        options = (f"outline threads={threads}"
                   + describe(context, machine, f"{name}/cpu", in_blocks))
        context.call([context.tool("tc-opt"), f"--tc-cpu-pipeline={options}",
                      module, "-o", lowered])
        context.call([context.tool("tc-translate"), "--tc-to-object",
                      *machine.code, lowered, "-o", output + ".o"])
        context.call([context.tool("tc-translate"), "--tc-to-header", lowered,
                      "-o", output + ".h"])
        with open(output + ".h", encoding="utf-8") as file:
            told = re.search(r"Runs on (\d+) threads", file.read())
        if uses is not None and uses != (int(told[1]) if told else 1):
            raise harness.Failure("the header is wrong about threads")
        # Of whatever version is installed.
        libraries = ["-l:libomp.so.5"] if told else []
        source = context.write(f"{name}/caller.c", caller(contraction))
        context.call([*machine.compiler, "-O1", "-Wall", "-Werror",
                      *machine.options, source, output + ".o",
                      *libraries, "-lm", "-o", f"{folder}/caller"])
        context.call([*machine.runner, f"{folder}/caller"])

    return harness.Case(name, run)


def product(i, j, k, element_type):
    """A product of matrices with a factor of each kind."""
    extents = {"i": i, "j": j, "k": k}
    operands = {tensor: Operand(list(labels), [extents[l] for l in labels],
                                None, 0)
                for tensor, labels in (("A", "ij"), ("B", "jk"), ("C", "ik"))}
    return Contraction(extents, operands, element_type, element_type, None,
                       None, {"alpha": 3.0, "beta": "argument"})


def drawn(rng):
    """A random contraction, with factors that keep all sums exact."""
    contraction = random_contractions.draw(
        rng, random_contractions.TYPES[:2], semirings=False, mixes=False)
    contraction.factors = {
        name: rng.choice((None, 0.0, 1.0, -1.0, 2.0, "argument"))
        for name in ("alpha", "beta")}
    return contraction


def main():
    parser = harness.parser(__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=30,
                        help="random contractions")
    parser.add_argument("--machine", choices=("host", "aarch64"),
                        default="host", help="what to compile for (host)")
    arguments = parser.parse_args()
    machine = getattr(Machine, arguments.machine)()
    # LLVM's OpenMP runtime is this machine's.
    most_threads = 2 if arguments.machine == "host" else 1
    rng = random.Random(arguments.seed)
    shapes = [(1, 1, 1), (24, 24, 24), (64, 300, 48)]
    shapes += [tuple(rng.randint(1, 70) for _ in range(3)) for _ in range(5)]
    contractions = [(f"{i}x{j}x{k}-{element_type}",
                     product(i, j, k, element_type))
                    for i, j, k in shapes for element_type in ("f64", "f32")]
    contractions += [(f"random-{number:03}",
                      drawn(random.Random(f"{arguments.seed}/{number}")))
                     for number in range(arguments.count)]
    cases = [case(name, contraction, machine, in_blocks=number // 2 % 2,
                  threads=1 + number // 4 % most_threads)
             for number, (name, contraction) in enumerate(contractions)]
    if most_threads > 1:
        cases += [case(f"{threads}-threads", product(250, 300, 260, "f64"),
                       machine, in_blocks=False, threads=threads, uses=threads)
                  for threads in (1, 2, 3)]
    return harness.main(cases, arguments)


if __name__ == "__main__":
    sys.exit(main())
