"""The exercise bank: for every sheet its questions, each with an oracle in float64 NumPy.

A question knows what a right answer returns on any input, and what each typical mistake returns.
The prompt and the solution stand in ``solutions/``; nothing about a question is said twice.
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from jaxcourse.errors import UserError

Inputs = tuple[np.ndarray, ...]

# Sheet -> the module that holds its questions.
_SHEETS = {"04-complex-gradients": "complex_gradients"}


@dataclass(frozen=True)
class Mistake:
    """A typical wrong answer, recognised by what it returns.

    Attributes:
        name: a few words, for reports.
        hint: what to tell the learner: a sentence that names the mistake, not the solution.
        returns: what the mistake returns for the question's inputs, in float64 NumPy.
        answer: the mistake as a learner would write it in JAX; the tests feed it to the check.
        rtol: how close an answer must be to count as this mistake.
    """

    name: str
    hint: str
    returns: Callable[..., np.ndarray]
    answer: Callable
    rtol: float = 1e-3


@dataclass(frozen=True)
class Question:
    """A function to write.

    Attributes:
        id: the name used in ``check(id, answer)``.
        points: what it is worth.
        sample: from a NumPy generator to one set of inputs.
        oracle: the right result for these inputs, in float64 or complex128 NumPy.
        mistakes: the wrong answers that are recognised.
        rtol: the relative tolerance, in units of the result's largest entry.
    """

    id: str
    points: int
    sample: Callable[[np.random.Generator], Inputs]
    oracle: Callable[..., np.ndarray]
    mistakes: tuple[Mistake, ...]
    rtol: float = 1e-4


def sheets() -> dict[str, list[Question]]:
    """All questions by sheet, in the order they are asked."""
    return {
        name: importlib.import_module(f"{__name__}.{module}").QUESTIONS for name, module in _SHEETS.items()
    }


def find(question_id: str) -> Question:
    """The question of that id.

    Raises:
        UserError: there is none; the message lists those there are.
    """
    known = {question.id: question for questions in sheets().values() for question in questions}
    if question_id not in known:
        raise UserError(f"There is no question {question_id!r}; the book has: {', '.join(known)}.")
    return known[question_id]
