#!/usr/bin/env bash
# ptxas of CUDA 13: the machine code of mma.m16n8k16 in f64, by target.
#
# Guess:    the large f64 shapes, which came with sm_90, are one instruction there and
#           on every later target.
# Observed: one DMMA.16x8x16 on sm_90. On sm_100, sm_103, sm_110, sm_120 and sm_121 the
#           same line of PTX becomes eight DMMA.8x8x4, as many as the shape of sm_80
#           needs for the same product. A shape that PTX accepts is not one that the
#           chip has.
# Versions: nvidia-cuda-nvcc 13.5.37, nvidia-cuda-nvdisasm 13.5.37 (PyPI).
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT

for package in nvidia-cuda-nvcc nvidia-cuda-nvdisasm; do
  python3 -m pip install --quiet --no-deps --disable-pip-version-check \
    --root-user-action=ignore --target "$folder/$package" "$package==13.5.37"
done
ptxas="$(find "$folder" -name ptxas -type f)"
nvdisasm="$(find "$folder" -name nvdisasm -type f)"

write_product() { # TARGET: one product of 16 x 8 x 16
  printf '.version 9.0\n.target %s\n.address_size 64\n' "$1"
  printf '.visible .entry product(.param .u64 input, .param .u64 output) {\n'
  printf '.reg .b64 %%p<2>; .reg .f64 %%a<8>; .reg .f64 %%b<4>; .reg .f64 %%c<4>;\n'
  printf 'ld.param.u64 %%p0, [input]; ld.param.u64 %%p1, [output];\n'
  for i in 0 1 2 3 4 5 6 7; do printf 'ld.global.f64 %%a%d, [%%p0+%d];\n' "$i" $((8 * i)); done
  for i in 0 1 2 3; do printf 'ld.global.f64 %%b%d, [%%p0+%d];\n' "$i" $((64 + 8 * i)); done
  for i in 0 1 2 3; do printf 'ld.global.f64 %%c%d, [%%p0+%d];\n' "$i" $((96 + 8 * i)); done
  printf 'mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%%c0,%%c1,%%c2,%%c3},\n'
  printf '  {%%a0,%%a1,%%a2,%%a3,%%a4,%%a5,%%a6,%%a7}, {%%b0,%%b1,%%b2,%%b3}, {%%c0,%%c1,%%c2,%%c3};\n'
  for i in 0 1 2 3; do printf 'st.global.f64 [%%p1+%d], %%c%d;\n' $((8 * i)) "$i"; done
  printf 'ret;\n}\n'
}

status=0
expect() { # TARGET INSTRUCTION COUNT
  write_product "$1" >"$folder/product.ptx"
  "$ptxas" -arch "$1" -o "$folder/product.cubin" "$folder/product.ptx"
  local all named
  all="$("$nvdisasm" -c "$folder/product.cubin" | grep -cE 'DMMA' || true)"
  named="$("$nvdisasm" -c "$folder/product.cubin" | grep -cE "DMMA\.$2 " || true)"
  printf '%s: %s DMMA, %s of them DMMA.%s\n' "$1" "$all" "$named" "$2"
  [ "$all" = "$3" ] && [ "$named" = "$3" ] || { printf 'changed: expected %s\n' "$3"; status=1; }
}
expect sm_90 16x8x16 1
for target in sm_100 sm_103 sm_110 sm_120 sm_121; do
  expect "$target" 8x8x4 8
done
exit "$status"
