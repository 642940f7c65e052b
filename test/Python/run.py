#!/usr/bin/env python3
"""Builds the Python package's wheel around the libtc of a build folder, puts it
into the virtual environment there, which scripts/setup.sh makes, and runs the
package's tests, or with --suites those that come with NumPy and opt_einsum.
Nothing is fetched."""

import argparse
import os
import shutil
import subprocess
import sys


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", required=True)
    parser.add_argument("--build", required=True)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--cxx", required=True)
    parser.add_argument("--suites", action="store_true")
    arguments, further = parser.parse_known_args()
    python = os.path.join(arguments.build, "python-venv", "bin", "python")
    settings = [f"cmake.define.TC_BUILD_DIR={arguments.build}",
                f"cmake.define.CMAKE_C_COMPILER={arguments.cc}",
                f"cmake.define.CMAKE_CXX_COMPILER={arguments.cxx}",
                f"build-dir={arguments.build}/python-wheel"]
    if shutil.which("ccache"):
        settings.append("cmake.define.CMAKE_CXX_COMPILER_LAUNCHER=ccache")
    subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "--no-build-isolation",
         "--no-deps", "--no-index", "--force-reinstall",
         "--disable-pip-version-check",
         *(f"--config-settings={setting}" for setting in settings),
         arguments.source], check=True)
    # Not from the repository's root, whose files are not what was installed.
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
