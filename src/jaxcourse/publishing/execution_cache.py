"""Where executed notebooks are kept: a folder that changes whenever their outputs might.

jupyter-cache recognises a notebook by its code alone. It would show old outputs after a change of
the helper package, of JAX, or of a setting such as XLA_FLAGS, so those are part of the folder's name.
"""

import hashlib
import os
import platform
import shutil
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import jaxcourse

_PACKAGES = ("jax", "jaxlib", "numpy", "torch", "matplotlib", "ipython", "ipykernel")
_KEPT = 4


def path(build: Path) -> Path:
    """The cache folder for the notebooks as they would run now, inside the book's build folder."""
    return build / "cache" / _key()


def prune(used: Path) -> None:
    """Mark the cache folder as used, and delete all but the most recently used ones beside it."""
    os.utime(used)
    for folder in sorted(used.parent.iterdir(), key=lambda folder: folder.stat().st_mtime)[:-_KEPT]:
        shutil.rmtree(folder)


def _key() -> str:
    digest = hashlib.sha256()
    for part in (*_sources(), *_versions(), *_settings()):
        digest.update(part)
        digest.update(b"\0")
    return digest.hexdigest()[:16]


def _sources() -> Iterator[bytes]:
    """The helper package as the lessons import it; no lesson imports `publishing`."""
    package = Path(jaxcourse.__file__).parent
    for file in sorted(package.rglob("*.py")):
        if package / "publishing" not in file.parents:
            yield file.relative_to(package).as_posix().encode()
            yield file.read_bytes()


def _versions() -> Iterator[bytes]:
    yield platform.python_version().encode()
    for package in _PACKAGES:
        try:
            yield f"{package} {version(package)}".encode()
        except PackageNotFoundError:
            yield f"{package} absent".encode()


def _settings() -> Iterator[bytes]:
    for name, value in sorted(os.environ.items()):
        if name.startswith(("JAX_", "XLA_")):
            yield f"{name}={value}".encode()
