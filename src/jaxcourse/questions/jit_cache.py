"""Sheet 06: what the jit cache keys on, and how to make few programs."""

import functools
from collections.abc import Callable

import numpy as np

from jaxcourse.questions import Mistake, Question

SHEET = "06-jit-cache"

_compiled: list[str] = []


@functools.cache
def _listen() -> None:
    """Have JAX report each program that it compiles. A listener cannot be taken back, so there is one."""
    import jax

    def hear(event: str, duration_secs: float, **_: str | int) -> None:
        if event.endswith("backend_compile_duration"):
            _compiled.append(event)

    jax.monitoring.register_event_duration_secs_listener(hear)


def _programs(answer: Callable, *calls: tuple) -> int:
    """How many programs JAX compiles during these calls of the answer."""
    _listen()
    before = len(_compiled)
    for args in calls:
        answer(*args)
    return len(_compiled) - before


def _fresh(count: int, low: int, high: int) -> list[int]:
    """Whole numbers that this process has hardly used before, so that no program for them is there yet."""
    return [int(n) for n in np.random.default_rng().choice(np.arange(low, high), count, replace=False)]


# cache-1: which calls of a jitted function trace.


def _calls_sample(rng):
    columns = rng.integers(1, 4, 24), rng.integers(0, 3, 24), rng.integers(1, 3, 24)
    return (np.stack(columns, axis=1).astype(np.int32),)


def _key(length, kind, power):
    return (0 if kind == 2 else int(length), int(kind), int(power))


def _first_times(keys) -> np.ndarray:
    return np.array([key not in keys[:i] for i, key in enumerate(keys)])


def _traces(calls):
    return _first_times([_key(*call) for call in calls])


def _remembers_one(calls):
    keys = [_key(*call) for call in calls]
    return np.array([i == 0 or key != keys[i - 1] for i, key in enumerate(keys)])


def _without_static(calls):
    return _first_times([_key(*call)[:2] for call in calls])


def _length_of_a_number(calls):
    return _first_times([tuple(int(part) for part in call) for call in calls])


# cache-2: the mean of vectors of any length, with few programs.


@functools.cache
def _masked_mean():
    import jax
    import jax.numpy as jnp

    return jax.jit(lambda x, n: jnp.sum(x) / n)


def _size(n: int) -> int:
    return 1 << (n - 1).bit_length()


def _mean_sample(rng):
    return (rng.normal(1, 1, size=rng.integers(3, 60)).astype(np.float32),)


def _mean(x):
    return np.mean(x.astype(np.float64))


def _mean_one_program_a_length(x):
    return _masked_mean()(x, len(x))


def _mean_jax_pads(x):
    import jax.numpy as jnp

    return _masked_mean()(jnp.pad(x, (0, _size(len(x)) - len(x))), len(x))


def _mean_of_the_padded(x):
    import jax.numpy as jnp

    return jnp.mean(jnp.asarray(np.pad(x, (0, _size(len(x)) - len(x)))))


def _many_lengths() -> list[tuple]:
    # All of them are padded to 4096; the first call makes the program for that.
    return [(np.zeros(n, np.float32),) for n in _fresh(12, 2049, 4096)]


def _programs_a_length(answer: Callable) -> float:
    first, *rest = _many_lengths()
    _programs(answer, first)
    return _programs(answer, *rest) / len(rest)


# cache-3: a learning rate that depends on the step, with one program for all steps.


def _rate_sample(rng):
    return rng.normal(size=5).astype(np.float32), int(rng.integers(0, 200))


def _rate(step):
    return step / 100 if step < 100 else 0.99 ** (step - 100)


def _scaled(grads, step):
    return np.asarray(grads, np.float64) * _rate(step)


def _jax_scaled(grads, step):
    import jax.numpy as jnp

    return grads * jnp.where(step < 100, step / 100, 0.99 ** (jnp.maximum(step, 100) - 100.0))


@functools.cache
def _scaled_with_static():
    import jax

    return jax.jit(lambda grads, step: grads * _rate(step), static_argnums=1)


def _scaled_static(grads, step):
    return _scaled_with_static()(grads, step)


def _scaled_new_jit(grads, step):
    import jax

    return jax.jit(lambda g: _jax_scaled(g, step))(grads)


def _compiles_a_repeat(answer, args) -> bool:
    _programs(answer, args)
    return _programs(answer, args) > 0


def _compiles_a_new_step(answer, args) -> bool:
    grads, _ = args
    # Both sides of the warm-up's end have been seen before the count begins.
    _programs(answer, (grads, 1), (grads, 150))
    return _programs(answer, *((grads, step) for step in _fresh(4, 200, 10**6))) > 1


# cache-4: a factor that comes as a Python, NumPy or JAX number, with one program for all.


def _factor_sample(rng):
    return rng.normal(size=4).astype(np.float32), np.float32(rng.normal()), int(rng.integers(3))


def _times(x, factor, kind=0):
    return np.asarray(x, np.float64) * float(factor)


def _kinds(factor) -> tuple:
    import jax.numpy as jnp

    return float(factor), np.float32(factor), jnp.float32(factor)


def _factor_arguments(x, factor, kind):
    import jax.numpy as jnp

    return jnp.asarray(x), _kinds(factor)[kind]


@functools.cache
def _jitted_product(static: bool):
    import jax

    return jax.jit(lambda x, factor: x * factor, static_argnums=(1,) if static else ())


def _times_as_it_comes(x, factor):
    return _jitted_product(False)(x, factor)


def _times_static(x, factor):
    return _jitted_product(True)(x, float(factor))


def _ones():
    return np.ones(_fresh(1, 10, 10**5)[0], np.float32)


def _compiles_a_kind(answer, args) -> bool:
    # With other data first, so that conversions of a single number are compiled already.
    _programs(answer, *((_ones(), one) for one in _kinds(2.5)))
    x = _ones()
    python, from_numpy, from_jax = _kinds(2.5)
    _programs(answer, (x, from_numpy))
    return _programs(answer, (x, python), (x, from_jax)) > 0


def _compiles_a_value(answer, args) -> bool:
    x = _ones()
    first, *rest = (n / 8 for n in _fresh(5, 1, 10**6))
    _programs(answer, (x, first))
    return _programs(answer, *((x, value) for value in rest)) > 1


QUESTIONS = [
    Question(
        "cache-1",
        points=2,
        sample=_calls_sample,
        oracle=_traces,
        arguments=lambda calls: (np.asarray(calls),),
        mistakes=(
            Mistake(
                "remembers one program",
                "This marks each call that differs from the one before it: jax.jit keeps all its programs, "
                "so a key that came up earlier is found again.",
                answer=_remembers_one,
                returns=_remembers_one,
            ),
            Mistake(
                "static value left out",
                "Two calls that differ in the static `power` alone share a trace here: "
                "a static value is part of the key.",
                answer=_without_static,
                returns=_without_static,
            ),
            Mistake(
                "a number has no length",
                "For a Python float the first column means nothing: all of them have shape `()` and one dtype.",
                answer=_length_of_a_number,
                returns=_length_of_a_number,
            ),
        ),
    ),
    Question(
        "cache-2",
        points=3,
        sample=_mean_sample,
        oracle=_mean,
        arguments=lambda x: (np.asarray(x),),
        mistakes=(
            Mistake(
                "the zeros counted",
                "This divides by the padded length: the zeros add nothing to the sum, but they are not to be counted.",
                answer=_mean_of_the_padded,
                returns=lambda x: np.sum(x.astype(np.float64)) / _size(len(x)),
            ),
            Mistake(
                "padded by JAX",
                "Right, but each new length compiles more than one program: an operation of jax.numpy outside jit "
                "is compiled for each shape too, so pad in NumPy.",
                answer=_mean_jax_pads,
                shows=lambda answer, args: _programs_a_length(answer) > 1.5,
            ),
            Mistake(
                "one program a length",
                "Right, but each new length compiles again: what a jitted function is given must have few shapes "
                "and no static length.",
                answer=_mean_one_program_a_length,
                shows=lambda answer, args: _programs_a_length(answer) > 0.3,
            ),
        ),
    ),
    Question(
        "cache-3",
        points=2,
        sample=_rate_sample,
        oracle=_scaled,
        arguments=lambda grads, step: (np.asarray(grads), int(step)),
        mistakes=(
            Mistake(
                "a new function each call",
                "Right, but the same call compiles twice: the function is part of the key, and one that is made "
                "in each call is new in each call.",
                answer=_scaled_new_jit,
                shows=_compiles_a_repeat,
            ),
            Mistake(
                "static step",
                "Right, but each new step compiles a program: a static argument is for few values; "
                "choose between the two rates with jnp.where.",
                answer=_scaled_static,
                shows=_compiles_a_new_step,
            ),
        ),
    ),
    Question(
        "cache-4",
        points=2,
        sample=_factor_sample,
        oracle=_times,
        arguments=_factor_arguments,
        mistakes=(
            Mistake(
                "static factor",
                "Right, but each new factor compiles a program: a number to compute with is no static argument.",
                answer=_times_static,
                shows=_compiles_a_value,
            ),
            Mistake(
                "weak type",
                "Right, but a Python float and a float32 scalar compile two programs: the first has a weak type. "
                "Make them one type before the jitted call.",
                answer=_times_as_it_comes,
                shows=_compiles_a_kind,
            ),
        ),
    ),
]
