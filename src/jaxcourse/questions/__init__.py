"""The exercise bank: for every sheet its questions, each with an oracle in float64 NumPy.

A question knows what a right answer returns on any input, and how each typical mistake shows: by what
it returns, or by the program that JAX makes of it. The prompt and the solution stand in ``solutions/``;
nothing about a question is said twice. One module holds one sheet: its name in ``SHEET``, its questions
in ``QUESTIONS``.
"""

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from jaxcourse.errors import UserError

# A tuple with one entry for each argument: a NumPy array, or a tree of them.
Inputs = tuple[Any, ...]


@dataclass(frozen=True)
class Mistake:
    """A typical wrong answer, recognised by what it returns or by how it shows otherwise.

    Attributes:
        name: a few words, for reports.
        hint: what to tell the learner: a sentence that names the mistake, not the solution.
        answer: the mistake as a learner would write it in JAX; the tests feed it to the check.
        returns: what the mistake returns for the question's inputs, in float64 NumPy.
        shows: for answers that return the right values in the wrong way: called with the answer and
            one set of arguments, says whether the mistake is there (a retrace, a loop, a float64).
        rtol: how close a result must be to ``returns`` to count as this mistake.
    """

    name: str
    hint: str
    answer: Callable
    returns: Callable[..., Any] | None = None
    shows: Callable[[Callable, tuple], bool] | None = None
    rtol: float = 1e-3

    def __post_init__(self):
        if (self.returns is None) == (self.shows is None):
            raise ValueError(f"mistake {self.name!r} needs exactly one of returns and shows")


@dataclass(frozen=True)
class Question:
    """A function to write.

    Attributes:
        id: the name used in ``check(id, answer)``.
        points: what it is worth.
        sample: from a NumPy generator to one set of inputs.
        oracle: the right result for these inputs, an array or a tree of arrays, in float64 NumPy.
        mistakes: the wrong answers that are recognised.
        rtol: the relative tolerance, in units of the largest entry of each array.
        arguments: from the inputs to what the answer is called with; JAX arrays by default.
    """

    id: str
    points: int
    sample: Callable[[np.random.Generator], Inputs]
    oracle: Callable[..., Any]
    mistakes: tuple[Mistake, ...]
    rtol: float = 1e-4
    arguments: Callable[..., tuple] | None = None


def sheets() -> dict[str, list[Question]]:
    """All questions by sheet, the sheets by name, the questions in the order they are asked."""
    modules = (importlib.import_module(f"{__name__}.{info.name}") for info in pkgutil.iter_modules(__path__))
    found = {module.SHEET: module.QUESTIONS for module in modules if hasattr(module, "SHEET")}
    return dict(sorted(found.items()))


def find(question_id: str) -> Question:
    """The question of that id.

    Raises:
        UserError: there is none; the message lists those there are.
    """
    known = {question.id: question for questions in sheets().values() for question in questions}
    if question_id not in known:
        raise UserError(f"There is no question {question_id!r}; the book has: {', '.join(known)}.")
    return known[question_id]
