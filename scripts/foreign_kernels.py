#!/usr/bin/env python3
"""Runs kernels that others wrote in the simulator, and writes
docs/foreign-kernels.md.

COGENT's generator and NWChem are folders with clones of kimjsung/CGO2019-AE and
nwchemgit/nwchem; CUTLASS and Triton come by pip, into the folder of the work,
unless they are there. nvcc and a host compiler must be on PATH. No device is
needed: the programs' launches are recorded by
benchmarks/foreign/RecordLaunches.cpp in the place of CUDA's runtime library.
Each kernel becomes a folder with PTX and a description (docs/foreign-ptx.md),
which tc-run simulates with all detectors and checks.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import zipfile

import whole_file

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "foreign-kernels.md"
SOURCES = ROOT / "benchmarks" / "foreign"
SUITES = ROOT / "benchmarks" / "suites"
CUTLASS = "nvidia-cutlass==4.2.0.0"
TRITON = "triton==3.9.0"
SEED = 27
FIRST_ADDRESS = 0x7A5A00  # of RecordLaunches.cpp, in units of 2^24


def run(command, **options):
    done = subprocess.run([str(part) for part in command], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False, **options)
    if done.returncode != 0:
        sys.exit(f"error: {' '.join(map(str, command))[:300]}: "
                 f"{(done.stderr or done.stdout).strip()[:2000]}")
    return done.stdout


# Descriptions.

def parameter_sizes(ptx):
    """By entry, the bytes of its parameters."""
    entries = {}
    for name, text in re.findall(r"\.entry\s+([\w$]+)\s*\((.*?)\)", ptx,
                                 re.DOTALL):
        sizes = []
        for line in text.split(","):
            bits = int(re.search(r"\.param\s+(?:\.align\s+\d+\s+)?\.[a-z]+(\d+)",
                                 line).group(1))
            count = re.search(r"\[(\d+)\]", line)
            sizes.append(bits // 8 * (int(count.group(1)) if count else 1))
        entries[name] = sizes
    return entries


def pointers_in(data, names):
    """Addresses of recorded buffers among the words of a parameter."""
    found = []
    for at in range(0, len(data) - 7, 8):
        word = int.from_bytes(data[at:at + 8], "little")
        number = (word >> 24) - FIRST_ADDRESS
        if 0 <= number < 256:
            found.append({"at": at, "buffer": names[number],
                          "offset_bytes": word & 0xFFFFFF})
    return found


def argument_of(text, names):
    data = bytes.fromhex(text)
    pointers = pointers_in(data, names)
    return {"bytes": text, "pointers": pointers} if pointers else {"bytes": text}


def record(program, arguments, ptx, names, folder):
    """The launch of a recorded program, the variables that it sets and the
    integers that it copies to buffers."""
    sizes = folder / "parameters"
    sizes.write_text("".join(f"{entry} {' '.join(map(str, each))}\n"
                             for entry, each in parameter_sizes(ptx).items()))
    out = run([program, *arguments],
              env={**os.environ, "TC_PARAMETERS": str(sizes)})
    launches, variables, copies = [], [], {}
    for line in out.splitlines():
        words = line.split(" ")
        if words[0] == "TC-LAUNCH":
            grid, block = ([int(n) for n in word.split(",")]
                           for word in words[2:4])
            launches.append({
                "entry": words[1], "grid": grid, "block": block,
                "dynamic_shared_bytes": int(words[4]),
                "arguments": [argument_of(word, names) for word in words[5:]]})
        elif words[0] == "TC-VARIABLE" and words[2] == "0":
            variables.append({"name": words[1], "bytes": words[3]})
        elif words[0] == "TC-COPY":
            copies[(int(words[1], 16) >> 24) - FIRST_ADDRESS] = words[2]
    if len(launches) != 1:
        sys.exit(f"error: {program} makes {len(launches)} launches")
    return launches[0], variables, copies


def write_integers(path, data):
    """Integers of 32 bits as an array in NumPy's format."""
    header = ("{'descr': '<i4', 'fortran_order': False, "
              f"'shape': ({len(data) // 4},), }}").ljust(117) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) +
                     header.encode() + data)


def column_major(extents):
    strides, stride = [], 1
    for extent in extents:
        strides.append(stride)
        stride *= extent
    return strides


def describe(folder, ptx, buffers, launch, checks, variables=()):
    description = {"format": "tc-foreign-ptx", "version": 1,
                   "name": folder.name, "code": "kernel.ptx",
                   "buffers": buffers, "launches": [launch], "checks": checks}
    if variables:
        description["variables"] = list(variables)
    (folder / "kernel.ptx").write_text(ptx)
    (folder / "kernel.json").write_text(json.dumps(description, indent=1))


# Running.

class Results:
    """The results of the kernels of one source."""

    def __init__(self, options, title, source):
        self.options, self.title, self.source = options, title, source
        self.rows, self.wrong = [], []

    def simulate(self, folder, detectors):
        command = [self.options.build / "bin/tc-run", folder / "kernel.json",
                   "--check=all", "--json", f"--seed={SEED}",
                   f"--detect={detectors}", "--time-limit=600"]
        done = subprocess.run([str(part) for part in command], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              check=False)
        return (json.loads(done.stdout) if done.stdout else None,
                done.stderr.strip())

    def add(self, folder, kernel, extents):
        report, error = self.simulate(folder, "all")
        said = "silent"
        if report is None:
            said = re.sub(r"^tc-run: \S+?:", "", error)
            # The remaining detectors, with that one off.
            others = [name for name in
                      ("uninitialized", "shared-races", "global-races",
                       "rewrites", "unwritten")
                      if not (name == "uninitialized" and "written" in said) and
                      not (name.endswith("races") and "race" in said)]
            report, error = self.simulate(folder, ",".join(others))
        row = {"kernel": kernel, "extents": extents, "said": said}
        if report is None:
            row["error"] = error
            self.wrong.append(f"{kernel} {extents}: {error}")
        else:
            counters = report["launches"][0]["counters"]
            row["blocks"] = counters["blocks"]
            row["instructions"] = counters["warp_instructions"]
            row["relative"] = max(c["relative_error"] for c in report["checks"])
            row["tolerance"] = max(c["tolerance"] for c in report["checks"])
            row["passed"] = report["passed"]
            if not report["passed"]:
                self.wrong.append(f"{kernel} {extents}: {error}")
        self.rows.append(row)
        print(kernel, extents, row.get("relative", row.get("error")),
              said[:100], flush=True)

    def text(self):
        lines = [f"## {self.title}", "", self.source, "",
                 "| kernel | extents | blocks | warp instructions | relative error "
                 "| tolerance | detectors |",
                 "| --- | --- | ---: | ---: | ---: | ---: | --- |"]
        notes = []
        for row in self.rows:
            said = row["said"]
            if said != "silent":
                gist = re.sub(r"^\d+: ", "", said)
                gist = re.sub(r" in '.*", "", gist)
                gist = re.sub(r"address 0x[0-9a-f]+", "some address", gist)
                gist = re.sub(r"register '[^']*'", "a register", gist)
                gist = re.sub(r" at line \d+", "", gist)
                if gist not in notes:
                    notes.append(gist)
                said = f"({notes.index(gist) + 1})"
            lines.append(
                f"| {row['kernel']} | {row['extents']} | "
                f"{row.get('blocks', '')} | {row.get('instructions', '')} | " +
                (f"{row['relative']:.2g} | {row['tolerance']:.2g}"
                 if "relative" in row else "failed | ") + f" | {said} |")
        for number, note in enumerate(notes, 1):
            lines += ["", f"({number}) {note}"]
        return "\n".join(lines)


def nvcc(options, output, arguments):
    """Compiles, so that the output is there as a whole or not at all."""
    if options.reuse and output.exists():
        return
    draft = output.with_name(f"draft-{output.name}")
    run(["nvcc", "-arch=sm_80", "-w", "-o", draft, *arguments])
    draft.replace(output)


def compile_ptx(options, source, output, flags=()):
    nvcc(options, output, ["-ptx", *flags, source])
    return output.read_text()


def recorder(options):
    target = options.work / "recorder.o"
    if not target.exists():
        run(["nvcc", "-O1", "-c", "-Xcompiler", "-fPIC", "-o", target,
             SOURCES / "RecordLaunches.cpp"])
    return target


def link(options, sources, output, flags=()):
    nvcc(options, output,
         ["-cudart", "none", *flags, *sources, recorder(options)])


def version_of(clone):
    done = subprocess.run(["git", "-C", str(clone), "log", "-1",
                           "--format=%h of %cs"], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False)
    return done.stdout.strip() or "of unknown version"


# COGENT.

class CogentKernel:
    """One of the 48, as its generator writes it."""

    def __init__(self, options, number):
        self.number = number
        generator = options.work / "cogent-generator"
        text = (generator / "input_strings/tccg" /
                f"input_tccg_{number:02}.in").read_text()
        statement = [line for line in text.splitlines()
                     if line.strip() and not line.startswith("#")][-1]
        out, sign, summed, a, b = re.match(
            r"\s*\w+ \[(.*?)\] ([+-])= sum\((.*?)\) \* \w+ \[(.*?)\] \* "
            r"\w+ \[(.*?)\];", statement).groups()
        self.alpha = -1 if sign == "-" else 1
        letters = lambda list_: re.findall(r"[a-z]", list_)
        self.c, self.a, self.b = letters(out), letters(a), letters(b)
        self.summed = letters(summed)
        self.name = f"{''.join(self.c)}-{''.join(self.a)}-{''.join(self.b)}"
        run([sys.executable, "tc_code_generator.py", number,
             f"input_strings/tccg/input_tccg_{number:02}.in", -1, -1, "DOUBLE"],
            cwd=generator)
        self.source = generator / f"temp__{number}.cu"
        code = self.source.read_text()
        self.slices = {name.lower(): int(size) for name, size in re.findall(
            r"#define SIZE_SLICE_1_(\w+) (\d+)", code)}
        sizes = re.search(r"void sd_t_d2_fusion\((.*?)double", code).group(1)
        # An index may be split into two, "a" into "a1" and "a2".
        self.indices = re.findall(r"size_(\w+)", sizes)

    def parts(self, index):
        return [part for part in self.indices if part.rstrip("12") == index]

    def extents(self, isRagged, isSumRagged):
        result = {}
        for index in self.indices:
            tile = self.slices[index]
            extent = tile if tile >= 16 else 2 * tile
            if index in self.summed:
                extent = 2 * tile
                if isSumRagged and tile > 1:
                    extent += tile // 3 + 1
            elif isRagged and tile > 1:
                extent += tile // 3 + 1
            result[index] = extent
        return result

    def buffer(self, name, list_, extents, access):
        parts = [part for index in list_ for part in self.parts(index)]
        shape = [extents[part] for part in parts]
        return {"name": name, "type": "f64", "extents": shape,
                "strides": column_major(shape), "access": access}

    def labels(self, list_):
        return "".join(chr(ord("a") + self.indices.index(part))
                       for index in list_ for part in self.parts(index))


def cogent(options):
    results = Results(options, "COGENT's kernels of the TCCG benchmark, in f64",
                      f"kimjsung/CGO2019-AE, {version_of(options.cogent)}, "
                      "by nvcc for sm_80: 48 contractions, each at extents that "
                      "its tiles divide, that they do not divide along K, along M "
                      "and N, and along all, for each of which it has a kernel.")
    generator = options.work / "cogent-generator"
    shutil.rmtree(generator, ignore_errors=True)
    shutil.copytree(options.cogent / "cogent", generator)
    for number in options.cogent_numbers:
        kernel = CogentKernel(options, number)
        home = options.work / f"cogent-{number:02}"
        home.mkdir(exist_ok=True)
        ptx = compile_ptx(options, kernel.source, home / "all.ptx")
        count = len(kernel.indices)
        driver = home / "driver.cu"
        driver.write_text(
            '#include <cstdlib>\nextern "C" void sd_t_d2_fusion(' +
            "int, " * count + "double *, double *, double *, int, int);\n"
            "int main(int, char **words) {\n  sd_t_d2_fusion(" +
            "".join(f"std::atoi(words[{i + 1}]), " for i in range(count)) +
            "nullptr, nullptr, nullptr, 1, -1);\n}\n")
        link(options, [kernel.source, driver], home / "launch")
        for isRagged in (False, True):
            for isSumRagged in (False, True):
                extents = kernel.extents(isRagged, isSumRagged)
                folder = home / f"{int(isRagged)}{int(isSumRagged)}"
                folder.mkdir(exist_ok=True)
                buffers = [kernel.buffer("t3", kernel.c, extents, "write"),
                           kernel.buffer("t2", kernel.a, extents, "read"),
                           kernel.buffer("v2", kernel.b, extents, "read")]
                names = ["t3", "t2", "v2", "offsets_t2", "offsets_v2"]
                launch, variables, copies = record(
                    home / "launch", [extents[i] for i in kernel.indices], ptx,
                    names, folder)
                for number_, data in copies.items():
                    data = bytes.fromhex(data)
                    path = f"{names[number_]}.npy"
                    write_integers(folder / path, data)
                    buffers.append({"name": names[number_], "type": "i32",
                                    "extents": [len(data) // 4],
                                    "access": "read", "fill": {"file": path}})
                spec = (f"{kernel.labels(kernel.a)},{kernel.labels(kernel.b)}->"
                        f"{kernel.labels(kernel.c)}")
                describe(folder, ptx, buffers, launch, [
                    {"output": "t3", "contraction": {
                        "einsum": spec, "inputs": ["t2", "v2"],
                        "alpha": kernel.alpha}}], variables)
                results.add(folder, f"{number} `{kernel.name}`", " ".join(
                    f"{i}={extents[i]}" for i in kernel.indices))
    return results


# NWChem.

def nwchem(options):
    results = Results(options, "NWChem's triples kernels, in f64",
                      f"nwchemgit/nwchem, {version_of(options.nwchem)}, "
                      "`src/tce/ccsd_t/sd_t_total.cu`, by nvcc for sm_80.")
    home = options.work / "nwchem"
    home.mkdir(exist_ok=True)
    source = options.nwchem / "src/tce/ccsd_t/sd_t_total.cu"
    cases = json.loads((SUITES / "nwchem_ccsd_t.json").read_text())["cases"]
    flags = ["-DTCE_CUDA"]
    ptx = compile_ptx(options, source, home / "all.ptx", flags)
    sizes = {"s1": "h1 h2 h3 p4 p5 p6", "d1": "h1 h2 h3 h7 p4 p5 p6",
             "d2": "h1 h2 h3 p4 p5 p6 p7"}
    declare, call = [], []
    for case in cases:
        kind = case["id"].split("_")[2]
        count = len(sizes[kind].split())
        declare.append(f"void {case['id']}_cuda({'size_t, ' * count}double *, "
                       "double *, double *);")
        values = "".join(f"n[{i}], " for i in range(count))
        call.append(f'  if (name == "{case["id"]}")\n    {case["id"]}_cuda('
                    f"{values}nullptr, nullptr, nullptr);")
    (home / "driver.cu").write_text(
        "#include <cstdlib>\n#include <string>\n" + 'extern "C" {\n' +
        "\n".join(declare) +
        "\nvoid set_dev_mem_d(size_t, size_t, size_t, size_t, size_t, size_t);"
        "\nvoid set_dev_mem_s(size_t, size_t, size_t, size_t, size_t, size_t);"
        "\nvoid *getGpuMem(size_t bytes) {\n  void *p;\n  cudaMalloc(&p, bytes);"
        "\n  return p;\n}\nvoid *getHostMem(size_t) { return nullptr; }\n"
        "void freeGpuMem(void *) {}\nvoid freeHostMem(void *) {}\n}\n"
        "int main(int count, char **words) {\n  std::string name = words[1];\n"
        "  size_t n[8] = {};\n  for (int i = 2; i < count; ++i)\n"
        "    n[i - 2] = std::atoi(words[i]);\n"
        '  (name[5] == \'s\' ? set_dev_mem_s : set_dev_mem_d)(1, 1, 1, 1, 1, '
        "1);\n" + "\n".join(call) + "\n}\n")
    link(options, [source, home / "driver.cu"], home / "launch", flags)
    full = {"h1": 8, "h2": 8, "h3": 8, "p4": 8, "p5": 8, "p6": 8, "h7": 16,
            "p7": 16}
    ragged = {"h1": 5, "h2": 7, "h3": 9, "p4": 6, "p5": 4, "p6": 11, "h7": 19,
              "p7": 13}
    for case in cases:
        kind = case["id"].split("_")[2]
        for name, extents in (("full", full), ("ragged", ragged)):
            folder = home / f"{case['id']}-{name}"
            folder.mkdir(exist_ok=True)
            launch, _, _ = record(
                home / "launch",
                [case["id"], *(extents[i] for i in sizes[kind].split())], ptx,
                ["t3", "t2", "v2"], folder)
            buffers = []
            for buffer, key in (("t3", "C"), ("t2", "A"), ("v2", "B")):
                shape = [extents[i] for i in case[key]]
                buffers.append({
                    "name": buffer, "type": "f64", "extents": shape,
                    "strides": column_major(shape),
                    "access": "read_write" if key == "C" else "read"})
            indices = sorted(extents)
            spec = ["".join(chr(ord("a") + indices.index(i)) for i in case[key])
                    for key in "ABC"]
            describe(folder, ptx, buffers, launch, [
                {"output": "t3", "contraction": {
                    "einsum": f"{spec[0]},{spec[1]}->{spec[2]}",
                    "inputs": ["t2", "v2"], "beta": 1,
                    "alpha": -1 if case["sign"] == "-" else 1}}])
            results.add(folder, f"`{case['id']}`", " ".join(
                f"{i}={extents[i]}" for i in sizes[kind].split()))
    return results


# CUTLASS.

F32 = {"SUM": "float", "OUTPUT": "float"}
ROWS_COLUMNS = ("RowMajor", "ColumnMajor")
COLUMNS_ROWS = ("ColumnMajor", "RowMajor")
PLAIN, TENSOR = "OpClassSimt", "OpClassTensorOp"
CUTLASS_KERNELS = [
    # name, element and its type, layouts, operators, tile, warp, instruction,
    # stages, alignment and that of the output, what else, precision
    ("f64", "double", "f64", ROWS_COLUMNS, TENSOR, (64, 64, 16), (32, 32, 16),
     (8, 8, 4), 4, 1, 1, {"SUM": "double", "OUTPUT": "double"}),
    ("f64", "double", "f64", COLUMNS_ROWS, TENSOR, (64, 64, 16), (32, 32, 16),
     (8, 8, 4), 3, 1, 1, {"SUM": "double", "OUTPUT": "double"}),
    ("f32", "float", "f32", ROWS_COLUMNS, PLAIN, (128, 64, 8), (64, 32, 8),
     (1, 1, 1), 4, 1, 1, F32),
    ("f32", "float", "f32", COLUMNS_ROWS, PLAIN, (64, 64, 8), (32, 32, 8),
     (1, 1, 1), 3, 1, 1, F32),
    ("TF32", "float", "f32", ROWS_COLUMNS, TENSOR, (64, 64, 32), (32, 32, 32),
     (16, 8, 8), 3, 4, 4, F32),
    ("TF32", "float", "f32", COLUMNS_ROWS, TENSOR, (64, 64, 16), (32, 32, 16),
     (16, 8, 8), 4, 4, 4, F32),
    ("3xTF32", "float", "f32", ROWS_COLUMNS, TENSOR, (64, 64, 16), (32, 32, 16),
     (16, 8, 8), 3, 4, 4,
     {**F32, "OPERATION": "cutlass::arch::OpMultiplyAddFastF32"}),
    ("f16", "cutlass::half_t", "f16", ROWS_COLUMNS, TENSOR, (128, 64, 32),
     (64, 32, 32), (16, 8, 16), 3, 8, 8,
     {"SUM": "float", "OUTPUT": "cutlass::half_t"}),
    ("f16", "cutlass::half_t", "f16", COLUMNS_ROWS, TENSOR, (64, 64, 32),
     (32, 32, 32), (16, 8, 16), 4, 8, 8,
     {"SUM": "float", "OUTPUT": "cutlass::half_t"}),
    ("bf16", "cutlass::bfloat16_t", "bf16", ROWS_COLUMNS, TENSOR, (64, 64, 32),
     (32, 32, 32), (16, 8, 16), 5, 8, 8,
     {"SUM": "float", "OUTPUT": "cutlass::bfloat16_t"}),
    ("bf16", "cutlass::bfloat16_t", "bf16", COLUMNS_ROWS, TENSOR, (64, 128, 32),
     (32, 64, 32), (16, 8, 16), 3, 8, 8,
     {"SUM": "float", "OUTPUT": "cutlass::bfloat16_t"}),
    ("s8", "int8_t", "i8", ROWS_COLUMNS, TENSOR, (64, 64, 64), (32, 32, 64),
     (16, 8, 32), 3, 16, 4,
     {"SUM": "int32_t", "OUTPUT": "int32_t",
      "OPERATION": "cutlass::arch::OpMultiplyAddSaturate"}),
    ("s8", "int8_t", "i8", ROWS_COLUMNS, TENSOR, (128, 64, 64), (64, 32, 64),
     (16, 8, 32), 4, 16, 4,
     {"SUM": "int32_t", "OUTPUT": "int32_t",
      "OPERATION": "cutlass::arch::OpMultiplyAddSaturate"}),
]
OUTPUT_TYPES = {"double": "f64", "float": "f32", "cutlass::half_t": "f16",
                "cutlass::bfloat16_t": "bf16", "int32_t": "i32"}


def find_cutlass(options):
    folder = options.work / "cutlass-wheel"
    if not folder.exists():
        run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps",
             "--dest", folder, CUTLASS])
        for wheel in folder.glob("nvidia_cutlass*.whl"):
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(folder)
    found = list(folder.glob("**/include/cutlass/cutlass.h"))
    if not found:
        sys.exit(f"error: {CUTLASS} has no headers")
    return found[0].parent.parent


def cutlass(options):
    results = Results(options, "CUTLASS's multistage products",
                      f"Headers of {CUTLASS}, `cutlass::gemm::device::Gemm` for "
                      "sm_80, by nvcc: C = 2 A B + C.")
    headers = options.cutlass or find_cutlass(options)
    for place, (name, element, type_, layouts, operators, tile, warp,
                instruction, stages, alignment, output_alignment,
                others) in enumerate(CUTLASS_KERNELS):
        home = options.work / f"cutlass-{place:02}"
        home.mkdir(exist_ok=True)
        numbers = lambda sizes: ",".join(str(size) for size in sizes)
        macros = {"ELEMENT": element, "LAYOUT_A": layouts[0],
                  "LAYOUT_B": layouts[1], "OPERATOR_CLASS": operators,
                  "TILE": numbers(tile), "WARP": numbers(warp),
                  "INSTRUCTION": numbers(instruction), "STAGES": stages,
                  "ALIGNMENT": alignment, "OUTPUT_ALIGNMENT": output_alignment,
                  "OPERATION": "cutlass::arch::OpMultiplyAdd", **others}
        (home / "macros.h").write_text("".join(
            f"#define {key} {value}\n" for key, value in macros.items()))
        flags = ["-std=c++17", f"-I{headers}", "-include", home / "macros.h"]
        source = SOURCES / "CutlassGemm.cu"
        ptx = compile_ptx(options, source, home / "all.ptx", flags)
        link(options, [source], home / "launch", flags)
        step = max(alignment, output_alignment)
        full = (2 * tile[0], tile[1], 3 * tile[2])
        ragged = tuple(extent // step * step + step for extent in
                       (tile[0] + tile[0] // 3, tile[1] + tile[1] // 2,
                        2 * tile[2] + tile[2] // 3))
        for m, n, k in (full, ragged):
            folder = home / f"{m}x{n}x{k}"
            folder.mkdir(exist_ok=True)
            launch, _, _ = record(home / "launch", [m, n, k], ptx,
                                  ["A", "B", "C"], folder)
            buffers = [
                {"name": "A", "type": type_, "extents": [m, k], "access": "read",
                 "strides": [k, 1] if layouts[0] == "RowMajor" else [1, m]},
                {"name": "B", "type": type_, "extents": [k, n], "access": "read",
                 "strides": [n, 1] if layouts[1] == "RowMajor" else [1, k]},
                {"name": "C", "type": OUTPUT_TYPES[macros["OUTPUT"]],
                 "extents": [m, n], "access": "read_write", "write_once": True}]
            if type_ == "i8":
                # So that no element of C, which is added, saturates.
                buffers[2]["fill"] = {"integers": [-100000, 100000]}
            check = {"einsum": "ik,kj->ij", "inputs": ["A", "B"], "alpha": 2,
                     "beta": 1}
            precision = {"TF32": "tf32", "3xTF32": "3xtf32"}.get(name)
            if precision:
                check["precision"] = precision
            describe(folder, ptx, buffers, launch,
                     [{"output": "C", "contraction": check}])
            transposed = "".join("n" if layout == "ColumnMajor" else "t"
                                 for layout in layouts)
            results.add(folder, f"{name} {transposed} {'x'.join(map(str, tile))}, "
                        f"{stages} stages", f"{m} x {n} x {k}")
    return results


# Triton.

def triton_product(type_, output, tile, sizes, stages, pad=0):
    return {"kernel": "matmul", "type": type_, "output": output, "tile": tile,
            "sizes": sizes, "pad": pad,
            "options": {"num_warps": 4, "num_stages": stages}}


def triton_attention(type_, sizes, causal, tile=(64, 32)):
    return {"kernel": "attention", "type": type_, "tile": tile, "sizes": sizes,
            "causal": causal, "options": {"num_warps": 4, "num_stages": 2}}


TRITON_CASES = [
    *(triton_product(*types, (64, 64, 32), sizes, 3, pad)
      for types in (("f16", "f16"), ("bf16", "bf16"), ("f32", "f32"),
                    ("f8e5m2", "f32"))
      # Whole tiles; short ones, in rows that are aligned and in rows that are
      # not.
      for sizes, pad in (((128, 192, 128), 0), ((112, 80, 176), 0),
                         ((93, 75, 101), 0))),
    triton_product("f16", "f16", (128, 128, 64), (256, 128, 256), 4),
    *({"kernel": "softmax", "type": "f32", "sizes": sizes,
       "options": {"num_warps": 4}} for sizes in ((16, 1024), (5, 781))),
    *(triton_attention(type_, sizes, causal)
      for type_ in ("f16", "bf16")
      for sizes in ((2, 128, 64), (3, 100, 64))
      for causal in (False, True)),
]


def find_triton(options):
    python = options.work / "triton-venv/bin/python"
    if not python.exists():
        run([sys.executable, "-m", "venv", options.work / "triton-venv"])
        run([python, "-m", "pip", "install", "--quiet", TRITON, "numpy"])
    return python


def triton(options):
    results = Results(options, "Triton's kernels",
                      f"Compiled for sm_80 by {TRITON} from "
                      "`benchmarks/foreign/triton_kernels.py`; references by NumPy "
                      "in double precision for softmax and attention, whose "
                      "tolerances are those of the types.")
    python = options.triton_python or find_triton(options)
    home = options.work / "triton"
    home.mkdir(exist_ok=True)
    for place, case in enumerate(TRITON_CASES):
        folder = home / f"{place:02}-{case['kernel']}"
        folder.mkdir(exist_ok=True)
        run([python, SOURCES / "triton_kernels.py", json.dumps(case), folder],
            env={**os.environ, "TRITON_CACHE_DIR": str(home / "cache")})
        kind = case["kernel"] + (", causal" if case.get("causal") else "")
        tile = "x".join(str(extent) for extent in case.get("tile", []))
        results.add(folder, f"{kind} {case['type']} {tile}".rstrip(),
                    " x ".join(str(extent) for extent in case["sizes"]))
    return results


SECTIONS = {"cogent": cogent, "nwchem": nwchem, "cutlass": cutlass,
            "triton": triton}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path, help="the build folder")
    parser.add_argument("--work", type=pathlib.Path, required=True,
                        help="a folder for what is compiled and described")
    parser.add_argument("--cogent", type=pathlib.Path, metavar="CLONE")
    parser.add_argument("--cogent-numbers", type=int, nargs="+",
                        default=range(1, 49), help="some of the 48")
    parser.add_argument("--nwchem", type=pathlib.Path, metavar="CLONE")
    parser.add_argument("--cutlass", type=pathlib.Path,
                        help="the folder of CUTLASS's headers")
    parser.add_argument("--triton-python", type=pathlib.Path,
                        help="a Python that has Triton and NumPy")
    parser.add_argument("--sections", nargs="+", default=list(SECTIONS),
                        choices=list(SECTIONS))
    parser.add_argument("--reuse", action="store_true",
                        help="compile nothing that is in the folder of the "
                        "work already")
    parser.add_argument("--no-page", action="store_true",
                        help="write no page")
    options = parser.parse_args()
    for section in ("cogent", "nwchem"):
        if section in options.sections and getattr(options, section) is None:
            sys.exit(f"error: --{section}: no clone is named")
    options.build = options.build.resolve()
    options.work = options.work.resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    page, wrong = PAGE.read_text() if PAGE.exists() else "", []
    for section in options.sections:
        results = SECTIONS[section](options)
        wrong += results.wrong
        pattern = re.compile(f"(<!-- {section}: begin -->\n).*"
                             f"(<!-- {section}: end -->)", re.DOTALL)
        page, count = pattern.subn(
            lambda m, t=results.text(): f"{m[1]}\n{t}\n\n{m[2]}", page)
        if count != 1 and not options.no_page:
            sys.exit(f"error: {PAGE}: has no section '{section}'")
    if not options.no_page:
        with whole_file.writing(PAGE) as file:
            file.write(page)
    for line in wrong:
        print("WRONG", line, file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
