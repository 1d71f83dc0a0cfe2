"""Sheet 04: gradients of complex inputs, precision, and the right argument."""

import numpy as np

from jaxcourse.questions import Mistake, Question

SHEET = "04-complex-gradients"


def _complex(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(np.complex64)


# complex-1: the direction of steepest descent of sum(|z**2 - t|**2).


def _roots_sample(rng):
    return _complex(rng, 5), _complex(rng, 5)


def _roots_descent(z, t):
    z, t = z.astype(np.complex128), t.astype(np.complex128)
    return -4 * np.conj(z) * (z**2 - t)


def _roots_loss(z, t):
    import jax.numpy as jnp

    return jnp.sum(jnp.abs(z**2 - t) ** 2)


def _roots_without_conj(z, t):
    import jax

    return -jax.grad(_roots_loss)(z, t)


def _roots_uphill(z, t):
    import jax

    return jax.grad(_roots_loss)(z, t).conj()


# complex-2: the spectral radius in double precision.


def _radius_sample(rng):
    return (rng.normal(size=(4, 4)),)


def _radius(mat):
    return np.abs(np.linalg.eigvals(mat)).max()


def _radius_float32(mat):
    import jax.numpy as jnp

    return jnp.abs(jnp.linalg.eigvals(jnp.asarray(mat, dtype=jnp.float32))).max()


def _radius_real_part(mat):
    import jax.numpy as jnp

    return jnp.linalg.eigvals(jnp.asarray(mat, dtype=jnp.float32)).real.max()


# complex-3: the gradient of |A x - b|**2 with respect to x, as PyTorch would give it.


def _fit_sample(rng):
    return _complex(rng, 4, 4), _complex(rng, 4), _complex(rng, 4)


def _fit_residual(a, x, b):
    return a.astype(np.complex128) @ x - b


def _fit_gradient(a, x, b):
    return 2 * np.conj(a.T).astype(np.complex128) @ _fit_residual(a, x, b)


def _fit_loss(a, x, b):
    import jax.numpy as jnp

    return jnp.sum(jnp.abs(a @ x - b) ** 2)


def _fit_wrong_argument(a, x, b):
    import jax

    return jax.grad(_fit_loss)(a, x, b).conj()


def _fit_without_conj(a, x, b):
    import jax

    return jax.grad(_fit_loss, argnums=1)(a, x, b)


QUESTIONS = [
    Question(
        "complex-1",
        points=2,
        sample=_roots_sample,
        oracle=_roots_descent,
        mistakes=(
            Mistake(
                "missing conjugate",
                "This is minus what jax.grad returns, and for complex inputs that is not the way down: "
                "one operation on the gradient is missing.",
                answer=_roots_without_conj,
                returns=lambda z, t: np.conj(_roots_descent(z, t)),
            ),
            Mistake(
                "uphill",
                "The line is right but you walk it the wrong way: this direction makes the loss grow.",
                answer=_roots_uphill,
                returns=lambda z, t: -_roots_descent(z, t),
            ),
        ),
    ),
    Question(
        "complex-2",
        points=2,
        sample=_radius_sample,
        oracle=_radius,
        # float64 has 16 digits; eigenvalues of a random 4 x 4 matrix may lose a few of them.
        rtol=1e-11,
        mistakes=(
            Mistake(
                "float32 lost",
                "Right to about seven digits, so the work was done in float32: JAX narrows float64 input "
                "unless 64-bit mode is on before the array is made.",
                answer=_radius_float32,
                returns=_radius,
                rtol=1e-4,
            ),
            Mistake(
                "largest real part",
                "This is the largest real part of an eigenvalue; the spectral radius is the largest modulus.",
                answer=_radius_real_part,
                returns=lambda mat: np.linalg.eigvals(mat).real.max(),
            ),
        ),
    ),
    Question(
        "complex-3",
        points=2,
        sample=_fit_sample,
        oracle=_fit_gradient,
        mistakes=(
            Mistake(
                "wrong argument",
                "This has the shape of `a`: jax.grad differentiates its first argument unless argnums says otherwise.",
                answer=_fit_wrong_argument,
                returns=lambda a, x, b: 2 * np.outer(_fit_residual(a, x, b), np.conj(x)),
            ),
            Mistake(
                "missing conjugate",
                "The right argument, in JAX's convention: PyTorch's gradient is its conjugate.",
                answer=_fit_without_conj,
                returns=lambda a, x, b: np.conj(_fit_gradient(a, x, b)),
            ),
        ),
    ),
]
