"""tools/bootstrap.py: what stands in the way of an environment is said in one sentence."""

import sys
from argparse import Namespace
from collections import namedtuple
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tools"))

import bootstrap  # noqa: E402

Version = namedtuple("Version", "major minor micro releaselevel serial")


def refusal(capsys, check) -> str:
    with pytest.raises(SystemExit) as stopped:
        check()
    assert stopped.value.code == 2
    (sentence,) = capsys.readouterr().err.strip().splitlines()
    return sentence


def test_an_old_python(monkeypatch, capsys):
    monkeypatch.setattr(sys, "version_info", Version(3, 10, 4, "final", 0))
    assert "needs Python 3.11 or newer and this is 3.10" in refusal(capsys, bootstrap.check_python)


def test_a_python_without_venv(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "ensurepip", None)
    assert "on Debian and Ubuntu install it with: apt install python3." in refusal(
        capsys, bootstrap.check_python
    )


def test_a_disk_with_too_little_room(monkeypatch, capsys):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(bootstrap.shutil, "disk_usage", lambda path: usage(10e9, 9e9, 1e9))
    sentence = refusal(capsys, bootstrap.check_disk)
    assert "has 1.0 GB free and the environment needs about 4 GB" in sentence


@pytest.mark.parametrize(
    ("output", "sentence"),
    [
        ("OSError: [Errno 28] No space left on device", "the disk is full"),
        (
            "ERROR: No matching distribution found for jax==9",
            "No matching distribution found for jax==9 (all of",
        ),
    ],
)
def test_a_pip_that_fails(tmp_path, monkeypatch, capsys, output, sentence):
    """A stand-in for the environment's Python prints what pip would, and fails as it does."""
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    python.write_text(f"#!/bin/sh\necho '{output}'\nexit 1\n")
    python.chmod(0o755)
    monkeypatch.chdir(ROOT)
    args = Namespace(venv=tmp_path, extras="test", jax=None)
    assert sentence in refusal(capsys, lambda: bootstrap.install(args))


def test_it_installs_once(tmp_path, monkeypatch):
    installed = []
    monkeypatch.setattr(sys, "argv", ["bootstrap.py", "--venv", str(tmp_path)])
    monkeypatch.setattr(bootstrap, "create", lambda venv: None)
    monkeypatch.setattr(bootstrap, "install", lambda args: installed.append(args.jax))
    monkeypatch.chdir(ROOT)
    bootstrap.main()
    bootstrap.main()
    assert installed == [None]
    monkeypatch.setattr(sys, "argv", ["bootstrap.py", "--venv", str(tmp_path), "--jax", "0.7.2"])
    bootstrap.main()
    assert installed == [None, "0.7.2"]
