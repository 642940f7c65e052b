#!/usr/bin/env python3
"""Builds the documentation as a site: lays out the pages of the repository and
the references that are generated from definitions, has MkDocs make HTML of them,
strictly, and checks every link of that.

Run it with a Python that has mkdocs and latex2mathml, as scripts/setup.sh puts
them into build/python-venv:

    build/python-venv/bin/python scripts/build_site.py --build build

The site is build/site/index.html. It needs no network, neither to be built nor to
be read.
"""

import argparse
import glob
import html.parser
import os
import re
import shutil
import subprocess
import sys
import urllib.parse

import latex2mathml.converter

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# Pages that are elsewhere than in docs/, and where the site has them.
MOVED = {
    "README.md": "project.md",
    "CONTRIBUTING.md": "contributing.md",
    "docs/README.md": "index.md",
    "examples/README.md": "examples/index.md",
}

# The generated references: title, and source files.
REFERENCES = {
    "reference/dialect.md": (None, ["TCDialect.md"]),
    "reference/passes.md": ("Passes", [
        "LinalgToTCPasses.md", "TCPasses.md", "TCToGPUPasses.md",
        "ExpandFloat8Passes.md", "TCTargetPTXPasses.md", "TCToCPUPasses.md",
        "TCToLinalgPasses.md"]),
    "reference/transform.md": ("Transform operations", ["TCTransformOps.md"]),
}

LINK = re.compile(r"(?<!\\)(\[[^\]]*\]\()<?([^()\s<>]+)>?((?:\s+\"[^\"]*\")?\))")
BLOCKS = re.compile(r"(^```.*?^```[^\n]*$)", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"(^```.*?^```[^\n]*$|`[^`]+`)", re.MULTILINE | re.DOTALL)
MATHS = re.compile(r"\$\$(.+?)\$\$|\$([^$\n]+?)\$", re.DOTALL)


def outside(code, text, change):
    """Changes the parts of a page that are no code."""
    parts = code.split(text)
    return "".join(part if i % 2 else change(part)
                   for i, part in enumerate(parts))


class Maths:
    """TeX between dollars, as MathML. Markdown would take this for a block of
    its own, so that it only sees marks, for which it stands in the end."""

    def __init__(self):
        self.formulas = []

    def mark(self, text):
        def keep(match):
            display = "block" if match.group(1) is not None else "inline"
            tex = " ".join((match.group(1) or match.group(2)).split())
            formula = latex2mathml.converter.convert(tex, display=display)
            # Fonts lack the character for set difference that it chooses.
            self.formulas.append(formula.replace("<mi>&#x029F5;</mi>", "<mo>&#x0005C;</mo>"))
            return f"formula{len(self.formulas) - 1}here"
        return MATHS.sub(keep, text)

    def insert(self, site):
        for path in glob.glob(f"{site}/**/*.html", recursive=True):
            with open(path, encoding="utf-8") as file:
                text = file.read()
            with open(path, "w", encoding="utf-8") as file:
                file.write(re.sub(r"formula(\d+)here",
                                  lambda m: self.formulas[int(m.group(1))], text))


def page_of(path):
    """The place of a page of the repository in the site, if the site has it."""
    if path in MOVED:
        return MOVED[path]
    folder, name = os.path.split(path)
    return name if folder == "docs" and name.endswith(".md") else None


class Layout:
    """Lays out the sources of the site."""

    def __init__(self, folder):
        self.folder = folder
        self.maths = Maths()

    def write(self, page, text):
        path = os.path.join(self.folder, page)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def place(self, path):
        """The place of a file of the repository in the site; links to a folder show its
        contents."""
        if page := page_of(path):
            return page
        full = os.path.join(ROOT, path)
        if os.path.isdir(full):
            page = f"source/{path.strip('/')}/index.txt"
            names = sorted(os.listdir(full))
            self.write(page, "".join(name + "\n" for name in names))
            return page
        # Dots would hide it from MkDocs; as text, browsers show it.
        page = "source/" + path.replace("/.", "/").lstrip(".")
        if not page.endswith((".svg", ".png")):
            page += ".txt"
        target = os.path.join(self.folder, page)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copyfile(full, target)
        return page

    def add(self, path, page):
        """Adds a page of the repository, with its links turned to the site's."""
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            text = file.read()

        def turn(match):
            before, target, after = match.groups()
            if re.match(r"[a-z][a-z0-9+.-]*:", target) or target.startswith("#"):
                return match.group(0)
            name, _, fragment = target.partition("#")
            found = os.path.normpath(os.path.join(os.path.dirname(path), name))
            if not os.path.exists(os.path.join(ROOT, found)):
                sys.exit(f"{path}: dead link to {target}")
            there = os.path.relpath(self.place(found),
                                    os.path.dirname(page) or ".")
            return before + there + ("#" + fragment if fragment else "") + after

        # The text of a link may have code in it.
        text = outside(BLOCKS, text, lambda part: LINK.sub(turn, part))
        self.write(page, outside(CODE, text, self.maths.mark))

    def add_reference(self, page, title, files):
        """Adds a generated reference; parts without a title have sections."""
        text = f"# {title}\n\n" if title else ""
        for path in files:
            with open(path, encoding="utf-8") as file:
                part = file.read().replace("[TOC]", "")
            if title:
                part = re.sub(r"^### ", "## ", part, flags=re.MULTILINE)
            text += part + "\n"
        self.write(page, outside(CODE, text, self.maths.mark))


class Page(html.parser.HTMLParser):
    """The links and anchors of a page."""

    def __init__(self, path):
        super().__init__()
        self.links, self.anchors = [], set()
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id" or (tag == "a" and name == "name"):
                self.anchors.add(value)
            elif name in ("href", "src") and value:
                self.links.append(value)


def check_links(site):
    """Every link between pages leads somewhere, and nothing is loaded from
    elsewhere. Returns how many links there are."""
    pages = {path: Page(path) for path in
             glob.glob(f"{site}/**/*.html", recursive=True)}
    wrong, count = [], 0
    for path, page in pages.items():
        name = os.path.relpath(path, site)
        if name == "404.html":  # made for the root of a server
            continue
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            count += 1
            target = os.path.normpath(os.path.join(
                os.path.dirname(path), urllib.parse.unquote(parts.path))
            ) if parts.path else path
            if os.path.isdir(target):
                target = os.path.join(target, "index.html")
            if not os.path.exists(target):
                wrong.append(f"{name}: dead link to {link}")
            elif parts.fragment and target in pages and urllib.parse.unquote(
                    parts.fragment) not in pages[target].anchors:
                wrong.append(f"{name}: no place for {link}")
    if wrong:
        sys.exit("\n".join(sorted(set(wrong))))
    return len(pages), count


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, help="the build folder")
    parser.add_argument("--cmake", default="cmake")
    arguments = parser.parse_args()
    build = os.path.abspath(arguments.build)
    subprocess.run([arguments.cmake, "--build", build, "--target", "tc-doc"],
                   check=True, stdout=subprocess.DEVNULL)

    source, site = f"{build}/site-source", f"{build}/site"
    shutil.rmtree(source, ignore_errors=True)
    layout = Layout(source)
    for path in [*MOVED, *(f"docs/{name}" for name in
                           sorted(os.listdir(f"{ROOT}/docs")))]:
        if page := page_of(path):
            layout.add(path, page)
    for page, (title, files) in REFERENCES.items():
        layout.add_reference(page, title,
                             [f"{build}/docs/{name}" for name in files])
    made = {f"{build}/docs/{name}" for _, files in REFERENCES.values()
            for name in files}
    if forgotten := set(glob.glob(f"{build}/docs/*.md")) - made:
        sys.exit(f"references that are on no page: {sorted(forgotten)}")

    with open(f"{ROOT}/mkdocs.yml", encoding="utf-8") as file:
        settings = file.read()
    settings = re.sub(r"^docs_dir: .*$", f"docs_dir: {source}", settings,
                      flags=re.MULTILINE)
    settings = re.sub(r"^site_dir: .*$", f"site_dir: {site}", settings,
                      flags=re.MULTILINE)
    with open(f"{build}/mkdocs.yml", "w", encoding="utf-8") as file:
        file.write(settings)
    # Quietly, it would not count the warnings that it does not print.
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "-f",
         f"{build}/mkdocs.yml"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stdout + done.stderr)
    layout.maths.insert(site)
    pages, links = check_links(site)
    print(f"{site}/index.html: {pages} pages, {links} links between them")


if __name__ == "__main__":
    main()
