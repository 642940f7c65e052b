# shellcheck shell=bash disable=SC2034
# What the scripts share; sourced by them, never run. Sets `root` (the source
# folder) and `build` (the build folder) and puts the optional PTX assembler and
# disassembler on PATH where they lie outside it.

set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
build="$root/build"

# The folder into which setup.sh unpacks ptxas and nvdisasm when the machine has
# none.
ptxas_folder="$build/ptxas"

# The oldest and the newest ptxas with which tests assemble; PyPI has them.
# setup.sh fetches the newest where a machine has none. nvdisasm and libdevice
# have its version, and nvdisasm reads what both make.
oldest_ptxas=13.0.88
newest_ptxas=13.5.37

# The folder into which setup.sh puts the ptxas of one of these versions.
tested_ptxas_folder() { printf '%s\n' "$build/ptxas-$1"; }

# Succeeds if a ptxas has that version. All of the text is read: a program whose pipe
# is closed early fails.
has_version() { [ -x "$1" ] && "$1" --version 2>/dev/null | grep "V$2\$" >/dev/null; }

# Exports TC_LIBDEVICE if CUDA's math library is on the machine; fails if not.
use_libdevice() {
  local toolkit file
  for toolkit in /usr/local/cuda "$ptxas_folder/nvidia/cu13"; do
    file="${TC_LIBDEVICE:-$toolkit/nvvm/libdevice/libdevice.10.bc}"
    [ -f "$file" ] || continue
    export TC_LIBDEVICE="$file"
    return 0
  done
  return 1
}

# The virtual environment in which the Python package is built and tested.
python_venv="$build/python-venv"

say() { printf '== %s\n' "$*"; }
die() {
  printf '%s: error: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# Configures the build folder; arguments go to CMake.
configure() {
  local launchers=()
  if command -v ccache >/dev/null; then
    # Objects that were made with precompiled headers are found again, too.
    export CCACHE_SLOPPINESS=pch_defines,time_macros
    launchers=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  fi
  (cd "$root" && cmake --preset default "${launchers[@]}" "$@")
}

# Puts a program of the CUDA Toolkit on PATH if it is on the machine at all;
# fails if it is not.
use_cuda_program() {
  local folder
  for folder in "" /usr/local/cuda/bin "$ptxas_folder/nvidia/cu13/bin"; do
    [ -z "$folder" ] || [ -x "$folder/$1" ] || continue
    [ -z "$folder" ] || export PATH="$folder:$PATH"
    ! command -v "$1" >/dev/null || return 0
  done
  return 1
}

use_ptxas() { use_cuda_program ptxas; }

# Does nothing where TC_NVDISASM names the program.
use_nvdisasm() { [ -x "${TC_NVDISASM:-}" ] || use_cuda_program nvdisasm; }
