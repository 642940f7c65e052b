#!/usr/bin/env bash
# Configures and builds everything into build/. Extra arguments go to the
# configuration, for example -DTC_WARNINGS_AS_ERRORS=OFF.

source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

options=()
if command -v ccache >/dev/null; then
  options+=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
fi

cd "$root"
began=$SECONDS
cmake --preset default "${options[@]}" "$@"
cmake --build --preset default --parallel "$(nproc)"
say "built in $((SECONDS - began)) s on $(nproc) cores"
