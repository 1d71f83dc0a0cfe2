"""jaxcourse.inspecting: counts that agree with programs whose content is known."""

import jax
import jax.numpy as jnp
import pytest
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

import jaxcourse
from jaxcourse import TraceCounter, collectives, fusions, hlo_ops, jaxpr_ops
from jaxcourse.inspecting import _opcodes


@pytest.fixture(scope="module")
def mesh():
    jaxcourse.use_devices(8)
    return jaxcourse.make_mesh((8,), ("x",))


def test_traces_are_counted_not_calls():
    @TraceCounter
    def double(x):
        """Twice x."""
        return 2 * x

    assert (double.__name__, double.__doc__) == ("double", "Twice x.")
    jitted = jax.jit(double)
    for _ in range(3):
        jitted(jnp.ones(2))
    assert double.count == 1
    jitted(jnp.ones(3))
    assert double.count == 2


def test_primitives_are_counted_through_inner_programs():
    @jax.jit
    def inner(x):
        return jnp.sin(x) * 2

    ops = jaxpr_ops(lambda x: inner(x) + jax.lax.cond(x.sum() > 0, jnp.sin, jnp.cos, x), jnp.ones(3))
    assert (ops["sin"], ops["cos"], ops["cond"]) == (2, 1, 1)
    assert ops["jit"] == ops["pjit"] == 0


def test_a_chain_of_elementwise_operations_is_one_fusion():
    def chain(x):
        return jnp.tanh(x) * 2 + jnp.sin(x) - x

    x = jnp.ones((64, 64))
    assert fusions(chain, x) == 1
    ops = hlo_ops(chain, x)
    assert (ops["tanh"], ops["sine"], ops["parameter"]) == (1, 1, 0)
    assert fusions(jax.jit(chain), x) == 1


@pytest.mark.parametrize(
    ("spec", "axis", "expected"),
    [
        (P("x", None), 1, {}),
        (P("x", None), 0, {"all-reduce": 1}),
        (P(None, "x"), 1, {"all-reduce": 1}),
        (P(), 0, {}),
    ],
)
def test_collectives_follow_the_sharding(mesh, spec, axis, expected):
    x = jax.device_put(jnp.ones((16, 16)), NamedSharding(mesh, spec))
    assert collectives(lambda a: a.sum(axis=axis), x) == expected


def test_moving_a_cut_is_an_all_to_all(mesh):
    rows, columns = NamedSharding(mesh, P("x", None)), NamedSharding(mesh, P(None, "x"))
    turn = jax.jit(lambda a: a * 2, out_shardings=columns)
    assert collectives(turn, jax.device_put(jnp.ones((16, 16)), rows)) == {"all-to-all": 1}


def test_an_asynchronous_pair_counts_once():
    # As XLA writes it for GPUs.
    hlo = """
  %p = f32[8,128]{1,0} parameter(0)
  %start = (f32[8,128]{1,0}, f32[64,128]{1,0}) all-gather-start(f32[8,128]{1,0} %p), dimensions={0}
  ROOT %done = f32[64,128]{1,0} all-gather-done((f32[8,128]{1,0}, f32[64,128]{1,0}) %start)
"""
    assert list(_opcodes(hlo)) == ["all-gather"]
