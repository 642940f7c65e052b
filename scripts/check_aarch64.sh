#!/usr/bin/env bash
# Compiles the ahead-of-time kernels of CPUs, with what they use, for AArch64, and
# runs their tests in QEMU: kernels with NEON, on machines of any kind. TC_COUNT is
# the number of random contractions, 20 if it is not given. Needs a configured build
# folder and, on Debian, g++-aarch64-linux-gnu, libgtest-dev and qemu-user-static.

source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

target=aarch64-linux-gnu
gtest=/usr/src/googletest/googletest
for program in clang++-22 ld.lld-22 qemu-aarch64-static "$target-g++"; do
  command -v "$program" >/dev/null || die "no $program on PATH"
done
[ -f "$gtest/src/gtest-all.cc" ] || die "no sources of GoogleTest in $gtest"
[ -d "$build/include" ] || die "no configured build in $build"

folder="$build/aarch64"
rm -rf "$folder"
mkdir -p "$folder"
cd "$root"

flags=(--target="$target" -std=c++17 -O2 -DNDEBUG -Iinclude -I"$build/include"
  -Itest/Unit)
warnings=(-Wall -Wextra -Wshadow -Wno-unused-parameter -Werror)
compile() {
  nice clang++-22 "$@" -c "$source" -o "$folder/$(tr '/' '-' <<<"${source%.*}").o" ||
    touch "$folder/failed"
}

sources=(lib/{Support,Problem,Machine,Hierarchy,CpuRuntime,Package,Buffers,Reference}/*.cpp
  test/Unit/CpuRuntime/*.cpp)
say "compiling ${#sources[@]} sources for $target"
for source in "${sources[@]}"; do
  [ "$(jobs -r | wc -l)" -lt "$(nproc)" ] || wait -n
  compile "${flags[@]}" "${warnings[@]}" &
done
wait
for source in "$gtest/src/gtest-all.cc" "$gtest/src/gtest_main.cc"; do
  compile "${flags[@]}" -I"$gtest" &
done
wait
[ ! -e "$folder/failed" ] || die "the above cannot be compiled for $target"

say "linking"
ar rcs "$folder/libtc.a" "$folder"/lib-*.o
clang++-22 --target="$target" -fuse-ld=lld-22 -o "$folder/tests" \
  "$folder"/test-*.o "$folder"/*gtest*.o "$folder/libtc.a" -lpthread -ldl

say "running in QEMU"
TC_COUNT="${TC_COUNT:-20}" qemu-aarch64-static -L "/usr/$target" "$folder/tests" --gtest_brief=1
