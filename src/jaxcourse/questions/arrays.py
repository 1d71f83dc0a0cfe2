"""Sheet 01: updates of immutable arrays, indices out of range, donation, frozen values, and trees."""

import numpy as np

from jaxcourse.questions import Mistake, Question

SHEET = "01-arrays"

# arrays-1: a matrix with one column multiplied and a zero in one place.


def _edit_sample(rng):
    # Positive entries and a factor above 1, so that every wrong cell shows.
    return rng.uniform(1, 2, (4, 4)).astype(np.float32), int(rng.integers(3)), np.float32(rng.uniform(2, 3))


def _edit_arguments(mat, column, factor):
    import jax.numpy as jnp

    return jnp.asarray(mat), column, jnp.asarray(factor)


def _edited(mat, column, factor):
    new = np.array(mat, dtype=np.float64)
    new[:, int(column)] *= factor
    new[-1, -1] = 0
    return new


def _edited_row(mat, column, factor):
    new = np.array(mat, dtype=np.float64)
    new[int(column)] *= factor
    new[-1, -1] = 0
    return new


def _edit_dropped(mat, column, factor):
    mat.at[:, column].multiply(factor)
    mat.at[-1, -1].set(0)
    return mat


def _edit_first_dropped(mat, column, factor):
    mat.at[:, column].multiply(factor)
    return mat.at[-1, -1].set(0)


def _edit_row(mat, column, factor):
    return mat.at[column].multiply(factor).at[-1, -1].set(0)


# arrays-2: count the votes for each of k candidates; other numbers are no candidates.

_CANDIDATES = 5


def _votes_sample(rng):
    # Every kind of ballot is there: valid, valid twice, too large, negative and within reach of wrapping.
    fixed = [0, 0, _CANDIDATES - 1, _CANDIDATES, _CANDIDATES + 7, -1, -2, -2]
    ballots = np.concatenate([fixed, rng.integers(-3, _CANDIDATES + 3, 20)])
    return rng.permutation(ballots).astype(np.int32), _CANDIDATES


def _votes_arguments(ballots, k):
    import jax.numpy as jnp

    return jnp.asarray(ballots), k


def _votes(ballots, k):
    return np.bincount(ballots[(ballots >= 0) & (ballots < k)], minlength=int(k)).astype(np.float64)


def _votes_wrapped(ballots, k):
    return _votes(np.where(ballots < 0, ballots + k, ballots), k)


def _count_once(ballots, k):
    import jax.numpy as jnp

    return jnp.zeros(k).at[jnp.where(ballots < 0, k, ballots)].set(1)


def _count_wrapped(ballots, k):
    import jax.numpy as jnp

    return jnp.zeros(k).at[ballots].add(1)


def _count_clipped(ballots, k):
    import jax.numpy as jnp

    return jnp.zeros(k).at[jnp.clip(ballots, 0, k - 1)].add(1)


# arrays-3: replace every inner point by the mean of its two neighbours, and leave the argument alive.


def _smooth_sample(rng):
    return (rng.normal(size=9).astype(np.float32),)


def _smooth(x):
    new = np.array(x, dtype=np.float64)
    new[1:-1] = (x[:-2] + x[2:]) / 2
    return new


def _smooth_in_place(x):
    new = np.array(x, dtype=np.float64)
    for i in range(1, len(new) - 1):
        new[i] = (new[i - 1] + new[i + 1]) / 2
    return new


def _smooth_one_by_one(x):
    for i in range(1, x.shape[0] - 1):
        x = x.at[i].set((x[i - 1] + x[i + 1]) / 2)
    return x


def _smooth_added(x):
    return x.at[1:-1].add((x[:-2] + x[2:]) / 2)


def _smooth_donated(x):
    import jax

    return jax.jit(lambda y: y.at[1:-1].set((y[:-2] + y[2:]) / 2), donate_argnums=0)(x)


def _argument_is_gone(answer, args):
    answer(*args)
    return args[0].is_deleted()


# arrays-4: one row for each factor, from one jitted function.


def _rows_sample(rng):
    return rng.uniform(1, 2, 4).astype(np.float32), rng.permutation(np.arange(1.0, 5.0)).astype(np.float32)


def _rows(x, factors):
    return np.outer(np.asarray(factors, dtype=np.float64), x)


def _rows_frozen(x, factors):
    import jax
    import jax.numpy as jnp

    current = [0.0]
    fast = jax.jit(lambda x: current[0] * x)
    rows = []
    for factor in factors:
        current[0] = factor
        rows.append(fast(x))
    return jnp.stack(rows)


def _rows_late(x, factors):
    import jax.numpy as jnp

    functions = []
    for factor in factors:
        functions.append(lambda x: factor * x)  # noqa: B023 (the mistake)
    return jnp.stack([function(x) for function in functions])


# arrays-5: divide a tree of arrays by its norm, the norm of all its numbers together.


def _tree_sample(rng):
    def leaf(*shape):
        return rng.normal(size=shape).astype(np.float32)

    # A leaf with one number, too: divided by a norm of its own it would be 1 or -1.
    return ({"weight": leaf(3, 3), "layers": [{"bias": leaf(4)}, {"bias": leaf(1)}]},)


def _norms(tree):
    import jax

    return jax.tree.map(lambda leaf: np.sqrt(np.sum(np.float64(leaf) ** 2)), tree)


def _norm(tree):
    import jax

    return np.sqrt(sum(norm**2 for norm in jax.tree.leaves(_norms(tree))))


def _divided(tree, by):
    import jax

    return jax.tree.map(lambda leaf: np.float64(leaf) / by, tree)


def _divided_each(tree):
    import jax

    return jax.tree.map(lambda leaf, norm: np.float64(leaf) / norm, tree, _norms(tree))


def _divided_by_sum(tree):
    import jax

    return _divided(tree, sum(jax.tree.leaves(_norms(tree))))


def _normalise_each(tree):
    import jax
    import jax.numpy as jnp

    return jax.tree.map(lambda leaf: leaf / jnp.sqrt(jnp.sum(leaf**2)), tree)


def _normalise_by_sum(tree):
    import jax
    import jax.numpy as jnp

    norm = sum(jnp.sqrt(jnp.sum(leaf**2)) for leaf in jax.tree.leaves(tree))
    return jax.tree.map(lambda leaf: leaf / norm, tree)


def _normalise_by_square(tree):
    import jax
    import jax.numpy as jnp

    square = sum(jnp.sum(leaf**2) for leaf in jax.tree.leaves(tree))
    return jax.tree.map(lambda leaf: leaf / square, tree)


QUESTIONS = [
    Question(
        "arrays-1",
        points=2,
        sample=_edit_sample,
        arguments=_edit_arguments,
        oracle=_edited,
        mistakes=(
            Mistake(
                "dropped",
                "The matrix comes back as it went in: `.at[...]` changes nothing, it returns a new array, "
                "and yours is dropped.",
                answer=_edit_dropped,
                returns=lambda mat, column, factor: mat.astype(np.float64),
            ),
            Mistake(
                "first update dropped",
                "Only the last update is in the result: the new array of the first one is dropped, because the "
                "second starts from the old matrix.",
                answer=_edit_first_dropped,
                returns=lambda mat, column, factor: _edited(mat, column, 1.0),
            ),
            Mistake(
                "row",
                "This multiplies a row: the first index counts rows, and `:` in its place stands for all of them.",
                answer=_edit_row,
                returns=_edited_row,
            ),
        ),
    ),
    Question(
        "arrays-2",
        points=2,
        sample=_votes_sample,
        arguments=_votes_arguments,
        oracle=_votes,
        mistakes=(
            Mistake(
                "counted once",
                "No candidate has more than one vote: `set` writes the same value again where an index comes twice.",
                answer=_count_once,
                returns=lambda ballots, k: np.minimum(_votes(ballots, k), 1),
            ),
            Mistake(
                "negative numbers wrap",
                "The last candidates have votes that are not theirs: a negative index counts from the end, in JAX "
                "as in NumPy. Only numbers that are too large are dropped.",
                answer=_count_wrapped,
                returns=_votes_wrapped,
            ),
            Mistake(
                "clipped",
                "The first and the last candidate got the invalid ballots: clipping an index moves it to an "
                "element that exists.",
                answer=_count_clipped,
                returns=lambda ballots, k: _votes(np.clip(ballots, 0, k - 1), k),
            ),
        ),
    ),
    Question(
        "arrays-3",
        points=2,
        sample=_smooth_sample,
        oracle=_smooth,
        mistakes=(
            Mistake(
                "reads its own updates",
                "Each point uses the new value of its left neighbour: you update one by one and read from the "
                "updated array. Both neighbours are those of the array that came in.",
                answer=_smooth_one_by_one,
                returns=_smooth_in_place,
            ),
            Mistake(
                "added",
                "The mean was added to the old value: `add` is the `+=` of `.at`.",
                answer=_smooth_added,
                returns=lambda x: _smooth(x) + np.concatenate([[0], x[1:-1], [0]]),
            ),
            Mistake(
                "donated",
                "The values are right, but the array that came in is gone: your function donates an argument "
                "that its caller still needs.",
                answer=_smooth_donated,
                shows=_argument_is_gone,
            ),
        ),
    ),
    Question(
        "arrays-4",
        points=2,
        sample=_rows_sample,
        oracle=_rows,
        mistakes=(
            Mistake(
                "frozen",
                "Every row has the first factor: jit froze the value that it read in its first call. What changes "
                "from call to call must be an argument.",
                answer=_rows_frozen,
                returns=lambda x, factors: _rows(x, np.full_like(factors, factors[0])),
            ),
            Mistake(
                "late",
                "Every row has the last factor: a closure looks its variable up when it is called, and by then "
                "the loop is over.",
                answer=_rows_late,
                returns=lambda x, factors: _rows(x, np.full_like(factors, factors[-1])),
            ),
        ),
    ),
    Question(
        "arrays-5",
        points=3,
        sample=_tree_sample,
        oracle=lambda tree: _divided(tree, _norm(tree)),
        mistakes=(
            Mistake(
                "leaf by leaf",
                "Each leaf was divided by a norm of its own: jax.tree.map sees one leaf at a time. The norm of "
                "the whole tree needs all of jax.tree.leaves first.",
                answer=_normalise_each,
                returns=_divided_each,
            ),
            Mistake(
                "norms added",
                "The norms of the leaves were added: the norm of the tree is the root of the sum of all squares.",
                answer=_normalise_by_sum,
                returns=_divided_by_sum,
            ),
            Mistake(
                "no root",
                "The tree was divided by the sum of all squares; its root is missing.",
                answer=_normalise_by_square,
                returns=lambda tree: _divided(tree, _norm(tree) ** 2),
            ),
        ),
    ),
]
