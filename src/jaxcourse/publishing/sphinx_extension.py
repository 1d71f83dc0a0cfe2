"""The Sphinx extension of the book: what Jupyter Book does not do by itself, one module a piece."""

import hashlib
import os
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.config import Config

from jaxcourse.publishing import execution, execution_cache, lesson_cards, lesson_facts, mathjax, page_links
from jaxcourse.publishing.run_records import RunRecords
from jaxcourse.publishing.tabs import GatherTabs
from jaxcourse.publishing.taught_items import TaughtItems, TaughtSummary
from jaxcourse.publishing.tracebacks import ShortenTracebacks


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the extension (called by Sphinx)."""
    app.add_config_value("jaxcourse_static_files", "", "html")
    app.connect("config-inited", _configure)
    app.connect("config-inited", page_links.configure)
    app.add_transform(GatherTabs)
    app.add_transform(ShortenTracebacks)
    app.add_directive("run-records", RunRecords)
    app.add_directive("taught-items", TaughtItems)
    app.add_directive("taught-summary", TaughtSummary)
    app.add_directive("lesson-cards", lesson_cards.LessonCards)
    app.add_node(lesson_cards.CardsPlace)
    app.connect("doctree-read", page_links.note_description)
    app.connect("doctree-read", lesson_facts.show)
    app.connect("env-updated", lesson_cards.renew)
    app.connect("doctree-resolved", lesson_cards.fill)
    # At this priority the theme has made its list of buttons; it fills it at 501.
    app.connect("html-page-context", page_links.add_notebook, priority=500)
    app.connect("html-page-context", page_links.add_preview)
    app.connect("build-finished", mathjax.copy)
    return {
        # A change in this folder changes the pages: Sphinx then reads them all again.
        "env_version": int(_digest(Path(__file__).parent)[:8], 16),
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }


def _configure(app: Sphinx, config: Config) -> None:
    # Where Sphinx executes notebooks itself, its kernels are to be like those of `jaxcourse book`.
    os.environ.update(execution.kernel_environment())
    config.nb_execution_cache_path = str(execution_cache.path(Path(app.outdir).parent))
    config.mathjax_path = mathjax.SCRIPT
    # Sphinx copies static files only when it writes pages; this value makes it write them.
    config.jaxcourse_static_files = _digest(Path(app.srcdir) / "book" / "static")


def _digest(folder: Path) -> str:
    """A hash of the folder's own files."""
    digest = hashlib.sha256()
    for file in sorted(folder.iterdir()):
        if file.is_file():
            digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()
