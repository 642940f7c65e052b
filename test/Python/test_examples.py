# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples in Python, which check their own results."""

import pathlib
import runpy
import subprocess
import sys

import fake_device
import pytest

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


def test_mp2_energy():
    run = subprocess.run(
        [sys.executable, EXAMPLES / "mp2_energy.py"], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.startswith("energy -")


def test_dask_einsum():
    pytest.importorskip("dask", reason="dask is not installed")
    run = subprocess.run(
        [sys.executable, EXAMPLES / "dask_einsum.py", "31"], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "36 blocks by threads, error " in run.stdout
    assert "36 blocks by processes, error " in run.stdout


@pytest.mark.parametrize(
    "framework, name, sizes",
    [("torch", "mps_energy_torch.py", ("4", "4")), ("jax", "quantum_circuit_jax.py", ("4", "3"))],
)
def test_gradients(framework, name, sizes):
    pytest.importorskip(framework, reason=f"{framework} is not installed")
    run = subprocess.run(
        [sys.executable, EXAMPLES / name, *sizes], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "gradients differ by" in run.stdout


def test_gpu_layers(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["gpu_layers.py", str(tmp_path)])
    with fake_device.installed(fake_device.make_cupy()):
        with fake_device.variables(FAKE_CUDA_LAZY="1"):
            with pytest.raises(SystemExit) as ended:
                runpy.run_path(str(EXAMPLES / "gpu_layers.py"), run_name="__main__")
    printed = capsys.readouterr().out
    assert ended.value.code == 0, printed
    assert printed.startswith("ndarray of (16, 20), error ")
