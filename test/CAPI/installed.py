#!/usr/bin/env python3
"""Installs libtc and its headers into a folder of its own, builds C programs
against that, as strictly as C11 can be read, and runs them: the test of the
interface, and the example. The test is also run with LeakSanitizer. Of libtc,
nothing may be visible but the interface."""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile


def run(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False,
                          **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}"
                 f"exit status {done.returncode}")
    return done.stdout


def find_compiler():
    for name in ("cc", "clang-22"):
        if shutil.which(name):
            return name
    sys.exit("no C compiler: cc or clang-22")


def build(prefix, libdir, source, program, *flags):
    run([find_compiler(), "-std=c11", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra",
         "-Werror", "-pedantic", "-g", f"-I{prefix}/include", source, "-o",
         program, f"-L{prefix}/{libdir}", "-ltc", "-pthread", *flags])


def declared(prefix):
    """The functions that the headers declare."""
    names = set()
    for name in os.listdir(f"{prefix}/include/tc-c"):
        with open(f"{prefix}/include/tc-c/{name}", encoding="utf-8") as header:
            names |= set(re.findall(r"TC_EXPORT[^;(]*?\b(tc\w+)\s*\(",
                                    header.read()))
    return names


def exported(library):
    names = set()
    for line in run(["nm", "-D", "--defined-only", library]).splitlines():
        kind, name = line.split()[-2:]
        if kind != "A":  # the version's own name
            names.add(name.split("@")[0])
    return names


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for option in ("cmake", "build", "libdir", "test", "example"):
        parser.add_argument(f"--{option}", required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as prefix:
        run([arguments.cmake, "--install", arguments.build, "--component",
             "libtc", "--prefix", prefix])
        library = f"{prefix}/{arguments.libdir}/libtc.so"
        if exported(library) != declared(prefix):
            sys.exit(f"{library} shows {sorted(exported(library))}, but the "
                     f"headers declare {sorted(declared(prefix))}")
        environment = dict(os.environ, TC_CACHE=f"{prefix}/cache",
                           LD_LIBRARY_PATH=f"{prefix}/{arguments.libdir}")
        program = f"{prefix}/program"
        build(prefix, arguments.libdir, arguments.example, program)
        output = run([program], env=environment)
        if "out[1][2][3] = 39" not in output:
            sys.exit(f"the example printed\n{output}")
        build(prefix, arguments.libdir, arguments.test, program)
        print(run([program, f"{prefix}/first"], env=environment))
        build(prefix, arguments.libdir, arguments.test, program,
              "-fsanitize=leak")
        print(run([program, f"{prefix}/second"], env=environment))


if __name__ == "__main__":
    main()
