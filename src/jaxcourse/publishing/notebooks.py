"""Lessons and exercises as notebooks that open in Colab, JupyterLab and VS Code.

The notebooks carry no outputs. What a reader wants to see was executed for the site; a learner runs the
cells, and stored outputs of another machine would hide which of them have run.
"""

from __future__ import annotations

from pathlib import Path

import nbformat
from nbformat import NotebookNode, v4

from jaxcourse.errors import UserError
from jaxcourse.publishing import addresses, sources
from jaxcourse.publishing.plain_markdown import Translator
from jaxcourse.publishing.references import References

ROOMS = ("lessons", "exercises")

_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
# The package depends on numpy alone, so that pip leaves Colab's own JAX in place.
_GUARD = """\
try:
    import jaxcourse
except ImportError:
    %pip install -q "{requirement}"
"""


def write(root: Path, out: Path) -> list[Path]:
    """Write a notebook for every lesson and exercise sheet of the book at `root` into `out`.

    Returns the written paths, `out/lessons/*.ipynb` first. Raises UserError when there is no lesson, when
    a page cannot be translated, or when `out` cannot be written.
    """
    pages = {room: sorted((root / room).glob("*.md")) for room in ROOMS}
    if not pages["lessons"]:
        raise UserError(f"There are no lessons in {root / 'lessons'}: name the book's folder with --root.")
    notebooks = {
        out / room / f"{path.stem}.ipynb": convert(path, root)
        for room, paths in pages.items()
        for path in paths
    }
    try:
        for target, notebook in notebooks.items():
            target.parent.mkdir(parents=True, exist_ok=True)
            nbformat.write(notebook, target)
    except OSError as error:
        raise UserError(f"{error.filename or out} cannot be written: {error.strerror}.") from error
    return list(notebooks)


def convert(path: Path, root: Path) -> NotebookNode:
    """Return the notebook of one page, the MyST file `path` of the book at `root`.

    Raises UserError, with file and line, for what has no translation.
    """
    page = sources.read(path, root)
    translator = Translator(page, References(root))
    cells: list[NotebookNode] = []
    for cell, line in zip(page.cells, page.lines, strict=True):
        if cell.cell_type == "code":
            cells += _code_cells(cell)
        elif text := translator.translate(cell.source, line):
            cells.append(v4.new_markdown_cell(text, metadata=cell.metadata))
    _link_to_site(cells, page)
    _guard_first_cell(cells)
    for number, cell in enumerate(cells, start=1):
        cell.id = f"cell-{number}"  # nbformat's own are random: the same page must give the same file
    notebook = v4.new_notebook(cells=cells, metadata=_METADATA)
    nbformat.validate(notebook)
    return notebook


def _code_cells(cell: NotebookNode) -> list[NotebookNode]:
    """Return a code cell as notebooks want it, after a label where the site shows it in a tab."""
    metadata = {key: value for key, value in cell.metadata.items() if key != "mystnb"}
    tags = metadata.get("tags", [])
    if any(tag in tags for tag in ("hide-input", "remove-input", "hide-cell", "remove-cell")):
        metadata |= {"jupyter": {"source_hidden": True}, "cellView": "form"}  # JupyterLab's word, and Colab's
    labels = [
        v4.new_markdown_cell(f"**{tag.removeprefix('tab:')}**") for tag in tags if tag.startswith("tab:")
    ]
    return [*labels, v4.new_code_cell(cell.source, metadata=metadata)]


def _link_to_site(cells: list[NotebookNode], page: sources.Source) -> None:
    """Close the notebook's head with a link to the page on the site."""
    link = f"[This page on the published site]({addresses.page(page.docname)})"
    if cells and cells[0].cell_type == "markdown":
        cells[0].source += f"\n\n{link}"
    else:
        cells.insert(0, v4.new_markdown_cell(link))


def _guard_first_cell(cells: list[NotebookNode]) -> None:
    """Let the first code cell install the helper package where it is missing."""
    first = next((cell for cell in cells if cell.cell_type == "code"), None)
    if first is not None:
        first.source = _GUARD.format(requirement=requirement()) + "\n" + first.source


def requirement() -> str:
    """Return what pip installs the helper package from: the book's repository."""
    return f"jaxcourse @ git+{addresses.repository()}"
