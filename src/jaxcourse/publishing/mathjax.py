"""MathJax served by the site itself, from the files of the PyPI package sphinx-mathjax-offline.

The package's own extension copies 24 MB; a page that shows TeX as HTML needs 2 MB of them.
"""

import shutil
from importlib.util import find_spec
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

SCRIPT = "mathjax/tex-chtml.js"
_NEEDED = ("tex-chtml.js", "output/chtml/fonts", "input/tex/extensions")


def copy(app: Sphinx, exception: Exception | None) -> None:
    """Put MathJax into the built site (Sphinx: `build-finished`).

    Raises ExtensionError when the package is not installed.
    """
    if exception is not None or app.builder.format != "html":
        return
    spec = find_spec("sphinx-mathjax-offline")
    if spec is None or spec.origin is None:
        raise ExtensionError("MathJax is missing: install the package sphinx-mathjax-offline")
    source = Path(spec.origin).parent / "static" / "mathjax"
    target = Path(app.outdir) / "_static" / "mathjax"
    if target.exists():
        return
    for name in _NEEDED:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        if (source / name).is_dir():
            shutil.copytree(source / name, target / name)
        else:
            shutil.copyfile(source / name, target / name)
