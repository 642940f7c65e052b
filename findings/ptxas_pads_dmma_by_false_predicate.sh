#!/usr/bin/env bash
# ptxas of CUDA 13: the instructions that keep dependent DMMAs apart.
#
# Guess:    ptxas fills the wait between two DMMAs by NOP, in all releases of 13, so
#           that a reader of machine code tells work from padding by the opcode.
# Observed: 13.0 does. 13.5 writes `@!UPT UIADD3 URZ, UPT, UPT, URZ, URZ, URZ`
#           instead: an addition of the uniform datapath under a predicate that is
#           never true. By its opcode it looks like integer work.
# Versions: nvidia-cuda-nvcc 13.0.48 and 13.5.37, nvidia-cuda-nvdisasm 13.5.37 (PyPI).
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT

install() { # PACKAGE VERSION
  python3 -m pip install --quiet --no-deps --disable-pip-version-check \
    --root-user-action=ignore --target "$folder/$1-$2" "$1==$2"
}
install nvidia-cuda-nvcc 13.0.48
install nvidia-cuda-nvcc 13.5.37
install nvidia-cuda-nvdisasm 13.5.37

# Four products of 16 x 8 x 16 in f64, each of which adds to the one before.
mma='mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64'
{
  printf '.version 9.0\n.target sm_90\n.address_size 64\n'
  printf '.visible .entry product(.param .u64 input, .param .u64 output) {\n'
  printf '.reg .b64 %%p<2>; .reg .f64 %%a<8>; .reg .f64 %%b<4>; .reg .f64 %%c<4>;\n'
  printf 'ld.param.u64 %%p0, [input]; ld.param.u64 %%p1, [output];\n'
  for i in 0 1 2 3 4 5 6 7; do printf 'ld.global.f64 %%a%d, [%%p0+%d];\n' "$i" $((8 * i)); done
  for i in 0 1 2 3; do printf 'ld.global.f64 %%b%d, [%%p0+%d];\n' "$i" $((64 + 8 * i)); done
  for i in 0 1 2 3; do printf 'mov.f64 %%c%d, 0d0000000000000000;\n' "$i"; done
  for _ in 1 2 3 4; do
    printf '%s {%%c0,%%c1,%%c2,%%c3}, {%%a0,%%a1,%%a2,%%a3,%%a4,%%a5,%%a6,%%a7}, {%%b0,%%b1,%%b2,%%b3}, {%%c0,%%c1,%%c2,%%c3};\n' "$mma"
  done
  for i in 0 1 2 3; do printf 'st.global.f64 [%%p1+%d], %%c%d;\n' $((8 * i)) "$i"; done
  printf 'ret;\n}\n'
} >"$folder/product.ptx"

listing() { # VERSION: the machine code between the first and the last DMMA
  "$(find "$folder/nvidia-cuda-nvcc-$1" -name ptxas -type f)" -arch sm_90 \
    -o "$folder/$1.cubin" "$folder/product.ptx"
  "$(find "$folder/nvidia-cuda-nvdisasm-13.5.37" -name nvdisasm -type f)" -c "$folder/$1.cubin" |
    awk '/DMMA/ {count++} count >= 1 && count < 4'
}
count() { # VERSION PATTERN
  listing "$1" | grep -cE "$2" || true
}

false_predicate='@!UPT +UIADD3 +URZ'
status=0
expect() { # WHAT GOT CONDITION
  printf '%s: %s\n' "$1" "$2"
  test "$2" "$3" "$4" || { printf 'changed: expected %s %s\n' "$3" "$4"; status=1; }
}
expect "13.0.48, NOP between the DMMAs" "$(count 13.0.48 '\bNOP\b')" -gt 0
expect "13.0.48, UIADD3 that is never executed" "$(count 13.0.48 "$false_predicate")" -eq 0
expect "13.5.37, NOP between the DMMAs" "$(count 13.5.37 '\bNOP\b')" -eq 0
expect "13.5.37, UIADD3 that is never executed" "$(count 13.5.37 "$false_predicate")" -gt 0
exit "$status"
