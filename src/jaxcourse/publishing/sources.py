"""A MyST notebook as written: its cells, and the line of the file where each one starts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from jupytext.myst import MystMetadataParsingError, matches_mystnb, myst_to_notebook
from nbformat import NotebookNode

from jaxcourse.errors import UserError

_FRONT_MATTER = re.compile(r"\A---\n.*?^---\n", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Source:
    """One page of the book, read from its Markdown file."""

    path: Path
    docname: str  # what Sphinx and links call the page: "lessons/04-complex-gradients"
    text: str
    front_matter: str  # verbatim, with its two `---` lines
    cells: list[NotebookNode]
    lines: list[int]  # for each cell, the line of the file where its source starts, from 1

    def error(self, line: int, sentence: str) -> UserError:
        """Return (not raise) the error of a mistake on that line of the page."""
        return UserError(f"{self.docname}.md:{line}: {sentence}")


def read(path: Path, root: Path) -> Source:
    """Read the MyST notebook `path` of the book at `root`.

    Raises UserError when the file cannot be read or is not a MyST notebook.
    """
    docname = path.resolve().relative_to(root.resolve()).with_suffix("").as_posix()
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{docname}.md cannot be read: {error}.") from error
    if not matches_mystnb(text):
        raise UserError(
            f"{docname}.md is not a MyST notebook: begin it with the front matter of the other lessons."
        )
    try:
        notebook = myst_to_notebook(text, add_source_map=True)
    except MystMetadataParsingError as error:
        raise UserError(f"{docname}.md: {error}") from error
    file_lines = text.splitlines()
    starts = [
        _start(file_lines, cell.source.splitlines(), at)
        for cell, at in zip(notebook.cells, notebook.metadata.source_map, strict=True)
    ]
    return Source(path, docname, text, front_matter(text), notebook.cells, starts)


def front_matter(text: str) -> str:
    """Return the YAML that a page begins with, with its two `---` lines; empty where there is none."""
    found = _FRONT_MATTER.match(text)
    return found.group() if found else ""


def _start(file_lines: list[str], cell_lines: list[str], at: int) -> int:
    """Return the line where a cell's own text starts.

    Jupytext's map names the fence of a code cell and the end of the cell before a Markdown one;
    options and blank lines may stand in between.
    """
    for first in range(max(at - 1, 0), len(file_lines)):
        if file_lines[first : first + len(cell_lines)] == cell_lines:
            return first + 1
    return at
