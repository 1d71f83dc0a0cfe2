"""Helpers of *JAX by Doing*, the executable book on JAX.

What a lesson needs is here by name; the modules say the rest. Importing the package starts no
JAX backend and does not even import JAX: each name is loaded when it is first used.
"""

import importlib

from jaxcourse.errors import UserError as UserError

__version__ = "0.1.0"

_HOME = {
    "use_devices": "devices",
    "make_mesh": "devices",
    "DeviceError": "devices",
    "claim": "claims",
    "measure": "claims",
    "ClaimError": "claims",
    "time_call": "timing",
    "compare": "timing",
    "TraceCounter": "inspecting",
    "jaxpr_ops": "inspecting",
    "hlo_ops": "inspecting",
    "fusions": "inspecting",
    "collectives": "inspecting",
    "use_style": "figures",
    "show_sharding": "sharding_picture",
    "explore": "interactive",
    "check": "checking",
    "require": "packages",
}
_MODULES = sorted({*_HOME.values(), "errors", "questions"})

__all__ = sorted([*_HOME, "UserError"])


def __getattr__(name: str):
    if name in _HOME:
        value = getattr(importlib.import_module(f"jaxcourse.{_HOME[name]}"), name)
        globals()[name] = value
        return value
    if name in _MODULES:
        return importlib.import_module(f"jaxcourse.{name}")
    raise AttributeError(f"module 'jaxcourse' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__, *_MODULES])
