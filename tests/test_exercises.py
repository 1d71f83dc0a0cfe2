"""Exercise sheets: written from their solutions, failing unsolved, passing solved, with a hint a mistake."""

import shutil
from pathlib import Path

import jupytext
import pytest
from nbclient import NotebookClient

from jaxcourse import checking, questions
from jaxcourse.errors import UserError
from jaxcourse.publishing import exercises
from pages import FRONT_MATTER

ROOT = Path(__file__).parents[1]
SHEETS = sorted(path.stem for path in (ROOT / "solutions").glob("*.md"))
QUESTIONS = [question for sheet in questions.sheets().values() for question in sheet]
CHECK = "application/vnd.jaxcourse.check+json"

HEAD_LINES = FRONT_MATTER.count("\n")
ANSWER = """\
```{code-cell} python
def way_down(z, t):
    ### BEGIN SOLUTION
    if z is t:
        return z
    ### END SOLUTION
```
"""
ASK = """\
```{code-cell} python
:tags: [check]

check("complex-1", way_down)
```
"""


def test_exercises_are_in_step_with_their_solutions():
    assert exercises.check(ROOT) == []


def test_every_question_is_asked():
    sheets = {path.stem: read(path) for path in sorted((ROOT / "exercises").glob("*.md"))}
    asked = {
        name: [
            cell.metadata.nbgrader.grade_id
            for cell in sheet.cells
            if "nbgrader" in cell.metadata and cell.metadata.nbgrader.grade
        ]
        for name, sheet in sheets.items()
    }
    assert asked == {name: [question.id for question in sheet] for name, sheet in questions.sheets().items()}


@pytest.mark.parametrize("sheet", SHEETS)
def test_unsolved_sheet_earns_nothing(sheet):
    verdicts = run(ROOT / "exercises" / f"{sheet}.md")
    assert [verdict["points"] for verdict in verdicts] == [0] * len(questions.sheets()[sheet])
    assert all(verdict["hint"] for verdict in verdicts)


@pytest.mark.parametrize("sheet", SHEETS)
def test_solved_sheet_earns_every_point(sheet):
    verdicts = run(ROOT / "solutions" / f"{sheet}.md")
    assert [verdict["points"] for verdict in verdicts] == [
        question.points for question in questions.sheets()[sheet]
    ]
    assert not any(verdict["hint"] for verdict in verdicts)


@pytest.mark.parametrize(
    ("question", "mistake"),
    [
        pytest.param(question, mistake, id=f"{question.id}: {mistake.name}")
        for question in QUESTIONS
        for mistake in question.mistakes
    ],
)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_mistake_fails_with_its_own_hint(question, mistake, seed):
    verdict = checking.judge(question, mistake.answer, seed)
    assert not verdict.passed
    assert verdict.hint == mistake.hint


def test_hints_of_a_question_differ():
    for question in QUESTIONS:
        hints = [mistake.hint for mistake in question.mistakes]
        assert len(set(hints)) == len(hints)


@pytest.fixture
def book(tmp_path):
    """A book of one page of solutions, still to be written by the test."""
    (tmp_path / "solutions").mkdir()
    return tmp_path


def write(book, text, name="01-sheet.md"):
    (book / "solutions" / name).write_text(FRONT_MATTER + text)
    return exercises.write(book)


SOURCE = (
    "# Exercises\n\n"
    + ANSWER
    + ASK
    + '\n+++ {"tags": ["solution"]}\n\nBecause.\n\n```{code-cell} python\n:tags: [solution]\n\nway_down(1, 2)\n```\n\nEnd.\n'
)


def test_sheet_has_stubs_and_no_solutions(book):
    (sheet,) = write(book, SOURCE)
    title, answer, ask, end = read(sheet).cells
    assert (title.source, end.source) == ("# Exercises", "End.")
    assert answer.source == "def way_down(z, t):\n    ...  # your code here"
    assert ask.source == 'check("complex-1", way_down)'
    assert ask.metadata.tags == ["check"]
    assert "solutions/01-sheet.md" in sheet.read_text().splitlines()[1]


def test_sheet_carries_nbgrader_metadata(book):
    (sheet,) = write(book, SOURCE)
    _, answer, ask, _ = read(sheet).cells
    common = {"schema_version": 3, "task": False}
    assert answer.metadata.nbgrader == common | {
        "grade_id": "complex-1-answer",
        "solution": True,
        "grade": False,
        "locked": False,
    }
    assert ask.metadata.nbgrader == common | {
        "grade_id": "complex-1",
        "solution": False,
        "grade": True,
        "locked": True,
        "points": questions.find("complex-1").points,
    }


def test_sheet_survives_a_round_trip_through_jupytext(book, tmp_path):
    (sheet,) = write(book, SOURCE)
    notebook = read(sheet)
    jupytext.write(notebook, tmp_path / "sheet.ipynb")
    again = jupytext.reads(jupytext.writes(jupytext.read(tmp_path / "sheet.ipynb"), "md:myst"), "md:myst")
    assert [(c.source, c.metadata) for c in again.cells] == [(c.source, c.metadata) for c in notebook.cells]


def test_check_names_what_is_out_of_step(book):
    (sheet,) = write(book, SOURCE)
    assert exercises.check(book) == []
    shutil.copy(sheet, sheet.with_name("02-orphan.md"))
    sheet.write_text(sheet.read_text() + "\nMore.\n")
    assert exercises.check(book) == [
        "exercises/01-sheet.md differs from its solutions",
        "exercises/02-orphan.md has no solutions",
    ]
    sheet.unlink()
    assert "exercises/01-sheet.md is missing" in exercises.check(book)


def cell(code, tags=""):
    return f"```{{code-cell}} python\n{tags}{code}\n```\n"


MISTAKES = {
    "begin without end": (cell("x = 1\n### BEGIN SOLUTION\ny = 2"), 3, "no '### END SOLUTION' after it"),
    "end without begin": (cell("x = 1\n### END SOLUTION"), 3, "no '### BEGIN SOLUTION' before it"),
    "begin inside a region": (
        cell("### BEGIN SOLUTION\n### BEGIN SOLUTION\n### END SOLUTION"),
        3,
        f"begun in line {HEAD_LINES + 2}",
    ),
    "misspelt marker": (cell("# BEGIN SOLUTION\nx\n# END SOLUTION"), 2, "is no marker"),
    "unknown question": (
        "Text.\n\n" + ANSWER + ASK.replace("complex-1", "complex-0"),
        13,
        "no question 'complex-0'",
    ),
    "check of nothing": (cell("print(1)", ":tags: [check]\n\n"), 4, "no call of check"),
    "check with a syntax error": (cell("check(", ":tags: [check]\n\n"), 4, "no call of check"),
    "answer without a check": (ANSWER, 2, "this answer has no check"),
    "answer followed by another": (ANSWER + ANSWER + ASK, 2, "this answer has no check"),
    "question asked twice": (
        ANSWER + ASK + ASK,
        16,
        f"asked already at solutions/01-sheet.md:{HEAD_LINES + 11}",
    ),
}


@pytest.mark.parametrize(("source", "line", "words"), MISTAKES.values(), ids=MISTAKES.keys())
def test_mistake_in_the_solutions_is_one_sentence_with_file_and_line(book, source, line, words):
    with pytest.raises(UserError) as error:
        write(book, source)
    assert str(error.value).startswith(f"solutions/01-sheet.md:{HEAD_LINES + line}: ")
    assert words in str(error.value)
    assert "\n" not in str(error.value)
    assert not (book / "exercises").exists()


def test_question_asked_on_two_pages_is_a_mistake(book):
    write(book, ANSWER + ASK)
    with pytest.raises(
        UserError, match=r"^solutions/02-sheet.md:\d+: .*asked already at solutions/01-sheet.md"
    ):
        write(book, ANSWER + ASK, "02-sheet.md")


def test_no_solutions_is_one_sentence(tmp_path):
    with pytest.raises(UserError, match="no solutions"):
        exercises.write(tmp_path)


def read(path):
    return jupytext.read(path, fmt="md:myst")


def run(path):
    """Execute a page and return the verdicts of its checks, in order."""
    notebook = NotebookClient(read(path), timeout=300, resources={"metadata": {"path": str(ROOT)}}).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return [output.data[CHECK] for output in outputs if CHECK in output.get("data", {})]
