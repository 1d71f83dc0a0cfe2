"""Sheet 05: functions that must work within jax.jit, with every argument traced."""

from collections.abc import Callable

import numpy as np

from jaxcourse.questions import Mistake, Question

SHEET = "05-jit"


def _fails_under_jit(*names: str) -> Callable[[Callable, tuple], bool]:
    """Whether the answer raises one of these errors, or any if none is named, when all arguments are traced."""

    def shows(answer, args):
        import jax

        try:
            # Under a new lambda, so that no earlier trace of the answer is found.
            jax.jit(lambda *traced: answer(*traced))(*args)
        except Exception as error:
            return not names or type(error).__name__ in names
        return False

    return shows


def _numpy_mistake(answer: Callable) -> Mistake:
    return Mistake(
        "NumPy on a tracer",
        "The values are right, but within `jax.jit` a NumPy function gets a tracer, which has no values: "
        "use the function of the same name in jax.numpy.",
        answer=answer,
        shows=_fails_under_jit("TracerArrayConversionError"),
    )


# jit-1: clip two arrays, each to a norm of its own.


def _clip_sample(rng):
    # One array above the limit and one below, so that both sides of the branch are asked for.
    limit = rng.uniform(1.0, 2.0)
    weights, bias = rng.normal(size=(3, 2)), rng.normal(size=4)
    weights *= limit * rng.uniform(1.5, 5.0) / np.linalg.norm(weights)
    bias *= limit * rng.uniform(0.2, 0.8) / np.linalg.norm(bias)
    return weights.astype(np.float32), bias.astype(np.float32), np.float32(limit)


def _norm(array):
    return np.sqrt(np.sum(np.asarray(array, np.float64) ** 2))


def _clip(weights, bias, limit):
    return tuple(g * np.minimum(1.0, limit / _norm(g)) for g in (weights, bias))


def _clip_always(weights, bias, limit):
    return tuple(g * limit / _norm(g) for g in (weights, bias))


def _clip_jointly(weights, bias, limit):
    factor = np.minimum(1.0, limit / np.hypot(_norm(weights), _norm(bias)))
    return weights * factor, bias * factor


def _clip_if(weights, bias, limit):
    import jax.numpy as jnp

    norms = jnp.linalg.norm(weights), jnp.linalg.norm(bias)
    return tuple(
        g * limit / norm if norm > limit else g for g, norm in zip((weights, bias), norms, strict=True)
    )


def _clip_always_in_jax(weights, bias, limit):
    import jax.numpy as jnp

    return tuple(g * limit / jnp.linalg.norm(g) for g in (weights, bias))


def _clip_jointly_in_jax(weights, bias, limit):
    import jax.numpy as jnp

    factor = jnp.minimum(1, limit / jnp.hypot(jnp.linalg.norm(weights), jnp.linalg.norm(bias)))
    return weights * factor, bias * factor


# jit-2: the mean of the positive entries.


def _mean_sample(rng):
    x = rng.normal(size=9)
    # At least one entry counts and one does not.
    x[0], x[1] = abs(x[0]) + 0.1, -abs(x[1]) - 0.1
    return (x.astype(np.float32),)


def _mean(x):
    return x[x > 0].astype(np.float64).mean()


def _mean_of_indexed(x):
    return x[x > 0].mean()


def _mean_in_a_loop(x):
    kept = [entry for entry in x if entry > 0]
    return sum(kept) / len(kept)


def _mean_over_all(x):
    import jax.numpy as jnp

    return jnp.where(x > 0, x, 0).mean()


# jit-3: a running mean, with the state passed in and out.


def _state_sample(rng):
    return np.int32(rng.integers(2, 9)), np.float32(rng.normal()), np.float32(rng.normal(3.0))


def _update(count, mean, x):
    return np.float64(count + 1), np.float64(mean) + (np.float64(x) - mean) / (count + 1)


def _update_if(count, mean, x):
    if count == 0:
        return count + 1, x
    return count + 1, mean + (x - mean) / (count + 1)


def _update_keeps_count(count, mean, x):
    return count, mean + (x - mean) / (count + 1)


def _update_old_count(count, mean, x):
    return count + 1, mean + (x - mean) / count


# jit-4: Newton's method with a number of steps that is traced.


def _newton_sample(rng):
    # Few steps from far away: the number of steps shows in the result.
    return np.float32(rng.uniform(20.0, 90.0)), int(rng.integers(2, 5))


def _newton(a, steps):
    a = y = np.float64(a)
    for _ in range(steps):
        y = (y + a / y) / 2
    return y


def _newton_arguments(a, steps):
    import jax.numpy as jnp

    # A Python int, which an answer may take as static or traced.
    return jnp.asarray(a), steps


def _newton_range(a, steps):
    y = a
    for _ in range(steps):
        y = (y + a / y) / 2
    return y


def _newton_static(a, steps):
    import jax

    return jax.jit(_newton_range, static_argnums=1)(a, steps)


def _newton_one_more(a, steps):
    from jax import lax

    return lax.fori_loop(0, steps + 1, lambda i, y: (y + a / y) / 2, a)


def _newton_root(a, steps):
    import jax.numpy as jnp

    return jnp.sqrt(a)


QUESTIONS = [
    Question(
        "jit-1",
        points=2,
        sample=_clip_sample,
        oracle=_clip,
        mistakes=(
            _numpy_mistake(_clip),
            Mistake(
                "branch on a tracer",
                "The values are right, but within `jax.jit` the norm is a tracer, and Python's `if` (or `max`, "
                "`min`, `float`) needs a value: choose between arrays instead.",
                answer=_clip_if,
                shows=_fails_under_jit(),
            ),
            Mistake(
                "always scaled",
                "Both arrays now have the norm `limit`, also the one below it: the choice got lost with the `if`.",
                answer=_clip_always_in_jax,
                returns=_clip_always,
            ),
            Mistake(
                "one norm for both",
                "You scale both arrays by one norm: each is clipped by its own.",
                answer=_clip_jointly_in_jax,
                returns=_clip_jointly,
            ),
        ),
    ),
    Question(
        "jit-2",
        points=2,
        sample=_mean_sample,
        oracle=_mean,
        mistakes=(
            Mistake(
                "boolean index",
                "The values are right, but within `jax.jit` the length of `x[x > 0]` is unknown, because it "
                "depends on values: keep all entries and let the mask say which count.",
                answer=_mean_of_indexed,
                shows=_fails_under_jit("NonConcreteBooleanIndexError"),
            ),
            _numpy_mistake(lambda x: np.mean(np.asarray(x), where=np.asarray(x) > 0)),
            Mistake(
                "branch on a tracer",
                "The values are right, but within `jax.jit` the entries are tracers, and Python (`if`, `float`, "
                "a list) needs their values: work on the whole array and let a mask say which entries count.",
                answer=_mean_in_a_loop,
                shows=_fails_under_jit(),
            ),
            Mistake(
                "divided by all",
                "The sum is right, but you divide by the number of all entries: those set to 0 still count.",
                answer=_mean_over_all,
                returns=lambda x: np.where(x > 0, x, 0).astype(np.float64).mean(),
            ),
        ),
    ),
    Question(
        "jit-3",
        points=3,
        sample=_state_sample,
        oracle=_update,
        mistakes=(
            _numpy_mistake(lambda count, mean, x: (count + 1, np.average([mean, x], weights=[count, 1]))),
            Mistake(
                "branch on a tracer",
                "The values are right, but within `jax.jit` the count is a tracer, and Python's `if` needs a "
                "value: the formula holds for the first number too, so no branch is needed.",
                answer=_update_if,
                shows=_fails_under_jit(),
            ),
            Mistake(
                "count stands still",
                "The count that comes out is the one that went in: under `jax.jit` state moves only if you return it.",
                answer=_update_keeps_count,
                returns=lambda count, mean, x: (np.float64(count), _update(count, mean, x)[1]),
            ),
            Mistake(
                "old count in the mean",
                "The mean is computed with the old count, but `x` is one number more: divide by the new count.",
                answer=_update_old_count,
                returns=lambda count, mean, x: (count + 1.0, mean + (np.float64(x) - mean) / count),
            ),
        ),
    ),
    Question(
        "jit-4",
        points=3,
        sample=_newton_sample,
        oracle=_newton,
        arguments=_newton_arguments,
        mistakes=(
            Mistake(
                "static steps",
                "The values are right, but `steps` is static, so every new number costs a trace and a compilation.",
                answer=_newton_static,
                shows=_fails_under_jit("ValueError"),
            ),
            Mistake(
                "Python loop",
                "The values are right, but a Python loop needs to know `steps`, and within `jax.jit` it is a "
                "tracer: JAX has a loop that takes one.",
                answer=_newton_range,
                shows=_fails_under_jit(),
            ),
            Mistake(
                "one step too many",
                "This is one step too many: `lax.fori_loop(lower, upper, ...)` leaves out `upper`, as `range` does.",
                answer=_newton_one_more,
                returns=lambda a, steps: _newton(a, steps + 1),
            ),
            Mistake(
                "the root itself",
                "This is the exact root; asked for is what Newton's method has after so many steps.",
                answer=_newton_root,
                returns=lambda a, steps: np.sqrt(np.float64(a)),
            ),
        ),
    ),
]
