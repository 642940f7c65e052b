#!/usr/bin/env bash
# Checks what a compiler does not: formatting, sizes of files, links in the
# documentation. Names every offence; fixes none (clang-format-22 -i does).

source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

cd "$root"
status=0
fail() {
  printf 'error: %s\n' "$*" >&2
  status=1
}

sources() { git ls-files -- "$@"; }

say "format"
sources '*.cpp' '*.h' '*.c' | xargs -r -n 64 -P "$(nproc)" clang-format-22 --dry-run -Werror ||
  fail "unformatted code; run clang-format-22 -i on the files above"

say "shell"
while read -r file; do
  shellcheck --severity=warning --external-sources --source-path=SCRIPTDIR "$file" ||
    fail "$file: shellcheck finds the above"
done < <(sources '*.sh' '.ci/run')

# Rules, and why some are left out, are in pyproject.toml.
if [ -x "$python_venv/bin/ruff" ]; then
  say "python"
  sources '*.py' | xargs -r "$python_venv/bin/ruff" check --no-cache --quiet ||
    fail "ruff finds the above"
else
  say "python: no ruff here; Python is not checked"
fi
if [ -x "$python_venv/bin/mypy" ]; then
  say "types"
  "$python_venv/bin/mypy" --no-incremental --cache-dir=/dev/null --no-error-summary ||
    fail "mypy finds the above"
else
  say "types: no mypy here; types of the Python package are not checked"
fi

say "sizes"
while read -r lines file; do
  [ "$file" = total ] || [ "$lines" -le 800 ] ||
    fail "$file: $lines lines; split what has more than 800 by idea"
done < <(sources '*.cpp' '*.h' '*.c' '*.td' '*.py' '*.sh' '*.cmake' '*.mlir' \
  '*.test' '*CMakeLists.txt' | xargs wc -l)

while read -r bytes file; do
  [ "$bytes" -le 524288 ] ||
    fail "$file: $bytes bytes; what is that large is not kept here"
done < <(git ls-files -z | xargs -0 stat -c '%s %n')
while read -r file; do
  fail "$file: an archive or a binary, which is not kept here"
done < <(sources '*.whl' '*.gz' '*.xz' '*.zip' '*.so' '*.a' '*.o' '*.sqlite' '*.db')
# Files that a test wrote where it was run, by names that no file of ours has.
while read -r file; do
  fail "$file: a name with characters other than letters, digits and '._+-'"
done < <(git ls-files -z | tr '\n\0' '?\n' | grep -v '^[A-Za-z0-9._+/-]*$' || true)

say "links"
sources '*.md' | xargs -r python3 scripts/check_links.py ||
  fail "dead links in the documentation"

say "words"
python3 scripts/check_words.py ||
  fail "comments that do not begin with their subject, or terms that docs/glossary.md retired"

say "libraries"
python3 scripts/check_libraries.py ||
  fail "libraries or includes are not as docs/libraries.md draws them"

say "definitions"
sources '*.cpp' '*.h' | xargs -r python3 scripts/check_odr.py ||
  fail "names that are defined twice; put what files have for themselves into unnamed namespaces"

# Decisions ask for a feature, or for a range of a table.
say "chips"
while read -r place; do
  fail "$place: compares a chip's number; name a feature in include/tc/Machine/Features.h"
done < <(sources 'include/*.h' 'lib/*.cpp' 'lib/*.h' 'tools/*.cpp' |
  grep -vE '^(include|lib)/(tc/)?Machine/' |
  xargs grep -nE '[cC]omputeCapability(\(\))?\)* *([<>]|[!=]= *[0-9])|arch(itecture)? *[<>]=? *(7|8|9|1[0-9])[0-9]\b' || true)

say "support"
python3 scripts/check_support.py docs/support.md ||
  fail "docs/support.md names tests that are not there"

exit "$status"
