#!/usr/bin/env bash
# Configures and builds everything into build/. Extra arguments go to the
# configuration, for example -DTC_WARNINGS_AS_ERRORS=OFF.
#
#   build.sh --tools TARGETS   # only these programs, and no tests

source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

options=(-DTC_ENABLE_TESTS=ON)
targets=()
if [ "${1:-}" = --tools ]; then
  options=(-DTC_ENABLE_TESTS=OFF)
  targets=(--target "${@:2}")
  set --
fi

cd "$root"
began=$SECONDS
configure "${options[@]}" "$@"
cmake --build --preset default --parallel "$(nproc)" "${targets[@]}"
say "built in $((SECONDS - began)) s on $(nproc) cores"
