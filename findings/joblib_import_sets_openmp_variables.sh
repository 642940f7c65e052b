#!/usr/bin/env bash
# joblib and scikit-learn: environment variables of OpenMP after their import.
#
# Guess:    importing joblib, which is pure Python, leaves the process's environment alone.
# Observed: it sets KMP_INIT_AT_FORK=FALSE, as the import of scikit-learn does, which sets
#           KMP_DUPLICATE_LIB_OK=True, too. LLVM's and Intel's OpenMP runtimes read the first
#           one when they are loaded, and then do not begin anew in forked children: whether
#           a library that loads such a runtime later has its threads in a fork pool depends
#           on what was imported before.
# Versions: joblib 1.6.0, scikit-learn 1.9.1 (PyPI), Python 3.11.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check \
  joblib==1.6.0 scikit-learn==1.9.1

see() {
  env -u KMP_INIT_AT_FORK "$folder/venv/bin/python" - "$1" <<'PY'
import importlib
import os
import sys

before = dict(os.environ)
importlib.import_module(sys.argv[1])
changed = {name: value for name, value in os.environ.items() if before.get(name) != value}
print(f"import {sys.argv[1]}: {changed}")
assert changed.get("KMP_INIT_AT_FORK") == "FALSE", changed
PY
}

see joblib
see sklearn
echo "as found: importing them changes what OpenMP does in children"
