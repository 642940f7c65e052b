#!/usr/bin/env bash
# Installs the packages that the build and the tests need and the machine lacks.
# For Debian 12 (bookworm) and newer, as root or through sudo; does nothing, and
# needs no rights, where everything is there, and removes nothing. Optional,
# fetched from PyPI, and reported if they cannot be had, are ptxas, nvdisasm and
# libdevice, which are looked for first, and a virtual environment for the
# Python package. Tests assemble with the oldest and the newest ptxas that they
# are held to.
#
#   setup.sh           # all of it
#   setup.sh --tools   # only what building and running the tools needs

source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

case "${1:-}" in
  --tools) tools_only=yes ;;
  "") tools_only=no ;;
  *) die "unknown option '$1'; there is --tools" ;;
esac

# MLIR's CMake files check that the programs of mlir-22-tools exist.
packages=(
  ca-certificates clang-22 cmake git libmlir-22-dev libsqlite3-dev lld-22
  llvm-22-dev mlir-22-tools ninja-build nlohmann-json3-dev python3
)
# With llvm-22-dev come lit, FileCheck, not and split-file. libclang-rt has the
# sanitizers, with which callers of object files and the fuzzers are built.
if [ "$tools_only" = no ]; then
  packages+=(
    clang-format-22 clang-tidy-22 libclang-rt-22-dev libgtest-dev llvm-22-tools
    python3-dev python3-venv shellcheck
  )
  # Object files for CPUs with NEON are tested on other machines, too.
  if [ "$(uname -m)" = x86_64 ]; then
    packages+=(gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user)
  fi
fi
# Code for several threads needs LLVM's OpenMP runtime. Any version will do, and
# no two can be installed.
if ! compgen -G '/usr/lib/*/libomp.so.5' >/dev/null; then
  packages+=(libomp-22-dev)
fi

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    die "'$*' needs root: run this script as root or install sudo"
  fi
}

# Prints those of its arguments that are not installed.
missing_packages() {
  local package
  for package in "$@"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null |
      grep -q '^install ok installed$' || printf '%s\n' "$package"
  done
}

updated=no
install_packages() {
  if [ "$updated" = no ]; then
    as_root apt-get update -qq
    updated=yes
  fi
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends --no-remove "$@" </dev/null
}

set_up_packages() {
  command -v apt-get >/dev/null ||
    die "no apt-get here; install yourself what README.md lists under 'Building'"
  local missing
  mapfile -t missing < <(missing_packages "${packages[@]}")
  if [ "${#missing[@]}" = 0 ]; then
    say "packages: all there"
    return
  fi
  say "packages: installing ${missing[*]}"
  install_packages "${missing[@]}"
}

have_pip() {
  python3 -m pip --version >/dev/null 2>&1 || install_packages python3-pip
}

# Downloads the PyPI wheel of that name, for NVIDIA's assembler for PTX, its
# disassembler or libdevice, of the newest version that is tested.
fetch_wheel() {
  have_pip || return 1
  # All of them unpack a folder "nvidia", which pip would remove for the next.
  local unpacked status=0
  unpacked="$(mktemp -d)"
  python3 -m pip install --quiet --no-compile --disable-pip-version-check --no-deps \
    --root-user-action=ignore --target "$unpacked" "$1==$newest_ptxas" </dev/null &&
    mkdir -p "$ptxas_folder" && cp -a "$unpacked/." "$ptxas_folder/" || status=1
  rm -rf "$unpacked"
  return "$status"
}

set_up_ptxas() {
  if ! use_ptxas; then
    say "ptxas: not on this machine; fetching it from PyPI"
    fetch_wheel nvidia-cuda-nvcc || true
  fi
  if use_ptxas; then
    say "ptxas: $(command -v ptxas), $(ptxas --version | sed -n 's/^Cuda compilation tools, //p')"
  else
    say "ptxas: absent. PTX is made and simulated without it; cubins are not," \
      "and tests that assemble PTX say that they were skipped."
  fi
}

set_up_nvdisasm() {
  if ! use_nvdisasm; then
    say "nvdisasm: not on this machine; fetching it from PyPI"
    fetch_wheel nvidia-cuda-nvdisasm || true
  fi
  if use_nvdisasm; then
    local program="${TC_NVDISASM:-$(command -v nvdisasm)}"
    say "nvdisasm: $program, $("$program" --version | sed -n 's/^Cuda compilation tools, //p')"
  else
    say "nvdisasm: absent. What kernels' machine code consists of is not reported," \
      "and tests of that say that they were skipped."
  fi
}

# Puts ptxas of that version into a folder of its own: the one that is there, or
# that program alone of the wheel on PyPI.
set_up_tested_ptxas() {
  local version="$1" folder present unpacked
  folder="$(tested_ptxas_folder "$version")"
  if ! has_version "$folder/ptxas" "$version"; then
    mkdir -p "$folder"
    rm -f "$folder/ptxas"
    present="$(command -v ptxas || true)"
    if has_version "$present" "$version"; then
      ln -s "$present" "$folder/ptxas"
    elif have_pip; then
      say "ptxas $version: fetching it from PyPI for tests"
      unpacked="$(mktemp -d)"
      python3 -m pip download --quiet --disable-pip-version-check --no-deps \
        --dest "$unpacked" "nvidia-cuda-nvcc==$version" </dev/null &&
        python3 -c '
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as wheel, open(sys.argv[2], "wb") as file:
    file.write(wheel.read("nvidia/cu13/bin/ptxas"))' \
          "$unpacked"/*.whl "$folder/ptxas" && chmod +x "$folder/ptxas" || true
      rm -rf "$unpacked"
    fi
  fi
  if has_version "$folder/ptxas" "$version"; then
    say "ptxas $version: $folder/ptxas"
  else
    rm -rf "$folder"
    say "ptxas $version: absent. Tests of what it makes are left out."
  fi
}

set_up_libdevice() {
  if ! use_libdevice; then
    say "libdevice: not on this machine; fetching it from PyPI"
    fetch_wheel nvidia-nvvm || true
  fi
  if use_libdevice; then
    say "libdevice: $TC_LIBDEVICE"
  else
    say "libdevice: absent. Kernels whose fused code has functions such as exp" \
      "cannot be made, and tests of them say that they were skipped."
  fi
}

# Packages from PyPI that build and test the Python package, the documentation as a
# site and the pages of benchmarks.
python_packages=(
  latex2mathml matplotlib mkdocs mpi4py mpich mypy nanobind numpy opt_einsum
  pytest ruff scikit-build-core
)

have_python_packages() {
  "$python_venv/bin/python" -c \
    'import latex2mathml, matplotlib, mkdocs, mpi4py, mypy, nanobind, numpy, opt_einsum, pytest, ruff, scikit_build_core' 2>/dev/null
}

set_up_python() {
  if ! have_python_packages; then
    say "python: making $python_venv from PyPI"
    python3 -m venv "$python_venv" </dev/null &&
      "$python_venv/bin/python" -m pip install --quiet --no-compile \
        --disable-pip-version-check "${python_packages[@]}" </dev/null || true
  fi
  if have_python_packages; then
    say "python: $("$python_venv/bin/python" --version), with ${python_packages[*]}"
  else
    rm -rf "$python_venv"
    say "python: no packages from PyPI. Neither the Python package, nor the" \
      "documentation as a site, nor what else needs NumPy is tested."
  fi
}

# Fetches a package that only some tests need. Arguments: the package, its module, and
# whose tests these are.
set_up_optional() {
  local python="$python_venv/bin/python" package="$1" module="$2" whose="$3"
  [ -x "$python" ] || return 0
  if ! "$python" -c "import $module" 2>/dev/null; then
    say "$package: fetching it from PyPI"
    "$python" -m pip install --quiet --no-compile --disable-pip-version-check "$package" \
      </dev/null || true
  fi
  if "$python" -c "import $module" 2>/dev/null; then
    say "$package: $("$python" -c "import $module; print($module.__version__)")"
  else
    say "$package: absent. Tests of $whose say that they were skipped."
  fi
}

set_up_packages
set_up_ptxas
set_up_libdevice
if [ "$tools_only" = no ]; then
  set_up_nvdisasm
  set_up_tested_ptxas "$oldest_ptxas"
  set_up_tested_ptxas "$newest_ptxas"
  set_up_python
  set_up_optional scikit-learn sklearn tc-tune
  set_up_optional dask dask "blocks of dask's arrays"
fi
