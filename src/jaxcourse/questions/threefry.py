"""JAX's random keys in NumPy, for the oracles: Threefry-2x32 with 20 rounds.

Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011). A key is two
32-bit words. Hashing the position of a number under the key gives its bits, and hashing the number of a
child gives the child's key. So it is in JAX with ``jax_threefry_partitionable``, its default since 0.5.
"""

import numpy as np

_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
# The key schedule's third word: the paper's 32-bit constant, and both words of the key.
_PARITY = 0x1BD11BDA


def key(seed: int) -> np.ndarray:
    """The key data of ``jax.random.key(seed)`` for a seed of at most 32 bits."""
    return np.array([0, int(seed) & 0xFFFFFFFF], np.uint32)


def threefry2x32(key: np.ndarray, high: np.ndarray, low: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Hash pairs of 32-bit words under a key; returns the two words of each hash."""
    words = [int(key[0]), int(key[1]), int(key[0]) ^ int(key[1]) ^ _PARITY]
    # In 64 bits, so that sums do not overflow; each step keeps the lower 32.
    x = (np.asarray(high, np.uint64) + words[0]) & 0xFFFFFFFF
    y = (np.asarray(low, np.uint64) + words[1]) & 0xFFFFFFFF
    for group in range(5):
        for distance in _ROTATIONS[group % 2]:
            x = (x + y) & 0xFFFFFFFF
            y = x ^ (((y << distance) | (y >> (32 - distance))) & 0xFFFFFFFF)
        x = (x + words[(group + 1) % 3]) & 0xFFFFFFFF
        y = (y + words[(group + 2) % 3] + group + 1) & 0xFFFFFFFF
    return x.astype(np.uint32), y.astype(np.uint32)


def split(key: np.ndarray, num: int = 2) -> np.ndarray:
    """The data of ``jax.random.split(key, num)``, shape (num, 2)."""
    return np.stack(threefry2x32(key, np.zeros(num), np.arange(num)), axis=-1)


def fold_in(key: np.ndarray, data: int) -> np.ndarray:
    """The data of ``jax.random.fold_in(key, data)`` for 32-bit data."""
    return np.stack(threefry2x32(key, np.zeros(()), np.array(data)), axis=-1)


def bits(key: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The 32-bit words of ``jax.random.bits(key, shape)``, for fewer than 2**32 of them."""
    count = np.arange(np.prod(shape, dtype=np.int64))
    high, low = threefry2x32(key, np.zeros_like(count), count)
    return (high ^ low).reshape(shape)


def uniform(key: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The numbers of ``jax.random.uniform(key, shape)`` in float64: 23 random bits as a fraction."""
    return (bits(key, shape) >> 9) / 2.0**23


def permutation(key: np.ndarray, num: int) -> np.ndarray:
    """``jax.random.permutation(key, num)`` for at most 1625 items, which JAX shuffles by one sort."""
    return np.argsort(bits(split(key)[1], (num,)), kind="stable")
