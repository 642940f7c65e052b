#!/usr/bin/env bash
# Measures what a call of the C interface takes beside its kernel, and prints the
# table of docs/c-interface.md. The argument is a build folder, build/ if none.

source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

library="$(cd "${1:-$build}/lib" && pwd)"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cc -std=c11 -D_POSIX_C_SOURCE=200809L -O2 -Wall -Wextra -Werror \
  -I"$root/include" "$root/scripts/c_overhead.c" -o "$folder/c_overhead" \
  -L"$library" -Wl,-rpath,"$library" -ltc -ldl
cd "$folder"
./c_overhead
