"""Sheet 07: closed forms in 32 bits, sums that wrap, loops that stay, and products counted."""

import numpy as np

from jaxcourse.questions import Mistake, Question

SHEET = "07-compilers"


def _int32(x: np.ndarray) -> np.ndarray:
    """What is left of whole numbers in 32 bits: they wrap around, as in JAX."""
    return np.asarray(x, dtype=np.int64).astype(np.int32)


def _tracing_fails(answer, args, *names: str) -> bool:
    """Does tracing the answer raise one of these errors, given by their classes' names?"""
    import jax

    try:
        jax.make_jaxpr(answer)(*args)
    except Exception as error:
        return type(error).__name__ in names
    return False


def _is_numpy(answer, args) -> bool:
    """Is the answer written in NumPy, so that there is no JAX program to look into?"""
    return _tracing_fails(answer, args, "TracerArrayConversionError")


# compile-1: the closed form of a sum with a step, where the product needs more than 32 bits.


def _steps_sample(rng):
    # Over 46,341 turns the product of two neighbours no longer fits int32; step 1 needs that many.
    n = rng.integers(50_000, 65_000, size=5).astype(np.int32)
    return n, rng.permutation(np.array([1, 2, 3, 5, 7], dtype=np.int32))


def _turns(n, k):
    n, k = n.astype(np.int64), k.astype(np.int64)
    return (n + k - 1) // k


def _steps_sum(n, k):
    m = _turns(n, k)
    return m * (m - 1) // 2 * k


def _steps_rounded_down(n, k):
    m = n.astype(np.int64) // k
    return m * (m - 1) // 2 * k


def _steps_wrapped(n, k):
    m = _turns(n, k)
    return _int32(_int32(m * (m - 1)) // 2 * k)


def _steps_answer_rounded_down(n, k):
    import jax.numpy as jnp

    m = n // k
    return jnp.where(m % 2 == 0, m // 2 * (m - 1), (m - 1) // 2 * m) * k


def _steps_answer_wrapped(n, k):
    m = (n + k - 1) // k
    return m * (m - 1) // 2 * k


def _steps_answer_summed(n, k):
    import jax.numpy as jnp

    i = jnp.arange(65_536)[:, None]
    return jnp.where((i < n) & (i % k == 0), i, 0).sum(0)


def _sums_numbers(answer, args):
    """Does the answer add up the numbers one by one, in an array or in a loop?"""
    from jaxcourse.inspecting import jaxpr_ops

    if _is_numpy(answer, args):
        return False
    ops = jaxpr_ops(answer, *args)
    return bool(ops["reduce_sum"] + ops["while"] + ops["scan"] + ops["cumsum"] + ops["dot_general"])


# compile-2: the mean of counts whose sum does not fit.


def _counts_sample(rng):
    # Where the wrapped sum is positive, int32 and uint32 agree and the two mistakes look alike.
    while True:
        counts = rng.integers(1_500_000_000, 2_000_000_000, size=64).astype(np.int32)
        if _int32(counts.astype(np.int64).sum()) < 0:
            return (counts,)


def _counts_mean(counts):
    return counts.astype(np.float64).mean()


def _counts_wrapped(counts):
    return _int32(counts.astype(np.int64).sum()) / counts.size


def _counts_wrapped_unsigned(counts):
    return counts.astype(np.int64).sum() % 2**32 / counts.size


def _counts_answer_wrapped(counts):
    return counts.sum() / counts.size


def _counts_answer_unsigned(counts):
    import jax.numpy as jnp

    return counts.astype(jnp.uint32).sum() / counts.size


# compile-3: as many turns of a loop as an argument says, each of which needs the one before.


def _repeat_sample(rng):
    return rng.normal(size=6).astype(np.float32), np.int32(rng.integers(3, 12))


def _repeated_cos(x, times):
    x = x.astype(np.float64)
    for _ in range(int(times)):
        x = np.cos(x)
    return x


def _repeat_answer_same_input(x, times):
    import jax
    import jax.numpy as jnp

    return jax.lax.fori_loop(0, times, lambda i, y: jnp.cos(x), x)


def _repeat_answer_one_short(x, times):
    import jax
    import jax.numpy as jnp

    return jax.lax.fori_loop(1, times, lambda i, y: jnp.cos(y), x)


def _repeat_answer_python_loop(x, times):
    import jax.numpy as jnp

    for _ in range(times):
        x = jnp.cos(x)
    return x


def _needs_the_number(answer, args):
    return _tracing_fails(answer, args, "TracerIntegerConversionError", "ConcretizationTypeError")


# compile-4: the eleventh power with few products.

_MOST_PRODUCTS = 5


def _power_sample(rng):
    return (rng.normal(size=(8, 8)).astype(np.float32) / 3,)


def _power(x, exponent=11):
    return np.linalg.matrix_power(x.astype(np.float64), exponent)


def _power_answer_chain(x):
    return x @ x @ x @ x @ x @ x @ x @ x @ x @ x @ x


def _power_answer_one_short(x):
    x2 = x @ x
    x4 = x2 @ x2
    return x4 @ x4 @ x2


def _power_answer_elementwise(x):
    return x**11


def _too_many_products(answer, args):
    """Are there more products in the compiled program than it takes? Merged ones count once."""
    import re

    from jaxcourse.inspecting import hlo_text

    if _is_numpy(answer, args):
        return False
    # On the CPU a product is a dot; elsewhere it may be a call of the vendor's library.
    products = re.findall(r" dot\(|custom_call_target=\"[^\"]*(?:matmul|gemm|dot)", hlo_text(answer, *args))
    return len(products) > _MOST_PRODUCTS


QUESTIONS = [
    Question(
        "compile-1",
        points=3,
        sample=_steps_sample,
        oracle=_steps_sum,
        # Whole numbers: a result that went through float32 has lost its last digits.
        rtol=1e-12,
        mistakes=(
            Mistake(
                "wrapped product",
                "Right where the step is large and wrong where it is 1: the product is beyond 32 bits before you halve "
                "it. LLVM takes a 33rd bit for this; you have 32, so find a way to halve first.",
                answer=_steps_answer_wrapped,
                returns=_steps_wrapped,
                rtol=1e-12,
            ),
            Mistake(
                "turns rounded down",
                "The number of turns is rounded down: for n = 10 and k = 3 the loop takes four, 0, 3, 6 and 9.",
                answer=_steps_answer_rounded_down,
                returns=_steps_rounded_down,
                rtol=1e-12,
            ),
            Mistake(
                "numbers added up",
                "The right numbers, added up one by one: find the closed form, which needs no array and no loop.",
                answer=_steps_answer_summed,
                shows=_sums_numbers,
            ),
        ),
    ),
    Question(
        "compile-2",
        points=2,
        sample=_counts_sample,
        oracle=_counts_mean,
        rtol=1e-5,
        mistakes=(
            Mistake(
                "wrapped sum",
                "The sum of int32 is int32 and wraps around at 2**31, without a warning: convert before you add.",
                answer=_counts_answer_wrapped,
                returns=_counts_wrapped,
            ),
            Mistake(
                "unsigned sum",
                "uint32 has one more bit than int32, which is too few: this sum wraps around at 2**32.",
                answer=_counts_answer_unsigned,
                returns=_counts_wrapped_unsigned,
            ),
        ),
    ),
    Question(
        "compile-3",
        points=3,
        sample=_repeat_sample,
        oracle=_repeated_cos,
        mistakes=(
            Mistake(
                "same input each time",
                "This is the cosine of x, once: each turn computes the same and forgets the turn before.",
                answer=_repeat_answer_same_input,
                returns=lambda x, times: np.cos(x.astype(np.float64)),
            ),
            Mistake(
                "one turn short",
                "One turn is missing: a fori_loop from a to b takes b - a turns.",
                answer=_repeat_answer_one_short,
                returns=lambda x, times: _repeated_cos(x, times - 1),
            ),
            Mistake(
                "loop in Python",
                "Right, but not under jit: range needs the number of turns while JAX traces. Put the loop into the program.",
                answer=_repeat_answer_python_loop,
                shows=_needs_the_number,
            ),
        ),
    ),
    Question(
        "compile-4",
        points=3,
        sample=_power_sample,
        oracle=_power,
        mistakes=(
            Mistake(
                "chain of ten",
                "Right, with more than five products left in the compiled program: XLA merges equal products, but a "
                "shorter way is yours to find.",
                answer=_power_answer_chain,
                shows=_too_many_products,
            ),
            Mistake(
                "tenth power",
                "This is the tenth power: one factor is missing.",
                answer=_power_answer_one_short,
                returns=lambda x: _power(x, 10),
            ),
            Mistake(
                "element by element",
                "This takes each entry to the eleventh power: ** works element by element, @ is the matrix product.",
                answer=_power_answer_elementwise,
                returns=lambda x: x.astype(np.float64) ** 11,
            ),
        ),
    ),
]
