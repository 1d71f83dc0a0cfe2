"""Figures to explore: pick from a few choices and see what JAX computed for each combination.

Everything is computed when the cell runs and put into the output: radio buttons, a panel for each
combination, and style rules that show one of them. There is no script, so the figure works on the
website, in JupyterLab and in Colab, and the arrow keys move through the choices.
"""

import hashlib
import html
import itertools
import re
from collections.abc import Callable, Mapping, Sequence

from jaxcourse.display import Shown, inline
from jaxcourse.errors import UserError

_MOST = 200


def explore(title: str, choices: Mapping[str, Sequence[str]], show: Callable[..., "str | Shown"]) -> None:
    """Show a figure with one group of radio buttons for each choice.

    Args:
        title: what the figure is about; a sentence, read out by screen readers.
        choices: the options of each choice, by its name; the first of each is selected at the start.
        show: called once for each combination, with one option of each choice; returns text, which
            is set as code, or a `Shown`, such as a picture, with its own words.

    Raises:
        UserError: there is no choice, a choice has no option, or there are too many combinations.
    """
    if not choices or not all(choices.values()):
        raise UserError("explore needs at least one choice, and each choice at least one option.")
    options = [list(found) for found in choices.values()]
    combinations = list(itertools.product(*options))
    if len(combinations) > _MOST:
        raise UserError(
            f"explore would compute {len(combinations)} combinations; offer fewer options, at most {_MOST} in all."
        )
    panels = {combination: _as_shown(show(*combination)) for combination in combinations}
    name = _name(title, panels)
    text = "\n\n".join(f"[{', '.join(chosen)}]\n{panel.text}" for chosen, panel in panels.items())
    data = {
        "choices": {choice: list(found) for choice, found in choices.items()},
        "panels": [{"chosen": list(chosen), "text": panel.text} for chosen, panel in panels.items()],
    }
    markup = (
        f'<div class="jc-explorer" id="{name}" role="group" aria-label="{html.escape(title)}" '
        'style="border:1px solid currentColor;border-radius:.3em;padding:.6em .9em;margin:.4em 0">'
        f"<style>{_rules(name, options)}</style>"
        f'<div style="margin-bottom:.3em">{inline(title)}</div>'
        f"{''.join(_group(name, i, choice, found) for i, (choice, found) in enumerate(choices.items()))}"
        f"{''.join(_panel(name, options, chosen, panel) for chosen, panel in panels.items())}</div>"
    )
    Shown("explorer", data, f"{title}\n\n{text}", markup).show()


def _as_shown(result: "str | Shown") -> Shown:
    if isinstance(result, Shown):
        return result
    # Under IPython, JAX colours the jaxprs it prints with terminal codes.
    result = re.sub(r"\x1b\[[0-9;]*m", "", result)
    code = f'<pre style="white-space:pre-wrap;overflow-x:auto;margin:.3em 0">{html.escape(result)}</pre>'
    return Shown("text", {}, result, code)


def _name(title: str, panels: Mapping[tuple, Shown]) -> str:
    """An id that is the same in every run and differs between figures on one page."""
    content = title + "".join(panel.markup for panel in panels.values())
    return "jc-" + hashlib.sha256(content.encode()).hexdigest()[:10]


def _place(options: list[list[str]], chosen: Sequence[str]) -> str:
    return "-".join(str(found.index(option)) for found, option in zip(options, chosen, strict=True))


def _rules(name: str, options: list[list[str]]) -> str:
    """Hide all panels but the one of the checked buttons; a browser that cannot select so shows all."""
    shown = []
    for chosen in itertools.product(*options):
        place = _place(options, chosen)
        checked = "".join(f":has(#{name}-{i}-{k}:checked)" for i, k in enumerate(place.split("-")))
        shown.append(f"#{name}{checked} .{name}-{place}")
    return f"@supports selector(:has(*)){{#{name} .jc-panel{{display:none}}{','.join(shown)}{{display:block!important}}}}"


def _group(name: str, number: int, choice: str, options: Sequence[str]) -> str:
    buttons = "".join(
        f'<label for="{name}-{number}-{k}" style="display:inline-block;margin-right:.9em;cursor:pointer">'
        f'<input type="radio" name="{name}-{number}" id="{name}-{number}-{k}"{" checked" if k == 0 else ""}> '
        f"<code>{html.escape(option)}</code></label>"
        for k, option in enumerate(options)
    )
    return (
        '<fieldset style="border:0;margin:0;padding:.15em 0">'
        f'<legend style="float:left;margin:0 .9em 0 0;padding:0;font-size:inherit;width:auto">{inline(choice)}</legend>'
        f"{buttons}</fieldset>"
    )


def _panel(name: str, options: list[list[str]], chosen: Sequence[str], panel: Shown) -> str:
    return f'<div class="jc-panel {name}-{_place(options, chosen)}">{panel.markup}</div>'
