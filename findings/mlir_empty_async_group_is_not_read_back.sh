#!/usr/bin/env bash
# MLIR 22: text of an asynchronous group without tokens.
#
# Guess:    mlir-opt reads what it prints; a group of copies whose tokens are in another
#           scope, so that it names none, is no exception, as MLIR's own example of
#           nvgpu.device_async_create_group is such a group.
# Observed: It prints `%0 = nvgpu.device_async_create_group` with nothing to end the list
#           of tokens. Where the next operation has a result, its name is read as a token
#           on the next line, and the parser fails at the "=" behind it; where the next
#           operation has none, the text is read. The generic form is always read.
# Versions: mlir-22-tools, libmlir-22 and libllvm22 1:22.1.8-1~deb12u1 (Debian bookworm).
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT

version='1:22.1.8-1~deb12u1'
cd "$folder"
apt-get download --quiet "mlir-22-tools=$version" "libmlir-22=$version" "libllvm22=$version" \
  libz3-4 libedit2 libbsd0 libmd0 libffi8 libxml2 libicu72 2>/dev/null
for package in *.deb; do dpkg -x "$package" root; done
LD_LIBRARY_PATH="$folder/root/usr/lib/x86_64-linux-gnu:$folder/root/usr/lib/llvm-22/lib"
export LD_LIBRARY_PATH
opt() { root/usr/lib/llvm-22/bin/mlir-opt "$@"; }

module() { # NEXT: a function whose group comes before that operation
  printf 'func.func @f() {\n'
  printf '  %%group = "nvgpu.device_async_create_group"() : () -> !nvgpu.device.async.token\n'
  printf '  %s\n' "$1"
  printf '  func.return\n}\n'
}

status=0
expect() { # WHAT GOT EXPECTED
  printf '%s: %s\n' "$1" "$2"
  [ "$2" = "$3" ] || { printf 'changed: expected %s\n' "$3"; status=1; }
}
reads() { if opt >/dev/null 2>errors; then echo read; else echo "not read"; fi; }

opt --version | sed -n 's/.*LLVM version/LLVM version/p'
module '%c = arith.constant 0 : index' >result.mlir
module 'nvgpu.device_async_wait %group' >none.mlir
expect "printed before an operation with a result" "$(opt result.mlir | reads)" "not read"
cat errors
expect "the same in generic form" "$(opt --mlir-print-op-generic result.mlir | reads)" read
expect "printed before an operation without one" "$(opt none.mlir | reads)" read
exit "$status"
