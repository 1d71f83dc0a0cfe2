"""Neighbouring cells tagged `tab:JAX`, `tab:PyTorch`, ... become one set of tabs on the page.

A code cell written inside a tab directive would not be executed, so the lesson keeps plain cells
(also in Jupyter and Colab) and the page gathers them. Choosing a tab switches every set alike.
"""

from itertools import groupby
from typing import Any

from docutils import nodes
from sphinx.transforms import SphinxTransform
from sphinx_design.shared import create_component

_TAG = "tab:"


class GatherTabs(SphinxTransform):
    """Replace each run of neighbouring tagged cells by a sphinx-design tab set."""

    default_priority = 500

    def apply(self, **kwargs: Any) -> None:
        parents = {id(cell.parent): cell.parent for cell in self.document.findall(_is_tab)}
        for parent in parents.values():
            children: list[nodes.Node] = []
            for tagged, run in groupby(parent.children, _is_tab):
                nodes_of_run = list(run)
                children += _tab_sets(nodes_of_run) if tagged else nodes_of_run
            parent.children = []
            parent.extend(children)


def _is_tab(node: nodes.Node) -> bool:
    return (
        isinstance(node, nodes.container)
        and node.get("nb_element") == "cell_code"
        and _label(node) is not None
    )


def _label(cell: nodes.container) -> str | None:
    """The tab's name, without the marker, or None for a cell that belongs to no tab."""
    for tag in cell["cell_metadata"].get("tags", []):
        if tag.startswith(_TAG):
            return tag.removeprefix(_TAG)
    return None


def _tab_sets(cells: list[nodes.container]) -> list[nodes.Node]:
    """One tab set a round: a label that comes again begins the next set."""
    rounds: list[dict[str, nodes.container]] = []
    for cell in cells:
        label = _label(cell)
        assert label is not None
        if not rounds or label in rounds[-1]:
            rounds.append({})
        rounds[-1][label] = cell
    return [
        create_component("tab-set", classes=["sd-tab-set"], children=[_tab(*item) for item in tabs.items()])
        for tabs in rounds
    ]


def _tab(label: str, cell: nodes.container) -> nodes.container:
    title = nodes.rubric(label, label, classes=["sd-tab-label"], sync_group="framework", sync_id=label)
    content = create_component("tab-content", classes=["sd-tab-content"], children=[cell])
    return create_component("tab-item", classes=["sd-tab-item"], children=[title, content], selected=False)
