"""What the book says, as lines that fail when it stops being true.

``claim`` is for what cannot wobble (values with tolerances, shapes, shardings, counts) and fails
its cell. ``measure`` is for what may (times, ratios, old figures) and never does. Both leave their
data in the cell's output, where the run records and the ledger find it.
"""

from typing import Any

from jaxcourse.display import FALSE, MEASURED, TRUE, Shown, box, inline
from jaxcourse.errors import UserError

# The five documents whose items the book re-runs; the prefix of an item's name says which.
DOCUMENTS = {
    "S0": "Objax, Compilation and Parallelism",
    "S1": "JAX: Now and Future",
    "S2": "JAXopt, pjit example",
    "S3": "Helmholtz JAX talk",
    "S4": "MiniTorch, Parallelism",
}


class ClaimError(AssertionError):
    """A claim of the book that does not hold here. IPython shows only its sentence."""

    def _render_traceback_(self) -> list[str]:
        return [f"ClaimError: {self}"]


def claim(text: str, holds: Any, source: str | None = None) -> None:
    """State something and fail the cell when it is not so.

    Args:
        text: the claim, a sentence; `backticks` set code.
        holds: one truth value: a bool, or a NumPy or JAX array with one element.
        source: the item of the older document that says the same, such as ``"S3-25"``.

    Raises:
        ClaimError: ``holds`` is false; the message is the claim.
        UserError: ``holds`` has no single truth value.
    """
    if getattr(holds, "size", 1) != 1 or not hasattr(holds, "__bool__"):
        what = f"an array of shape {holds.shape}" if hasattr(holds, "shape") else type(holds).__name__
        raise UserError(
            f"claim({text!r}) needs one truth value but got {what}: reduce it with jnp.all, or compare with jnp.allclose."
        )
    truth = bool(holds)
    classes, colour, mark = (
        ("jc-claim", TRUE, "&#10003; Holds.") if truth else ("jc-claim jc-failed", FALSE, "&#10007; Fails.")
    )
    markup = box(classes, colour, f"<strong>{mark}</strong> {inline(text)}{_origin_html(source)}")
    data = {"text": text, "holds": truth, "source": source}
    # A false claim is shown too, so that its data reaches the run records, and then fails the cell.
    Shown("claim", data, f"claim {'holds' if truth else 'fails'}: {text}", markup).show()
    if not truth:
        raise ClaimError(f"this claim does not hold here: {text}")


def measure(
    text: str,
    value: Any,
    unit: str = "",
    was: float | str | None = None,
    source: str | None = None,
    digits: int = 4,
) -> None:
    """Record a figure and show it, beside the older document's figure where there is one.

    Args:
        text: what is measured; `backticks` set code.
        value: a number (Python, NumPy or a JAX scalar) or a short string.
        unit: the unit of ``value`` and ``was``, such as ``"ms"``; empty for a ratio.
        was: the figure that the older document printed.
        source: the item of that document, such as ``"S1-62"``.
        digits: significant digits shown; the record keeps them all.
    """
    value = value.item() if hasattr(value, "item") else value
    now, then = _number(value, unit, digits), _number(was, unit, digits)
    plain = f"measured: {text}: {now}" + (f" (the document: {then})" if then else "")
    document = (
        f" &middot; {DOCUMENTS.get((source or '')[:2], 'the document')}: {inline(then)}" if then else ""
    )
    figure = f"<strong>Measured.</strong> {inline(text)}: <strong>{inline(now)}</strong>{document}"
    markup = box("jc-measure", MEASURED, figure)
    data = {"text": text, "value": value, "unit": unit, "was": was, "source": source}
    Shown("measure", data, plain, markup).show()


def _number(value: float | str | None, unit: str, digits: int) -> str:
    if value is None:
        return ""
    shown = value if isinstance(value, str) else f"{value:.{digits}g}"
    return f"{shown} {unit}".strip()


def _origin_html(source: str | None) -> str:
    if source is None:
        return ""
    document = DOCUMENTS.get(source[:2])
    if document is None:
        raise UserError(f"claim source {source!r} is not an item of the five documents: write e.g. 'S3-25'.")
    return f' <small title="item {source}">(checks: {document})</small>'
