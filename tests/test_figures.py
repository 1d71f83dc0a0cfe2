"""jaxcourse.figures: one style that reads on light and on dark pages."""

import itertools
import re
from pathlib import Path

import matplotlib as mpl
import pytest
from matplotlib.colors import to_rgb

from jaxcourse import use_style
from jaxcourse.figures import PALETTE, STYLE

CSS = Path(__file__).parents[1] / "book" / "static" / "colours.css"


def contrast(one, other) -> float:
    """The contrast ratio of WCAG 2.1 between two colours, from 1 to 21."""

    def luminance(colour):
        linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
        return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize(
    "ground", re.search(r"--jc-page: light-dark\((#\w+), (#\w+)\)", CSS.read_text()).groups()
)
@pytest.mark.parametrize("colour", [*PALETTE, STYLE["text.color"]])
def test_lines_and_labels_read_on_the_light_and_the_dark_page(colour, ground):
    # WCAG 2.1, non-text contrast: 3 to 1.
    assert contrast(colour, ground) >= 3


def test_colours_differ():
    for one, other in itertools.combinations(PALETTE, 2):
        assert max(abs(a - b) for a, b in zip(to_rgb(one), to_rgb(other), strict=True)) > 0.15


def test_the_style_is_set():
    with mpl.rc_context():
        use_style()
        assert mpl.rcParams["savefig.transparent"] and mpl.rcParams["figure.facecolor"] == "none"
        assert mpl.rcParams["axes.prop_cycle"].by_key()["color"] == list(PALETTE)
