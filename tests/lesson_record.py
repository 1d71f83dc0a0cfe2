"""The record of one run over the lessons: what ran where, which claims held, what was measured."""

import datetime
import json
import platform
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

SCHEMA = 1

# The name under which a cell's test hands its claims, measures and failure to the recorder. It travels
# in the test's report, so it arrives from the workers of a parallel run as well.
PROPERTY = "lesson_cell"


class RunRecorder:
    """A pytest plugin that writes a run record, as JSON, to `path` when the session ends.

    `device` is what lesson_devices.describe returned.
    """

    def __init__(self, path: Path, device: dict):
        self.path = path
        self.device = device
        self.notebooks: dict[str, dict] = {}

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed and report.nodeid.endswith(".md"):
            self._failure(report.nodeid, None, report.longreprtext)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        path = report.nodeid.split("::")[0]
        if not path.endswith(".md"):
            return
        notebook = self._notebook(path)
        notebook["seconds"] = round(notebook["seconds"] + report.duration, 3)
        if report.when == "setup":
            notebook["cells"] += 1
        cell: Any = dict(report.user_properties).get(PROPERTY) if report.when == "call" else None
        if cell:
            notebook["claims"] += cell["claims"]
            notebook["measures"] += cell["measures"]
            notebook["devices"] = cell.get("devices", notebook["devices"]).strip()
        if report.failed:
            sentence = cell["failure"] if cell else report.longreprtext
            self._failure(path, (report.location[1] or 0) + 1, sentence)

    def pytest_sessionfinish(self) -> None:
        record = {
            "schema": SCHEMA,
            "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
            "device": self.device,
            "versions": versions(),
            "notebooks": [self.notebooks[path] for path in sorted(self.notebooks)],
        }
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(json.dumps(record, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")

    def _notebook(self, path: str) -> dict:
        empty: dict[str, Any] = {
            "path": path,
            "devices": "",
            "seconds": 0.0,
            "cells": 0,
            "claims": [],
            "measures": [],
            "failures": [],
        }
        return self.notebooks.setdefault(path, empty)

    def _failure(self, path: str, line: int | None, text: str) -> None:
        sentence = text.strip().splitlines()[0] if text.strip() else "it failed and said nothing"
        self._notebook(path)["failures"].append({"line": line, "sentence": sentence})


def versions() -> dict[str, str | None]:
    """Return the versions of what decides a lesson's outcome, None where a package is absent."""
    found: dict[str, str | None] = {"python": platform.python_version()}
    for name in ("jax", "jaxlib", "numpy", "torch"):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = None
    # On a bare machine jaxcourse is on the path without being installed, so it has no metadata there.
    try:
        import jaxcourse
    except ImportError:
        found["jaxcourse"] = None
    else:
        found["jaxcourse"] = jaxcourse.__version__
    return found
