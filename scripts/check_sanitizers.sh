#!/usr/bin/env bash
# Builds unit tests of libraries that need no LLVM with the preset `asan`, and runs
# them: those that take a minute or two in all.

source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

programs=(TCMachineCodeTests TCRuntimeTests TCSupportTests)
cd "$root"
options=()
if command -v ccache >/dev/null; then
  export CCACHE_SLOPPINESS=pch_defines,time_macros
  options=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
fi
cmake --preset asan "${options[@]}" >/dev/null
cmake --build --preset asan --parallel "$(nproc)" --target "${programs[@]}"
for program in "${programs[@]}"; do
  "$(find "$root/build-asan" -name "$program" -type f)" --gtest_brief=1
done
