"""The line of facts under a lesson's title, made from the `jaxcourse:` part of its front matter."""

import json
from collections.abc import Iterator
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from jaxcourse.publishing import addresses, notebooks

_NAMES = {"torch": "PyTorch", "flax": "Flax", "keras": "Keras", "numba": "Numba", "optax": "Optax"}


def facts(front_matter: dict[str, Any]) -> list[str]:
    """What a reader wants to know first: minutes, devices, and packages beyond JAX.

    `front_matter` is the mapping under `jaxcourse:`; each part of it may be absent.
    """
    return list(_facts(front_matter))


def _facts(front_matter: dict[str, Any]) -> Iterator[str]:
    if minutes := front_matter.get("minutes"):
        yield f"{minutes} minutes"
    if devices := front_matter.get("devices"):
        yield "1 device" if devices == 1 else f"{devices} devices, real or simulated"
    if packages := front_matter.get("needs"):
        yield "with " + ", ".join(_NAMES.get(package, package) for package in packages)


def show(app: Sphinx, doctree: nodes.document) -> None:
    """Put the line under the title of a page that has such front matter (Sphinx: `doctree-read`)."""
    source = app.env.metadata[app.env.docname].get("jaxcourse")
    title = next(iter(doctree.findall(nodes.title)), None)
    if source is None or title is None:
        return
    line = nodes.bullet_list(classes=["jc-facts"])
    for fact in facts(json.loads(source)):
        line += nodes.list_item("", nodes.paragraph(fact, fact))
    if app.env.docname.split("/")[0] in notebooks.ROOMS:
        link = nodes.reference("", "Open in Colab", refuri=addresses.colab(app.env.docname), internal=False)
        line += nodes.list_item("", nodes.paragraph("", "", link))
    title.parent.insert(title.parent.index(title) + 1, line)
