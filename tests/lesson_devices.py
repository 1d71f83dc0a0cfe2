"""The devices that lessons run on: what `--device` means, and whether this machine has it."""

import json
import os
import subprocess
import sys
from pathlib import Path

CPU8 = "cpu8"
GPU = "gpu"

_EVERYWHERE = {
    "JAX_DEBUG_KEY_REUSE": "1",
    "MPLBACKEND": "module://matplotlib_inline.backend_inline",
}
_ENVIRONMENT = {
    CPU8: {"JAX_PLATFORMS": "cpu"},
    # JAX says nothing when it knows no CUDA at all and takes the CPU instead, hence describe().
    GPU: {"JAX_PLATFORMS": "cuda,cpu", "XLA_PYTHON_CLIENT_PREALLOCATE": "false"},
}

_PROBE = """
import json, jax
devices = jax.devices("cuda")
found = {"kind": devices[0].device_kind, "platform": devices[0].platform, "count": len(devices)}
print(json.dumps(found))
"""


class NoGpuError(Exception):
    """JAX finds no GPU on this machine; the message says what it answered instead."""


def kernel_environment(device: str) -> dict[str, str]:
    """Return the environment in which a lesson's kernel runs on `device` ("cpu8" or "gpu").

    What this process exports for JAX does not reach it, so lessons print the same for everyone. Flags for
    XLA do reach GPUs, since a machine may need them.
    """
    foreign = ("JAX_", "PJRT_") if device == GPU else ("JAX_", "PJRT_", "XLA_")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
    environment = inherited | _EVERYWHERE | _ENVIRONMENT[device]
    if "PYTHONPATH" in environment:
        # The kernel works in another folder, where a relative path would lead astray.
        places = environment["PYTHONPATH"].split(os.pathsep)
        environment["PYTHONPATH"] = os.pathsep.join(str(Path(place).resolve()) for place in places)
    return environment


def describe(device: str) -> dict[str, str | int]:
    """Return kind, platform and count of what stands behind `device`, as JAX names them.

    Raises NoGpuError when `device` is "gpu" and a fresh Python process finds none.
    """
    if device == CPU8:
        return {"kind": "cpu (8 simulated)", "platform": "cpu", "count": 8}
    try:
        probe = subprocess.run(
            [sys.executable, "-c", _PROBE],
            env=kernel_environment(GPU),
            capture_output=True,
            text=True,
            timeout=120,
        )
    except subprocess.TimeoutExpired as expired:
        raise NoGpuError("it did not answer within 120 seconds") from expired
    if probe.returncode != 0:
        raise NoGpuError((probe.stderr.strip().splitlines() or ["it said nothing"])[-1])
    return json.loads(probe.stdout.splitlines()[-1])
