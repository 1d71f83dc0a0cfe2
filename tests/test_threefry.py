"""jaxcourse.questions.threefry: NumPy gives the keys and numbers that JAX gives."""

import jax
import numpy as np
import pytest

from jaxcourse.questions import threefry

SEEDS = [0, 1, 1337, 2**31 - 1]


def same_key(data, key):
    return np.array_equal(data, jax.random.key_data(key))


def test_hash_of_the_reference_implementation():
    # The known-answer vectors that are published with the paper's code (Random123, kat_vectors).
    high, low = threefry.threefry2x32(np.array([0, 0]), np.array([0]), np.array([0]))
    assert (high[0], low[0]) == (0x6B200159, 0x99BA4EFE)
    ones = np.array([0xFFFFFFFF])
    high, low = threefry.threefry2x32(np.array([0xFFFFFFFF] * 2), ones, ones)
    assert (high[0], low[0]) == (0x1CB996FC, 0xBB002BE7)


@pytest.mark.parametrize("seed", SEEDS)
def test_keys(seed):
    data, key = threefry.key(seed), jax.random.key(seed)
    assert same_key(data, key)
    assert same_key(threefry.split(data, 5), jax.random.split(key, 5))
    assert all(same_key(threefry.fold_in(data, i), jax.random.fold_in(key, i)) for i in (0, 7, 2**31 - 1))


@pytest.mark.parametrize("seed", SEEDS)
def test_numbers(seed):
    data = threefry.key(seed)
    assert np.array_equal(threefry.bits(data, (3, 5)), jax.random.bits(jax.random.key(seed), (3, 5)))
    assert np.array_equal(threefry.uniform(data, (7,)), jax.random.uniform(jax.random.key(seed), (7,)))


@pytest.mark.parametrize("num", [1, 2, 10, 1625])
def test_permutation(num):
    assert np.array_equal(
        threefry.permutation(threefry.key(3), num), jax.random.permutation(jax.random.key(3), num)
    )
