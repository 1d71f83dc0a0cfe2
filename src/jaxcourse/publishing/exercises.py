"""Exercise sheets, written from the pages that hold their solutions.

`solutions/` is the single source. A sheet in `exercises/` is its copy with `...` for each region between
`### BEGIN SOLUTION` and `### END SOLUTION`, without the cells tagged `solution`, titled "Exercises" instead
of "Solutions", and with the cell metadata of nbgrader, so that a class that uses nbgrader can hand the
sheets out as they are.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

from jupytext.myst import notebook_to_myst
from nbformat import NotebookNode, v4

from jaxcourse import questions
from jaxcourse.errors import UserError
from jaxcourse.publishing import sources

_BEGIN = "### BEGIN SOLUTION"
_END = "### END SOLUTION"
_STUB = "...  # your code here"
_TITLE = re.compile(r"^# Solutions:", re.MULTILINE)


def write(root: Path) -> list[Path]:
    """Write `exercises/` of the book at `root` from its `solutions/`; return the sheets' paths.

    Raises UserError, with file and line, for a mistake in the solutions.
    """
    sheets = _sheets(root)
    (root / "exercises").mkdir(exist_ok=True)
    for path, text in sheets.items():
        path.write_text(text, encoding="utf-8")
    return list(sheets)


def check(root: Path) -> list[str]:
    """Return the sheets in `exercises/` that are not what `write` would make of `solutions/`.

    Each is a path relative to `root` with what is wrong with it. Raises UserError as `write` does.
    """
    sheets = _sheets(root)
    found = {path: path.read_text(encoding="utf-8") for path in (root / "exercises").glob("*.md")}
    reasons = {
        "has no solutions": found.keys() - sheets.keys(),
        "is missing": sheets.keys() - found.keys(),
        "differs from its solutions": {path for path in found.keys() & sheets if found[path] != sheets[path]},
    }
    return sorted(f"{path.relative_to(root)} {reason}" for reason, paths in reasons.items() for path in paths)


def _sheets(root: Path) -> dict[Path, str]:
    paths = sorted((root / "solutions").glob("*.md"))
    if not paths:
        raise UserError(
            f"There are no solutions in {root / 'solutions'}: name the book's folder with --root."
        )
    asked: dict[str, str] = {}
    return {root / "exercises" / path.name: _sheet(sources.read(path, root), asked) for path in paths}


def _sheet(page: sources.Source, asked: dict[str, str]) -> str:
    """Return the exercise sheet of one page; `asked` gathers where each question of the book stands."""
    cells: list[NotebookNode] = []
    answer: tuple[NotebookNode, int] | None = None  # an answer cell that waits for its check
    for cell, line in zip(page.cells, page.lines, strict=True):
        tags = cell.metadata.get("tags", [])
        if "solution" in tags:
            continue
        if cell.cell_type == "markdown":
            cell.source = _TITLE.sub("# Exercises:", cell.source)
        if cell.cell_type == "code" and (stub := _stub(cell.source, page, line)) != cell.source:
            if answer:
                raise _without_check(page, answer[1])
            cell.source = stub
            answer = (cell, line)
        if "check" in tags:
            question = _question(cell, page, line)
            if question.id in asked:
                raise page.error(line, f"question '{question.id}' is asked already at {asked[question.id]}.")
            asked[question.id] = f"{page.docname}.md:{line}"
            cell.metadata["nbgrader"] = _nbgrader(question.id, points=question.points)
            if answer:
                answer[0].metadata["nbgrader"] = _nbgrader(f"{question.id}-answer")
                answer = None
        cells.append(cell)
    if answer:
        raise _without_check(page, answer[1])
    body = notebook_to_myst(v4.new_notebook(cells=cells), default_lexer="python")
    opening, front_matter = page.front_matter.split("\n", 1)
    note = f"# Written from {page.docname}.md by `jaxcourse exercises`: change that file, not this one."
    return f"{opening}\n{note}\n{front_matter}\n{body}"


def _stub(source: str, page: sources.Source, first_line: int) -> str:
    """Return a cell's source with every solution region replaced by a stub."""
    kept: list[str] = []
    begun = 0  # the line where the open region began
    for line, text in enumerate(source.splitlines(), start=first_line):
        marker = text.strip()
        if marker == _BEGIN:
            if begun:
                raise page.error(line, f"'{_BEGIN}' stands inside the region begun in line {begun}.")
            begun = line
            kept.append(text.replace(_BEGIN, _STUB))
        elif marker == _END:
            if not begun:
                raise page.error(line, f"'{_END}' has no '{_BEGIN}' before it in its cell.")
            begun = 0
        elif re.match(r"#+\s*(BEGIN|END)\b.*SOLUTION", marker, re.IGNORECASE):
            raise page.error(line, f"'{marker}' is no marker: write '{_BEGIN}' or '{_END}'.")
        elif not begun:
            kept.append(text)
    if begun:
        raise page.error(begun, f"'{_BEGIN}' has no '{_END}' after it in its cell.")
    return "\n".join(kept)


def _without_check(page: sources.Source, line: int) -> UserError:
    return page.error(
        line, "this answer has no check: let a cell tagged `check` follow it, before the next answer."
    )


def _question(cell: NotebookNode, page: sources.Source, line: int) -> questions.Question:
    """Return the question that a check cell asks: the first argument of its call of `check`."""
    try:
        calls = [node for node in ast.walk(ast.parse(cell.source)) if isinstance(node, ast.Call)]
    except SyntaxError:
        calls = []
    for call in calls:
        match call:
            case ast.Call(func=ast.Name(id="check"), args=[ast.Constant(value=str(question_id)), *_]):
                try:
                    return questions.find(question_id)
                except UserError as error:
                    raise page.error(line, str(error)) from error
    raise page.error(line, 'this cell tagged `check` has no call of check("question", answer).')


def _nbgrader(grade_id: str, points: int | None = None) -> dict[str, object]:
    """Return nbgrader's cell metadata: of a check worth `points`, or else of an answer."""
    graded = points is not None
    metadata: dict[str, object] = {
        "schema_version": 3,
        "grade_id": grade_id,
        "grade": graded,
        "solution": not graded,
        "locked": graded,
        "task": False,
    }
    return metadata | {"points": points} if graded else metadata
