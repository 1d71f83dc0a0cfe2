"""An imitation of a Colab machine: its versions of a few packages, and nothing of the repository.

Colab itself cannot be asked. What a test can do is to take a Python that has only what the lessons may
count on there (pins/colab.txt), far from the repository, and to run the notebooks with it.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbformat import NotebookNode

ROOT = Path(__file__).parents[1]
PINS = ROOT / "pins" / "colab.txt"
# Settings of the machine that runs the tests; Colab has none of them.
_FOREIGN = ("PYTHON", "JAX_", "XLA_", "CUDA_", "MPL", "VIRTUAL_ENV", "IPYTHON", "JUPYTER", "PYTEST")


class ColabMachine:
    """A Python to run notebooks with, in its own folder `home`; every machine is a fresh one.

    It is a virtual environment with packages of its own, empty at first, on top of a filled one that all
    machines share. Whatever a notebook installs goes to the former.
    """

    def __init__(self, home: Path, packages: list[str]):
        self.home = home
        venv.create(home / "venv")
        self.python = _python(home / "venv")
        shared = _output(_python(_filled(packages)), "import sysconfig; print(sysconfig.get_path('purelib'))")
        self.site_packages = Path(
            _output(self.python, "import sysconfig; print(sysconfig.get_path('purelib'))")
        )
        (self.site_packages / "colab.pth").write_text(shared + "\n")
        kernel = home / "kernels" / "colab"
        kernel.mkdir(parents=True)
        command = [str(self.python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        spec = {"argv": command, "display_name": "Colab", "language": "python"}
        (kernel / "kernel.json").write_text(json.dumps(spec))

    def run(self, notebook: NotebookNode) -> NotebookNode:
        """Execute the notebook in place and return it.

        Raises CellExecutionError when a cell fails that is not tagged `raises-exception`.
        """
        manager = AsyncKernelManager(
            kernel_name="colab",
            kernel_spec_manager=KernelSpecManager(kernel_dirs=[str(self.home / "kernels")]),
        )
        client = NotebookClient(
            notebook, km=manager, timeout=300, resources={"metadata": {"path": str(self.home)}}
        )
        return client.execute(env=self.environment())

    def environment(self) -> dict[str, str]:
        """Return the environment variables of a process on the machine."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(_FOREIGN)}
        # No index: the install guard must need nothing but the package itself.
        return kept | {"JAX_PLATFORMS": "cpu", "PIP_NO_INDEX": "1", "IPYTHONDIR": str(self.home / "ipython")}

    def output(self, code: str) -> str:
        """Run some Python on the machine and return what it prints."""
        return _output(self.python, code, cwd=self.home, env=self.environment())


def build_wheel(out: Path) -> Path:
    """Build the helper package into `out` and return the wheel."""
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(out), str(ROOT)], check=True
    )
    return next(out.glob("jaxcourse-*.whl"))


def _filled(packages: list[str]) -> Path:
    """Return the environment with these packages in the versions of the pins; fill it the first time.

    It takes a minute, so it is kept in the repository's root (git ignores it) until the pins change.
    """
    contents = [PINS.read_text(), sys.version, *sorted(packages)]
    name = f".colab-imitation-{hashlib.sha256(repr(contents).encode()).hexdigest()[:12]}"
    if not (ROOT / name).exists():
        for outdated in ROOT.glob(".colab-imitation-????????????"):
            shutil.rmtree(outdated, ignore_errors=True)
        # Filled under another name, so that what bears the name is complete, also after an interrupt.
        filling = ROOT / f"{name}-{os.getpid()}"
        venv.create(filling, with_pip=True)
        try:
            install = [_python(filling), "-m", "pip", "install", "-q", "-c", PINS, *packages]
            subprocess.run(install, check=True)
            filling.rename(ROOT / name)
        finally:
            shutil.rmtree(filling, ignore_errors=True)
    return ROOT / name


def _python(environment: Path) -> Path:
    return environment / "bin" / "python"


def _output(python: Path, code: str, **options) -> str:
    return subprocess.run(
        [python, "-c", code], check=True, stdout=subprocess.PIPE, text=True, **options
    ).stdout.strip()
