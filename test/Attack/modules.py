"""Modules in MLIR's generic form with something missing, changed or elsewhere.

The parser of the generic form takes any operation with any attributes, operands
and types; errors in them have to be found by verifiers, each of which runs on
operations that others have not seen yet. So each module must be accepted or
refused, and nothing may crash. A module that crashes mlir-opt, too, to which
our dialect is unknown, is upstream's bug."""

import dataclasses
import glob
import os
import random
import re
import shutil
import subprocess
import tempfile
from typing import List

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SEPARATOR = "// -----\n"
# Modules that one process gets.
BATCH = 200
SECONDS = 120

TYPES = ("i1", "i8", "i32", "i64", "index", "f16", "f32", "f64", "none",
         "complex<f64>", "f8E4M3FN", "tensor<4x4xf64>", "tensor<*xf64>",
         "tensor<?x4xf32>", "tensor<f64>", "memref<4x4xf64>", "memref<*xf64>",
         "memref<4x4xf64, strided<[1, 4], offset: ?>>", "memref<64xi8>",
         "memref<4x4xf64, #gpu.address_space<workgroup>>", "vector<2xf64>",
         "vector<f64>", "vector<[4]xf64>", "() -> ()", "(f64) -> f64")
VALUES = ("unit", "true", "-1 : i64", "0 : i32", "0 : index", "1.5 : f64",
          "\"\"", "\"x\"", "[]", "{}", "array<i32>", "array<i64: 1, 2>",
          "dense<1> : tensor<2xi64>", "@f", "#tc.indices<[]>",
          "#tc.indices<[m, k]>", "#tc.indices<[m, m]>",
          "affine_map<() -> ()>")


def balanced_end(text, start):
    """The position of the bracket that closes the one at `start`; -1 if there
    is none."""
    depth, quoted = 0, False
    for place in range(start, len(text)):
        letter = text[place]
        if letter == '"' and text[place - 1] != "\\":
            quoted = not quoted
        if quoted:
            continue
        # The arrow is no bracket.
        if letter in "([{<":
            depth += 1
        elif letter in ")]}" or (letter == ">" and text[place - 1] != "-"):
            depth -= 1
            if depth == 0:
                return place
    return -1


def split_list(text):
    """The parts of a list between commas that are in no bracket."""
    parts, depth, begin, quoted = [], 0, 0, False
    for place, letter in enumerate(text):
        if letter == '"':
            quoted = not quoted
        elif not quoted and letter in "([{<":
            depth += 1
        elif not quoted and (letter in ")]}" or
                             (letter == ">" and text[place - 1] != "-")):
            depth -= 1
        elif not quoted and letter == "," and depth == 0:
            parts.append(text[begin:place].strip())
            begin = place + 1
    last = text[begin:].strip()
    return parts + [last] if last or parts else parts


@dataclasses.dataclass
class Spot:
    """A list in brackets in a line."""
    kind: str
    begin: int
    end: int


def spots_of(line) -> List[Spot]:
    """The dictionaries, operands and types of an operation, as far as they are
    in the line."""
    found = []
    for match in re.finditer(r"<\{|(?<= )\{(?=[\w\".]+( =|[,}]))", line):
        begin = match.end() - 1
        end = balanced_end(line, begin)
        if end > 0:
            found.append(Spot("dictionary", begin + 1, end))
    if match := re.search(r"\"[\w.]+\"\(", line):
        end = balanced_end(line, match.end() - 1)
        if end > 0:
            found.append(Spot("operands", match.end(), end))
    if match := re.search(r" : \((?=.*->)", line):
        end = balanced_end(line, match.end() - 1)
        if end > 0:
            found.append(Spot("types", match.end(), end))
            arrow = line.find("-> ", end)
            if arrow > 0:
                found.append(Spot("results", arrow + 3, len(line.rstrip())))
    return found


class Mutator:
    """Changes a module, given by its lines, at one to three places."""

    def __init__(self, rng, values):
        self.rng, self.values = rng, values

    def change_list(self, parts, kind):
        rng = self.rng
        place = rng.randrange(len(parts)) if parts else 0
        way = rng.randrange(5)
        if way <= 1 and parts:
            del parts[place]
        elif way == 2 and parts:
            parts.insert(rng.randrange(len(parts) + 1), parts[place])
        elif kind == "dictionary":
            value = rng.choice(VALUES if rng.random() < 0.5 else self.values)
            name = parts[place].split(" = ")[0] if parts else "x"
            changed = name if value == "unit" else f"{name} = {value}"
            parts[place:place + 1] = [changed]
        elif kind == "operands" and len(parts) > 1:
            other = rng.randrange(len(parts))
            parts[place], parts[other] = parts[other], parts[place]
        elif kind in ("types", "results"):
            parts[place:place + 1] = [rng.choice(TYPES)]
        return parts

    def change_line(self, line):
        spots = spots_of(line)
        if not spots:
            return line
        spot = self.rng.choice(spots)
        inside = line[spot.begin:spot.end]
        if spot.kind == "results" and inside.startswith("("):
            parts = split_list(inside[1:-1])
        else:
            parts = split_list(inside)
        # Operands have types, so that most changes are of both.
        if spot.kind in ("operands", "types") and self.rng.random() < 0.6:
            return self.drop_operand(line, spots)
        if self.rng.random() < 0.1:
            parts = []
        else:
            parts = self.change_list(parts, spot.kind)
        text = ", ".join(parts)
        if spot.kind == "results":
            text = f"({text})"
        return line[:spot.begin] + text + line[spot.end:]

    def drop_operand(self, line, spots):
        lists = {spot.kind: spot for spot in spots}
        if "operands" not in lists or "types" not in lists:
            return line
        operands, types = lists["operands"], lists["types"]
        names = split_list(line[operands.begin:operands.end])
        kinds = split_list(line[types.begin:types.end])
        if not names or len(names) != len(kinds):
            return line
        place = self.rng.randrange(len(names))
        if self.rng.random() < 0.7:
            del names[place], kinds[place]
        else:
            names.insert(place, names[place])
            kinds.insert(place, kinds[place])
        return (line[:operands.begin] + ", ".join(names)
                + line[operands.end:types.begin] + ", ".join(kinds)
                + line[types.end:])

    def mutate(self, lines):
        lines = list(lines)
        rng = self.rng
        for _ in range(rng.choice((1, 1, 2, 3))):
            place = rng.randrange(len(lines))
            way = rng.random()
            if way < 0.8:
                # Most lines that carry something interesting name our dialect.
                ours = [number for number, line in enumerate(lines)
                        if "tc." in line or "#tc" in line]
                if ours and rng.random() < 0.7:
                    place = rng.choice(ours)
                lines[place] = self.change_line(lines[place])
            elif way < 0.9:
                other = rng.randrange(len(lines))
                lines[place], lines[other] = lines[other], lines[place]
            elif len(lines) > 1:
                del lines[place]
        return lines


def generic_modules(tool):
    """The modules of tests in the generic form, each as its lines."""
    modules = []
    for path in sorted(glob.glob(os.path.join(TESTS, "Dialect", "TC", "*.mlir"))
                       + glob.glob(os.path.join(TESTS, "Conversion", "*",
                                                "*.mlir"))):
        done = subprocess.run([tool, path, "-split-input-file",
                               "-mlir-print-op-generic"], text=True,
                              capture_output=True, check=False)
        modules += [module.splitlines()
                    for module in done.stdout.split(SEPARATOR)
                    if len(module.splitlines()) > 2]
    return modules


def crashes(tool, text, *options):
    """Returns true if the program ends by a signal, or does not end."""
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(text)
        file.flush()
        try:
            done = subprocess.run([tool, file.name, "-split-input-file",
                                   "-o", os.devnull, *options],
                                  stdout=subprocess.DEVNULL, text=True,
                                  stderr=subprocess.PIPE, errors="replace",
                                  timeout=SECONDS, check=False)
        except subprocess.TimeoutExpired:
            return True
    return done.returncode not in (0, 1) or "PLEASE submit" in done.stderr


def find_upstream():
    return shutil.which("mlir-opt-22") or shutil.which(
        "mlir-opt", path="/usr/lib/llvm-22/bin")


def crashing(tool, mutants):
    """Those of the modules that make the program crash."""
    if not mutants or not crashes(tool, SEPARATOR.join(mutants)):
        return []
    if len(mutants) == 1:
        return mutants
    half = len(mutants) // 2
    return crashing(tool, mutants[:half]) + crashing(tool, mutants[half:])


def run(tools, seed, count, folder):
    """Feeds so many modules to tc-opt: whether any made it crash, and which.
    Each such module is left in the folder."""
    tool, upstream = os.path.join(tools, "tc-opt"), find_upstream()
    rng = random.Random(f"modules {seed}")
    modules = generic_modules(tool)
    values = sorted({part.split(" = ", 1)[1] for module in modules
                     for line in module for spot in spots_of(line)
                     if spot.kind == "dictionary"
                     for part in split_list(line[spot.begin:spot.end])
                     if " = " in part})
    mutator = Mutator(rng, values)
    wrong, others = [], 0
    for begin in range(0, count, BATCH):
        mutants = ["\n".join(mutator.mutate(rng.choice(modules))) + "\n"
                   for _ in range(min(BATCH, count - begin))]
        for mutant in crashing(tool, mutants):
            if upstream and crashes(upstream, mutant,
                                    "-allow-unregistered-dialect"):
                others += 1
                continue
            path = os.path.join(folder, f"crash-{seed}-{len(wrong)}.mlir")
            with open(path, "w", encoding="utf-8") as file:
                file.write(mutant)
            wrong.append(path)
            print(f"crashes: {tool} {path}", flush=True)
    return bool(wrong), "\n".join(
        [f"{count} of {len(modules)} modules, {len(wrong)} crashes, and "
         f"{others} of mlir-opt", *wrong])
