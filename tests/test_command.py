"""The package as a whole and its command: light to import, clear to use."""

import json
from pathlib import Path

import pytest
import tomllib

import jaxcourse
from jaxcourse import UserError, packages
from jaxcourse.cli import main
from processes import run_python

ROOT = Path(__file__).parents[1]


def test_importing_loads_neither_jax_nor_matplotlib():
    done = run_python("import sys, jaxcourse; print({'jax', 'matplotlib', 'torch'} & set(sys.modules))")
    assert done.stdout.strip() == "set()", done.stderr


def test_every_public_name_is_there():
    for name in jaxcourse.__all__:
        assert getattr(jaxcourse, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = jaxcourse.nothing


def test_the_base_package_pins_nothing():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["dependencies"] == ["numpy"]
    assert project["version"] == jaxcourse.__version__


def test_doctor_reports_what_is_there(capsys):
    assert main(["doctor", "--json"]) == 0
    findings = json.loads(capsys.readouterr().out)
    assert findings["packages"]["jax"] and findings["problems"] == []
    assert findings["devices"] == {"platform": "cpu", "kind": "cpu", "count": 8, "simulated": True}
    assert main(["doctor"]) == 0
    assert "8 x cpu, platform cpu (simulated)" in capsys.readouterr().out


def test_doctor_says_what_is_missing_and_how_to_get_it(monkeypatch, capsys):
    monkeypatch.setattr(
        "jaxcourse.doctor.version", lambda name: None if name == "torch" else packages.version(name)
    )
    assert main(["doctor"]) == 1
    assert "torch is missing, which is needed for the comparisons with PyTorch: run `pip install torch`." in (
        capsys.readouterr().out
    )


def test_doctor_explains_a_platform_that_is_not_there():
    done = run_python(
        "from jaxcourse.cli import main; raise SystemExit(main(['doctor']))", JAX_PLATFORMS="cuda"
    )
    assert done.returncode == 1
    assert "JAX_PLATFORMS is 'cuda': unset it, or add `,cpu` to it." in done.stdout


def test_a_missing_package_is_one_sentence():
    with pytest.raises(
        UserError, match=r"^nowhere is missing, .*: run `pip install nowhere`, then restart the kernel\.$"
    ):
        packages.require("numpy", "nowhere")


def test_a_folder_that_is_not_the_book_is_one_sentence(tmp_path, capsys):
    assert main(["book", "--root", str(tmp_path)]) == 2
    captured = capsys.readouterr()
    assert "is not the book: there is no _config.yml in it." in captured.err and not captured.out


@pytest.mark.parametrize("command", [[], ["doctor"], ["book"], ["notebooks"], ["exercises"]])
def test_help_helps(command, capsys):
    with pytest.raises(SystemExit) as stopped:
        main([*command, "--help"])
    assert stopped.value.code == 0
    assert "usage: jaxcourse" in capsys.readouterr().out
