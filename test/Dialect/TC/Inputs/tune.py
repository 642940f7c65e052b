#!/usr/bin/env python3
"""tune.py LIBTC DATABASE TARGET SPEC SHAPES NUMBER [SCHEDULE]

Lists candidates for a contraction of f32 (tcCandidatesFind), records that the one of
that number was measured to be fast (tcTuningMerge), and prints its schedule. With a
schedule, that is recorded in its place."""

import ctypes
import json
import sys


class Tensor(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("rank", ctypes.c_int32),
                ("extents", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64))]


def check(lib, error):
    if error:
        lib.tcErrorGetMessage.restype = ctypes.c_char_p
        sys.exit(lib.tcErrorGetMessage(ctypes.c_void_p(error)).decode())


def main():
    path, database, target, spec, shapes, number, *given = sys.argv[1:]
    lib = ctypes.CDLL(path)
    for function in (lib.tcOptionsCreate, lib.tcOptionsSet, lib.tcCandidatesFind,
                     lib.tcTuningMerge):
        function.restype = ctypes.c_void_p
    inputs, output = spec.split("->")
    lists = [[int(n) for n in shape.split("x")] for shape in shapes.split(",")]
    extents = {}
    for labels, shape in zip(inputs.split(","), lists):
        extents.update(zip(labels, shape))
    lists.append([extents[label] for label in output])
    float32 = 2
    tensors = (Tensor * 3)(*(
        Tensor(float32, len(shape), (ctypes.c_int64 * len(shape))(*shape), None)
        for shape in lists))
    options = ctypes.c_void_p()
    check(lib, lib.tcOptionsCreate(ctypes.byref(options)))
    for key, value in (("target", target), ("threads", "1")):
        check(lib, lib.tcOptionsSet(options, key.encode(), value.encode()))
    buffer = ctypes.create_string_buffer(1 << 22)
    length = ctypes.c_size_t()
    check(lib, lib.tcCandidatesFind(
        spec.encode(), tensors, options, ctypes.c_int64(int(number) + 1), buffer,
        ctypes.c_size_t(len(buffer)), ctypes.byref(length)))
    found = json.loads(buffer.value)
    candidate = found["candidates"][int(number)]
    line = {"key": {name: found[name] for name in ("contraction", "machine", "syntax")},
            "schedule": given[0] if given else candidate["stored"], "seconds": 1e-6,
            "kind": "measured", "date": "2026-11-25T19:30:08Z", "version": "0.1.0",
            "seed": 1, "search": "test"}
    check(lib, lib.tcTuningMerge(database.encode(), json.dumps(line).encode(), None))
    print(candidate["schedule"])


if __name__ == "__main__":
    main()
