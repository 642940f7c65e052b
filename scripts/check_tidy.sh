#!/usr/bin/env bash
# Runs clang-tidy, with the checks of .clang-tidy, on the lines of libraries and tools that
# differ from a commit: by default those of the last commit and of the working tree. It
# reads the compile commands from build/, which has to be built.
#
#   check_tidy.sh [--most=N] [COMMIT]   # of more than N files, the first N

source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

most=0
case "${1:-}" in
  --most=*)
    most="${1#--most=}"
    shift
    ;;
esac
base="${1:-HEAD~1}"
cd "$root"
if [ "$#" = 0 ] && ! git rev-parse --quiet --verify HEAD~1 >/dev/null; then
  say "tidy: this clone has no commit before the last one"
  exit 0
fi
git rev-parse --quiet --verify "$base^{commit}" >/dev/null ||
  die "there is no commit '$base'"
[ -f "$build/compile_commands.json" ] || die "build first: there is no $build"

mapfile -t files < <(git diff --name-only --diff-filter=d "$base" -- 'lib/*.cpp' 'tools/*.cpp')
say "tidy: ${#files[@]} changed files"
if [ "$most" -gt 0 ] && [ "${#files[@]}" -gt "$most" ]; then
  say "tidy: the first $most of them"
  files=("${files[@]:0:$most}")
fi
[ "${#files[@]}" -gt 0 ] || exit 0
database="$(mktemp -d)"
trap 'rm -rf "$database"' EXIT
python3 "$root/scripts/compile_commands.py" "$build/compile_commands.json" \
  >"$database/compile_commands.json"
git diff --unified=0 "$base" -- "${files[@]}" |
  clang-tidy-diff-22.py -p1 -path "$database" -clang-tidy-binary clang-tidy-22 \
    -quiet -hide-progress -j "$(nproc)" -warnings-as-errors='*' ||
  die "clang-tidy finds the above"
