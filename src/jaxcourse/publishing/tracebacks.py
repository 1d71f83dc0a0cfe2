"""Error outputs as a page shows them: the notebook's own frames, the message, no build machine."""

import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.transforms import SphinxTransform

_FRAME = re.compile(r"^(?:File |Cell In\[)", re.MULTILINE)
_RULE = re.compile(r"\A-+\n")
_SKIPPED = re.compile(r"^ *\[\.\.\. skipping hidden \d+ frames?\]\n?", re.MULTILINE)
# IPython compiles each cell under such a name, and JAX quotes it in its messages.
_CELL_FILE = re.compile(r"""[^\s"'<>(]*[/\\]ipykernel_\d+[/\\]\d+\.py""")


def shorten(traceback: str) -> str:
    """The traceback without the frames of installed files; the cells' own frames and text stay.

    `traceback` is what IPython prints, without colour codes.
    """
    traceback = _RULE.sub("", traceback)
    starts = [match.start() for match in _FRAME.finditer(traceback)]
    if not starts:
        return traceback
    pieces = [traceback[: starts[0]]]
    for start, end in zip(starts, [*starts[1:], len(traceback)], strict=True):
        frame = traceback[start:end]
        if frame.startswith("File "):
            # A frame ends at the first empty line; what follows it is a message, and stays.
            _, _, frame = frame.partition("\n\n")
        pieces.append(frame)
    return re.sub(r"\n{3,}", "\n\n", _SKIPPED.sub("", "".join(pieces)))


def anonymise(text: str, root: Path) -> str:
    """The text without the paths of this machine: notebook cells, the book's root, the packages, home.

    `root` is the folder of the book, which becomes `.`.
    """
    text = _CELL_FILE.sub("<cell>", text)
    text = re.sub(r"""[^\s"'<>(]*[/\\]site-packages[/\\]""", "", text)
    for folder, name in ((root, "."), (Path.home(), "~")):
        text = text.replace(f"{folder}/", f"{name}/")
    return text


class ShortenTracebacks(SphinxTransform):
    """Apply both functions to the text outputs of a page."""

    default_priority = 500

    def apply(self, **kwargs: Any) -> None:
        for node in self.document.findall(nodes.literal_block):
            if "output" not in node["classes"]:
                continue
            text = node.astext()
            shown = anonymise(
                shorten(text) if "traceback" in node["classes"] else text, Path(self.env.srcdir)
            )
            if shown != text:
                node.rawsource = shown
                node.children = []
                node += nodes.Text(shown)
