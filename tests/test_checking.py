"""jaxcourse.checking and the bank: right answers pass, mistakes are named, anything else gets a sentence."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxcourse import UserError, check, questions
from jaxcourse.checking import judge

ALL = [question for sheet in questions.sheets().values() for question in sheet]


@pytest.mark.parametrize("question", ALL, ids=lambda q: q.id)
@pytest.mark.parametrize("seed", range(5))
def test_the_oracle_itself_passes(question, seed):
    with jax.disable_jit():
        assert judge(question, lambda *xs: question.oracle(*map(np.asarray, xs)), seed).passed


@pytest.mark.parametrize(
    ("question", "mistake"),
    [(q, m) for q in ALL for m in q.mistakes],
    ids=lambda x: getattr(x, "id", getattr(x, "name", "")),
)
def test_each_mistake_gets_its_own_hint(question, mistake):
    for seed in range(5):
        verdict = judge(question, mistake.answer, seed)
        assert not verdict.passed and verdict.hint == mistake.hint


@pytest.mark.parametrize("question", ALL, ids=lambda q: q.id)
def test_hints_differ_and_every_question_has_two_mistakes(question):
    hints = [m.hint for m in question.mistakes]
    assert len(hints) == len(set(hints)) >= 2


def test_inputs_are_fresh_each_time():
    first, second = [], []
    judge(ALL[0], lambda z, t: first.append(np.asarray(z)) or z)
    judge(ALL[0], lambda z, t: second.append(np.asarray(z)) or z)
    assert not np.allclose(first[0], second[0])


@pytest.mark.parametrize(
    ("answer", "hint"),
    [
        (..., "not a function"),
        (3.0, "not a function"),
        (lambda *xs: None, "returns nothing yet"),
        (lambda *xs: ..., "returns nothing yet"),
        (lambda *xs: 1 / 0, "raised ZeroDivisionError: division by zero"),
        (lambda x: x, "raised TypeError"),
        (lambda *xs: "text", "numbers are asked for"),
        (lambda z, t: z[:2], r"shape (2,); the result has shape (5,)"),
        (lambda z, t: z * jnp.nan, "not finite"),
        (lambda z, t: z, "Right shape, wrong values"),
    ],
)
def test_anything_else_gets_a_sentence(answer, hint):
    verdict = judge(questions.find("complex-1"), answer)
    assert not verdict.passed and hint in verdict.hint


def test_an_unknown_question_lists_those_there_are():
    with pytest.raises(UserError, match=r"no question 'complex-9'; the book has: complex-1"):
        check("complex-9", lambda: None)
