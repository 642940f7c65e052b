"""Common code of tests that use the project as others do, from an installation
in a folder of its own."""

import subprocess
import sys


def run(command, **options):
    """A command's output; if the command fails, its output and its errors end
    the test."""
    done = subprocess.run(command, capture_output=True, text=True, check=False,
                          **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}"
                 f"exit status {done.returncode}")
    return done.stdout


def install(cmake, build, component, prefix):
    run([cmake, "--install", build, "--component", component, "--prefix",
         prefix])


def build_project(cmake, source, folder, prefix, *options):
    """Configures and builds a CMake project that finds the installation."""
    run([cmake, "-G", "Ninja", "-S", source, "-B", folder,
         f"-DCMAKE_PREFIX_PATH={prefix}",
         *options])
    run([cmake, "--build", folder])
