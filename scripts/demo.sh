#!/usr/bin/env bash
# Sets up the machine, builds the tools, and takes one contraction of CCSD(T) the
# whole way: the schedule that the model chooses, the launch description of its PTX,
# and a run of that PTX on the simulator, checked against a float64 reference.

source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

"$root/scripts/setup.sh" --tools
"$root/scripts/build.sh" --tools tc-opt tc-run tc-translate
use_ptxas || true
use_libdevice || true

# Column-major, as in the literature: C[a,b,c,d,e,f] = A[d,e,g,a] * B[g,f,b,c].
spec=abcdef-dega-gfbc
# Not multiples of any tile, so that edges are part of it.
extents=a=13,b=10,c=8,d=12,e=9,f=7,g=24

out="$build/demo"
rm -rf "$out"
mkdir -p "$out"
cd "$out"
PATH="$build/bin:$PATH"

show() {
  printf '\n$ %s\n' "$*"
  "$@"
}

say "$spec with $extents, f64, for sm_90"
printf '%s\n' "$spec" >contraction.tccg
show tc-translate --import-tccg --extents="$extents" contraction.tccg -o contraction.mlir
show tc-opt --tc-collapse-indices --tc-tile=target=sm_90 contraction.mlir -o scheduled.mlir
show cat scheduled.mlir
show tc-opt --tc-to-gpu scheduled.mlir -o kernel.mlir
show tc-translate --tc-to-ptx --launch-description=contraction.json kernel.mlir -o contraction.ptx
show head -n 26 contraction.json
if command -v ptxas >/dev/null; then
  show ptxas -v -arch=sm_90 -o contraction.cubin contraction.ptx
fi

say "the same in one step, run on the simulator and checked"
show tc-run "$spec" --extents="$extents" --type=f64 --chip=sm_90 --target=sim --check
printf '\n'
say "the files are in $out"
