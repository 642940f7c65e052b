#!/usr/bin/env python3
"""Spoils packages in thousands of ways, and lets tc-launch, and of some tc-run,
read them: each is accepted or refused in one line, soon and without a crash."""

import json
import os
import random
import re
import resource
import shutil
import subprocess
import sys

import harness

SPECS = [
    ["ik,kj->ij", "--extents=i=5,k=7,j=9"],
    # Blocks share sums in a workspace.
    ["ik,kj->ij", "--extents=i=12,k=40,j=12",
     "--schedule=target = \"sm_90\", m = [i: 4], n = [j: 4], k = [k: 4], "
     "register = [2, 2], split_k = 3"],
]
# Kernels that a program launches, in slices, with copies of a result.
PROGRAM = """
output U, y, z
i = 12, j = 8, k = 5
U[k] = A[i,j] * B[j,k] * x[i]
y[k] = A[i,j] * B[j,k] * x[i]
z[] += 0.5 * U[k] * y[k]
"""
# Beyond this, something is filled that should not be. Sanitizers reserve more.
MOST_RESIDENT = 1 << 31
SECONDS = 20
# Bytes that no package here has before it is grown.
LARGE = 1 << 24


def is_readable(path):
    """Returns true if reading it ends soon."""
    return (os.path.isfile(path) and not os.path.islink(path)
            and os.path.getsize(path) <= LARGE)


class Package:
    """A copy of a package that is to be spoilt."""

    def __init__(self, folder, original):
        self.folder = folder
        shutil.copytree(original, folder)
        self.json, self.ptx = f"{folder}/p.json", f"{folder}/p.ptx"
        # True if the last change made it one that must not be accepted.
        self.is_wrong = False

    def any(self, generator):
        return generator.choice([self.json, self.ptx])


def change_bytes(package, generator):
    path = package.any(generator)
    with open(path, "rb") as file:
        data = bytearray(file.read())
    for _ in range(generator.randrange(1, 9)):
        place = generator.randrange(len(data))
        data[place] = generator.randrange(256)
    with open(path, "wb") as file:
        file.write(data)


def change_number(package, generator):
    with open(package.json, encoding="utf-8") as file:
        text = file.read()
    places = list(re.finditer(r"(?<=[\s\[])-?\d+(?=[\s,\]])", text))
    place = generator.choice(places)
    number = generator.choice([0, -1, 1, 2, 3, 127, 4096, 9 * 10**9, 2**31,
                               2**31 - 1, 2**62, 2**63 - 1, 2**63, 10**30])
    with open(package.json, "w", encoding="utf-8") as file:
        file.write(text[:place.start()] + str(number) + text[place.end():])


def swap_lines(package, generator):
    path = package.any(generator)
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    first, second = (generator.randrange(len(lines)) for _ in range(2))
    if generator.randrange(3) == 0:
        lines.insert(first, lines[second])
    lines[first], lines[second] = lines[second], lines[first]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))


def truncate(package, generator):
    path = package.any(generator)
    os.truncate(path, generator.randrange(os.path.getsize(path)))


def grow(package, generator):
    os.truncate(package.any(generator), generator.choice([1 << 26, 1 << 34]))


def swap_files(package, generator):
    os.rename(package.json, package.json + ".old")
    os.rename(package.ptx, package.json)
    os.rename(package.json + ".old", package.ptx)


def replace_by_other(package, generator):
    path = package.any(generator)
    os.remove(path)
    kind = generator.randrange(6)
    if kind == 0:
        os.mkfifo(path)
    elif kind == 1:
        os.mkdir(path)
    elif kind > 2:
        os.symlink(generator.choice(
            ["/dev/zero", "/dev/tty", "/etc/passwd", "../../secret.ptx",
             os.path.basename(path), "/proc/self/mem", "."]), path)


def rename_code(package, generator):
    with open(package.json, encoding="utf-8") as file:
        text = file.read()
    name = generator.choice(
        ["", ".", "..", "/dev/zero", "/etc/passwd", "../x/p.ptx", "up/p.ptx",
         "up/up/p.ptx", "p.ptx/", "p.ptx\\u0000", "p.ptx\\u0000/x", "a\\nb",
         "a" * 5000, "p.json"])
    package.is_wrong = "\\u0000" in name or "\\n" in name
    os.symlink("..", f"{package.folder}/up")
    with open(package.json, "w", encoding="utf-8") as file:
        file.write(text.replace('"p.ptx"', f'"{name}"'))


def many(generator):
    """A number that is small, or as large as a file may be."""
    return int(2 ** generator.uniform(0, 18.5))


def blow_up_text(package, generator):
    """Puts something huge where a value or a key is."""
    with open(package.json, encoding="utf-8") as file:
        text = file.read()
    count = many(generator)
    kind = generator.randrange(6)
    if kind == 0:
        new = "".join(f'"k{i}":{i % 10},' for i in range(count))
        pattern = r"(?<={)(?=\s*\")"
    elif kind == 1:
        new = "".join(f'"k{i % generator.randrange(1, 9)}":[],'
                      for i in range(count))
        pattern = r"(?<={)(?=\s*\")"
    elif kind == 2:
        opening, closing = generator.choice(["[]", ('{"a":', "}")])
        new = opening * count + generator.choice(["", "1"]) + closing * count
        pattern = r'(?<=[\s:\[])(-?\d+|"[^"]*")(?=[\s,\]])'
    elif kind == 3:
        piece = generator.choice(["a", "\\n", "\\u0000", "\\ud83d\\ude00", "\u00e9",
                                  "x * ", "(", "aux[i] + ", "/", "../"])
        new = f'"{piece * count}"'
        pattern = r'"[^"]*"'
    elif kind == 4:
        new = generator.choice(["1", "-9", "0.", "1e", "1e-"]) + "9" * count
        pattern = r"(?<=[\s\[])-?\d+(?=[\s,\]])"
    else:
        element = generator.choice(["0", "1", '""', '"i"', "{}", "[]", "null"])
        new = ",".join([element] * count) + ","
        pattern = r"(?<=\[)(?=\s*[^\s\]])"
    place = generator.choice(list(re.finditer(pattern, text)))
    with open(package.json, "w", encoding="utf-8") as file:
        file.write(text[:place.start()] + new + text[place.end():])


def values_in(value, kind):
    """All lists or objects in a document, or all texts of one kind."""
    found = [value] if isinstance(value, kind) else []
    inner = value.values() if isinstance(value, dict) else value
    if isinstance(value, (dict, list)):
        for each in inner:
            found += values_in(each, kind)
    return found


def rename(value, number):
    """A copy, whose names are others if there are any."""
    if not isinstance(value, dict):
        return value
    return {key: f"{each}_{number}" if key in ("entry", "symbol", "name", "index")
            and isinstance(each, str) else each for key, each in value.items()}


def repeat_elements(package, generator):
    """Repeats the elements of a list, under names of their own or not."""
    with open(package.json, encoding="utf-8") as file:
        document = json.load(file)
    chosen = generator.choice([each for each in values_in(document, list) if each])
    renames = generator.randrange(3) > 0
    text = len(json.dumps(chosen))
    count = max(min(many(generator), LARGE // 2 // max(text, 1)), 1)
    chosen[:] = [rename(each, number) if renames else each
                 for number in range(count) for each in chosen]
    with open(package.json, "w", encoding="utf-8") as file:
        json.dump(document, file)


MUTATIONS = [blow_up_text, repeat_elements, change_bytes, change_bytes, change_number, change_number,
             change_number, swap_lines, truncate, grow, swap_files,
             replace_by_other, rename_code]


def judge(command, tool):
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, text=True,
                             errors="replace", stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, preexec_fn=limit)
    try:
        _, told = child.communicate(timeout=3 * SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
        raise harness.Failure("is not done", " ".join(command)) from None
    if child.returncode == 0:
        return True
    if child.returncode != 1 or not told.startswith(f"{tool}: ") \
            or told.count("\n") != 1:
        raise harness.Failure(
            f"exit status {child.returncode}: {told[:500]!r}",
            " ".join(command))
    return False


def case(seed, original, count):
    def run(context):
        generator = random.Random(seed)
        accepted = 0
        for number in range(count):
            package = Package(f"{context.folder}/{seed}-{number}",
                              generator.choice(original))
            for _ in range(generator.choice([1, 1, 1, 2])):
                # Other changes read the files.
                if not all(is_readable(path)
                           for path in (package.json, package.ptx)):
                    break
                package.is_wrong = False
                try:
                    generator.choice(MUTATIONS)(package, generator)
                except (OSError, ValueError, IndexError):
                    pass  # A second change may find nothing left to change.
            taken = judge([context.tool("tc-launch"), "--validate",
                           package.json], "tc-launch")
            if taken and package.is_wrong:
                raise harness.Failure("is accepted", package.json)
            accepted += taken
            if taken or number % 50 == 0:
                judge([context.tool("tc-run"), package.json, "--target=sim",
                       "--time-limit=1", "--workers=1", "--ptxas=0",
                       "--blocks=first"], "tc-run")
            shutil.rmtree(package.folder)
        most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
        if most > MOST_RESIDENT:
            raise harness.Failure(f"{most} bytes were resident")
        return {"accepted": accepted, "count": count}
    return harness.Case(f"seed-{seed}", run)


def main():
    parser = harness.parser(__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1000,
                        help="packages for each of the two seeds")
    arguments = parser.parse_args()
    arguments.keep = arguments.keep or os.path.join(
        os.environ.get("TMPDIR", "/tmp"), f"tc-packages-{os.getpid()}")
    context = harness.Context(arguments.tools, arguments.keep, 120)
    originals = []
    os.makedirs(arguments.keep, exist_ok=True)
    program = [context.write("p.tensors", PROGRAM), "--memory-limit=32"]
    for number, spec in enumerate([*SPECS, program]):
        folder = os.path.join(arguments.keep, f"original-{number}")
        os.makedirs(folder, exist_ok=True)
        context.simulate(*spec, f"--save-package={folder}/p.json")
        originals.append(folder)
    context.write("secret.ptx", "// not to be read\n")
    status = harness.main(
        [case(seed, originals, arguments.count)
         for seed in (arguments.seed, arguments.seed + 1)], arguments,
        lambda outcomes: print(*(f"{o.name}: {o.figures}" for o in outcomes),
                               sep="\n"))
    if status == 0:
        shutil.rmtree(arguments.keep)
    return status


if __name__ == "__main__":
    sys.exit(main())
