"""The anatomy that every lesson has: the house style as far as it can be counted."""

import re
import statistics
from pathlib import Path

import jupytext
import pytest

ROOT = Path(__file__).parents[1]
LESSONS = sorted((ROOT / "lessons").glob("*.md"))

FIRST_CELL = re.compile(
    r"import jaxcourse\nfrom jaxcourse import claim, measure\n\ndevices = jaxcourse\.use_devices\((\d+)\)"
)


@pytest.fixture(params=LESSONS, ids=lambda path: path.stem)
def lesson(request):
    return jupytext.read(request.param)


def code_of(notebook) -> list[str]:
    return [cell.source for cell in notebook.cells if cell.cell_type == "code"]


def prose_of(notebook) -> str:
    return "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")


def test_there_are_lessons():
    assert LESSONS


def test_front_matter(lesson):
    facts = lesson.metadata["jaxcourse"]
    assert set(facts) - {"timed"} == {"minutes", "devices", "needs", "covers"}
    # The build runs a lesson that measures times when nothing else runs.
    times = any(re.search(r"\b(compare|time_call|perf_counter)\(", source) for source in code_of(lesson))
    assert facts.get("timed", False) == times
    assert 10 <= facts["minutes"] <= 60
    assert facts["covers"] and all(re.fullmatch(r"S[0-4]-\d\d", item) for item in facts["covers"])
    assert len(set(facts["covers"])) == len(facts["covers"])
    assert 50 <= len(lesson.metadata["myst"]["html_meta"]["description"]) <= 300


def test_the_first_cell_is_the_same_but_for_the_number(lesson):
    first = FIRST_CELL.fullmatch(code_of(lesson)[0])
    assert first, "the first cell differs from that of the other lessons"
    assert int(first[1]) == lesson.metadata["jaxcourse"]["devices"]


def test_cells_are_short(lesson):
    lines = [len(source.splitlines()) for source in code_of(lesson)]
    assert max(lines) <= 25
    # Wider lines are cut off on the page, and the reader has to scroll.
    assert max(len(line) for source in code_of(lesson) for line in source.splitlines()) <= 92
    assert statistics.median(lines) <= 6


def test_length(lesson):
    prose = re.sub(r"\$\$?[^$]*\$\$?|`[^`]*`|\{[^}]*\}|^:::.*$", " ", prose_of(lesson), flags=re.MULTILINE)
    assert 900 <= len(re.findall(r"[A-Za-z][A-Za-z'-]*", prose)) <= 1800
    assert 15 <= len(code_of(lesson)) <= 36


def test_it_predicts_breaks_checks_and_recaps(lesson):
    prose = prose_of(lesson)
    for part in ("lesson-head", "predict", "error-read", "old-claim", "recap"):
        assert f":class: {part}" in prose, f"no admonition of class {part}"
    assert any("raises-exception" in cell.metadata.get("tags", []) for cell in lesson.cells)
    assert "{cite:p}" in prose


def test_it_claims_and_draws(lesson):
    code = "\n".join(code_of(lesson))
    assert len(re.findall(r"\bclaim\(", code)) >= 8
    assert code.count("plt.show()") + code.count("show_sharding(") >= 2


def test_every_figure_has_alt_text(lesson):
    for cell in lesson.cells:
        if cell.cell_type == "code" and "plt.show()" in cell.source:
            alt = cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")
            assert len(alt) >= 60, f"no alt text that says what is seen: {cell.source[:60]!r}"


def test_every_claimed_item_is_covered(lesson):
    claimed = set(re.findall(r"[\"'](S[0-4]-\d\d)[\"']", "\n".join(code_of(lesson))))
    assert claimed <= set(lesson.metadata["jaxcourse"]["covers"])
