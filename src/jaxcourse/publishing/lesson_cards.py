"""The directive `lesson-cards`: the lessons of each part of the book, as _toc.yml lists them."""

import json
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import make_refnode

from jaxcourse.publishing.lesson_facts import facts


class CardsPlace(nodes.General, nodes.Element):
    """Where the cards come, once the titles of all pages are known."""


class LessonCards(SphinxDirective):
    """The cards of one folder of the book: `{lesson-cards} lessons`."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        self.env.metadata[self.env.docname]["lesson_cards"] = "yes"
        return [CardsPlace(folder=self.arguments[0])]


def renew(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Have the pages with cards written again: what they show stands in other pages (`env-updated`)."""
    return [docname for docname in env.found_docs if "lesson_cards" in env.metadata[docname]]


def fill(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Replace each placeholder by its cards (Sphinx: `doctree-resolved`)."""
    parts = app.config.external_site_map[app.config.master_doc].subtrees
    for place in list(doctree.findall(CardsPlace)):
        wanted = {part.caption: [page for page in part.files() if _is_in(page, place)] for part in parts}
        wanted = {caption: pages for caption, pages in wanted.items() if pages}
        shown: list[nodes.Node] = []
        for caption, pages in wanted.items():
            if len(wanted) > 1:
                shown.append(nodes.rubric(caption, caption))
            cards = [_card(app, docname, page) for page in pages]
            shown.append(nodes.bullet_list("", *cards, classes=["jc-cards"]))
        place.replace_self(shown)


def _is_in(page: str, place: CardsPlace) -> bool:
    return page.startswith(f"{place['folder']}/")


def _card(app: Sphinx, docname: str, page: str) -> nodes.list_item:
    metadata: dict[str, Any] = app.env.metadata[page]
    title = app.env.titles[page].astext()
    link = make_refnode(app.builder, docname, page, "", nodes.Text(title))
    card = nodes.list_item("", nodes.paragraph("", "", link))
    if description := metadata.get("description"):
        card += nodes.paragraph(description, description)
    line = nodes.bullet_list(classes=["jc-facts"])
    for fact in facts(json.loads(metadata.get("jaxcourse", "{}"))):
        line += nodes.list_item("", nodes.paragraph(fact, fact))
    if line.children:
        card += line
    return card
