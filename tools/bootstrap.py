"""Make the book's environment: a virtual environment with the pinned packages, once.

Run by the Makefile with whatever Python there is, so it uses the standard library only and must
parse on any Python 3. Does nothing when the environment is there and up to date.
"""

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys

OLDEST = (3, 11)
# What the environment takes with the CPU build of PyTorch, and what pip needs beside it while it unpacks.
NEEDED_GB = 4


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--venv", default=".venv", help="the environment's folder (default: .venv)")
    parser.add_argument(
        "--extras", default="test", help="extras of pyproject.toml to install (default: test)"
    )
    parser.add_argument("--jax", metavar="VERSION", help="this JAX instead of the pinned one")
    args = parser.parse_args()

    check_python()
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    os.chdir(root)
    stamp = os.path.join(args.venv, ".installed")
    wanted = fingerprint(args)
    if read(stamp) == wanted:
        return
    check_disk(root)
    create(args.venv)
    install(args)
    with open(stamp, "w") as f:
        f.write(wanted)


def check_python():
    if sys.version_info < OLDEST:
        fail(
            f"the book needs Python 3.11 or newer and this is {sys.version_info[0]}.{sys.version_info[1]} ({sys.executable}): install a newer one and name it, "
            "e.g. make book PYTHON=python3.12"
        )
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError:
        fail(
            "this Python cannot make virtual environments (module venv or ensurepip is missing): "
            "on Debian and Ubuntu install it with: apt install python{}.{}-venv".format(*sys.version_info[:2])
        )


def check_disk(root):
    free = shutil.disk_usage(root).free / 1e9
    if free < NEEDED_GB:
        fail(
            f"the disk of {root} has {free:.1f} GB free and the environment needs about {NEEDED_GB} GB: "
            "free some space and run the command again."
        )


def create(folder):
    """Make the virtual environment, anew when it belongs to another Python."""
    python = os.path.join(folder, "bin", "python")
    if os.path.exists(python):
        version = subprocess.run(
            [python, "-c", "import sys; print(sys.version)"], stdout=subprocess.PIPE
        ).stdout
        if version.decode().strip() == sys.version:
            return
    say("Making {} with Python {}.{}.{} ...".format(folder, *sys.version_info[:3]))
    made = subprocess.run([sys.executable, "-m", "venv", "--clear", folder])
    if made.returncode:
        fail(f"could not make the environment {folder}; the lines above say why.")


def install(args):
    """Install the project, editable, with the pinned versions of everything else."""
    say(f"Installing the pinned packages into {args.venv} (minutes the first time) ...")
    pip = [os.path.join(args.venv, "bin", "python"), "-m", "pip", "--disable-pip-version-check", "install"]
    pins = os.path.join("pins", "default.txt")
    if args.jax:
        pins = os.path.join(args.venv, "pins.txt")
        with open(pins, "w") as f:
            f.write(
                re.sub(
                    r"(?m)^(jax|jaxlib)==.*$", rf"\1=={args.jax}", read(os.path.join("pins", "default.txt"))
                )
            )
    log = os.path.join(args.venv, "install.log")
    with open(log, "w") as out:
        # The log keeps pip's own words; the screen gets one line a package.
        pip_run = subprocess.Popen(
            [*pip, "--constraint", pins, "--editable", f".[{args.extras}]"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            universal_newlines=True,
        )
        count = 0
        for line in pip_run.stdout:
            out.write(line)
            if line.startswith(("Collecting ", "Installing collected")):
                count += 1
                show("  {:3d}  {}".format(count, line.split("(")[0].strip()[:60]))
    show("")
    if pip_run.wait():
        text = read(log)
        if "No space left on device" in text:
            fail("the disk is full: free some space and run the command again; it goes on where it stopped.")
        errors = [line for line in text.splitlines() if line.startswith("ERROR")] or text.splitlines()[-1:]
        fail(f"pip could not install the packages: {errors[-1]} (all of its output: {log})")


def fingerprint(args):
    """What the installed environment depends on; a change means to install again."""
    state = "\n".join(
        [sys.version, str(vars(args)), read(os.path.join("pins", "default.txt")), read("pyproject.toml")]
    )
    return hashlib.sha256(state.encode()).hexdigest()


def read(path):
    try:
        with open(path) as f:
            return f.read()
    except OSError:
        return ""


def say(text):
    print(text)
    sys.stdout.flush()


def show(text):
    """Overwrite one line of a terminal; say nothing in a log, which would fill with them."""
    if sys.stdout.isatty():
        sys.stdout.write("\r\033[K" + text)
        sys.stdout.flush()


def fail(sentence):
    sys.stderr.write("\nbook: " + sentence + "\n")
    sys.exit(2)


if __name__ == "__main__":
    main()
