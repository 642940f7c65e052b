#!/usr/bin/env bash
# On a machine with a GPU, without LLVM: builds tc-launch and tc-bench if they are
# not given, checks every package of a compiled suite, runs the cheapest under
# compute-sanitizer, measures the suite beside the libraries that are there, and
# makes the page. Unattended, within a budget of time.
#
#   gpu_bench.sh [--tools=FOLDER] [--budget=SECONDS] [--sanitize=N] \
#     [-o FOLDER] SUITE_FOLDER [tc-bench options]
#
#   --tools=FOLDER    programs that are built already
#   --budget=SECONDS  for all of it; 540 if not given
#   --sanitize=N      packages to run under compute-sanitizer; 2 if not given
#   -o FOLDER         where results, page and logs go; "gpu-bench" if not given
#
# The exit status is 0 only if all that was run passed.

source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# Elements of C that a result is compared at; more would take the host too long.
samples=2000
tools="" budget=540 sanitize=2 output=gpu-bench suite="" bench_options=()
while [ $# -gt 0 ]; do
  case "$1" in
  --tools=*) tools="${1#*=}" ;;
  --budget=*) budget="${1#*=}" ;;
  --sanitize=*) sanitize="${1#*=}" ;;
  -o)
    [ $# -ge 2 ] || die "-o needs a folder"
    output="$2"
    shift
    ;;
  -*) bench_options+=("$1") ;;
  *)
    [ -z "$suite" ] || die "unexpected argument '$1'"
    suite="$1"
    ;;
  esac
  shift
done
[ -n "$suite" ] || die "no suite folder given"
[ -f "$suite/suite.json" ] || die "$suite: no suite.json in it"
mkdir -p "$output"
# What is left of the budget, in seconds, at least one.
left() {
  local rest=$((budget - SECONDS))
  printf '%s\n' $((rest > 1 ? rest : 1))
}

failures=0
failed() {
  printf 'FAILED: %s\n' "$*"
  failures=$((failures + 1))
}

if [ -z "$tools" ]; then
  say "build"
  tools="$root/build-runtime/bin"
  (cd "$root" && cmake --preset runtime &&
    cmake --build --preset runtime --parallel "$(nproc)" \
      --target tc-launch tc-bench) >"$output/build.log" 2>&1 ||
    die "cannot build: see $output/build.log"
fi
for tool in tc-launch tc-bench; do
  [ -x "$tools/$tool" ] || die "no program $tools/$tool"
done

# Prints where the first of some libraries is that the loader does not find by
# itself: with the CUDA Toolkit, or in a Python package of NVIDIA's.
find_library() {
  python3 - "$@" <<'PYTHON'
import ctypes
import glob
import sys


def loads(name):
    try:
        ctypes.CDLL(name)
        return True
    except OSError:
        return False


folders = ["/usr/local/cuda/lib64"]
folders += [folder for root in sys.path
            for pattern in ("nvidia/*/lib", "cutensor/lib")
            for folder in sorted(glob.glob(f"{root}/{pattern}"))]
names = sys.argv[1:]
found = [f"{folder}/{name}" for name in names for folder in folders
         if glob.glob(f"{folder}/{name}")]
if found and not any(map(loads, names)):
    print(found[0])
PYTHON
}
cublas="$(find_library libcublas.so.13 libcublas.so.12)"
cutensor="$(find_library libcutensor.so.2)"
[ -z "$cublas" ] || bench_options+=("--cublas=$cublas")
[ -z "$cutensor" ] || bench_options+=("--cutensor=$cutensor")

# The packages, the one with the least work first.
list_packages() {
  python3 - "$suite/suite.json" <<'PYTHON'
import json
import math
import sys

cases = json.load(open(sys.argv[1], encoding="utf-8"))["cases"]
for case in sorted(cases, key=lambda c: math.prod(c["extents"].values())):
    if "package" in case:
        print(case.get("cubin", case["package"]))
PYTHON
}
mapfile -t packages < <(list_packages)
[ "${#packages[@]}" -gt 0 ] || die "$suite: no package in it"

# Checks take at most a third of the budget: the benchmark checks results too.
say "checks of ${#packages[@]} packages"
checked=0 skipped=0
: >"$output/checks.log"
for package in "${packages[@]}"; do
  if [ "$SECONDS" -gt $((budget / 3)) ]; then
    skipped=$((skipped + 1))
    continue
  fi
  if timeout "$(left)" "$tools/tc-launch" "$suite/$package" --check="$samples" \
    >>"$output/checks.log" 2>&1; then
    checked=$((checked + 1))
  else
    failed "check of $package: $(tail -n 1 "$output/checks.log")"
  fi
done
say "$checked checked, $skipped left to the benchmark"

if ! command -v compute-sanitizer >/dev/null; then
  say "no compute-sanitizer on PATH: not run"
  sanitize=0
fi
for package in "${packages[@]:0:$sanitize}"; do
  for tool in memcheck racecheck; do
    log="$output/$tool-$(basename "$package" .json).log"
    code=0
    # Under the sanitizer kernels are slower by orders of magnitude.
    timeout $((budget / 12 + 1)) compute-sanitizer --tool "$tool" \
      --error-exitcode 9 "$tools/tc-launch" "$suite/$package" \
      >"$log" 2>&1 || code=$?
    case "$code" in
    0) say "$tool of $package: clean" ;;
    124) say "$tool of $package: not done in time" ;;
    *) failed "$tool of $package: $(tail -n 1 "$log")" ;;
    esac
  done
done

say "benchmark"
results="$output/results.json"
reserve=$((budget / 8))
# A kernel that faults ends the program; the next one goes on after it.
rm -f "$results"
for ((attempt = 0; attempt <= ${#packages[@]}; ++attempt)); do
  again=()
  [ ! -f "$results" ] || again=(--resume="$results" --keep-failed)
  limit=$(($(left) - reserve))
  "$tools/tc-bench" "$suite/suite.json" --output="$results" "${again[@]}" \
    --time-limit=$((limit > 1 ? limit : 1)) --samples="$samples" \
    ${bench_options[@]+"${bench_options[@]}"} \
    2>&1 | tee "$output/bench.log" | tail -n 60 && break
  failed "benchmark: $(tail -n 1 "$output/bench.log")"
  grep -q "the device is lost" "$output/bench.log" || break
done

if python3 -c 'import torch' 2>/dev/null; then
  say "torch.einsum"
  python3 "$root/scripts/bench_torch.py" "$suite/suite.json" "$results" \
    --time-limit=$(($(left) / 2 + 1)) >"$output/torch.log" 2>&1 ||
    failed "torch.einsum: $(tail -n 1 "$output/torch.log")"
  tail -n 1 "$output/torch.log"
else
  say "no torch: torch.einsum is not measured"
fi

plots=()
python3 -c 'import matplotlib' 2>/dev/null || plots=(--no-plots)
python3 "$root/scripts/bench_page.py" "$results" -o "$output/page.html" \
  ${plots[@]+"${plots[@]}"} || failed "page"
say "$output: results.json, page.html; $failures failures in $SECONDS s"
[ "$failures" = 0 ]
