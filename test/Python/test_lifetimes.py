"""Lifetimes: operands, results and compiled code, in threads, in forked processes
and while the interpreter goes down."""

import gc
import os
import subprocess
import sys
import textwrap
import threading
import weakref

import numpy as np
import pytest

import tc


def resident_bytes():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def growth(work, repeats):
    """Bytes by which memory grows over the second half of the calls: the first
    fills caches and pools."""
    for _ in range(repeats // 2):
        work()
    gc.collect()
    before = resident_bytes()
    for _ in range(repeats // 2):
        work()
    gc.collect()
    return resident_bytes() - before


# A leak of one object a call would be 64 bytes times 10,000 at least.
SLACK = 400_000


def test_calls_leak_nothing():
    a, b = np.ones((6, 5)), np.ones((5, 4))
    assert growth(lambda: tc.einsum("ij,jk->ik", a, b, threads=1), 20_000) < SLACK


def test_errors_leak_nothing():
    a, b = np.ones((6, 5)), np.ones((4, 4))

    def fail():
        with pytest.raises(ValueError):
            tc.einsum("ij,jk->ik", a, b)

    assert growth(fail, 20_000) < SLACK


def test_compiling_leaks_little():
    """Code that is thrown away gives its memory back."""
    a, b = np.ones((3, 3)), np.ones((3, 3))

    def compile_and_run():
        kernel = tc.compile("ij,jk->ik", [a.shape, b.shape], threads=1)
        kernel(a, b)

    # A kernel's object code alone is some 5 KB.
    assert growth(compile_and_run, 400) < 200 * 2048


def test_operands_are_let_go():
    class Array(np.ndarray):
        """One that can be watched."""

    def watched(shape):
        return np.ones(shape).view(Array)

    a, b, out = watched((3, 4)), watched((4, 5)), watched((3, 5))
    references = [weakref.ref(array) for array in (a, b, out)]
    tc.einsum("ij,jk->ik", a, b, out=out)
    with pytest.raises(ValueError):
        tc.einsum("ij,ik->jk", a, b)
    with pytest.raises(ValueError):
        tc.einsum("ij,jk->ik", a, b, out=b)
    del a, b, out
    gc.collect()
    assert [reference() for reference in references] == [None] * 3


def test_operands_outlive_their_names():
    """The result of a call in another thread, whose operands nobody else has."""
    results = []

    def work(n):
        results.append(
            (n, tc.einsum("ij,jk->ik", np.full((64, 64), float(n)), np.eye(64)))
        )

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(n for n, _ in results) == list(range(8))
    for n, result in results:
        assert (result == n).all()


@pytest.mark.parametrize("threads", [1, 2])
def test_a_forked_process_goes_on(threads):
    """With code that its parent has compiled and run, and with code of its own."""
    a, b = np.arange(64.0 * 64).reshape(64, 64), np.eye(64)
    assert (tc.einsum("ij,jk->ik", a, b, threads=threads) == a).all()
    child = os.fork()
    if child == 0:
        right = (tc.einsum("ij,jk->ik", a, b, threads=threads) == a).all()
        right &= (tc.einsum("ij,jk->ki", a, b, threads=threads) == a.T).all()
        os._exit(0 if right else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert (tc.einsum("ij,jk->ik", a, b, threads=threads) == a).all()


def run_script(text):
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(text)],
        capture_output=True, text=True, timeout=120, check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_the_interpreter_goes_down_with_everything_alive():
    printed = run_script(
        """
        import atexit
        import numpy as np
        import tc

        kernel = tc.compile("ij,jk->ik", [(4, 4), (4, 4)])
        a = np.eye(4)

        class Last:
            def __del__(self):
                print("deleted", kernel(a, a)[3, 3])

        last = Last()
        atexit.register(lambda: print("at exit", tc.einsum("ii", a)))
        """
    )
    assert printed == "at exit 4.0\ndeleted 1.0\n"


def test_the_interpreter_goes_down_while_threads_work():
    printed = run_script(
        """
        import threading
        import numpy as np
        import tc

        a = np.ones((300, 300))
        tc.einsum("ij,jk->ik", a, a)
        started = threading.Event()

        def work():
            while True:
                started.set()
                tc.einsum("ij,jk->ik", a, a)

        threading.Thread(target=work, daemon=True).start()
        started.wait()
        print("done")
        """
    )
    assert printed == "done\n"
