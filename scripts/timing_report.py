#!/usr/bin/env python3
"""Holds predicted times against measured ones and writes docs/timing-report.md.

"products" compiles our own products in the sizes for which times of cuBLAS were
published, "shapes" CUTLASS kernels of which times and counts of instructions
were, "cogent" the kernels of COGENT's generator, of which --cogent names a
clone (github.com/kimjsung/CGO2019-AE). Published measurements are in
benchmarks/timing/measured.json, each with its source. No device is needed, but
ptxas and nvdisasm, and for the last two nvcc; pip fetches what else they need,
headers of CUTLASS unless --cutlass names them and the assembler of CUDA 12.4,
into a temporary folder. The text between two comments that name a section is
replaced; with all sections and matplotlib a plot is drawn, too.
"""

import argparse
import json
import pathlib
import re
import sys
import tempfile
import zipfile

import timing_cogent
import whole_file
from timing_cogent import run

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "timing-report.md"
PLOT = ROOT / "docs" / "timing-report.svg"
FOLDER = ROOT / "benchmarks" / "timing"
SECTIONS = ["cogent", "shapes", "products"]
CUTLASS = "nvidia-cutlass==4.2.0.0"


def ranks(values):
    order = sorted(range(len(values)), key=lambda i: values[i])
    result = [0] * len(values)
    for rank, i in enumerate(order):
        result[i] = rank
    return result


def rank_correlation(first, second):
    """Spearman's, of values without ties."""
    n = len(first)
    squares = sum((a - b) ** 2 for a, b in zip(ranks(first), ranks(second)))
    return 1 - 6 * squares / (n * (n * n - 1))


def errors_text(predicted, measured):
    errors = [abs(p / m - 1) for p, m in zip(predicted, measured)]
    return (f"mean error {100 * sum(errors) / len(errors):.1f}%, largest "
            f"{100 * max(errors):.1f}%, rank correlation (Spearman) "
            f"{rank_correlation(predicted, measured):.2f}")


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |",
             "| " + " | ".join("---" for _ in head) + " |"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def extents_of(size):
    parts = [int(part) for part in size.split("x")]
    return parts if len(parts) == 3 else parts * 3


def products(build, data, points):
    rows, faster, total = [], [], 0
    for machine in data["machines"]:
        for kind in machine["tflops"]:
            kind_name = kind.get("precision", kind["type"])
            for size, measured in kind["sizes"].items():
                m, n, k = extents_of(size)
                options = [f"--extents=i={m},j={n},k={k}",
                           f"--type={kind['type']}",
                           f"--chip={machine['chip']}", "--time=json"]
                if "precision" in kind:
                    options.append(f"--precision={kind['precision']}")
                out, _ = run([build / "bin/tc-run", "ik,kj->ij", *options])
                time = json.loads(out)["kernels"][0]["time"]
                seconds = time["seconds"] + time["launch_seconds"]
                predicted = 2 * m * n * k / seconds * 1e-12
                total += 1
                where = f"{machine['name']}, {kind_name}, {size}"
                if predicted > measured:
                    faster.append(where)
                points.append(("products", measured, predicted, where))
                rows.append([machine["name"], kind_name, size,
                             f"{measured:.4g}", f"{predicted:.4g}",
                             f"{predicted / measured:.2f}",
                             time["limited_by"]])
                print(where, f"{predicted:.4g} of {measured:.4g}", flush=True)
    text = table(["machine", "type", "size", "cuBLAS measured, TFLOP/s",
                  "ours predicted, TFLOP/s", "predicted / measured",
                  "limited by"], rows)
    text += (f"\n\nFaster than cuBLAS was measured, which no prediction should "
             f"be: {len(faster)} of {total}")
    return text + (": " + "; ".join(faster) + "." if faster else ".")


def find_cutlass(folder):
    run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps",
         "--dest", folder, CUTLASS])
    for wheel in pathlib.Path(folder).glob("nvidia_cutlass*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
    found = list(pathlib.Path(folder).glob("**/include/cutlass/cutlass.h"))
    if not found:
        sys.exit(f"error: {CUTLASS} has no headers")
    return found[0].parent.parent


def compile_cutlass(problem, shape, cutlass, nvdisasm, folder):
    """tc-time's input for one kernel: the listing and the launch."""
    numbers = lambda sizes: ",".join(str(size) for size in sizes)
    macros = {"TILE": numbers(problem["tile"]),
              "WARP": numbers(problem["warp"]),
              "INSTRUCTION": numbers(shape["instruction"]),
              "ARCHITECTURE": shape["architecture"],
              "STAGES": problem["stages"], "BATCH": problem["batch"],
              "SIZE_M": problem["m"], "SIZE_N": problem["n"],
              "SIZE_K": problem["k"]}
    (folder / "macros.h").write_text(
        "".join(f"#define {name} {value}\n" for name, value in macros.items()))
    compiler = ["nvcc", "-std=c++17", "-w", "-arch=sm_90", f"-I{cutlass}",
                "-include", folder / "macros.h", FOLDER / "cutlass_gemm.cu"]
    _, log = run([*compiler, "-cubin", "-Xptxas", "-v", "-o", folder / "k.cubin"])
    run([*compiler, "-o", folder / "launch"])
    listing, _ = run([nvdisasm, "-c", "-hex", folder / "k.cubin"])
    (folder / "k.sass").write_text(listing)
    launch, _ = run([folder / "launch"])
    grid, threads, shared, parameters = launch.split()
    registers = re.search(r"Used (\d+) registers", log).group(1)
    return [folder / "k.sass", f"--grid={grid}", f"--block={threads}",
            f"--shared={shared}", f"--registers={registers}",
            f"--parameters={parameters}", f"--distinct={problem['distinct']}"]


def shapes(build, data, options, points):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        cutlass = options.cutlass or find_cutlass(folder)
        out, _ = run([build / "bin/tc-run", "--target-info=sm_90", "--json"])
        target = json.loads(out)
        target["name"] = "measured"
        target.update(data["machine"])
        (folder / "target.json").write_text(json.dumps(target))
        rows, predicted, measured = [], [], []
        for problem_name, problem in data["problems"].items():
            for shape_name, shape in data["shapes"].items():
                launch = compile_cutlass(problem, shape, cutlass,
                                         options.nvdisasm, folder)
                out, _ = run([build / "bin/tc-time", *launch, "--json",
                              f"--target-file={folder / 'target.json'}"])
                time = json.loads(out)
                known = data["measured"][problem_name][shape_name]
                microseconds = time["seconds"] * 1e6
                error = microseconds / known["microseconds"] - 1
                predicted.append(microseconds)
                measured.append(known["microseconds"])
                points.append(("shapes", known["microseconds"], microseconds,
                               f"{problem_name} {shape_name}"))
                rows.append([problem_name, shape_name,
                             f"{known['microseconds']:.1f}",
                             f"{known['ncu_microseconds']:.1f}",
                             f"{microseconds:.1f}", f"{100 * error:+.1f}%",
                             f"{known['warp_instructions'] / 1e6:.2f}",
                             f"{time['warp_instructions_of_grid'] / 1e6:.2f}",
                             time["limited_by"]])
                print(problem_name, shape_name, f"{microseconds:.1f}",
                      flush=True)
    text = table(["problem", "instruction", "measured (nsys), µs",
                  "measured (ncu), µs", "predicted, µs", "error",
                  "10⁶ instructions, ncu", "10⁶ instructions, predicted",
                  "limited by"], rows)
    return text + ("\n\nAgainst nsys: " + errors_text(predicted, measured) +
                   ".")


def cogent(build, data, options, points):
    """All kernels of which a speed was published."""
    rows, predicted, measured = [], [], []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        tools = timing_cogent.find_tools(folder)
        for number, gflops in data["gflops"].items():
            kernel = timing_cogent.kernel_of(options.cogent / "cogent",
                                             int(number), tools,
                                             folder / number)
            out, _ = run([build / "bin/tc-time", *kernel.options, "--json",
                          f"--target-file={FOLDER / data['target']}"])
            time = json.loads(out)
            speed = 2 * kernel.products / time["seconds"] * 1e-9
            predicted.append(speed)
            measured.append(gflops)
            points.append(("cogent", gflops, speed, number))
            rows.append([number, f"{gflops:.0f}", f"{speed:.0f}",
                         f"{100 * (gflops / speed - 1):+.1f}%",
                         str(time["blocks_per_multiprocessor"]),
                         str(time["kinds_of_blocks"]), time["limited_by"]])
            print("cogent", *rows[-1], flush=True)
    halves = [[i for i, number in enumerate(data["gflops"])
               if int(number) % 2 == odd] for odd in (1, 0)]
    means = [sum(abs(measured[i] / predicted[i] - 1) for i in half) / len(half)
             for half in halves]
    return table(["contraction", "measured, GFLOP/s", "predicted, GFLOP/s",
                  "error of the time", "blocks of a multiprocessor",
                  "kinds of blocks", "limited by"], rows) + (
        "\n\nTimes: " + errors_text([1 / p for p in predicted],
                                    [1 / m for m in measured]) +
        f". Odd numbers: mean error {100 * means[0]:.1f}%; even ones: "
        f"{100 * means[1]:.1f}%.")


def draw(points):
    try:
        import matplotlib  # pylint: disable=import-outside-toplevel
    except ImportError:
        print("no matplotlib: no plot")
        return
    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "timing"
    import matplotlib.pyplot as plt  # pylint: disable=import-outside-toplevel
    sections = (("cogent", "GFLOP/s of COGENT's kernels"),
                ("shapes", "µs of CUTLASS kernels"),
                ("products", "TFLOP/s: cuBLAS, ours"))
    figure, axes = plt.subplots(1, len(sections), squeeze=False,
                                figsize=(4.4 * len(sections), 4.2))
    for axis, (name, title) in zip(axes[0], sections):
        measured = [p[1] for p in points if p[0] == name]
        predicted = [p[2] for p in points if p[0] == name]
        ends = [0.8 * min(measured + predicted), 1.2 * max(measured + predicted)]
        axis.loglog(ends, ends, color="#aab3bf", linewidth=1)
        axis.loglog(measured, predicted, "o", color="#2b6cd4", markersize=5)
        for _, x, y, label in (p for p in points if p[0] == name != "products"):
            axis.annotate(label, (x, y), fontsize=6, xytext=(3, -2),
                          textcoords="offset points")
        axis.set_xlabel("measured by others")
        axis.set_ylabel("predicted")
        axis.set_title(title, fontsize=10)
        axis.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    with whole_file.writing(PLOT, "wb") as file:
        figure.savefig(file, format="svg", metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path, help="the build folder")
    parser.add_argument("--sections", nargs="+", default=SECTIONS,
                        choices=SECTIONS)
    parser.add_argument("--cogent", type=pathlib.Path,
                        help="the clone of COGENT's artifact")
    parser.add_argument("--cutlass", type=pathlib.Path,
                        help="the folder of CUTLASS's headers")
    parser.add_argument("--nvdisasm", default="nvdisasm")
    options = parser.parse_args()
    if "cogent" in options.sections and not options.cogent:
        parser.error("the section \"cogent\" needs --cogent=FOLDER")
    data = json.loads((FOLDER / "measured.json").read_text())
    points, texts = [], {}
    if "products" in options.sections:
        texts["products"] = products(options.build, data["products"], points)
    if "cogent" in options.sections:
        texts["cogent"] = cogent(options.build, data["cogent"], options, points)
    if "shapes" in options.sections:
        texts["shapes"] = shapes(options.build, data["shapes"], options, points)
    page = PAGE.read_text()
    for name, text in texts.items():
        pattern = re.compile(
            f"(<!-- {name}: begin -->\n).*(<!-- {name}: end -->)", re.DOTALL)
        page, count = pattern.subn(lambda m, t=text: f"{m[1]}\n{t}\n\n{m[2]}",
                                   page)
        if count != 1:
            sys.exit(f"error: {PAGE}: has no section '{name}'")
    with whole_file.writing(PAGE) as file:
        file.write(page)
    if len(texts) == len(SECTIONS):
        draw(points)


if __name__ == "__main__":
    main()
