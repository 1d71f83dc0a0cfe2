"""What the tests of the lessons cost over executing the same cells: pytest against plain nbclient.

    python benchmarks/harness_overhead.py [NOTEBOOK.md ...] [--rounds N]

Both run every notebook (by default all of lessons/ and solutions/) in one fresh kernel each, one after
the other, in a fresh process. The sides take turns, so that a machine whose load changes slows both.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GOAL = 1.25

_PLAIN = """
import sys, tempfile
import jupytext
from nbclient import NotebookClient
for path in sys.argv[1:]:
    with tempfile.TemporaryDirectory() as folder:
        NotebookClient(jupytext.read(path), allow_errors=True, resources={"metadata": {"path": folder}}).execute()
"""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("notebooks", nargs="*", help="paths in lessons/ or solutions/ (default: all)")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    notebooks = arguments.notebooks or [
        str(path) for folder in ("lessons", "solutions") for path in sorted((ROOT / folder).glob("*.md"))
    ]
    if not notebooks:
        sys.exit("harness_overhead: there is no notebook in lessons/ or solutions/ yet")
    plain = [sys.executable, "-c", _PLAIN, *notebooks]
    harness = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *notebooks]
    ratios = []
    for turn in range(arguments.rounds):
        # The side that goes first changes, so that neither always finds a warmer machine.
        sides = [plain, harness] if turn % 2 == 0 else [harness, plain]
        seconds = {command[1]: _seconds(command) for command in sides}
        ratios.append(seconds["-m"] / seconds["-c"])
        print(
            f"nbclient {seconds['-c']:6.2f} s   pytest {seconds['-m']:6.2f} s   ratio {ratios[-1]:.2f}",
            flush=True,
        )
    middle = statistics.median(ratios)
    print(
        f"median ratio {middle:.2f} (from {min(ratios):.2f} to {max(ratios):.2f}; the goal is {GOAL} at most)"
    )


def _seconds(command: list[str]) -> float:
    environment = os.environ | {"JAX_PLATFORMS": "cpu", "JAX_DEBUG_KEY_REUSE": "1"}
    start = time.perf_counter()
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    seconds = time.perf_counter() - start
    # 1 is pytest's word for failed tests: the cells did run.
    if done.returncode not in (0, 1) or (done.returncode and command[1] == "-c"):
        sys.exit(f"harness_overhead: a side did not run to its end:\n{(done.stderr or done.stdout)[-2000:]}")
    return seconds


if __name__ == "__main__":
    main()
