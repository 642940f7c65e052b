#!/usr/bin/env python3
"""Finds names that are defined twice: classes, structs, unions, enums and
functions with external linkage that have the same qualified name in different
files.

Compilers see one file at a time, and linkers take either of two inline functions or
classes for both. So names that a file has for itself belong in an unnamed namespace
or are static; overloads are distinguished by the types of their parameters. Programs
may each have the functions named below, and C interfaces several implementations.

    check_odr.py FILE...
"""

import collections
import re
import sys

# Names of which each program has one.
OF_PROGRAMS = re.compile(r"main|LLVMFuzzer\w+")
COMMENTS_AND_TEXT = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<end>\w*)\(.*?\)(?P=end)"'
    r'|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
DIRECTIVES = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
ATTRIBUTES = re.compile(r"\[\[.*?\]\]|\balignas\s*\([^)]*\)"
                        r"|__attribute__\s*\(\(.*?\)\)", re.DOTALL)
NAMESPACE = re.compile(r"^(?:inline\s+)?namespace\b\s*([\w:]*)\s*$")
TYPE = re.compile(r"^(?:typedef\s+)?(?:class|struct|union|enum(?:\s+(?:class|struct))?)"
                  r"\s+((?:\w+::)*\w+(?:<.*>)?)\s*(?:final\s*)?(?::(?!:).*)?$", re.DOTALL)
FUNCTION = re.compile(r"((?:[\w~]+(?:<[^()]*>)?::)*(?:operator\s*(?:\(\)|[^\s\w(]+|[\w:\s*&<>]+)|~?\w+))"
                      r"\s*\(", re.DOTALL)
Definition = collections.namedtuple("Definition", "kind name")


def blank(match):
    """So many lines, and text that is no code."""
    lines = "\n" * match.group().count("\n")
    return ('""' if match.group()[0] in "\"'R" else "") + lines


def without_template(head):
    """A declaration without the `template <...>` before it."""
    while re.match(r"template\s*<", head):
        depth = 0
        for place, character in enumerate(head):
            depth += {"<": 1, ">": -1}.get(character, 0)
            if character == ">" and depth == 0:
                break
        head = head[place + 1:].strip()
    return head


def split(text, separator=","):
    """The parts of a list outside of brackets."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "(<[{") - (character in ")>]}")
        if character == separator and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def parameters(text):
    """The types in a list of parameters that begins at its bracket."""
    depth = 0
    for place, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            break
    types = []
    for parameter in split(text[1:place]):
        parameter = split(parameter, "=")[0].strip()
        parameter = re.sub(r"(?<=[\w>&*\s])(?<!::)\b\w+(\[\w*\])?$", r"\1", parameter) \
            if re.search(r"[\s&*]\w+(\[\w*\])?$", parameter) else parameter
        types.append(re.sub(r"\s+", "", parameter))
    return ",".join(types)


def definition(head, scope):
    """The definition that a block at namespace scope is, or None."""
    head = without_template(" ".join(ATTRIBUTES.sub(" ", head).split()))
    found = TYPE.match(head)
    if found:
        return Definition("type", "::".join(scope + [found[1]]))
    if re.match(r"(?:class|struct|union|enum)\b", head) and "(" not in head:
        return None
    if re.search(r"\bstatic\b|\bfriend\b|\bextern\b", head.split("(")[0]):
        return None
    found = FUNCTION.search(head)
    before = head[:found.start()] if found else "="
    # A variable or a macro's invocation; members are their class's.
    if "=" in before or not before.strip():
        return None
    if "::" in found[1] and not found[1].startswith("tc::"):
        return None
    if not scope and OF_PROGRAMS.fullmatch(found[1]):
        return None
    rest = head[found.end() - 1:]
    cv = " const" if re.search(r"\)\s*const\b", rest) else ""
    return Definition("function", "::".join(scope + [re.sub(r"\s+", "", found[1])])
                      + f"({parameters(rest)}){cv}")


def definitions(text):
    """Yields definitions with external linkage, and the line of each."""
    text = DIRECTIVES.sub(blank, COMMENTS_AND_TEXT.sub(blank, text))
    # The kinds of open blocks: a namespace's names, or None for a block that is not looked into.
    stack, begin, inside = [], 0, 0
    for found in re.finditer(r"[{}();]", text):
        character, place = found.group(), found.start()
        # Braces in parentheses are default arguments, at namespace scope.
        inside += (character == "(") - (character == ")")
        if character in "()" or inside:
            continue
        if character == "{":
            head = text[begin:place].strip()
            if None in stack:
                stack.append(None)
            else:
                namespace = NAMESPACE.match(head)
                scope = [name for names in stack for name in names]
                if namespace and namespace[1]:
                    stack.append(namespace[1].split("::"))
                else:
                    stack.append(None)
                    # Neither unnamed namespaces nor C interfaces are looked into.
                    if not namespace and not head.endswith('extern ""'):
                        what = definition(head, scope)
                        if what:
                            yield what, text.count("\n", 0, place) + 1
        elif character == "}" and stack:
            stack.pop()
        begin = place + 1
    if stack or inside:
        raise ValueError("brackets are not closed")


def main():
    places, status = collections.defaultdict(dict), 0
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        try:
            for what, line in definitions(text):
                places[what].setdefault(path, line)
        except ValueError as error:
            print(f"{path}: {error}")
            status = 1
    for what, files in sorted(places.items()):
        if len(files) > 1:
            print(f"{what.kind} {what.name} is defined in "
                  + " and ".join(f"{path}:{line}" for path, line in sorted(files.items())))
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
