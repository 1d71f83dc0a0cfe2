"""What a cell printed, and what it printed when its author last looked: the stored references.

A reference file holds the text of one notebook's outputs, by cell number. Each entry carries a hash
of the cell's source, so that an edited cell asks for a new reference instead of passing by chance.
"""

import difflib
import hashlib
import json
import re
from importlib import metadata
from pathlib import Path

from nbval.plugin import coalesce_streams

CLAIM = "application/vnd.jaxcourse.claim+json"
MEASURE = "application/vnd.jaxcourse.measure+json"
CHECK = "application/vnd.jaxcourse.check+json"
TIMING = "application/vnd.jaxcourse.timing+json"

# Figures that a machine's speed decides: shown and recorded, never compared.
_UNCOMPARED = {MEASURE, TIMING}

# What tells one run or one environment from another, and nothing more.
_INCIDENTAL = re.compile(r"\b0x[0-9a-f]{6,}\b|(?<=\bJAX )\d+(\.\d+)+")
# A sign belongs to the number; digits inside a name (float32) do not count as numbers.
_NUMBER = re.compile(r"((?:[-+]|(?<![\w.]))(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)")
_RELATIVE = 1e-3
_OF_LARGEST = 1e-6


def _jax_release() -> str:
    """Return the installed JAX's release, such as "0.10", without its patch number."""
    return ".".join(metadata.version("jax").split(".")[:2])


def source_hash(source: str) -> str:
    """Return a short hash of a cell's source."""
    return hashlib.sha256(source.encode()).hexdigest()[:12]


def comparable(outputs: list) -> list[dict]:
    """Return the part of a cell's outputs that is compared: stdout, plain text, an error's type.

    Text is a list of lines. Pictures and HTML are left out, and so are measured figures.
    """
    texts = []
    for output in coalesce_streams(outputs):
        if output.output_type == "stream" and output.name == "stdout":
            texts.append({"stdout": _lines(output.text)})
        elif output.output_type == "error":
            texts.append({"error": output.ename})
        elif "data" in output and "text/plain" in output.data and not _UNCOMPARED & set(output.data):
            texts.append({"text": _lines(output.data["text/plain"])})
    return texts


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in _INCIDENTAL.sub("...", text).splitlines()]


def difference(stored: list[dict], printed: list[dict]) -> str:
    """Return how a cell's outputs differ from the stored ones, or "" when they agree.

    Whitespace is not compared. Whole numbers must be equal. A number with a point or an exponent may
    differ by one part in a thousand, or by a millionth of the largest such number in the same output.
    """
    pairs = zip(stored, printed, strict=False)
    if len(stored) == len(printed) and all(_agree(old, new) for old, new in pairs):
        return ""
    diff = difflib.unified_diff(
        _written(stored), _written(printed), "reference", "this run", n=2, lineterm=""
    )
    return "\n".join(diff)


def _agree(stored: dict, printed: dict) -> bool:
    if stored.keys() != printed.keys():
        return False
    ((kind, old),) = stored.items()
    new = printed[kind]
    return old == new if kind == "error" else _same_text("\n".join(old), "\n".join(new))


def _same_text(old: str, new: str) -> bool:
    # With a capturing group, split() returns words and numbers in turn.
    old_parts, new_parts = _NUMBER.split(old), _NUMBER.split(new)
    if len(old_parts) != len(new_parts):
        return False
    largest = max((abs(float(part)) for part in old_parts[1::2] if not _is_whole(part)), default=0.0)
    words = zip(old_parts[::2], new_parts[::2], strict=True)
    numbers = zip(old_parts[1::2], new_parts[1::2], strict=True)
    return all("".join(a.split()) == "".join(b.split()) for a, b in words) and all(
        _same_number(a, b, largest) for a, b in numbers
    )


def _same_number(old: str, new: str, largest: float) -> bool:
    if _is_whole(old) or _is_whole(new):
        return _is_whole(old) and _is_whole(new) and int(old) == int(new)
    tolerance = max(_RELATIVE * abs(float(old)), _OF_LARGEST * largest)
    return abs(float(old) - float(new)) <= tolerance


def _is_whole(number: str) -> bool:
    return number.lstrip("+-").isdigit()


def _written(outputs: list[dict]) -> list[str]:
    lines = []
    for output in outputs:
        ((kind, content),) = output.items()
        lines += [f"[{kind}]", *([content] if kind == "error" else content)]
    return lines


class References:
    """The stored outputs of one notebook.

    `path` is the notebook's reference file; it need not exist.
    """

    def __init__(self, path: Path):
        self.path = path
        self.cells: dict[str, dict] = {}
        self.jax = _jax_release()
        if path.exists():
            stored = json.loads(path.read_text(encoding="utf-8"))
            self.cells, self.jax = stored["cells"], stored["jax"]

    @property
    def apply(self) -> bool:
        """Whether the references belong to this release of JAX. Wording and names differ in others."""
        return self.jax == _jax_release()

    def stale(self, sources: dict[int, str]) -> list[str]:
        """Return the numbers of stored cells that are not in `sources` (source by cell number)."""
        hashes = {str(number): source_hash(source) for number, source in sources.items()}
        return [number for number, cell in self.cells.items() if hashes.get(number) != cell["source"]]

    def complaint(self, number: int, source: str, printed: list[dict]) -> tuple[str, str] | None:
        """Return a sentence and details on how a cell departs from its reference, or None if it does not.

        A cell that prints nothing comparable needs no reference.
        """
        stored = self.cells.get(str(number))
        if stored is None or stored["source"] != source_hash(source):
            if stored is None and not printed:
                return None
            state = "has no stored reference" if stored is None else "changed since its reference was stored"
            how = f"look at what it prints, then run `pytest {self.notebook} --update-reference`"
            return f"the cell {state}: {how}", "\n".join(_written(printed))
        how = difference(stored["outputs"], printed)
        return ("the cell's output differs from its stored reference", how) if how else None

    @property
    def notebook(self) -> str:
        return f"{self.path.parent.name}/{self.path.stem}.md"

    def renew(self, sources: dict[int, str], printed: dict[int, list[dict]]) -> None:
        """Store what the cells in `printed` printed, keep other cells' entries, drop stale ones."""
        for gone in self.stale(sources):
            del self.cells[gone]
        for number, outputs in printed.items():
            self.cells.pop(str(number), None)
            if outputs:
                self.cells[str(number)] = {"source": source_hash(sources[number]), "outputs": outputs}
        if not self.cells:
            self.path.unlink(missing_ok=True)
            return
        cells = dict(sorted(self.cells.items(), key=lambda cell: int(cell[0])))
        text = json.dumps({"jax": _jax_release(), "cells": cells}, ensure_ascii=False, indent=1)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(text + "\n", encoding="utf-8")
