"""What the book needs installed, and how to get what is missing."""

import importlib.metadata
import importlib.util

from jaxcourse.errors import UserError

# name -> (what it is for, the command that installs it)
PACKAGES = {
    "jax": ("every lesson", "pip install jax"),
    "jaxlib": ("every lesson", "pip install jax"),
    "numpy": ("every lesson", "pip install numpy"),
    "matplotlib": ("the figures", "pip install matplotlib"),
    "ipykernel": ("running lessons in Jupyter", "pip install ipykernel"),
    "numba": ("the lesson on compilers", "pip install numba"),
    "torch": ("the comparisons with PyTorch", "pip install torch"),
}


class MissingPackageError(UserError):
    """A lesson needs a package that is not installed."""


def version(name: str) -> str | None:
    """The installed version of a package, or None. Imports nothing."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def require(*names: str) -> None:
    """Stop with one sentence when a package that the lesson needs is not installed.

    Raises:
        MissingPackageError: naming the package and the command that installs it.
    """
    for name in names:
        if importlib.util.find_spec(name) is None:
            purpose, command = PACKAGES.get(name, ("this lesson", f"pip install {name}"))
            raise MissingPackageError(
                f"{name} is missing, which is needed for {purpose}: run `{command}`, then restart the kernel."
            )
