#!/usr/bin/env python3
"""Holds libraries and their includes to the page that draws them.

docs/libraries.md has a table of all libraries, from the ground up: name, folder,
what it knows, and what it uses. The checks are:

- CMake defines these libraries in these folders, and links what the page says;
- a library uses only what stands above it in the table;
- sources and headers include headers of their own folder and of libraries that are
  used, directly or through others, and no other library's private headers;
- only libraries that use MLIR or LLVM include their headers;
- shared libraries, which are shipped, do not use what results are checked against;
- every folder of include/tc, and of unit tests, has the same name in lib.
"""

import argparse
import collections
import os
import pathlib
import re
import sys

ROW = re.compile(r"^\| `(\w+)` \| `([\w/]+)` \| (.*?) \| (.*?) \|$", re.MULTILINE)
INCLUDE = re.compile(r'^\s*#include (?:"([^"]+)"|<((?:mlir|llvm)/[^>]+)>)', re.MULTILINE)
SOURCES = (".cpp", ".h", ".td", ".def")
# The names in a table's row of libraries that use LLVM's.
LLVM = ("MLIR", "LLVM")
# Installed beside the folders: the header that registers all of them, and the C
# interface.
WHOLE, C_HEADERS, C_FOLDER = "tc/InitAll.h", "tc-c", "CAPI"
# The one C header whose functions another library has.
CPU_HEADER, CPU_FOLDER = "tc-c/CpuRuntime.h", "CpuRuntime"
# The library that only checks of results may use.
ORACLE = "TCReference"
SHARED = re.compile(r"^\s*(?:tc_add_shared_library|tc_add_c_library)\s*\(\s*(TC\w+)"
                    r"|^\s*add_library\s*\(\s*(TC\w+)\s+SHARED", re.MULTILINE)
Library = collections.namedtuple("Library", "name folder uses")


def page_libraries(text):
    return [Library(name, folder, frozenset(re.findall(r"`?(\w+)`?", uses))
                    - {"nothing"})
            for name, folder, _, uses in ROW.findall(text)]


def cmake_libraries(root):
    """Names, folders and links of all libraries below lib."""
    found = {}
    for path in sorted((root / "lib").rglob("CMakeLists.txt")):
        text = re.sub(r"#.*", "", path.read_text(encoding="utf-8"))
        folder = path.parent.relative_to(root / "lib").as_posix()
        commands = re.findall(r"^\s*(\w+)\s*\(([^)]*)\)", text, re.MULTILINE)
        for command, arguments in commands:
            words = arguments.split()
            if not words or not re.fullmatch(r"TC\w+|\w+ToTC|ExpandFloat8",
                                             words[0]):
                continue
            name = words[0]
            if command in ("tc_add_library", "add_library",
                           "tc_add_shared_library", "tc_add_c_library"):
                found[name] = (folder, set())
                if "MLIR" in words:
                    found[name][1].add("MLIR")
                if "LINK" in words:
                    found[name][1].update(words[words.index("LINK") + 1:])
            elif command == "target_link_libraries":
                found[name][1].update(words[1:])
            elif command == "tc_use_llvm":
                found[name][1].add("LLVM")
    names = set(found) | set(LLVM)
    return {name: Library(name, folder, frozenset(links & names))
            for name, (folder, links) in found.items()}


def closure(libraries):
    """All libraries that each uses, directly and through others; `libraries` is a list
    from the ground up."""
    reached = {}
    for library in libraries:
        reached[library.name] = set(library.uses)
        for name in library.uses:
            reached[library.name] |= reached.get(name, set())
    return reached


def check_page(page, built):
    """Yields the differences between the page and CMake."""
    above = set(LLVM)
    for library in page:
        for name in sorted(library.uses - above):
            yield f"{library.name} uses {name}, which is not above it"
        above.add(library.name)
        other = built.get(library.name)
        if not other:
            yield f"{library.name} is no library"
        elif other.folder != library.folder:
            yield f"{library.name} is in {other.folder}"
        elif other.uses != library.uses:
            yield (f"{library.name} links {', '.join(sorted(other.uses))}, "
                   f"not {', '.join(sorted(library.uses))}")
    for name in sorted(built.keys() - above):
        yield f"{name} is not on the page"


def check_shared(root, page):
    """Yields the shared libraries that use the library of reference results."""
    reached = closure(page)
    for path in sorted((root / "lib").rglob("CMakeLists.txt")):
        for names in SHARED.findall(path.read_text(encoding="utf-8")):
            name = "".join(names)
            if ORACLE in reached.get(name, ()):
                yield f"{name} is a shared library and uses {ORACLE}"


def folder_of(header):
    """The folder of lib that a public header belongs to, if it is ours."""
    if header == WHOLE:
        return "InitAll"
    if header == CPU_HEADER:
        return CPU_FOLDER
    top, _, rest = header.partition("/")
    if top == C_HEADERS:
        return C_FOLDER
    return os.path.dirname(rest) if top == "tc" else None


def check_file(path, folder, allowed, llvm):
    """Yields a file's includes that its folder does not allow."""
    for quoted, bracketed in INCLUDE.findall(path.read_text(encoding="utf-8")):
        header = quoted or bracketed
        other = folder_of(header)
        if other is not None and other not in allowed:
            yield f"{path}: includes {header}, but {folder} does not use {other}"
        if header.startswith(("mlir/", "llvm/")) and not llvm:
            yield f"{path}: includes {header}, but {folder} does not use LLVM"
        if "/" not in header and header.endswith(SOURCES):
            if not (path.parent / header).exists():
                yield f"{path}: includes {header}, which is not beside it"


def check_includes(root, page):
    reached = closure(page)
    folders = collections.defaultdict(set)
    for library in page:
        folders[library.folder] |= reached[library.name] | {library.name}
    folder_by_name = {library.name: library.folder for library in page}
    for folder, names in sorted(folders.items()):
        allowed = {folder_by_name[name] for name in names - set(LLVM)}
        llvm = bool(names & set(LLVM))
        public = C_HEADERS if folder == C_FOLDER else f"tc/{folder}"
        for place in (root / "lib" / folder, root / "include" / public):
            for path in sorted(place.glob("*")):
                if path.suffix in SOURCES:
                    yield from check_file(path, folder, allowed, llvm)
    for mirror in (root / "include" / "tc", root / "test" / "Unit"):
        for path in sorted(mirror.rglob("*")):
            folder = path.parent.relative_to(mirror).as_posix()
            if path.suffix in SOURCES and folder not in {".", *folders}:
                yield f"{path}: lib/{folder} has no library"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "root", nargs="?", type=pathlib.Path,
        default=pathlib.Path(__file__).resolve().parent.parent,
        help="the repository")
    root = parser.parse_args().root
    path = root / "docs" / "libraries.md"
    page = page_libraries(path.read_text(encoding="utf-8"))
    if not page:
        print(f"{path}: no table of libraries")
        return 1
    wrong = [f"{path}: {text}" for text in
             check_page(page, cmake_libraries(root))]
    wrong += [f"{path}: {text}" for text in check_shared(root, page)]
    wrong += check_includes(root, page)
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
