"""Run the lessons and write a run record to book/runs/: which claims hold here, and what was measured.

    python tests/record_run.py --device gpu

needs Python, JAX and torch, and no network: pytest, nbval and the rest may travel as wheels in a folder
that `python tests/record_run.py --fill` fills on a machine that has a network.
"""

import argparse
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent.parent

# What the lessons and their tests import beyond the standard library, JAX, NumPy and torch.
NEEDED = ["pytest", "pytest-xdist", "nbval", "jupytext", "ipykernel", "matplotlib"]
# What NEEDED brings along and JAX has brought already. A second copy would shadow the machine's own.
BROUGHT_BY_JAX = "numpy-"
# The Python of the machine that the wheels are for, and the manylinux tags that pip is to accept there.
PYTHON = "3.12"
PLATFORMS = [f"manylinux_2_{minor}_x86_64" for minor in (28, 27, 26, 24, 17)] + [
    "manylinux2014_x86_64",
    "manylinux1_x86_64",
]
LIMIT_MB = 60


def main() -> int:
    arguments = _parse()
    if arguments.fill:
        return fill(arguments.wheels)
    with tempfile.TemporaryDirectory(prefix="jaxcourse-") as folder:
        path = [str(ROOT / "src")]
        if arguments.wheels.is_dir() and (arguments.wheels_given or not importlib.util.find_spec("nbval")):
            install(arguments.wheels, Path(folder, "site"))
            path.insert(0, str(Path(folder, "site")))
        elif arguments.wheels_given:
            stop(f"there is no folder {arguments.wheels}: fill it with --fill where there is a network")
        path += [os.environ["PYTHONPATH"]] if "PYTHONPATH" in os.environ else []
        record = Path(folder, "record.json")
        command = [sys.executable, "-m", "pytest", "lessons", "solutions", "-p", "no:cacheprovider"]
        # Lax: a record tells what ran and which claims held. Comparing text is for the tests.
        command += ["--nbval-lax", f"--device={arguments.device}", f"--record={record}", *arguments.pytest]
        status = subprocess.run(
            command, cwd=ROOT, env=os.environ | {"PYTHONPATH": os.pathsep.join(path)}
        ).returncode
        if record.exists():
            publish(json.loads(record.read_text(encoding="utf-8")), arguments.out)
    return status


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", choices=["cpu8", "gpu"], default="cpu8")
    parser.add_argument(
        "--wheels", type=Path, help="folder of wheels (default: wheels/, where nbval is missing)"
    )
    parser.add_argument("--out", type=Path, default=ROOT / "book" / "runs", help="folder of the records")
    parser.add_argument(
        "--fill", action="store_true", help=f"download the wheels for Python {PYTHON}, then stop"
    )
    parser.add_argument("pytest", nargs="*", help="further arguments for pytest, after --")
    arguments = parser.parse_args()
    arguments.wheels_given = arguments.wheels is not None
    arguments.wheels = (arguments.wheels or ROOT / "wheels").resolve()
    return arguments


def fill(wheels: Path) -> int:
    """Download into `wheels` what a bare machine needs; return pip's exit status."""
    command = [sys.executable, "-m", "pip", "download", "--only-binary=:all:", f"--python-version={PYTHON}"]
    command += [f"--platform={name}" for name in PLATFORMS]
    command += ["--dest", str(wheels), "--constraint", str(ROOT / "pins" / "default.txt"), *NEEDED]
    status = subprocess.run(command).returncode
    if status != 0:
        return status
    for wheel in wheels.glob(f"{BROUGHT_BY_JAX}*.whl"):
        wheel.unlink()
    sizes = [wheel.stat().st_size for wheel in wheels.glob("*.whl")]
    size = sum(sizes) / 1e6
    if size > LIMIT_MB:
        stop(f"{wheels} holds {size:.0f} MB, more than {LIMIT_MB} MB: empty it and fill it again")
    print(f"{wheels}: {len(sizes)} wheels for Python {PYTHON}, {size:.0f} MB")
    return 0


def install(wheels: Path, site: Path) -> None:
    """Unpack `wheels` into `site` without touching the machine's own packages."""
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-index",
        "--no-deps",
        "--target",
        str(site),
    ]
    done = subprocess.run([*command, *map(str, sorted(wheels.glob("*.whl")))], capture_output=True, text=True)
    if done.returncode != 0:
        why = (done.stderr.strip().splitlines() or ["pip said nothing"])[-1]
        stop(f"pip cannot install the wheels in {wheels} for this Python: {why}")


def publish(record: dict, out: Path) -> None:
    """Write `record` into `out`, named after its date and device, and print its summary."""
    device = record["device"]
    name = "cpu8" if device["platform"] == "cpu" else re.sub(r"[^a-z0-9]+", "-", device["kind"].lower())
    if device["platform"] != "cpu" and device["count"] > 1:
        name += f"-x{device['count']}"
    path = out / f"{record['date']}-{name}.json"
    out.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print(f"\n{device['kind']}, JAX {record['versions']['jax']}: {path}")
    for notebook in record["notebooks"]:
        held = sum(claim["holds"] for claim in notebook["claims"])
        print(
            f"  {notebook['path']}: {notebook['cells']} cells in {notebook['seconds']:.1f} s, "
            f"{held} of {len(notebook['claims'])} claims hold, {len(notebook['measures'])} measures, "
            f"{len(notebook['failures'])} failures"
        )
        if notebook["devices"]:
            print(f"    {notebook['devices']}")
        for failure in notebook["failures"]:
            print(f"    line {failure['line']}: {failure['sentence']}")


def stop(sentence: str) -> NoReturn:
    """End with a user's mistake, said in one sentence."""
    print(f"record_run: {sentence}", file=sys.stderr)
    sys.exit(2)


if __name__ == "__main__":
    sys.exit(main())
