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
        assert judge(question, lambda *xs: question.oracle(*jax.tree.map(np.asarray, xs)), seed).passed


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
    question = questions.find("complex-1")
    judge(question, lambda z, t: first.append(np.asarray(z)) or z)
    judge(question, lambda z, t: second.append(np.asarray(z)) or z)
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


def tree_question(**changes):
    """Twice the entries of a dict, and a mistake that returns the right values by way of float64 NumPy."""
    fields = {
        "id": "tree",
        "points": 1,
        "sample": lambda rng: ({"a": rng.normal(size=3).astype(np.float32), "b": np.float32(1)},),
        "oracle": lambda tree: {k: 2.0 * v for k, v in tree.items()},
        "mistakes": (
            questions.Mistake(
                "retraces",
                "It traces at every call.",
                None,
                shows=lambda answer, args: hasattr(answer, "slow"),
            ),
        ),
    }
    return questions.Question(**{**fields, **changes})


def test_trees_go_in_and_come_out():
    question = tree_question()
    assert judge(question, lambda t: jax.tree.map(lambda x: 2 * x, t)).passed
    assert "returns the structure" in judge(question, lambda t: list(t.values())).hint
    assert (
        "shape (3, 1); the result has shape (3,)"
        in judge(question, lambda t: {"a": t["a"][:, None], "b": t["b"]}).hint
    )


def test_a_right_result_can_still_show_a_mistake():
    def slow(tree):
        return jax.tree.map(lambda x: 2 * x, tree)

    slow.slow = True
    assert judge(tree_question(), slow).hint == "It traces at every call."


def test_arguments_of_another_kind():
    question = tree_question(
        sample=lambda rng: (rng.integers(0, 99),),
        oracle=float,
        arguments=lambda seed: (jax.random.key(seed), seed),
    )
    assert judge(question, lambda key, seed: jnp.float32(seed)).passed


def test_a_mistake_is_recognised_in_one_way():
    with pytest.raises(ValueError, match="exactly one of returns and shows"):
        questions.Mistake("both", "hint", None, returns=lambda: 1, shows=lambda a, b: True)


def test_an_unknown_question_lists_those_there_are():
    with pytest.raises(UserError, match=r"no question 'complex-9'; the book has: .*complex-1, complex-2"):
        check("complex-9", lambda: None)
