# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Libraries that a process loads, and when: LLVM and MLIR once something is compiled."""

import os
import pathlib
import shutil
import subprocess
import sys
import textwrap

import pytest

import tc


def run(code, *arguments):
    """The output of a process of its own, which has no cache."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env=dict(os.environ, TC_CACHE="off"),
    )
    assert done.returncode == 0 and not done.stderr, done.stderr[-2000:]
    return done.stdout


LOADS = """
import sys
import numpy as np
import tc

def loaded():
    maps = open("/proc/self/maps").read()
    return [x for x in ("libtc.so", "libtc_compiler", "libLLVM", "libMLIR") if x in maps]

a, b, c = np.ones((3, 4)), np.ones((4, 5)), np.ones((5, 6))
print(loaded())
assert (tc.einsum("ij,jk->ik", a, b) == 4).all()
assert (tc.einsum("ij,jk,kl->il", a, b, c) == 20).all()
assert tc.einsum("ij->", a) == 12
assert tc.tensordot(a, b, 1).shape == (3, 5)
tc.einsum_path("ij,jk,kl->il", a, b, c)
print(loaded(), "opt_einsum" in sys.modules)
tc.einsum("ij,jk->ik", a, b, specialize="always")
print(loaded()[:2])
"""


def test_small_contractions_load_no_compiler():
    first, computed, compiled = run(LOADS).splitlines()
    assert first == "[]"
    assert computed == "['libtc.so'] False"
    assert compiled == "['libtc.so', 'libtc_compiler']"


WITHOUT = """
import sys
sys.path.insert(0, sys.argv[1])
import numpy as np
import tc

a = np.ones((200, 200))
# More than after which code would be made.
for _ in range(400):
    assert (tc.einsum("ij,jk->ik", a, a, threads=1) == 200).all()
for compile in (
    lambda: tc.einsum("ij,jk->ik", a, a, specialize="always"),
    lambda: tc.einsum("ij,jk->ik", a, a, semiring="max_plus"),
    lambda: tc.einsum("ij,jk,kl->il", a, a, a, specialize="always"),
    lambda: tc.compile("ij,jk", [(2, 3), (3, 4)], target="sm_90"),
):
    try:
        compile()
    except tc.UnsupportedError as error:
        print(error)
"""


def test_without_the_compiler(tmp_path):
    """Ahead-of-time kernels compute without it."""
    shutil.copytree(pathlib.Path(tc.__file__).parent, tmp_path / "tc")
    (library,) = tmp_path.glob("tc/lib/libtc_compiler.so*")
    library.unlink()
    told = run(WITHOUT, tmp_path).splitlines()
    assert len(told) == 4
    for line in told:
        assert line.startswith("the compiler cannot be loaded: ") and library.name in line


def test_llvm_is_missing(tmp_path):
    """As of a library that asks for one that is nowhere."""
    shutil.copytree(pathlib.Path(tc.__file__).parent, tmp_path / "tc")
    (library,) = tmp_path.glob("tc/lib/libtc_compiler.so*")
    content = library.read_bytes()
    if b"libMLIR.so" not in content:
        return
    library.write_bytes(content.replace(b"libMLIR.so.22", b"libMLIR.so.x2"))
    told = run(WITHOUT, tmp_path)
    assert "libMLIR.so.x2" in told
    assert "Debian's packages libmlir-22 and libllvm22 have it" in told


ENDS = """
import sys, threading, time
import numpy as np
import tc

a = np.ones((200, 200))

def call():
    # Code is made after 0.1 s of calls.
    end = time.thread_time() + 0.1 + float(sys.argv[1])
    while time.thread_time() < end:
        tc.einsum("ij,jk->ik", a, a, threads=1)

thread = threading.Thread(target=call)
thread.start()
thread.join()
"""


@pytest.mark.parametrize("seconds", [0.02, 0.05, 0.08])
def test_a_process_ends_while_the_compiler_is_loaded(seconds):
    """The main thread has called nothing of the compiler."""
    run(ENDS, seconds)
