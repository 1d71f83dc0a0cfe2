"""Tables that a directive makes: they scroll sideways in their own box on a narrow screen."""

from collections.abc import Iterable, Sequence

from docutils import nodes

Cell = str | Sequence[nodes.Node]


def row(cells: Iterable[Cell], name: str = "") -> nodes.row:
    """Return a row of texts and lists of block nodes; `name` is its anchor on the page."""
    entries = [
        nodes.entry("", *([nodes.paragraph(cell, cell)] if isinstance(cell, str) else cell)) for cell in cells
    ]
    return nodes.row("", *entries, ids=[name] if name else [])


def scrolling(head: Sequence[Cell], rows: Iterable[nodes.row], look: str) -> nodes.container:
    """Return a table in a box of the classes `look`, with `head` above its rows."""
    group = nodes.tgroup("", *[nodes.colspec(colwidth=1) for _ in head], cols=len(head))
    group += nodes.thead("", row(head))
    group += nodes.tbody("", *rows)
    return nodes.container("", nodes.table("", group, classes=["colwidths-auto"]), classes=look.split())
