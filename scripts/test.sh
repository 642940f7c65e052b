#!/usr/bin/env bash
# Sets up the machine, builds, and runs all tests. Fails if one fails, and if
# one does not run for any reason but a ptxas, an nvdisasm, a libdevice or a
# matplotlib that cannot be had.
# Arguments go to ctest, for example -R lit.

source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

"$root/scripts/setup.sh"
"$root/scripts/build.sh"

if use_ptxas; then ptxas=present; else ptxas=absent; fi
if use_nvdisasm; then nvdisasm=present; else nvdisasm=absent; fi
if use_libdevice; then libdevice=present; else libdevice=absent; fi
matplotlib=absent
for python in "$python_venv/bin/python" python3; do
  if "$python" -c 'import matplotlib' 2>/dev/null; then matplotlib=present; fi
done
results="$build/test-results"
rm -rf "$results"
mkdir -p "$results"

cd "$root"
status=0
ctest --preset default --parallel "$(nproc)" \
  --output-junit "$results/ctest.xml" --test-output-size-passed 4000000 \
  --test-output-size-failed 4000000 "$@" </dev/null || status=$?
python3 scripts/test_summary.py --ptxas="$ptxas" --nvdisasm="$nvdisasm" \
  --libdevice="$libdevice" --matplotlib="$matplotlib" \
  "$results/ctest.xml" "$results/lit.json" || status=1
exit "$status"
