#!/usr/bin/env bash
# Runs clang-tidy on the C++ sources that differ from a commit, with the checks of
# .clang-tidy: by default on those of the last commit and of the working tree. How
# files are compiled it reads from build/, which has to be built.
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

mapfile -t changed < <(git diff --name-only --diff-filter=d "$base" -- '*.cpp')
files=()
for file in "${changed[@]}"; do
  ! grep -qF "\"file\": \"$root/$file\"" "$build/compile_commands.json" ||
    files+=("$file")
done
if [ "${#files[@]}" = 0 ]; then
  say "tidy: no changed file is compiled"
  exit 0
fi
say "tidy: ${#files[@]} changed files"
if [ "$most" -gt 0 ] && [ "${#files[@]}" -gt "$most" ]; then
  say "tidy: the first $most of them"
  files=("${files[@]:0:$most}")
fi
printf '%s\0' "${files[@]}" |
  xargs -0 -n 1 -P "$(nproc)" clang-tidy-22 -p "$build" --quiet \
    --warnings-as-errors='*' ||
  die "clang-tidy finds the above"
