#!/usr/bin/env bash
# Tests the wheel that scripts/build_wheel.sh made, each time in a bare system of its own
# that has nothing but Python with pip: that of Debian's or Ubuntu's releases that are
# named. Then builds C programs against it, on this machine. Needs root, debootstrap,
# these distributions' mirrors, PyPI, and some GB in build/wheel.
#
#   test_wheel.sh [--frameworks] [RELEASE...]     # default: bookworm, which the wheel is
#                                                 # built on, trixie, and jammy of Ubuntu
#
# With --frameworks, PyTorch, JAX and Numba are imported beside it in the first of them,
# before and after each other. Systems whose Python the wheel is not for are refused, and
# signatures of Ubuntu's packages are checked where this machine has its keys.

source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

frameworks=no
releases=()
for argument in "$@"; do
  case "$argument" in
    --frameworks) frameworks=yes ;;
    -*) die "unknown option '$argument'; there is --frameworks" ;;
    *) releases+=("$argument") ;;
  esac
done
[ "${#releases[@]}" -gt 0 ] || releases=(bookworm trixie jammy)
shopt -s nullglob
wheels=("$build"/wheel/dist/*.whl)
[ "${#wheels[@]}" = 1 ] || die "no wheel in build/wheel/dist: run scripts/build_wheel.sh first"
wheel="${wheels[0]}"
command -v debootstrap >/dev/null || die "no debootstrap here: install the package of that name"

# Makes the system of a release, once.
make_system() {
  local release="$1" system="$2" options=() mirror=http://deb.debian.org/debian
  [ ! -f "$system/made" ] || return 0
  case "$release" in
    focal | jammy | noble | questing)
      mirror=http://archive.ubuntu.com/ubuntu
      options=("--components=main,universe")
      if [ ! -f /usr/share/keyrings/ubuntu-archive-keyring.gpg ]; then
        say "$release: Ubuntu's keys are not on this machine; signatures are not checked"
        options+=(--no-check-gpg)
      fi
      ;;
  esac
  local script=/usr/share/debootstrap/scripts/$release
  [ -e "$script" ] || script=/usr/share/debootstrap/scripts/gutsy
  say "$release: making the system"
  debootstrap --variant=minbase --include=python3,python3-pip,python3-venv,ca-certificates \
    "${options[@]}" "$release" "$system" "$mirror" "$script" >"$system.log" ||
    die "debootstrap failed: see $system.log"
  touch "$system/made"
}

# Runs a command in a system, with this machine's network.
within() {
  local system="$1"
  shift
  cp /etc/resolv.conf "$system/etc/resolv.conf"
  cp /etc/ssl/certs/ca-certificates.crt "$system/tmp/certificates.crt"
  # shellcheck disable=SC2016
  unshare --mount --pid --fork sh -c 'mount -t proc proc "$0/proc" && exec chroot "$@"' \
    "$system" "$system" /usr/bin/env -i HOME=/root LC_ALL=C.UTF-8 PATH=/usr/bin:/bin \
    PIP_CERT=/tmp/certificates.crt PIP_DISABLE_PIP_VERSION_CHECK=1 "$@"
}

first=yes
for release in "${releases[@]}"; do
  system="$build/wheel/system-$release"
  make_system "$release" "$system"
  cp "$wheel" "$root"/packaging/{check_wheel,fits_python}.py "$system/root"
  reason="$(within "$system" python3 /root/fits_python.py "$wheel" 2>&1)" ||
    die "$release: $reason"
  packages=("/root/$(basename "$wheel")[cuda]")
  options=(--cuda)
  if [ "$frameworks$first" = yesyes ]; then
    packages+=(torch jax numba)
    options+=(--beside torch jax numba)
  fi
  first=no
  say "$release: installing ${packages[*]##*/}"
  rm -rf "$system/opt/venv"
  within "$system" python3 -m venv /opt/venv
  within "$system" /opt/venv/bin/python -m pip install --quiet "${packages[@]}"
  say "$release: $(du -h "$wheel" | cut -f1) of wheel, $(du -shc \
    "$system"/opt/venv/lib/python3*/site-packages/tc | tail -n 1 | cut -f1) installed"
  within "$system" /opt/venv/bin/python /root/check_wheel.py "${options[@]}"
done

say "C programs of this machine"
environment="$build/wheel/installed"
python3 -m venv --clear "$environment"
"$environment/bin/python" -m pip install --quiet --disable-pip-version-check "$wheel"
prefix="$("$environment/bin/python" -m tc --prefix)"
example="$root/examples/c_interface.c" program="$build/wheel/example"
cc "$example" -o "$program" "-I$prefix/include" "-L$prefix/lib" -ltc "-Wl,-rpath,$prefix/lib"
TC_CACHE=off "$program" | grep -q "out\[1\]\[2\]\[3\] = 39" || die "the example by cc failed"
cat >"$environment/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.25)
project(User LANGUAGES C)
find_package(TC 0.1 CONFIG REQUIRED COMPONENTS C Launch CpuRuntime CudaRuntime)
add_executable(user $example)
target_link_libraries(user PRIVATE TC::TCC)
END
cmake -S "$environment" -B "$environment/project" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$environment/project" >/dev/null
TC_CACHE=off "$environment/project/user" | grep -q "out\[1\]\[2\]\[3\] = 39" ||
  die "the example by CMake failed"
say "the wheel passed in ${releases[*]}"
