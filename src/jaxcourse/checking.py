"""``check("question", answer)``: is this answer right on fresh random inputs, and if not, why not?

The check is there to teach. It runs in the learner's own process, so it proves nothing to anyone
else; grades are given elsewhere.
"""

import html
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from jaxcourse.display import Shown, inline
from jaxcourse.questions import Inputs, Mistake, Question, find

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
    state, colour = ("jc-check", "--jc-true, #2c9c62")
    if not verdict.passed:
        state, colour = ("jc-check jc-failed", "--jc-false, #c9602a")
    hint = f" {inline(verdict.hint)}" if verdict.hint else ""
    markup = (
        f'<div class="{state}" style="border-left:.25em solid var({colour});padding:.15em .8em;margin:.25em 0">'
        f"<strong>{says}</strong> <code>{html.escape(question_id)}</code>, {earned} of {question.points} points."
        f"{hint}</div>"
    )
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
            False,
            f"The answer is {_kind(answer)}, not a function: pass the function itself, without calling it.",
        )
    rng = np.random.default_rng(seed)
    trials = [question.sample(rng) for _ in range(_TRIALS)]
    results = []
    for inputs in trials:
        try:
            result = answer(*(_to_jax(x) for x in inputs))
        except Exception as e:
            reason = (str(e).strip() or "no message").splitlines()[0]
            return Verdict(False, f"Your function raised {type(e).__name__}: {reason}")
        if result is None or result is ...:
            return Verdict(
                False, "Your function returns nothing yet: replace the `...` and return the result."
            )
        try:
            results.append(np.asarray(result))
        except Exception:
            return Verdict(False, f"Your function returns {_kind(result)}; an array is asked for.")
    expected = [np.asarray(question.oracle(*inputs)) for inputs in trials]
    if _all_close(results, expected, question.rtol):
        return Verdict(True)
    for mistake in question.mistakes:
        if _is(mistake, trials, results):
            return Verdict(False, mistake.hint)
    return Verdict(False, _difference(results[0], expected[0]))


def _to_jax(x: np.ndarray):
    """A JAX array, or the NumPy array itself where JAX's present precision would lose digits."""
    import jax.numpy as jnp
    from jax import dtypes

    return jnp.asarray(x) if dtypes.canonicalize_dtype(x.dtype) == x.dtype else x


def _is(mistake: Mistake, trials: list[Inputs], results: list[np.ndarray]) -> bool:
    return _all_close(results, [np.asarray(mistake.returns(*inputs)) for inputs in trials], mistake.rtol)


def _all_close(results: list[np.ndarray], expected: list[np.ndarray], rtol: float) -> bool:
    return all(_close(r, e, rtol) for r, e in zip(results, expected, strict=True))


def _close(result: np.ndarray, expected: np.ndarray, rtol: float) -> bool:
    if result.shape != expected.shape or result.dtype.kind not in "biufc":
        return False
    if not np.all(np.isfinite(result)):
        return False
    scale = max(1e-30, float(np.max(np.abs(expected), initial=0.0)))
    return float(np.max(np.abs(result - expected), initial=0.0)) <= rtol * scale


def _difference(result: np.ndarray, expected: np.ndarray) -> str:
    if result.dtype.kind not in "biufc":
        return f"Your function returns data of type {result.dtype}; numbers are asked for."
    if result.shape != expected.shape:
        return f"Your function returns shape {result.shape}; the result has shape {expected.shape}."
    if not np.all(np.isfinite(result)):
        return "Your function returns values that are not finite (inf or nan)."
    worst = np.max(np.abs(result - expected)) / max(1e-30, np.max(np.abs(expected)))
    return f"Right shape, wrong values: the largest error is {worst:.1e} of the largest entry."


def _kind(value) -> str:
    return "`...`" if value is ... else f"of type {type(value).__name__}"
