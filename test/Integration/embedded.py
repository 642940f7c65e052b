#!/usr/bin/env python3
"""Installs the compiler for C++ programs into a folder of its own, builds
examples/embed against that, and runs it. Then asks the package for what it does
not have, and checks of its headers that what they include is installed, too, that
none brings names of another namespace along, and that tc/InitAll.h includes all that
the documentation says."""

import argparse
import glob
import os
import re
import shutil
import subprocess
import sys

from installation import build_project, install, run


def check_refusal(arguments, prefix):
    """Component C is not in this installation: it has to be named."""
    project = f"{prefix}/refused"
    os.mkdir(project)
    with open(f"{project}/CMakeLists.txt", "w", encoding="utf-8") as file:
        file.write("cmake_minimum_required(VERSION 3.25)\n"
                   "project(User LANGUAGES CXX)\n"
                   "find_package(TC 0.1 CONFIG REQUIRED COMPONENTS C)\n")
    done = subprocess.run(
        [arguments.cmake, "-G", "Ninja", "-S", project, "-B", f"{project}/build",
         f"-DCMAKE_PREFIX_PATH={prefix}",
         f"-DCMAKE_CXX_COMPILER={arguments.cxx}"],
        capture_output=True, text=True, check=False)
    if done.returncode == 0 or "component C is not in this installation" not in " ".join(
            done.stderr.split()):
        sys.exit(f"component C was not refused:\n{done.stderr}")


def check_headers(prefix):
    headers = glob.glob(f"{prefix}/include/tc/**/*.h", recursive=True)
    if not headers:
        sys.exit(f"no headers in {prefix}/include/tc")
    for path in headers:
        with open(path, encoding="utf-8") as header:
            text = header.read()
        if re.search(r"^\s*using namespace ", text, re.MULTILINE):
            sys.exit(f"{path} has 'using namespace': it would leak")
        for included in re.findall(r'#include "(tc/[^"]*)"', text):
            if not os.path.exists(f"{prefix}/include/{included}"):
                sys.exit(f"{path} includes {included}, which is not installed")
    print(f"{len(headers)} headers")


def check_whole(source, prefix):
    """tc/InitAll.h includes all headers that the documentation names for front ends."""
    with open(f"{source}/docs/embedding.md", encoding="utf-8") as page:
        named = set(re.findall(r"`(tc/[\w/]+\.h)`", page.read()))
    reached, left = set(), ["tc/InitAll.h"]
    while left:
        name = left.pop()
        if name not in reached:
            reached.add(name)
            with open(f"{prefix}/include/{name}", encoding="utf-8") as header:
                left += re.findall(r'#include "(tc/[^"]*)"', header.read())
    if len(named) < 6 or named - reached:
        sys.exit(f"tc/InitAll.h does not include {sorted(named - reached)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for option in ("cmake", "build", "source", "cxx", "cc"):
        parser.add_argument(f"--{option}", required=True)
    arguments = parser.parse_args()
    # In the same place each time: a cache of the compiler can help then.
    prefix = f"{arguments.build}/embedded"
    shutil.rmtree(prefix, ignore_errors=True)
    install(arguments.cmake, arguments.build, "compiler", prefix)
    check_headers(prefix)
    check_whole(arguments.source, prefix)
    project = f"{prefix}/project"
    options = [f"-DCMAKE_CXX_COMPILER={arguments.cxx}",
               f"-DCMAKE_C_COMPILER={arguments.cc}"]
    if shutil.which("ccache"):
        options.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
    build_project(arguments.cmake, f"{arguments.source}/examples/embed",
                  project, prefix, *options)
    output = run([f"{project}/embed"])
    if output != "all 1800 elements are right\n":
        sys.exit(f"the example printed\n{output}")
    print(output, end="")
    check_refusal(arguments, prefix)


if __name__ == "__main__":
    main()
