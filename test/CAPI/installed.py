#!/usr/bin/env python3
"""Installs libtc, libtc_tapp and the headers into a folder of its own, builds C
programs against that, as strictly as C11 can be read, and runs them: the example,
and the tests of the two interfaces, which are also run with LeakSanitizer. Then
the same with libtc_launch, libtc_cpu_runtime and libtc_cuda_runtime in other folders. Of the libraries, nothing may be
visible but the interfaces. The CUDA driver is the fake one."""

import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                os.pardir, "Integration"))
# pylint: disable-next=wrong-import-position
from installation import build_project, install, run


def find_compiler():
    for name in ("cc", "clang-22"):
        if shutil.which(name):
            return name
    sys.exit("no C compiler: cc or clang-22")


STRICTLY = ("-std=c11", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-Werror",
            "-pedantic", "-g")


def build(prefix, libdir, source, program, *flags):
    # GNU's linker reads all of LLVM, which libtc uses, to see that nothing is
    # undefined in libtc. It does for the example that CMake builds.
    run([find_compiler(), *STRICTLY, f"-I{prefix}/include", source, "-o",
         program, f"-L{prefix}/{libdir}", "-pthread",
         "-Wl,--allow-shlib-undefined", *flags])


def pkg_config(prefix, libdir, library):
    """The output of pkg-config --cflags --libs for a library of the installation."""
    folder = f"{prefix}/{libdir}/pkgconfig"
    values, fields = {"pcfiledir": folder}, {}
    with open(f"{folder}/{library}.pc", encoding="utf-8") as file:
        for line in file:
            line = re.sub(r"\$\{(\w+)\}", lambda match: values[match[1]], line.strip())
            if match := re.fullmatch(r"(\w+)=(.*)", line):
                values[match[1]] = match[2]
            elif match := re.fullmatch(r"([\w.]+): (.*)", line):
                fields[match[1]] = match[2]
    if fields["Name"] != f"lib{library}" or not fields["Description"]:
        sys.exit(f"{folder}/{library}.pc describes {fields}")
    return fields["Cflags"].split() + fields["Libs"].split()


def build_with_cmake(cmake, prefix, program, package, target):
    """A program as a project of a user's that finds the package."""
    project = f"{prefix}/project"
    os.mkdir(project)
    with open(f"{project}/CMakeLists.txt", "w", encoding="utf-8") as file:
        file.write("cmake_minimum_required(VERSION 3.25)\n"
                   "project(User LANGUAGES C)\n"
                   f"find_package({package})\n"
                   f"add_executable(user {program})\n"
                   f"target_link_libraries(user PRIVATE {target})\n")
    build_project(cmake, project, f"{project}/build", prefix,
                  f"-DCMAKE_C_COMPILER={find_compiler()}")
    return f"{project}/build/user"


def declared(headers):
    """The functions that headers declare."""
    names = set()
    for path in headers:
        with open(path, encoding="utf-8") as header:
            names |= functions(header.read())
    return names


def functions(text):
    return set(re.findall(r"^[^|#\n]*?\b((?:tc|TAPP_)\w+)\s*\(", text, re.MULTILINE))


def declared_by_tapp(source, interface):
    """The functions of TAPP as one of its commits has them."""
    text = run([find_compiler(), "-E", "-P", f"-DTC_TAPP_INTERFACE=0x{interface}",
                f"{source}/lib/TAPP/TappApi.h"])
    return functions(text[text.index("TAPP_check_success") - 100:])


def headers_of_libtc(prefix):
    """The headers of libtc alone: others are of what libtc_tapp has beside TAPP."""
    return [path for path in glob.glob(f"{prefix}/include/tc-c/*.h")
            if os.path.basename(path) not in ("TappElementwise.h", "TappInterface.h")]


def check_exports(library, names):
    if exported(library) != names:
        sys.exit(f"{library} shows {sorted(exported(library))}, but the "
                 f"headers declare {sorted(names)}")


def check_pointers(headers, test):
    """Each function that takes a pointer has to be in the test that gives NULL
    in its place."""
    with open(test, encoding="utf-8") as file:
        tested = set(re.findall(r"\b((?:tc|TAPP_)\w+)\s*\(", file.read()))
    takes_pointers = set()
    for path in headers:
        with open(path, encoding="utf-8") as header:
            text = re.sub(r"/\*.*?\*/", "", header.read(), flags=re.DOTALL)
        takes_pointers |= set(re.findall(
            r"\b((?:tc|TAPP_)\w+)\s*\((?=[^()]*\*)[^()]*\)\s*;", text))
    if not takes_pointers or takes_pointers - tested:
        sys.exit(f"{test} leaves out {sorted(takes_pointers - tested)}")


def exported(library):
    names = set()
    for line in run(["nm", "-D", "--defined-only", library]).splitlines():
        kind, name = line.split()[-2:]
        if kind != "A":  # the version's own name
            names.add(name.split("@")[0])
    return names


def folder_of_tapp(arguments, interface, prefix):
    """The folder of the library with one commit's signatures: the first one is installed, the
    others are in the build folder."""
    if interface == arguments.tapp_interfaces[0]:
        return f"{prefix}/{arguments.libdir}"
    return f"{arguments.build}/lib/tapp-{interface}"


def test_tapp(arguments, interface, prefix, environment, flags):
    """libtc_tapp with the signatures of one commit of TAPP."""
    folder = folder_of_tapp(arguments, interface, prefix)
    check_exports(f"{folder}/libtc_tapp.so",
                  declared_by_tapp(arguments.source, interface)
                  | declared([f"{prefix}/include/tc-c/TappElementwise.h"])
                  | {f"tcTappInterface{interface}"})
    program = f"{prefix}/tapp"
    path = f"{folder}:{environment['LD_LIBRARY_PATH']}"
    for test in ("tapp_test", "tapp_null_test", "tapp_random_test",
                 "tapp_elementwise_test", "tapp_errors_test"):
        build(prefix, arguments.libdir, f"{arguments.source}/test/CAPI/{test}.c",
              program, f"-DTC_TAPP_INTERFACE=0x{interface}",
              f"-I{arguments.source}/lib/TAPP", f"{folder}/libtc_tapp.so", "-lm",
              f"-Wl,-rpath-link,{prefix}/{arguments.libdir}", *flags)
        print(run([program], env=dict(environment, LD_LIBRARY_PATH=path)))


def test_tapp_headers(arguments, prefix, environment):
    """Programs with one commit's headers and the library of another one: with
    tc-c/TappInterface.h they do not link; else, those whose arguments are in other
    places are told so."""
    source, program = arguments.source, f"{prefix}/tapp-headers"
    for library in arguments.tapp_interfaces:
        folder = folder_of_tapp(arguments, library, prefix)
        for headers in arguments.tapp_interfaces:
            command = [f"-DTC_TAPP_INTERFACE=0x{headers}", f"-I{source}/lib/TAPP",
                       f"-I{prefix}/include", f"-I{source}/test/CAPI",
                       f"{source}/test/CAPI/tapp_headers_test.c", "-x", "none",
                       f"{folder}/libtc_tapp.so", "-Wl,--allow-shlib-undefined",
                       "-o", program]
            for language in (["-x", "c", "-std=c11"], ["-x", "c++", "-std=c++11"]):
                linked = subprocess.run(
                    [find_compiler(), "-DREQUIRE_FITTING_LIBRARY", *language, *command],
                    capture_output=True, text=True, check=False)
                missing = f"tcTappInterface{headers}" in linked.stderr
                if (linked.returncode == 0) != (headers == library) or (
                        headers != library and not missing):
                    sys.exit(f"{' '.join(language)}: headers of {headers} with the "
                             f"library of {library}:\n{linked.stderr}")
            if {headers, library} == {"408bcab", "178d71e"}:
                run([find_compiler(), "-x", "c", *STRICTLY, *command])
                path = f"{folder}:{environment['LD_LIBRARY_PATH']}"
                print(run([program], env=dict(environment, LD_LIBRARY_PATH=path)))


def test_launches(arguments, prefix, environment, program):
    """Launches on the fake driver's devices, with the compiler."""
    source, libdir = arguments.source, arguments.libdir
    with_driver = dict(environment)
    with_driver["LD_LIBRARY_PATH"] += f":{arguments.build}/test/fake-cuda"
    for flags in ([], ["-fsanitize=leak"]):
        build(prefix, libdir, f"{source}/test/CAPI/launch_test.c", program,
              "-ltc", "-lm", "-ldl", *flags)
        print(run([program, prefix], env=with_driver))
        print(run([program, prefix, "none"], env=environment))
        build(prefix, libdir, f"{source}/test/CAPI/program_test.c", program,
              "-ltc", "-ldl", *flags)
        print(run([program], env=with_driver))
        build(prefix, libdir, f"{source}/test/CAPI/null_test.c", program,
              "-ltc", "-ldl", *flags)
        print(run([program, f"{source}/test/Tools/tc-launch/Inputs"],
                  env=with_driver))


def test_without_compiler(arguments):
    """libtc_launch alone, in a folder of its own."""
    source, libdir = arguments.source, arguments.libdir
    with tempfile.TemporaryDirectory() as prefix:
        install(arguments.cmake, arguments.build, "launch", prefix)
        library = f"{prefix}/{libdir}/libtc_launch.so"
        check_exports(library, declared(glob.glob(f"{prefix}/include/tc-c/*.h")))
        needed = run(["ldd", library])
        if "LLVM" in needed or "MLIR" in needed:
            sys.exit(f"libtc_launch needs LLVM:\n{needed}")
        program = f"{prefix}/program"
        folders = f"{prefix}/{libdir}:{arguments.build}/test/fake-cuda"
        for flags in ([], ["-fsanitize=leak"]):
            build(prefix, libdir, f"{source}/test/CAPI/package_test.c", program,
                  "-ltc_launch", "-lm", "-ldl", *flags)
            print(run([program, f"{source}/test/Tools/tc-launch/Inputs"],
                      env=dict(os.environ, LD_LIBRARY_PATH=folders)))
        program = build_with_cmake(
            arguments.cmake, prefix, f"{source}/test/CAPI/package_test.c",
            "TC 0.1 CONFIG REQUIRED COMPONENTS Launch", "TC::Launch m dl")
        print(run([program, f"{source}/test/Tools/tc-launch/Inputs"],
                  env=dict(os.environ, LD_LIBRARY_PATH=folders)))


def build_fake_iomp5(source, prefix):
    """A library that is called as Intel's OpenMP runtime is."""
    runtime = f"{prefix}/libiomp5.so"
    run([find_compiler(), *STRICTLY, "-shared", "-fPIC", "-Wl,-soname,libiomp5.so",
         f"{source}/test/CAPI/fake_iomp5.c", "-o", runtime])
    return runtime


def test_cpu_runtime(arguments):
    """libtc_cpu_runtime alone, in a folder of its own, as CMake finds it."""
    source, libdir = arguments.source, arguments.libdir
    with tempfile.TemporaryDirectory() as prefix:
        install(arguments.cmake, arguments.build, "cpu_runtime", prefix)
        library = f"{prefix}/{libdir}/libtc_cpu_runtime.so"
        check_exports(library, declared([f"{prefix}/include/tc-c/CpuRuntime.h"]))
        needed = run(["ldd", library])
        if "LLVM" in needed or "MLIR" in needed:
            sys.exit(f"libtc_cpu_runtime needs LLVM:\n{needed}")
        program = f"{prefix}/program"
        for flags in ([], ["-fsanitize=leak"]):
            build(prefix, libdir, f"{source}/test/CAPI/cpu_runtime_test.c",
                  program, "-ltc_cpu_runtime", *flags)
            print(run([program], env=dict(
                os.environ, LD_LIBRARY_PATH=f"{prefix}/{libdir}")))
        program = build_with_cmake(
            arguments.cmake, prefix, f"{source}/test/CAPI/cpu_runtime_test.c",
            "TC 0.1 CONFIG REQUIRED COMPONENTS CpuRuntime", "TC::CpuRuntime")
        print(run([program]))
        runtime = build_fake_iomp5(source, prefix)
        run([find_compiler(), *STRICTLY, f"{source}/test/CAPI/openmp_test.c", "-o", program,
             *pkg_config(prefix, libdir, "tc_cpu_runtime"), "-ldl",
             f"-Wl,-rpath,{prefix}/{libdir}"])
        print(run([program, runtime]))


CUDA_PROGRAM = """
extern void *mgpuStreamCreate(void);
int main(void) { return mgpuStreamCreate == 0; }
"""


def test_cuda_runtime(arguments):
    """libtc_cuda_runtime alone, as CMake and pkg-config find it after it has been moved.
    What it does is tested with the code that calls it."""
    with tempfile.TemporaryDirectory() as folder:
        install(arguments.cmake, arguments.build, "cuda_runtime", f"{folder}/before")
        prefix = f"{folder}/after"
        os.rename(f"{folder}/before", prefix)
        source = f"{prefix}/program.c"
        with open(source, "w", encoding="utf-8") as file:
            file.write(CUDA_PROGRAM)
        run([build_with_cmake(
            arguments.cmake, prefix, source,
            "TC 0.1 CONFIG REQUIRED COMPONENTS CudaRuntime", "TC::CudaRuntime")])
        run([find_compiler(), source, "-o", f"{prefix}/program",
             *pkg_config(prefix, arguments.libdir, "tc_cuda_runtime")])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for option in ("cmake", "build", "libdir", "source"):
        parser.add_argument(f"--{option}", required=True)
    parser.add_argument("--tapp-interfaces", required=True, nargs="+",
                        help="commits of TAPP, that of the installed library first")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as prefix:
        install(arguments.cmake, arguments.build, "libtc", prefix)
        source, libdir = arguments.source, arguments.libdir
        check_exports(f"{prefix}/{libdir}/libtc.so",
                      declared(headers_of_libtc(prefix)))
        check_pointers(headers_of_libtc(prefix),
                       f"{source}/test/CAPI/null_test.c")
        check_pointers([f"{source}/lib/TAPP/TappApi.h",
                        f"{source}/include/tc-c/TappElementwise.h"],
                       f"{source}/test/CAPI/tapp_null_test.c")
        environment = dict(os.environ, TC_CACHE=f"{prefix}/cache",
                           LD_LIBRARY_PATH=f"{prefix}/{arguments.libdir}")
        if shutil.which("ptxas"):
            environment["TEST_PTXAS"] = shutil.which("ptxas")
        program = build_with_cmake(
            arguments.cmake, prefix, f"{source}/examples/c_interface.c",
            "TC 0.1 CONFIG REQUIRED", "TC::TCC")
        output = run([program], env=environment)
        if "out[1][2][3] = 39" not in output:
            sys.exit(f"the example printed\n{output}")
        for library in ("tc", "tc_tapp"):
            expected = [f"-I{prefix}/include", f"-L{prefix}/{libdir}", f"-l{library}"]
            found = [os.path.normpath(flag) for flag in pkg_config(prefix, libdir, library)]
            if found != expected:
                sys.exit(f"{library}.pc says {found}, not {expected}")
        program = f"{prefix}/program"
        for flags in ([], ["-fsanitize=leak"]):
            for test in ("contraction_test", "auxiliaries_test", "float8_test",
                         "options_test", "order_test", "shapes_test",
                         "specialize_test", "text_test", "tuning_test"):
                build(prefix, libdir, f"{source}/test/CAPI/{test}.c", program,
                      "-ltc", "-lm", *flags)
                print(run([program, f"{prefix}/cache{len(flags)}"],
                          env=environment))
            for interface in arguments.tapp_interfaces:
                test_tapp(arguments, interface, prefix, environment, flags)
        test_tapp_headers(arguments, prefix, environment)
        build(prefix, libdir, f"{source}/test/CAPI/shaped_errors_test.c", program, "-ltc")
        print(run([program], env=environment))
        build(prefix, libdir, f"{source}/test/CAPI/openmp_choice_test.c", program,
              "-ltc", "-ldl")
        print(run([program, f"{prefix}/cache", build_fake_iomp5(source, prefix)],
                  env=environment))
        test_launches(arguments, prefix, environment, program)
    test_without_compiler(arguments)
    test_cpu_runtime(arguments)
    test_cuda_runtime(arguments)


if __name__ == "__main__":
    main()
