"""The parts of a MyST directive: its name, argument, options and body."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import yaml
from markdown_it.token import Token

_OPTION = re.compile(r"^:([\w-]+):(?:[ \t]+(.*))?$")


@dataclass(frozen=True)
class Directive:
    """A directive as written, and where it stands."""

    name: str
    argument: str
    options: dict[str, Any]
    body: str
    line: int  # of its fence, in the page's file
    body_line: int
    quoted: bool  # inside a block quote

    def has_class(self, name: str) -> bool:
        """Say whether the option `:class:` names that class."""
        return name in str(self.options.get("class", "")).split()


def parse(fence: Token, line: int, quoted: bool) -> Directive:
    """Read a fence whose info string is `{name} argument`; its options are `:key: value` lines or YAML.

    Raises YAMLError when these are not well formed.
    """
    name, _, argument = fence.info.removeprefix("{").partition("}")
    lines = fence.content.splitlines()
    options: dict[str, Any] = {}
    used = 0
    if lines and lines[0].strip() == "---":
        used = next((at for at, text in enumerate(lines) if at and text.strip() == "---"), 0) + 1
        options = yaml.safe_load("\n".join(lines[1 : used - 1])) or {}
    else:
        while used < len(lines) and (option := _OPTION.match(lines[used])):
            options[option[1]] = (option[2] or "").strip()
            used += 1
    body = "\n".join(lines[used:])
    return Directive(name, argument.strip(), options, body, line, line + 1 + used, quoted)
