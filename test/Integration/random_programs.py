#!/usr/bin/env python3
"""Draws programs of several statements and compares their results with NumPy's.

Each is written in either notation and imported on tensors or on memrefs. All of
them become one module with their inputs, which the pipeline for CPUs compiles, and
once more the order for a GPU and upstream's own lowering. Numbers are small
integers, so that results are exact in any order. Some programs run in tc-run,
too, which checks each step. The same seed draws the same programs.
"""

import random
import re
import shlex
import sys

import numpy

import harness

TYPES = {"f64": (numpy.float64, "F64"), "f32": (numpy.float32, "F32"),
         "i64": (numpy.int64, "I64"), "i32": (numpy.int32, "I32")}
MOST = 999999  # Numbers are printed with six digits.
LIBRARIES = "/usr/lib/llvm-22"
TO_LLVM = ("-convert-linalg-to-loops", "-expand-strided-metadata", "-lower-affine",
           "-convert-scf-to-cf", "-convert-vector-to-llvm",
           "-finalize-memref-to-llvm", "-convert-func-to-llvm",
           "-convert-math-to-llvm", "-convert-arith-to-llvm",
           "-convert-cf-to-llvm", "-reconcile-unrealized-casts")
LOWERINGS = {
    "cpu": ("-tc-cpu-pipeline",),
    "gpu-order": ("-tc-order=target=sm_90", "-tc-share-contractions",
                  "-convert-tc-to-linalg",
                  "-one-shot-bufferize=bufferize-function-boundaries "
                  "function-boundary-type-conversion=identity-layout-map")}


def multiply(semiring, factors, output, labels):
    """The product of arrays with the labels of their dimensions, summed over what
    the output lacks; by the definition, over all values of all labels."""
    total = None
    for labels_of, array in factors:
        unique = sorted(set(labels_of), key=labels.index)
        diagonal = numpy.einsum(array, [labels.index(x) for x in labels_of],
                                [labels.index(x) for x in unique])
        spread = diagonal.reshape([diagonal.shape[unique.index(x)]
                                   if x in unique else 1 for x in labels])
        if total is None:
            total = spread
        else:
            total = total + spread if semiring else total * spread
    summed = tuple(i for i, x in enumerate(labels) if x not in output)
    # Labels that no factor has have extent one here.
    total = total.min(axis=summed) if semiring else total.sum(axis=summed)
    kept = [x for x in labels if x in output]
    return total.transpose([kept.index(x) for x in output])


class Program:
    """Statements, each with the name and labels of the output, an operator, and
    products of a number and factors."""

    def __init__(self, rng, number):
        self.number = number
        self.rng = rng
        self.extents = {x: rng.choice((1, 2, 2, 2, 3)) for x in "abcdef"}
        self.type = rng.choice(list(TYPES))
        self.semiring = ("min_plus" if self.type == "f64"
                         and rng.random() < 0.3 else None)
        self.shapes, self.defined, self.written = {}, set(), {}
        self.read, self.statements = {}, []
        # A tensor that the next statement should read.
        self.wanted = None
        for _ in range(rng.randint(2, 4)):
            self.statements.append(self.draw())
        self.outputs = self.results()
        if rng.random() < 0.3:
            self.outputs += rng.sample(
                sorted(set(self.written) - set(self.outputs)),
                rng.randint(0, len(self.written) - len(self.outputs)))
        self.is_octopi = (not self.semiring and rng.random() < 0.4
                          and self.outputs == self.results())
        self.is_column_major = not self.is_octopi and rng.random() < 0.3
        self.on_tensors = rng.random() < 0.6

    def results(self):
        return [name for name in self.shapes if name in self.written and
                self.read.get(name, -1) <= self.written[name]]

    def labels_for(self, shape, among, distinct=False):
        """Labels of those extents, or nothing."""
        labels = []
        for extent in shape:
            fitting = [x for x in among if self.extents[x] == extent
                       and not (distinct and x in labels)]
            if not fitting:
                return None
            labels.append(self.rng.choice(fitting))
        return labels

    def new_tensor(self, labels, prefix):
        name = prefix + str(len(self.shapes))
        self.shapes[name] = tuple(self.extents[x] for x in labels)
        return name, labels

    def draw_factor(self, but):
        known = [name for name in self.shapes if name != but]
        wanted, self.wanted = self.wanted, None
        if known and (wanted or self.rng.random() < 0.6):
            name = wanted if wanted in known else self.rng.choice(known)
            labels = self.labels_for(self.shapes[name], list(self.extents))
            if labels is not None:
                return name, labels
        return self.new_tensor(
            self.rng.sample(list(self.extents), self.rng.randint(0, 3)), "A")

    def draw_product(self, but):
        count = self.rng.choice((1, 2, 2, 2, 3, 3, 4))
        number = 1 if self.semiring else self.rng.choice((1, 1, 1, 2, -3))
        return number, [self.draw_factor(but) for _ in range(count)]

    def draw(self):
        alone = [s for s in self.statements if s[2] == "=" and len(s[3]) == 1]
        if alone and not self.wanted and self.rng.random() < 0.6:
            return self.repeat(max(alone, key=lambda s: len(s[1])))
        others = sorted(set(self.shapes) - {self.wanted})
        but = self.rng.choice(others) if others else None
        products = [self.draw_product(but)]
        used = sorted({x for _, labels in products[0][1] for x in labels})
        # The tensor that is added to may be there already; then it is no factor.
        labels = (self.labels_for(self.shapes[but], used, distinct=True)
                  if but and self.rng.random() < 0.5 else None)
        if labels is not None:
            name, operator = but, "+="
        else:
            labels = self.rng.sample(used, min(len(used), self.rng.randint(0, 4)))
            name, labels = self.new_tensor(labels, "T")
            operator = "+=" if self.rng.random() < 0.2 else "="
        if self.rng.random() < 0.3:
            number, factors = self.draw_product(name)
            factors.append(self.new_tensor(list(labels), "A"))
            products.append((number, [f for f in factors if f[0] != name]))
        return self.add(name, labels, operator, products)

    def repeat(self, statement):
        """The same product by other names, which can be computed once."""
        _, labels, _, products = statement
        number, factors = products[0]
        used = {x for _, ls in factors for x in ls}
        renaming, free = {}, list(self.extents)
        for label in sorted(used):
            fitting = [x for x in free if self.extents[x] == self.extents[label]]
            renaming[label] = self.rng.choice(fitting)
            free.remove(renaming[label])
        factors = [(name, [renaming[x] for x in ls]) for name, ls in factors]
        self.rng.shuffle(factors)
        labels = [renaming[x] for x in labels if x in used]
        self.rng.shuffle(labels)
        name, labels = self.new_tensor(labels, "T")
        self.wanted = name
        return self.add(name, labels, "=", [(number, factors)])

    def add(self, name, labels, operator, products):
        if operator == "=":
            self.defined.add(name)
        self.written[name] = len(self.statements)
        for _, factors in products:
            for factor, _ in factors:
                self.read[factor] = len(self.statements)
        return name, labels, operator, products

    def arguments(self):
        """The tensors that no statement defines, in the order of the text."""
        order = []
        for name, _, _, products in self.statements:
            order += [name] + [f for _, fs in products for f, _ in fs]
        return [name for name in dict.fromkeys(order)
                if name not in self.defined]

    def ordered_results(self):
        if self.outputs != self.results():
            return self.outputs
        order = []
        for name, _, _, products in self.statements:
            order += [name] + [f for _, fs in products for f, _ in fs]
        return [n for n in dict.fromkeys(order) if n in self.outputs]

    def text(self):
        separator = " " if self.is_octopi else ","
        tensor = lambda name, labels: f"{name}[{separator.join(labels)}]"
        used = {x for _, labels, _, products in self.statements
                for x in [*labels, *(x for _, fs in products
                                     for _, ls in fs for x in ls)]}
        lines = [f"{x} = {self.extents[x]}" for x in sorted(used)]
        if self.is_octopi:
            lines = ["define:"] * bool(lines) + lines
        else:
            lines.append(f"layout = {'col' if self.is_column_major else 'row'}")
            if self.outputs != self.results():
                lines.append("output " + ", ".join(self.outputs))
        for name, labels, operator, products in self.statements:
            terms = ""
            for number, factors in products:
                product = (" " if self.is_octopi and self.rng.random() < 0.5
                           else " * ").join(tensor(*f) for f in factors)
                if abs(number) != 1:
                    product = f"{abs(number)} * {product}"
                if self.is_octopi and self.rng.random() < 0.7:
                    summed = sorted({x for _, ls in factors for x in ls}
                                    - set(labels))
                    product = f"Sum([{separator.join(summed)}], {product})"
                sign = "-" if number < 0 else "+"
                terms += f" {sign} {product}" if terms or number < 0 else product
            lines.append(f"{tensor(name, labels)} {operator} {terms}")
        return "\n".join(lines) + "\n"

    def compute(self):
        """Draws inputs; these and the results."""
        values = {}
        for name in self.arguments():
            drawn = [self.rng.randint(-2, 2)
                     for _ in range(int(numpy.prod(self.shapes[name])))]
            values[name] = numpy.array(drawn, TYPES[self.type][0]).reshape(
                self.shapes[name])
        given = dict(values)
        labels = list(self.extents)
        for name, output, operator, products in self.statements:
            total = values[name] if operator == "+=" else None
            for number, factors in products:
                term = number * multiply(
                    self.semiring, [(ls, values[f]) for f, ls in factors],
                    output, labels)
                if total is None:
                    total = term
                else:
                    total = (numpy.minimum(total, term) if self.semiring
                             else total + term)
            values[name] = numpy.asarray(total, TYPES[self.type][0])
        return given, values

    def is_exact(self, values):
        return all(abs(value).max() <= MOST for value in values.values())


def draw(rng, count):
    """Programs whose numbers are small, with their inputs and results."""
    drawn = []
    while len(drawn) < count:
        program = Program(rng, len(drawn))
        given, values = program.compute()
        if program.is_exact(values):
            drawn.append((program, given, values))
    return drawn


#===-----------------------------------------------------------------------===#
# In MLIR
#===-----------------------------------------------------------------------===#

def import_program(context, program):
    """Its function, by a name of its own."""
    kind = "octopi" if program.is_octopi else "tensors"
    path = context.write(f"program{program.number}.{kind}", program.text())
    command = [context.tool("tc-translate"), path, f"--type={program.type}",
               "--import-octopi" if program.is_octopi else "--import-program",
               f"--use-tensors={str(program.on_tensors).lower()}"]
    if program.semiring:
        command.append(f"--semiring={program.semiring}")
    text = context.call(command)
    body = text[text.index("{\n") + 2:text.rindex("}")]
    return path, body.replace("@program(", f"@p{program.number}(")


class Caller:
    """The lines of the function that calls all programs and prints results."""

    def __init__(self):
        self.lines = []
        self.count = 0

    def add(self, text):
        self.count += 1
        self.lines.append(f"  %v{self.count} = {text}")
        return f"%v{self.count}"

    def call(self, program, given):
        shape = lambda name: program.shapes[name][
            ::-1 if program.is_column_major else 1]
        typed = lambda name, kind: "{}<{}{}>".format(
            kind, "".join(f"{extent}x" for extent in shape(name)), program.type)
        kind = "tensor" if program.on_tensors else "memref"
        parameters = program.arguments()
        results = program.ordered_results()
        if not program.on_tensors:
            parameters = parameters + [name for name in results
                                       if name not in parameters]
        values = {}
        for name in parameters:
            tensor = typed(name, "tensor")
            if name in given:
                data = (given[name].T if program.is_column_major
                        else given[name]).tolist()
                values[name] = self.add(f"arith.constant dense<{data}> : {tensor}")
            if program.on_tensors:
                continue
            buffer = self.add(f"memref.alloc() : {typed(name, kind)}")
            if name in given:
                source = self.add(f"bufferization.to_buffer {values[name]} : "
                                  f"{tensor} to {typed(name, kind)}")
                self.lines.append(f"  memref.copy {source}, {buffer} : "
                                  f"{typed(name, kind)} to {typed(name, kind)}")
            values[name] = buffer
        arguments = ", ".join(values[name] for name in parameters)
        types = ", ".join(typed(name, kind) for name in parameters)
        call = f"func.call @p{program.number}({arguments}) : ({types}) -> "
        if program.on_tensors:
            self.count += 1
            of = ", ".join(typed(name, kind) for name in results)
            self.lines.append(f"  %v{self.count}:{len(results)} = {call}({of})")
            called = self.count
            for number, name in enumerate(results):
                values[name] = self.add(
                    f"bufferization.to_buffer %v{called}#{number} : "
                    f"{typed(name, 'tensor')} to {typed(name, 'memref')}")
        else:
            self.lines.append(f"  {call}()")
        for name in results:
            any_rank = self.add(f"memref.cast {values[name]} : "
                                f"{typed(name, 'memref')} to "
                                f"memref<*x{program.type}>")
            self.lines.append(
                f"  func.call @printMemref{TYPES[program.type][1]}({any_rank}) : "
                f"(memref<*x{program.type}>) -> ()")


def make_module(functions, caller):
    printers = "".join(
        f"func.func private @printMemref{suffix}(memref<*x{kind}>) attributes "
        "{llvm.emit_c_interface}\n" for kind, (_, suffix) in TYPES.items())
    return (printers + "".join(functions) + "func.func @main() {\n"
            + "\n".join(caller.lines) + "\n  return\n}\n")


def parse_results(text):
    """The numbers of each printed memref."""
    parts = text.split("Unranked Memref")[1:]
    return [[float(x) for x in re.findall(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?",
                                          part[part.index("data =") + 6:])]
            for part in parts]


def run_all(context, path, lowering):
    tools = LIBRARIES + "/lib/libmlir_{}runner_utils.so"
    lowered = context.call([context.tool("tc-opt"), path, *LOWERINGS[lowering],
                            *TO_LLVM])
    lowered = context.write(f"{lowering}.mlir", lowered)
    return parse_results(context.call(
        [LIBRARIES + "/bin/mlir-runner", lowered, "-e", "main",
         "-entry-point-result=void",
         f"-shared-libs={tools.format('')},{tools.format('c_')}"]))


def numpy_case(drawn, lowering):
    def run(context):
        caller = Caller()
        imported = [import_program(context, program) for program, _, _ in drawn]
        for program, given, _ in drawn:
            caller.call(program, given)
        module = context.write(
            f"programs-{lowering}.in.mlir",
            make_module([text for _, text in imported], caller))
        results = run_all(context, module, lowering)
        position = 0
        for (program, _, values), (path, _) in zip(drawn, imported):
            for name in program.ordered_results():
                value = values[name]
                if program.is_column_major:
                    value = value.T
                if results[position] != [float(x) for x in value.flatten()]:
                    raise harness.Failure(
                        f"{name} of {path} is {results[position]}, not "
                        f"{value.flatten().tolist()}", shlex.quote(module))
                position += 1
        if position != len(results):
            raise harness.Failure(f"{len(results)} results, not {position}")
        return {"programs": len(drawn), "results": position}

    return harness.Case(f"numpy-{lowering}", run)


def sharing_case(drawn):
    """Checks that something is computed once."""
    def run(context):
        functions = [import_program(context, program)[1]
                     for program, _, _ in drawn if program.on_tensors]
        module = context.write("sharing.mlir", "".join(functions))
        before, after = (context.call(
            [context.tool("tc-opt"), module, "-tc-order", *passes]).count(
                "tc.contract") for passes in ((), ("-tc-share-contractions",)))
        if after >= before:
            raise harness.Failure(f"{before} contractions, and {after} shared",
                                  shlex.quote(module))
        return {"before": before, "after": after}

    return harness.Case("shared", run)


def run_case(program, target):
    def run(context):
        kind = "octopi" if program.is_octopi else "tensors"
        path = context.write(f"{target}{program.number}.{kind}", program.text())
        options = ["--check", f"--seed={program.number}",
                   f"--type={program.type}"]
        if program.semiring:
            options.append(f"--semiring={program.semiring}")
        context.compute(target, path, *options)

    return harness.Case(f"{target}-{program.number:03}", run)


def main():
    parser = harness.parser(__doc__)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--checked", type=int, default=6,
                        help="programs that run in tc-run, too")
    parser.add_argument("--seed", type=int, default=20261128)
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}")
    drawn = draw(random.Random(arguments.seed), arguments.count)
    cases = [numpy_case(drawn, lowering) for lowering in LOWERINGS]
    cases.append(sharing_case(drawn))
    cases += [run_case(program, target) for program, _, _ in
              drawn[:arguments.checked] for target in ("cpu", "sim")]
    return harness.main(cases, arguments)


if __name__ == "__main__":
    sys.exit(main())
