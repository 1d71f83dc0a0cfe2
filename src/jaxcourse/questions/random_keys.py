"""Sheet 02: carrying a key, a key for each row, numbers without a stored key, one draw used twice."""

import numpy as np

from jaxcourse.questions import Mistake, Question, threefry

SHEET = "02-random-keys"


def _seed(rng: np.random.Generator) -> np.int32:
    return rng.integers(2**31, dtype=np.int32)


# keys-1: draw, carry the other half on, draw again.


_STEPS = 4


def _chain_sample(rng):
    return (_seed(rng),)


def _chain(seed):
    key, rows = threefry.key(seed), []
    for _ in range(_STEPS):
        key, subkey = threefry.split(key)
        rows.append(threefry.uniform(subkey, (3,)))
    return np.stack(rows)


def _chain_stuck_returns(seed):
    subkey = threefry.split(threefry.key(seed))[1]
    return np.stack([threefry.uniform(subkey, (3,))] * _STEPS)


def _chain_stuck(seed):
    import jax
    import jax.numpy as jnp

    key, rows = jax.random.key(seed), []
    for _ in range(_STEPS):
        _, subkey = jax.random.split(key)
        rows.append(jax.random.uniform(subkey, (3,)))
    return jnp.stack(rows)


def _chain_parent_returns(seed):
    key, rows = threefry.key(seed), []
    for _ in range(_STEPS):
        rows.append(threefry.uniform(key, (3,)))
        key = threefry.split(key)[0]
    return np.stack(rows)


def _chain_parent(seed):
    import jax
    import jax.numpy as jnp

    key, rows = jax.random.key(seed), []
    for _ in range(_STEPS):
        rows.append(jax.random.uniform(key, (3,)))
        key, _ = jax.random.split(key)
    return jnp.stack(rows)


# keys-2: noise for a batch, every row from its own key.


def _jitter_sample(rng):
    return _seed(rng), rng.normal(size=(5, 3)).astype(np.float32)


def _jitter(seed, x):
    keys = threefry.split(threefry.key(seed), len(x))
    return x + np.stack([threefry.uniform(key, x.shape[1:]) for key in keys])


def _jitter_one_key_returns(seed, x):
    return x + threefry.uniform(threefry.key(seed), x.shape[1:])


def _jitter_one_key(seed, x):
    import jax

    key = jax.random.key(seed)
    return jax.vmap(lambda row: row + jax.random.uniform(key, row.shape))(x)


def _jitter_one_draw_returns(seed, x):
    return x + threefry.uniform(threefry.key(seed), x.shape)


def _jitter_one_draw(seed, x):
    import jax

    key = jax.random.key(seed)
    return x + jax.random.uniform(key, x.shape)


# keys-3: the key of a worker at a step.


def _worker_sample(rng):
    step, worker = rng.integers(1, 100, size=2, dtype=np.int32)
    return _seed(rng), step, worker


def _worker(seed, step, worker):
    return threefry.uniform(threefry.fold_in(threefry.fold_in(threefry.key(seed), step), worker), (4,))


def _worker_sum_returns(seed, step, worker):
    return threefry.uniform(threefry.fold_in(threefry.key(seed), step + worker), (4,))


def _worker_sum(seed, step, worker):
    import jax

    key = jax.random.key(seed)
    return jax.random.uniform(jax.random.fold_in(key, step + worker), (4,))


def _worker_without_step_returns(seed, step, worker):
    return threefry.uniform(threefry.fold_in(threefry.key(seed), worker), (4,))


def _worker_without_step(seed, step, worker):
    import jax

    key = jax.random.key(seed)
    return jax.random.uniform(jax.random.fold_in(key, worker), (4,))


# keys-4: images and labels in the same random order.


def _shuffle_sample(rng):
    return _seed(rng), rng.normal(size=(10, 3)).astype(np.float32), np.arange(10, dtype=np.int32)


def _shuffle(seed, images, labels):
    order = threefry.permutation(threefry.key(seed), len(images))
    return images[order], labels[order]


def _shuffle_torn_returns(seed, images, labels):
    for_images, for_labels = threefry.split(threefry.key(seed))
    size = len(images)
    return images[threefry.permutation(for_images, size)], labels[threefry.permutation(for_labels, size)]


def _shuffle_torn(seed, images, labels):
    import jax

    key = jax.random.key(seed)
    for_images, for_labels = jax.random.split(key)
    return jax.random.permutation(for_images, images), jax.random.permutation(for_labels, labels)


def _shuffle_inverse_returns(seed, images, labels):
    back = np.argsort(threefry.permutation(threefry.key(seed), len(images)))
    return images[back], labels[back]


def _shuffle_inverse(seed, images, labels):
    import jax

    key = jax.random.key(seed)
    order = jax.random.permutation(key, len(images))
    return images.at[order].set(images), labels.at[order].set(labels)


QUESTIONS = [
    Question(
        "keys-1",
        points=2,
        sample=_chain_sample,
        oracle=_chain,
        mistakes=(
            Mistake(
                "key not updated",
                "All rows are the same: each step splits the same key. The next step must start from the "
                "child that you did not draw from.",
                answer=_chain_stuck,
                returns=_chain_stuck_returns,
            ),
            Mistake(
                "drawn from the key that is split",
                "You draw from a key and then split the same key, which uses it twice. Split first, then draw "
                "from the second child.",
                answer=_chain_parent,
                returns=_chain_parent_returns,
            ),
        ),
    ),
    Question(
        "keys-2",
        points=2,
        sample=_jitter_sample,
        oracle=_jitter,
        mistakes=(
            Mistake(
                "one key for all rows",
                "Every row got the same noise: the function that you batch uses one key from outside. "
                "Hand each row a key of its own.",
                answer=_jitter_one_key,
                returns=_jitter_one_key_returns,
            ),
            Mistake(
                "one draw for the batch",
                "This is one draw of the whole batch from one key, so a row's noise has no key of its own. "
                "Split the key, one child for each row, and batch over the children too.",
                answer=_jitter_one_draw,
                returns=_jitter_one_draw_returns,
            ),
        ),
    ),
    Question(
        "keys-3",
        points=3,
        sample=_worker_sample,
        oracle=_worker,
        mistakes=(
            Mistake(
                "sum folded in",
                "You fold in `step + worker`, so worker 2 at step 1 draws what worker 1 draws at step 2. "
                "Fold the two numbers in one after the other.",
                answer=_worker_sum,
                returns=_worker_sum_returns,
            ),
            Mistake(
                "step left out",
                "Each worker draws the same numbers at every step: only `worker` is in the key.",
                answer=_worker_without_step,
                returns=_worker_without_step_returns,
            ),
        ),
    ),
    Question(
        "keys-4",
        points=3,
        sample=_shuffle_sample,
        oracle=_shuffle,
        mistakes=(
            Mistake(
                "torn pairs",
                "Images and labels come in different orders, from two keys: the pairs are torn apart. "
                "What must agree needs one draw.",
                answer=_shuffle_torn,
                returns=_shuffle_torn_returns,
            ),
            Mistake(
                "put instead of taken",
                "You put item i at place `order[i]`. Take item `order[i]` for place i: index with the order.",
                answer=_shuffle_inverse,
                returns=_shuffle_inverse_returns,
            ),
        ),
    ),
]
