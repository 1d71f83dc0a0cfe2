"""The translation from MyST to notebooks, on small pages made here and on every page of the book."""

import re
from pathlib import Path

import nbformat
import pytest

from jaxcourse.errors import UserError
from jaxcourse.publishing import addresses, notebooks
from jaxcourse.publishing.plain_markdown import MYST_PARSER
from pages import FRONT_MATTER

ROOT = Path(__file__).parents[1]
PAGES = [path for room in notebooks.ROOMS for path in sorted((ROOT / room).glob("*.md"))]
SITE = addresses.page("").removesuffix(".html")

HEAD_LINES = FRONT_MATTER.count("\n")
BIBLIOGRAPHY = r"""
@inproceedings{three, author={Frostig, Roy and Johnson, Matthew and Leary, Chris}, title={Compiling},
  year={2018}, url={https://example.org/three}}
@article{two, author={Petersen, K. and Garc{\'i}a, S.}, title={Matrices}, year={2012}, doi={10.1000/two}}
@misc{group, author={{The JAX authors}}, title={Docs}, year={2024}}
"""


@pytest.fixture
def book(tmp_path):
    """A book with one lesson to refer to, a glossary, a picture and a bibliography."""
    (tmp_path / "book").mkdir()
    (tmp_path / "lessons").mkdir()
    (tmp_path / "book" / "references.bib").write_text(BIBLIOGRAPHY)
    (tmp_path / "book" / "glossary.md").write_text("# Glossary\n")
    (tmp_path / "book" / "mesh.svg").write_text("<svg/>")
    (tmp_path / "lessons" / "01-other.md").write_text(
        FRONT_MATTER + "# The `other` one\n\n(far)=\n## Far away\n\n(bare)=\nNo heading.\n"
    )
    return tmp_path


def convert(book, text):
    path = book / "lessons" / "02-page.md"
    path.write_text(FRONT_MATTER + text)
    return notebooks.convert(path, book)


def markdown(book, text):
    """What becomes of the text in a notebook, without the link to the site."""
    (cell,) = convert(book, text).cells
    translated, _, link = cell.source.rpartition("\n\n")
    assert link == f"[This page on the published site]({SITE}lessons/02-page.html)"
    return translated


TRANSLATIONS = {
    "plain Markdown": (
        "# Title\n\nA *word*, `code`, \\$5.\n\n- [ ] task\n\n| a | b |\n|---|---|\n| 1 | `2` |",
        "# Title\n\nA *word*, `code`, \\$5.\n\n- [ ] task\n\n| a | b |\n|---|---|\n| 1 | `2` |",
    ),
    "code is left alone": (
        "Say `{ref}` and ``{ref}`x` ``.\n\n```python\n% no comment {ref}`x` $ a$\n```\n\n    (x)=\n    indented",
        "Say `{ref}` and ``{ref}`x` ``.\n\n```python\n% no comment {ref}`x` $ a$\n```\n\n    (x)=\n    indented",
    ),
    "a label and a comment go": ("Before.\n\n(here)=\n% not shown\n## Here\n", "Before.\n\n## Here"),
    "note": (":::{note}\nOne.\n\nTwo.\n:::", "> **Note**\n>\n> One.\n>\n> Two."),
    "note on the line of its fence": ("```{tip} One.\n```", "> **Tip**\n>\n> One."),
    "see also": (":::{seealso}\nThat.\n:::", "> **See also**\n>\n> That."),
    "admonition with title and class": (
        ":::{admonition} Predict: what is $ x $?\n:class: predict\n\nGuess.\n:::",
        "> **Predict: what is $x$?**\n>\n> Guess.",
    ),
    "options as YAML": (
        ":::{admonition} Recap\n---\nclass: recap\n---\nDone.\n:::",
        "> **Recap**\n>\n> Done.",
    ),
    "nested admonitions": (
        "::::{warning}\nOuter.\n\n:::{tip}\nInner.\n:::\n::::",
        "> **Warning**\n>\n> Outer.\n>\n> > **Tip**\n> >\n> > Inner.",
    ),
    "admonition in a list": (
        "- item\n  ```{note}\n  One.\n  ```\n- next",
        "- item\n  > **Note**\n  >\n  > One.\n- next",
    ),
    "code in an admonition": (
        "::::{note}\n```python\nx = 1\n\ny = '$a$'\n```\n::::",
        "> **Note**\n>\n> ```python\n> x = 1\n>\n> y = '$a$'\n> ```",
    ),
    "dropdown": (
        ":::{dropdown} Why `a < b` *here*?\n:open:\n\nBecause $x$.\n:::",
        "<details>\n<summary>Why <code>a &lt; b</code> <em>here</em>?</summary>\n\nBecause $x$.\n\n</details>",
    ),
    "admonition as dropdown": (
        ":::{note}\n:class: dropdown\nMore.\n:::",
        "<details>\n<summary>Note</summary>\n\nMore.\n\n</details>",
    ),
    "tabs": (
        "::::{tab-set}\n:::{tab-item} JAX\nOne.\n:::\n:::{tab-item} PyTorch\nTwo.\n:::\n::::",
        "**JAX**\n\nOne.\n\n**PyTorch**\n\nTwo.",
    ),
    "inline math on one line, unpadded": (
        "So $ a +\nb $ and {math}`c^2`, but `$x$`.",
        "So $a + b$ and $c^2$, but `$x$`.",
    ),
    "display math": ("$$\na = b\n$$", "$$\na = b\n$$"),
    "rows of display math": (
        "$$\na &= b \\\\\nc &= d\n$$",
        "$$\n\\begin{aligned}\na &= b \\\\\nc &= d\n\\end{aligned}\n$$",
    ),
    "display math in a block quote is on one line": (
        ":::{note}\n$$\na\n= b\n$$\n:::\n\n> $$\n> c\n> = d\n> $$",
        "> **Note**\n>\n> $$a = b$$\n\n> $$c = d$$",
    ),
    "math directive": (
        "```{math}\n:label: one\na = b\n```\n\n$$\nc\n$$ (two)\n\nSee {eq}`one`, {eq}`two`.",
        "$$\na = b\n\\tag{1}\n$$\n\n$$\nc\n\\tag{2}\n$$\n\nSee (1), (2).",
    ),
    "math directive of several equations": (
        "```{math}\na\n\nb\n```",
        "$$\n\\begin{gathered}\na\n\\\\\nb\n\\\\\n\\end{gathered}\n$$",
    ),
    "figure": (
        ":::{figure} ../book/mesh.svg\n:alt: Eight squares.\n:name: fig\n\nA {term}`mesh`.\n:::",
        f"![Eight squares.]({SITE}_images/mesh.svg)\n\nA [mesh]({SITE}book/glossary.html#term-mesh).",
    ),
    "picture": ("![Squares.](../book/mesh.svg)", f"![Squares.]({SITE}_images/mesh.svg)"),
    "picture from the book's root": (
        "```{image} /book/mesh.svg\n:alt: A.\n```",
        f"![A.]({SITE}_images/mesh.svg)",
    ),
    "doc": (
        "{doc}`01-other`, {doc}`/book/glossary`, {doc}`that one <01-other>`",
        f"[The `other` one]({SITE}lessons/01-other.html), [Glossary]({SITE}book/glossary.html), "
        f"[that one]({SITE}lessons/01-other.html)",
    ),
    "ref": (
        "{ref}`far`, {ref}`over\nthere <far>`, {ref}`a line <bare>`",
        f"[Far away]({SITE}lessons/01-other.html#far), [over there]({SITE}lessons/01-other.html#far), "
        f"[a line]({SITE}lessons/01-other.html#bare)",
    ),
    "term": (
        "{term}`device mesh`, {term}`meshes <device mesh>`",
        f"[device mesh]({SITE}book/glossary.html#term-device-mesh), "
        f"[meshes]({SITE}book/glossary.html#term-device-mesh)",
    ),
    "links": (
        '[o](01-other.md), [](01-other.md), [f](01-other.md#far "x"), [](#far), [f](#far), [w](https://x.org)',
        f"[o]({SITE}lessons/01-other.html), [The `other` one]({SITE}lessons/01-other.html), "
        f'[f]({SITE}lessons/01-other.html#far "x"), [Far away]({SITE}lessons/01-other.html#far), '
        f"[f]({SITE}lessons/01-other.html#far), [w](https://x.org)",
    ),
    "cite": (
        "{cite}`three`, {cite:p}`two,group`",
        "([Frostig et al., 2018](https://example.org/three)), "
        "([Petersen and García, 2012](https://doi.org/10.1000/two); The JAX authors, 2024)",
    ),
    "cite in the sentence": ("{cite:t}`three` say", "[Frostig et al. (2018)](https://example.org/three) say"),
}


@pytest.mark.parametrize(("source", "expected"), TRANSLATIONS.values(), ids=TRANSLATIONS.keys())
def test_translation(book, source, expected):
    assert markdown(book, source) == expected


REFUSALS = {
    "directive": ("One.\n\n:::{marginalia}\nx\n:::", 3, "directive {marginalia}"),
    "directive inside another": ("::::{note}\nx\n\n:::{glue} y\n:::\n::::", 4, "directive {glue}"),
    "options that are no YAML": (":::{note}\n---\na: [\n---\nx\n:::", 1, "YAML"),
    "code cell inside a directive": (
        "::::{note}\n```{code-cell} python\n1\n```\n::::",
        1,
        "'::::{note}' is not closed",
    ),
    "role": ("One.\n\nTwo\nand {kbd}`x`.", 4, "role {kbd}"),
    "role in a title": ("\n:::{admonition} A {kbd}`x`\nx\n:::", 2, "role {kbd}"),
    "role in a nested body": (":::{note}\n:class: x\n\n{kbd}`x`\n:::", 4, "role {kbd}"),
    "colon fence without a name": (":::note\nx\n:::", 1, ":::note"),
    "footnote": ("Text[^1].\n\n[^1]: note", 1, "footnotes"),
    "definition list": ("term\n: its meaning", 1, "definition lists"),
    "substitution": ("A {{ word }}.", 1, "substitutions"),
    "attributes": ("A `word`{l=python}.", 1, "attributes"),
    "bare LaTeX": ("x\n\n\\begin{align}\na\n\\end{align}", 3, "LaTeX"),
    "unknown page": ("{doc}`03-none`", 1, "no page lessons/03-none.md"),
    "unknown label": ("{ref}`nowhere`", 1, "label 'nowhere'"),
    "label without a title": ("{ref}`bare`", 1, "no title"),
    "unknown citation": ("{cite:p}`nobody`", 1, "no entry 'nobody'"),
    "unknown equation": ("{eq}`none`", 1, "no equation 'none'"),
    "missing picture": (":::{figure} none.png\n:::", 1, "no picture lessons/none.png"),
    "file that is no page": ("[x](../setup.cfg)", 1, "link to an address"),
}


@pytest.mark.parametrize(("source", "line", "words"), REFUSALS.values(), ids=REFUSALS.keys())
def test_what_has_no_translation_is_an_error_with_file_and_line(book, source, line, words):
    with pytest.raises(UserError) as error:
        convert(book, source)
    assert str(error.value).startswith(f"lessons/02-page.md:{HEAD_LINES + line}: ")
    assert words in str(error.value)


def test_error_after_a_code_cell_names_the_line_of_the_file(book):
    with pytest.raises(UserError, match=rf"^lessons/02-page.md:{HEAD_LINES + 8}: "):
        convert(book, "# T\n\n```{code-cell} python\n1\n```\n\n\n{kbd}`x`\n")


CELLS = """\
# Title

```{code-cell} python
:tags: [raises-exception]

import jaxcourse
```

```{code-cell} python
:tags: [tab:JAX]

a = 1
```

```{code-cell} python
---
tags: [tab:PyTorch, hide-input]
mystnb:
  image:
    alt: A line.
---
b = 2
```

+++ {"tags": ["keep"]}

End.
"""


def test_cells(book):
    notebook = convert(book, CELLS)
    title, first, jax_label, jax_cell, torch_label, torch_cell, end = notebook.cells
    assert title.source.startswith("# Title")
    assert first.metadata == {"tags": ["raises-exception"]}
    assert (jax_label.source, torch_label.source) == ("**JAX**", "**PyTorch**")
    assert (jax_cell.source, torch_cell.source) == ("a = 1", "b = 2")
    assert "mystnb" not in torch_cell.metadata
    assert torch_cell.metadata.jupyter.source_hidden and torch_cell.metadata.cellView == "form"
    assert end.metadata == {"tags": ["keep"]}
    assert all(
        not cell.outputs and cell.execution_count is None for cell in notebook.cells if "outputs" in cell
    )
    assert notebook.metadata.keys() == {"kernelspec", "language_info"}


def test_install_guard_stands_on_top_of_the_first_code_cell_only(book):
    _, first, *others = convert(book, CELLS).cells
    assert first.source == (
        "try:\n    import jaxcourse\nexcept ImportError:\n"
        f'    %pip install -q "jaxcourse @ git+{addresses.repository()}"\n\nimport jaxcourse'
    )
    assert not any("%pip" in cell.source for cell in others)


def test_same_page_gives_the_same_file(book, tmp_path):
    convert(book, CELLS)
    first, second = (notebooks.write(book, tmp_path / name) for name in ("a", "b"))
    assert [path.name for path in first] == ["01-other.ipynb", "02-page.ipynb"]
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


def test_no_lessons_is_one_sentence(tmp_path):
    with pytest.raises(UserError, match="no lessons"):
        notebooks.write(tmp_path, tmp_path / "out")


def test_unwritable_folder_is_one_sentence(book, tmp_path):
    (tmp_path / "out").write_text("a file, not a folder")
    with pytest.raises(UserError, match="cannot be written"):
        notebooks.write(book, tmp_path / "out")


def test_page_without_front_matter_is_one_sentence(book):
    (book / "lessons" / "03-plain.md").write_text("# Not a notebook\n")
    with pytest.raises(UserError, match=r"lessons/03-plain.md is not a MyST notebook"):
        notebooks.write(book, book / "out")


@pytest.mark.parametrize("path", PAGES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_page_of_the_book_converts_to_plain_markdown(path):
    notebook = notebooks.convert(path, ROOT)
    nbformat.validate(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            assert left_overs(cell.source) == []


def left_overs(text):
    """The MyST in a text that the book's own parser still finds there."""
    tokens = [inner for token in MYST_PARSER.parse(text) for inner in (token, *(token.children or []))]
    found = [token.type for token in tokens if token.type.startswith("myst_") or token.type == "colon_fence"]
    found += [token.info for token in tokens if token.type == "fence" and token.info.startswith("{")]
    return found + re.findall(r"\]\((?!https?:)[^)]*\)", text)  # a relative link leads nowhere in a notebook


def test_left_overs_are_found():
    text = "(x)=\n{ref}`x`\n\n:::{note}\n:::\n\n```{tip}\n```\n\n[a](b.md)"
    assert left_overs(text) == ["myst_target", "myst_role", "colon_fence", "{tip}", "](b.md)"]
