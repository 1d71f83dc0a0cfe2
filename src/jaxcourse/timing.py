"""Honest timing: warm up, wait for the result, take many runs, keep the first call apart.

JAX returns before it has computed, and its first call traces and compiles. A figure that ignores
either says nothing. Every function here waits for the results and reports the first call by itself.
"""

import html
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from jaxcourse.display import Shown
from jaxcourse.errors import UserError

# A single run should last long enough for the clock: shorter calls are timed in batches.
_SHORTEST_RUN_S = 0.002


@dataclass(frozen=True)
class Timing:
    """How long one call takes, in seconds.

    Attributes:
        name: what was timed.
        median_s: the median over the runs, for one call.
        low_s, high_s: the quartiles, which bound the middle half of the runs.
        first_s: the first call, with tracing and compiling in it.
        runs: how many runs were taken after the warm-up.
    """

    name: str
    median_s: float
    low_s: float
    high_s: float
    first_s: float
    runs: int

    @property
    def compile_s(self) -> float:
        """What the first call took beyond a usual one: tracing and compiling, in seconds."""
        return max(0.0, self.first_s - self.median_s)

    def __repr__(self) -> str:
        return (
            f"{self.name}: {seconds(self.median_s)} ({seconds(self.low_s)} to {seconds(self.high_s)}, "
            f"{self.runs} runs), first call {seconds(self.first_s)}"
        )


class Comparison(Shown):
    """Timings of several candidates taken in turn: a table, and a bar chart on request.

    Attributes:
        timings: one `Timing` for each candidate, in the order given; the first is the baseline.
    """

    def __init__(self, timings: list[Timing]):
        self.timings = timings
        rows = [
            {
                "name": t.name,
                "median_s": t.median_s,
                "low_s": t.low_s,
                "high_s": t.high_s,
                "first_s": t.first_s,
                "ratio": self.speedup(t.name),
            }
            for t in timings
        ]
        super().__init__("timing", {"rows": rows}, self._as_text(), self._as_html())

    def __getitem__(self, name: str) -> Timing:
        for timing in self.timings:
            if timing.name == name:
                return timing
        raise UserError(
            f"No candidate {name!r} was timed; there are: {', '.join(t.name for t in self.timings)}."
        )

    def speedup(self, name: str, over: str | None = None) -> float:
        """How many times faster ``name`` is than ``over`` (by default the first candidate), by medians."""
        baseline = self[over] if over is not None else self.timings[0]
        return baseline.median_s / self[name].median_s

    def plot(self, ax=None):
        """Draw the medians as horizontal bars with their quartiles; returns the matplotlib axes."""
        import matplotlib.pyplot as plt

        from jaxcourse.figures import use_style

        use_style()
        if ax is None:
            _, ax = plt.subplots(figsize=(6.4, 0.5 + 0.45 * len(self.timings)))
        factor, unit = _scale(max(t.high_s for t in self.timings))
        medians = [t.median_s * factor for t in self.timings]
        spread = [
            [m - t.low_s * factor for m, t in zip(medians, self.timings, strict=True)],
            [t.high_s * factor - m for m, t in zip(medians, self.timings, strict=True)],
        ]
        names = [t.name for t in self.timings]
        ax.barh(names, medians, xerr=spread, height=0.6, ecolor="#7d838f", capsize=3)
        ax.invert_yaxis()
        ax.set_xlabel(f"time for one call [{unit}], median and quartiles")
        ax.grid(axis="y", visible=False)
        for row, timing in enumerate(self.timings):
            ax.annotate(
                f"{_factor(self.speedup(timing.name))}x",
                (timing.high_s * factor, row),
                xytext=(8, 0),
                textcoords="offset points",
                va="center",
            )
        ax.margins(x=0.15)
        return ax

    def _as_text(self) -> str:
        width = max(len("candidate"), *(len(t.name) for t in self.timings))
        lines = [
            f"{'candidate':<{width}}  {'median':>9}  {'quartiles':>21}  {'first call':>10}  {'times faster':>12}"
        ]
        for t in self.timings:
            spread = f"{seconds(t.low_s)} to {seconds(t.high_s)}"
            ratio = _factor(self.speedup(t.name))
            lines.append(
                f"{t.name:<{width}}  {seconds(t.median_s):>9}  {spread:>21}  {seconds(t.first_s):>10}  {ratio:>12}"
            )
        return "\n".join(lines)

    def _as_html(self) -> str:
        name, figure = (
            'style="text-align:left;padding:.15em .8em"',
            'style="text-align:right;padding:.15em .8em"',
        )
        titles = ("median", "quartiles", "first call", "times faster")
        head = f"<th {name}>candidate</th>" + "".join(f"<th {figure}>{title}</th>" for title in titles)
        body = "".join(
            f"<tr><th {name}>{html.escape(t.name)}</th>"
            f"<td {figure}>{seconds(t.median_s)}</td><td {figure}>{seconds(t.low_s)} to {seconds(t.high_s)}</td>"
            f"<td {figure}>{seconds(t.first_s)}</td><td {figure}>{_factor(self.speedup(t.name))}</td></tr>"
            for t in self.timings
        )
        return (
            '<div class="jc-timing" style="overflow-x:auto;white-space:nowrap"><table>'
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
        )


def time_call(fn: Callable, *args: Any, runs: int = 15, name: str | None = None) -> Timing:
    """Time one function on the given arguments.

    Pass data as arguments: what a jitted function closes over is a constant, and XLA may compute
    the whole result while it compiles.

    Args:
        fn: the function; its result may hold JAX arrays, NumPy arrays or PyTorch tensors.
        args: what to call it with; nothing is donated or changed.
        runs: how many timed runs after the warm-up.
        name: what to call it; the function's name by default.

    Returns:
        The median, the quartiles and the first call.
    """
    name = name or str(getattr(fn, "__name__", "call"))
    return compare({name: lambda: fn(*args)}, runs=runs).timings[0]


def compare(candidates: Mapping[str, Callable], *args: Any, runs: int = 15) -> Comparison:
    """Time several functions on the same arguments, in turn, so that a noisy machine is fair to all.

    Args:
        candidates: the functions by name; the first is the baseline of the ratios.
        args: what each is called with.
        runs: how many timed runs each, after the warm-up.

    Returns:
        A `Comparison`: a table in a notebook, with ``plot()`` for the bars.

    Raises:
        UserError: there is nothing to compare, or fewer than two runs are asked for.
    """
    if not candidates:
        raise UserError("compare was given no functions: pass a dict such as {'loop': f, 'vmap': g}.")
    if runs < 2:
        raise UserError(f"Timing needs at least 2 runs to show a spread, not {runs}.")
    first, batch = {}, {}
    for name, fn in candidates.items():
        first[name] = _run(fn, args, 1)
        once = min(_run(fn, args, 1) for _ in range(2))
        batch[name] = max(1, round(_SHORTEST_RUN_S / max(once, 1e-9)))
    taken: dict[str, list[float]] = {name: [] for name in candidates}
    for _ in range(runs):
        for name, fn in candidates.items():
            taken[name].append(_run(fn, args, batch[name]))
    timings = []
    for name, values in taken.items():
        low, _, high = statistics.quantiles(values, n=4, method="inclusive")
        timings.append(Timing(name, statistics.median(values), low, high, first[name], runs))
    return Comparison(timings)


def seconds(value: float) -> str:
    """A time in seconds as text with a unit that suits it, such as ``'12.3 ms'``."""
    factor, unit = _scale(value)
    return f"{value * factor:.3g} {unit}"


def _factor(ratio: float) -> str:
    """A ratio in three digits, and in whole numbers from a hundred on."""
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.3g}"


def _scale(value: float) -> tuple[float, str]:
    for factor, unit in ((1.0, "s"), (1e3, "ms"), (1e6, "us")):
        if value * factor >= 1:
            return factor, unit
    return 1e9, "ns"


def _run(fn: Callable, args: tuple, calls: int) -> float:
    """Seconds for one call, averaged over ``calls`` of them, each waited for."""
    start = time.perf_counter()
    for _ in range(calls):
        _wait(fn(*args))
    return (time.perf_counter() - start) / calls


def _wait(result: Any) -> None:
    """Wait until the result is there. Looks only at frameworks that are loaded already."""
    jax = sys.modules.get("jax")
    if jax is not None:
        jax.block_until_ready(result)
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available() and torch.cuda.is_initialized():
        torch.cuda.synchronize()
