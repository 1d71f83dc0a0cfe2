"""From MyST to the plain Markdown that Colab, JupyterLab and VS Code all render.

None of them knows directives and roles. An admonition becomes a block quote, a dropdown <details>, a
role a link to the published site. What has no translation is an error: nothing half-read is published.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from myst_parser.config.main import MdParserConfig
from myst_parser.parsers.mdit import create_md_parser
from yaml import YAMLError

from jaxcourse.publishing import directives
from jaxcourse.publishing.directives import Directive
from jaxcourse.publishing.references import References, equation_numbers
from jaxcourse.publishing.sources import Source

_ADMONITIONS = {
    name: name.capitalize()
    for name in ("note", "tip", "hint", "important", "warning", "caution", "attention", "danger", "error")
} | {"seealso": "See also", "admonition": ""}

# What the parser finds and no notebook renders, with what to write instead.
_REFUSED = {
    "footnote_ref": ("footnotes", "put the note into the text"),
    "footnote_reference_open": ("footnotes", "put the note into the text"),
    "substitution_inline": ("substitutions", "write the words themselves"),
    "substitution_block": ("substitutions", "write the words themselves"),
    "dl_open": ("definition lists", "write a list or a table"),
    "field_list_open": ("field lists", "write a list or a table"),
    "amsmath": ("bare LaTeX environments", "put the environment between $$ lines, as `aligned`"),
    "span_open": ("attributes", "leave them out"),
}
_PLAIN_ATTRIBUTES = {"href", "src", "alt", "title", "start", "style"}
MYST_PARSER = create_md_parser(
    MdParserConfig(
        enable_extensions={
            "amsmath",
            "attrs_block",
            "attrs_inline",
            "colon_fence",
            "deflist",
            "dollarmath",
            "fieldlist",
            "substitution",
        }
    ),
    RendererHTML,
)

_TEXT_AND_TARGET = re.compile(r"^(?P<text>.+?)\s*<(?P<target>[^<>]+)>$", re.DOTALL)
# Inside a paragraph: an escape, a code span or role, math, the target of a link or picture.
_INLINE = re.compile(
    r"""
    \\[\\`$\[\]]
    | (?:\{(?P<role>[A-Za-z][\w:+.-]*)\})?
      (?<!`)(?P<ticks>`+)(?!`)(?P<code>(?:(?!\n[ \t]*\n).)+?)(?<!`)(?P=ticks)(?!`)
    | \$(?P<math>(?:(?!\n[ \t]*\n)[^$\\]|\\.)+?)\$
    | (?P<empty>\[)?\]\((?P<target>[^()\s]*)(?P<title>[ \t]+"[^"]*")?\)
    """,
    re.VERBOSE | re.DOTALL,
)


class Translator:
    """Translates the Markdown of one page."""

    def __init__(self, page: Source, references: References):
        self._page = page
        self._references = references
        self._equations = equation_numbers(page.text)

    def translate(self, text: str, line: int, quoted: bool = False) -> str:
        """Return `text`, which starts at `line` of the page, as plain Markdown.

        `quoted` says that the result goes into a block quote. Raises UserError, with the line, for what
        cannot be translated.
        """
        lines = text.splitlines()
        out: list[str] = []
        done = 0
        for token in MYST_PARSER.parse(text):
            self._refuse(token, line)
            if token.map is None or token.map[0] < done:
                continue
            start, end = token.map
            replacement = self._block(token, lines[start:end], line + start, quoted)
            if replacement is None:
                continue
            out += self._prose(lines[done:start], line + done)
            if not replacement and end < len(lines) and not lines[end].strip():
                end += 1  # one blank line around what is dropped is enough
            out += replacement
            done = end
        out += self._prose(lines[done:], line + done)
        return "\n".join(out).strip("\n")

    # Blocks

    def _block(self, token: Token, lines: list[str], line: int, quoted: bool) -> list[str] | None:
        """Return the lines that stand for a block's own `lines`, or None for what is read on as prose."""
        if token.type in ("myst_target", "myst_line_comment", "myst_block_break"):
            return []
        if token.type in ("code_block", "html_block"):
            return lines
        if token.type in ("math_block", "math_block_label"):
            prefix = lines[0].partition("$$")[0]
            number = self._equations.get(token.info)
            return _indented(_display(token.content, number, quoted or ">" in prefix), prefix)
        if token.type not in ("fence", "colon_fence"):
            return None
        prefix = lines[0].partition(token.markup)[0]
        if len(lines) < 2 or not lines[-1].lstrip(" >").startswith(token.markup):
            raise self._page.error(
                line,
                f"'{token.markup}{token.info}' is not closed before the next cell, which it cannot hold.",
            )
        if not token.info.startswith("{"):
            if token.type == "colon_fence":
                raise self._page.error(line, f"'{token.markup}{token.info}' is no directive: write {{name}}.")
            return lines
        try:
            directive = directives.parse(token, line, quoted or ">" in prefix)
        except YAMLError as error:
            raise self._page.error(line, "the options of this directive are no valid YAML.") from error
        return _indented(self._expand(directive), prefix)

    def _refuse(self, token: Token, line: int) -> None:
        here = line + token.map[0] if token.map else line
        for found in (token, *(token.children or [])):
            what, instead = _REFUSED.get(found.type, ("", ""))
            if not what and set(found.attrs) - _PLAIN_ATTRIBUTES and not found.type.startswith("myst_"):
                what, instead = _REFUSED["span_open"]
            if what:
                raise self._page.error(here, f"notebooks show no {what}: {instead}.")

    def _expand(self, directive: Directive) -> str:
        if directive.name in _ADMONITIONS:
            return self._admonition(directive)
        expand: dict[str, Callable[[Directive], str]] = {
            "dropdown": self._details,
            "tab-set": lambda tabs: self.translate(tabs.body, tabs.body_line, tabs.quoted),
            "tab-item": self._tab,
            "math": self._math,
            "figure": self._figure,
            "image": self._figure,
        }
        if directive.name not in expand:
            known = ", ".join(sorted([*_ADMONITIONS, *expand]))
            raise self._page.error(
                directive.line,
                f"the directive {{{directive.name}}} has no translation for notebooks; these have: {known}.",
            )
        return expand[directive.name](directive)

    def _admonition(self, directive: Directive) -> str:
        if directive.has_class("dropdown"):
            return self._details(directive)
        title = _ADMONITIONS[directive.name]
        body = self.translate(directive.body, directive.body_line, quoted=True)
        argument = self._line_of_prose(directive)
        if not title:
            title = argument
        elif argument:  # a plain note may begin on the line of its fence
            body = f"{argument}\n\n{body}"
        return _quote(f"**{title}**\n\n{body}")

    def _details(self, directive: Directive) -> str:
        title = self._line_of_prose(directive) or _ADMONITIONS.get(directive.name) or "More"
        body = self.translate(directive.body, directive.body_line, directive.quoted)
        return f"<details>\n<summary>{MarkdownIt().renderInline(title)}</summary>\n\n{body}\n\n</details>"

    def _tab(self, directive: Directive) -> str:
        body = self.translate(directive.body, directive.body_line, directive.quoted)
        return f"**{directive.argument}**\n\n{body}\n"

    def _math(self, directive: Directive) -> str:
        number = self._equations.get(str(directive.options.get("label")))
        return _display(f"{directive.argument}\n{directive.body}", number, directive.quoted)

    def _figure(self, directive: Directive) -> str:
        with_alt = f"![{directive.options.get('alt', '')}]"
        picture = f"{with_alt}({self._look_up(directive.line, self._picture, directive.argument)})"
        caption = self.translate(directive.body, directive.body_line, directive.quoted)
        return f"{picture}\n\n{caption}".strip()

    def _line_of_prose(self, directive: Directive) -> str:
        return "\n".join(self._prose([directive.argument], directive.line))

    # Inside paragraphs

    def _prose(self, lines: list[str], line: int) -> list[str]:
        text = "\n".join(lines)

        def replace(found: re.Match[str]) -> str:
            here = line + text.count("\n", 0, found.start())
            if found["role"]:
                return self._look_up(here, self._role, found["role"], _on_one_line(found["code"]))
            if found["math"]:
                return f"${_on_one_line(found['math'])}$"  # Colab wants it on one line, VS Code unpadded
            if found["target"] is not None:
                return self._look_up(here, self._link, found)
            return found.group()

        return _INLINE.sub(replace, text).split("\n") if lines else []

    def _look_up(self, line: int, resolve: Callable[..., str], *arguments: Any) -> str:
        try:
            return resolve(*arguments)
        except LookupError as error:
            raise self._page.error(line, f"{error.args[0]}.") from error

    def _role(self, name: str, content: str) -> str:
        explicit = _TEXT_AND_TARGET.match(content)
        target, text = (explicit["target"], explicit["text"]) if explicit else (content, None)
        match name:
            case "doc":
                return self._references.document(target, self._page.docname).link(text)
            case "ref":
                return self._references.label(target).link(text)
            case "term":
                return self._references.term(target).link(text)
            case "cite" | "cite:p":
                return self._references.citations(content, textual=False)
            case "cite:t":
                return self._references.citations(content, textual=True)
            case "eq":
                if content not in self._equations:
                    raise LookupError(f"this page has no equation '{content}'")
                return f"({self._equations[content]})"
            case "math":
                return f"${content}$"
        raise LookupError(f"the role {{{name}}} has no translation for notebooks")

    def _link(self, found: re.Match[str]) -> str:
        target, title = found["target"], found["title"] or ""
        if re.match(r"[a-z][a-z+.-]*:", target):
            return found.group()
        path, _, anchor = target.partition("#")
        if re.search(r"\.(?:png|jpe?g|gif|svg|webp)$", path):
            return f"]({self._picture(path)}{title})"
        if path and not path.endswith(".md"):
            raise LookupError(f"a notebook cannot link to the file {path}: link to an address")
        known = self._references
        place = known.document(path, self._page.docname, anchor) if path else known.label(anchor)
        return place.link() if found["empty"] else f"]({place.url}{title})"

    def _picture(self, target: str) -> str:
        if re.match(r"https?:", target):
            return target
        return self._references.image_url(target, self._page.docname)


def _display(tex: str, number: int | None, quoted: bool) -> str:
    """Return display math, on one line in a block quote: JupyterLab would read its `>` as TeX."""
    equations = [_aligned(equation) for equation in re.split(r"\n[ \t]*\n", tex.strip())]
    lines = equations[0]
    if len(equations) > 1:
        rows = [line for equation in equations for line in (*equation, r"\\")]
        lines = [r"\begin{gathered}", *rows, r"\end{gathered}"]
    if number is not None:
        lines.append(rf"\tag{{{number}}}")
    return f"$${' '.join(lines)}$$" if quoted else "\n".join(["$$", *lines, "$$"])


def _aligned(equation: str) -> list[str]:
    """Return an equation's lines, with the environment that Sphinx puts around rows that have none."""
    lines = [line.strip() for line in equation.splitlines()]
    if r"\\" in equation and r"\begin{" not in equation:
        return [r"\begin{aligned}", *lines, r"\end{aligned}"]
    return lines


def _on_one_line(text: str) -> str:
    """Join the lines of a role or formula; a `>` at the start of one is the mark of a block quote."""
    return re.sub(r"\s*\n[\s>]*", " ", text).strip()


def _quote(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.strip().split("\n"))


def _indented(text: str, prefix: str) -> list[str]:
    """Put a block back where it stood: after a list marker, or inside a list item or block quote."""
    if not text:
        return []
    first, *rest = text.split("\n")
    following = re.sub(r"[^\s>]", " ", prefix)
    return [prefix + first, *((following + line).rstrip() for line in rest)]
