"""COGENT's kernels as its authors timed them: their machine code for sm_70 and
how they are launched, from a clone of the artifact of their paper.

Nothing runs on a device. The generator writes CUDA. Its host part is compiled
with a header that stands for CUDA's, so that its own arithmetic says which kernel
is launched and with what; its device part becomes PTX by nvcc, whose oldest
architecture is sm_75, and machine code by the ptxas of CUDA 12.4, which knows
sm_70 and comes with its nvdisasm in PyPI's wheel of Triton.
"""

import collections
import math
import pathlib
import re
import subprocess
import sys
import zipfile

# The arguments of tc-time, and the multiply-adds of the contraction.
Kernel = collections.namedtuple("Kernel", ["options", "products"])
TRITON = "triton==3.1.0"
STUB = pathlib.Path(__file__).resolve().parent.parent / \
    "benchmarks" / "timing" / "launch_stub.h"


def run(command, **options):
    done = subprocess.run([str(part) for part in command], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False, **options)
    if done.returncode != 0:
        sys.exit(f"error: {command[0]}: {done.stderr.strip()[:2000]}")
    return done.stdout, done.stderr


def find_tools(folder):
    """ptxas and nvdisasm of CUDA 12.4."""
    run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps",
         "--dest", folder, TRITON])
    for wheel in folder.glob("triton*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            for name in ("ptxas", "nvdisasm"):
                archive.extract(f"triton/backends/nvidia/bin/{name}", folder)
        wheel.unlink()
    tools = folder / "triton" / "backends" / "nvidia" / "bin"
    for name in ("ptxas", "nvdisasm"):
        (tools / name).chmod(0o755)
    return tools


def generate(cogent, number, folder):
    """The CUDA of one contraction, and the extents that it was timed at."""
    name = f"{number:02}"
    run([sys.executable, cogent / "tc_code_generator.py", name,
         cogent / "input_strings" / "tccg" / f"input_tccg_{name}.in",
         "-1", "-1", "DOUBLE"], cwd=folder)
    script = (cogent / "bench_tccg.sh").read_text()
    line = re.search(rf'^\s*"([\d ]+)"\)?\s*#\s*{number}\s*$', script,
                     re.MULTILINE)
    if not line:
        sys.exit(f"error: {cogent / 'bench_tccg.sh'}: has no extents of {number}")
    return folder / f"temp__{name}.cu", line[1].split()


def factors_bytes(cogent, number, extents):
    """The bytes of the two factors, which the grid loads at least once each."""
    text = (cogent / "input_strings" / "tccg" /
            f"input_tccg_{number:02}.in").read_text()
    extent = dict(zip("abcdefg", map(int, extents)))
    factors = re.search(r"^t3.*t2 \[([\w,]+)\] \* v2 \[([\w,]+)\]", text,
                        re.MULTILINE).groups()
    return sum(8 * math.prod(extent[index] for index in factor.split(","))
               for factor in factors)


def launch_of(source, extents, folder):
    """The launch by the host part: the kernel's name and the options of tc-time
    that describe it."""
    text = re.sub(r"(\w+)\s*<<<\s*(\w+)\s*,\s*(\w+)\s*>>>",
                  r'LaunchOf("\1", \1, \2, \3)', source.read_text())
    text += (f"\nint main() {{ sd_t_d2_fusion_({', '.join(extents)}, nullptr, "
             "nullptr, nullptr, 1, -1); }\n")
    host = source.with_suffix(".host.cpp")
    host.write_text(text)
    run(["g++", "-std=c++17", "-w", "-include", STUB, host, "-o",
         folder / "launch"])
    _, said = run([folder / "launch"], cwd=folder)
    launches = [line.split() for line in said.splitlines()]
    if len(launches) != 1:
        sys.exit(f"error: {source.name}: {len(launches)} launches")
    kernel, grid, block, parameters = launches[0]
    # Tables of offsets, which the kernels look up in global memory.
    tables = [f"--memory={file.stem}:{file}"
              for file in sorted(folder.glob("*.memory"))]
    return kernel, [f"--grid={grid}", f"--block={block}",
                    f"--parameters={parameters}", *tables]


def constants_of(cubin, kernel, nvdisasm, folder):
    """The contents of constant memory: the compiler's constants, and the tables,
    laid out as the cubin has them."""
    options = []
    text, _ = run([nvdisasm, cubin])
    section = lambda name: re.search(
        rf"^\s*\.section\s+\.nv\.{re.escape(name)},.*?^//", text,
        re.DOTALL | re.MULTILINE)
    own = section(f"constant2.{kernel}")
    if own:
        data = re.findall(r"\.byte\s+(.*)", own[0])
        (folder / "constants2").write_bytes(
            bytes(int(byte, 16) for byte in ", ".join(data).split(", ")))
        options.append(f"--constants=2:{folder / 'constants2'}")
    tables = {file.stem: file.read_bytes()
              for file in folder.glob("*.constant")}
    if tables:
        memory = bytearray()
        for line in section("constant3")[0].splitlines():
            label = re.match(r"(\w+):$", line)
            size = re.match(r"\s+\.zero\s+(\d+)", line)
            if label:
                name = label[1]
            elif size:
                memory += tables[name].ljust(int(size[1]), b"\0")[:int(size[1])]
        (folder / "constants3").write_bytes(memory)
        options.append(f"--constants=3:{folder / 'constants3'}")
    return options


def kernel_of(cogent, number, tools, folder):
    """One contraction's kernel, made in a folder of its own, which stays."""
    folder.mkdir()
    source, extents = generate(cogent, number, folder)
    kernel, launch = launch_of(source, extents, folder)
    ptx = source.with_suffix(".ptx")
    # The artifact's options, which keep global loads out of the L1 cache.
    run(["nvcc", "-O3", "-std=c++11", "-w", "-arch=compute_75",
         "--use_fast_math", "-ptx", source, "-o", ptx])
    text = re.sub(r"^\.version .*", ".version 8.4", ptx.read_text(),
                  flags=re.MULTILINE)
    ptx.write_text(re.sub(r"^\.target .*", ".target sm_70", text,
                          flags=re.MULTILINE))
    cubin, listing = source.with_suffix(".cubin"), source.with_suffix(".sass")
    _, log = run([tools / "ptxas", "-arch=sm_70", "-dlcm=cg", "-v", ptx,
                  "-o", cubin])
    name = re.search(rf"Compiling entry function '(\w*{kernel}\w*)'.*?"
                     r"Used (\d+) registers(?:.*?(\d+) bytes smem)?", log,
                     re.DOTALL)
    listing.write_text(run([tools / "nvdisasm", "-c", "-hex", cubin])[0])
    return Kernel(
        [listing, f"--kernel={name[1]}", f"--registers={name[2]}",
         f"--shared={name[3] or 0}", *launch,
         f"--distinct={factors_bytes(cogent, number, extents)}",
         *constants_of(cubin, name[1], tools / "nvdisasm", folder)],
        math.prod(map(int, extents)))
