"""What JAX and its compiler did: traces, primitives, fusions, collectives.

A *trace* is one run of your Python function with tracers instead of values. The *jaxpr* is what
the trace recorded. The *HLO* is the program that XLA made of it for one set of devices; its fusions
are groups of operations that became one kernel, its collectives are what the devices say to each other.
"""

import functools
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

# The HLO instructions that move data between devices (openxla.org, "Operation semantics").
COLLECTIVES = (
    "all-reduce",
    "all-gather",
    "reduce-scatter",
    "all-to-all",
    "ragged-all-to-all",
    "collective-permute",
    "collective-broadcast",
)


class TraceCounter:
    """Wrap a function before `jax.jit` to count how often JAX traces it.

    The wrapped function's Python body runs once a trace and never when a compiled program is reused,
    so the count is the number of traces. Called without jit it counts calls.

    Example: ``f = TraceCounter(f)``, then ``g = jax.jit(f)``, some calls of ``g``, and ``f.count``.
    """

    def __init__(self, fn: Callable):
        functools.update_wrapper(self, fn)
        self._fn = fn
        self.count = 0

    def __call__(self, *args, **kwargs):
        self.count += 1
        return self._fn(*args, **kwargs)


def jaxpr_ops(fn: Callable, *args: Any, **kwargs: Any) -> Counter[str]:
    """Count the primitives in the jaxpr of ``fn``, those of inner jaxprs (jit, cond, scan) included.

    Args:
        fn: a function that JAX can trace.
        args, kwargs: example arguments: arrays or `jax.ShapeDtypeStruct`.

    Returns:
        How often each primitive stands in the program text (a loop's body counts once).
    """
    import jax

    counts: Counter[str] = Counter()
    _count_equations(jax.make_jaxpr(fn)(*args, **kwargs).jaxpr, counts)
    return counts


def _count_equations(jaxpr, counts: Counter[str]) -> None:
    for equation in jaxpr.eqns:
        inner = [found for value in equation.params.values() for found in _jaxprs_in(value)]
        # A call such as jit is no work of its own: count what is in it, not the wrapper.
        if not (
            inner
            and equation.primitive.name
            in ("jit", "pjit", "closed_call", "custom_jvp_call", "custom_vjp_call")
        ):
            counts[equation.primitive.name] += 1
        for sub in inner:
            _count_equations(sub, counts)


def _jaxprs_in(value):
    if hasattr(value, "eqns"):
        yield value
    elif hasattr(value, "jaxpr"):
        yield value.jaxpr
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _jaxprs_in(item)


def hlo_text(fn: Callable, *args: Any, **kwargs: Any) -> str:
    """The optimised HLO of ``fn`` compiled for these arguments and where they lie.

    Args:
        fn: a jitted function, or a plain one, which is jitted first.
        args, kwargs: example arguments; their shardings decide the collectives.
    """
    import jax

    jitted = fn if hasattr(fn, "lower") else jax.jit(fn)
    return jitted.lower(*args, **kwargs).compile().as_text()


def hlo_ops(fn: Callable, *args: Any, **kwargs: Any) -> Counter[str]:
    """Count the instructions of the optimised HLO of ``fn``, fused ones included.

    Parameters, constants, tuples and their elements are plumbing and are left out. An asynchronous
    pair such as ``all-reduce-start`` and ``all-reduce-done`` counts once, as ``all-reduce``.
    """
    counts: Counter[str] = Counter()
    for opcode in _opcodes(hlo_text(fn, *args, **kwargs)):
        counts[opcode] += 1
    return counts


def fusions(fn: Callable, *args: Any, **kwargs: Any) -> int:
    """How many fusions, that is kernels made of several operations, the compiled ``fn`` has."""
    return hlo_ops(fn, *args, **kwargs)["fusion"]


def collectives(fn: Callable, *args: Any, **kwargs: Any) -> dict[str, int]:
    """The collectives that the compiler put into ``fn`` for these arguments, by HLO name.

    Returns:
        For example ``{"all-reduce": 1}``; an empty dict when the devices work alone.
    """
    counts = hlo_ops(fn, *args, **kwargs)
    return {name: counts[name] for name in COLLECTIVES if counts[name]}


_PLUMBING = {"parameter", "constant", "tuple", "get-tuple-element", "bitcast"}
# "%name = f32[8,8]{1,0} add(...)": after the equals sign a shape (or a tuple of shapes), then the opcode.
_INSTRUCTION = re.compile(r"^\s*(?:ROOT\s+)?%?[\w.\-]+ = (?:\(.*?\)|\S+) ([a-z][a-z0-9\-]*)\(", re.MULTILINE)


def _opcodes(hlo: str):
    for opcode in _INSTRUCTION.findall(hlo):
        if opcode in _PLUMBING or opcode.endswith("-done"):
            continue
        yield opcode.removesuffix("-start")
