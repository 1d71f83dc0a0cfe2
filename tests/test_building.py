"""`jaxcourse book` on a book of two small notebooks: what it executes, what it says when cells fail."""

import errno
from pathlib import Path

import nbformat
import pytest
from jupyter_cache import get_cache

from jaxcourse.errors import UserError
from jaxcourse.publishing import building, execution, execution_cache, tracebacks

CONFIG = """\
title: A small book
execute: {execute_notebooks: cache, exclude_patterns: ["exercises/*"], timeout: 30}
parse: {myst_enable_extensions: [colon_fence]}
"""
TOC = "format: jb-book\nroot: lessons/one\nchapters:\n  - file: lessons/two\n  - file: exercises/stub\n"
NOTEBOOK = """\
---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---
# {title}

```{{code-cell}} python
:tags: [{tags}]
{code}
```
"""
PAGES = ["lessons/one", "lessons/two", "exercises/stub"]


@pytest.fixture
def book(tmp_path) -> Path:
    (tmp_path / "_config.yml").write_text(CONFIG)
    (tmp_path / "_toc.yml").write_text(TOC)
    write(tmp_path, "lessons/one", "print(1)")
    write(tmp_path, "lessons/two", "print(2)")
    write(tmp_path, "exercises/stub", "raise SystemError('never executed')")
    return tmp_path


def write(root: Path, page: str, code: str, tags: str = "") -> None:
    path = root / f"{page}.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text(NOTEBOOK.format(title=page, code=code, tags=tags))


def execute(book: Path) -> None:
    execution.execute(book, PAGES, book / "cache", jobs=2)


def cached(book: Path) -> int:
    return len(get_cache(book / "cache").list_cache_records())


def test_each_notebook_is_executed_once_and_stubs_never(book, monkeypatch):
    execute(book)
    assert cached(book) == 2
    monkeypatch.setattr(execution, "_run", pytest.fail)
    execute(book)


def test_a_changed_sentence_executes_nothing_and_a_changed_cell_its_notebook_alone(book, monkeypatch):
    execute(book)
    page = book / "lessons" / "one.md"
    page.write_text(page.read_text().replace("# lessons/one", "# Another title"))
    write(book, "lessons/two", "print(22)")
    executed, run = [], execution._run
    monkeypatch.setattr(execution, "_run", lambda r, timeout: executed.append(r.docname) or run(r, timeout))
    execute(book)
    assert executed == ["lessons/two"]


def test_figures_are_kept_whatever_the_environment_says(book, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "agg")
    write(book, "lessons/one", "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()")
    execute(book)
    notebooks = [nbformat.read(path, 4) for path in (book / "cache").rglob("base.ipynb")]
    outputs = [output for notebook in notebooks for output in notebook.cells[0].outputs]
    assert any("image/png" in output.get("data", {}) for output in outputs)


def test_failing_cells_are_named_by_line_and_the_others_are_kept(book):
    write(book, "lessons/one", "x = 1\nassert x == 2, 'one is not two'")
    with pytest.raises(UserError) as raised:
        execute(book)
    assert str(raised.value).splitlines() == [
        "lessons/one.md:14: AssertionError: one is not two",
        "The book is not built: 1 of its notebooks failed.",
    ]
    assert cached(book) == 1


def test_a_dead_kernel_is_named_with_its_last_words(book):
    write(
        book,
        "lessons/one",
        "import os, sys\nprint('out of luck', file=sys.__stderr__, flush=True)\nos._exit(3)",
    )
    with pytest.raises(UserError, match=r"lessons/one.md:14: the kernel died, saying: out of luck"):
        execute(book)


def test_a_cell_that_is_to_raise_may_raise(book):
    write(book, "lessons/one", "1 / 0", tags="raises-exception")
    execute(book)
    assert cached(book) == 2


def test_a_page_that_does_not_exist_is_one_sentence(book):
    (book / "lessons" / "two.md").unlink()
    with pytest.raises(UserError, match=r"_toc.yml names lessons/two, but there is no lessons/two.md"):
        building.build(book)


@pytest.mark.parametrize(
    ("code", "words"), [(errno.ENOSPC, "the disk is full"), (errno.EACCES, "may not write")]
)
def test_a_disk_that_refuses_is_one_sentence(book, monkeypatch, code, words):
    def refuse(*args):
        raise OSError(code, "", str(book / "_build"))

    monkeypatch.setattr(execution, "execute", refuse)
    with pytest.raises(UserError, match=rf"_build cannot be written: .*{words}"):
        building.build(book)


def test_the_cache_knows_versions_settings_and_the_package(book, monkeypatch):
    before = execution_cache.path(book)
    assert execution_cache.path(book) == before
    monkeypatch.setenv("XLA_FLAGS", "--xla_force_host_platform_device_count=3")
    assert execution_cache.path(book) != before
    monkeypatch.delenv("XLA_FLAGS")
    monkeypatch.setattr(execution_cache, "version", lambda package: "another")
    assert execution_cache.path(book) != before


def test_stale_pages_are_removed(tmp_path):
    for name in ("lessons/one.html", "lessons/gone.html", "index.html", "_sources/lessons/gone.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    building._remove_stale(tmp_path, ["lessons/one"])
    assert {file.name for file in tmp_path.rglob("*.*")} == {"one.html", "index.html"}


TRACEBACK = """\
---------------------------------------------------------------------------
TypeError                                 Traceback (most recent call last)
Cell In[3], line 2
      1 x = jnp.ones(3)
----> 2 x @ y

File /home/ann/env/lib/python3.11/site-packages/jax/_src/numpy/array_methods.py:1084, in deferring(self, other)
   1082   if hasattr(other, '__jax_array__'):
-> 1084     other = other.__jax_array__()

    [... skipping hidden 4 frame]

File /home/ann/env/lib/python3.11/site-packages/jax/_src/lax/lax.py:9, in check(x)
----> 9     raise TypeError(msg)

TypeError: shapes do not fit, at /tmp/ipykernel_77/123.py:2"""


def test_a_traceback_keeps_the_cells_frames_and_the_message():
    assert tracebacks.shorten(TRACEBACK) == (
        "TypeError                                 Traceback (most recent call last)\n"
        "Cell In[3], line 2\n      1 x = jnp.ones(3)\n----> 2 x @ y\n\n"
        "TypeError: shapes do not fit, at /tmp/ipykernel_77/123.py:2"
    )


def test_a_sentence_without_frames_stays_as_it_is():
    assert tracebacks.shorten("ClaimError: this claim does not hold here") == (
        "ClaimError: this claim does not hold here"
    )


def test_paths_of_the_machine_are_taken_out():
    text = "f at /tmp/ipykernel_77/123.py:2 and /book/src/jaxcourse/x.py and /a/b/site-packages/jax/core.py"
    assert (
        tracebacks.anonymise(text, Path("/book")) == "f at <cell>:2 and ./src/jaxcourse/x.py and jax/core.py"
    )
