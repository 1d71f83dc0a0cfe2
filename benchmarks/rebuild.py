"""What one changed sentence costs: `jaxcourse book` after it, against the build of that page alone.

    python benchmarks/rebuild.py [lessons/04-complex-gradients]

The goal is the page's own build plus 3 s at most. A copy of the book is built, so nothing here changes;
the page alone is a book whose table of contents names no other page. All notebooks are executed before
anything is timed.
"""

import argparse
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter

from jaxcourse.publishing import building

ROOT = Path(__file__).resolve().parent.parent
PARTS = ("_config.yml", "_toc.yml", "book", "lessons", "exercises", "solutions")
GOAL_S = 3.0
RUNS = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("page", nargs="?", default="lessons/04-complex-gradients")
    page = parser.parse_args().page
    with tempfile.TemporaryDirectory() as folder:
        book, alone = Path(folder, "book"), Path(folder, "alone")
        copy(book)
        copy(alone)
        building.build(book)
        shutil.copytree(book / "_build" / "cache", alone / "_build" / "cache")
        (alone / "_toc.yml").write_text(f"format: jb-book\nroot: {page}\n")

        def page_alone() -> None:
            shutil.rmtree(alone / "_build" / "html", ignore_errors=True)
            shutil.rmtree(alone / "_build" / ".doctrees", ignore_errors=True)
            building.build(alone)

        def changed_sentence() -> None:
            with (book / f"{page}.md").open("a") as text:
                text.write("\nOne more sentence.\n")
            building.build(book)

        own = timed("the page alone, built anew", page_alone)
        changed = timed("the book, after one changed sentence", changed_sentence)
        timed("the book, nothing changed", lambda: building.build(book))
    print(f"ratio, changed sentence to page alone: {changed / own:.2f}")
    print(f"beyond the page's own build: {changed - own:+.2f} s (goal: at most {GOAL_S:+.1f} s)")


def copy(root: Path) -> None:
    root.mkdir()
    for part in PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, root / part)
        else:
            shutil.copy(ROOT / part, root)


def timed(what: str, build: Callable[[], object]) -> float:
    """Time `build` a few times; print and return the median in seconds."""
    seconds = []
    for _ in range(RUNS):
        start = perf_counter()
        build()
        seconds.append(perf_counter() - start)
    print(f"{what:40s} {median(seconds):6.2f} s   (from {min(seconds):.2f} to {max(seconds):.2f})")
    return median(seconds)


if __name__ == "__main__":
    main()
