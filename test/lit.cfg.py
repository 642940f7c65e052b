# lit's configuration of the text tests: the files that are tests, the tools that names
# in their RUN lines stand for, and the features of the machine that a test may
# require.

import ctypes
import os
import platform
import shutil
import subprocess
import sys

import lit.formats

config.name = "TC"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test", ".einsum", ".tccg", ".cogent", ".ptx"]
# Unit and Integration are programs that ctest runs by itself; Inputs and
# corpora are data.
config.excludes = ["Unit", "Integration", "Fuzz", "Inputs", "Corpus", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.tc_binary_dir, "test")


def add_tool(name, folder):
    """Makes the word `name` in RUN lines stand for the program in `folder`."""
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        lit_config.fatal(f"the program '{name}' is not in {folder}")
    word = rf"(?<![\w./-]){name}(?![\w.-])"
    config.substitutions.append((word, path))


for tool in ("tc-opt", "tc-translate", "tc-run", "tc-launch", "tc-time", "tc-bench",
             "tc-calibrate", "tc-reduce", "tc-lsp-server", "tc-sim-crosscheck",
             "tc-differential"):
    add_tool(tool, config.tc_tools_dir)
for tool in ("FileCheck", "split-file", "llvm-nm", "mlir-opt", "mlir-runner",
             "mlir-translate", "count", "not"):
    add_tool(tool, config.llvm_tools_dir)
# Libraries need the sanitizers where the project has them; upstream's mlir-opt
# and mlir-runner, which load them, have none.
if config.tc_has_sanitizers:
    lit_config.note("built with sanitizers: tests of the plugin do not run")
else:
    config.available_features.add("plugin")
    config.substitutions.append(
        ("%tc-plugin", config.tc_binary_dir + "/lib/TCPlugin.so"))
    config.substitutions.append(
        ("%tc-cuda-runtime", config.tc_binary_dir + "/lib/libtc_cuda_runtime.so"))
    config.substitutions.append(
        ("%tc-cpu-runtime", config.tc_binary_dir + "/lib/libtc_cpu_runtime.so"))
config.substitutions.append(("%mlir-libs", config.llvm_library_dir))
config.substitutions.append(("%examples", config.tc_source_dir + "/examples"))
config.substitutions.append(("%docs", config.tc_source_dir + "/docs"))
config.substitutions.append(
    ("%integration", config.tc_source_dir + "/test/Integration"))
config.substitutions.append(("%scripts", config.tc_source_dir + "/scripts"))
config.substitutions.append(("%tools", config.tc_tools_dir))
config.substitutions.append(
    ("%suites", config.tc_source_dir + "/benchmarks/suites"))

# Checks pages that explain schedules.
config.substitutions.append(
    ("%check-page", f"python3 {config.tc_source_dir}/scripts/check_explain_page.py"))

# The folder of a CUDA driver whose device is the simulator.
config.substitutions.append(
    ("%fake-cuda", config.tc_binary_dir + "/test/fake-cuda"))
# The folder of libraries that go with it: NVML, cuBLAS and cuTENSOR.
config.substitutions.append(
    ("%fake-peers", config.tc_binary_dir + "/test/fake-peers"))
config.substitutions.append(
    ("%compile-suite", f"python3 {config.tc_source_dir}/scripts/compile_suite.py "
     f"--tools={config.tc_tools_dir}"))

# The assembler is optional: tests that need it say `REQUIRES: ptxas`.
ptxas = shutil.which("ptxas", path=os.pathsep.join(
    [os.environ.get("PATH", ""), "/usr/local/cuda/bin"]))
if ptxas:
    config.available_features.add("ptxas")
    config.substitutions.append((r"(?<![\w./-])ptxas(?![\w.-])", ptxas))
    config.environment["PATH"] = os.pathsep.join(
        [os.path.dirname(ptxas), config.environment["PATH"]])
else:
    lit_config.note("ptxas not found: tests that assemble PTX do not run")

# So is the disassembler: tests that need it say `REQUIRES: nvdisasm`.
nvdisasm = os.environ.get("TC_NVDISASM") or shutil.which(
    "nvdisasm", path=os.pathsep.join([os.environ.get("PATH", ""),
                                      "/usr/local/cuda/bin"]))
if nvdisasm:
    config.available_features.add("nvdisasm")
    config.environment["TC_NVDISASM"] = nvdisasm
else:
    lit_config.note("nvdisasm not found: tests of machine code do not run")

# So is glibc's library of functions on vectors.
try:
    if platform.machine() != "x86_64":
        raise OSError
    ctypes.CDLL("libmvec.so.1")
    config.available_features.add("libmvec")
except OSError:
    lit_config.note("libmvec not found: tests of functions on vectors do not "
                    "run")

# So is libdevice, which is looked for where the compiler does.
toolkits = ([os.path.dirname(os.path.dirname(os.path.realpath(ptxas)))]
            if ptxas else []) + ["/usr/local/cuda"]
libdevices = [os.path.join(toolkit, "nvvm/libdevice/libdevice.10.bc")
              for toolkit in toolkits]
if "TC_LIBDEVICE" in os.environ:
    libdevices = [os.environ["TC_LIBDEVICE"]]
    config.environment["TC_LIBDEVICE"] = libdevices[0]
if any(map(os.path.exists, libdevices)):
    config.available_features.add("libdevice")
else:
    lit_config.note("libdevice not found: tests of math functions in kernels "
                    "do not run")

# A library that draws the plots of benchmarks is optional, too: setup.sh's
# Python has it, or else the one that runs this.
python = os.path.join(config.tc_binary_dir, "python-venv", "bin", "python")
if not os.path.exists(python):
    python = sys.executable
if subprocess.run([python, "-c", "import matplotlib"], check=False,
                  capture_output=True).returncode == 0:
    config.available_features.add("matplotlib")
else:
    lit_config.note("matplotlib not found: tests that draw plots do not run")
for script in ("bench_page", "bench_torch"):
    config.substitutions.append(
        ("%" + script.replace("_", "-"),
         f"{python} {config.tc_source_dir}/scripts/{script}.py"))
config.substitutions.append(
    ("%gpu-bench", f"{python} {config.tc_source_dir}/scripts/gpu_bench.py "
     f"--tools={config.tc_tools_dir}"))
config.substitutions.append(("%{path}", config.environment["PATH"]))
config.substitutions.append(("%python", python))

# `not` and the sanitizers are steered by these.
for variable in ("ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS",
                 "UBSAN_OPTIONS", "LLVM_SYMBOLIZER_PATH"):
    if variable in os.environ:
        config.environment[variable] = os.environ[variable]
# Tests leave the user's caches alone; those of the cache name their own.
config.environment["TC_CACHE"] = "off"
# Measurements on this machine must not decide what tests see.
config.environment["TC_CALIBRATION"] = "off"
config.environment["FILECHECK_OPTS"] = "--dump-input=fail"
