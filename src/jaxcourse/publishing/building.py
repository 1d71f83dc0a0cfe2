"""Build the website: execute what changed, on all cores, then let Jupyter Book make the pages."""

import errno
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import yaml
from sphinx_external_toc.parsing import MalformedError, parse_toc_yaml

from jaxcourse.errors import UserError
from jaxcourse.publishing import execution, execution_cache

# Pages that Sphinx makes without a source.
_MADE_BY_SPHINX = {"index", "genindex", "search"}
_DISK = {
    errno.ENOSPC: "the disk is full: free some space",
    errno.EDQUOT: "your disk quota is used up: free some space",
    errno.EACCES: "you may not write there: change its permissions, or build in a copy that you own",
    errno.EPERM: "you may not write there: change its permissions, or build in a copy that you own",
    errno.EROFS: "that disk is read-only: build in a copy elsewhere",
}


def build(root: Path, jobs: int | None = None, strict: bool = False) -> Path:
    """Build the website of the book at `root` and return its first page, `_build/html/index.html`.

    Notebooks whose code, helper package, versions and settings are unchanged are not executed again.

    Args:
        root: the folder with _config.yml and _toc.yml.
        jobs: how many notebooks are executed at once; by default one a core.
        strict: make every page anew, and fail on any warning.

    Raises:
        UserError: cells failed (each is named, and the notebooks that passed stay executed), Jupyter
            Book failed, or the disk does not let the site be written.
    """
    root = root.resolve()
    out = root / "_build"
    with _disk_errors(out):
        out.mkdir(exist_ok=True)
        docnames = _pages(root)
        cache = execution_cache.path(out)
        execution.execute(root, docnames, cache, jobs)
        execution_cache.prune(cache)
        _make_pages(root, strict)
        _remove_stale(out / "html", docnames)
        # GitHub Pages would otherwise leave out every folder that starts with an underscore.
        (out / "html" / ".nojekyll").touch()
    return out / "html" / "index.html"


def _pages(root: Path) -> list[str]:
    """The pages of the table of contents, as Sphinx names them."""
    try:
        return list(parse_toc_yaml(root / "_toc.yml"))
    except (MalformedError, yaml.YAMLError, OSError) as error:
        raise UserError(f"_toc.yml cannot be read: {error}") from error


def _make_pages(root: Path, strict: bool) -> None:
    command = [sys.executable, "-c", "from jupyter_book.cli.main import main; main()", "build", "."]
    command += ["--all", "-W", "-n", "--keep-going"] if strict else ["-q"]
    done = subprocess.run(command, cwd=root, text=True, capture_output=True)
    for code in _DISK:
        if done.returncode != 0 and f"[Errno {code}]" in done.stderr:
            raise OSError(code, "", str(root / "_build"))
    sys.stderr.write(done.stderr)
    if done.returncode == 0:
        return
    if strict and "WARNING" in done.stderr:
        raise UserError("The pages have warnings, printed above, and --strict allows none: mend them.")
    raise UserError("Jupyter Book could not make the pages; what it printed above says why.")


def _remove_stale(html: Path, docnames: list[str]) -> None:
    """Remove what is left of pages that are no longer in the table of contents."""
    wanted = {*docnames, *_MADE_BY_SPHINX}
    for folder in (html, html / "_sources"):
        for file in folder.rglob("*"):
            if file.suffix not in {".html", ".md", ".ipynb"} or not file.is_file():
                continue
            inside = file.relative_to(folder)
            if inside.parts[0].startswith("_"):
                continue
            if inside.with_suffix("").as_posix() not in wanted:
                file.unlink()
    shutil.rmtree(html / "reports", ignore_errors=True)


@contextmanager
def _disk_errors(out: Path) -> Iterator[None]:
    """Turn the troubles of a disk into one sentence."""
    try:
        yield
    except OSError as error:
        if error.errno not in _DISK:
            raise
        raise UserError(f"{error.filename or out} cannot be written: {_DISK[error.errno]}.") from error
