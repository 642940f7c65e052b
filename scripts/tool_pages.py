#!/usr/bin/env python3
"""Writes man pages and bash completions of tools from the output of --help.

  tool_pages.py --version=VERSION -o FOLDER TOOL...

FOLDER/man/man1/TOOL.1 and FOLDER/bash-completion/completions/TOOL are written
for each program. The build calls this for the tools whose help is this
project's own; zsh reads the completions after `bashcompinit`.
"""

import argparse
import os
import re
import subprocess
import sys

OPTION = re.compile(r"^ {2}--([a-z][a-z0-9-]*)(\[?=\S*)?(?:\s+-)?\s*(.*)$")
SECTION = re.compile(r"^([A-Z]+):\s*(.*)$")

COMPLETION = """\
# bash completion for {tool}, made from its --help.
_{function}() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" option=""
  COMPREPLY=()
  # '=' is a word of its own.
  if [[ $word == "=" ]]; then
    option="${{COMP_WORDS[COMP_CWORD-1]}}" word=""
  elif [[ $COMP_CWORD -ge 2 && ${{COMP_WORDS[COMP_CWORD-1]}} == "=" ]]; then
    option="${{COMP_WORDS[COMP_CWORD-2]}}"
  fi
  case "$option" in
{values}    -*) ;;
    *)
      if [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W "{options}" -- "$word"))
        [[ ${{COMPREPLY[0]}} == *= ]] && compopt -o nospace
      fi
      return
      ;;
  esac
}}
complete -o default -F _{function} {tool}
"""


def parse(text):
    """Sections of a help text: a list of (title, first line, lines)."""
    sections = [("", "", [])]
    for line in text.splitlines():
        found = SECTION.match(line)
        if found:
            sections.append((found[1], found[2], []))
        else:
            sections[-1][2].append(line)
    return sections


def options_of(text):
    """Names and values of all options, as in [("layout", "=<row|col>")]."""
    found = [OPTION.match(line) for line in text.splitlines()]
    return [(match[1], match[2] or "") for match in found if match]


def completion(tool, text):
    values, names = "", []
    for name, value in options_of(text):
        names.append(f"--{name}" + ("=" if value.startswith("=") else ""))
        choices = value.strip("[]=").strip("<>").split("|")
        if len(choices) > 1 and all(re.fullmatch(r"[a-z0-9_]+", choice)
                                    for choice in choices):
            values += (f'    --{name}) COMPREPLY=($(compgen -W '
                       f'"{" ".join(choices)}" -- "$word")) ;;\n')
    return COMPLETION.format(tool=tool, function=tool.replace("-", "_"),
                             values=values, options=" ".join(names))


def escape(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


def page(tool, version, text):
    """A man page: each section as it stands, options as tagged paragraphs."""
    sections = parse(text)
    overview = next(first for title, first, _ in sections
                    if title == "OVERVIEW")
    lines = [f'.TH {tool.upper()} 1 "" "tc {version}"', ".SH NAME",
             f"{tool} \\- {escape(overview)}"]
    for title, first, body in sections:
        if title not in ("", "OVERVIEW"):
            lines += [".SH " + {"USAGE": "SYNOPSIS"}.get(title, title)]
        if title == "USAGE":
            lines.append(escape(first))
        is_paragraph = True
        for line in body:
            option = OPTION.match(line)
            if option:
                lines += [".TP",
                          f"\\fB\\-\\-{escape(option[1])}\\fR"
                          f"{escape(option[2] or '')}", escape(option[3])]
            elif not line.strip():
                is_paragraph = True
            else:
                if is_paragraph and not line.startswith("   "):
                    lines.append(".PP")
                lines.append(escape(line.strip()))
            is_paragraph = is_paragraph and not line.strip()
    return "\n".join(line for line in lines if line) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--version", required=True)
    parser.add_argument("-o", "--output", required=True, metavar="FOLDER")
    parser.add_argument("tools", nargs="+", metavar="TOOL")
    arguments = parser.parse_args()
    for path in arguments.tools:
        tool = os.path.basename(path)
        told = subprocess.run([path, "--help"], capture_output=True, text=True,
                              check=True)
        if not options_of(told.stdout):
            sys.exit(f"{tool} --help lists no options")
        for name, text in (
                (f"man/man1/{tool}.1",
                 page(tool, arguments.version, told.stdout)),
                (f"bash-completion/completions/{tool}",
                 completion(tool, told.stdout))):
            name = os.path.join(arguments.output, name)
            os.makedirs(os.path.dirname(name), exist_ok=True)
            with open(name, "w", encoding="utf-8") as file:
                file.write(text)


if __name__ == "__main__":
    main()
