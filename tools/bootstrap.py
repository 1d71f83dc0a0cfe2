"""Make the book's environment: a virtual environment with the pinned packages, once.

Run by the Makefile with whatever Python there is, so it uses the standard library only and must
parse on any Python 3.6 or newer. Does nothing when the environment is there and up to date.
"""

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

OLDEST = (3, 11)
# What the environment takes with the CPU build of PyTorch, and what pip needs beside it while it unpacks.
NEEDED_GB = 4
ROOT = Path(__file__).resolve().parent.parent
PINS = Path("pins", "default.txt")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--venv", type=Path, default=Path(".venv"), help="the environment's folder (default: .venv)"
    )
    parser.add_argument(
        "--extras", default="test", help="extras of pyproject.toml to install (default: test)"
    )
    parser.add_argument("--jax", metavar="VERSION", help="this JAX instead of the pinned one")
    args = parser.parse_args()

    check_python()
    os.chdir(str(ROOT))
    stamp = args.venv / ".installed"
    wanted = fingerprint(args)
    if stamp.is_file() and stamp.read_text() == wanted:
        return
    check_disk()
    create(args.venv)
    install(args)
    stamp.write_text(wanted)


def check_python():
    here = f"{sys.version_info[0]}.{sys.version_info[1]}"
    if sys.version_info < OLDEST:
        fail(
            f"the book needs Python 3.11 or newer and this is {here} ({sys.executable}): "
            "install a newer one and name it, e.g. make book PYTHON=python3.12"
        )
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError:
        fail(
            "this Python cannot make virtual environments (module venv or ensurepip is missing): "
            f"on Debian and Ubuntu install it with: apt install python{here}-venv"
        )


def check_disk():
    free = shutil.disk_usage(str(ROOT)).free / 1e9
    if free < NEEDED_GB:
        fail(
            f"the disk of {ROOT} has {free:.1f} GB free and the environment needs about {NEEDED_GB} GB: "
            "free some space and run the command again."
        )


def create(venv):
    """Make the virtual environment, anew when it belongs to another Python."""
    python = venv / "bin" / "python"
    if python.exists():
        asked = subprocess.run([str(python), "-c", "import sys; print(sys.version)"], stdout=subprocess.PIPE)
        if asked.stdout.decode().strip() == sys.version:
            return
    say(f"Making {venv} with Python {sys.version.split()[0]} ...")
    if subprocess.run([sys.executable, "-m", "venv", "--clear", str(venv)]).returncode:
        fail(f"could not make the environment {venv}; the lines above say why.")


def install(args):
    """Install the project, editable, with the pinned versions of everything else."""
    say(f"Installing the pinned packages into {args.venv} (minutes the first time) ...")
    pins = PINS
    if args.jax:
        pins = args.venv / "pins.txt"
        pins.write_text(re.sub(r"(?m)^(jax|jaxlib)==.*$", rf"\1=={args.jax}", PINS.read_text()))
    command = [str(args.venv / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "install"]
    command += ["--constraint", str(pins), "--editable", f".[{args.extras}]"]
    # The log keeps pip's own words; the screen gets one line that changes.
    log = args.venv / "install.log"
    lines = []
    with log.open("w") as out:
        pip = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True
        )
        for line in pip.stdout or ():
            out.write(line)
            lines.append(line.strip())
            if line.startswith(("Collecting ", "Installing collected")):
                show("  " + line.split("(")[0].strip()[:70])
    show("")
    if pip.wait():
        if any("No space left on device" in line for line in lines):
            fail("the disk is full: free some space and run the command again; it goes on where it stopped.")
        reason = [line for line in lines if line.startswith("ERROR")] or lines[-1:] or ["no output"]
        fail(f"pip could not install the packages: {reason[-1]} (all of its output: {log})")


def fingerprint(args):
    """What the installed environment depends on; a change means to install again."""
    state = [
        sys.version,
        str(sorted(vars(args).items())),
        PINS.read_text(),
        Path("pyproject.toml").read_text(),
    ]
    return hashlib.sha256("\n".join(state).encode()).hexdigest()


def say(text):
    print(text)
    sys.stdout.flush()


def show(text):
    """Overwrite one line of a terminal; say nothing in a log, which would fill with them."""
    if sys.stdout.isatty():
        sys.stdout.write("\r\033[K" + text)
        sys.stdout.flush()


def fail(sentence):
    sys.stderr.write(f"\nbook: {sentence}\n")
    sys.exit(2)


if __name__ == "__main__":
    main()
