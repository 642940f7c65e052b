#!/usr/bin/env bash
# Runs the tests of TAPP's reference implementation with libtc_tapp: its test.cpp, with ten seeds,
# against a stand-in for TBLIS (test/CAPI/TappReference), and its demo.c, which has to print
# what it prints with the reference implementation itself. For each commit that
# TC_TAPP_INTERFACE of CMake may name, and that can be had. The sources come from GitHub, or from a
# clone that the argument names; they stay in build/tapp-reference.
#
#   scripts/tapp_reference_tests.sh [CLONE]

source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

clone="${1:-https://github.com/TAPPorg/reference-implementation.git}"
folder="$build/tapp-reference"
[ -f "$build/lib/libtc_tapp.so" ] || die "$build/lib/libtc_tapp.so does not exist: run scripts/build.sh first"
rm -rf "$folder"
mkdir -p "$folder"
git clone --quiet --bare "$clone" "$folder/git" || die "cannot clone $clone"
chosen=$(sed -n 's/^TC_TAPP_INTERFACE:STRING=//p' "$build/CMakeCache.txt")
cc="${CC:-clang-22}" cxx="${CXX:-clang++-22}"
tested=0

for commit in 178d71e 408bcab 2f82267; do
  if ! git --git-dir="$folder/git" cat-file -e "$commit^{commit}" 2>/dev/null; then
    say "$commit: not in $clone"
    continue
  fi
  sources="$folder/$commit"
  mkdir "$sources"
  git --git-dir="$folder/git" archive "$commit" | tar -x -C "$sources"
  library="$build/lib/tapp-$commit"
  [ "$commit" != "$chosen" ] || library="$build/lib"
  flags=(-w -O1 "-I$sources/api/include" "-I$sources/test")
  with_tc=("-L$library" -ltc_tapp "-Wl,-rpath,$library" "-Wl,-rpath,$build/lib" "-Wl,--allow-shlib-undefined" -lm)

  # Elements are drawn from all finite numbers, so that all results would be infinite or none:
  # take some of which sums do not cancel, as errors are judged by the size of a result. Complex
  # ones are real, as there: what it compares with conjugates nothing.
  sed -E -i -e 's/rand<T>\(-std::numeric_limits<value_type>.*\);/rand<T>(T(0.5), T(1));/' \
    -e 's/rand<T>\(-std::numeric_limits<T>.*\);/rand<T>(0.5, 1);/' "$sources/test/test.cpp"
  # Without math.h, it takes the absolute value of integers, and so no error for one.
  "$cxx" -std=c++20 -include math.h "${flags[@]}" "-I$root/test/CAPI/TappReference" "$sources/test/test.cpp" \
    -o "$sources/reference-test" "${with_tc[@]}"
  for seed in 0 1 2 3 4 5 6 7 8 9; do
    "$sources/reference-test" "$seed" > "$sources/test-$seed.txt" ||
      die "$commit: test.cpp with seed $seed ended with $?; see $sources/test-$seed.txt"
    ! grep -q ': false$' "$sources/test-$seed.txt" ||
      die "$commit: test.cpp with seed $seed: $(grep ': false$' "$sources/test-$seed.txt")"
    [ "$(grep -c ': true$' "$sources/test-$seed.txt")" -ge 28 ] ||
      die "$commit: test.cpp with seed $seed did not do all tests; see $sources/test-$seed.txt"
  done

  "$cc" -std=gnu11 "${flags[@]}" "$sources"/test/{demo,helpers}.c -o "$sources/demo-tc" "${with_tc[@]}"
  "$cc" -std=gnu11 "${flags[@]}" "-I$sources/reference_implementation/include" \
    "$sources"/test/{demo,helpers}.c "$sources"/reference_implementation/src/*.c -lm -o "$sources/demo-reference"
  # Each library has its own word for success.
  for demo in demo-tc demo-reference; do
    "$sources/$demo" > "$sources/$demo-raw.txt" || die "$commit: $demo ended with $?"
    sed -E 's/^(success|Success\.)//' "$sources/$demo-raw.txt" > "$sources/$demo.txt"
  done
  diff "$sources/demo-reference.txt" "$sources/demo-tc.txt" || die "$commit: demo.c prints something else than with the reference"
  say "$commit: passed"
  tested=$((tested + 1))
done
[ "$tested" -gt 0 ] || die "$clone has none of the commits"
