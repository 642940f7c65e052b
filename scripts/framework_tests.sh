#!/usr/bin/env bash
# Tests the Python package with PyTorch, JAX, quimb and PySCF, in build/frameworks-venv, into
# which it installs them from PyPI (6 GB with what PyTorch asks for) and the package as it is built
# in build/. Arguments go to pytest. Without network, name a virtual environment that has
# all in TC_FRAMEWORKS_VENV.

source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

[ -f "$build/lib/libtc.so" ] || die "$build/lib/libtc.so does not exist: run scripts/build.sh first"
[ -d "$build/test/fake-cuda" ] || die "$build/test/fake-cuda does not exist: run scripts/build.sh first"
venv="${TC_FRAMEWORKS_VENV:-$build/frameworks-venv}"
if ! "$venv/bin/python" -c "import flatbuffers, jax, nanobind, opt_einsum, pyscf, pytest, quimb, scikit_build_core, torch" 2>/dev/null; then
  say "installing PyTorch, JAX, quimb and PySCF into $venv"
  python3 -m venv "$venv"
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
    torch jax flatbuffers numpy opt_einsum quimb pyscf pytest "nanobind>=2.4" "scikit-build-core>=0.10"
fi
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps \
  --force-reinstall "$root" -C "cmake.define.TC_BUILD_DIR=$build" \
  -C cmake.define.CMAKE_CXX_COMPILER=clang++-22 -C cmake.define.CMAKE_C_COMPILER=clang-22 \
  -C "build-dir=$build/frameworks-wheel"
cd "$build"
TC_CACHE="$build/python-cache" TC_TOOLS="$build/bin" TC_FAKE_CUDA="$build/test/fake-cuda" \
  "$venv/bin/python" -m pytest -q -rs -p no:cacheprovider "$root"/test/Python/test_{torch,jax}*.py \
  "$root"/test/Python/test_{examples,host_arrays,numpy_rules,options,saturation}.py "$@"
