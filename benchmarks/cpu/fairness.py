"""Fairness of comparisons on a machine, as far as they have to say it: kernels that variables of the
environment have chosen, those that libraries chose, versions, and peers that cannot use the
vectors of this machine.
"""

import contextlib
import ctypes
import glob
import importlib.metadata
import os
import sys
import time

# With one of them, OpenBLAS takes other kernels, or other blocks, than it would.
VARIABLES = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
ONE_THREAD = dict.fromkeys(
    ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "TBLIS_NUM_THREADS",
     "MAX_NUM_THREADS_SESUM"), "1")
# Kernels with vectors of half the width reach half of OpenBLAS's speed. A peer below that fraction
# is remarked on.
HALF_WIDTH = 0.6


def add_option(parser):
    """The option by which a run takes the environment as it is."""
    parser.add_argument("--allow-environment", action="store_true",
                        help="runs although " + " or ".join(VARIABLES) + " is set")


def use_one_thread():
    """Gives libraries that are loaded from now on one thread; too late for those that are."""
    os.environ.update(ONE_THREAD)
    if "numpy" in sys.modules:
        raise RuntimeError("NumPy's BLAS has chosen its threads already")


def variables_set(environment=None):
    """Those variables, as NAME=VALUE."""
    environment = os.environ if environment is None else environment
    return [f"{name}={environment[name]}" for name in VARIABLES if environment.get(name)]


def require_own_choice(allowed):
    """Ends the program where a variable has chosen OpenBLAS's kernels."""
    found = variables_set()
    if found and not allowed:
        sys.exit(f"{found[0].partition('=')[0]} is set: OpenBLAS would not run as it does "
                 f"elsewhere ({', '.join(found)}); unset it, or --allow-environment")
    return found


def openblas_core():
    """The core whose kernels NumPy's OpenBLAS runs, and its version, as text."""
    # pylint: disable-next=import-outside-toplevel,unused-import
    import numpy
    try:
        # pylint: disable-next=import-outside-toplevel
        import threadpoolctl
        for library in threadpoolctl.threadpool_info():
            if library.get("internal_api") == "openblas":
                return f"{library['architecture']} (OpenBLAS {library['version']})"
    except ImportError:
        pass
    folder = os.path.join(os.path.dirname(os.path.dirname(numpy.__file__)), "numpy.libs")
    for path in glob.glob(os.path.join(folder, "*openblas*")):
        library = ctypes.CDLL(path)
        for name in ("scipy_openblas_get_corename64_", "openblas_get_corename64_",
                     "openblas_get_corename"):
            with contextlib.suppress(AttributeError):
                function = getattr(library, name)
                function.restype = ctypes.c_char_p
                return function().decode()
    return "unknown"


def versions(packages):
    """Of those that are installed, by their names."""
    found = {}
    for package in packages:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[package] = importlib.metadata.version(package)
    return found


def processor():
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return "unknown"


def half_width(speeds, standard):
    """Of speeds by name, those below that fraction of the standard's, with the fraction."""
    return {name: speed / speeds[standard] for name, speed in speeds.items()
            if speed < HALF_WIDTH * speeds[standard]}


def product_speeds(products, clock_of=lambda name: time.perf_counter, turns=20):
    """Runs of each function in a second: the best of calls in turns, one before."""
    best = {}
    for turn in range(turns + 1):
        for name, product in products.items():
            clock = clock_of(name)
            begin = clock()
            product()
            if turn:
                elapsed = clock() - begin
                best[name] = max(best.get(name, 0.0), 1 / elapsed)
    return best


def remarks(slow):
    """A sentence for each peer of half_width."""
    return [f"{name} reaches {fraction:.2f} of OpenBLAS's speed in a product of 512 x 512 matrices "
            "of f64, no more than kernels with vectors of half the width would"
            for name, fraction in slow.items()]
