"""``check("question", answer)``: is this answer right on fresh random inputs, and if not, why not?

The check is there to teach. It runs in the learner's own process, so it proves nothing to anyone
else; grades are given elsewhere.
"""

import html
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from jaxcourse.display import FALSE, TRUE, Shown, box, inline
from jaxcourse.questions import Inputs, Question, find

_TRIALS = 5


@dataclass(frozen=True)
class Verdict:
    """Whether an answer is right, and if not the one sentence that helps most."""

    passed: bool
    hint: str | None = None


def check(question_id: str, answer: Callable) -> None:
    """Try an answer on random inputs and show the verdict: right, or a hint that names the mistake.

    Args:
        question_id: such as ``"complex-1"``.
        answer: the function that the question asks for.

    Raises:
        UserError: there is no such question.
    """
    question = find(question_id)
    verdict = judge(question, answer)
    earned = question.points if verdict.passed else 0
    if verdict.passed:
        says, text = "Right.", f"{question_id}: right, {earned} of {question.points} points"
    else:
        says, text = "Not yet.", f"{question_id}: not yet. {verdict.hint}"
    classes, colour = ("jc-check", TRUE) if verdict.passed else ("jc-check jc-failed", FALSE)
    hint = f" {inline(verdict.hint)}" if verdict.hint else ""
    score = f"<code>{html.escape(question_id)}</code>, {earned} of {question.points} points."
    markup = box(classes, colour, f"<strong>{says}</strong> {score}{hint}")
    data = {
        "question": question_id,
        "passed": verdict.passed,
        "hint": verdict.hint,
        "points": earned,
        "of": question.points,
    }
    Shown("check", data, text, markup).show()


def judge(question: Question, answer: Callable, seed: int | None = None) -> Verdict:
    """Compare an answer with the question's oracle on random inputs.

    Args:
        question: what was asked.
        answer: the function to judge; whatever it raises becomes the hint.
        seed: for the inputs; fresh ones each time by default.
    """
    if not callable(answer):
        return Verdict(
            False, f"The answer is {_kind(answer)}, not a function: pass the function, without calling it."
        )
    rng = np.random.default_rng(seed)
    trials = [question.sample(rng) for _ in range(_TRIALS)]
    results = []
    for inputs in trials:
        try:
            result = answer(*_arguments(question, inputs))
        except Exception as e:
            reason = (str(e).strip() or "no message").splitlines()[0]
            return Verdict(False, f"Your function raised {type(e).__name__}: {reason}")
        if result is None or result is ...:
            return Verdict(
                False, "Your function returns nothing yet: replace the `...` and return the result."
            )
        try:
            results.append(_as_numpy(result))
        except Exception:
            return Verdict(False, f"Your function returns {_kind(result)}; an array is asked for.")
    expected = [_as_numpy(question.oracle(*inputs)) for inputs in trials]
    if _all_close(results, expected, question.rtol):
        for mistake in question.mistakes:
            if mistake.shows is not None and mistake.shows(answer, _arguments(question, trials[0])):
                return Verdict(False, mistake.hint)
        return Verdict(True)
    for mistake in question.mistakes:
        if mistake.returns is not None and _all_close(
            results, [_as_numpy(mistake.returns(*inputs)) for inputs in trials], mistake.rtol
        ):
            return Verdict(False, mistake.hint)
    return Verdict(False, _difference(results[0], expected[0]))


def _arguments(question: Question, inputs: Inputs) -> tuple:
    import jax

    if question.arguments is not None:
        return question.arguments(*inputs)
    return jax.tree.map(_to_jax, inputs)


def _to_jax(x: np.ndarray):
    """A JAX array, or the NumPy array itself where JAX's present precision would lose digits."""
    import jax.numpy as jnp
    from jax import dtypes

    x = np.asarray(x)
    return jnp.asarray(x) if dtypes.canonicalize_dtype(x.dtype) == x.dtype else x


def _as_numpy(tree):
    import jax

    return jax.tree.map(np.asarray, tree)


def _all_close(results: list, expected: list, rtol: float) -> bool:
    return all(_same_tree(r, e) and _close(r, e, rtol) for r, e in zip(results, expected, strict=True))


def _same_tree(result, expected) -> bool:
    import jax

    structure: Any = jax.tree.structure
    return structure(result) == structure(expected)


def _close(result, expected, rtol: float) -> bool:
    import jax

    pairs = zip(jax.tree.leaves(result), jax.tree.leaves(expected), strict=True)
    return all(_close_arrays(r, e, rtol) for r, e in pairs)


def _close_arrays(result: np.ndarray, expected: np.ndarray, rtol: float) -> bool:
    if result.shape != expected.shape or not _is_numeric(result) or not np.all(np.isfinite(result)):
        return False
    return _error(result, expected) <= rtol


def _error(result: np.ndarray, expected: np.ndarray) -> float:
    """The largest error, in units of the largest expected entry."""
    scale = max(1e-30, float(np.max(np.abs(expected), initial=0.0)))
    # In float64, so that integers neither wrap nor lose digits.
    difference = np.asarray(result, dtype=np.complex128) - np.asarray(expected, dtype=np.complex128)
    return float(np.max(np.abs(difference), initial=0.0)) / scale


def _is_numeric(array: np.ndarray) -> bool:
    return array.dtype.kind in "biufc"


def _difference(result, expected) -> str:
    """What is wrong with a result that no listed mistake explains."""
    import jax

    if not _same_tree(result, expected):
        wanted, got = jax.tree.structure(expected), jax.tree.structure(result)
        return f"Your function returns the structure {got}; the result has the structure {wanted}."
    for one, right in zip(jax.tree.leaves(result), jax.tree.leaves(expected), strict=True):
        if not _is_numeric(one):
            return f"Your function returns data of type {one.dtype}; numbers are asked for."
        if one.shape != right.shape:
            return f"Your function returns shape {one.shape}; the result has shape {right.shape}."
        if not np.all(np.isfinite(one)):
            return "Your function returns values that are not finite (inf or nan)."
    pairs = zip(jax.tree.leaves(result), jax.tree.leaves(expected), strict=True)
    worst = max(_error(one, right) for one, right in pairs)
    return f"Right shape, wrong values: the largest error is {worst:.1e} of the largest entry."


def _kind(value) -> str:
    return "`...`" if value is ... else f"of type {type(value).__name__}"
