"""The style of the book's figures: one look that reads on light and on dark pages."""

from typing import Any

# After Okabe and Ito's colours for colour-blind readers (jfly.uni-koeln.de/color), shifted in lightness
# so that each has 3:1 and more against the light and against the dark page.
PALETTE = ("#0f83c4", "#d5680d", "#0c9c72", "#c9699e", "#7d838f", "#a468c8")
_INK = "#7d838f"

STYLE: dict[Any, Any] = {
    "figure.figsize": (6.4, 3.4),
    "figure.dpi": 144,
    "figure.constrained_layout.use": True,
    "savefig.transparent": True,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": _INK,
    "axes.labelcolor": _INK,
    "axes.titlecolor": _INK,
    "axes.titlesize": "medium",
    "axes.grid": True,
    "grid.color": _INK,
    "grid.alpha": 0.25,
    "text.color": _INK,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "legend.frameon": False,
    "lines.linewidth": 1.8,
    "font.size": 10,
}


def use_style() -> None:
    """Set matplotlib's defaults to the book's style: transparent ground, mid-grey ink, few lines."""
    import matplotlib as mpl
    from cycler import cycler

    mpl.rcParams.update(STYLE)
    mpl.rcParams["axes.prop_cycle"] = cycler(color=PALETTE)
