# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threads of calls that are not told how many: what the environment, tc.set_num_threads,
threadpoolctl and OpenMP's own functions say, and what is left by others."""

import ctypes
import importlib.util
import os
import subprocess
import sys
import textwrap

import pytest

import tc

# Makes calls of some milliseconds, and says how many threads LLVM's runtime gave them: threads
# that it started stay, asleep.
BEGIN = """
import ctypes, os, sys, threading, time
import numpy as np
import tc

specialize = os.environ.get("TEST_SPECIALIZE", "never")
rng = np.random.default_rng(1)
a, b = rng.standard_normal((2, 600, 600))
expected = a @ b

def threads():
    return len(os.listdir("/proc/self/task"))

def call(**options):
    options.setdefault("specialize", specialize)
    assert np.allclose(tc.einsum("ij,jk->ik", a, b, **options), expected)
"""


def run(code, specialize="never", **variables):
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("TC_NUM_THREADS", "OMP_NUM_THREADS", "OMP_THREAD_LIMIT")
    }
    done = subprocess.run(
        [sys.executable, "-c", BEGIN + textwrap.dedent(code)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env={
            **environment,
            "OPENBLAS_NUM_THREADS": "1",
            "TEST_SPECIALIZE": specialize,
            "KMP_BLOCKTIME": "0",
            **variables,
        },
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.split(), done.stderr


PRINT = """
call()
print(tc.get_num_threads(), threads())
"""


@pytest.mark.parametrize("specialize", ["never", "always"])
@pytest.mark.parametrize(
    "variables, expected",
    [
        ({"TC_NUM_THREADS": "3"}, 3),
        ({"OMP_NUM_THREADS": "3"}, 3),
        ({"OMP_NUM_THREADS": "4,2"}, 4),
        ({"TC_NUM_THREADS": "1", "OMP_NUM_THREADS": "3"}, 1),
        ({"TC_NUM_THREADS": "4", "OMP_NUM_THREADS": "1"}, 4),
        ({"TC_NUM_THREADS": "5", "OMP_THREAD_LIMIT": "2"}, 2),
    ],
)
def test_variables(variables, expected, specialize):
    (number, used), errors = run(PRINT, specialize, **variables)
    assert int(number) == expected
    assert int(used) == expected
    assert errors == ""


def test_one_for_each_core():
    (number, _), _ = run(PRINT)
    assert 1 <= int(number) <= len(os.sched_getaffinity(0))
    (number, used), _ = run(
        "os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})" + PRINT, OMP_THREAD_LIMIT="100"
    )
    assert (number, used) == ("1", "1")


@pytest.mark.parametrize("text", ["0", "-2", "many", "1.5", "99999999999999"])
def test_no_numbers(text):
    (number, used), errors = run(PRINT + "call()", TC_NUM_THREADS=text, OMP_NUM_THREADS="2")
    assert (number, used) == ("2", "2")
    assert errors == (
        f"tc: warning: TC_NUM_THREADS is '{text}', which is no number from 1 to 65536, and is ignored\n"
    )


def test_the_argument_wins_up_to_the_limit():
    printed, errors = run(
        """
        call(threads=5)
        print(threads())
        """,
        TC_NUM_THREADS="2",
    )
    assert printed == ["5"]
    printed, errors = run(
        """
        call(threads=5)
        print(threads())
        """,
        OMP_THREAD_LIMIT="3",
    )
    # LLVM's runtime warns of more.
    assert (printed, errors) == (["3"], "")


def test_functions():
    former = tc.get_num_threads()
    try:
        tc.set_num_threads(7)
        assert tc.get_num_threads() == 7
        with tc.num_threads(2) as scope, scope, tc.num_threads(3):
            assert tc.get_num_threads() == 3
        with pytest.raises(ZeroDivisionError), tc.num_threads(2):
            assert 1 / 0
        assert tc.get_num_threads() == 7
        for wrong in (-1, 1 << 40):
            with pytest.raises(ValueError, match="but must be from 0 to 65536"):
                tc.set_num_threads(wrong)
            with pytest.raises(ValueError, match="but must be from 0 to 65536"):
                tc.num_threads(wrong)
        with pytest.raises(TypeError):
            tc.set_num_threads(1.5)
    finally:
        tc.set_num_threads(0)
    assert tc.get_num_threads() == former


@pytest.mark.parametrize("specialize", ["never", "always"])
def test_what_is_set_holds_for_calls_that_were_made_before(specialize):
    printed, _ = run(
        """
        with tc.num_threads(1):
            call()
        print(threads())
        tc.set_num_threads(1)
        call()
        print(threads())
        tc.set_num_threads(2)
        call()
        print(threads())
        tc.set_num_threads(0)
        call()
        print(threads())
        """,
        specialize,
        TC_NUM_THREADS="3",
    )
    assert printed == ["1", "1", "2", "3"]


def test_more_may_be_set_later():
    printed, _ = run(
        """
        call()
        print(threads())
        tc.set_num_threads(3)
        call()
        print(threads())
        """,
        TC_NUM_THREADS="1",
    )
    assert printed == ["1", "3"]


LIMITED = """
with threadpoolctl.threadpool_limits(1, user_api=api):
    call()
    print(threads())
call()
print(threads())
"""


@pytest.mark.parametrize("specialize", ["never", "always"])
@pytest.mark.parametrize(
    "before",
    [
        # It is told of libtc whenever it is imported.
        "import threadpoolctl; api = None",
        "import threadpoolctl; api = 'blas'",
        # Without that, it knows LLVM's runtime, if that is there already.
        "ctypes.CDLL('libomp.so.5'); import threadpoolctl; api = 'openmp'",
    ],
)
def test_threadpoolctl(before, specialize):
    pytest.importorskip("threadpoolctl")
    printed, _ = run(before + LIMITED, specialize, TC_NUM_THREADS="3")
    assert printed == ["1", "3"]


def test_threadpoolctl_that_was_there_before():
    pytest.importorskip("threadpoolctl")
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys, threadpoolctl, tc; tc.einsum('i->i', [1.0]);"
            "print([x['num_threads'] for x in threadpoolctl.threadpool_info()"
            " if x['internal_api'] == 'tc'], [x for x in sys.meta_path if 'tc' in repr(x)])",
        ],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "TC_NUM_THREADS": "3"},
    )
    assert done.stdout == "[3] []\n"


@pytest.mark.parametrize("library", ["libomp.so.5", "libgomp.so.1"])
def test_openmp_set_to_fewer(library):
    try:
        ctypes.CDLL(library)
    except OSError:
        pytest.skip(f"no {library} here")
    printed, _ = run(
        f"""
        openmp = ctypes.CDLL("{library}")
        openmp.omp_set_num_threads(2)
        call()
        print(threads())
        # That is of the thread that sets it.
        thread = threading.Thread(target=call)
        thread.start()
        thread.join()
        print(threads())
        """,
        OMP_NUM_THREADS="4",
    )
    # One of the threads that came with the second call went into the pool of LLVM's runtime.
    assert printed[0] == "2"
    assert int(printed[1]) >= 4


def test_in_regions_of_gcc():
    try:
        ctypes.CDLL("libgomp.so.1")
    except OSError:
        pytest.skip("no libgomp.so.1 here")
    printed, _ = run(
        """
        openmp = ctypes.CDLL("libgomp.so.1")
        counts = []
        @ctypes.CFUNCTYPE(None, ctypes.c_void_p)
        def body(_):
            call()
            counts.append(threads())
        openmp.GOMP_parallel(body, None, 2, 0)
        print(*counts)
        """,
        TC_NUM_THREADS="4",
    )
    assert printed == ["2", "2"]


@pytest.mark.parametrize("specialize", ["never", "always"])
def test_pools_of_threads(specialize):
    printed, _ = run(
        """
        from concurrent.futures import ThreadPoolExecutor
        a = b = rng.standard_normal((900, 900))
        expected = a @ b
        call()
        ends = False
        counts = []
        def watch():
            while not ends:
                states = []
                for task in os.listdir("/proc/self/task"):
                    try:
                        with open(f"/proc/self/task/{task}/stat") as file:
                            states.append(file.read().rsplit(")", 1)[1].split()[0])
                    except OSError:
                        pass
                # Without the thread that looks.
                counts.append(states.count("R") - 1)
                time.sleep(0.003)
        watcher = threading.Thread(target=watch)
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda _: call(), range(8)))
            watcher.start()
            list(pool.map(lambda _: call(), range(64)))
            ends = True
            watcher.join()
        print(sum(counts) / len(counts))
        """,
        specialize,
        TC_NUM_THREADS="8",
    )
    # Eight of each would be 64.
    assert float(printed[0]) <= 12


FORKS = """
import multiprocessing
def child(_=None):
    before = threads()
    call()
    return threads()
if __name__ == "__main__":
    call()
    print(threads())
    # Others are busy while it forks.
    ends = False
    def work():
        while not ends:
            call()
    workers = [threading.Thread(target=work) for _ in range(2)]
    for worker in workers:
        worker.start()
    for _ in range(10):
        pid = os.fork()
        if pid == 0:
            count = child()
            os._exit(0 if count == 3 else 100 + count)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    ends = True
    for worker in workers:
        worker.join()
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(*pool.map(child, range(2)))
"""


@pytest.mark.parametrize("specialize", ["never", "always"])
def test_forks(specialize):
    printed, _ = run(FORKS, specialize, TC_NUM_THREADS="3")
    assert printed[:11] == ["3"] + ["0"] * 10
    # A process of such a pool has further threads of Python's, or none.
    assert all(3 <= int(count) <= 5 for count in printed[11:])


@pytest.mark.parametrize("specialize", ["never", "always"])
def test_forks_of_a_runtime_that_does_not_begin_anew(specialize):
    # As in processes that import joblib or scikit-learn.
    printed, _ = run(
        """
        call()
        for _ in range(3):
            pid = os.fork()
            if pid == 0:
                call()
                call(threads=2)
                os._exit(0)
            print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        call()
        print(threads())
        """,
        specialize,
        TC_NUM_THREADS="3",
        KMP_INIT_AT_FORK="FALSE",
    )
    assert printed == ["0", "0", "0", "3"]


def test_processes_of_joblib():
    # To import it would change the environment, of other tests, too.
    if importlib.util.find_spec("joblib") is None:
        pytest.skip("joblib is not installed")
    printed, _ = run(
        """
        import joblib
        def number():
            import tc
            return tc.get_num_threads()
        with joblib.parallel_config("loky", n_jobs=2, inner_max_num_threads=1):
            print(*joblib.Parallel()(joblib.delayed(number)() for _ in range(2)))
        """
    )
    assert printed == ["1", "1"]
