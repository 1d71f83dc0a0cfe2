"""What surrounds a page: the Colab button, the notebook to download, and the preview's meta tags."""

import html
from pathlib import Path
from typing import Any

import nbformat
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util import logging

from jaxcourse.errors import UserError
from jaxcourse.publishing import addresses, notebooks

_LOGGER = logging.getLogger(__name__)


def configure(app: Sphinx, config: Config) -> None:
    """Give the theme the published addresses (Sphinx: `config-inited`)."""
    config.html_baseurl = addresses.site() + "/"
    config.html_theme_options["repository_url"] = addresses.repository()
    config.html_theme_options["repository_branch"] = "main"


def note_description(app: Sphinx, doctree: nodes.document) -> None:
    """Keep the page's description, from its html_meta, with its metadata (Sphinx: `doctree-read`)."""
    for meta in doctree.findall(nodes.meta):
        if meta.get("name") == "description":
            app.env.metadata[app.env.docname]["description"] = meta["content"]


def add_notebook(
    app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Offer a lesson or an exercise sheet as a notebook, here and in Colab (Sphinx: `html-page-context`).

    It runs before the theme makes its own buttons, of which one offers the page's notebook to download.
    """
    if doctree is None or pagename.split("/")[0] not in notebooks.ROOMS:
        return
    try:
        notebook = notebooks.convert(Path(app.env.doc2path(pagename)), Path(app.srcdir))
    except UserError as error:
        _LOGGER.warning("no notebook for this page: %s", error, location=pagename)
        return
    target = Path(app.outdir) / "_sources" / f"{pagename}.ipynb"
    target.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, target)
    context["ipynb_source"] = f"{pagename}.ipynb"
    context["header_buttons"].append(
        {
            "type": "link",
            "url": addresses.colab(pagename),
            "text": "Colab",
            "icon": "fas fa-rocket",
            "tooltip": "Open this page in Colab",
            "label": "open-in-colab",
        }
    )


def add_preview(
    app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Say title and description to sites that show a preview of a link (Sphinx: `html-page-context`)."""
    description = app.env.metadata.get(pagename, {}).get("description")
    if description is None:
        return
    properties = {
        "og:type": "article",
        "og:site_name": app.config.html_title,
        "og:title": app.env.titles[pagename].astext(),
        "og:description": description,
        "og:url": addresses.page(pagename),
    }
    context["metatags"] = context.get("metatags", "") + "".join(
        f'<meta property="{name}" content="{html.escape(content)}" />\n'
        for name, content in properties.items()
    )
