"""jaxcourse.devices: the right devices, in time, or one sentence that says what to do."""

import pytest
from jax.sharding import AxisType

from jaxcourse import DeviceError, make_mesh, use_devices
from processes import run_python


def test_it_simulates_what_is_asked_for_and_says_so():
    done = run_python("""
        import jaxcourse
        devices = jaxcourse.use_devices(3)
        print(len(devices), {d.platform for d in devices})
    """)
    assert done.returncode == 0, done.stderr
    line, counted = done.stdout.splitlines()
    assert line.startswith("3 devices: simulated on the CPU (JAX ")
    assert counted == "3 {'cpu'}"


def test_asking_again_is_harmless():
    done = run_python("""
        import jaxcourse
        jaxcourse.use_devices(2)
        import jax.numpy as jnp; jnp.zeros(1)
        print(len(jaxcourse.use_devices(2)), len(jaxcourse.use_devices(1)))
    """)
    assert done.stdout.splitlines()[-1] == "2 1", done.stderr


def test_too_late_is_one_sentence_that_says_what_to_do():
    done = run_python("""
        import jax.numpy as jnp, jaxcourse
        jnp.zeros(1)
        try:
            jaxcourse.use_devices(8)
        except jaxcourse.DeviceError as e:
            print(e)
    """)
    assert done.stdout.strip() == (
        "This notebook asked for 8 devices but JAX runs with 1 (JAX had already started): "
        "restart the kernel and run the first cell before any other."
    )


def test_the_older_flag_counts_too():
    done = run_python(
        "import jax, jaxcourse; jax.devices(); print(len(jaxcourse.use_devices(4)))",
        XLA_FLAGS="--xla_force_host_platform_device_count=4",
    )
    assert done.stdout.splitlines()[-1] == "4", done.stderr


def test_a_missing_jax_is_one_sentence():
    done = run_python("""
        import sys; sys.modules["jax"] = None
        import jaxcourse
        try:
            jaxcourse.use_devices(1)
        except jaxcourse.DeviceError as e:
            print(e)
    """)
    assert done.stdout.strip() == "JAX is not installed here: run `pip install jax`, then restart the kernel."


def test_a_long_unblocked_loop_of_collectives_does_not_abort():
    # Without the protection JAX 0.10 aborts this loop on two cores ten times out of ten.
    done = run_python("""
        import jaxcourse
        devices = jaxcourse.use_devices(8)
        import jax, jax.numpy as jnp
        from jax.sharding import NamedSharding, PartitionSpec as P
        mesh = jaxcourse.make_mesh((8,), ("d",))
        x = jax.device_put(jnp.arange(64.0).reshape(8, 8), NamedSharding(mesh, P("d", None)))
        w = jax.device_put(jnp.ones(8), NamedSharding(mesh, P()))
        step = jax.jit(lambda w, x: w - 1e-6 * jax.grad(lambda w: ((x @ w) ** 2).mean())(w))
        for _ in range(3000):
            w = step(w, x)
        print(bool(jnp.isfinite(w).all()))
    """)
    assert done.returncode == 0, done.stderr[-500:]
    assert done.stdout.splitlines()[-1] == "True"


@pytest.mark.parametrize("n", [0, -1, 2.0, "8"])
def test_a_number_of_devices_that_is_none(n):
    with pytest.raises(DeviceError, match="whole number of devices"):
        use_devices(n)


def test_a_mesh_says_its_axis_types():
    use_devices(8)
    mesh = make_mesh((4, 2), ("x", "y"))
    assert mesh.axis_types == (AxisType.Auto, AxisType.Auto)
    assert dict(mesh.shape) == {"x": 4, "y": 2}
    assert make_mesh((2,), ("x",), axis_types=AxisType.Explicit).axis_types == (AxisType.Explicit,)


def test_a_mesh_that_cannot_be():
    use_devices(8)
    with pytest.raises(DeviceError, match="needs 16 devices, but there are 8"):
        make_mesh((4, 4), ("x", "y"))
    with pytest.raises(DeviceError, match=r"2 sizes .* but 1 names"):
        make_mesh((4, 2), ("x",))
