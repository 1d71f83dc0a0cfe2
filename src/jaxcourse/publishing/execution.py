"""Execute the notebooks that are not in the cache, several at once, and keep what passed.

A lesson that measures times says `timed: true` in its front matter; it runs when nothing else does.

The cache is the one that Jupyter Book looks into when it makes the pages (myst-nb's `cache` mode),
so a notebook executed here is not executed again there.
"""

import os
import tempfile
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from threading import Event
from time import monotonic
from typing import IO

import yaml
from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from myst_nb.core.read import is_myst_markdown_notebook, read_myst_markdown_notebook
from myst_parser.config.main import MdParserConfig
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode
from sqlalchemy.exc import SQLAlchemyError
from tqdm import tqdm

from jaxcourse.errors import UserError

_NOISE = "Kernel is running over TCP without encryption"  # ipykernel says so of every kernel


def kernel_environment() -> dict[str, str]:
    """The environment of a kernel: figures go into the notebook, whatever MPLBACKEND says out here."""
    return os.environ | {"MPLBACKEND": "module://matplotlib_inline.backend_inline"}


class CellFailure(Exception):
    """A cell that failed: file, line and a sentence."""


@dataclass
class _Run:
    """One notebook on its way through a kernel."""

    path: Path
    docname: str
    notebook: NotebookNode
    cell: int = 0
    cells_done: int = 0
    seconds: float = 0.0
    stopped: Event = field(default_factory=Event)

    @property
    def timed(self) -> bool:
        return bool(self.notebook.metadata.get("jaxcourse", {}).get("timed"))

    @property
    def code_cells(self) -> int:
        return sum(cell.cell_type == "code" for cell in self.notebook.cells)


def execute(root: Path, docnames: list[str], cache_path: Path, jobs: int | None = None) -> None:
    """Execute the pages of the book at `root` that are notebooks and not yet in the cache.

    Args:
        root: the folder with _config.yml, which names the pages that are never executed.
        docnames: the pages, named like `lessons/04-complex-gradients`.
        cache_path: the folder of the jupyter-cache; it is made when missing.
        jobs: how many notebooks at once; by default one a core.

    Raises:
        UserError: cells failed; each is named by file and line. The other notebooks are cached.
    """
    config = yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8"))
    cache = get_cache(cache_path)
    try:
        runs = [run for run in _notebooks(root, docnames, config) if not _is_cached(cache, run.notebook)]
        timeout, jobs = config["execute"]["timeout"], jobs or os.cpu_count() or 1
        failures = _execute([run for run in runs if not run.timed], cache, timeout, jobs)
        failures += _execute([run for run in runs if run.timed], cache, timeout, jobs=1)
    except SQLAlchemyError as error:
        raise UserError(
            f"The cache of executed notebooks, {cache_path}, cannot be written: {error.args[0]}."
        ) from error
    if failures:
        raise UserError(
            "\n".join([*sorted(failures), f"The book is not built: {len(failures)} of its notebooks failed."])
        )


def _notebooks(root: Path, docnames: list[str], config: dict) -> list[_Run]:
    # Read exactly as myst-nb will, or the cache would not recognise the notebook.
    markdown = MdParserConfig(enable_extensions=set(config["parse"]["myst_enable_extensions"]))
    excluded = config["execute"]["exclude_patterns"]
    runs = []
    for docname in docnames:
        path = root / f"{docname}.md"
        if not path.is_file():
            raise UserError(
                f"_toc.yml names {docname}, but there is no {docname}.md: write it or take it out."
            )
        text = path.read_text(encoding="utf-8")
        if any(PurePosixPath(path).match(pattern) for pattern in excluded) or not is_myst_markdown_notebook(
            text
        ):
            continue
        notebook = read_myst_markdown_notebook(text, markdown, add_source_map=True, path=path)
        runs.append(_Run(path, docname, notebook))
    return runs


def _is_cached(cache, notebook: NotebookNode) -> bool:
    try:
        cache.match_cache_notebook(notebook)
    except KeyError:
        return False
    return True


def _execute(runs: list[_Run], cache, timeout: int, jobs: int) -> list[str]:
    """Run the notebooks and cache those that pass; return what is to be said of the others."""
    failures = []
    total = sum(run.code_cells for run in runs)
    with (
        tqdm(total=total, unit="cell", disable=None if runs else True, leave=False, mininterval=0.5) as bar,
        ThreadPoolExecutor(jobs) as pool,
    ):
        waiting = {pool.submit(_run, run, timeout): run for run in runs}
        try:
            while waiting:
                done, _ = wait(waiting, timeout=0.2, return_when=FIRST_COMPLETED)
                bar.set_description(_running(waiting), refresh=False)
                bar.update(sum(run.cells_done for run in runs) - bar.n)
                for future in done:
                    run = waiting.pop(future)
                    try:
                        future.result()
                    except CellFailure as failure:
                        failures.append(str(failure))
                    else:
                        # From this thread only: the cache's SQLite file takes one writer.
                        bundle = CacheBundleIn(
                            run.notebook, str(run.path), data={"execution_seconds": run.seconds}
                        )
                        cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)
        except BaseException:
            for future, run in waiting.items():
                future.cancel()
                run.stopped.set()
            raise
    return failures


def _running(waiting: dict[Future, _Run]) -> str:
    return ", ".join(run.docname for future, run in waiting.items() if future.running()) or "executing"


def _run(run: _Run, timeout: int) -> None:
    """Execute one notebook in a kernel of its own, in its folder; raise CellFailure when a cell fails."""
    started = monotonic()

    def note(cell: NotebookNode, cell_index: int) -> None:
        if run.stopped.is_set():
            raise CellFailure(f"{run.docname}.md was interrupted")
        run.cell = cell_index
        run.cells_done = sum(c.cell_type == "code" for c in run.notebook.cells[:cell_index])

    # Timing would be written into the cells' metadata, which are part of what the cache recognises.
    client = NotebookClient(run.notebook, timeout=timeout, record_timing=False, on_cell_start=note)
    with tempfile.TemporaryFile("w+") as kernel_stderr:
        try:
            client.execute(cwd=str(run.path.parent), env=kernel_environment(), stderr=kernel_stderr)
        except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
            line = run.notebook.metadata.source_map[run.cell] + 1
            raise CellFailure(
                f"{run.docname}.md:{line}: {_sentence(error, timeout, kernel_stderr)}"
            ) from error
    run.cells_done = run.code_cells
    run.seconds = monotonic() - started


def _sentence(error: Exception, timeout: int, kernel_stderr: IO[str]) -> str:
    if isinstance(error, CellExecutionError):
        return f"{error.ename}: {error.evalue}".strip().splitlines()[0]
    if isinstance(error, CellTimeoutError):
        return f"the cell ran longer than the {timeout} seconds that _config.yml allows."
    kernel_stderr.seek(0)
    said = [line for line in kernel_stderr.read().splitlines() if line.strip() and _NOISE not in line]
    return "the kernel died" + (f", saying: {said[-1]}" if said else ".")
