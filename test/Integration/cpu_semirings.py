#!/usr/bin/env python3
"""Compiles contractions over all semirings and types, with and without prologues and epilogues, and compares with NumPy.

Each is compiled for a CPU with tiny caches, so that it takes many blocks where
sums may be split, for one thread and for two, whose results have to be the same
to the bit. All values are chosen so that results are exact, but for those of
functions like tanh. Some factors are not a number where products of these are
left out; what C holds is not a number where it is not read.
"""

import ctypes
import json
import math
import multiprocessing
import os
import random
import re
import sys

import harness

SEMIRINGS = ("plus_times", "max_plus", "min_plus", "max_times", "max_min",
             "min_max", "or_and", "xor_and")
TYPES = ("f64", "f32", "f16", "bf16", "i64", "i32", "i8")
SHAPES = ("ab,bc->ac", "ba,bc->ca", "ab,cb->ac", "abc,cd->dba", "acd,dbc->ab",
          "bij,bjk->bik", "ab,bcd->dac", "a,b->ab", "ab,b->a", "a,a->")
EXTENTS = (1, 2, 3, 5, 7, 8, 13, 16, 17, 24, 31, 48)
EPILOGUES = ("leaky", "bias_m", "bias_n", "bias_c", "scale", "residual", "tanh")
# Each case computes in a process of its own, whatever its code does; NumPy, which
# takes longer to load than most to run, is there already.
FORKS = multiprocessing.get_context("forkserver")


def accumulator_of(element_type):
    return {"f16": "f32", "bf16": "f32", "i8": "i32"}.get(element_type,
                                                          element_type)


def is_float(element_type):
    return element_type[0] != "i"


def draw(rng, semiring, element_type, fused):
    """One contraction as a dictionary."""
    shape = rng.choice(SHAPES)
    a, rest = shape.split(",")
    b, c = rest.split("->")
    labels = sorted(set(a + b))
    extents = {label: rng.choice(EXTENTS) for label in labels}
    while math.prod(extents.values()) > 40000:
        extents[rng.choice(labels)] = rng.choice(EXTENTS)
    accumulator = accumulator_of(element_type)
    factors = (None, None, 1, 2, -3)
    drawn = {"a": a, "b": b, "c": c, "extents": extents, "semiring": semiring,
             "type": element_type, "a_type": element_type,
             "b_type": element_type,
             "c_type": rng.choice((element_type, accumulator)),
             "alpha": rng.choice(factors), "beta": rng.choice(factors),
             "constant": rng.random() < 0.5, "prologue_a": "", "prologue_b": "",
             "epilogue": [], "seed": rng.randrange(1 << 30),
             "strategy": rng.choice(("gett", "gett", "loop_over_gemm", "ttgt",
                                    "direct", "direct"))}
    if not fused:
        return drawn
    if rng.random() < 0.7:
        drawn["prologue_a"] = "leaky"
        # The least of the types that the prologue makes factors of.
        drawn["a_type"] = rng.choice((element_type, "i8"))
    if rng.random() < 0.5:
        drawn["prologue_b"] = "leaky" if is_float(element_type) else "divide"
    drawn["epilogue"] = [kind for kind in EPILOGUES if rng.random() < 0.4]
    if not is_float(accumulator) and "tanh" in drawn["epilogue"]:
        drawn["epilogue"].remove("tanh")
    if drawn["epilogue"] and drawn["strategy"] == "ttgt":
        drawn["strategy"] = "gett"
    return drawn


#===-----------------------------------------------------------------------===#
# In MLIR
#===-----------------------------------------------------------------------===#

class Region:
    """The text of a region."""

    def __init__(self):
        self.lines = []

    def add(self, text):
        name = f"%v{len(self.lines)}"
        self.lines.append(f"      {name} = {text}")
        return name

    def constant(self, value, element_type):
        text = f"{float(value)}" if is_float(element_type) else f"{value}"
        return self.add(f"arith.constant {text} : {element_type}")

    def binary(self, operation, x, y, element_type):
        suffix = "f" if is_float(element_type) else "i"
        return self.add(f"arith.{operation}{suffix} {x}, {y} : {element_type}")

    def convert(self, value, source, target):
        if source == target:
            return value
        wide = {"f64": 64, "f32": 32, "f16": 16, "bf16": 16, "i64": 64,
                "i32": 32, "i8": 8}
        if is_float(source) != is_float(target):
            operation = "sitofp"
        else:
            kinds = ("extf", "truncf") if is_float(source) else ("extsi",
                                                                 "trunci")
            operation = kinds[wide[source] > wide[target]]
        return self.add(f"arith.{operation} {value} : {source} to {target}")

    def leaky(self, value, element_type):
        """x, or a quarter of it where it is negative; minus x of integers."""
        zero = self.constant(0, element_type)
        if is_float(element_type):
            slope = self.constant(0.25, element_type)
            other = self.binary("mul", value, slope, element_type)
            above = self.add(f"arith.cmpf ogt, {value}, {zero} : "
                             f"{element_type}")
        else:
            other = self.binary("sub", zero, value, element_type)
            above = self.add(f"arith.cmpi sgt, {value}, {zero} : "
                             f"{element_type}")
        return self.add(f"arith.select {above}, {value}, {other} : "
                        f"{element_type}")


def memref(labels, case, element_type):
    extents = "".join(f"{case['extents'][label]}x" for label in labels)
    return f"memref<{extents}{element_type}>"


def bracketed(labels):
    return "[" + ", ".join(labels) + "]"


def prologue(case, tensor):
    kind = case[f"prologue_{tensor}"]
    if not kind:
        return ""
    region = Region()
    source = case[f"{tensor}_type"]
    value = region.convert("%x", source, case["type"])
    if kind == "leaky":
        value = region.leaky(value, case["type"])
    else:
        value = region.add(f"arith.divsi {region.constant(60, case['type'])}, "
                           f"{value} : {case['type']}")
    body = "\n".join(region.lines)
    return (f"    prologue_{tensor} {{\n    ^bb0(%x: {source}):\n{body}\n"
            f"      tc.yield {value} : {case['type']}\n    }}\n")


def auxiliaries_of(case):
    """Labels of the epilogue's operands, by kind."""
    only = {"bias_m": [l for l in case["c"] if l not in case["b"]],
            "bias_n": [l for l in case["c"] if l not in case["a"]],
            "bias_c": list(reversed(case["c"])), "scale": []}
    return {kind: only[kind] for kind in case["epilogue"] if kind in only}


def epilogue(case):
    if not case["epilogue"]:
        return "", ""
    accumulator = accumulator_of(case["type"])
    region, value, auxiliaries = Region(), "%sum", auxiliaries_of(case)
    for kind in case["epilogue"]:
        if kind == "leaky":
            value = region.leaky(value, accumulator)
        elif kind == "tanh":
            value = region.add(f"math.tanh {value} : {accumulator}")
        elif kind == "residual":
            old = region.convert("%old", case["c_type"], accumulator)
            value = region.binary("add", value, old, accumulator)
        else:
            value = region.binary("mul" if kind == "scale" else "add", value,
                                  f"%from_{kind}", accumulator)
    value = region.convert(value, accumulator, case["c_type"])
    arguments = "".join(f", %from_{kind}: {accumulator}" for kind in auxiliaries)
    body = "\n".join(region.lines)
    text = (f"    epilogue {{\n    ^bb0(%sum: {accumulator}, "
            f"%old: {case['c_type']}{arguments}):\n{body}\n"
            f"      tc.yield {value} : {case['c_type']}\n    }}\n")
    listed = ", ".join(
        f"%{kind} {bracketed(labels)} : {memref(labels, case, accumulator)}"
        for kind, labels in auxiliaries.items())
    return f"    auxiliaries({listed})\n" if auxiliaries else "", text


def module(case):
    accumulator = accumulator_of(case["type"])
    types = {name: memref(case[name], case, case[f"{name}_type"])
             for name in "abc"}
    parameters = [f"%{name}: {types[name]}" for name in "abc"]
    factors, constants = "", ""
    for name in ("alpha", "beta"):
        if case[name] is None:
            continue
        factors += f"    {name}(%{name} : {accumulator})\n"
        value = float(case[name]) if is_float(accumulator) else case[name]
        if case["constant"]:
            constants += (f"  %{name} = arith.constant {value} : "
                          f"{accumulator}\n")
        else:
            parameters.append(f"%{name}: {accumulator}")
    for kind, labels in auxiliaries_of(case).items():
        parameters.append(f"%{kind}: {memref(labels, case, accumulator)}")
    auxiliaries, mapped = epilogue(case)
    return (f"func.func @f({', '.join(parameters)}) {{\n{constants}"
            f"  tc.contract {bracketed(case['a'])}, {bracketed(case['b'])} -> "
            f"{bracketed(case['c'])}\n"
            f"    ins(%a, %b : {types['a']}, {types['b']})\n"
            f"    outs(%c : {types['c']})\n{factors}"
            f"    semiring = {case['semiring']}\n{auxiliaries}"
            f"{prologue(case, 'a')}{prologue(case, 'b')}{mapped}"
            "  return\n}\n")


#===-----------------------------------------------------------------------===#
# In NumPy
#===-----------------------------------------------------------------------===#

def compute(case, libraries):
    """Calls each library's function, and compares."""
    import numpy as np
    np.seterr(all="ignore")
    rng = np.random.default_rng(case["seed"])
    accumulator = accumulator_of(case["type"])

    def dtype(element_type):
        if element_type == "bf16":
            return np.dtype(np.uint16)
        return np.dtype(f"{element_type[0]}{int(element_type[1:]) // 8}")

    def widen(array, element_type):
        """As numbers that NumPy computes with."""
        if element_type != "bf16":
            return array
        return (array.astype(np.uint32) << 16).view(np.float32)

    def narrow(array, element_type):
        if element_type != "bf16":
            return array.astype(dtype(element_type))
        bits = array.astype(np.float32).view(np.uint32)
        rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16
        return np.where(np.isnan(array), 0x7fc0, rounded).astype(np.uint16)

    def fill(labels, element_type, nans=0.0):
        shape = [case["extents"][label] for label in labels]
        if is_float(element_type):
            values = rng.integers(-4, 5, shape).astype(
                np.float64 if element_type == "f64" else np.float32)
            values = np.asarray(values)
            values[rng.random(shape) < nans] = np.nan
            return narrow(values, element_type)
        info = np.iinfo(dtype(element_type))
        wide = rng.random() < 0.5
        values = rng.integers(info.min if wide else -9,
                              info.max if wide else 9, shape,
                              dtype=np.int64, endpoint=True)
        return np.asarray(np.where(values == 0, 1, values).astype(
            dtype(element_type)))

    def leaky(x):
        if x.dtype.kind == "f":
            return np.where(x > 0, x, x * x.dtype.type(0.25))
        return np.where(x > 0, x, -x)

    idempotent = case["semiring"] not in ("plus_times", "or_and", "xor_and")
    nans = 0.05 if idempotent else 0.0
    tensors = {name: fill(case[name], case[f"{name}_type"], nans)
               for name in "ab"}
    reads = case["beta"] is not None or "residual" in case["epilogue"]
    c = fill(case["c"], case["c_type"], 0.0 if reads else 1.0)
    auxiliaries = {kind: fill(labels, accumulator)
             for kind, labels in auxiliaries_of(case).items()}

    labels = case["c"] + "".join(sorted(
        set(case["a"] + case["b"]) - set(case["c"])))

    def spread(array, own, all_labels):
        order = sorted(range(len(own)), key=lambda i: all_labels.index(own[i]))
        shape = [case["extents"][l] if l in own else 1 for l in all_labels]
        return np.transpose(array, order).reshape(shape)

    wide = dtype(accumulator)

    def factor(name):
        values = widen(tensors[name], case[f"{name}_type"])
        kind = case[f"prologue_{name}"]
        if kind:
            values = widen(narrow(values, case["type"]), case["type"])
        if kind == "leaky":
            values = widen(narrow(leaky(values), case["type"]), case["type"])
        elif kind == "divide":
            # Towards zero.
            quotient = 60 // np.abs(values.astype(object))
            values = np.where(values < 0, -quotient, quotient).astype(
                values.dtype)
        return values.astype(wide)

    maximum = np.fmax if is_float(accumulator) else np.maximum
    minimum = np.fmin if is_float(accumulator) else np.minimum
    combine, multiply = {
        "plus_times": (np.add, np.multiply),
        "max_plus": (maximum, np.add), "min_plus": (minimum, np.add),
        "max_times": (maximum, np.multiply), "max_min": (maximum, minimum),
        "min_max": (minimum, maximum),
        "or_and": (np.bitwise_or, np.bitwise_and),
        "xor_and": (np.bitwise_xor, np.bitwise_and)}[case["semiring"]]
    if combine in (np.add, np.bitwise_or, np.bitwise_xor):
        zero = wide.type(0)
    elif is_float(accumulator):
        zero = wide.type(-np.inf if combine is maximum else np.inf)
    else:
        info = np.iinfo(wide)
        zero = wide.type(info.min if combine is maximum else info.max)
    products = np.broadcast_to(
        multiply(spread(factor("a"), case["a"], labels),
                 spread(factor("b"), case["b"], labels)),
        [case["extents"][label] for label in labels])
    result = combine.reduce(products, axis=tuple(
        range(len(case["c"]), len(labels))), initial=zero, dtype=wide)
    result = np.asarray(result)
    old = widen(c, case["c_type"]).astype(wide)
    if case["alpha"] is not None:
        result = multiply(wide.type(case["alpha"]), result)
    if case["beta"] is not None:
        result = combine(multiply(wide.type(case["beta"]), old), result)
    for kind in case["epilogue"]:
        if kind == "leaky":
            result = leaky(result)
        elif kind == "tanh":
            result = np.tanh(result)
        elif kind == "residual":
            result = result + old
        else:
            side = spread(auxiliaries[kind], auxiliaries_of(case)[kind], case["c"])
            result = result * side if kind == "scale" else result + side
    expected = widen(narrow(np.asarray(result), case["c_type"]),
                     case["c_type"])

    scalar = {"f32": ctypes.c_float, "f64": ctypes.c_double,
              "i32": ctypes.c_int32, "i64": ctypes.c_int64}[accumulator]
    before = None
    for library in libraries:
        computed = c.copy()
        arguments = [ctypes.c_void_p(array.ctypes.data)
                     for array in (tensors["a"], tensors["b"], computed)]
        if not case["constant"]:
            arguments += [scalar(case[name]) for name in ("alpha", "beta")
                          if case[name] is not None]
        arguments += [ctypes.c_void_p(side.ctypes.data)
                      for side in auxiliaries.values()]
        ctypes.CDLL(library).f_contraction(*arguments)
        if before is not None and before.tobytes() != computed.tobytes():
            sys.exit("two threads make other bits than one")
        before = computed
        shown = widen(computed, case["c_type"])
        if "tanh" in case["epilogue"]:
            # Later operations may cancel digits of tanh's result.
            precision = {"f64": 1e-13, "f32": 1e-5, "f16": 4e-3,
                         "bf16": 4e-2}[case["c_type"]]
            good = np.isclose(shown, expected, rtol=precision,
                              atol=precision, equal_nan=True)
        else:
            good = (shown == expected) | ((shown != shown) &
                                          (expected != expected))
        if not good.all():
            place = tuple(int(i) for i in np.argwhere(~good)[0])
            sys.exit(f"{(~good).sum()} of {good.size} elements are wrong, "
                     f"first at {place}: {shown[place]}, not "
                     f"{expected[place]}")


#===-----------------------------------------------------------------------===#
# Cases
#===-----------------------------------------------------------------------===#

def direct_with_two_threads(text, extents):
    """The same of loops without panels, all of which over C count."""
    def labels(pattern):
        match = re.search(pattern, text)
        return re.findall(r"\w+", match.group(1)) if match else []

    rows, columns = map(int, labels(r"register = \[([^]]*)\]"))
    tiles = {**dict.fromkeys(labels(r", columns = (\w+)"), columns),
             **dict.fromkeys(labels(r"vector = (\w+)"), rows)}
    of_output = labels(r"-> \[([^]]*)\]")
    trips = math.prod(math.ceil(extents[label] / tiles.get(label, 1))
                      for label in labels(r"loops = \[([^]]*)\]")
                      if label in of_output)
    if trips == 1:
        return None
    return re.sub(r"lanes = (\d+)", r"lanes = \1, threads = [batch: 2]", text,
                  count=1)


def with_two_threads(text, extents):
    """The module with its schedule shared out in two ways, or nothing if there
    is but one block."""
    if "strategy = direct" in text:
        return direct_with_two_threads(text, extents)
    for role in "mn":
        match = re.search(rf"\b{role} = \[([^]]*)\]", text)
        tiles = re.findall(r"(\w+): (\d+)", match.group(1)) if match else []
        trips = math.prod(math.ceil(extents.get(label, 1) / int(tile))
                          for label, tile in tiles)
        if trips > 1:
            return re.sub(r"store = (\w+)", rf"store = \1, threads = "
                          rf"[{role}: 2]", text, count=1)
    return None


def case_of(name, case, compiler):
    def run(context):
        folder = os.path.join(context.folder, name)
        os.makedirs(folder, exist_ok=True)
        source = context.write(f"{name}/module.mlir", module(case))
        cpu = context.small_cpu(f"{name}/cpu")
        def schedule(strategy):
            return context.call(
                [context.tool("tc-opt"), "--tc-tile-cpu="
                 f"target-file={cpu} strategy={strategy}", source])

        strategy = case["strategy"]
        # It would apply a prologue again and again.
        if strategy == "direct" and "prologue" in module(case):
            strategy = "gett"
        try:
            scheduled = schedule(strategy)
        except harness.Failure as failure:
            # Not all contractions have slices that are matrices.
            if not re.search("strategy (loop_over_gemm|direct): "
                             ".*(stride one|batch|slice|loops over K)",
                             str(failure)):
                raise
            scheduled = schedule("gett")
        texts = [scheduled]
        if threaded := with_two_threads(scheduled, case["extents"]):
            texts.append(threaded)
        libraries = []
        for threads, text in enumerate(texts, 1):
            path = f"{folder}/threads-{threads}"
            context.write(f"{name}/threads-{threads}.mlir", text)
            context.call([context.tool("tc-opt"), "--tc-cpu-pipeline=outline",
                          path + ".mlir", "-o", path + "-lowered.mlir"])
            context.call([context.tool("tc-translate"), "--tc-to-object",
                          path + "-lowered.mlir", "-o", path + ".o"])
            context.call([*compiler, "-shared", path + ".o", "-o", path + ".so",
                          "-L/usr/lib/llvm-22/lib",
                          "-Wl,-rpath,/usr/lib/llvm-22/lib",
                          *(["-l:libomp.so.5"] if threads > 1 else []), "-lm"])
            libraries.append(path + ".so")
        described = context.write(f"{name}/case.json", json.dumps(case))
        computed = FORKS.Process(target=compute, args=(case, libraries))
        computed.start()
        computed.join(context.timeout)
        if computed.exitcode != 0:
            computed.kill()
            # Once more, as a command that can be repeated.
            context.call([sys.executable, os.path.abspath(__file__),
                          "--compute", described, *libraries])
            raise harness.Failure("it failed, but not once more")
        return {"threaded": len(texts) - 1}

    return harness.Case(name, run)


def main():
    if "--compute" in sys.argv:
        place = sys.argv.index("--compute")
        with open(sys.argv[place + 1], encoding="utf-8") as file:
            compute(json.load(file), sys.argv[place + 2:])
        return 0
    parser = harness.parser(__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1,
                        help="contractions of each semiring and type, and as "
                        "many with prologues and epilogues")
    arguments = parser.parse_args()
    compiler = harness.find_c_compiler()
    if compiler is None:
        sys.exit("no C compiler: clang-22, clang or cc")
    try:
        import numpy  # noqa: F401
    except ImportError:
        sys.exit("needs NumPy")
    FORKS.set_forkserver_preload(["__main__", "numpy"])
    cases = []
    for semiring in SEMIRINGS:
        for element_type in TYPES:
            if semiring.endswith("_and") and is_float(element_type):
                continue
            for number in range(arguments.count):
                for fused in (False, True):
                    name = (f"{semiring}-{element_type}-"
                            f"{'fused' if fused else 'plain'}-{number}")
                    rng = random.Random(f"{arguments.seed}/{name}")
                    cases.append(case_of(
                        name, draw(rng, semiring, element_type, fused),
                        compiler))
    return harness.main(cases, arguments)


if __name__ == "__main__":
    sys.exit(main())
