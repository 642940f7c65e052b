"""The random drivers of the tests, each with seeds that its tests do not have.

Tests have fixed seeds, so that a run is like the one before. `attack.py
--drivers=N` gives each of these drivers N others and a few cases of each."""

import ast
import dataclasses
import os
import random
import shlex
import subprocess
import sys
from typing import Dict, List

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


@dataclasses.dataclass
class Driver:
    """A command without its seed; `{build}` is the folder of the build."""
    name: str
    command: List[str]
    # Drivers in Python take an option, programs and pytest the environment.
    takes_option: bool = True


# A filter that all cases pass. Drivers with a filter make no demands on a share of their
# cases, which a few cases need not meet.
ALL = "--filter=."


def integration(script, *options, name="", python="{build}/python-venv/bin/python"):
    """A driver of test/Integration, one case at a time."""
    return Driver(name or script.removesuffix(".py"),
                  [python, os.path.join(TESTS, "Integration", script),
                   "--tools={build}/bin", "--jobs=1", *options])


def pytest(name, *arguments):
    return Driver(name, ["{build}/python-venv/bin/python", "-m", "pytest", "-q",
                         "-x", "-p", "no:cacheprovider",
                         *(os.path.join(TESTS, "Python", argument)
                           if argument.endswith(".py") else argument
                           for argument in arguments)], takes_option=False)


def drawn_tests(*files):
    """Those tests of the files of test/Python that the seed has a say in."""
    found = []
    for name in files:
        with open(os.path.join(TESTS, "Python", name), encoding="utf-8") as file:
            text = file.read()
        found += [os.path.join(TESTS, "Python", f"{name}::{node.name}")
                  for node in ast.parse(text).body
                  if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
                  and "SEED" in (ast.get_source_segment(text, node) or "")]
    return found


DRIVERS = (
    integration("random_programs.py", "--count=3", "--checked=3",
                # Without the case "shared", which only many programs pass.
                "--filter=^(numpy|cpu|sim)"),
    integration("random_networks.py", "sim", "--count=2", name="random_networks-sim"),
    integration("random_networks.py", "cpu", "--count=3", name="random_networks-cpu"),
    integration("random_contractions.py", "--count=2", name="random_contractions-sim"),
    integration("random_contractions.py", "--count=2", "--target=cpu",
                name="random_contractions-cpu"),
    integration("random_contractions.py", "--count=2", "--target=cpu",
                "--three-products", name="three_products-cpu"),
    integration("random_sums.py", "--count=2", ALL),
    integration("random_chains.py", "--count=2", ALL),
    integration("random_horizontal_fusion.py", "--count=2", ALL),
    integration("random_attention.py", "--count=2", ALL),
    integration("random_tiled_chains.py", "--count=2", ALL),
    integration("random_shapes.py", "--count=2"),
    integration("shaped_programs.py", "--count=1", "--shapes=4"),
    integration("object_files.py", "--count=2", "--filter=random"),
    integration("object_shapes.py", "--count=1", "--shapes=4"),
    integration("cpu_strategies.py", "--count=1", "--filter=random"),
    integration("cpu_semirings.py", "--count=1", "--filter=^[^-]*-f64-"),
    # Of the drawn cases, the first is the same for all seeds.
    integration("thread_counts.py", "--count=2", "--filter=-01$"),
    integration("packages.py", "--count=20"),
    integration("kernel_cache.py", "--drawn=3", "--filter=drawn"),
    Driver("differential",
           [sys.executable, os.path.join(TESTS, "Differential", "differential.py"),
            "--tools={build}/bin", "--jobs=1", "--count=5"]),
    Driver("unit-contractions",
           ["{build}/test/Unit/TCCpuRuntimeTests",
            "--gtest_filter=CpuRuntime.RandomContractions:CpuCombine.Random"],
           takes_option=False),
    pytest("python-einsum", "test_einsum.py", "-k", "test_random or test_mixed"),
    pytest("python-order", "test_order.py"),
    pytest("python-products", "test_products.py"),
    pytest("python-programs", "test_program.py", "-k", "random"),
    pytest("python-specialize", "test_specialize.py", "-k", "test_products_of_many"),
    pytest("python-slices", "test_slice_plans.py"),
    pytest("python-ranks",
           *drawn_tests("test_distributed.py", "test_program_plans.py", "test_tensors.py",
                        "test_files.py", "test_checkpoint.py", "test_sharding.py")),
    pytest("python-torch", "test_torch_gradients.py", "test_torch_patched.py"),
    pytest("python-jax", "test_jax.py", "test_jax_dtypes.py"),
)


def command_of(driver, build, seed):
    """The command, and additions to its environment."""
    command = [word.replace("{build}", build) for word in driver.command]
    if driver.takes_option:
        return [*command, f"--seed={seed}"], {}
    environment: Dict[str, str] = {"TC_SEED": str(seed)}
    if "pytest" in command:
        environment.update(TC_TOOLS=f"{build}/bin",
                           TC_CACHE=f"{build}/python-cache",
                           TC_FAKE_CUDA=f"{build}/test/fake-cuda")
    else:
        environment["TC_COUNT"] = "5"
    return command, environment


def run_seed(driver, build, seed):
    """Nothing, or the failure and the line for a shell that repeats it."""
    command, environment = command_of(driver, build, seed)
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.STDOUT, errors="replace",
                              stdin=subprocess.DEVNULL, check=False,
                              env={**os.environ, **environment}, cwd=build,
                              timeout=1800)
        said, failed = done.stdout, done.returncode != 0
    except subprocess.TimeoutExpired:
        said, failed = "takes more than half an hour", True
    if not failed:
        return None
    assignments = [f"{name}={shlex.quote(value)}"
                   for name, value in environment.items()]
    line = " ".join([*assignments, shlex.join(command)])
    return "\n".join([f"failed: {line}", *said.splitlines()[-15:]])


def run(driver, build, first_seed, count):
    """Runs a driver with so many seeds that follow from the first: whether any
    failed, and how many did, and each as `run_seed` says."""
    rng = random.Random(f"{driver.name} {first_seed}")
    seeds = [rng.randrange(2, 1 << 31) for _ in range(count)]
    wrong = []
    for seed in seeds:
        if said := run_seed(driver, build, seed):
            print(said, flush=True)
            wrong.append(said)
    return bool(wrong), "\n".join(
        [f"{count} seeds, {len(wrong)} of which failed", *wrong])
