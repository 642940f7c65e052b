#!/usr/bin/env python3
"""With --install builds the Python package's wheel around the libtc of a build
folder and puts it into the virtual environment there, which scripts/setup.sh makes.
Without, runs the tests of the package that is there, or with --suites those that
come with NumPy and opt_einsum. Nothing is fetched."""

import argparse
import os
import shutil
import subprocess
import sys


def install(arguments, python):
    settings = [f"cmake.define.TC_BUILD_DIR={arguments.build}",
                f"cmake.define.CMAKE_C_COMPILER={arguments.cc}",
                f"cmake.define.CMAKE_CXX_COMPILER={arguments.cxx}",
                f"build-dir={arguments.build}/python-wheel"]
    if shutil.which("ccache"):
        settings.append("cmake.define.CMAKE_CXX_COMPILER_LAUNCHER=ccache")
    return subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "--no-build-isolation",
         "--no-deps", "--no-index", "--force-reinstall",
         "--disable-pip-version-check",
         *(f"--config-settings={setting}" for setting in settings),
         arguments.source], check=False).returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", required=True, type=os.path.abspath)
    parser.add_argument("--build", required=True, type=os.path.abspath)
    parser.add_argument("--cc", help="with --install")
    parser.add_argument("--cxx", help="with --install")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--install", action="store_true")
    what.add_argument("--suites", action="store_true")
    arguments, further = parser.parse_known_args()
    python = os.path.join(arguments.build, "python-venv", "bin", "python")
    if arguments.install:
        return install(arguments, python)
    # Not from the repository's root, whose files are not the installed ones.
    tests = os.path.join(arguments.source, "test", "Python")
    suites = os.path.join(tests, "Suites")
    chosen = [suites] if arguments.suites else [tests, f"--ignore={suites}"]
    done = subprocess.run(
        [python, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", *chosen, *further],
        cwd=arguments.build, check=False,
        env=dict(os.environ, TC_CACHE=f"{arguments.build}/python-cache",
                 TC_TOOLS=f"{arguments.build}/bin",
                 TC_FAKE_CUDA=f"{arguments.build}/test/fake-cuda"))
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
