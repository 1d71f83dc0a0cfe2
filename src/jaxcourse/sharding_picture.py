"""A picture of who holds what: each block of an array, labelled with the devices that hold it.

Drawn as SVG inside HTML, so that lines and labels take the page's text colour on light and dark.
"""

import colorsys
import html
import math
from collections.abc import Iterable, Sequence
from typing import Any

from jaxcourse.display import Shown
from jaxcourse.errors import UserError

Index = tuple[tuple[int, int], ...]
Blocks = dict[Index, list[int]]

# Pixels. A label needs 16 px of height and about 6.5 px a character.
_LABEL_HEIGHT = 16
_CHARACTER = 6.5
_PANEL = 240
_WIDEST = 660
_GAP = 18
_MARGIN = 26
# Eight light colours on which black text has 9:1 and more; distinct to colour-blind readers by lightness and hue.
_COLOURS = ("#8ec9f5", "#ffb877", "#8fdcb5", "#f2b3d4", "#f5e07a", "#b9b6f2", "#c9d2d9", "#ff9d94")


def show_sharding(array: Any, shape: Sequence[int] | None = None, title: str | None = None) -> None:
    """Show how an array of up to three dimensions lies on its devices.

    Each block is labelled with the ids of the devices that hold it; several ids in one block mean
    that these devices hold copies. A three-dimensional array is drawn slab by slab along axis 0.

    Args:
        array: a `jax.Array`, or a `jax.sharding.Sharding` together with ``shape``.
        shape: the array's shape, where ``array`` is a sharding.
        title: a line above the picture; by default the shape and the partition spec.

    Raises:
        UserError: not an array or sharding, more than three dimensions, or a shape that the sharding cannot split.
    """
    sharding = getattr(array, "sharding", array)
    shape = getattr(array, "shape", shape)
    if not hasattr(sharding, "devices_indices_map") or shape is None:
        raise UserError(
            f"show_sharding takes a jax.Array, or a sharding and a shape, not {type(array).__name__}: "
            "put the array on devices first, e.g. with jax.device_put."
        )
    shape = tuple(shape)
    if len(shape) > 3:
        raise UserError(
            f"show_sharding draws up to 3 dimensions, this array has {len(shape)}: show a slice of it."
        )
    try:
        blocks = blocks_of(sharding, shape)
    except ValueError as e:
        raise UserError(f"An array of shape {shape} cannot be split as {sharding.spec}: {e}") from e
    title = title if title is not None else _title(sharding, shape)
    text = describe(shape, blocks)
    data = {
        "shape": list(shape),
        "blocks": [{"index": index, "devices": ids} for index, ids in blocks.items()],
    }
    picture = draw(shape, blocks, alt=f"{title}. {text}")
    caption = f'<div style="font-size:.9em">{html.escape(title)}</div>' if title else ""
    markup = f'<div class="jc-sharding" style="margin:.4em 0">{caption}{picture}</div>'
    Shown("sharding", data, f"{title}\n{text}" if title else text, markup).show()


def blocks_of(sharding, shape: tuple[int, ...]) -> Blocks:
    """The blocks of a sharded array: from each block's (start, stop) along every axis to its device ids."""
    blocks: Blocks = {}
    for device, slices in sharding.devices_indices_map(shape).items():
        index = tuple(s.indices(size)[:2] for s, size in zip(slices, shape, strict=True))
        blocks.setdefault(index, []).append(device.id)
    return {index: sorted(blocks[index]) for index in sorted(blocks)}


def describe(shape: tuple[int, ...], blocks: Blocks) -> str:
    """The picture in words, a line for each block; the plain-text form and the alternative text."""
    lines = []
    for index, ids in blocks.items():
        where = ", ".join(
            ":" if (start, stop) == (0, size) else f"{start}:{stop}"
            for (start, stop), size in zip(index, shape, strict=True)
        )
        lines.append(f"[{where}] on {'device' if len(ids) == 1 else 'devices'} {ranges(ids)}")
    return "\n".join(lines)


def ranges(ids: Iterable[int]) -> str:
    """Device ids as text with runs of three and more joined: ``0-3, 8``."""
    runs: list[list[int]] = []
    for i in sorted(ids):
        if runs and i == runs[-1][-1] + 1:
            runs[-1].append(i)
        else:
            runs.append([i])
    return ", ".join(f"{r[0]}-{r[-1]}" if len(r) > 2 else ", ".join(map(str, r)) for r in runs)


def draw(shape: tuple[int, ...], blocks: Blocks, alt: str) -> str:
    """The picture as an SVG element; ``alt`` is its alternative text."""
    # Every array is drawn as slabs of rows and columns: pad the missing leading axes with length 1.
    missing = 3 - len(shape)
    full = (1,) * missing + shape
    padded = {((0, 1),) * missing + index: ids for index, ids in blocks.items()}
    slabs = sorted({index[0] for index in padded})
    rows = len({index[1] for index in padded})
    columns = len({index[2] for index in padded})
    longest = max(len(ranges(ids)) for ids in blocks.values())
    width = max(_PANEL, columns * (longest * _CHARACTER + 8))
    aspect = full[1] / max(1, full[2])
    height = max(rows * _LABEL_HEIGHT, min(width, width * aspect) if len(shape) > 1 else 0, 30)
    per_row = max(1, int((_WIDEST + _GAP) // (width + _GAP)))
    order = {i: k for k, i in enumerate(sorted({i for ids in blocks.values() for i in ids}))}

    parts = []
    for number, slab in enumerate(slabs):
        left = _MARGIN + (number % per_row) * (width + _GAP)
        top = _MARGIN + (number // per_row) * (height + _GAP + _LABEL_HEIGHT)
        if len(shape) == 3:
            parts.append(
                _text(left + width / 2, top - 8, f"{slab[0]}:{slab[1]} of axis 0; axis 2: {shape[2]}")
            )
        for index, ids in padded.items():
            if index[0] != slab:
                continue
            (y0, y1), (x0, x1) = index[1], index[2]
            box = (
                left + width * x0 / max(1, full[2]),
                top + height * y0 / max(1, full[1]),
                width * (x1 - x0) / max(1, full[2]),
                height * (y1 - y0) / max(1, full[1]),
            )
            parts.append(_block(box, ranges(ids), _colour(order[ids[0]], len(order))))
        if len(shape) < 3 and shape:
            parts.append(_text(left + width / 2, top - 8, f"axis {len(shape) - 1}: {shape[-1]}"))
        if len(shape) >= 2 and number == 0:
            parts.append(_text(12, top + height / 2, f"axis {len(shape) - 2}: {shape[-2]}", turned=True))
    total_width = _MARGIN + min(len(slabs), per_row) * (width + _GAP)
    total_height = _MARGIN + math.ceil(len(slabs) / per_row) * (height + _GAP + _LABEL_HEIGHT) - _LABEL_HEIGHT
    return (
        f'<svg role="img" aria-label="{html.escape(alt)}" viewBox="0 0 {total_width:.0f} {total_height:.0f}" '
        f'width="{total_width:.0f}" style="max-width:100%;height:auto" '
        f'font-family="system-ui, sans-serif" font-size="12">{"".join(parts)}</svg>'
    )


def _title(sharding, shape: tuple[int, ...]) -> str:
    spec = getattr(sharding, "spec", None)
    # JAX 0.7 prints PartitionSpec(...), later versions P(...).
    how = f" as {str(spec).replace('PartitionSpec', 'P')}" if spec is not None else ""
    mesh = getattr(sharding, "mesh", None)
    over = (
        f" on mesh ({', '.join(f'{name}={size}' for name, size in mesh.shape.items())})"
        if mesh is not None
        else ""
    )
    return f"shape {shape}{how}{over}"


def _colour(k: int, n: int) -> str:
    if n <= len(_COLOURS):
        return _COLOURS[k]
    # More devices than named colours: spread the hues by the golden angle, in three light shades.
    red, green, blue = colorsys.hls_to_rgb((k * 0.381966) % 1.0, (0.72, 0.79, 0.86)[k % 3], 0.75)
    return f"#{round(red * 255):02x}{round(green * 255):02x}{round(blue * 255):02x}"


def _block(box: tuple[float, float, float, float], label: str, colour: str) -> str:
    x, y, width, height = box
    rectangle = f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{colour}" stroke="#16181d"/>'
    return rectangle + _text(x + width / 2, y + height / 2, label, colour="#16181d")


def _text(x: float, y: float, text: str, colour: str = "currentColor", turned: bool = False) -> str:
    turn = f' transform="rotate(-90 {x:.1f} {y:.1f})"' if turned else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" text-anchor="middle" dominant-baseline="central"{turn}>'
        f"{html.escape(text)}</text>"
    )
