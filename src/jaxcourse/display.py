"""Showing a result in every front end: HTML where there is some, else plain text."""

import html
import re
import sys
from typing import Any

MIME = "application/vnd.jaxcourse.{}+json"


class Shown:
    """A result with a plain text, an HTML and a data form, which front ends choose from.

    Args:
        kind: the data's kind; its MIME type is ``application/vnd.jaxcourse.<kind>+json``.
        data: what can be said in JSON.
        text: the plain-text form.
        markup: the HTML form, safe to insert (escape what comes from outside).
    """

    def __init__(self, kind: str, data: dict[str, Any], text: str, markup: str):
        self.kind, self.data, self.text, self.markup = kind, data, text, markup

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict[str, Any]:
        return {"text/plain": self.text, "text/html": self.markup, MIME.format(self.kind): self.data}

    def show(self) -> None:
        """Display in the notebook's cell, or print where there is no notebook."""
        # IPython is never imported for this: where it runs, it is loaded already.
        ipython = sys.modules.get("IPython")
        if ipython is not None and ipython.get_ipython() is not None:
            from IPython.display import display

            display(self)
        else:
            print(self.text)


def inline(text: str) -> str:
    """Escape a sentence for HTML and set its `backticked` words as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text, quote=False))


# Verdicts by colour property of the website, with a colour that reads where there is no such property.
TRUE, FALSE, MEASURED = "--jc-true, #2c9c62", "--jc-false, #c9602a", "--jc-measured, #7d838f"


def box(classes: str, colour: str, content: str) -> str:
    """HTML ``content`` behind a bar of one of the colours above; ``classes`` are for the website's style."""
    style = f"border-left:.25em solid var({colour});padding:.15em .8em;margin:.25em 0"
    return f'<div class="{classes}" style="{style}">{content}</div>'
