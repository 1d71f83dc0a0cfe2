"""jaxcourse.timing: it waits, keeps the first call apart and says what it saw; no absolute times here."""

import time

import jax
import jax.numpy as jnp
import pytest

from jaxcourse import UserError, compare, time_call
from jaxcourse.timing import Comparison, Timing, _factor, seconds


def test_it_waits_for_the_result():
    # One pass over a large product takes far longer than its dispatch.
    x = jnp.ones((1500, 1500))
    product = jax.jit(lambda a: a @ a @ a @ a)
    jax.block_until_ready(product(x))
    start = time.perf_counter()
    pending = product(x)
    dispatched = time.perf_counter() - start
    jax.block_until_ready(pending)
    assert time_call(product, x, runs=3).median_s > dispatched


def test_the_first_call_is_kept_apart():
    traces = []

    def slow_to_trace(x):
        traces.append(1)
        time.sleep(0.2)
        return x + 1

    timing = time_call(jax.jit(slow_to_trace), jnp.ones(3), runs=5)
    assert len(traces) == 1
    assert timing.first_s >= 0.2 > timing.median_s
    assert timing.compile_s == pytest.approx(timing.first_s - timing.median_s)


def test_candidates_are_timed_in_turn():
    order = []
    compare(
        {
            "a": lambda: order.append("a") or time.sleep(0.003),
            "b": lambda: order.append("b") or time.sleep(0.003),
        },
        runs=4,
    )
    assert "".join(order[-8:]) == "abababab"


def test_the_table_names_the_candidates_and_the_ratio():
    fast, slow = (Timing(n, s, s * 0.9, s * 1.1, 1.0, 5) for n, s in (("fast", 1e-3), ("slow", 4e-3)))
    table = Comparison([slow, fast])
    assert table.speedup("fast") == 4
    assert table.speedup("slow", over="fast") == 0.25
    assert [_factor(ratio) for ratio in (0.04567, 4.0, 99.9, 12345.6)] == ["0.0457", "4", "99.9", "12,346"]
    row = table.data["rows"][1]
    assert (row["name"], row["median_s"], row["first_s"], row["ratio"]) == ("fast", 1e-3, 1.0, 4.0)
    assert row["low_s"] < row["median_s"] < row["high_s"]
    assert "4 ms" in repr(table) and "1 ms" in repr(table)
    assert "<table>" in table.markup
    with pytest.raises(UserError, match="No candidate 'none'"):
        table["none"]


def test_the_chart_has_a_bar_for_each_candidate():
    bars = Comparison([Timing(n, 1e-3, 9e-4, 2e-3, 1.0, 5) for n in ("one", "two", "three")]).plot()
    assert [label.get_text() for label in bars.get_yticklabels()] == ["one", "two", "three"]
    assert "[ms]" in bars.get_xlabel()


def test_what_cannot_be_timed():
    with pytest.raises(UserError, match="no functions"):
        compare({})
    with pytest.raises(UserError, match="at least 2 runs"):
        compare({"a": lambda: 1}, runs=1)


@pytest.mark.parametrize(
    ("value", "text"), [(2.0, "2 s"), (0.0123, "12.3 ms"), (4.5e-5, "45 us"), (3e-9, "3 ns"), (0.0, "0 ns")]
)
def test_seconds_in_words(value, text):
    assert seconds(value) == text
