#!/usr/bin/env bash
# Runs clang-tidy, with the checks of .clang-tidy, on sources of libraries and tools. It
# reads the compile commands from build/, which has to be built.
#
#   check_tidy.sh [--most=N] [COMMIT]   # lines that differ from a commit: by default those
#                                       # of the last one and of the working tree; of more
#                                       # than N files, the first N
#   check_tidy.sh --turn[=NUMBER]       # ten files, whose turn it is at that number, which
#                                       # is that of the commits by default, without the
#                                       # analyzer, which takes most of the time
#   check_tidy.sh --all [PATH...]       # all files, or those of these files and folders
#
# With --list before it, the last two only print the names of the files.

source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

cd "$root"
share=10 # files of a turn

# Succeeds if git knows this folder: an unpacked archive within another project's clone is
# not that project's.
has_history() {
  [ "$(git rev-parse --show-toplevel 2>/dev/null)" = "$(pwd -P)" ] &&
    git rev-parse --quiet --verify HEAD >/dev/null
}

# All sources, sorted.
sources() {
  if has_history; then
    git ls-files -- 'lib/*.cpp' 'tools/*.cpp'
  else
    find lib tools -name '*.cpp'
  fi | LC_ALL=C sort
}

# The number that says whose turn it is. Clones that know only their last commits count too
# few of them, and would check the same files each time; the commit's name differs.
number_of_turn() {
  if ! has_history; then
    say "tidy: git knows no commits of this folder; this is the first turn" >&2
    echo 0
  elif [ "$(git rev-parse --is-shallow-repository)" = true ]; then
    say "tidy: this clone is shallow; the name of its last commit says whose turn it is" >&2
    echo $((16#$(git rev-parse HEAD | cut -c1-8)))
  else
    git rev-list --count HEAD
  fi
}

# Neighbours take as long as each other, so that a turn has files from all of the list.
files_of_turn() {
  mapfile -t all < <(sources)
  local turns=$(((${#all[@]} + share - 1) / share)) i
  for ((i = $1 % turns; i < ${#all[@]}; i += turns)); do
    printf '%s\n' "${all[i]}"
  done
}

# Those of all sources that these paths name, each of which has to name one.
files_of_paths() {
  local path found
  for path in "$@"; do
    path="${path%/}"
    found="$(sources | awk -v path="$path" '$0 == path || index($0, path "/") == 1')"
    [ -n "$found" ] || die "no source of lib or tools is '$path'"
    printf '%s\n' "$found"
  done | LC_ALL=C sort -u
}

# Sets `database` to a folder with a compile command for each source.
make_database() {
  command -v clang-tidy-22 >/dev/null || die "no clang-tidy-22 here; scripts/setup.sh installs it"
  [ -f "$build/compile_commands.json" ] || die "build first: there is no $build"
  database="$(mktemp -d)"
  trap 'rm -rf "$database"' EXIT
  python3 "$root/scripts/compile_commands.py" "$build/compile_commands.json" \
    >"$database/compile_commands.json"
}

check_files() {
  local file status=0
  make_database
  for file in "${files[@]}"; do
    grep -q "\"file\": \"$root/$file\"" "$database/compile_commands.json" ||
      die "no compile command of $file in $build"
  done
  # Output of one file is printed at once. Mistakes of headers are found with each
  # file that includes them.
  printf '%s\0' "${files[@]}" | xargs -0 -n 1 -P "$(nproc)" "$root/scripts/own_findings.py" \
    -p "$database" --quiet --warnings-as-errors='*' "${checks[@]}" || status=1
  [ "$status" = 0 ] || die "clang-tidy finds the above"
}

check_lines() {
  local base="${1:-HEAD~1}"
  if [ "$#" = 0 ] && ! git rev-parse --quiet --verify HEAD~1 >/dev/null; then
    say "tidy: this clone has no commit before the last one"
    return
  fi
  git rev-parse --quiet --verify "$base^{commit}" >/dev/null ||
    die "there is no commit '$base'"
  mapfile -t files < <(git diff --name-only --diff-filter=d "$base" -- 'lib/*.cpp' 'tools/*.cpp')
  say "tidy: ${#files[@]} changed files"
  if [ "$most" -gt 0 ] && [ "${#files[@]}" -gt "$most" ]; then
    say "tidy: the first $most of them"
    files=("${files[@]:0:$most}")
  fi
  [ "${#files[@]}" -gt 0 ] || return 0
  make_database
  git diff --unified=0 "$base" -- "${files[@]}" |
    clang-tidy-diff-22.py -p1 -path "$database" -quiet -hide-progress -j "$(nproc)" \
      -clang-tidy-binary "$root/scripts/own_findings.py" -warnings-as-errors='*' ||
    die "clang-tidy finds the above"
}

most=0
list=no
optional=no
checks=()
if [ "${1:-}" = --list ]; then
  list=yes
  shift
fi
case "${1:-}" in
  --turn | --turn=*)
    [ "$#" = 1 ] || die "--turn takes no paths"
    number="${1#--turn}"
    number="${number#=}"
    [ -n "$number" ] || number="$(number_of_turn)"
    [[ "$number" =~ ^[0-9]+$ ]] || die "'$number' is no number of a turn"
    names="$(files_of_turn "$((10#$number))")"
    what="turn $number"
    checks=(--checks='-clang-analyzer-*')
    optional=yes
    ;;
  --all)
    names="$(if [ "$#" -gt 1 ]; then files_of_paths "${@:2}"; else sources; fi)"
    what="all"
    ;;
  *)
    [ "$list" = no ] || die "--list goes with --turn and --all"
    case "${1:-}" in
      --most=*)
        most="${1#--most=}"
        shift
        ;;
      -*) die "unknown option '$1'" ;;
    esac
    check_lines "$@"
    exit
    ;;
esac
[ -n "$names" ] || die "no sources in lib and tools"
mapfile -t files <<<"$names"
if [ "$list" = yes ]; then
  printf '%s\n' "${files[@]}"
  exit
fi
say "tidy: $what, ${#files[@]} files"
[ "${#files[@]}" -gt 20 ] || printf '   %s\n' "${files[@]}"
# A turn is a test among others, which a machine without clang-tidy runs, too.
if [ "$optional" = yes ] && ! command -v clang-tidy-22 >/dev/null; then
  say "tidy: no clang-tidy-22 here; these files are not checked"
  exit
fi
check_files
