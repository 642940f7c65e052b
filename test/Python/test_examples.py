# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples in Python, which check their own results."""

import pathlib
import subprocess
import sys

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"


def test_quantum_circuit():
    for qubits in ("1", "5"):
        run = subprocess.run(
            [sys.executable, EXAMPLES / "quantum_circuit.py", qubits],
            capture_output=True,
            text=True,
        )
        assert run.returncode == 0, run.stdout + run.stderr
        assert run.stdout.startswith(f"{qubits} qubits, error ")
