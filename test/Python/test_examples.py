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


def run(name, *arguments):
    """The output of an example, which has to end well and soon."""
    done = subprocess.run(
        [sys.executable, EXAMPLES / name, *arguments], capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_quantum_circuit():
    for qubits in ("1", "5"):
        assert run("quantum_circuit.py", qubits).startswith(f"{qubits} qubits, error ")


def test_mp2_energy():
    assert run("mp2_energy.py").startswith("energy -")


def test_dask_einsum():
    pytest.importorskip("dask", reason="dask is not installed")
    printed = run("dask_einsum.py", "31")
    assert "36 blocks by threads, error " in printed
    assert "36 blocks by processes, error " in printed


@pytest.mark.parametrize(
    "framework, name, sizes",
    [("torch", "mps_energy_torch.py", ("4", "4")), ("jax", "quantum_circuit_jax.py", ("4", "3"))],
)
def test_gradients(framework, name, sizes):
    pytest.importorskip(framework, reason=f"{framework} is not installed")
    assert "gradients differ by" in run(name, *sizes)


@pytest.mark.parametrize("theory", ["restricted", "general"])
def test_ccsd(theory):
    pytest.importorskip("pyscf", reason="pyscf is not installed")
    printed = run("ccsd_pyscf.py", "sto-3g", theory)
    assert "einsum of tc: " in printed and "energies differ by" in printed


def test_peps():
    pytest.importorskip("quimb", reason="quimb is not installed")
    pytest.importorskip("torch", reason="torch is not installed")
    assert "gradients by" in run("peps_quimb.py", "3", "2")


def test_gpu_layers(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["gpu_layers.py", str(tmp_path)])
    with fake_device.installed(fake_device.make_cupy()):
        with fake_device.variables(FAKE_CUDA_LAZY="1"):
            with pytest.raises(SystemExit) as ended:
                runpy.run_path(str(EXAMPLES / "gpu_layers.py"), run_name="__main__")
    printed = capsys.readouterr().out
    assert ended.value.code == 0, printed
    assert printed.startswith("ndarray of (16, 20), error ")
