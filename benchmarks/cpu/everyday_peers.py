"""Those that compute the calls of everyday.py, each as its documentation has it.

`contenders()[name](case, spec, arrays)` is a function without arguments, or raises `Refused`.
What a program would prepare once, such as tensors that share an array's memory, is prepared;
what an interface keeps between calls, such as a path or an expression, is kept.
"""

import time

import everyday_cases
import numpy as np

PACKAGES = ("numpy", "opt_einsum", "cotengra", "torch", "pytblis", "sesum", "etops", "ml_dtypes")
# Products above which loops over all indices are not waited for.
LOOPS = 3e7


class Refused(Exception):
    """A contender does not take a case."""


def axes_of(spec):
    """Of two operands, the axes that numpy.tensordot sums."""
    (left, right), _ = everyday_cases.terms_of(spec)
    summed = [label for label in left if label in right]
    return [left.index(label) for label in summed], [right.index(label) for label in summed]


def rearranges(spec):
    """True if the result may be a view of the operand."""
    terms, output = everyday_cases.terms_of(spec)
    return len(terms) == 1 and set(terms[0]) == set(output)


def copied(spec, function):
    """A new array in C order where libraries return views, as tc does."""
    if rearranges(spec):
        return lambda: np.array(function(), order="C", copy=True)
    return function


def is_tensordot(case):
    return case.get("call") == "tensordot"


def of_tc(case, spec, arrays):
    import tc
    if is_tensordot(case):
        axes = axes_of(spec)
        return lambda: tc.tensordot(*arrays, axes=axes)
    options = {"threads": 1}
    path = everyday_cases.path_of(case, spec)
    if path:
        options["optimize"] = path
    if "memory_limit" in case:
        options["memory_limit"] = case["memory_limit"]
    return lambda: tc.einsum(spec, *arrays, **options)


def of_numpy(case, spec, arrays, optimize):
    terms, _ = everyday_cases.terms_of(spec)
    if case["type"] == "bf16":
        raise Refused("no einsum of bfloat16")
    if optimize:
        if is_tensordot(case):
            axes = axes_of(spec)
            return lambda: np.tensordot(*arrays, axes=axes)
        path = everyday_cases.path_of(case, spec)
        optimize = path and ["einsum_path", *path] or True
    else:
        if is_tensordot(case):
            raise Refused("the other one is tensordot")
        _, extents = everyday_cases.extents_of(case)
        if len(terms) > 20 or everyday_cases.products_of(extents) > LOOPS:
            raise Refused("loops over all indices")
    return copied(spec, lambda: np.einsum(spec, *arrays, optimize=optimize))


def of_opt_einsum(case, spec, arrays):
    import opt_einsum
    path = everyday_cases.path_of(case, spec)
    options = {"optimize": path} if path else {}
    if "memory_limit" in case:
        options["memory_limit"] = case["memory_limit"] // arrays[0].itemsize
    if case["kind"] == "networks":
        shapes = [array.shape for array in arrays]
        kept = []

        def call():
            if not kept:
                kept.append(opt_einsum.contract_expression(spec, *shapes, **options))
            return kept[0](*arrays)
        return call
    return copied(spec, lambda: opt_einsum.contract(spec, *arrays, **options))


def of_cotengra(case, spec, arrays):
    import cotengra
    path = everyday_cases.path_of(case, spec)
    options = {"optimize": path} if path else {}
    return copied(spec, lambda: cotengra.einsum(spec, *arrays, **options))


def of_torch(case, spec, arrays):
    import torch
    torch.set_num_threads(1)
    if any(stride < 0 for array in arrays for stride in array.strides):
        raise Refused("no negative strides")

    def shared(array):
        if case["type"] == "bf16":
            return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
        return torch.from_numpy(array)

    tensors = [shared(array) for array in arrays]
    if is_tensordot(case):
        axes = axes_of(spec)
        return lambda: torch.tensordot(*tensors, dims=axes)
    if rearranges(spec):
        return lambda: torch.einsum(spec, *tensors).clone(
            memory_format=torch.contiguous_format)
    return lambda: torch.einsum(spec, *tensors)


def of_pytblis(case, spec, arrays):
    import pytblis
    pytblis.set_num_threads(1)
    if is_tensordot(case):
        axes = axes_of(spec)
        return lambda: pytblis.tensordot(*arrays, axes=axes)
    path = everyday_cases.path_of(case, spec)
    options = {"optimize": ["einsum_path", *path]} if path else {}
    return copied(spec, lambda: pytblis.einsum(spec, *arrays, **options))


def of_sesum(case, spec, arrays):
    import sesum.sr
    path = everyday_cases.path_of(case, spec)
    if len(arrays) <= 2 or path:
        return lambda: sesum.sr.sesum(spec, *arrays, path=path)
    kept = []

    def call():
        if not kept:
            kept.append(sesum.sr.compute_path(spec, *arrays, minimize="flops", threads=1,
                                              max_time=1.0)[0])
        return sesum.sr.sesum(spec, *arrays, path=kept[0])
    return call


def memory_of(array):
    """The memory of an array, as one axis of f32: etops 26.2 converts arrays of f64, and its
    kernels of f64 then write beyond the copies."""
    if any(stride <= 0 for stride, extent in zip(array.strides, array.shape) if extent > 1):
        raise Refused("strides above zero only")
    span = 1 + sum((extent - 1) * stride // array.itemsize
                   for extent, stride in zip(array.shape, array.strides))
    flat = np.lib.stride_tricks.as_strided(array, (span,), (array.itemsize,))
    return flat.view(np.float32)


class Operation:
    """One or two terms by an operation of etops, by the strides of the arrays."""

    def __init__(self, terms, output, arrays, extents):
        import etops
        self.shape, self.dtype = [extents[label] for label in output], arrays[0].dtype
        kind = {"float64": etops.float64, "float32": etops.float32}.get(str(self.dtype))
        if kind is None or any(len(set(term)) < len(term) for term in terms):
            raise Refused("f32 and f64 without diagonals only")
        self.swapped = (len(terms) == 2 and bool(output) and output[-1] in terms[1]
                        and output[-1] not in terms[0])
        if self.swapped:
            terms, arrays = terms[::-1], arrays[::-1]
        labels = list(dict.fromkeys("".join(terms)))
        roles = [self.role(label, terms, output, etops) for label in labels]
        out = np.empty(self.shape, self.dtype)
        strides = tuple(
            tuple(array.strides[term.index(label)] // array.itemsize if label in term else 0
                  for label in labels)
            for term, array in zip([*terms, output], [*arrays, out]))
        two = len(terms) == 2
        config = etops.TensorOperationConfig(
            data_type=kind, prim_first=etops.prim.zero if two else etops.prim.none,
            prim_main=etops.prim.gemm if two else etops.prim.copy, prim_last=etops.prim.none,
            dim_types=tuple(roles), exec_types=(etops.exec.seq,) * len(labels),
            dim_sizes=tuple(extents[label] for label in labels), strides=(strides,))
        options = etops.backend.tpp.get_default_optimization_config()
        options["num_threads"] = 1
        try:
            self.operation = etops.TensorOperation(etops.optimize(config, options))
        except RuntimeError as error:
            raise Refused(str(error)) from error

    @staticmethod
    def role(label, terms, output, etops):
        holders = [label in term for term in terms]
        if label in output:
            return (etops.dim.c if all(holders) else
                    etops.dim.m if holders[0] else etops.dim.n)
        if not all(holders) or len(terms) == 1:
            raise Refused("sums of one operand")
        return etops.dim.k

    def __call__(self, memories):
        result = np.empty(self.shape, self.dtype)
        flat = result.reshape(-1).view(np.float32)
        if len(memories) == 1:
            self.operation.execute(memories[0], None, flat)
        else:
            self.operation.execute(*(memories[::-1] if self.swapped else memories), flat)
        return result


def of_etops(case, spec, arrays):
    import opt_einsum
    terms, output = everyday_cases.terms_of(spec)
    extents = {label: extent for term, array in zip(terms, arrays)
               for label, extent in zip(term, array.shape)}
    memories = [memory_of(array) for array in arrays]
    if not output and len(arrays) == 1 or any(not term for term in terms):
        raise Refused("sums of one operand, scalars")
    steps = []

    def prepare():
        path = everyday_cases.path_of(case, spec)
        if len(arrays) <= 2:
            path = [tuple(range(len(arrays)))]
        elif not path:
            path = opt_einsum.contract_path(spec, *arrays)[0]
        left = list(zip(terms, arrays))
        for step in path:
            taken = [left.pop(place) for place in sorted(step, reverse=True)]
            labels = dict.fromkeys("".join(term for term, _ in taken))
            needed = set(output).union(*(term for term, _ in left))
            made = output if not left else "".join(x for x in labels if x in needed)
            if len(taken) > 2:
                raise Refused("pairs only")
            operation = Operation([term for term, _ in taken], made,
                                  [array for _, array in taken], extents)
            steps.append((sorted(step, reverse=True), operation))
            left.append((made, np.empty([extents[label] for label in made], arrays[0].dtype)))

    def call():
        if not steps:
            prepare()
        left, result = list(memories), None
        for places, operation in steps:
            result = operation([left.pop(place) for place in places])
            left.append(result.reshape(-1).view(np.float32))
        return result
    return call


def contenders():
    """By their names, tc first."""
    return {
        "tc": of_tc,
        "numpy": lambda *what: of_numpy(*what, optimize=False),
        "numpy optimize": lambda *what: of_numpy(*what, optimize=True),
        "opt_einsum": of_opt_einsum,
        "cotengra": of_cotengra,
        "torch": of_torch,
        "pytblis": of_pytblis,
        "sesum": of_sesum,
        "etops": of_etops,
    }


def clock_of(name, clock):
    """The wall's clock, or the processor's of the thread that calls, as others use the machine
    meanwhile; sesum computes in a thread of its own."""
    if clock == "wall":
        return time.perf_counter
    return time.process_time if name == "sesum" else time.thread_time


def as_array(result, case):
    """A result of any of them as NumPy's array."""
    if type(result).__module__.startswith("torch"):
        if case["type"] == "bf16":
            return result.float().numpy()
        return result.numpy()
    return np.asarray(result)


def square_products(extent=512):
    """A product of matrices of f64 by each contender that is there, to compare kernels."""
    case = {"kind": "calls", "type": "f64", "spec": "ij,jk->ik",
            "sizes": f"i{extent} j{extent} k{extent}"}
    arrays = [np.random.default_rng(1).random((extent, extent)) for _ in range(2)]
    products = {}
    for name, make in contenders().items():
        try:
            products[name] = make(case, case["spec"], arrays)
            products[name]()
        except (ImportError, Refused):
            products.pop(name, None)
    products.pop("numpy", None)
    return products


