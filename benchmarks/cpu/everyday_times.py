"""Times of the cases of everyday.py, measured in processes of their own.

For first calls, there are three processes for each contender, one after the other, each of which
computes all cases in order after one other call, and as many for products that come again with
other types. Then one process calls all contenders of a case in turns, but for those that refused
it, were wrong, were too slow, or died with it. This file is also those processes: it reads cases
from standard input and writes a line of JSON for each.
"""

import json
import math
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import everyday_cases
import everyday_page
import everyday_peers
import fairness

# Seconds that a first call may take; beyond a tenth, one warm call is all.
FIRST_LIMIT = 10
START_LIMIT = 120
# Processes that make a first call, of whose times the median counts: one waits now and then for
# others on the machine, for longer than most calls take.
PROCESSES = 3
# The folder of what is compiled, beside references.
CACHE = "cache"
# Calls of a turn take about so long.
TURN = 2e-4


def warm_up(name):
    """One other call, as in a process that has loaded its libraries."""
    import numpy as np
    case = {"kind": "calls", "type": "f64", "spec": "ij,jk->ik", "sizes": "i2 j2 k2"}
    arrays = [np.eye(2), np.eye(2)]
    everyday_peers.contenders()[name](case, case["spec"], arrays)()


def least(readings, clock):
    """The least of readings, without those of a processor's clock that stood still: on a
    virtual machine that others use, some are far below the time that a call takes, or zero."""
    readings = sorted(readings)
    if clock == "processor":
        enough = readings[len(readings) // 2] / 3
        readings = [reading for reading in readings if reading > enough]
    return readings[0] if readings else math.inf


def prepare(case):
    spec, extents = everyday_cases.extents_of(case)
    return spec, extents, everyday_cases.arrays_of(case, spec, extents)


def timed(call, clock=time.perf_counter):
    begin = clock()
    result = call()
    return clock() - begin, result


def refer(case, folder):
    """Stores the reference of a case."""
    import numpy as np
    spec, extents, arrays = prepare(case)
    elapsed, expected = timed(lambda: everyday_cases.reference(case, spec, extents, arrays))
    np.save(os.path.join(folder, f"{case['number']}.npy"), expected)
    return {"seconds": elapsed}


def first(case, folder, name, clock):
    """The first call of a contender, and its error."""
    import numpy as np
    spec, extents, arrays = prepare(case)
    try:
        call = everyday_peers.contenders()[name](case, spec, arrays)
        elapsed, result = timed(call, everyday_peers.clock_of(name, clock))
    except Exception as error:  # pylint: disable=broad-except
        # Whatever a library raises for what it does not take.
        return {"refused": f"{type(error).__name__}: {str(error)[:120]}"}
    expected = np.load(os.path.join(folder, f"{case['number']}.npy"))
    error = everyday_cases.error_of(everyday_peers.as_array(result, case), expected, case)
    wrong = not error <= everyday_cases.largest_error(case, spec, extents)
    return {"first": elapsed, "error": error if error < math.inf else 1e300, "wrong": wrong}


def warm(case, names, seconds, clock):
    """The least time of each contender from its third call on, of calls in turns."""
    spec, _, arrays = prepare(case)
    calls, clocks, repeats, best, readings = {}, {}, {}, {}, {}
    for name in names:
        calls[name] = everyday_peers.contenders()[name](case, spec, arrays)
        clocks[name] = everyday_peers.clock_of(name, clock)
        calls[name]()
        # The second call says how many are a turn.
        elapsed, _ = timed(calls[name], clocks[name])
        repeats[name] = max(1, int(TURN / (elapsed + 1e-9)))
        best[name], readings[name] = math.inf, []
    spent, turns, end = 0.0, 0, time.perf_counter() + 5 * seconds
    while turns < 3 or spent < seconds and time.perf_counter() < end:
        for name, call in calls.items():
            # Those far behind take no more than a few turns.
            if turns >= 3 and best[name] > 20 * max(1e-7, min(best.values())):
                continue
            watch = clocks[name]
            begin = watch()
            for _ in range(repeats[name]):
                call()
            elapsed = watch() - begin
            spent += elapsed
            readings[name].append(elapsed / repeats[name])
            best[name] = min(best[name], readings[name][-1])
        turns += 1
    return {name: least(each, clock) for name, each in readings.items()}


def work(task):
    """Works through the cases of a task, and writes a line for each."""
    if task["what"] == "first":
        warm_up(task["contender"])
    elif task["what"] == "warm":
        for name in everyday_peers.contenders():
            try:
                warm_up(name)
            except ImportError:
                pass
    print("{}", flush=True)
    for case in task["cases"]:
        if task["what"] == "reference":
            found = refer(case, task["folder"])
        elif task["what"] == "first":
            found = first(case, task["folder"], task["contender"], task["clock"])
        else:
            found = warm(case, case["contenders"], task["seconds"], task["clock"])
        print(json.dumps(found), flush=True)


class Process:
    """A process that works through cases, and lines of it with a limit of time."""

    def __init__(self, task, folder):
        environment = dict(os.environ, **fairness.ONE_THREAD,
                           TC_CACHE=os.path.join(folder, CACHE))
        self.errors = tempfile.TemporaryFile(mode="w+")
        self.process = subprocess.Popen(
            [sys.executable, os.path.abspath(__file__)], stdin=subprocess.PIPE, text=True,
            stdout=subprocess.PIPE, stderr=self.errors, env=environment)
        self.process.stdin.write(json.dumps(task))
        self.process.stdin.close()
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            if line.startswith("{"):
                self.lines.put(json.loads(line))
        self.lines.put(None)

    def next(self, limit):
        """The next case's findings, or text that says why there are none."""
        try:
            found = self.lines.get(timeout=limit)
        except queue.Empty:
            self.end()
            return "too slow"
        if found is None:
            status = self.process.wait()
            self.errors.seek(0)
            text = self.errors.read().strip().splitlines()
            return f"died ({status}): {text[-1][:120] if text else ''}"
        return found

    def end(self):
        self.process.kill()
        self.process.wait()
        self.errors.close()


def through(cases, task, folder, limit):
    """Yields each case with its findings; a process that dies is followed by another one."""
    place = 0
    while place < len(cases):
        process = Process({**task, "folder": folder, "cases": cases[place:]}, folder)
        # It says when it has loaded what it needs.
        ready = process.next(START_LIMIT)
        while place < len(cases):
            found = ready if isinstance(ready, str) else process.next(limit)
            yield cases[place], found
            place += 1
            if isinstance(found, str) and found != ready:
                break
        process.end()


def first_calls(cases, task, folder):
    """Yields each case with its findings of the first call, in the median of several processes."""
    times = {}
    for _ in range(PROCESSES):
        # Code that one has made is not there for the next one.
        shutil.rmtree(os.path.join(folder, CACHE), ignore_errors=True)
        for case, found in first_calls_once(cases, task, folder):
            times.setdefault(case["number"], []).append(found)
    for case in cases:
        found = times[case["number"]]
        # Whatever is wrong in one of them is so.
        failed = [each for each in found
                  if isinstance(each, str) or "first" not in each or each["wrong"]]
        by_time = failed or sorted(found, key=lambda each: each["first"])
        yield case, by_time[0 if failed else len(found) // 2]


def first_calls_once(cases, task, folder):
    """Yields each case with its findings of the first call in one process, the same product of other
    types from another one, as some libraries remember its order."""
    rounds, seen = [], {}
    for case in cases:
        product = json.dumps([case.get(key) for key in ("spec", "sizes", "make", "arguments")])
        turn = seen[product] = seen.get(product, -1) + 1
        if turn == len(rounds):
            rounds.append([])
        rounds[turn].append(case)
    for chosen in rounds:
        yield from through(chosen, task, folder, FIRST_LIMIT)


def measure(cases, seconds, clock, names=None, report=print, draft=lambda: None):
    """The cases with their times: `peers` has for each contender the findings."""
    with tempfile.TemporaryDirectory() as folder:
        for number, case in enumerate(cases):
            case["number"], case["peers"] = number, {}
        for case, found in through(cases, {"what": "reference"}, folder, 120):
            if isinstance(found, str):
                raise RuntimeError(f"{case['name']}: no reference: {found}")
        for name in names or everyday_peers.contenders():
            began = time.perf_counter()
            task = {"what": "first", "contender": name, "clock": clock}
            for case, found in first_calls(cases, task, folder):
                case["peers"][name] = {"refused": found} if isinstance(found, str) else found
            report(f"first calls of {name}: {time.perf_counter() - began:.0f} s")
        for case in cases:
            case["contenders"] = [
                name for name, found in case["peers"].items()
                if "first" in found and not found["wrong"] and found["first"] < FIRST_LIMIT / 2]
        warm_all(cases, seconds, clock, folder, report, draft)
    return cases


def warm_all(cases, seconds, clock, folder, report, draft=lambda: None):
    """Warm calls of the contenders that each case names; less than before counts."""
    runnable = [case for case in cases if case["contenders"]]
    slim = [{key: value for key, value in case.items() if key != "peers"} for case in runnable]
    task = {"what": "warm", "seconds": seconds, "clock": clock}
    limit = 60 + 20 * seconds
    for number, (_, found) in enumerate(through(slim, task, folder, limit)):
        case = runnable[number]
        if isinstance(found, str):
            report(f"{case['name']}: {found}")
            continue
        for name, least in found.items():
            case["peers"][name]["warm"] = min(least, case["peers"][name].get("warm", math.inf))
        if number % 20 == 19:
            draft()
    draft()


def again(cases, seconds, clock, report=print):
    """Measures tc and the two best peers once more where tc is behind, as a machine that does
    other things meanwhile makes some cases look so."""
    with tempfile.TemporaryDirectory() as folder:
        late = [case for case in cases if everyday_page.is_behind(case, "warm", 1.1)]
        for case in late:
            others = everyday_page.rivals(case, "warm")
            case["contenders"] = ["tc", *sorted(others, key=others.get)[:2]]
        report(f"warm calls again: {len(late)}")
        warm_all(late, seconds, clock, folder, report)
        late = [case for case in cases if everyday_page.is_behind(case, "first", 1.1)]
        report(f"first calls again: {len(late)}")
        best = {case["number"]: everyday_page.compare(case, "first")[1] for case in late}
        for case, found in through(late, {"what": "reference"}, folder, 120):
            if isinstance(found, str):
                raise RuntimeError(f"{case['name']}: no reference: {found}")
        for name in ["tc", *dict.fromkeys(best.values())]:
            chosen = [case for case in late if name in ("tc", best[case["number"]])]
            task = {"what": "first", "contender": name, "clock": clock}
            for case, found in first_calls(chosen, task, folder):
                if "first" in found:
                    kept = case["peers"][name]
                    kept["first"] = min(kept["first"], found["first"])
    return cases


if __name__ == "__main__":
    work(json.load(sys.stdin))
