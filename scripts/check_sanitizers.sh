#!/usr/bin/env bash
# Builds with AddressSanitizer, UBSan and assertions, or with assertions alone, and runs
# tests.
#
#   check_sanitizers.sh                # with the preset `asan`, the unit tests of libraries that
#                                      # need no LLVM: those that take a minute or two in all
#   check_sanitizers.sh --all          # with the preset `sanitizers`, all unit tests, among them
#                                      # those of simulator, model and CPU runtime, and the
#                                      # text tests of the passes
#   check_sanitizers.sh --assertions   # with the preset `debug`, all unit and text tests
#
# With the last two, all tests run, and those that fail are named in the end; what follows
# are names of unit tests' programs, and of folders of text tests, to build and run only
# these:
#
#   check_sanitizers.sh --all TCModelTests Conversion/TCToCPU

source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# Configures a preset, and builds targets of it, or all.
build_preset() {
  local options=() targets=()
  if command -v ccache >/dev/null; then
    export CCACHE_SLOPPINESS=pch_defines,time_macros
    options=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  fi
  [ "$#" = 1 ] || targets=(--target "${@:2}")
  cmake --preset "$1" "${options[@]}" >/dev/null
  cmake --build --preset "$1" --parallel "$(nproc)" "${targets[@]}"
}

# The targets that tests need: a program of unit tests is one by itself, and the text tests
# run tools, libraries that these load, a program of random tests and a CUDA driver that
# stands for a device.
targets_of() {
  local name text_tests=no
  for name in "$@"; do
    case "$name" in
      TC*) printf '%s\n' "$name" ;;
      *) text_tests=yes ;;
    esac
  done
  [ "$text_tests" = no ] ||
    printf '%s/all\n' tools lib test/CrossCheck test/Differential test/FakeCuda
}

program_of() { find "$root/build-$preset" -name "$1" -type f -perm -100 -print -quit; }

# Runs a program of unit tests in as many parts as there are cores, at a time. Threads of
# OpenMP sleep where they wait, as others have work for the cores.
run_unit_tests() {
  local program parts
  program="$(program_of "$1")"
  [ -n "$program" ] || die "no program '$1' in $root/build-$preset"
  parts="$(nproc)"
  say "$1${TC_CPU_RUNTIME:+ with TC_CPU_RUNTIME=$TC_CPU_RUNTIME}"
  seq 0 $((parts - 1)) | GTEST_TOTAL_SHARDS="$parts" xargs -I{} -P "$parts" \
    env OMP_WAIT_POLICY=passive GTEST_SHARD_INDEX={} "$program" --gtest_brief=1 ||
    failed+=("$1")
}

# Runs the text tests of a folder of test.
run_text_tests() {
  say "test/$1"
  python3 "$lit" -q -j "$(nproc)" "$root/build-$preset/test/$1" || failed+=("test/$1")
}

# All unit tests' programs of the preset.
unit_tests() {
  find "$root/build-$preset/test" -name 'TC*Tests' -type f -perm -100 -printf '%f\n' | sort
}

run_tests() {
  local name set
  for name in "$@"; do
    if [[ "$name" != TC* ]]; then
      run_text_tests "$name"
      continue
    fi
    run_unit_tests "$name"
    if [ "$name" = TCCpuRuntimeTests ]; then
      for set in avx512bf16 avx2 generic; do
        TC_CPU_RUNTIME="$set" run_unit_tests "$name"
      done
    fi
  done
  [ "${#failed[@]}" = 0 ] || die "failed: ${failed[*]}"
}

cd "$root"
failed=()
lit=/usr/lib/llvm-22/bin/lit
case "${1:-}" in
  "")
    preset=asan
    programs=(TCMachineCodeTests TCRuntimeTests TCSupportTests)
    build_preset "$preset" "${programs[@]}"
    for program in "${programs[@]}"; do
      "$(program_of "$program")" --gtest_brief=1
    done
    exit
    ;;
  --all)
    preset=sanitizers
    text_tests=(Dialect Conversion Pipelines Target)
    ;;
  --assertions)
    preset=debug
    text_tests=("")
    ;;
  *) die "unknown option '$1'; there are --all and --assertions" ;;
esac
use_ptxas || true
use_nvdisasm || true
use_libdevice || true
if [ "$#" -gt 1 ]; then
  mapfile -t targets < <(targets_of "${@:2}")
  build_preset "$preset" "${targets[@]}"
  run_tests "${@:2}"
else
  build_preset "$preset"
  mapfile -t programs < <(unit_tests)
  run_tests "${programs[@]}" "${text_tests[@]}"
fi
