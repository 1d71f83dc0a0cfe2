"""Sheet 08: mapped axes, all pairs, random numbers for each row, and clipped gradients."""

import numpy as np

from jaxcourse.questions import Mistake, Question, threefry

SHEET = "08-vmap"

# vmap-1: the distance of every point of a from every point of b. As many of each, so that the typical
# mistakes return a result and not an error.


def _points_sample(rng):
    return rng.normal(size=(5, 3)).astype(np.float32), rng.normal(size=(5, 3)).astype(np.float32)


def _distances(a, b):
    difference = a[:, None].astype(np.float64) - b[None]
    return np.sqrt(np.sum(difference**2, axis=-1))


def _distance(p, q):
    import jax.numpy as jnp

    return jnp.sqrt(jnp.sum((p - q) ** 2))


def _in_pairs(a, b):
    import jax

    return jax.vmap(_distance)(a, b)


def _maps_exchanged(a, b):
    import jax

    return jax.vmap(jax.vmap(_distance, in_axes=(0, None)), in_axes=(None, 0))(a, b)


# vmap-2: standardise every column of a table.


def _table_sample(rng):
    return ((rng.normal(size=(6, 4)) * rng.uniform(1, 5, size=4) + rng.normal(size=4)).astype(np.float32),)


def _by_columns(table):
    table = table.astype(np.float64)
    return (table - table.mean(axis=0)) / table.std(axis=0)


def _standardise(column):
    return (column - column.mean()) / column.std()


def _out_axis_forgotten(table):
    import jax

    return jax.vmap(_standardise, in_axes=1)(table)


def _rows_mapped(table):
    import jax

    return jax.vmap(_standardise)(table)


# vmap-3: noise for every row of x, from a key of its own.


def _noise_sample(rng):
    return int(rng.integers(2**31)), rng.normal(size=(6, 4)).astype(np.float32)


def _noise_arguments(seed, x):
    import jax.numpy as jnp

    return seed, jnp.asarray(x)


def _add_noise(key, row):
    import jax

    return row + jax.random.uniform(key, row.shape)


def _noisy(seed, x):
    keys = threefry.split(threefry.key(int(seed)), len(x))
    return x.astype(np.float64) + np.stack([threefry.uniform(key, x.shape[1:]) for key in keys])


def _one_key(seed, x):
    import jax

    return jax.vmap(_add_noise, in_axes=(None, 0))(jax.random.key(seed), x)


def _whole_table(seed, x):
    import jax

    return _add_noise(jax.random.key(seed), x)


# vmap-4: the mean of the examples' gradients, each clipped to length 1.


def _clip_sample(rng):
    # Gradients of lengths on both sides of 1: only then do the mistakes differ from the answer.
    w, x, y = rng.normal(size=3), rng.normal(size=(12, 3)), rng.normal(size=12)
    return w.astype(np.float32), (0.6 * x).astype(np.float32), y.astype(np.float32)


def _gradients(w, x, y):
    w, x = w.astype(np.float64), x.astype(np.float64)
    return 2 * (x @ w - y)[:, None] * x


def _clipped(gradients):
    lengths = np.sqrt(np.sum(gradients**2, axis=-1, keepdims=True))
    return gradients / np.maximum(1, lengths)


def _loss(w, x, y):
    return (w @ x - y) ** 2


def _each(w, x, y):
    import jax

    return jax.vmap(jax.grad(_loss), in_axes=(None, 0, 0))(w, x, y)


def _mean_clipped(w, x, y):
    import jax.numpy as jnp

    mean = _each(w, x, y).mean(axis=0)
    return mean / jnp.maximum(1, jnp.linalg.norm(mean))


def _all_of_length_one(w, x, y):
    import jax.numpy as jnp

    each = _each(w, x, y)
    return (each / jnp.linalg.norm(each, axis=-1, keepdims=True)).mean(axis=0)


def _together(w, x, y):
    import jax.numpy as jnp

    each = _each(w, x, y)
    return (each / jnp.maximum(1, jnp.linalg.norm(each))).mean(axis=0)


def _together_in_numpy(w, x, y):
    each = _gradients(w, x, y)
    return (each / max(1, np.sqrt(np.sum(each**2)))).mean(axis=0)


QUESTIONS = [
    Question(
        "vmap-1",
        points=2,
        sample=_points_sample,
        oracle=_distances,
        mistakes=(
            Mistake(
                "in pairs",
                "These are the distances of a[0] from b[0], a[1] from b[1] and so on: one vmap walks along both "
                "arguments together. For all pairs you need two, and each shares one argument with None.",
                answer=_in_pairs,
                returns=lambda a, b: np.diagonal(_distances(a, b)),
            ),
            Mistake(
                "maps exchanged",
                "This is the transpose: the outer vmap owns axis 0 of the result, so it must map `a`.",
                answer=_maps_exchanged,
                returns=lambda a, b: _distances(a, b).T,
            ),
        ),
    ),
    Question(
        "vmap-2",
        points=2,
        sample=_table_sample,
        oracle=_by_columns,
        mistakes=(
            Mistake(
                "out_axes forgotten",
                "The right numbers, but the columns have become rows: vmap puts the mapped axis first in the result "
                "unless out_axes says otherwise.",
                answer=_out_axis_forgotten,
                returns=lambda table: _by_columns(table).T,
            ),
            Mistake(
                "rows mapped",
                "This standardises the rows: vmap maps axis 0 unless in_axes says otherwise.",
                answer=_rows_mapped,
                returns=lambda table: _by_columns(table.T).T,
            ),
            Mistake(
                "not mapped",
                "This uses one mean and one deviation for the whole table: `standardise` was not mapped.",
                answer=_standardise,
                returns=lambda table: (table.astype(np.float64) - table.mean()) / table.std(),
            ),
        ),
    ),
    Question(
        "vmap-3",
        points=2,
        sample=_noise_sample,
        oracle=_noisy,
        arguments=_noise_arguments,
        mistakes=(
            Mistake(
                "one key for all",
                "All rows got the same noise: they share one key. Split it first, and map over the keys too.",
                answer=_one_key,
                returns=lambda seed, x: (
                    x.astype(np.float64) + threefry.uniform(threefry.key(int(seed)), x.shape[1:])
                ),
            ),
            Mistake(
                "one draw for the table",
                "The rows differ, but this is one draw for the whole table from the first key; each row shall "
                "draw from its own.",
                answer=_whole_table,
                returns=lambda seed, x: (
                    x.astype(np.float64) + threefry.uniform(threefry.key(int(seed)), x.shape)
                ),
            ),
        ),
    ),
    Question(
        "vmap-4",
        points=3,
        sample=_clip_sample,
        oracle=lambda w, x, y: _clipped(_gradients(w, x, y)).mean(axis=0),
        mistakes=(
            Mistake(
                "the mean is clipped",
                "This clips the mean of the gradients, so one example can still outvote all others: clip each "
                "example's gradient, then take the mean.",
                answer=_mean_clipped,
                returns=lambda w, x, y: _clipped(_gradients(w, x, y).mean(axis=0)),
            ),
            Mistake(
                "stretched to the limit",
                "This gives every gradient length 1, the short ones too: clipping only ever shortens.",
                answer=_all_of_length_one,
                returns=lambda w, x, y: (
                    _gradients(w, x, y) / np.linalg.norm(_gradients(w, x, y), axis=-1, keepdims=True)
                ).mean(axis=0),
            ),
            Mistake(
                "one length for all",
                "All gradients were scaled alike, by the length of the whole batch of them: each has its own length.",
                answer=_together,
                returns=_together_in_numpy,
            ),
        ),
    ),
]
