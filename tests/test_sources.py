"""The items of the older documents: complete, with known verdicts, and none left out by its lesson."""

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest
from sphinx import addnodes

from jaxcourse.claims import DOCUMENTS
from jaxcourse.errors import UserError
from jaxcourse.publishing.taught_items import (
    VERDICTS,
    Item,
    Lesson,
    items_table,
    read_items,
    read_lessons,
    summary_table,
)

ROOT = Path(__file__).parents[1]
ITEMS = read_items(ROOT)
LESSONS = read_lessons(ROOT)
COUNTS = {"S0": 45, "S1": 63, "S2": 25, "S3": 91, "S4": 45}


# ---- The list ----


def test_every_item_of_the_five_documents_is_there_once_and_in_order():
    assert [item.id for item in ITEMS] == [
        f"{document}-{number:02}" for document in DOCUMENTS for number in range(1, COUNTS[document] + 1)
    ]


def test_every_item_is_short_and_judged():
    for item in ITEMS:
        assert 1 <= len(item.taught.split()) <= 15, item
        assert item.verdicts and set(item.verdicts) <= set(VERDICTS), item
        assert all(1 <= lesson <= 18 for lesson in item.lessons), item
        assert item.lessons == sorted(set(item.lessons)), item
        assert len(set(item.verdicts)) == len(item.verdicts), item


def test_only_the_footnotes_have_no_lesson_of_their_own():
    assert [item.id for item in ITEMS if not item.lessons] == ["S3-91"]


def test_the_page_explains_each_verdict_and_lists_each_document():
    page = (ROOT / "book" / "sources.md").read_text(encoding="utf-8")
    assert re.findall(r"^(.+)\n: ", page, re.MULTILINE) == list(VERDICTS)
    assert re.findall(r"^```\{taught-items\} (\w+)$", page, re.MULTILINE) == list(DOCUMENTS)
    assert f"{len(ITEMS)} items" in page


# ---- The lessons ----


def left_out(items: Iterable[Item], lessons: Iterable[Lesson]) -> list[str]:
    """The items that a written lesson must teach, being the first that the item names, and does not."""
    written = {lesson.number: lesson for lesson in lessons}
    return [
        f"{written[item.lessons[0]].docname}.md does not cover {item.id}: {item.taught}"
        for item in items
        if item.lessons and item.lessons[0] in written and item.id not in written[item.lessons[0]].covers
    ]


def unknown(items: Iterable[Item], lessons: Iterable[Lesson]) -> list[str]:
    """What lessons say they cover and no document teaches."""
    known = {item.id for item in items}
    return [f"{lesson.docname}.md: {item}" for lesson in lessons for item in sorted(lesson.covers - known)]


def test_no_written_lesson_leaves_out_an_item():
    assert left_out(ITEMS, LESSONS) == []


def test_lessons_cover_only_items_that_exist():
    assert unknown(ITEMS, LESSONS) == []


@pytest.fixture
def forgetful(tmp_path) -> list[Lesson]:
    """A book with one lesson, which forgets an item, covers one of another lesson and invents one."""
    (tmp_path / "lessons").mkdir()
    (tmp_path / "lessons" / "03-grad.md").write_text(
        "---\njaxcourse:\n  covers: [S3-19, S3-27, S3-92]\n---\n\n# Grad\n"
    )
    return read_lessons(tmp_path)


SOME = [
    Item("S3-19", "Differentiate", ["holds"], [3]),
    Item("S3-26", "Precisions", ["holds", "defect"], [3, 4], today="ask for `float64`"),
    Item("S3-27", "PyTorch", ["false"], [4]),
    Item("S3-46", "Compiles anew", ["holds"], [5, 6]),
]


def test_an_item_left_out_is_named(forgetful):
    assert left_out(SOME, forgetful) == ["lessons/03-grad.md does not cover S3-26: Precisions"]


def test_an_item_that_nobody_teaches_is_named(forgetful):
    assert unknown(SOME, forgetful) == ["lessons/03-grad.md: S3-92"]


# ---- The tables ----


def rows(table) -> list[list[str]]:
    return [[cell.astext() for cell in row] for row in table.findall(lambda node: node.tagname == "row")]


def test_an_item_links_to_the_lessons_that_cover_it(forgetful):
    table = items_table(SOME, forgetful, "book/sources")
    assert rows(table)[1:] == [
        ["S3-19", "Differentiate", "holds ", "lesson 3"],
        ["S3-26", "Precisions\n\nToday: ask for float64", "holds defect ", "lesson 4, not written yet"],
        ["S3-27", "PyTorch", "false ", "lesson 3\n\nlesson 4, not written yet"],
        ["S3-46", "Compiles anew", "holds ", "lesson 5, not written yet\n\nlesson 6, not written yet"],
    ]
    links = list(table.findall(addnodes.pending_xref))
    assert [link["reftarget"] for link in links] == ["/lessons/03-grad"] * 2


def test_the_summary_counts_items_lessons_and_verdicts(forgetful):
    counts = {head.strip(): figures for head, *figures in rows(summary_table(SOME, forgetful))[1:]}
    assert counts["Items"] == ["0", "0", "0", "4", "0", "4"]
    assert counts["Taught so far"][-1] == "2"
    assert {verdict: int(counts[verdict][-1]) for verdict in VERDICTS} == {
        verdict: Counter(v for item in SOME for v in item.verdicts)[verdict] for verdict in VERDICTS
    }


# ---- Mistakes ----


@pytest.mark.parametrize("text", ["[", '[{"id": "S0-01"}]', '[{"number": 1}]'])
def test_a_broken_list_of_items_is_one_sentence(tmp_path, text):
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "items.json").write_text(text)
    with pytest.raises(UserError, match=r"^book/items\.json cannot be read: "):
        read_items(tmp_path)


@pytest.mark.parametrize("text", ["# Grad\n", "---\njaxcourse: {minutes: 5}\n---\n", "---\n[\n---\n"])
def test_a_lesson_without_a_list_of_items_is_one_sentence(tmp_path, text):
    (tmp_path / "lessons").mkdir()
    (tmp_path / "lessons" / "03-grad.md").write_text(text)
    with pytest.raises(UserError, match=r"^lessons/03-grad\.md has no list `covers` in the "):
        read_lessons(tmp_path)
