"""What a reference in the text stands for: its words, and where they lead on the published site."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import urljoin

from docutils.nodes import make_id
from pybtex.database import BibliographyData, Entry, Person, parse_file

from jaxcourse.publishing import addresses
from jaxcourse.publishing.sources import front_matter

_ROOMS = ("book", "lessons", "exercises", "solutions")
_TITLE = re.compile(r"^#\s+(.+)$", re.MULTILINE)
_LABEL = re.compile(r"^\((?P<label>[^()\n]+)\)=[ \t]*\n\s*(?:#+[ \t]+(?P<title>.+))?", re.MULTILINE)
_NAME = re.compile(r"^[ \t]*:name:[ \t]*(\S+)[ \t]*$", re.MULTILINE)
_EQUATION = re.compile(r"^[ \t>]*(?:\$\$[ \t]+\(([\w:.-]+)\)|:label:[ \t]*(\S+))[ \t]*$", re.MULTILINE)


@dataclass(frozen=True)
class Target:
    """What a reference leads to."""

    url: str
    title: str | None

    def link(self, text: str | None = None) -> str:
        """Return a Markdown link, with the target's own title for want of a text.

        Raises LookupError when there is neither.
        """
        if not (text or self.title):
            raise LookupError(f"{self.url} has no title to link to it with: write {{ref}}`words <label>`")
        return f"[{text or self.title}]({self.url})"


class References:
    """Resolves the references of a book's pages.

    Every method raises LookupError, with a sentence, when there is no such target.
    """

    def __init__(self, root: Path):
        self.root = root

    def document(self, target: str, origin: str, anchor: str = "") -> Target:
        """Return another page; `target` is its path as written in the page `origin`, with or without .md."""
        docname = _resolve(target.removesuffix(".md"), origin)
        path = self.root / f"{docname}.md"
        if not path.is_file():
            raise LookupError(f"there is no page {docname}.md")
        page = path.read_text(encoding="utf-8")
        title = _TITLE.search(page, len(front_matter(page)))
        return _target(docname, anchor, title.group(1).strip() if title else docname)

    def label(self, label: str) -> Target:
        """Return a place that a page names with `(label)=` or `:name: label`; headings give it a title."""
        if label not in self._labels:
            raise LookupError(f"no page has the label '{label}'")
        docname, title = self._labels[label]
        return _target(docname, make_id(label), title)

    def term(self, term: str) -> Target:
        """Return an entry of the glossary."""
        anchor = re.sub(r"[^A-Za-z0-9._]+", "-", f"term-{term}").strip("-")
        return _target("book/glossary", anchor, term)

    def image_url(self, target: str, origin: str) -> str:
        """Return the address of a picture on the site; `target` is its path as written in `origin`."""
        name = _resolve(target, origin)
        if not (self.root / name).is_file():
            raise LookupError(f"there is no picture {name}")
        return urljoin(addresses.page("index"), f"_images/{posixpath.basename(name)}")

    def citations(self, keys: str, textual: bool) -> str:
        """Return the cited works as authors and year, each linked to the work itself.

        In parentheses, or as part of the sentence when `textual`.
        """
        cited = []
        for key in (key.strip() for key in keys.split(",")):
            if key not in self._bibliography.entries:
                raise LookupError(f"book/references.bib has no entry '{key}'")
            entry = self._bibliography.entries[key]
            year = entry.fields.get("year", "n.d.")
            words = f"{_authors(entry)} ({year})" if textual else f"{_authors(entry)}, {year}"
            url = _address(entry)
            cited.append(f"[{words}]({url})" if url else words)
        return ", ".join(cited) if textual else f"({'; '.join(cited)})"

    @cached_property
    def _labels(self) -> dict[str, tuple[str, str | None]]:
        labels: dict[str, tuple[str, str | None]] = {}
        for room in _ROOMS:
            for path in sorted((self.root / room).rglob("*.md")):
                docname = path.relative_to(self.root).with_suffix("").as_posix()
                text = path.read_text(encoding="utf-8")
                labels |= dict.fromkeys(_NAME.findall(text), (docname, None))
                labels |= {found["label"]: (docname, found["title"]) for found in _LABEL.finditer(text)}
        return labels

    @cached_property
    def _bibliography(self) -> BibliographyData:
        path = self.root / "book" / "references.bib"
        if not path.is_file():
            raise LookupError("there is no book/references.bib")
        return parse_file(str(path))


def equation_numbers(text: str) -> dict[str, int]:
    """Number the labelled equations of a page from 1, as Sphinx does."""
    labels = [dollars or option for dollars, option in _EQUATION.findall(text)]
    return {label: number for number, label in enumerate(labels, start=1)}


def _target(docname: str, anchor: str, title: str | None) -> Target:
    return Target(addresses.page(docname) + (f"#{anchor}" if anchor else ""), title)


def _resolve(target: str, origin: str) -> str:
    """Return a path relative to the book's root; as in Sphinx, a leading slash means that root."""
    if target.startswith("/"):
        return target.lstrip("/")
    return posixpath.normpath(posixpath.join(posixpath.dirname(origin), target))


def _authors(entry: Entry) -> str:
    names = [_last_name(person) for person in entry.persons.get("author", entry.persons.get("editor", []))]
    if not names:
        return entry.fields.get("title", entry.key).replace("{", "").replace("}", "")
    if len(names) > 2:
        return f"{names[0]} et al."
    return " and ".join(names)


def _last_name(person: Person) -> str:
    return " ".join(str(name) for name in person.rich_prelast_names + person.rich_last_names)


def _address(entry: Entry) -> str | None:
    if "doi" in entry.fields:
        return f"https://doi.org/{entry.fields['doi']}"
    return entry.fields.get("url")
