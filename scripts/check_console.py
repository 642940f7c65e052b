#!/usr/bin/env python3
"""Runs the commands that the documentation quotes, and compares what they print.

In fenced blocks of README.md and docs/*.md, a line that begins with `$ ` is a
command, and the lines up to the next one are its output. The commands of a page
run one after another, in a folder of their own that has links to the repository's
examples and tests. A command without quoted output must only succeed. A line
`...` stands for any lines, `...` in a line for any text, and times in ms may
differ. `cat FILE` of a file that no command made makes it.

--write puts the output into the pages, but for blocks with `...`.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import whole_file

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```(?:console|bash|sh|text)?\n(\$ .*?)^```$", re.MULTILINE | re.DOTALL)
LINKED = ("examples", "test", "benchmarks")
SECONDS = 60
# Commands that do not run here, and what they need.
NEEDS = (
    (r"--target=cuda|--bench\b|tc-sim-crosscheck", "a GPU"),
    (r"\bcmake\b|\bbuild-\w+/", "a build"),
    (r"\bscripts/", "many minutes"),
)


def needs(command):
    return next((what for pattern, what in NEEDS
                 if re.search(pattern, command)), None)


def split(block):
    """The commands of a block, each with what is quoted of its output."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        lines = part.splitlines()
        count = 1
        while lines[count - 1].endswith("\\"):
            count += 1
        yield "\n".join(lines[:count]), lines[count:]


def pattern_of(lines):
    """A regular expression that matches the quoted lines."""
    text = ""
    for line in lines:
        if line == "...":
            text += r"(?:.*\n)*?"
            continue
        line = re.escape(line).replace(r"\.\.\.", ".*")
        text += re.sub(r"[\d\\.]+\\ ms\b", r"[\\d.]+\\ ms", line) + r"\n"
    return text


def run(command, folder, tools):
    # Programs that scripts/setup.sh fetches are beside ours.
    fetched = os.path.join(os.path.dirname(tools), "ptxas/nvidia/cu13/bin")
    path = os.pathsep.join((tools, os.environ["PATH"], fetched))
    environment = {**os.environ, "TC_CACHE": "off", "TC_CALIBRATION": "off",
                   "PATH": path}
    result = subprocess.run(["bash", "-c", command], cwd=folder, text=True,
                            stdin=subprocess.DEVNULL, timeout=SECONDS,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            env=environment, check=False)
    return result.returncode, result.stdout


class Page:
    """Runs the commands of one page."""

    def __init__(self, path, tools, write):
        self.path, self.tools, self.write = path, tools, write
        self.text = path.read_text(encoding="utf-8")
        self.ran = self.failed = 0
        self.folder = tempfile.mkdtemp(prefix="tc-console-")
        for name in LINKED:
            os.symlink(ROOT / name, os.path.join(self.folder, name))

    def fail(self, command, what):
        self.failed += 1
        print(f"FAILED {os.path.relpath(self.path, ROOT)}: $ {command}\n{what}")

    def evaluate(self, command, quoted):
        """The lines that the page has to quote as the output."""
        made = re.fullmatch(r"cat (\S+)", command)
        if made and not os.path.exists(os.path.join(self.folder, made[1])):
            path = os.path.join(self.folder, made[1])
            pathlib.Path(path).write_text("\n".join(quoted) + "\n",
                                          encoding="utf-8")
            return quoted
        what = needs(command)
        if what:
            print(f"not run, as it needs {what}: $ {command}")
            return quoted
        self.ran += 1
        code, printed = run(command, self.folder, self.tools)
        if not quoted:
            if code != 0:
                self.fail(command, printed)
            return quoted
        if re.fullmatch(pattern_of(quoted), printed.rstrip("\n") + "\n"):
            return quoted
        if self.write and "..." not in "\n".join(quoted):
            return printed.rstrip("\n").split("\n")
        self.fail(command, f"prints\n{printed}where the page says\n" +
                  "\n".join(quoted))
        return quoted

    def check(self):
        def replace(match):
            lines = []
            for command, quoted in split(match[1]):
                lines += ["$ " + command, *self.evaluate(command, quoted)]
            return match[0].replace(match[1], "\n".join(lines) + "\n")

        try:
            text = BLOCK.sub(replace, self.text)
        finally:
            shutil.rmtree(self.folder)
        if text != self.text:
            with whole_file.writing(self.path) as file:
                file.write(text)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", default=str(ROOT / "build" / "bin"),
                        help="folder of the built programs")
    parser.add_argument("--write", action="store_true",
                        help="put what is printed into the pages")
    parser.add_argument("pages", nargs="*", type=pathlib.Path,
                        help="pages to check (README.md and docs/*.md)")
    arguments = parser.parse_args()
    paths = arguments.pages or [ROOT / "README.md",
                                *sorted((ROOT / "docs").glob("*.md"))]
    pages = [Page(path.resolve(), os.path.abspath(arguments.tools),
                  arguments.write) for path in paths]
    for page in pages:
        page.check()
    failed = sum(page.failed for page in pages)
    print(f"{sum(page.ran for page in pages) - failed} passed, "
          f"{failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
