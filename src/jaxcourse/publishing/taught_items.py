"""The directives `taught-items` and `taught-summary`: what the five older documents teach, and where we do.

The items stand in `book/items.json`; that a lesson teaches one, its front matter says (`covers`).
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

from jaxcourse.claims import DOCUMENTS
from jaxcourse.errors import UserError
from jaxcourse.publishing import tables

# Each verdict and the class of its badge; book/sources.md says what they mean.
VERDICTS = {
    "holds": "jc-holds",
    "in direction": "jc-direction",
    "false": "jc-false",
    "removed": "jc-removed",
    "defect": "jc-defect",
    "narrative": "jc-plain",
    "not run": "jc-plain",
}


@dataclass(frozen=True)
class Item:
    """One thing that an older document teaches."""

    id: str  # "S3-25": the document, then a number in the order of its text
    taught: str
    verdicts: list[str]
    lessons: list[int]  # in order; the first must teach it, the others come back to it
    today: str = ""  # the modern form, or what is measured now

    @property
    def document(self) -> str:
        """The key of its document in `jaxcourse.claims.DOCUMENTS`."""
        return self.id[:2]


@dataclass(frozen=True)
class Lesson:
    """A written lesson, as far as this page needs to know it."""

    number: int
    docname: str
    covers: frozenset[str]


def read_items(root: Path) -> list[Item]:
    """Read the items of the book at `root`; raise UserError where they are not well formed."""
    try:
        return [Item(**entry) for entry in json.loads((root / "book" / "items.json").read_text("utf-8"))]
    except (OSError, ValueError, TypeError) as error:
        raise UserError(f"book/items.json cannot be read: {error}.") from error


def read_lessons(root: Path) -> list[Lesson]:
    """Read which items each lesson of the book at `root` covers; raise UserError for bad front matter."""
    return [_lesson(path) for path in sorted((root / "lessons").glob("[0-9][0-9]-*.md"))]


def _lesson(path: Path) -> Lesson:
    docname = f"lessons/{path.stem}"
    try:
        front_matter: Any = next(yaml.safe_load_all(path.read_text("utf-8")), None)
        covers = frozenset(front_matter["jaxcourse"]["covers"])
    except (yaml.YAMLError, TypeError, KeyError) as error:
        raise UserError(
            f"{docname}.md has no list `covers` in the `jaxcourse:` part of its front matter."
        ) from error
    return Lesson(int(path.stem.split("-")[0]), docname, covers)


class TaughtItems(SphinxDirective):
    """The items of one document, a row each: `{taught-items} S3`."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        items, lessons = _read(self)
        chosen = [item for item in items if item.document == self.arguments[0]]
        if not chosen:
            raise self.error(f"'{self.arguments[0]}' is none of the documents {', '.join(DOCUMENTS)}.")
        return [items_table(chosen, lessons, self.env.docname)]


class TaughtSummary(SphinxDirective):
    """How many items there are, how many are taught, and how often each verdict was given."""

    def run(self) -> list[nodes.Node]:
        return [summary_table(*_read(self))]


def _read(directive: SphinxDirective) -> tuple[list[Item], list[Lesson]]:
    env = directive.env
    # Lessons come, go and change without a change of the page, so it is read at each build.
    env.note_reread()
    root = Path(env.srcdir)
    try:
        items, lessons = read_items(root), read_lessons(root)
    except UserError as error:
        raise directive.error(str(error)) from error
    # A lesson that is not in _toc.yml has no page.
    return items, [lesson for lesson in lessons if lesson.docname in env.found_docs]


def items_table(items: Iterable[Item], lessons: Sequence[Lesson], page: str) -> nodes.container:
    """Return the table of some items, in which `page` links to the written lessons."""
    rows = [
        tables.row(
            [item.id, _taught(item), [_badges(item.verdicts)], _places(item, lessons, page)],
            name=item.id.lower(),
        )
        for item in items
    ]
    return tables.scrolling(("Item", "What is taught", "Verdict", "Where"), rows, "jc-items")


def _taught(item: Item) -> list[nodes.Node]:
    today = nodes.paragraph("", "Today: ", *_with_code(item.today), classes=["jc-today"])
    return [nodes.paragraph("", "", *_with_code(item.taught)), *([today] if item.today else [])]


def _with_code(text: str) -> list[nodes.Node]:
    """The text with its `backticks` set as code."""
    return [
        nodes.literal(part, part) if at % 2 else nodes.Text(part) for at, part in enumerate(text.split("`"))
    ]


def _badges(verdicts: Iterable[str]) -> nodes.paragraph:
    line = nodes.paragraph()
    for verdict in verdicts:
        line += [
            nodes.inline(verdict, verdict, classes=["jc-verdict", VERDICTS[verdict]]),
            nodes.Text(" "),
        ]
    return line


def _places(item: Item, lessons: Sequence[Lesson], page: str) -> list[nodes.Node]:
    """A line for each lesson that teaches the item or will."""
    written = {lesson.number: lesson for lesson in lessons}
    covering = [lesson.number for lesson in lessons if item.id in lesson.covers]
    lines: list[nodes.Node] = []
    for number in sorted({*item.lessons, *covering}):
        if number not in written:
            later = f"lesson {number}, not written yet"
            lines.append(nodes.paragraph(later, later, classes=["jc-later"]))
        elif item.id in written[number].covers:
            lines.append(nodes.paragraph("", "", _link(written[number], page)))
    return lines or [nodes.paragraph("", "no lesson", classes=["jc-later"])]


def _link(lesson: Lesson, page: str) -> nodes.Node:
    text = f"lesson {lesson.number}"
    return addnodes.pending_xref(
        "",
        nodes.inline(text, text),
        refdomain="std",
        reftype="doc",
        refdoc=page,
        reftarget=f"/{lesson.docname}",
        refexplicit=True,
        refwarn=True,
    )


def summary_table(items: Sequence[Item], lessons: Iterable[Lesson]) -> nodes.container:
    """Return the counts for each document and for all of them, a column each."""
    columns = [[item.id for item in items if item.document == document] for document in DOCUMENTS]
    columns.append([item.id for item in items])
    counted: list[tuple[tables.Cell, set[str]]] = [
        ("Items", {item.id for item in items}),
        ("Taught so far", set().union(*(lesson.covers for lesson in lessons))),
    ]
    for verdict in VERDICTS:
        counted.append(([_badges([verdict])], {item.id for item in items if verdict in item.verdicts}))
    rows = [
        tables.row([head, *(str(len(ids.intersection(column))) for column in columns)])
        for head, ids in counted
    ]
    return tables.scrolling(["", *DOCUMENTS.values(), "All five"], rows, "jc-items jc-counts")
