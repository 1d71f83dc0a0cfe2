"""jaxcourse.sharding_picture: every block once, with the devices that hold it, for 1 to 64 devices."""

import itertools
import re
import xml.etree.ElementTree as ET

import jax
import jax.numpy as jnp
import pytest
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

import jaxcourse
from jaxcourse import UserError, make_mesh, show_sharding
from jaxcourse.sharding_picture import _colour, blocks_of, describe, draw, ranges

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(autouse=True)
def eight_devices():
    jaxcourse.use_devices(8)


def picture(sharding, shape):
    blocks = blocks_of(sharding, shape)
    return blocks, ET.fromstring(draw(shape, blocks, alt="a picture"))


def rectangles(svg):
    return [e for e in svg.iter() if e.tag.removeprefix(SVG) == "rect"]


@pytest.mark.parametrize(
    ("mesh_shape", "spec", "shape", "count"),
    [
        ((8,), P("a"), (16,), 8),
        ((8,), P(None, "a"), (3, 16), 8),
        ((4, 2), P("a", "b"), (8, 8), 8),
        ((4, 2), P("a"), (8, 8), 4),
        ((4, 2), P(("a", "b")), (16, 2), 8),
        ((4, 2), P(), (4, 4), 1),
        ((4, 2), P(), (), 1),
        ((2, 2, 2), P("a", "b", "c"), (4, 4, 4), 8),
        ((2, 2, 2), P("a", None, "c"), (4, 4, 4), 4),
        ((1,), P("a"), (5,), 1),
    ],
)
def test_a_rectangle_for_each_block_inside_the_picture(mesh_shape, spec, shape, count):
    sharding = NamedSharding(make_mesh(mesh_shape, "abc"[: len(mesh_shape)]), spec)
    blocks, svg = picture(sharding, shape)
    assert len(blocks) == len(rectangles(svg)) == count
    held = sorted(i for ids in blocks.values() for i in ids)
    assert held == sorted(d.id for d in sharding.device_set)
    _, _, width, height = map(float, svg.get("viewBox").split())
    for r in rectangles(svg):
        x, y, w, h = (float(r.get(k)) for k in ("x", "y", "width", "height"))
        assert x >= 0 and y >= 0 and w > 0 and h >= 15 and x + w <= width and y + h <= height + 0.1


def test_sixty_four_devices_are_told_apart():
    done = {_colour(k, 64) for k in range(64)}
    assert len(done) == 64
    blocks = {((i, i + 1), (j, j + 1)): [8 * i + j] for i, j in itertools.product(range(8), range(8))}
    svg = ET.fromstring(draw((8, 8), blocks, alt="64 devices"))
    labels = {e.text for e in svg.iter() if e.tag.removeprefix(SVG) == "text"}
    assert {str(i) for i in range(64)} <= labels


@pytest.mark.parametrize("n", [1, 8, 64])
def test_black_labels_read_on_every_colour(n):
    def luminance(colour):
        channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    for k in range(n):
        # WCAG 2.1, contrast ratio: level AA asks 4.5 of text.
        assert (luminance(_colour(k, n)) + 0.05) / (luminance("#16181d") + 0.05) >= 4.5


def test_in_words():
    sharding = NamedSharding(make_mesh((4, 2), ("a", "b")), P("a", None))
    assert describe((8, 4), blocks_of(sharding, (8, 4))).splitlines()[0] == "[0:2, :] on devices 0, 1"
    assert ranges([0, 1, 2, 3, 8, 10, 11]) == "0-3, 8, 10, 11"


def test_it_takes_an_array_or_a_sharding_with_a_shape(capsys):
    sharding = NamedSharding(make_mesh((8,), ("a",)), P("a"))
    show_sharding(jax.device_put(jnp.arange(8), sharding))
    show_sharding(sharding, (8,))
    first, second = re.split(r"(?=shape \(8,\) as)", capsys.readouterr().out)[1:]
    assert first == second and "[7:8] on device 7" in first


def test_what_cannot_be_drawn():
    sharding = NamedSharding(make_mesh((8,), ("a",)), P("a"))
    with pytest.raises(UserError, match=r"takes a jax\.Array"):
        show_sharding([1, 2, 3])
    with pytest.raises(UserError, match="up to 3 dimensions, this array has 4"):
        show_sharding(jnp.ones((1, 1, 1, 1)))
    with pytest.raises(UserError, match=r"shape \(6,\) cannot be split"):
        show_sharding(sharding, (6,))
