"""The first cell of every lesson: n devices, real ones where there are n, else simulated.

A simulated device is a part of the CPU that JAX treats as a device of its own. Their number is
fixed when JAX's backend starts, that is at the first array, so a lesson asks for them first.
"""

import math
import os
from collections.abc import Sequence
from typing import Any

from jaxcourse.errors import UserError


class DeviceError(UserError):
    """The devices that were asked for are not to be had in this process."""


_in_use: list = []


def use_devices(n: int) -> list:
    """Give the lesson ``n`` devices and say in one line which they are.

    Takes accelerators where JAX finds ``n`` or more of them, else ``n`` simulated CPU devices,
    and makes the first one the default device when these are not JAX's own first choice.
    Call it before anything else touches JAX; a second call is harmless.

    Args:
        n: how many devices the lesson needs, at least 1.

    Returns:
        ``n`` `jax.Device` objects.

    Raises:
        DeviceError: the backend already runs with fewer devices, or ``n`` is not a positive number.
    """
    if not isinstance(n, int) or n < 1:
        raise DeviceError(f"use_devices takes a whole number of devices, 1 or more, not {n!r}.")
    try:
        import jax
    except ImportError as e:
        raise DeviceError("JAX is not installed here: run `pip install jax`, then restart the kernel.") from e

    too_late = not _request_cpu_devices(n)
    accelerators = [d for d in jax.devices() if d.platform != "cpu"]
    if len(accelerators) >= n:
        chosen = accelerators[:n]
    else:
        chosen = jax.devices("cpu")[:n]
        if len(chosen) < n:
            reason = "JAX had already started" if too_late else "another setting fixed the number"
            raise DeviceError(
                f"This notebook asked for {n} devices but JAX runs with {len(chosen)} ({reason}): "
                "restart the kernel and run the first cell before any other."
            )
        if accelerators:
            jax.config.update("jax_default_device", chosen[0])
    _in_use[:] = chosen
    print(_describe(chosen, accelerators))
    return list(chosen)


def make_mesh(shape: Sequence[int], names: Sequence[str], axis_types=None, devices=None):
    """A `jax.sharding.Mesh` over the devices of `use_devices`, with its axis types said.

    JAX's own default for the axis types changed between versions (Auto up to 0.7, then Explicit),
    so this function never leaves it open.

    Args:
        shape: the number of devices along each axis, e.g. ``(4, 2)``.
        names: the name of each axis, e.g. ``("rows", "columns")``.
        axis_types: a `jax.sharding.AxisType` for all axes or one for each; Auto by default.
        devices: the devices to arrange; by default those of the last `use_devices`.

    Raises:
        DeviceError: shape and names do not match, or there are too few devices.
    """
    import jax
    from jax.sharding import AxisType

    shape, names = tuple(shape), tuple(names)
    if len(shape) != len(names):
        raise DeviceError(
            f"make_mesh got {len(shape)} sizes {shape} but {len(names)} names {names}: give one name a size."
        )
    devices = list(devices if devices is not None else _in_use or jax.devices())
    needed = math.prod(shape)
    if needed > len(devices):
        raise DeviceError(
            f"A mesh of shape {shape} needs {needed} devices, but there are {len(devices)}: "
            f"ask for them in the first cell with use_devices({needed})."
        )
    if axis_types is None or isinstance(axis_types, AxisType):
        axis_types = (axis_types or AxisType.Auto,) * len(shape)
    return jax.make_mesh(shape, names, axis_types=tuple(axis_types), devices=devices[:needed])


def _request_cpu_devices(n: int) -> bool:
    """Ask for ``n`` CPU devices; False when the backend runs already and the request is too late."""
    import jax

    # JAX adds its settings to the class at run time, where type checkers do not see them.
    config: Any = jax.config
    # XLA waits for all participants of a collective, each on its own thread. With fewer threads
    # than devices a long unblocked loop of collectives deadlocks and XLA aborts the process
    # (JAX 0.7 and 0.10); with twice as many it does not.
    os.environ.setdefault("PJRT_NPROC", str(max(2 * n, os.cpu_count() or 1)))
    platforms = config.jax_platforms
    if platforms and "cpu" not in platforms.split(","):
        # JAX_PLATFORMS=cuda alone hides the CPU, whose simulated devices may be needed beside one GPU.
        config.update("jax_platforms", f"{platforms},cpu")
    if config.jax_num_cpu_devices >= n:
        return True
    try:
        # JAX refuses this once a backend runs, which is also the only public way to learn that.
        config.update("jax_num_cpu_devices", n)
    except RuntimeError:
        return False
    return True


def _describe(chosen: list, accelerators: list) -> str:
    import jax

    count = f"{len(chosen)} device{'s' if len(chosen) > 1 else ''}"
    if chosen[0].platform != "cpu":
        return f"{count}: {chosen[0].device_kind} (JAX {jax.__version__})"
    kind = "simulated on the CPU" if len(chosen) > 1 else "the CPU"
    beside = f", beside {len(accelerators)} x {accelerators[0].device_kind}" if accelerators else ""
    return f"{count}: {kind}{beside} (JAX {jax.__version__})"
