"""``jaxcourse doctor``: what this machine has for the lessons, and what is missing."""

import os
import platform
import warnings
from typing import Any

from jaxcourse.packages import PACKAGES, version


def examine() -> dict[str, Any]:
    """Look at Python, the packages and the devices that JAX sees.

    Starts JAX's backend, so it belongs in a process of its own.

    Returns:
        ``python`` (str), ``packages`` (name to version or None), ``devices`` (``platform``, ``kind``,
        ``count`` and ``simulated``, or None) and ``problems`` (one sentence each, with the remedy).
    """
    found = {name: version(name) for name in PACKAGES}
    problems = [
        f"{name} is missing, which is needed for {purpose}: run `{command}`."
        for name, (purpose, command) in PACKAGES.items()
        if found[name] is None
    ]
    devices = None
    if found["jax"] and found["jaxlib"]:
        try:
            devices = _devices()
        except Exception as e:
            # JAX raises RuntimeError, AssertionError and others here; whatever it is, say so.
            wanted = os.environ.get("JAX_PLATFORMS")
            remedy = (
                f"JAX_PLATFORMS is {wanted!r}: unset it, or add `,cpu` to it."
                if wanted
                else "reinstall jax and jaxlib in one command: `pip install -U jax jaxlib`."
            )
            reason = (str(e).strip() or type(e).__name__).splitlines()[0]
            problems.append(f"JAX found no device ({reason}); {remedy}")
    return {"python": platform.python_version(), "packages": found, "devices": devices, "problems": problems}


def report(findings: dict[str, Any]) -> str:
    """The findings of `examine` as lines to read."""
    lines = [f"{'Python':<12}{findings['python']}"]
    lines += [f"{name:<12}{found or 'missing'}" for name, found in findings["packages"].items()]
    devices = findings["devices"]
    if devices:
        simulated = " (simulated)" if devices["simulated"] else ""
        lines.append(
            f"{'devices':<12}{devices['count']} x {devices['kind']}, platform {devices['platform']}{simulated}"
        )
        if devices["platform"] == "cpu" and not devices["simulated"]:
            lines.append(f"{'':<12}lessons that need more ask for simulated devices in their first cell")
    lines += [f"problem: {problem}" for problem in findings["problems"]] or [
        "All that the lessons need is here."
    ]
    return "\n".join(lines)


def _devices() -> dict[str, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import jax

        devices = jax.devices()
    first = devices[0]
    return {
        "platform": first.platform,
        "kind": first.device_kind,
        "count": len(devices),
        # One process sees one CPU; more than one CPU device means that XLA was told to divide it.
        "simulated": first.platform == "cpu" and len(devices) > 1,
    }
