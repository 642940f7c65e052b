#!/usr/bin/env python3
"""Random contractions on the CPU and in the simulator, all elements compared
with an interpreter of tc.contract.

The contractions are those of test/Integration/random_contractions.py, each with
operands of its own. Drawn besides are factors that are arguments, auxiliary tensors
and inputs with strides of zero; the GPU, the number of threads, for half of them
a second one, which must leave the same bits, and whether
code for the CPU is made for this machine or for one with caches so small that
there are many blocks. One in ten is a chain of contractions as those of
test/Integration/random_sums.py, which one kernel may add up; and of the others,
where kernels can take their shapes at run time, one in four is compiled for
other ones. Half of the functions and of the indices have names that mean
something to compilers, libraries or assemblers. The same seed draws the same cases, on any machine.
"""

import argparse
import collections
import copy
import datetime
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "Integration"))

# pylint: disable=wrong-import-position
import harness
import names
import random_contractions
import random_sums
import whole_file

CHIPS = ("sm_75", "sm_80", "sm_90")
SUMS, DYNAMIC_SHAPES = 0.1, 0.25
# Names of indices that mean something where code or schedules are written.
LABELS = ("memcpy", "malloc", "exp", "int", "for", "register", "operator",
          "WARP_SZ", "tid", "reg", "add", "bra", "x", "y", "c", "e", "i0", "d0",
          "s0", "inf", "nan", "pi", "max", "m", "n", "k", "A", "B", "C",
          "alpha", "beta", "target", "__nv_exp", "_", "__", "tc_kernels",
          "affine_map", "Z" * 60)


def draw_name(rng):
    return (rng.choice(names.CLASHING) if rng.random() < 0.7
            else names.random_name(rng))


# The share of cases with extreme factors, and the factors, by the type of sums.
SCALED = 0.1
SCALES = {"f64": (1.5e-308, 1.5e-200, 1.5e200), "f32": (1.5e-38, 1.5e-25, 1.5e25)}


class DrawnCase:
    """A contraction, and how it is run."""

    def __init__(self, seed, number, small_cpu, has_libdevice):
        rng = random.Random(f"{seed}/{number}")
        self.contraction = random_contractions.draw(
            rng, fuses=True, broadcasts=True, real_inputs=("B",))
        self.name = f"{seed}-{number}"
        self.options = {"seed": str(rng.randrange(1 << 32)),
                        "chip": rng.choice(CHIPS),
                        "threads": str(rng.randint(1, 8))}
        if rng.random() < 0.5:
            self.options["other-threads"] = str(rng.randint(1, 8))
        if rng.random() < 0.5:
            self.options["cpu-file"] = small_cpu
        self.draw_scale(random.Random(f"{seed}/{number}/scale"))
        self.draw_arguments(rng)
        # Small contractions are left unpacked, unless a strategy is asked for.
        if random.Random(f"{seed}/{number}/strategy").random() < 0.6:
            self.options["strategy"] = "gett"
        self.draw_names(random.Random(f"{seed}/{number}/names"))
        self.module = self.contraction.module()
        self.tuned = None
        if not self.runs_on_gpu(has_libdevice):
            self.options["targets"] = "cpu"
        elif self.may_have_dynamic_shapes() and rng.random() < DYNAMIC_SHAPES:
            self.tuned = self.draw_tuned(rng)

    def draw_names(self, rng):
        """Gives half of the functions and of the indices other names, the latter
        where no schedule has theirs."""
        contraction = self.contraction
        if rng.random() < 0.5:
            contraction.name = draw_name(rng)
        if rng.random() < 0.5 and not contraction.cpu_schedule:
            labels = sorted(contraction.extents)
            contraction.other_labels = dict(
                zip(labels, rng.sample(LABELS, len(labels))))

    def draw_scale(self, rng):
        """Makes results of one case in ten so small or so large that their squares, and
        some of them themselves, are no numbers."""
        contraction = self.contraction
        scalar = contraction.scalar_type()
        if (contraction.semiring is not None or contraction.operations is not None
                or "f" not in scalar or rng.random() > SCALED):
            return
        scale = rng.choice(SCALES["f64" if "f64" in scalar else "f32"])
        contraction.factors["alpha"] = (complex(scale, 0) if "complex" in scalar
                                        else scale)

    def draw_arguments(self, rng):
        """Makes some of the factors arguments."""
        factors = self.contraction.factors
        for name, value in factors.items():
            if value is not None and rng.random() < 0.3:
                self.options[name] = (f"{value.real},{value.imag}"
                                      if isinstance(value, complex)
                                      else str(value))
                factors[name] = "argument"

    def runs_on_gpu(self, has_libdevice):
        """Not where the second input is real beside a complex one, and without
        CUDA's library not where there are functions."""
        is_complex = self.contraction.input_type.startswith("complex")
        if is_complex and "B" in self.contraction.narrow:
            return False
        return has_libdevice or not re.search(r"math\.(?!absf)", self.module)

    def may_have_dynamic_shapes(self):
        """Returns true if kernels can take its shape when they are launched."""
        return not (self.contraction.auxiliaries
                    or self.contraction.input_type.startswith("complex"))

    def draw_tuned(self, rng):
        """The module for other extents and strides."""
        other = copy.deepcopy(self.contraction)
        lists = {tensor: operand.labels
                 for tensor, operand in other.operands.items()}
        other.extents = random_contractions.draw_extents(rng, lists)
        for tensor, labels in lists.items():
            shape = [other.extents[label] for label in labels]
            other.operands[tensor] = random_contractions.Operand(
                labels, shape, *random_contractions.draw_layout(rng, shape))
        return other.module()

    def text(self):
        options = " ".join(f"{key}={value}"
                           for key, value in self.options.items())
        tuned = f"// tuned for\n{self.tuned}" if self.tuned else ""
        return f"// case {self.name}: {options}\n{self.module}{tuned}"

    def kinds(self):
        """The kinds that the case is an example of, as pairs of a heading and a value."""
        contraction = self.contraction
        narrow = "".join(f", {tensor} of {element}" for tensor, element
                         in contraction.narrow.items())
        yield "types", (f"{contraction.input_type} to "
                        f"{contraction.output_type}{narrow}")
        yield "precision", (contraction.precision or "ieee").strip('"')
        yield "semiring", ("user_defined" if contraction.operations
                           else contraction.semiring or "plus_times")
        for region in contraction.fused or ["none"]:
            yield "fused", region
        if contraction.auxiliaries:
            yield "fused", "auxiliaries"
        if contraction.conjugates:
            yield "conjugated", contraction.conjugates
        if contraction.allows_three_products:
            yield "three products", ("on CPUs" if contraction.cpu_schedule
                                     else "allowed")
        yield "targets", self.options.get("targets", "cpu,sim")
        yield "chip", self.options["chip"]
        yield "threads", self.options["threads"]
        yield "bits", ("of two numbers of threads"
                       if "other-threads" in self.options else "of one")
        yield "cpu", "small" if "cpu-file" in self.options else "this machine"
        yield "strategy", self.options.get("strategy", "auto")
        yield "shapes", "at run time" if self.tuned else "known"
        if contraction.name != "contraction":
            yield "names", "of functions"
        if contraction.other_labels:
            yield "names", "of indices"


class DrawnSum(DrawnCase):
    """Contractions that add up, one after the other."""

    def __init__(self, seed, number, small_cpu):
        # pylint: disable=super-init-not-called
        rng = random.Random(f"{seed}/{number}/sum")
        self.drawn = random_sums.Sum(rng, on_tensors=False)
        names_rng = random.Random(f"{seed}/{number}/names")
        if names_rng.random() < 0.5:
            self.drawn.name = draw_name(names_rng)
        self.name = f"{seed}-{number}"
        self.module = self.drawn.module()
        self.tuned = None
        self.options = {"seed": str(rng.randrange(1 << 32)),
                        "chip": self.drawn.chip}
        if rng.random() < 0.5:
            self.options["cpu-file"] = small_cpu
        if "%beta:" in self.module:
            self.options["beta"] = "-0.75" if self.drawn.is_float() else "3"

    def kinds(self):
        yield "sums", f"of {len(self.drawn.terms)} to {self.drawn.output}"
        yield "chip", self.options["chip"]


def draw(seed, number, small_cpu, has_libdevice):
    if random.Random(f"{seed}/{number}/kind").random() < SUMS:
        return DrawnSum(seed, number, small_cpu)
    return DrawnCase(seed, number, small_cpu, has_libdevice)


def commit():
    """The commit that is checked out, or why it is unknown."""
    try:
        return subprocess.run(["git", "-C", HERE, "describe", "--always",
                               "--dirty", "--abbrev=40"], check=True, text=True,
                              capture_output=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError) as error:
        return f"unknown ({error})"


def write_log(path, arguments, cases, output, seconds):
    counts = collections.Counter(kind for case in cases
                                 for kind in case.kinds())
    lines = [f"date: {datetime.date.today().isoformat()}",
             f"commit: {commit()}", f"seed: {arguments.seed}",
             f"cases: {len(cases)}", f"jobs: {arguments.jobs}",
             f"seconds: {seconds:.0f}", ""]
    heading = None
    for (kind, value), count in sorted(counts.items()):
        if kind != heading:
            lines.append(f"{kind}:")
            heading = kind
        lines.append(f"  {count:6}  {value}")
    lines += ["", output.rstrip()]
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with whole_file.writing(path) as file:
        file.write("\n".join(lines) + "\n")


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", help="folder of the built programs",
                        default=os.path.join(harness.ROOT, "build", "bin"))
    parser.add_argument("--seed", type=int, default=20190216)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=2,
                        help="processes that run cases")
    parser.add_argument("--timeout", type=int, default=60,
                        help="seconds that one target may take for a case")
    parser.add_argument("--log", metavar="FILE",
                        help="write what was drawn, and the outcome, here")
    parser.add_argument("--print", action="store_true",
                        help="print the modules and run nothing")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    folder = tempfile.mkdtemp(prefix="tc-differential-")
    small_cpu = harness.Context(arguments.tools, folder,
                                arguments.timeout).small_cpu("small")
    has_libdevice = bool(harness.find_libdevice())
    cases = [draw(arguments.seed, number, small_cpu, has_libdevice)
             for number in range(arguments.count)]
    text = "\n// -----\n".join(case.text() for case in cases)
    if arguments.print:
        sys.stdout.write(text)
        return 0
    print(f"seed {arguments.seed}, {arguments.count} cases", flush=True)
    modules = os.path.join(folder, "modules.mlir")
    with open(modules, "w", encoding="utf-8") as file:
        file.write(text)
    began = time.monotonic()
    with subprocess.Popen(
            [os.path.join(arguments.tools, "tc-differential"), modules,
             f"--jobs={arguments.jobs}", f"--timeout={arguments.timeout}"],
            stdout=subprocess.PIPE, text=True) as process:
        output = ""
        for line in process.stdout:
            print(line, end="", flush=True)
            output += line
    if arguments.log:
        write_log(arguments.log, arguments, cases, output,
                  time.monotonic() - began)
    if process.returncode != 0:
        print(f"the modules are in {modules}")
        return 1
    shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
