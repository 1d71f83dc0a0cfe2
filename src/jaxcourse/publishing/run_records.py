"""The directive `run-records`: a table of the runs of the book on different machines."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from jaxcourse.publishing import tables

_FOLDER = Path("book", "runs")
_COLUMNS = (
    "Date",
    "Device",
    "Python",
    "JAX",
    "Notebooks",
    "Cells",
    "Claims that hold",
    "Failures",
    "Seconds",
)


class RunRecords(SphinxDirective):
    """One row for each record in `book/runs/*.json`, the newest first, and below it what failed."""

    def run(self) -> list[nodes.Node]:
        # Records come and go without a change of the page, so it is read at each build.
        self.env.note_reread()
        files = sorted((Path(self.env.srcdir) / _FOLDER).glob("*.json"), reverse=True)
        records = [json.loads(file.read_text(encoding="utf-8")) for file in files]
        if not records:
            return [nodes.paragraph("", "There is no run record yet.")]
        failures = [item for record in records for item in _failures(record)]
        table = tables.scrolling(_COLUMNS, [tables.row(_cells(record)) for record in records], "jc-timing")
        return [table, *([nodes.bullet_list("", *failures)] if failures else [])]


def _cells(record: dict[str, Any]) -> list[str]:
    device, versions, notebooks = record["device"], record["versions"], record["notebooks"]
    claims = [claim for notebook in notebooks for claim in notebook["claims"]]
    count = "" if device["platform"] == "cpu" else f"{device['count']} x "
    return [
        record["date"],
        f"{count}{device['kind']}",
        versions["python"],
        versions["jax"],
        str(len(notebooks)),
        str(sum(notebook["cells"] for notebook in notebooks)),
        f"{sum(claim['holds'] for claim in claims)} of {len(claims)}",
        str(sum(len(notebook["failures"]) for notebook in notebooks)),
        f"{sum(notebook['seconds'] for notebook in notebooks):.0f}",
    ]


def _failures(record: dict[str, Any]) -> Iterable[nodes.list_item]:
    for notebook in record["notebooks"]:
        for failure in notebook["failures"]:
            line = f":{failure['line']}" if failure["line"] else ""
            text = f"{record['date']}, {record['device']['kind']}: {notebook['path']}{line}: {failure['sentence']}"
            yield nodes.list_item("", nodes.paragraph(text, text))
