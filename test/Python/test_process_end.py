# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A process that ends does not wait for code that is made in the background."""

import os
import subprocess
import sys
import textwrap

import pytest

# A product that ahead-of-time kernels take microseconds for, and the compiler a second: there are
# many orders to look at.
CODE = """
import ctypes, os, signal, sys, time, warnings
import numpy as np
import tc
from tc._programs.host_terms import HostTerms
from tc._notation.terms import read

SPEC = "dhc,agh,ibh,ebf,fge,dec,hge,ahb,gif,cfe->d"
TERMS = ";".join("0dhc,1agh,2ibh,3ebf,4fge,5dec,6hge,7ahb,8gif,9cfe->" + x for x in "dabcefghi")
how = sys.argv[1]
operands = [np.ones([2] * 3) for _ in range(10)]
if how == "terms":
    terms = HostTerms(read(TERMS), [x.shape for x in operands], "f64", 1, "auto")
    results = [np.empty(2) for _ in terms.shapes]
    call = lambda: terms.run(operands, results)
else:
    specialize = "always" if how == "always" else "auto"
    call = lambda: tc.einsum(SPEC, *operands, threads=1, specialize=specialize)

# So long that code is made, and not so long that it is there.
begin = time.process_time()
call()
taken = time.process_time() - begin
while how != "always" and time.process_time() - begin < 0.6 + (how == "terms"):
    call()
if how == "fork":
    # Python 3.12 and later warn of every fork beside a thread.
    warnings.simplefilter("ignore", DeprecationWarning)
    child = os.fork()
    if child:
        assert os.waitpid(child, 0)[1] == 0
print(taken, time.process_time(), flush=True)
if how == "exit":
    sys.exit(3)
elif how == "error":
    raise ValueError("an error")
elif how == "interrupt":
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(100)
elif how == "C":
    ctypes.CDLL(None).exit(4)
elif how == "_exit":
    os._exit(5)
"""


def run(how, cache):
    """Status of the process, the time that its first call took of the processor, and what it took
    after its last one."""
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(CODE), how],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=dict(os.environ, TC_CACHE=str(cache)),
    ) as process:
        out, err = process.stdout.read(), process.stderr.read()
        # With what is waited for, its times come.
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    first, last = map(float, out.split()[:2])
    return process.returncode, err.decode(), first, used.ru_utime + used.ru_stime - last


@pytest.fixture(scope="module", name="seconds")
def seconds_to_compile(tmp_path_factory):
    _, _, seconds, _ = run("always", tmp_path_factory.mktemp("always"))
    return seconds


@pytest.mark.parametrize(
    "how, code",
    [
        ("return", 0),
        ("exit", 3),
        ("error", 1),
        ("interrupt", -2),
        ("C", 4),
        ("_exit", 5),
        ("terms", 0),
    ],
)
def test_nothing_waits_for_code(how, code, seconds, tmp_path):
    returned, error, _, after = run(how, tmp_path)
    assert returned == code, error
    assert ("Traceback" in error) == (how in ("error", "interrupt")), error
    # The interpreter's own end takes some hundredths.
    assert after < 0.15 + seconds / 4
    # Neither a part of an entry, nor what the database had to undo.
    assert {file.name for file in tmp_path.iterdir()} <= {"kernels.sqlite"}


def test_a_fork_ends_by_itself(tmp_path):
    returned, error, *_ = run("fork", tmp_path)
    assert returned == 0 and not error, error


def test_many_ends(tmp_path):
    for _ in range(int(os.environ.get("TC_COUNT", "5"))):
        for how in ("return", "C", "terms"):
            returned, error, *_ = run(how, tmp_path)
            assert returned == (4 if how == "C" else 0) and not error, (how, error)


# The cache takes long to be emptied, and a fork falls into that time.
FORKS = """
import os, signal, sys, threading, time, warnings
import numpy as np
import tc

warnings.simplefilter("ignore")
right = np.ones((4, 5))
lefts = [np.ones((i, 4)) for i in range(1, 2000)]
tc.einsum("ij,jk->ik", lefts[0], right)


def work():
    while True:
        for left in lefts:
            tc.einsum("ij,jk->ik", left, right)
        tc.clear_cache()


for _ in range(16):
    threading.Thread(target=work, daemon=True).start()
for _ in range(100):
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        tc.einsum("ij,jk->ik", np.ones((777, 4)), right)
        tc.clear_cache()
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    if status != 0:
        sys.exit(f"a child ended with {status}")
os._exit(0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_fork_waits_for_the_cache():
    subprocess.run([sys.executable, "-c", FORKS], check=True, timeout=120)
