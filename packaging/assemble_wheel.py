#!/usr/bin/env python3
# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes one wheel of those that scikit-build-core built for several versions of Python,
which differ in extension modules only, and adds what is no part of a build from
sources: tools, the other libraries and LLVM's OpenMP runtime, headers, files for CMake
and pkg-config, and the licences of what is linked in. scripts/build_wheel.sh calls it."""

import argparse
import base64
import hashlib
import pathlib
import re
import shutil
import sys
import tempfile
import zipfile

# As pip runs it: a script that becomes the one program, without importing anything of
# the package.
TOOL = '''#!python
import importlib.util, os, sys
folder = os.path.dirname(importlib.util.find_spec("tc").origin)
os.execv(os.path.join(folder, "bin", "tc-tools"), ["{name}", *sys.argv[1:]])
'''
# Links -lNAME to the library; archives of wheels have no symbolic links.
LINKER_SCRIPT = "INPUT({name})\n"


def copy(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(0o755 if source.stat().st_mode & 0o100 else 0o644)


def merge(wheels, tree):
    """Unpacks all into one folder, and says where the metadata is. What two of them
    have must be the same, but for the metadata."""
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                target, data = tree / name, archive.read(name)
                if target.exists() and ".dist-info/" not in name:
                    if target.read_bytes() != data:
                        sys.exit(f"{wheel}: {name} differs from another wheel's")
                    continue
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
    (info,) = tree.glob("*.dist-info")
    return info


def python_tag(wheels):
    """Of which Pythons a wheel is that has the modules of all of these: a module on the
    stable interface is for its version and all later ones."""
    tags = [wheel.stem.split("-")[-3:-1] for wheel in wheels]
    minors = {int(python.removeprefix("cp3")): abi for python, abi in tags}
    if "abi3" not in minors.values():
        versions = ".".join(f"cp3{minor}" for minor in sorted(minors))
        return f"{versions}-{versions}"
    oldest = min(minor for minor, abi in minors.items() if abi == "abi3")
    while oldest - 1 in minors:
        oldest -= 1
    return f"cp3{oldest}-abi3"


def add_libraries(bundle, openmp, package):
    for library in sorted(bundle.glob("lib/*.so")):
        soname = re.sub(r"(\.so\.\d+).*", r"\1", library.resolve().name)
        copy(library.resolve(), package / "lib" / soname)
        (package / "lib" / library.name).write_text(
            LINKER_SCRIPT.format(name=soname), encoding="utf-8")
    # Under the name by which another package's may be in the process already: there
    # must be only one.
    copy(openmp, package / "lib" / "libomp.so.5")
    for folder in ("cmake", "pkgconfig"):
        shutil.copytree(bundle / "lib" / folder, package / "lib" / folder)
    copy(bundle / "bin" / "tc-tools", package / "bin" / "tc-tools")


def add_tools(names, scripts):
    for name in names:
        script = scripts / name
        script.parent.mkdir(parents=True, exist_ok=True)
        script.write_text(TOOL.format(name=name), encoding="utf-8")
        script.chmod(0o755)


def add_licences(licences, info):
    for licence in licences:
        name, _, path = licence.partition("=")
        copy(pathlib.Path(path), info / "licenses" / "third-party" / f"{name}.txt")


def describe(info, tag):
    """Writes which machines and versions of Python it is for."""
    path = info / "WHEEL"
    text = re.sub(r"^Tag: .*\n", "", path.read_text(encoding="utf-8"), flags=re.M)
    path.write_text(text.rstrip("\n") + f"\nTag: {tag}\n", encoding="utf-8")
    found = sorted((info / "licenses").rglob("*"))
    metadata = info / "METADATA"
    head, rest = metadata.read_text(encoding="utf-8").split("\n\n", 1)
    lines = [line for line in head.split("\n") if not line.startswith("License-File:")]
    lines += [f"License-File: {file.relative_to(info / 'licenses')}"
              for file in found if file.is_file()]
    metadata.write_text("\n".join(lines) + "\n\n" + rest, encoding="utf-8")


def pack(tree, info, wheel):
    """Files in their order and with one date, so that equal contents make equal
    wheels."""
    files = sorted(path for path in tree.rglob("*")
                   if path.is_file() and path != info / "RECORD")
    record = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:

        def add(path, data):
            name = path.relative_to(tree).as_posix()
            entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            mode = 0o755 if path.exists() and path.stat().st_mode & 0o100 else 0o644
            entry.external_attr = (0o100000 | mode) << 16
            archive.writestr(entry, data)
            return name

        for path in files:
            data = path.read_bytes()
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
            record.append(f"{add(path, data)},sha256={digest.decode().rstrip('=')},"
                          f"{len(data)}\n")
        name = (info / "RECORD").relative_to(tree).as_posix()
        add(info / "RECORD", "".join(record) + f"{name},,\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheels", nargs="+", type=pathlib.Path)
    parser.add_argument("--source", required=True, type=pathlib.Path)
    parser.add_argument("--bundle", required=True, type=pathlib.Path)
    parser.add_argument("--openmp", required=True, type=pathlib.Path,
                        help="LLVM's OpenMP runtime")
    parser.add_argument("--licence", action="append", default=[],
                        help="NAME=FILE, of what is linked in")
    parser.add_argument("--platform", required=True, help="manylinux_...")
    parser.add_argument("-o", "--output", required=True, type=pathlib.Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder)
        info = merge(arguments.wheels, tree)
        package = tree / "tc"
        add_libraries(arguments.bundle, arguments.openmp.resolve(), package)
        for header in (arguments.source / "include" / "tc-c").glob("*.h"):
            copy(header, package / "include" / "tc-c" / header.name)
        tools = (arguments.bundle / "tools.txt").read_text(encoding="utf-8")
        add_tools(tools.split(), tree / f"{info.stem}.data" / "scripts")
        add_licences(arguments.licence, info)
        tag = f"{python_tag(arguments.wheels)}-{arguments.platform}"
        describe(info, tag)
        arguments.output.mkdir(parents=True, exist_ok=True)
        wheel = arguments.output / f"{info.stem}-{tag}.whl"
        pack(tree, info, wheel)
    print(wheel)


if __name__ == "__main__":
    main()
