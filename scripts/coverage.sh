#!/usr/bin/env bash
# Builds with counters into build-coverage/, runs tests, and writes which lines ran:
# a table on standard output, build-coverage/report/index.html for each file.
# Arguments go to ctest, for example -R Simulator.
#
#   coverage.sh [--targets=A,B] [CTEST ARGUMENTS]   # only these programs

source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

targets=()
case "${1:-}" in
  --targets=*)
    IFS=, read -r -a names <<<"${1#--targets=}"
    targets=(--target "${names[@]}")
    shift
    ;;
esac
covered="$root/build-coverage"
cd "$root"
cmake --preset coverage >/dev/null
cmake --build --preset coverage --parallel "$(nproc)" "${targets[@]}"
rm -rf "$covered/profiles"
status=0
# A file for each program, into which its processes add up their counts.
LLVM_PROFILE_FILE="$covered/profiles/%m.profraw" \
  ctest --preset coverage --parallel "$(nproc)" "$@" || status=$?
llvm-profdata-22 merge -sparse "$covered"/profiles/*.profraw -o "$covered/profile"
mapfile -t programs < <(find "$covered" -type f \( -perm -100 -o -name '*.so*' \) \
  -not -path '*/CMakeFiles/*' -exec sh -c \
  'readelf -S "$1" 2>/dev/null | grep -q __llvm_covmap' _ {} \; -print)
objects=()
for program in "${programs[@]}"; do
  objects+=(-object "$program")
done
sources=(include lib tools)
llvm-cov-22 show "${objects[@]:1}" -instr-profile="$covered/profile" -format=html \
  -output-dir="$covered/report" "${sources[@]}"
llvm-cov-22 report "${objects[@]:1}" -instr-profile="$covered/profile" \
  -show-functions=false "${sources[@]}"
say "the lines are in $covered/report/index.html"
exit "$status"
