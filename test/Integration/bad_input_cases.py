"""The table of bad inputs: name, command, what the error matches, files."""

import os
import tempfile

EINSUM = {"in.einsum": "ab,bc->ac\n"}
TCCG = {"in.tccg": "C[a,c] = A[a,b] * B[b,c]\na = 2\nb = 3\nc = 4\n"}
COGENT = {"in.cogent": "t3 [a,4,b,4] += sum(c,4) * t2 [a,c] * v2 [c,b];\n"}


def contract(lists="[m, k], [k, n] -> [m, n]", a="4x5xf64", b="5x6xf64",
             c="4x6xf64", attributes=""):
    """A function on memrefs of these shapes."""
    types = [f"memref<{shape}>" for shape in (a, b, c)]
    return {"in.mlir": (
        f"func.func @f(%A: {types[0]}, %B: {types[1]}, %C: {types[2]}) {{\n"
        f"  tc.contract {lists} ins(%A, %B : {types[0]}, {types[1]}) "
        f"outs(%C : {types[2]}) {attributes}\n  return\n}}\n")}


def package(edit_json=None, edit_ptx=None):
    """The files p.json and p.ptx of a good package, of which one is then edited:
    a pair of texts, the second in place of the first."""
    def make(context):
        files = {}
        with tempfile.TemporaryDirectory(dir=context.folder) as folder:
            context.simulate("ab,bc->ac", "--extents=a=4,b=5,c=6",
                             "--save-package=" + os.path.join(folder, "p.json"))
            for name, edit in (("p.json", edit_json), ("p.ptx", edit_ptx)):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    files[name] = file.read()
                if edit:
                    assert edit[0] in files[name], f"{name} has no {edit[0]}"
                    files[name] = files[name].replace(*edit, 1)
        return files

    return make


def schedule(text):
    return "{schedule = #tc.schedule<" + text + ">}"


IMPORT_EINSUM = "tc-translate --import-einsum in.einsum -o out.mlir"
IMPORT_TCCG = "tc-translate --import-tccg in.tccg -o out.mlir"
IMPORT_PROGRAM = "tc-translate --import-program in.tensors -o out.mlir"
IMPORT_OCTOPI = "tc-translate --import-octopi in.octopi -o out.mlir"
IMPORT_COGENT = "tc-translate --import-cogent in.cogent -o out.mlir"
TILE = "tc-opt --tc-tile in.mlir -o out.mlir"
LOWER = "tc-opt --tc-tile --tc-to-gpu in.mlir -o out.mlir"
RUN = "tc-run ab,bc->ac --target=sim --check"

EXTENTS = [
    ("einsum-missing-extent", IMPORT_EINSUM + " --extents=a=2,b=3",
     r"in\.einsum:1:\d+: error: .*'c'", EINSUM),
    ("einsum-unknown-extent", IMPORT_EINSUM + " --extents=a=2,b=3,c=4,z=5",
     r"--extents:1:13: error: .*'z'", EINSUM),
    ("einsum-extent-twice", IMPORT_EINSUM + " --extents=a=2,b=3,c=4,a=5",
     r"--extents:1:13: error: .*'a'", EINSUM),
    ("einsum-negative-extent", IMPORT_EINSUM + " --extents=a=2,b=3,c=-4",
     r"--extents:1:11: error: .*'c'.*-4", EINSUM),
    ("einsum-huge-tensor", IMPORT_EINSUM +
     " --extents=a=4294967296,b=4294967296,c=4",
     r"error: tensor 'A' has 2\^63", EINSUM),
    ("einsum-huge-extent", IMPORT_EINSUM +
     " --extents=a=99999999999999999999,b=3,c=4",
     r"--extents:1:\d+: error: ", EINSUM),
    ("tccg-missing-extent", IMPORT_TCCG, r"in\.tccg:1:\d+: error: .*'c'",
     {"in.tccg": "C[a,c] = A[a,b] * B[b,c]\na = 2\nb = 3\n"}),
    ("tccg-mismatched-extent", IMPORT_TCCG, r"in\.tccg:5:\d+: error: .*'a'",
     {"in.tccg": TCCG["in.tccg"] + "a = 3\n"}),
    ("cogent-missing-extent", IMPORT_COGENT, r"in\.cogent:1:\d+: error: .*'b'",
     {"in.cogent": "t3 [a,4,b] += sum(c,4) * t2 [a,c] * v2 [c,b];\n"}),
    ("cogent-mismatched-extent", IMPORT_COGENT,
     r"in\.cogent:1:\d+: error: .*'a'",
     {"in.cogent": "t3 [a,4,b,4] += sum(c,4) * t2 [a,5,c] * v2 [c,b];\n"}),
    ("program-missing-extent", IMPORT_PROGRAM,
     r"in\.tensors:2:3: error: .*'b'", {"in.tensors": "a = 2\nC[b] = A[b,a]\n"}),
    ("program-mismatched-extent", IMPORT_PROGRAM,
     r"in\.tensors:3:9: error: index 'b' of 'C'.*'a' .* line 2 has 2",
     {"in.tensors": "a = 2, b = 3\nC[a] = A[a,b]\nD[] = C[b]\n"}),
    ("program-extent-twice", IMPORT_PROGRAM,
     r"in\.tensors:1:8: error: .*'a'", {"in.tensors": "a = 2, a = 3\n"}),
    ("program-unknown-and-known", IMPORT_PROGRAM,
     r"in\.tensors:3:9: error: the extent of index 'b' of 'C' is known, but not"
     r" that of 'a' .* line 2",
     {"in.tensors": "a = ?2, b = 2\nC[a] = A[a,b]\nD[] = C[b]\n"}),
    ("program-representative-zero", IMPORT_PROGRAM,
     r"in\.tensors:1:5: error: representative extent of 'a' must be 1",
     {"in.tensors": "a = ?0\nC[a] = A[a]\n"}),
    ("octopi-missing-extent", IMPORT_OCTOPI, r"in\.octopi:1:3: error: .*'a'",
     {"in.octopi": "C[a] = Sum([b], A[a b])\n"}),
    ("mlir-mismatched-extent", TILE, r"in\.mlir:2:\d+: error: .*k.*",
     contract(b="7x6xf64")),
    ("mlir-dynamic-extent", LOWER, r"in\.mlir:2:\d+: error: ",
     contract(a="?x5xf64", c="?x6xf64")),
    ("mlir-huge-tensor", TILE, r"in\.mlir:2:\d+: error: ",
     contract(a="4294967296x4294967296xf64", b="4294967296x6xf64",
              c="4294967296x6xf64")),
    ("run-missing-extent", RUN + " --extents=a=2,b=3", r"error: .*'c'"),
    ("run-unknown-extent", RUN + " --extents=a=2,b=3,c=4,z=5",
     r"error: .*'z'"),
    ("run-huge-tensor", RUN + " --extents=a=4294967296,b=4294967296,c=4",
     r"error: .*'A'"),
]

LABELS = [
    ("einsum-output-only", IMPORT_EINSUM + " --extents=a=2,b=3,c=4,d=5",
     r"in\.einsum:1:\d+: error: .*'d'", {"in.einsum": "ab,bc->ad\n"}),
    ("tccg-output-only", IMPORT_TCCG, r"in\.tccg:1:\d+: error: .*'d'",
     {"in.tccg": "C[a,d] = A[a,b] * B[b,c]\na=2\nb=3\nc=4\nd=5\n"}),
    ("cogent-output-only", IMPORT_COGENT, r"in\.cogent:1:\d+: error: .*'d'",
     {"in.cogent": "t3 [a,4,d,4] += sum(c,4) * t2 [a,c] * v2 [c];\n"}),
    ("program-output-only", IMPORT_PROGRAM, r"in\.tensors:2:5: error: .*'b'",
     {"in.tensors": "a = 2, b = 3\nC[a,b] = A[a]\n"}),
    ("program-rank", IMPORT_PROGRAM,
     r"in\.tensors:3:7: error: tensor 'C' has 2 indices",
     {"in.tensors": "a = 2, b = 3\nC[a] = A[a,b]\nD[] = C[a,b]\n"}),
    ("program-cycle", IMPORT_PROGRAM,
     r"in\.tensors:2:8: error: tensor 'D' is a factor before line 3",
     {"in.tensors": "a = 2\nC[a] = D[a]\nD[a] = C[a]\n"}),
    ("program-defined-twice", IMPORT_PROGRAM,
     r"in\.tensors:3:1: error: tensor 'C' is defined twice",
     {"in.tensors": "a = 2\nC[a] = D[a]\nC[a] = E[a]\n"}),
    ("octopi-not-summed", IMPORT_OCTOPI, r"in\.octopi:2:20: error: .*'b'",
     {"in.octopi": "dim a b = 2\nC[a] = Sum([], A[a b])\n"}),
    ("mlir-output-only", TILE, r"in\.mlir:2:\d+: error: .*z",
     contract("[m, k], [k, n] -> [m, z]")),
    ("mlir-output-twice", TILE, r"in\.mlir:2:\d+: error: .*m",
     contract("[m, k], [k, n] -> [m, m]", c="4x4xf64")),
    ("mlir-rank", TILE, r"in\.mlir:2:\d+: error: .*rank",
     contract("[m, k, l], [k, n] -> [m, n]")),
    ("run-output-only", "tc-run ab,bc->ad --target=sim --extents=a=2,b=3,c=4",
     r"error: .*'d'"),
]

TYPES = [
    ("import-type", IMPORT_EINSUM + " --extents=a=2,b=3,c=4 --type=f8",
     r"error: unsupported element type 'f8'", EINSUM),
    ("import-precision",
     IMPORT_EINSUM + " --extents=a=2,b=3,c=4 --type=f16 --precision=tf32",
     r"error: precision tf32 applies to f32, but the element type is f16",
     EINSUM),
    ("mlir-type", TILE, r"in\.mlir:2:\d+: error: .*i16",
     contract(a="4x5xi16", b="5x6xi16", c="4x6xi16")),
    ("mlir-mixed-types", TILE, r"in\.mlir:2:\d+: error: .*f32",
     contract(a="4x5xf32")),
    ("run-type", RUN + " --extents=a=2,b=3,c=4 --type=f4",
     r"'f4'"),
    ("run-layout", RUN + " --extents=a=2,b=3,c=4 --layout=diagonal",
     r"'diagonal'"),
]

MALFORMED = [
    ("einsum-malformed", IMPORT_EINSUM, r"in\.einsum:1:\d+: error: ",
     {"in.einsum": "ab,?c->ac\n"}),
    ("einsum-empty", IMPORT_EINSUM, r"in\.einsum:1:\d+: error: ",
     {"in.einsum": ""}),
    ("einsum-three-operands", IMPORT_EINSUM,
     r"in\.einsum:1:12: error: index 'e' is in the output but in no input",
     {"in.einsum": "ab,bc,cd->ae\na=2,b=3,c=4,d=5\n"}),
    ("einsum-no-shapes", IMPORT_EINSUM,
     r"in\.einsum:1:1: error: A has '\.\.\.', .*shapes=",
     {"in.einsum": "...b,bc->...c\nb=2,c=3\n"}),
    ("einsum-shapes", IMPORT_EINSUM + " --shapes=2x3,4x5",
     r"--shapes:1:5: error: index 'b' has extent 3 in dimension 1 of A and 4",
     {"in.einsum": "ab,bc->ac\n"}),
    ("run-shapes", "tc-run ...b,bc->...c --target=cpu --shapes=2x3x",
     r"--shapes:1:1: error: shape '2x3x'"),
    ("run-shapes-tccg", "tc-run ac-ab-bc --target=cpu --shapes=2x3,3x4",
     r"--shapes:1:1: error: shapes are of einsum"),
    ("tccg-malformed", IMPORT_TCCG, r"in\.tccg:1:\d+: error: ",
     {"in.tccg": "C[a,c = A[a,b] * B[b,c]\n"}),
    ("cogent-malformed", IMPORT_COGENT, r"in\.cogent:1:\d+: error: ",
     {"in.cogent": "t3 [a,4,b,4] *= sum(c,4) * t2 [a,c] * v2 [c,b];\n"}),
    ("program-malformed", IMPORT_PROGRAM, r"in\.tensors:1:5: error: ",
     {"in.tensors": "C[a b] = A[a] * B[b]\n"}),
    ("program-empty", IMPORT_PROGRAM, r"in\.tensors:1:1: error: ",
     {"in.tensors": ""}),
    ("program-binary", IMPORT_PROGRAM, r"in\.tensors:1:8: error: .*x07",
     {"in.tensors": "C[a] = \aA[a]\n"}),
    ("program-options", IMPORT_PROGRAM + " --conjugate-a",
     r"in\.tensors:1:1: error: conjugates are of a single contraction",
     {"in.tensors": "a = 2\nC[a] = A[a]\n"}),
    ("octopi-malformed", IMPORT_OCTOPI, r"in\.octopi:1:18: error: ",
     {"in.octopi": "C[a] = Sum([b], A)\n"}),
    ("mlir-malformed", TILE, r"in\.mlir:2:\d+: error: ",
     contract("[m, k] [k, n] -> [m, n]")),
    ("translate-no-file", "tc-translate --import-einsum none.einsum",
     r"none\.einsum"),
    ("opt-no-file", "tc-opt --tc-tile none.mlir", r"none\.mlir"),
    ("run-no-file", "tc-run none.einsum --target=sim", r"none\.einsum"),
    ("run-malformed", "tc-run ab,(c->ac --target=sim --extents=a=2,b=3,c=4",
     r"error: "),
    ("run-program", "tc-run in.tensors --target=cpu",
     r"in\.tensors:2:8: error: the output 'C' is also a factor",
     {"in.tensors": "a = 2\nC[a] = C[a]\n"}),
    ("run-malformed-file", "tc-run in.tccg --target=sim",
     r"in\.tccg:1:\d+: error: ",
     {"in.tccg": "C[a,c = A[a,b] * B[b,c]\n"}),
]

SCHEDULES = [
    ("target-unknown", "tc-opt --tc-tile=target=sm_42 in.mlir -o out.mlir",
     r"error: .*sm_42.*sm_90", contract()),
    ("schedule-malformed", TILE, r"in\.mlir:2:\d+: error: ",
     contract(attributes=schedule('target = "sm_90", m = [m: x]'))),
    ("schedule-incomplete", TILE, r"in\.mlir:2:\d+: error: ",
     contract(attributes=schedule('target = "sm_90", m = [m: 4]'))),
    ("schedule-target", TILE, r"in\.mlir:2:\d+: error: .*sm_42",
     contract(attributes=schedule(
         'target = "sm_42", m = [m: 4], n = [n: 6], k = [k: 5], '
         'register = [1, 1]'))),
    ("schedule-index", TILE, r"in\.mlir:2:\d+: error: .*z",
     contract(attributes=schedule(
         'target = "sm_90", m = [z: 4], n = [n: 6], k = [k: 5], '
         'register = [1, 1]'))),
    ("schedule-register", TILE, r"in\.mlir:2:\d+: error: ",
     contract(attributes=schedule(
         'target = "sm_90", m = [m: 4], n = [n: 6], k = [k: 5], '
         'register = [3, 1]'))),
    ("schedule-run", RUN + " --extents=a=4,b=5,c=6 --schedule='m = [a: 0]'",
     r"error: "),
]

# Of a package, by each program that takes one: whatever is wrong with it is
# found before anything runs, so that no device is needed to see it.
EDITS = [
    ("ptx-version", r"p\.ptx:\d+: .*version 99\.9",
     package(edit_ptx=(".version ", ".version 99.9 // "))),
    ("ptx-malformed", r"p\.ptx:\d+: ",
     package(edit_ptx=("bar.sync", "bar.sunk"))),
    ("ptx-target", r"p\.json: .*target",
     package(edit_json=('"target": "sm_90"', '"target": "sm_80"'))),
    ("package-symbol", r"p\.json: \$\.kernels\[0\]\.symbol: .*other",
     package(edit_json=('"symbol": "tc_contract"', '"symbol": "other"'))),
    ("package-type", r"p\.json: \$\.kernels\[0\]\.arguments\[0\]\.type",
     package(edit_json=('"type": "f64"', '"type": "f65"'))),
    ("package-format", r"p\.json: \$\.format",
     package(edit_json=('"tc-package"', '"parcel"'))),
    ("package-malformed", r"p\.json: ",
     package(edit_json=('"format": "tc-package",', '"format": "tc-package"'))),
    ("package-no-code", r"none\.ptx",
     package(edit_json=('"file": "p.ptx"', '"file": "none.ptx"'))),
    ("package-arguments", r"p\.json: \$\.kernels\[0\]\.",
     package(edit_ptx=("contract_param_2\n)",
                       "contract_param_2,\n\t.param .u64 extra\n)"))),
]
PACKAGES = [(f"{name}-{program}", command, error, files)
            for name, error, files in EDITS
            for program, command in (("run", "tc-run p.json --target=sim"),
                                     ("launch", "tc-launch p.json --validate"))]

CASES = EXTENTS + LABELS + TYPES + MALFORMED + SCHEDULES + PACKAGES
