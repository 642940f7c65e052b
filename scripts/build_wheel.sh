#!/usr/bin/env bash
# Builds the Python package's wheel, which needs nothing of the machine but glibc, and its
# archive of sources, into build/wheel. One wheel is for this machine's architecture and
# all versions of Python that are named or found, and for all later ones if one of them
# is 3.12 or newer: modules use Python's stable interface from there on.
#
#   build_wheel.sh [PYTHON...]     # default: each python3.N with headers on PATH or of
#                                  # pyenv, N from 9 to 11, and the first from 12 on
#
# Needs the packages that scripts/setup.sh installs, static libraries of zlib and
# Zstandard (Debian: zlib1g-dev libzstd-dev), LLVM's OpenMP runtime, and PyPI, from
# which come the builders of the package, JAX's headers, and auditwheel, which says
# what the wheel may be called.

source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

output="$build/wheel"
oldest_minor=9
stable_minor=12
# pip's name for machines with glibc 2.34 or newer. packaging/OlderGlibc.c has the
# functions that would otherwise be asked of newer versions.
platform=manylinux_2_34

# The interpreters of all versions up to the first with a stable interface, once each,
# with their headers.
find_pythons() {
  local minor python header
  for minor in $(seq "$oldest_minor" 20); do
    for python in $(type -ap "python3.$minor") "$HOME/.pyenv/versions/3.$minor".*/bin/python; do
      header="$("$python" -c \
        'import sysconfig; print(sysconfig.get_paths()["include"])' 2>/dev/null)/Python.h" || continue
      if [ -f "$header" ]; then
        printf '%s\n' "$python"
        [ "$minor" -lt "$stable_minor" ] || return 0
        break
      fi
    done
  done
}

# The copyright file of the Debian package that a file is of.
copyright_of() {
  local package
  package="$(dpkg-query -S "$(readlink -f "$1")" 2>/dev/null | head -n 1 | cut -d: -f1)"
  [ -n "$package" ] && [ -f "/usr/share/doc/$package/copyright" ] ||
    die "no licence found of $1: it belongs to no package of Debian"
  printf '%s\n' "/usr/share/doc/$package/copyright"
}

pythons=("$@")
[ "$#" -gt 0 ] || mapfile -t pythons < <(find_pythons)
[ "${#pythons[@]}" -gt 0 ] || die "no Python with its headers: Debian has them in python3-dev"
openmp="$(compgen -G '/usr/lib/*/libomp.so.5' | head -n 1)" ||
  die "no libomp.so.5: Debian has it in libomp-22-dev"

options=(-DTC_BUNDLE=ON)
[ -f "$build/CMakeCache.txt" ] || options+=(-DTC_ENABLE_TESTS=OFF)
configure "${options[@]}"
cmake --build --preset default --parallel "$(nproc)" --target tc-bundle

# The newest one builds all that is not for one version alone.
newest="${pythons[-1]}"
tools="$output/tools"
# Later versions take modules built with the headers of the oldest.
jaxlib="$(sed -n 's/^jax = \["jax>=\(.*\)"\]$/\1/p' "$root/pyproject.toml")"
if [ ! -d "$output/xla/jaxlib-$jaxlib.dist-info" ]; then
  say "JAX's headers: from PyPI"
  rm -rf "$output/download" "$output/xla"
  "$newest" -m pip download --quiet --disable-pip-version-check --no-deps \
    --dest "$output/download" "jaxlib==$jaxlib"
  "$newest" -m zipfile -e "$output"/download/jaxlib-*.whl "$output/xla"
fi
[ -x "$tools/bin/python" ] || "$newest" -m venv "$tools"
"$tools/bin/python" -m pip install --quiet --disable-pip-version-check auditwheel build

rm -rf "$output/parts"
for python in "${pythons[@]}"; do
  version="$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')"
  say "modules for Python $version"
  environment="$output/python-$version"
  [ -x "$environment/bin/python" ] || "$python" -m venv "$environment"
  "$environment/bin/python" -m pip install --quiet --disable-pip-version-check --upgrade pip \
    "nanobind>=2.4" "scikit-build-core>=0.10"
  "$environment/bin/python" -m pip wheel --quiet --disable-pip-version-check \
    --no-build-isolation --no-deps --wheel-dir "$output/parts" "$root" \
    -C wheel.py-api=cp312 -C "build-dir=$output/modules-$version" \
    -C "cmake.define.TC_BUILD_DIR=$build/bundle" -C cmake.define.TC_PORTABLE=ON \
    -C "cmake.define.TC_XLA_INCLUDE_DIR=$output/xla/jaxlib/include" \
    -C cmake.define.CMAKE_C_COMPILER=clang-22 -C cmake.define.CMAKE_CXX_COMPILER=clang++-22
done

llvm="$(llvm-config-22 --libdir)"
nanobind="$(echo "$environment"/lib/python*/site-packages/nanobind)"
sed '\:\*/:q' "$nanobind/ext/robin_map/include/tsl/robin_map.h" >"$output/robin-map.txt"
licences=(
  "llvm=$(copyright_of "$llvm/libLLVMCore.a")"
  "mlir=$(copyright_of "$llvm/libMLIRIR.a")"
  "libomp=$(copyright_of "$openmp")"
  "libstdc++=$(copyright_of "$(clang++-22 -print-file-name=libstdc++.a)")"
  "nlohmann-json=$(copyright_of /usr/include/nlohmann/json.hpp)"
  "sqlite3=$(copyright_of "$(clang-22 -print-file-name=libsqlite3.a)")"
  "zlib=$(copyright_of "$(clang-22 -print-file-name=libz.a)")"
  "zstd=$(copyright_of "$(clang-22 -print-file-name=libzstd.a)")"
  "nanobind=$(echo "$nanobind"-*.dist-info/licenses/LICENSE)"
  "robin-map=$output/robin-map.txt"
  "xla=$(echo "$output"/xla/jaxlib-*.dist-info/licenses/LICENSE.txt)"
)
rm -rf "$output/dist"
machine="$(uname -m)"
wheel="$("$tools/bin/python" "$root/packaging/assemble_wheel.py" "$output"/parts/*.whl \
  --source "$root" --bundle "$build/bundle" --openmp "$openmp" \
  --platform "${platform}_$machine" --output "$output/dist" "${licences[@]/#/--licence=}")"
"$tools/bin/auditwheel" show "$wheel" | tee "$output/audit.txt"
grep -q "\"${platform}_$machine\"" "$output/audit.txt" || {
  rm "$wheel"
  die "auditwheel calls the wheel something else than ${platform}_$machine: see above"
}
"$tools/bin/python" -m build --quiet --sdist --outdir "$output/dist" "$root"
ls -l "$output/dist"
