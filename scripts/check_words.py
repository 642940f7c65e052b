#!/usr/bin/env python3
"""Checks the words of comments, titles and pages.

Comments and titles of files open with a noun or a verb, never with a relative clause
("What is left of it"). Terms in the first column of the table "Retired terms" of the
glossary, each between quotes, are used nowhere; its last column lists exceptions: a
file or a folder, which may use the term, or `text` that has it, such as a name of C."""

import argparse
import os
import re
import subprocess
import sys

GLOSSARY = "docs/glossary.md"
HEADING = "## Retired terms"

C_LIKE = (".c", ".cpp", ".h")
TEXT = (".md", ".td", ".test", ".mlir", ".cmake", ".txt", ".sh", ".yml", ".toml", ".cff")
CLAUSE = re.compile(r"(?:What|Which|Whether|Where|How|Who|Whose|Whom|Why)\b(?!-)")
TITLE = re.compile(r"===-+ +\S+ +-+ +(.*)")

# Comments of C and C++, and strings, which may look as if they had some.
TOKEN = re.compile(r"""R"(?P<end>[^(\s]*)\(.*?\)(?P=end)"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'"""
                   r"|(?P<comment>/\*.*?\*/|//[^\n]*)", re.S)
# The same of Python: comments, and strings that are statements of their own.
PYTHON = re.compile(r'(?P<doc>^[ \t]*[rf]?"""(?P<text>.*?)""")|"""(?:.*?)"""'
                    r"""|'''.*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|(?P<comment>\#[^\n]*)""",
                    re.S | re.M)


def bare(line):
    """A line of a comment without its marks."""
    return re.sub(r"^\s*(?:/\*+!?|///?<?!?|//!|\|?\*(?!\S)|\#+)?<?\s*", "", line)


def is_rule(comment):
    """True for a line of a comment without words."""
    return not re.search(r"\w", comment) or comment.startswith("//===")


def goes_on(text, last, match):
    """True if a comment of one line is another line of the last one: next to it, in the
    same column."""
    def column(position):
        return position - text.rfind("\n", 0, position)
    return (last is not None and not match[0].startswith("/*") and not last[0].startswith("/*")
            and re.fullmatch(r"\n[ \t]*", text[last.end():match.start()]) is not None
            and column(last.start()) == column(match.start()))


def openings_of_c(text):
    """Positions and texts of titles and of the first words of comments; a line without
    words separates comments."""
    last = None
    for match in TOKEN.finditer(text):
        if not match["comment"]:
            continue
        title = TITLE.search(match[0])
        if title:
            yield match.start(), title[1]
        elif not goes_on(text, last, match) or is_rule(last[0]):
            yield match.start(), bare(match[0])
        last = match


def openings_of_python(text):
    """The same of comments and docstrings of Python."""
    last = None
    for match in PYTHON.finditer(text):
        if match["doc"]:
            yield match.start("text"), match["text"].lstrip()
        elif match["comment"]:
            if not goes_on(text, last, match):
                yield match.start(), bare(match[0])
            last = match


def openings_of_lines(text):
    """The same of `#` at the start of lines."""
    position, before = 0, ""
    for line in text.split("\n"):
        if re.match(r"\s*#+\s", line) and not re.match(r"\s*#", before):
            yield position, bare(line)
        position += len(line) + 1
        before = line


def openings(path, text):
    if path.endswith(C_LIKE + (".td",)):
        return openings_of_c(text)
    if path.endswith(".py"):
        return openings_of_python(text)
    if path.endswith((".sh", ".cmake", "CMakeLists.txt")):
        return openings_of_lines(text)
    return ()


def read_terms(path):
    """Of each retired term of the glossary's table: a pattern, what is said instead, and
    its exceptions."""
    with open(path, encoding="utf-8") as file:
        _, found, rest = file.read().partition(HEADING + "\n")
    if not found or "\n## " in rest:
        sys.exit(f"{path}: no section '{HEADING[3:]}', or others behind it")
    terms = []
    for line in rest.split("\n"):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|") or not re.search(r'"', cells[0]):
            continue
        for term in re.findall(r'"([^"]+)"', cells[0]):
            # Words of a term may stand on two lines, with marks of comments between them.
            gap = r"(?:\s|[/*#|\"])+"
            words = gap.join(re.escape(word) for word in term.split())
            terms.append((term, re.compile(rf"(?<![\w-]){words}(?![\w-])", re.I), cells[1],
                          re.findall(r"`([^`]+)`", cells[2])))
    if not terms:
        sys.exit(f"{path}: '{HEADING[3:]}' names no term")
    return terms


def uses(path, text, terms):
    """Positions and messages of retired terms in a text."""
    for term, pattern, instead, exceptions in terms:
        if any(path.startswith(each) for each in exceptions):
            continue
        allowed = [span for each in exceptions for span in
                   (match.span() for match in re.finditer(re.escape(each), text))]
        for match in pattern.finditer(text):
            if not any(a <= match.start() and match.end() <= b for a, b in allowed):
                yield match.start(), f"'{term}' is retired; say {instead}"


def words_of(path, text):
    """Text of a file in which only comments and strings are left, where it is code."""
    if path.endswith(C_LIKE):
        kept = TOKEN.finditer(text)
    elif path.endswith(".py"):
        kept = PYTHON.finditer(text)
    else:
        return text
    result, position = [], 0
    for match in kept:
        result.append(re.sub(r"[^\n\s]", " ", text[position:match.start()]))
        result.append(match[0])
        position = match.end()
    return "".join(result)


def check(path, terms):
    """Prints the faults of a file, and returns their number."""
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except (UnicodeDecodeError, FileNotFoundError):
        return 0
    faults = [(position, f"opens with '{CLAUSE.match(words)[0]}': put the subject first")
              for position, words in openings(path, text) if CLAUSE.match(words)]
    if path.endswith(C_LIKE + TEXT + (".py",)):
        # The table itself is the end of its page.
        faults += uses(path, words_of(path, text.partition(HEADING)[0]), terms)
    for position, message in sorted(faults):
        print(f"{path}:{text.count(chr(10), 0, position) + 1}: {message}")
    return len(faults)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--glossary", default=GLOSSARY)
    parser.add_argument("files", nargs="*", help="all of the repository by default")
    arguments = parser.parse_args()
    files = arguments.files
    if not files:
        os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
        listed = subprocess.run(["git", "ls-files", "-z"], check=True, capture_output=True)
        files = [path for path in os.fsdecode(listed.stdout).split("\0") if path]
    terms = read_terms(arguments.glossary)
    return 1 if sum([check(path, terms) for path in files]) else 0


if __name__ == "__main__":
    sys.exit(main())
