"""Sheet 03: value, side results and the right arguments; a safe `where`; a Hessian at work; straight through."""

import numpy as np

from jaxcourse.questions import Mistake, Question

SHEET = "03-grad"


def _normal(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return rng.normal(size=shape).astype(np.float32)


# grad-1: loss, guesses and both gradients of a straight line.


def _line_sample(rng):
    return _normal(rng, 7), _normal(rng), _normal(rng), _normal(rng, 7)


def _line_parts(x, slope, offset, y):
    x = x.astype(np.float64)
    guess = slope * x + offset
    rest = guess - y
    by_all = (2 * slope * rest / x.size, 2 * np.mean(rest * x), 2 * np.mean(rest), -2 * rest / x.size)
    return np.mean(rest**2), guess, by_all


def _line(x, slope, offset, y):
    loss, guess, by_all = _line_parts(x, slope, offset, y)
    return loss, guess, by_all[1:3]


def _line_nested(x, slope, offset, y):
    loss, guess, by_all = _line_parts(x, slope, offset, y)
    return (loss, guess), by_all[1:3]


def _line_by_x(x, slope, offset, y):
    loss, guess, by_all = _line_parts(x, slope, offset, y)
    return loss, guess, by_all[0]


def _line_from_one(x, slope, offset, y):
    loss, guess, by_all = _line_parts(x, slope, offset, y)
    return loss, guess, by_all[:2]


def _line_loss(x, slope, offset, y):
    import jax.numpy as jnp

    guess = slope * x + offset
    return jnp.mean((guess - y) ** 2), guess


def _line_answer(argnums):
    """An answer that differentiates by the arguments of these numbers."""

    def answer(*args):
        import jax

        (loss, guess), gradients = jax.value_and_grad(_line_loss, argnums, has_aux=True)(*args)
        return loss, guess, gradients

    return answer


def _line_as_returned(*args):
    import jax

    return jax.value_and_grad(_line_loss, argnums=(1, 2), has_aux=True)(*args)


# grad-2: the gradient of a sum of lengths, some of them zero.


def _lengths_sample(rng):
    rows = _normal(rng, 6, 2)
    rows[rng.choice(6, size=2, replace=False)] = 0
    return (rows,)


def _lengths(x):
    x = x.astype(np.float64)
    length = np.linalg.norm(x, axis=1, keepdims=True)
    return x / np.where(length > 0, length, 1)


def _lengths_nan_removed(x):
    import jax
    import jax.numpy as jnp

    return jnp.nan_to_num(jax.grad(lambda x: jnp.sum(jnp.sqrt(jnp.sum(x**2, axis=1))))(x))


def _lengths_epsilon(x):
    import jax
    import jax.numpy as jnp

    return jax.grad(lambda x: jnp.sum(jnp.sqrt(jnp.sum(x**2, axis=1) + 1e-3)))(x)


def _lengths_squared(x):
    import jax
    import jax.numpy as jnp

    return jax.grad(lambda x: jnp.sum(x**2))(x)


def _makes_nan(answer, args) -> bool:
    import jax

    try:
        with jax.debug_nans(True):
            answer(*args)
    except FloatingPointError:
        return True
    return False


# grad-3: the second derivatives of sum(sin(x[i] * x[i + 1])), applied to a direction.


def _wave_sample(rng):
    return _normal(rng, 8), _normal(rng, 8)


def _wave_gradient(x):
    x = x.astype(np.float64)
    slope = np.cos(x[:-1] * x[1:])
    gradient = np.zeros_like(x)
    gradient[:-1] += slope * x[1:]
    gradient[1:] += slope * x[:-1]
    return gradient


def _wave_hessian(x):
    x = x.astype(np.float64)
    left, right = x[:-1], x[1:]
    sine, cosine = np.sin(left * right), np.cos(left * right)
    hessian = np.zeros((x.size, x.size))
    i = np.arange(x.size - 1)
    hessian[i, i] -= right**2 * sine
    hessian[i + 1, i + 1] -= left**2 * sine
    hessian[i, i + 1] = hessian[i + 1, i] = cosine - left * right * sine
    return hessian


def _wave_along(x, v):
    return _wave_hessian(x) @ v


def _wave(x):
    import jax.numpy as jnp

    return jnp.sum(jnp.sin(x[:-1] * x[1:]))


def _wave_value_of_jvp(x, v):
    import jax

    return jax.jvp(jax.grad(_wave), (x,), (v,))[0]


def _wave_one_derivative(x, v):
    import jax

    return jax.jvp(_wave, (x,), (v,))[1]


def _wave_whole_hessian(x, v):
    import jax
    import jax.numpy as jnp

    return jnp.sum(jax.hessian(_wave)(x) * v, axis=1)


def _makes_a_matrix(answer, args) -> bool:
    """Whether the answer's program holds an array as large as the Hessian."""
    import jax

    try:
        program = jax.make_jaxpr(answer)(*args).jaxpr
    except Exception:  # it cannot be traced, so it is not JAX's Hessian either
        return False
    return _largest(program) >= args[0].size ** 2


def _largest(program) -> int:
    sizes = [0]
    for equation in program.eqns:
        sizes += [variable.aval.size for variable in equation.outvars]
        for value in equation.params.values():
            inner = getattr(value, "jaxpr", value)
            sizes.append(_largest(inner) if hasattr(inner, "eqns") else 0)
    return max(sizes)


# grad-4: a sign, trained straight through.


def _sign_sample(rng):
    return _normal(rng, 6), _normal(rng, 6)


def _sign_through(w, t):
    return 2 * (np.sign(w.astype(np.float64)) - t)


def _sign_flat(w, t):
    import jax
    import jax.numpy as jnp

    return jax.grad(lambda w: jnp.sum((jnp.sign(w) - t) ** 2))(w)


def _sign_left_out(w, t):
    import jax
    import jax.numpy as jnp

    return jax.grad(lambda w: jnp.sum((w - t) ** 2))(w)


def _sign_added(w, t):
    import jax
    import jax.numpy as jnp

    return jax.grad(lambda w: jnp.sum((w + jax.lax.stop_gradient(jnp.sign(w)) - t) ** 2))(w)


QUESTIONS = [
    Question(
        "grad-1",
        points=3,
        sample=_line_sample,
        oracle=_line,
        mistakes=(
            Mistake(
                "nested",
                "All the parts are there, nested as JAX returns them: value_and_grad with has_aux=True gives "
                "((value, aux), gradients), so unpack it and return three things.",
                answer=_line_as_returned,
                returns=_line_nested,
            ),
            Mistake(
                "first argument",
                "Your gradient has the shape of `x`: JAX differentiates by the first argument unless argnums "
                "says otherwise, and argnums may be a tuple.",
                answer=_line_answer(0),
                returns=_line_by_x,
            ),
            Mistake(
                "counted from one",
                "These are the gradients by `x` and `slope`: argnums counts the arguments from 0.",
                answer=_line_answer((0, 1)),
                returns=_line_from_one,
            ),
        ),
    ),
    Question(
        "grad-2",
        points=2,
        sample=_lengths_sample,
        oracle=_lengths,
        mistakes=(
            Mistake(
                "nan removed afterwards",
                "The values are right, but a nan came up on the way and you removed it afterwards, which would "
                "hide other mistakes too: keep the zero away from the square root, before it.",
                answer=_lengths_nan_removed,
                shows=_makes_nan,
            ),
            Mistake(
                "epsilon",
                "Close, and too small for short rows, as if something were added under the root: a small constant "
                "keeps nan away but changes every gradient.",
                answer=_lengths_epsilon,
                returns=lambda x: (
                    x / np.sqrt(np.sum(x.astype(np.float64) ** 2, axis=1, keepdims=True) + 1e-3)
                ),
            ),
            Mistake(
                "squared lengths",
                "This is the gradient of the squared lengths: the square root is missing.",
                answer=_lengths_squared,
                returns=lambda x: 2 * x.astype(np.float64),
            ),
        ),
    ),
    Question(
        "grad-3",
        points=3,
        sample=_wave_sample,
        oracle=_wave_along,
        mistakes=(
            Mistake(
                "the whole Hessian",
                "The values are right, but your program makes the n by n Hessian to use one combination of its "
                "columns: jax.jvp of the gradient makes that combination alone.",
                answer=_wave_whole_hessian,
                shows=_makes_a_matrix,
            ),
            Mistake(
                "the value of jvp",
                "This is the gradient itself: jax.jvp returns a pair, the value and how it moves along `v`.",
                answer=_wave_value_of_jvp,
                returns=lambda x, v: _wave_gradient(x),
            ),
            Mistake(
                "one derivative",
                "This is one number, how `wave` itself moves along `v`: asked for is how its gradient moves.",
                answer=_wave_one_derivative,
                returns=lambda x, v: _wave_gradient(x) @ v,
            ),
        ),
    ),
    Question(
        "grad-4",
        points=2,
        sample=_sign_sample,
        oracle=_sign_through,
        mistakes=(
            Mistake(
                "flat",
                "Your gradient is zero: the sign is flat on both sides of 0, so give it the slope of `w` instead.",
                answer=_sign_flat,
                returns=lambda w, t: np.zeros(w.shape),
            ),
            Mistake(
                "no sign",
                "This is the gradient of a loss without the sign: the slope of `w` is right, but the loss must see "
                "the value of the sign.",
                answer=_sign_left_out,
                returns=lambda w, t: 2 * (w.astype(np.float64) - t),
            ),
            Mistake(
                "added",
                "The loss sees `w` plus its sign: under stop_gradient, subtract the `w` that you add outside.",
                answer=_sign_added,
                returns=lambda w, t: 2 * (w + np.sign(w.astype(np.float64)) - t),
            ),
        ),
    ),
]
